package panel

import (
	"dagscope/scene"
)

// gantt draws spans on lanes: the space-time panel, and any other that shows
// what happened on a row at which time.
type gantt struct {
	lanes *laneSet
	spans *spans
	// class → colour and role, see [classes]
	palette []scene.Color
	full    []scene.Color // colour in full strength, for outliers and separators
	kind    []string      // label of a class inside wide tasks, "" for none
	normal  bool          // palette has no variants: classes are kinds
	gather  *gathering    // what is drawn as groups, nil for nothing
}

// drawn is what drawing counted, for the note under the legend.
type drawn struct {
	exact      int // pieces drawn as they are
	narrow     int // pieces counted in shares
	outliers   int
	generation int
	gathered   int // pieces drawn in groups
	groups     int
}

// pieces is the number of all that were drawn.
func (d *drawn) pieces() int { return d.exact + d.narrow + d.gathered }

// painting collects the primitives of one drawing, bottom to top.
type painting struct {
	background scene.Rects
	exact      scene.Rects // pieces a pixel or more wide
	generation scene.Rects // the same, hatched
	shares     scene.Rects // stacked shares of groups and of mixed columns
	borders    scene.Rects // where a wide piece begins
	outliers   scene.Rects
	texts      []scene.Text
}

const (
	leastBorder = 5   // pixels of a piece that gets a border at its start
	mostTexts   = 400 // labels inside pieces in one drawing
)

// draw draws a window. Its cost is the pieces inside plus lanes × columns.
func (g *gantt) draw(q Query, r *rows) ([]scene.Layer, drawn) {
	p := &painting{
		background: scene.Rects{Palette: []scene.Color{scene.Lane}, Edges: scene.Crisp},
		exact:      scene.Rects{Palette: g.palette, Edges: scene.Crisp},
		generation: scene.Rects{Palette: g.palette, Edges: scene.Crisp, Hatch: scene.RGB(0x9a9a9a)},
		shares:     scene.Rects{Palette: g.palette, Edges: scene.Abut},
		borders:    scene.Rects{Palette: shaded(g.full), MinWidth: 0.6},
		outliers:   scene.Rects{Palette: g.full, MinWidth: 1},
	}
	var d drawn
	b := newBins(newGrid(q.T0, q.T1, q.Width), len(g.palette))
	heaps := g.gather.heaper(b.grid, len(g.palette))
	for l := range g.lanes.lanes {
		p.background.Add(float64(q.T0), float64(q.T1), r.y[l], r.h[l], 0)
		b.reset()
		one := laneDrawing{gantt: g, painting: p, bins: b, lane: l, y: r.y[l], h: r.h[l],
			narrowest: narrowest(b.grid), workers: int64(len(g.lanes.lanes[l].resources)), heaper: heaps}
		one.draw(&d)
	}
	return p.layers(), d
}

// narrowest is the least duration that is drawn as it is: one column.
func narrowest(g *grid) int64 { return (g.t1 - g.t0 + int64(g.columns()) - 1) / int64(g.columns()) }

func shaded(full []scene.Color) []scene.Color {
	out := make([]scene.Color, len(full))
	for i, c := range full {
		out[i] = c.Mix(scene.Ink, 0.12)
	}
	return out
}

func (p *painting) layers() []scene.Layer {
	return []scene.Layer{
		{Name: "lanes", Rects: []scene.Rects{p.background}},
		{Name: "tasks", Rects: []scene.Rects{p.exact, p.generation, p.shares, p.borders}},
		{Name: "outliers", Rects: []scene.Rects{p.outliers}},
		{Name: "kinds", Texts: p.texts},
	}
}

// laneDrawing draws one lane.
type laneDrawing struct {
	*gantt
	*painting
	bins      *bins
	lane      int
	y, h      float32
	narrowest int64
	workers   int64 // the lane is the mean of so many
	heaper    *heaper
}

func (d *laneDrawing) draw(count *drawn) {
	g := d.bins.grid
	lo, hi := d.spans.within(d.lane, g.t0, g.t1)
	flagged := 0
	for i := lo; i < hi; i++ {
		if d.spans.end[i] <= g.t0 {
			continue
		}
		narrow := d.narrow(i)
		switch {
		case d.heaper.holds(i):
			count.gathered++
		case !d.bin(i, narrow):
			continue
		case narrow:
			count.narrow++
		default:
			count.exact++
		}
		switch d.variant(i) {
		case outlying:
			count.outliers++
			if narrow {
				flagged++
			}
		case generating:
			count.generation++
		}
	}
	heaps := d.heaper.of(d, lo, hi)
	d.binHeaps(heaps)
	d.drawExact(lo, hi)
	d.drawHeaps(heaps)
	d.drawShares()
	d.drawOutliers(lo, hi, flagged > g.columns()/8)
	count.groups += len(heaps)
}

// bin counts a piece in the columns that it touches, which it mixes if it is
// narrow; false if it touches none.
func (d *laneDrawing) bin(i int, narrow bool) bool {
	first, last, ok := d.bins.add(d.spans.start[i], d.spans.end[i], d.spans.class[i])
	if ok && narrow {
		d.bins.mix(first, last)
	}
	return ok
}

func (d *laneDrawing) narrow(i int) bool {
	return d.workers > 1 || d.spans.end[i]-d.spans.start[i] < d.narrowest
}

func (d *laneDrawing) variant(i int) uint8 {
	if d.normal {
		return plain
	}
	return d.spans.class[i] % variants
}

// drawExact draws the wide pieces outside mixed columns.
func (d *laneDrawing) drawExact(lo, hi int) {
	g := d.bins.grid
	for i := lo; i < hi; i++ {
		if d.narrow(i) || d.heaper.holds(i) {
			continue
		}
		start, end := max(d.spans.start[i], g.t0), min(d.spans.end[i], g.t1)
		if end <= start {
			continue
		}
		d.pieces(start, end, d.spans.class[i], d.variant(i))
		d.decorate(i, start, end)
	}
}

// pieces draws [start, end) without the mixed columns.
func (d *laneDrawing) pieces(start, end int64, class, variant uint8) {
	to := &d.exact
	if variant == generating {
		to = &d.generation
	}
	d.unmixed(start, end, func(x0, x1 int64) { to.Add(float64(x0), float64(x1), d.y, d.h, class) })
}

// unmixed calls f for the parts of [start, end) outside mixed columns.
func (d *laneDrawing) unmixed(start, end int64, f func(x0, x1 int64)) {
	if !d.bins.any {
		f(start, end)
		return
	}
	g := d.bins.grid
	first, last := g.column(start), g.column(end-1)
	for k := first; k <= last; k++ {
		if d.bins.mixed[k] {
			continue
		}
		run := k
		for k < last && !d.bins.mixed[k+1] {
			k++
		}
		f(max(start, g.edges[run]), min(end, g.edges[k+1]))
	}
}

// decorate marks the start of a wide piece and writes its kind inside when
// there is room.
func (d *laneDrawing) decorate(i int, start, end int64) {
	g := d.bins.grid
	pixels := float64(end-start) * float64(g.columns()) / float64(g.t1-g.t0)
	if pixels < leastBorder {
		return
	}
	class := d.spans.class[i]
	if d.spans.start[i] >= g.t0 {
		d.borders.Add(float64(start), float64(start), d.y, d.h, class)
	}
	const size = 9
	if d.h < size+2 || len(d.texts) >= mostTexts || d.kind == nil {
		return
	}
	if s := d.kind[class]; s != "" && scene.TextWidth(s, size, false)+8 <= pixels {
		on := d.palette[class]
		if d.variant(i) == outlying {
			on = d.full[class]
		}
		d.texts = append(d.texts, scene.Text{X: float64(start+end) / 2, Y: d.y + d.h/2, S: s, Size: size,
			Color: contrast(on), On: on, Anchor: scene.Middle})
	}
}

// contrast is the ink for a text on a colour.
func contrast(on scene.Color) scene.Color {
	r, g, b, _ := on.Parts()
	if 0.299*float64(r)+0.587*float64(g)+0.114*float64(b) < 120 {
		return scene.White
	}
	return scene.Ink
}

// drawShares stacks the shares of each mixed column from the bottom of the
// lane; neighbours of equal height become one rectangle.
func (d *laneDrawing) drawShares() {
	if !d.bins.any {
		return
	}
	used := sortedClasses(d.bins.used)
	runs := make([]shareRun, len(used))
	for k := range d.bins.mixed {
		if !d.bins.mixed[k] {
			d.flush(runs, k)
			continue
		}
		d.stack(used, runs, k)
	}
	d.flush(runs, len(d.bins.mixed))
}

// shareRun is a rectangle that grows while the next columns look the same.
type shareRun struct {
	from  int
	y, h  float32
	class uint8
	open  bool
}

func (d *laneDrawing) stack(used []uint8, runs []shareRun, k int) {
	g := d.bins.grid
	whole := (g.edges[k+1] - g.edges[k]) * d.workers
	scale := float64(d.h) / float64(max(whole, d.bins.sum(k)))
	bottom := float64(d.y + d.h)
	for n, class := range used {
		h := float64(d.bins.busy[class][k]) * scale
		top := bottom - h
		s := &runs[n]
		if y := float32(top); !s.open || s.y != y || s.h != float32(h) {
			d.close(s, k)
			*s = shareRun{from: k, y: y, h: float32(h), class: class, open: h > 0}
		}
		bottom = top
	}
}

func (d *laneDrawing) close(s *shareRun, k int) {
	if s.open {
		g := d.bins.grid
		d.shares.Add(float64(g.edges[s.from]), float64(g.edges[k]), s.y, s.h, s.class)
	}
	s.open = false
}

func (d *laneDrawing) flush(runs []shareRun, k int) {
	for n := range runs {
		d.close(&runs[n], k)
	}
}

// drawOutliers draws outliers last, in full colour and at least a pixel wide.
// Narrow ones take the full height of the lane while they are few; where they
// are many (more than an eighth of the columns) they take its upper part only,
// so that the shares below stay visible. On a lane of several workers, whose
// height is time, they are ticks at its upper edge.
func (d *laneDrawing) drawOutliers(lo, hi int, many bool) {
	if d.normal {
		return
	}
	for i := lo; i < hi; i++ {
		if d.variant(i) != outlying {
			continue
		}
		h := d.h
		switch {
		case d.workers > 1 || d.heaper.holds(i):
			h = min(h, 2)
		case many && d.narrow(i):
			h *= 0.35
		}
		d.outliers.Add(float64(d.spans.start[i]), float64(d.spans.end[i]), d.y, h, d.spans.class[i])
	}
}

// sortedClasses returns the classes in ascending order: the order in which
// shares are stacked, the same in every lane.
func sortedClasses(used []uint8) []uint8 {
	out := make([]uint8, 0, len(used))
	var met [256]bool
	for _, c := range used {
		met[c] = true
	}
	for c := range met {
		if met[c] {
			out = append(out, uint8(c))
		}
	}
	return out
}
