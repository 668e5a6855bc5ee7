package selection

import (
	"math"
	"math/bits"
)

// bins divide durations evenly on a logarithmic scale.
type bins struct {
	edges []float64 // ns, one more than there are bins; empty without tasks
	least []int64   // of each bin, ns
	hint  [65]int   // bin of the least duration with so many binary digits
}

// perDecade are how many bins there may be between a duration and ten times as
// much; wantBins is how many bins there should be at least.
var perDecade = []float64{5, 10, 20, 40, 80, 160}

const wantBins = 30

// newBins holds all durations from shortest to longest; the edges are powers of
// ten and parts between, alike for runs whose durations are alike. ok is
// false without tasks.
func newBins(shortest, longest int64, ok bool) bins {
	var b bins
	if !ok {
		return b
	}
	low, high := math.Log10(float64(max(1, shortest))), math.Log10(float64(max(1, longest))+1)
	for _, per := range perDecade {
		b.edges = logEdges(low, high, per)
		if len(b.edges) > wantBins {
			break
		}
	}
	for _, e := range b.edges[:len(b.edges)-1] {
		b.least = append(b.least, int64(math.Ceil(e)))
	}
	for digits := 1; digits < len(b.hint); digits++ {
		b.hint[digits] = b.from(0, int64(1)<<(digits-1))
	}
	return b
}

// logEdges are the powers 10^(i/per) from the last up to 10^low to the first
// from 10^high on.
func logEdges(low, high, per float64) (edges []float64) {
	for i := math.Floor(low * per); ; i++ {
		edges = append(edges, math.Pow(10, i/per))
		if i >= high*per && len(edges) > 1 {
			return edges
		}
	}
}

func (b *bins) len() int { return len(b.least) }

// of is the bin of a duration.
func (b *bins) of(duration int64) int {
	return b.from(b.hint[bits.Len64(uint64(max(0, duration)))], duration)
}

// from looks for the bin from one on that is not too far.
func (b *bins) from(bin int, duration int64) int {
	for bin+1 < len(b.least) && duration >= b.least[bin+1] {
		bin++
	}
	return bin
}

// extremes are the shortest and longest durations of counted tasks, ns; ok is
// false without any.
func (x *Index) extremes() (shortest, longest int64, ok bool) {
	shortest, longest = math.MaxInt64, -1
	for p := range x.lanes.Task {
		if d := x.duration(p); x.lanes.IsFirst(int32(p)) {
			shortest, longest = min(shortest, d), max(longest, d)
		}
	}
	return shortest, longest, longest >= 0
}

// putHistogram lists the kinds of which tasks start inside.
func (x *Index) putHistogram(s *Stats, t *tally) {
	s.Histogram = Histogram{Edges: append([]float64{}, x.bins.edges...), Kinds: []string{}, Counts: [][]int64{}}
	for _, k := range x.kindOrder() {
		if counts := t.startsOf(k); sum(counts) > 0 {
			s.Histogram.Kinds = append(s.Histogram.Kinds, x.kindName(k))
			s.Histogram.Counts = append(s.Histogram.Counts, counts)
		}
	}
}

func sum(counts []int64) (n int64) {
	for _, c := range counts {
		n += c
	}
	return n
}
