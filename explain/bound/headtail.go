package bound

import (
	"math"
	"slices"
	"sort"

	"dagscope/internal/heap"
)

// HeadTail is the best of x + ABE({v : h(v) ≥ x, q(v) ≥ y}) + y over all
// thresholds x and y for which the set is not empty, where h(v) is the longest
// path before v and q(v) the longest after v: none of these tasks starts
// before x, and after the last of them at least y remains.
type HeadTail struct {
	Time  float64 // ns
	Head  float64 // x, ns
	Tail  float64 // y, ns
	Area  float64 // area bound of the set, ns
	Tasks int64   // in the set
	Exact bool    // all levels were tried, not a subsample
}

const (
	smallRun    = 1 << 20 // tasks, up to which
	smallLevels = 1024    // levels are the default, and
	largeLevels = 256     // beyond which these: counting must stay in the cache
	maxCells    = 1 << 22 // counts kept at once
	maxPrograms = 5000    // area programs solved for one grid, and
	maxEffort   = 4e6     // fewer when they are large: each costs its rows squared
	maxZooms    = 3
)

// headTail searches the thresholds. Where levels are too many, a grid of them
// is searched and then refined about the best.
func (g *graph) headTail(c *Costs, limit int) (HeadTail, error) {
	w, f := weights(g.kind, c.Fastest())
	s := &search{costs: c, fixed: f, kind: g.kind, head: g.TopLevels(g.order, w), tail: g.Tails(g.order, w), programs: maxPrograms}
	return s.best(limit)
}

// best searches with so many thresholds on either axis at most, 0 for the
// default.
func (s *search) best(limit int) (HeadTail, error) {
	if limit <= 0 {
		limit = smallLevels
		if len(s.kind) > smallRun {
			limit = largeLevels
		}
	}
	limit = max(2, min(limit, int(math.Sqrt(maxCells/float64(max(1, len(s.costs.Kind)))))))
	heads, tails := s.levels(s.head), s.levels(s.tail)
	if len(heads) == 0 {
		return HeadTail{Exact: true}, nil
	}
	x, y := thin(heads, limit), thin(tails, limit)
	best := HeadTail{Exact: len(x) == len(heads) && len(y) == len(tails)}
	for range maxZooms {
		found, i, j, err := s.grid(x, y)
		if err != nil {
			return best, err
		}
		found.Exact = best.Exact
		if found.Time <= best.Time {
			break
		}
		best = found
		if best.Exact {
			break
		}
		x, y = thin(around(heads, x, i), limit), thin(around(tails, y, j), limit)
	}
	return best, nil
}

// search holds levels and tails of all tasks in fixed point.
type search struct {
	costs      *Costs
	fixed      fixed
	kind       []int32
	head, tail []int64
	programs   int     // area programs solved for one grid at most
	floor      float64 // ns: what is below is not looked for
}

// levels lists the distinct values of counted tasks in ascending order; of
// more than a million tasks, those of a regular sample and the smallest.
func (s *search) levels(value []int64) []int64 {
	const most = 1 << 20
	stride := (len(value) + most - 1) / most
	var all []int64
	smallest := int64(math.MaxInt64)
	for i, k := range s.kind {
		if k < 0 {
			continue
		}
		smallest = min(smallest, value[i])
		if i%stride == 0 {
			all = append(all, value[i])
		}
	}
	if smallest == math.MaxInt64 {
		return nil
	}
	all = append(all, smallest)
	slices.Sort(all)
	return slices.Compact(all)
}

// thin keeps at most limit values, evenly spread, with the first and the last.
func thin(values []int64, limit int) []int64 {
	if len(values) <= limit {
		return values
	}
	out := make([]int64, limit)
	for i := range out {
		out[i] = values[i*(len(values)-1)/(limit-1)]
	}
	return out
}

// around returns the values between the grid's neighbours of level i.
func around(values, grid []int64, i int) []int64 {
	from, _ := slices.BinarySearch(values, grid[max(0, i-1)])
	to, _ := slices.BinarySearch(values, grid[min(len(grid)-1, i+1)])
	return values[from : to+1]
}

// grid finds the best pair of thresholds x[i], y[j].
func (s *search) grid(x, y []int64) (best HeadTail, bi, bj int, err error) {
	counts := s.count(x, y)
	var q queue
	corner := func(i1, i2, j1, j2 int, area float64) {
		q.add(block{i1, i2, j1, j2, area, s.fixed.ns(x[i2]) + s.fixed.ns(y[j2]) + area})
	}
	solved := map[[2]int]float64{}
	at := func(i, j int) (float64, error) {
		if a, ok := solved[[2]int{i, j}]; ok {
			return a, nil
		}
		a, err := s.costs.bound(counts.of(i, j))
		solved[[2]int{i, j}] = a
		if t := s.fixed.ns(x[i]) + a + s.fixed.ns(y[j]); err == nil && t > best.Time && counts.size(i, j) > 0 {
			best = HeadTail{Time: t, Head: s.fixed.ns(x[i]), Tail: s.fixed.ns(y[j]), Area: a, Tasks: counts.size(i, j)}
			bi, bj = i, j
		}
		return a, err
	}
	area, err := at(0, 0)
	if err != nil {
		return best, 0, 0, err
	}
	corner(0, len(x)-1, 0, len(y)-1, area)
	rows := float64(len(s.costs.Kind) + len(s.costs.Arch))
	most := int(min(float64(s.programs), maxEffort/(rows*rows)))
	for q.Len() > 0 && len(solved) < most {
		b := q.Pop().Value
		if b.limit <= max(best.Time, s.floor) {
			break
		}
		for _, h := range b.halves() {
			if counts.size(h.i1, h.j1) == 0 {
				continue // the set of every corner of this half is empty
			}
			area, err := at(h.i1, h.j1)
			if err != nil {
				return best, 0, 0, err
			}
			corner(h.i1, h.i2, h.j1, h.j2, area)
		}
	}
	return best, bi, bj, nil
}

// bound is the value of Area that is proved.
func (c *Costs) bound(count []float64) (float64, error) {
	a, err := c.Area(count)
	if err != nil {
		return 0, err
	}
	return a.Dual, nil
}

// block is a rectangle of the grid, corners included. The set only shrinks as
// thresholds rise, so no pair in it exceeds its greatest thresholds plus the
// area bound of its smallest: branch and bound visits few of the pairs.
type block struct {
	i1, i2, j1, j2 int
	area           float64 // of the set at (i1, j1)
	limit          float64 // what no pair in the block exceeds
}

// halves splits a block at its longer side; a single pair has none.
func (b block) halves() []block {
	if b.i2-b.i1 >= b.j2-b.j1 && b.i2 > b.i1 {
		m := (b.i1 + b.i2 + 1) / 2
		return []block{{i1: b.i1, i2: m - 1, j1: b.j1, j2: b.j2}, {i1: m, i2: b.i2, j1: b.j1, j2: b.j2}}
	}
	if b.j2 > b.j1 {
		m := (b.j1 + b.j2 + 1) / 2
		return []block{{i1: b.i1, i2: b.i2, j1: b.j1, j2: m - 1}, {i1: b.i1, i2: b.i2, j1: m, j2: b.j2}}
	}
	return nil
}

// queue has the most promising block first.
type queue struct {
	heap.Heap[float64, int64, block]
}

func (q *queue) add(b block) { q.Push(-b.limit, int64(b.i1)<<32|int64(b.j1), b) }

// cells counts, for each pair of thresholds, the tasks of each kind at or
// above both.
type cells struct {
	columns, kinds int
	n              []int32
}

func (s *search) count(x, y []int64) cells {
	c := cells{columns: len(y), kinds: len(s.costs.Kind)}
	c.n = make([]int32, len(x)*c.columns*c.kinds)
	for v, k := range s.kind {
		if k < 0 {
			continue
		}
		i, j := below(x, s.head[v]), below(y, s.tail[v])
		if i >= 0 && j >= 0 {
			c.n[(i*c.columns+j)*c.kinds+int(k)]++
		}
	}
	for at := len(c.n) - c.kinds - 1; at >= 0; at-- {
		if at/c.kinds%c.columns < c.columns-1 {
			c.n[at] += c.n[at+c.kinds]
		}
	}
	row := c.columns * c.kinds
	for at := len(c.n) - row - 1; at >= 0; at-- {
		c.n[at] += c.n[at+row]
	}
	return c
}

// below is the greatest index with level ≤ v, −1 if there is none.
func below(levels []int64, v int64) int {
	return sort.Search(len(levels), func(i int) bool { return levels[i] > v }) - 1
}

func (c cells) row(i, j int) []int32 {
	at := (i*c.columns + j) * c.kinds
	return c.n[at : at+c.kinds]
}

func (c cells) of(i, j int) []float64 {
	count := make([]float64, c.kinds)
	for k, n := range c.row(i, j) {
		count[k] = float64(n)
	}
	return count
}

func (c cells) size(i, j int) (sum int64) {
	for _, n := range c.row(i, j) {
		sum += int64(n)
	}
	return sum
}
