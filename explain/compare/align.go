package compare

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"dagscope/explain/progress"
	"dagscope/internal/words"
	"dagscope/trace"
)

// AlignNeeds names the columns that [Align] reads.
var AlignNeeds = []string{
	"resource.parent", "task.worker", "task.start", "task.end", "task.generation", "task.internal", "task.iteration",
	"segment.task", "segment.start", "segment.end",
}

// Mode says what coincides on a common axis.
type Mode string

// Modes.
const (
	Start     Mode = "start"     // first counted tasks start
	End       Mode = "end"       // last counted tasks end
	Progress  Mode = "progress"  // each 5 % of the work is done
	Iteration Mode = "iteration" // each iteration that both have starts
)

// Modes are all modes.
var Modes = []Mode{Start, End, Progress, Iteration}

// progressParts is the number of equal shares of the work that coincide.
const progressParts = 20

// Map is an increasing piecewise linear map between a run's own time and that
// of the axis, both in ns. Beyond the first and last knot its slope is 1.
type Map struct {
	Own, Axis []int64 // knots, strictly increasing; at least one
	Words     string  // what coincides
}

// Align maps the time of other onto that of axis. Errors: an unknown mode; runs
// that do not have what the mode needs.
func Align(axis, other *trace.Run, mode Mode) (*Map, error) {
	switch mode {
	case Start, End, Progress:
		return alignWork(axis, other, mode)
	case Iteration:
		return alignIterations(axis, other)
	}
	names := make([]string, len(Modes))
	for i, m := range Modes {
		names[i] = string(m)
	}
	return nil, fmt.Errorf("align runs: found mode %q, want %s", mode, strings.Join(names, ", "))
}

func alignWork(axis, other *trace.Run, mode Mode) (*Map, error) {
	a, b := newWork(axis, false), newWork(other, false)
	a0, a1, okA := a.window()
	b0, b1, okB := b.window()
	if !okA || !okB {
		return nil, fmt.Errorf("align runs on %s: a run has no task of the application that ran", mode)
	}
	switch mode {
	case Start:
		return &Map{Own: []int64{b0}, Axis: []int64{a0}, Words: "the first tasks start together"}, nil
	case End:
		return &Map{Own: []int64{b1}, Axis: []int64{a1}, Words: "the last tasks end together"}, nil
	}
	if a.total == 0 || b.total == 0 {
		return nil, fmt.Errorf("align runs on progress: the tasks of a run take no time")
	}
	m := &Map{Words: "each 5 % of the work, as sums of the durations of tasks, is done together"}
	m.Own, m.Axis = increasing(b.when(progressParts), a.when(progressParts))
	return m, nil
}

// increasing leaves out knots that are not later than the one before in both
// times; of those at the end, the last is kept.
func increasing(own, axis []int64) (o, a []int64) {
	for i := range own {
		last := i == len(own)-1
		for last && len(o) > 1 && (own[i] <= o[len(o)-1] || axis[i] <= a[len(a)-1]) {
			o, a = o[:len(o)-1], a[:len(a)-1]
		}
		if len(o) == 0 || own[i] > o[len(o)-1] && axis[i] > a[len(a)-1] {
			o, a = append(o, own[i]), append(a, axis[i])
		}
	}
	return o, a
}

// alignIterations lets the first starts of iterations coincide. Iterations that
// start in another order in the two runs cannot all: as many as possible do.
func alignIterations(axis, other *trace.Run) (*Map, error) {
	its := common(borders(axis, false), borders(other, false))
	if len(its) == 0 {
		return nil, fmt.Errorf("align runs on iteration: found no iteration that both runs have")
	}
	slices.SortFunc(its, func(x, y [2]span) int {
		return cmp.Or(cmp.Compare(x[1].start, y[1].start), cmp.Compare(y[0].start, x[0].start))
	})
	m := new(Map)
	for _, i := range longestIncreasing(its) {
		m.Own, m.Axis = append(m.Own, its[i][1].start), append(m.Axis, its[i][0].start)
	}
	m.Words = fmt.Sprintf("the first tasks of %s start together", words.Plural(len(m.Own), "iteration"))
	if left := len(its) - len(m.Own); left > 0 {
		m.Words += fmt.Sprintf("; %d more start in another order, or at the same time", left)
	}
	return m, nil
}

// span is an iteration of one run.
type span struct {
	iteration  int32
	start, end int64
	tasks      int64
}

// borders lists the iterations of a run.
func borders(run *trace.Run, generation bool) []span {
	if len(run.Task.Iteration) != len(run.Task.Start) {
		return nil
	}
	b := progress.Borders(run, progress.Options{Generation: generation})
	var all []span
	for i, it := range b.Iteration {
		if it >= 0 {
			all = append(all, span{it, b.Start[i], b.End[i], b.Tasks[i]})
		}
	}
	return all
}

// common joins two lists in the order of iterations.
func common(a, b []span) (both [][2]span) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch c := cmp.Compare(a[i].iteration, b[j].iteration); {
		case c < 0:
			i++
		case c > 0:
			j++
		default:
			both = append(both, [2]span{a[i], b[j]})
			i, j = i+1, j+1
		}
	}
	return both
}

// longestIncreasing returns the most positions whose starts on the axis
// strictly increase (patience sorting).
func longestIncreasing(its [][2]span) []int {
	var tops []int // of the chains of each length, the end that starts first
	before := make([]int, len(its))
	for i := range its {
		n, _ := slices.BinarySearchFunc(tops, its[i][0].start, func(j int, start int64) int { return cmp.Compare(its[j][0].start, start) })
		before[i] = -1
		if n > 0 {
			before[i] = tops[n-1]
		}
		if n == len(tops) {
			tops = append(tops, i)
		} else {
			tops[n] = i
		}
	}
	chain := make([]int, len(tops))
	for i, at := len(tops)-1, tops[len(tops)-1]; i >= 0; i, at = i-1, before[at] {
		chain[i] = at
	}
	return chain
}

// ToAxis maps a time of the run to the axis, rounded to the nearest ns;
// [trace.NoTime] stays what it is.
func (m *Map) ToAxis(t int64) int64 { return interpolate(m.Own, m.Axis, t) }

// ToOwn maps a time of the axis to the run's own, rounded to the nearest ns.
func (m *Map) ToOwn(t int64) int64 { return interpolate(m.Axis, m.Own, t) }

func interpolate(from, to []int64, t int64) int64 {
	if t == trace.NoTime {
		return t
	}
	i, exact := slices.BinarySearch(from, t)
	switch {
	case exact:
		return to[i]
	case i == 0:
		return add(to[0], t, from[0])
	case i == len(from):
		return add(to[i-1], t, from[i-1])
	}
	// Differences of increasing numbers fit an unsigned one.
	step := uint64(t) - uint64(from[i-1])
	high, low := bits.Mul64(step, uint64(to[i])-uint64(to[i-1]))
	length := uint64(from[i]) - uint64(from[i-1])
	low, carry := bits.Add64(low, length/2, 0)
	q, _ := bits.Div64(high+carry, low, length)
	return int64(uint64(to[i-1]) + q)
}

// farthest is where times beyond the knots end, ns: far from any real time, and
// from overflowing.
const farthest = 1 << 62

// add is base + (t − from), kept within ±farthest.
func add(base, t, from int64) int64 {
	switch sum := float64(base) + (float64(t) - float64(from)); {
	case sum > farthest:
		return farthest
	case sum < -farthest:
		return -farthest
	}
	return base + (t - from) // what wraps around on the way wraps back
}
