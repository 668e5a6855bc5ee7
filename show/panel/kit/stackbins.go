package kit

import (
	"dagscope/show/scene"
)

// StackAll draws all columns of the bins as stacked shares from the lower edge
// of a row up: idle time is missing height. Where pieces overlap, a column can
// be busy for longer than it is; its shares are then scaled down to the row's
// height, each in proportion. Columns that look the same become one rectangle.
func (b *Bins) StackAll(to *scene.Rects, y, h float32) {
	used := SortedClasses(b.Used)
	open := make([]StackedRun, len(used))
	g := b.Grid
	var before, sum int64
	after := b.Sum(0)
	for k := range g.Columns() {
		before, sum, after = sum, after, 0
		if k+1 < g.Columns() {
			after = b.Sum(k + 1)
		}
		if from, till, ok := b.edge(k, before, sum, after); ok {
			b.stackEdge(to, used, open, k, y, h, float64(h)/float64(sum), from, till)
			continue
		}
		scale := float64(h) / float64(max(g.Edges[k+1]-g.Edges[k], sum))
		bottom := float64(y + h)
		for n, class := range used {
			height := float64(b.Busy[class][k]) * scale
			bottom -= height
			open[n].Next(to, g, k, float32(bottom), float32(height), class)
		}
	}
	for n, class := range used {
		open[n].Next(to, g, g.Columns(), 0, 0, class)
	}
}

// edge reports whether something begins or ends in a column: it is busy for a part,
// as is one neighbour, while the other is empty. What there is then lies beside
// that neighbour, in [from, to), as tasks do that are wider than a column; its
// area stays.
func (b *Bins) edge(k int, before, sum, after int64) (from, to int64, ok bool) {
	g := b.Grid
	from, to = g.Edges[k], g.Edges[k+1]
	if sum == 0 || sum >= to-from || k == 0 || k+1 == g.Columns() {
		return 0, 0, false
	}
	switch {
	case before == 0 && after > 0:
		return to - sum, to, true
	case after == 0 && before > 0:
		return from, from + sum, true
	}
	return 0, 0, false
}

// stackEdge stacks such a column at full height.
func (b *Bins) stackEdge(to *scene.Rects, used []uint8, open []StackedRun, k int, y, h float32, scale float64, from, till int64) {
	bottom := float64(y + h)
	for n, class := range used {
		open[n].Next(to, b.Grid, k, 0, 0, class)
		if busy := b.Busy[class][k]; busy > 0 {
			height := float64(busy) * scale
			bottom -= height
			to.Add(float64(from), float64(till), float32(bottom), float32(height), class)
		}
	}
}

// StackedRun is a rectangle that grows while the next columns look the same.
type StackedRun struct {
	from int
	y, h float32
}

// Next ends the rectangle before column k unless the column continues it.
func (r *StackedRun) Next(to *scene.Rects, g *Grid, k int, y, h float32, class uint8) {
	if r.h > 0 && (r.y != y || r.h != h) {
		to.Add(float64(g.Edges[r.from]), float64(g.Edges[k]), r.y, r.h, class)
		r.h = 0
	}
	if r.h == 0 {
		*r = StackedRun{k, y, h}
	}
}
