package panel

import "dagscope/scene"

// stackAll draws all columns of the bins as stacked shares from the lower edge
// of a row up: idle time is missing height. Where pieces overlap, a column can
// be busy for longer than it is; its shares are then scaled down to the row's
// height, each in proportion. Columns that look the same become one rectangle.
func (b *bins) stackAll(to *scene.Rects, y, h float32) {
	used := sortedClasses(b.used)
	open := make([]stackedRun, len(used))
	g := b.grid
	for k := range g.columns() {
		scale := float64(h) / float64(max(g.edges[k+1]-g.edges[k], b.sum(k)))
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
