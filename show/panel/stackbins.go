package panel

import "dagscope/show/scene"

// stackAll draws all columns of the bins as stacked shares from the lower edge
// of a row up: idle time is missing height. Where pieces overlap, a column can
// be busy for longer than it is; its shares are then scaled down to the row's
// height, each in proportion. Columns that look the same become one rectangle.
func (b *bins) stackAll(to *scene.Rects, y, h float32) {
	used := sortedClasses(b.used)
	open := make([]stackedRun, len(used))
	g := b.grid
	var before, sum int64
	after := b.sum(0)
	for k := range g.columns() {
		before, sum, after = sum, after, 0
		if k+1 < g.columns() {
			after = b.sum(k + 1)
		}
		if from, till, ok := b.edge(k, before, sum, after); ok {
			b.stackEdge(to, used, open, k, y, h, float64(h)/float64(sum), from, till)
			continue
		}
		scale := float64(h) / float64(max(g.edges[k+1]-g.edges[k], sum))
		bottom := float64(y + h)
		for n, class := range used {
			height := float64(b.busy[class][k]) * scale
			bottom -= height
			open[n].next(to, g, k, float32(bottom), float32(height), class)
		}
	}
	for n, class := range used {
		open[n].next(to, g, g.columns(), 0, 0, class)
	}
}

// edge tells whether something begins or ends in a column: it is busy for a part,
// as is one neighbour, while the other is empty. What there is then lies beside
// that neighbour, in [from, to), as tasks do that are wider than a column; its
// area stays.
func (b *bins) edge(k int, before, sum, after int64) (from, to int64, ok bool) {
	g := b.grid
	from, to = g.edges[k], g.edges[k+1]
	if sum == 0 || sum >= to-from || k == 0 || k+1 == g.columns() {
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
func (b *bins) stackEdge(to *scene.Rects, used []uint8, open []stackedRun, k int, y, h float32, scale float64, from, till int64) {
	bottom := float64(y + h)
	for n, class := range used {
		open[n].next(to, b.grid, k, 0, 0, class)
		if busy := b.busy[class][k]; busy > 0 {
			height := float64(busy) * scale
			bottom -= height
			to.Add(float64(from), float64(till), float32(bottom), float32(height), class)
		}
	}
}

// stackedRun is a rectangle that grows while the next columns look the same.
type stackedRun struct {
	from int
	y, h float32
}

// next ends the rectangle before column k unless the column continues it.
func (r *stackedRun) next(to *scene.Rects, g *grid, k int, y, h float32, class uint8) {
	if r.h > 0 && (r.y != y || r.h != h) {
		to.Add(float64(g.edges[r.from]), float64(g.edges[k]), r.y, r.h, class)
		r.h = 0
	}
	if r.h == 0 {
		*r = stackedRun{k, y, h}
	}
}
