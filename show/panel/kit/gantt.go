package kit

import (
	"sync"

	"dagscope/show/panel/core"
	"dagscope/show/scene"
)

// Gantt draws spans on lanes: the space-time panel, and any other that shows
// what happened on a row at which time.
type Gantt struct {
	Lanes  *Lanes
	Spans  *Spans        // what is on the lanes; where lazy makes it nil until asked for, see sorted
	Lazy   func() *Spans // of lanes that are means of several workers
	merged sync.Once
	opened sync.Once
	Tracks [][]*core.Track // of each lane, with an index; nil to make them of the spans
	Remap  *[256]uint8     // drawn class of a piece's class, nil for itself
	// class → colour and role, see [classes]
	Palette []scene.Color
	Full    []scene.Color // colour in full strength, for outliers and separators
	Kind    []string      // label of a class inside wide tasks, "" for none
	Normal  bool          // palette has no variants: classes are kinds
	Gather  *Gathering    // what is drawn as groups, nil for nothing
}

// Open makes what the first drawing needs.
func (g *Gantt) Open() {
	g.opened.Do(func() {
		if g.Remap == nil {
			g.Remap = new([256]uint8)
			for c := range g.Remap {
				g.Remap[c] = uint8(c)
			}
		}
		if g.Tracks == nil && g.Gather == nil {
			g.Tracks = g.Sorted().tracks(g.Normal)
		}
	})
}

// Sorted returns the pieces lane by lane.
func (g *Gantt) Sorted() *Spans {
	g.merged.Do(func() {
		if g.Spans == nil {
			g.Spans = g.Lazy()
		}
	})
	return g.Spans
}

// Drawn is what drawing counted, for the note under the legend.
type Drawn struct {
	exact      int // pieces drawn as they are
	Narrow     int // pieces counted in shares
	Outliers   int
	Generation int
	Gathered   int // pieces drawn in groups
	Groups     int
}

// Pieces is the number of all that were drawn.
func (d *Drawn) Pieces() int { return d.exact + d.Narrow + d.Gathered }

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
	MostTexts   = 400 // labels inside pieces in one drawing

	longestNamed = 2 // parts of a body that a piece may reach over to be named once
)

// Draw draws a window. Its cost is lanes × columns, and with aggregation the
// pieces inside.
func (g *Gantt) Draw(q core.Query, r *Rows) ([]scene.Layer, Drawn) {
	g.Open()
	p := &painting{
		background: scene.Rects{Palette: []scene.Color{scene.Lane}, Edges: scene.Crisp},
		exact:      scene.Rects{Palette: g.Palette, Edges: scene.Crisp},
		generation: scene.Rects{Palette: g.Palette, Edges: scene.Crisp, Hatch: scene.RGB(0x9a9a9a)},
		shares:     scene.Rects{Palette: g.Palette, Edges: scene.Abut},
		borders:    scene.Rects{Palette: shaded(g.Full), MinWidth: 0.6},
		outliers:   scene.Rects{Palette: g.Full, MinWidth: 1},
		part:       q.Body,
	}
	var d Drawn
	b := NewBins(NewGrid(q.T0, q.T1, q.Width), len(g.Palette))
	heaps := g.Gather.heaper(b.Grid, len(g.Palette))
	for l := range g.Lanes.Lanes {
		p.background.Add(float64(q.T0), float64(q.T1), r.Y[l], r.H[l], 0)
		b.Reset()
		one := laneDrawing{gantt: g, paint: p, bins: b, lane: l, y: r.Y[l], h: r.H[l],
			narrowest: Narrowest(b.Grid), workers: int64(max(1, len(g.Lanes.Lanes[l].Resources))), heaper: heaps}
		if tracks := g.indexed(l, heaps); tracks != nil {
			one.drawTracks(tracks, &d)
		} else {
			one.scan(&d)
		}
	}
	return p.layers(), d
}

// indexed returns the tracks of a lane that can be drawn by them.
func (g *Gantt) indexed(lane int, heaps *heaper) []*core.Track {
	if heaps != nil || g.Tracks == nil {
		return nil
	}
	return g.Tracks[lane]
}

// Narrowest is the least duration that is drawn as it is: one column.
func Narrowest(g *Grid) int64 { return (g.T1 - g.T0 + int64(g.Columns()) - 1) / int64(g.Columns()) }

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
	gantt     *Gantt
	paint     *painting
	bins      *Bins
	lane      int
	y, h      float32
	narrowest int64
	workers   int64 // the lane is the mean of so many
	heaper    *heaper
	marked    [256]int32 // by class: one more than the column of the last narrow outlier
}

// scan draws a lane by looking at every piece of the window: what is gathered
// in groups, and what overlaps beyond all measure.
func (d *laneDrawing) scan(count *Drawn) {
	g := d.bins.Grid
	lo, hi := d.gantt.Sorted().Within(d.lane, g.T0, g.T1)
	flagged := 0
	for i := lo; i < hi; i++ {
		if d.gantt.Spans.End[i] <= g.T0 {
			continue
		}
		narrow := d.narrow(i)
		if d.class(i) == core.Hidden {
			continue
		}
		switch {
		case d.heaper.holds(i):
			count.Gathered++
		case !d.bin(i, narrow):
			continue
		case narrow:
			count.Narrow++
		default:
			count.exact++
		}
		switch d.variant(i) {
		case core.Outlying:
			count.Outliers++
			if narrow {
				flagged++
			}
		case core.Generating:
			count.Generation++
		}
	}
	heaps := d.heaper.Of(d, lo, hi)
	d.binHeaps(heaps)
	d.drawExact(lo, hi)
	d.drawHeaps(heaps)
	d.drawShares()
	d.drawOutliers(lo, hi, flagged)
	count.Groups += len(heaps)
}

// bin counts a piece in the columns that it touches, which it mixes if it is
// narrow; false if it touches none.
func (d *laneDrawing) bin(i int, narrow bool) bool {
	first, last, ok := d.bins.Add(d.gantt.Spans.Start[i], d.gantt.Spans.End[i], d.class(i))
	if ok && narrow {
		d.bins.mix(first, last)
	}
	return ok
}

func (d *laneDrawing) narrow(i int) bool {
	return d.workers > 1 || d.gantt.Spans.End[i]-d.gantt.Spans.Start[i] < d.narrowest
}

// class is the drawn class of a piece.
func (d *laneDrawing) class(i int) uint8 { return d.gantt.Remap[d.gantt.Spans.Class[i]] }

func (d *laneDrawing) variant(i int) uint8 { return d.gantt.variantOf(d.class(i)) }

func (g *Gantt) variantOf(class uint8) uint8 {
	if g.Normal {
		return core.Plain
	}
	return class % core.Variants
}

// drawExact draws the wide pieces outside mixed columns.
func (d *laneDrawing) drawExact(lo, hi int) {
	g := d.bins.Grid
	for i := lo; i < hi; i++ {
		class := d.class(i)
		if d.narrow(i) || d.heaper.holds(i) || class == core.Hidden {
			continue
		}
		start, end := max(d.gantt.Spans.Start[i], g.T0), min(d.gantt.Spans.End[i], g.T1)
		if end <= start {
			continue
		}
		d.Pieces(start, end, class)
		d.decorate(d.gantt.Spans.Start[i], d.gantt.Spans.End[i], class)
	}
}

// Pieces draws [start, end) without the mixed columns.
func (d *laneDrawing) Pieces(start, end int64, class uint8) {
	to := &d.paint.exact
	if d.gantt.variantOf(class) == core.Generating {
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
	g := d.bins.Grid
	first, last := g.Column(start), g.Column(end-1)
	for k := first; k <= last; k++ {
		if d.bins.mixed[k] {
			continue
		}
		run := k
		for k < last && !d.bins.mixed[k+1] {
			k++
		}
		f(max(start, g.Edges[run]), min(end, g.Edges[k+1]))
	}
}

// decorate marks the start of a wide piece, if it begins inside the window, and
// writes its kind inside when there is room: in the middle of what can be seen.
// Of a body that is drawn in parts it is the middle of the piece, so that parts
// agree on it, unless that may well be out of sight.
func (d *laneDrawing) decorate(start, end int64, class uint8) {
	g := d.bins.Grid
	begins := start >= g.T0
	if !d.paint.part || end-start > longestNamed*(g.T1-g.T0) {
		start, end = max(start, g.T0), min(end, g.T1)
	}
	pixels := float64(end-start) * float64(g.Columns()) / float64(g.T1-g.T0)
	if pixels < leastBorder {
		return
	}
	if begins {
		d.paint.borders.Add(float64(start), float64(start), d.y, d.h, class)
	}
	const size = 9
	if d.h < size+2 || len(d.paint.texts) >= MostTexts || d.gantt.Kind == nil {
		return
	}
	away := 8.0 // from the edges; who shows parts stretches them and knows his fonts
	if d.paint.part {
		away = 0
	}
	if s := d.gantt.Kind[class]; s != "" && scene.TextWidthUpTo(s, size, false, pixels)+away <= pixels {
		on := d.gantt.Palette[class]
		if d.gantt.variantOf(class) == core.Outlying {
			on = d.gantt.Full[class]
		}
		d.paint.texts = append(d.paint.texts, scene.Text{X: float64(start+end) / 2, Y: d.y + d.h/2, S: s, Size: size,
			Color: Contrast(on), On: on, Anchor: scene.Middle, Room: float64(end - start)})
	}
}

// Contrast is the ink for a text on a colour.
func Contrast(on scene.Color) scene.Color {
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
	used := SortedClasses(d.bins.Used)
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
	g := d.bins.Grid
	whole := (g.Edges[k+1] - g.Edges[k]) * d.workers
	scale := float64(d.h) / float64(max(whole, d.bins.Sum(k)))
	bottom := float64(d.y + d.h)
	for n, class := range used {
		h := float64(d.bins.Busy[class][k]) * scale
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
		g := d.bins.Grid
		d.paint.shares.Add(float64(g.Edges[s.from]), float64(g.Edges[k]), s.y, s.h, s.class)
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
	if d.gantt.Normal {
		return
	}
	for i := lo; i < hi; i++ {
		if class := d.class(i); class != core.Hidden && d.gantt.variantOf(class) == core.Outlying && d.gantt.Spans.End[i] > d.bins.Grid.T0 {
			d.addOutlier(d.gantt.Spans.Start[i], d.gantt.Spans.End[i], class, d.narrow(i), d.heaper.holds(i), flagged)
		}
	}
}

// addOutlier draws one of them; flagged is the number of narrow ones.
func (d *laneDrawing) addOutlier(start, end int64, class uint8, narrow, held bool, flagged int) {
	g, h := d.bins.Grid, d.h
	if narrow && flagged > g.Columns() {
		column := int32(g.Column(max(start, g.T0))) + 1
		if d.marked[class] == column {
			return
		}
		d.marked[class] = column
	}
	switch {
	case d.workers > 1 || held:
		h = min(h, 2)
	case narrow && flagged > g.Columns()/8:
		h *= 0.35
	}
	d.paint.outliers.Add(float64(start), float64(end), d.y, h, class)
}

// SortedClasses returns the classes in ascending order: the order in which
// shares are stacked, the same in every lane.
func SortedClasses(used []uint8) []uint8 {
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

// BusyIn is the time of a window that each class takes on all lanes, those of
// the drawing.
func (g *Gantt) BusyIn(q core.Query) (ns [256]int64) {
	for l := range g.Lanes.Lanes {
		tracks := g.TracksOf(l)
		for _, t := range tracks {
			busy := make([]int64, len(t.Classes()))
			t.Busy(q.T0, q.T1, busy)
			for s, class := range t.Classes() {
				ns[g.Remap[class]] += busy[s]
			}
		}
		if tracks == nil {
			s := g.Sorted()
			lo, hi := s.Within(l, q.T0, q.T1)
			for i := lo; i < hi; i++ {
				ns[g.Remap[s.Class[i]]] += max(0, min(s.End[i], q.T1)-max(s.Start[i], q.T0))
			}
		}
	}
	return ns
}
