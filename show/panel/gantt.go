package panel

import (
	"sync"

	"dagscope/show/scene"
)

// gantt draws spans on lanes: the space-time panel, and any other that shows
// what happened on a row at which time.
type gantt struct {
	lanes  *laneSet
	spans  *spans        // what is on the lanes; where lazy makes it nil until asked for, see sorted
	lazy   func() *spans // of lanes that are means of several workers
	merged sync.Once
	opened sync.Once
	tracks [][]*track  // of each lane, with an index; nil to make them of the spans
	remap  *[256]uint8 // drawn class of a piece's class, nil for itself
	// class → colour and role, see [classes]
	palette []scene.Color
	full    []scene.Color // colour in full strength, for outliers and separators
	kind    []string      // label of a class inside wide tasks, "" for none
	normal  bool          // palette has no variants: classes are kinds
	gather  *gathering    // what is drawn as groups, nil for nothing
}

// hidden is the drawn class of what is not drawn. No palette is so large.
const hidden = 255

// open makes what the first drawing needs.
func (g *gantt) open() {
	g.opened.Do(func() {
		if g.remap == nil {
			g.remap = new([256]uint8)
			for c := range g.remap {
				g.remap[c] = uint8(c)
			}
		}
		if g.tracks == nil && g.gather == nil {
			g.tracks = g.sorted().tracks(g.normal)
		}
	})
}

// sorted returns the pieces lane by lane.
func (g *gantt) sorted() *spans {
	g.merged.Do(func() {
		if g.spans == nil {
			g.spans = g.lazy()
		}
	})
	return g.spans
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
	part       bool           // of a body that is drawn in parts, side by side
	found      []outlierPiece // scratch
}

const (
	leastBorder = 5   // pixels of a piece that gets a border at its start
	mostTexts   = 400 // labels inside pieces in one drawing

	longestNamed = 2 // parts of a body that a piece may reach over to be named once
)

// draw draws a window. Its cost is lanes × columns, and with aggregation the
// pieces inside.
func (g *gantt) draw(q Query, r *rows) ([]scene.Layer, drawn) {
	g.open()
	p := &painting{
		background: scene.Rects{Palette: []scene.Color{scene.Lane}, Edges: scene.Crisp},
		exact:      scene.Rects{Palette: g.palette, Edges: scene.Crisp},
		generation: scene.Rects{Palette: g.palette, Edges: scene.Crisp, Hatch: scene.RGB(0x9a9a9a)},
		shares:     scene.Rects{Palette: g.palette, Edges: scene.Abut},
		borders:    scene.Rects{Palette: shaded(g.full), MinWidth: 0.6},
		outliers:   scene.Rects{Palette: g.full, MinWidth: 1},
		part:       q.Body,
	}
	var d drawn
	b := newBins(newGrid(q.T0, q.T1, q.Width), len(g.palette))
	heaps := g.gather.heaper(b.grid, len(g.palette))
	for l := range g.lanes.lanes {
		p.background.Add(float64(q.T0), float64(q.T1), r.y[l], r.h[l], 0)
		b.reset()
		one := laneDrawing{gantt: g, paint: p, bins: b, lane: l, y: r.y[l], h: r.h[l],
			narrowest: narrowest(b.grid), workers: int64(max(1, len(g.lanes.lanes[l].resources))), heaper: heaps}
		if tracks := g.indexed(l, heaps); tracks != nil {
			one.drawTracks(tracks, &d)
		} else {
			one.scan(&d)
		}
	}
	return p.layers(), d
}

// indexed returns the tracks of a lane that can be drawn by them.
func (g *gantt) indexed(lane int, heaps *heaper) []*track {
	if heaps != nil || g.tracks == nil {
		return nil
	}
	return g.tracks[lane]
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
	gantt     *gantt
	paint     *painting
	bins      *bins
	lane      int
	y, h      float32
	narrowest int64
	workers   int64 // the lane is the mean of so many
	heaper    *heaper
	marked    [256]int32 // by class: one more than the column of the last narrow outlier
}

// scan draws a lane by looking at every piece of the window: what is gathered
// in groups, and what overlaps beyond all measure.
func (d *laneDrawing) scan(count *drawn) {
	g := d.bins.grid
	lo, hi := d.gantt.sorted().within(d.lane, g.t0, g.t1)
	flagged := 0
	for i := lo; i < hi; i++ {
		if d.gantt.spans.end[i] <= g.t0 {
			continue
		}
		narrow := d.narrow(i)
		if d.class(i) == hidden {
			continue
		}
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
	d.drawOutliers(lo, hi, flagged)
	count.groups += len(heaps)
}

// bin counts a piece in the columns that it touches, which it mixes if it is
// narrow; false if it touches none.
func (d *laneDrawing) bin(i int, narrow bool) bool {
	first, last, ok := d.bins.add(d.gantt.spans.start[i], d.gantt.spans.end[i], d.class(i))
	if ok && narrow {
		d.bins.mix(first, last)
	}
	return ok
}

func (d *laneDrawing) narrow(i int) bool {
	return d.workers > 1 || d.gantt.spans.end[i]-d.gantt.spans.start[i] < d.narrowest
}

// class is the drawn class of a piece.
func (d *laneDrawing) class(i int) uint8 { return d.gantt.remap[d.gantt.spans.class[i]] }

func (d *laneDrawing) variant(i int) uint8 { return d.gantt.variantOf(d.class(i)) }

func (g *gantt) variantOf(class uint8) uint8 {
	if g.normal {
		return plain
	}
	return class % variants
}

// drawExact draws the wide pieces outside mixed columns.
func (d *laneDrawing) drawExact(lo, hi int) {
	g := d.bins.grid
	for i := lo; i < hi; i++ {
		class := d.class(i)
		if d.narrow(i) || d.heaper.holds(i) || class == hidden {
			continue
		}
		start, end := max(d.gantt.spans.start[i], g.t0), min(d.gantt.spans.end[i], g.t1)
		if end <= start {
			continue
		}
		d.pieces(start, end, class)
		d.decorate(d.gantt.spans.start[i], d.gantt.spans.end[i], class)
	}
}

// pieces draws [start, end) without the mixed columns.
func (d *laneDrawing) pieces(start, end int64, class uint8) {
	to := &d.paint.exact
	if d.gantt.variantOf(class) == generating {
		to = &d.paint.generation
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

// decorate marks the start of a wide piece, if it begins inside the window, and
// writes its kind inside when there is room: in the middle of what can be seen.
// Of a body that is drawn in parts it is the middle of the piece, so that parts
// agree on it, unless that may well be out of sight.
func (d *laneDrawing) decorate(start, end int64, class uint8) {
	g := d.bins.grid
	begins := start >= g.t0
	if !d.paint.part || end-start > longestNamed*(g.t1-g.t0) {
		start, end = max(start, g.t0), min(end, g.t1)
	}
	pixels := float64(end-start) * float64(g.columns()) / float64(g.t1-g.t0)
	if pixels < leastBorder {
		return
	}
	if begins {
		d.paint.borders.Add(float64(start), float64(start), d.y, d.h, class)
	}
	const size = 9
	if d.h < size+2 || len(d.paint.texts) >= mostTexts || d.gantt.kind == nil {
		return
	}
	away := 8.0 // from the edges; who shows parts stretches them and knows his fonts
	if d.paint.part {
		away = 0
	}
	if s := d.gantt.kind[class]; s != "" && scene.TextWidthUpTo(s, size, false, pixels)+away <= pixels {
		on := d.gantt.palette[class]
		if d.gantt.variantOf(class) == outlying {
			on = d.gantt.full[class]
		}
		d.paint.texts = append(d.paint.texts, scene.Text{X: float64(start+end) / 2, Y: d.y + d.h/2, S: s, Size: size,
			Color: contrast(on), On: on, Anchor: scene.Middle, Room: float64(end - start)})
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
		d.paint.shares.Add(float64(g.edges[s.from]), float64(g.edges[k]), s.y, s.h, s.class)
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
// so that the shares below stay visible; where they are more than the columns,
// the first of each class stands for those that begin in its column. On a lane
// of several workers, whose height is time, they are ticks at its upper edge.
func (d *laneDrawing) drawOutliers(lo, hi, flagged int) {
	if d.gantt.normal {
		return
	}
	for i := lo; i < hi; i++ {
		if class := d.class(i); class != hidden && d.gantt.variantOf(class) == outlying && d.gantt.spans.end[i] > d.bins.grid.t0 {
			d.addOutlier(d.gantt.spans.start[i], d.gantt.spans.end[i], class, d.narrow(i), d.heaper.holds(i), flagged)
		}
	}
}

// addOutlier draws one of them; flagged is the number of narrow ones.
func (d *laneDrawing) addOutlier(start, end int64, class uint8, narrow, held bool, flagged int) {
	g, h := d.bins.grid, d.h
	if narrow && flagged > g.columns() {
		column := int32(g.column(max(start, g.t0))) + 1
		if d.marked[class] == column {
			return
		}
		d.marked[class] = column
	}
	switch {
	case d.workers > 1 || held:
		h = min(h, 2)
	case narrow && flagged > g.columns()/8:
		h *= 0.35
	}
	d.paint.outliers.Add(float64(start), float64(end), d.y, h, class)
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
