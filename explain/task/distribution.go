package task

import (
	"math"
	"slices"

	"dagscope/explain/kind"
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/internal/stat"
	"dagscope/trace"
)

const (
	maxBins = 40
	// wide is the ratio of extremes from which bins are equal in the logarithm.
	wide = 20
	// ladderSize durations are kept of a group: ranks are exact up to so many
	// tasks, and to one in so many beyond.
	ladderSize = 1 << 16
)

// groups are the durations of tasks of one kind on one architecture, summed up.
type groups struct {
	index map[[2]int32]int // kind, architecture (dictionary indices)
	group []group
}

type group struct {
	Distribution
	ladder []int64 // durations, ascending, evenly chosen
}

// newGroups sums up the durations of all tasks, those that prepare the input
// included.
func newGroups(run *trace.Run, outlier []bool) groups {
	all := kind.Group(run, kind.Options{Generation: true})
	durations := kind.Durations(run)
	g := groups{map[[2]int32]int{}, make([]group, all.Len())}
	for k := range all.Len() {
		g.index[[2]int32{all.Kind[k], all.Arch[k]}] = k
	}
	parallel.For(all.Len(), func(k int) {
		tasks := all.Tasks(k)
		own, flagged := make([]int64, len(tasks)), 0
		for i, v := range tasks {
			own[i] = durations[v]
			if outlier[v] {
				flagged++
			}
		}
		g.group[k] = newGroup(interval.Sorted(own), flagged)
		g.group[k].Kind = run.Task.Kind.Dict[all.Kind[k]]
		if a := all.Arch[k]; a >= 0 {
			g.group[k].Arch = run.Resource.Arch.Dict[a]
		}
	})
	return g
}

// newGroup sums up ascending durations, of which so many are flagged as
// outliers. The threshold is that of quartiles; where it does not flag as many
// the group was judged by the work of each task, and there is none.
func newGroup(sorted []int64, flagged int) group {
	n := len(sorted)
	d := Distribution{Count: n, Mean: stat.Sum(sorted) / float64(n)}
	d.Q1, d.Median, d.Q3 = stat.SortedQuantile(sorted, 0.25), stat.SortedQuantile(sorted, 0.5), stat.SortedQuantile(sorted, 0.75)
	threshold := d.Q3 + 1.5*(d.Q3-d.Q1)
	if n-below(sorted, math.Floor(threshold)+1) == flagged {
		d.Threshold = &threshold
	}
	d.Edges = bins(sorted[0], sorted[n-1])
	d.Counts = make([]int, len(d.Edges)-1)
	under := 0
	for i := range d.Counts {
		upTo := n
		if i < len(d.Counts)-1 {
			upTo = below(sorted, d.Edges[i+1])
		}
		d.Counts[i], under = upTo-under, upTo
	}
	return group{d, ladder(sorted)}
}

// below is the number of ascending durations less than a bound.
func below(sorted []int64, bound float64) int {
	i, _ := slices.BinarySearchFunc(sorted, bound, func(d int64, bound float64) int {
		if float64(d) < bound {
			return -1
		}
		return 1
	})
	return i
}

// bins are the edges of about [maxBins] bins, none narrower than a nanosecond:
// equal in the logarithm where durations differ widely.
func bins(low, high int64) []float64 {
	n := int(max(1, min(maxBins, high-low)))
	edges := make([]float64, n+1)
	from, to := float64(low), float64(high)
	if low == high {
		to++
	}
	logarithmic := low > 0 && to/from > wide
	for i := range edges {
		f := float64(i) / float64(n)
		if logarithmic {
			edges[i] = from * math.Pow(to/from, f)
		} else {
			edges[i] = from + f*(to-from)
		}
	}
	edges[n] = to
	return edges
}

// ladder chooses durations at even distances.
func ladder(sorted []int64) []int64 {
	n := len(sorted)
	if n <= ladderSize {
		return sorted
	}
	steps := make([]int64, ladderSize)
	for i := range steps {
		steps[i] = sorted[int64(i)*int64(n-1)/(ladderSize-1)]
	}
	return steps
}

// of is the distribution that a task belongs to, with its place in it; an
// empty one if it did not run or does not count.
func (g *groups) of(run *trace.Run, v int32, duration int64) Distribution {
	t := &run.Task
	empty := Distribution{Kind: t.Kind.At(int(v)), Edges: []float64{}, Counts: []int{}, This: duration}
	w := t.Worker[v]
	if w < 0 {
		return empty
	}
	empty.Arch = run.Resource.Arch.At(int(w))
	k, ok := g.index[[2]int32{t.Kind.Index[v], run.Resource.Arch.Index[w]}]
	if !ok || !(kind.Options{Generation: true}).Counts(t, int(v)) {
		return empty
	}
	d := g.group[k].Distribution
	d.This = duration
	d.Rank = float64(below(g.group[k].ladder, float64(duration))) / float64(len(g.group[k].ladder))
	return d
}
