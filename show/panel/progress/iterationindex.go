package progress

import (
	"dagscope/internal/parallel"
	"dagscope/internal/pyramid"
	"dagscope/show/panel/kit"
)

// Where many windows of one run are drawn, a pass over its tasks for each costs
// too much. The tasks of each iteration and kind are indexed then: they overlap,
// but only the sum of their time is drawn.

// iterationIndex holds them by facet, iteration and kind.
type iterationIndex struct {
	kinds int
	load  []*pyramid.Load // nil where there is no task
}

// mostLoads bounds the index to what is worth it: so many tasks for each entry
// on the average, or fewer where there are few entries.
const mostLoads = 1 << 16

// newIterationIndex makes the index in the order of facets, iterations and
// kinds; nil if these are too many for the tasks.
func (v *iterationView) newIterationIndex() *iterationIndex {
	x := &iterationIndex{kinds: len(v.run.Task.Kind.Dict)}
	n := int64(len(v.facets)) * int64(v.count) * int64(x.kinds)
	if n > max(mostLoads, int64(len(v.run.Task.Start))) {
		return nil
	}
	x.load = make([]*pyramid.Load, n)
	t := &v.run.Task
	at := make([]int32, n+1)
	place := func(i int, f int32) int {
		k := t.Kind.Index[i]
		if k < 0 {
			return -1
		}
		return (int(f)*int(v.count)+int(t.Iteration[i]-v.first))*x.kinds + int(k)
	}
	v.each(func(i int, f int32) {
		if p := place(i, f); p >= 0 {
			at[p+1]++
		}
	})
	for p := range n {
		at[p+1] += at[p]
	}
	start, end := make([]int64, at[n]), make([]int64, at[n])
	v.each(func(i int, f int32) {
		if p := place(i, f); p >= 0 {
			start[at[p]], end[at[p]] = t.Start[i], t.End[i]
			at[p]++
		}
	})
	parallel.For(int(n), func(p int) {
		from := int32(0)
		if p > 0 {
			from = at[p-1]
		}
		if from < at[p] {
			x.load[p] = pyramid.NewLoad(start[from:at[p]:at[p]], end[from:at[p]:at[p]])
		}
	})
	return x
}

// tallyIndexed counts the tasks of a window in the bins of their bands.
func (d *iterationDrawing) tallyIndexed(x *iterationIndex, g *kit.Grid) []*kit.Bins {
	of := make([]*kit.Bins, len(d.view.facets)*int(d.bands))
	for p, load := range x.load {
		kind := p % x.kinds
		if load == nil || d.view.class.Hidden[kind] {
			continue
		}
		t0, t1, _ := load.Extent()
		if t0, t1 = max(t0, g.T0), min(t1, g.T1); t0 >= t1 {
			continue
		}
		facet, iteration := p/x.kinds/int(d.view.count), d.view.first+int32(p/x.kinds%int(d.view.count))
		if !d.has(iteration) {
			continue
		}
		at := facet*int(d.bands) + int((iteration-d.first)/d.per)
		if of[at] == nil {
			of[at] = kit.NewBins(g, len(d.view.class.Palette))
		}
		addLoad(load, g, g.Column(t0), g.Column(t1-1), of[at].Row(d.view.class.Of[kind]))
	}
	return of
}

// addLoad adds the time that a load takes of the columns first to last.
func addLoad(load *pyramid.Load, g *kit.Grid, first, last int, to []int64) {
	c := load.Cursor()
	before := c.Before(g.Edges[first])
	for k := first; k <= last; k++ {
		after := c.Before(g.Edges[k+1])
		to[k] += after - before
		before = after
	}
}
