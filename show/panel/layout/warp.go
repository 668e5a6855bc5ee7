package layout

import (
	"cmp"
	"math"
	"slices"

	"dagscope/explain/compare"
	"dagscope/show/panel/core"
	"dagscope/show/scene"
	"dagscope/trace"
)

// Runs of one figure may be aligned: the time of all but the first is mapped to
// that of the first, piece by piece linearly. A panel knows only the time of
// its run. So it is drawn for the part of it that the window shows, and what
// was drawn is moved: edges of rectangles, points of curves, places of texts. It
// is drawn as fine as the most stretched piece needs.

// Alignment says what coincides in the times of runs; "" leaves each its own.
type Alignment = compare.Mode

// Alignments are all there are.
func Alignments() []Alignment { return compare.Modes }

// AlignReads names the columns that aligning takes.
func AlignReads() []string { return compare.AlignNeeds }

// Clocks map the time of each run to that of the first; the first has none.
// The error says what a run lacks.
func Clocks(runs []*trace.Run, mode Alignment) ([]*compare.Map, error) {
	clocks := make([]*compare.Map, len(runs))
	if mode == "" {
		return clocks, nil
	}
	for i := 1; i < len(runs); i++ {
		var err error
		if clocks[i], err = compare.Align(runs[0], runs[i], mode); err != nil {
			return nil, err
		}
	}
	return clocks, nil
}

// AlignedWindow is [Window] on the time of the first run.
func AlignedWindow(runs []*trace.Run, clocks []*compare.Map) (t0, t1 int64) {
	t0, t1, _ = core.WindowOf(runs, clocks)
	return t0, t1
}

// ownTime is a query in the run's own time.
func ownTime(m *compare.Map, q core.Query) core.Query {
	if m != nil {
		q.T0, q.T1 = m.ToOwn(q.T0), m.ToOwn(q.T1)
		q.T1 = max(q.T1, q.T0+1)
	}
	return q
}

// drawAligned draws a view for a window of the axis.
func drawAligned(v core.View, m *compare.Map, q core.Query) scene.Panel {
	own := ownTime(m, q)
	p := v.Draw(own)
	if m == nil || p.X != nil || p.Missing != "" {
		return p
	}
	for i := range p.Marks {
		p.Marks[i].X = onAxis(m, p.Marks[i].X)
	}
	fine := p.Layers
	if width := fineWidth(m, q); width > q.Width {
		own.Width, own.Height, own.Body = width, p.Height, true
		fine = v.Draw(own).Layers
	}
	p.Layers = warpLayers(p.Layers, fine, m, float64(q.Width)/float64(q.T1-q.T0))
	return p
}

// finest is how many times finer than the page something is drawn at most.
const finest = 8

// fineWidth is the width at which a pixel of the drawing is at most one of the
// page wherever a piece is stretched.
func fineWidth(m *compare.Map, q core.Query) int {
	own := ownTime(m, q)
	usual, most := float64(own.T1-own.T0)/float64(q.T1-q.T0), 1.0
	for _, p := range m.Pieces(q.T0, q.T1) {
		stretch := float64(p.Axis1-p.Axis0) / float64(p.Own1-p.Own0)
		most = max(most, stretch*usual)
	}
	return int(math.Ceil(float64(q.Width) * min(most, finest)))
}

func onAxis(m *compare.Map, x float64) float64 {
	t := math.Floor(max(min(x, 1<<62), -1<<62))
	return float64(m.ToAxis(int64(t))) + x - t
}

// warpLayers moves the shapes of fine, and the texts and arrows of the layers
// that were drawn at the width of the page, to the axis. scale is pixels per ns.
func warpLayers(layers, fine []scene.Layer, m *compare.Map, scale float64) (out []scene.Layer) {
	left := slices.Clone(layers)
	for _, l := range fine {
		if l.Unit == scene.Pixels {
			continue
		}
		l.Texts, l.Arrows = nil, nil
		if i := slices.IndexFunc(left, func(c scene.Layer) bool { return c.Name == l.Name && c.Unit == l.Unit }); i >= 0 {
			l.Texts, l.Arrows = left[i].Texts, left[i].Arrows
			left = slices.Delete(left, i, i+1)
		}
		out = append(out, warpLayer(l, m, scale))
	}
	for _, l := range left {
		if l.Unit == scene.Pixels {
			out = append(out, l)
			continue
		}
		if l.Rects, l.Areas, l.Lines = nil, nil, nil; len(l.Texts) > 0 || len(l.Arrows) > 0 {
			out = append(out, warpLayer(l, m, scale))
		}
	}
	return out
}

// warpLayer moves a layer; columns may belong to the view and stay as they are.
func warpLayer(l scene.Layer, m *compare.Map, scale float64) scene.Layer {
	l.Rects, l.Areas, l.Lines = slices.Clone(l.Rects), slices.Clone(l.Areas), slices.Clone(l.Lines)
	for i := range l.Rects {
		l.Rects[i].X0, l.Rects[i].X1 = warped(m, l.Rects[i].X0), warped(m, l.Rects[i].X1)
	}
	for i := range l.Areas {
		a := &l.Areas[i]
		if !a.Step {
			var y [][]float32
			a.X, y = bent(m, a.X, a.Y0, a.Y1)
			a.Y0, a.Y1 = y[0], y[1]
		}
		a.X = warped(m, a.X)
	}
	for i := range l.Lines {
		line := &l.Lines[i]
		if !line.Step {
			var y [][]float32
			line.X, y = bent(m, line.X, line.Y)
			line.Y = y[0]
		}
		line.X = warped(m, line.X)
	}
	l.Arrows = slices.Clone(l.Arrows)
	for i := range l.Arrows {
		l.Arrows[i].X0, l.Arrows[i].X1 = warped(m, l.Arrows[i].X0), warped(m, l.Arrows[i].X1)
	}
	l.Texts = slices.DeleteFunc(WarpTexts(l.Texts, m), func(t scene.Text) bool {
		return t.Room > 0 && scene.TextWidthUpTo(t.S, t.Size, t.Bold, t.Room*scale) > t.Room*scale
	})
	return l
}

func warped(m *compare.Map, x []float64) []float64 {
	if x == nil {
		return nil
	}
	out := make([]float64, len(x))
	for i := range x {
		out[i] = onAxis(m, x[i])
	}
	return out
}

// bent adds the knots of a map to points that straight lines join: there the
// lines bend.
func bent(m *compare.Map, x []float64, ys ...[]float32) ([]float64, [][]float32) {
	if _, same := m.Shift(); same {
		return x, ys
	}
	var outX []float64
	outY := make([][]float32, len(ys))
	for i := range x {
		if i > 0 {
			from, _ := slices.BinarySearchFunc(m.Own, x[i-1], func(own int64, x float64) int { return cmp.Compare(float64(own), x) })
			for ; from < len(m.Own) && float64(m.Own[from]) < x[i]; from++ {
				at := float64(m.Own[from])
				if at <= x[i-1] {
					continue
				}
				f := float32((at - x[i-1]) / (x[i] - x[i-1]))
				outX = append(outX, at)
				for k, y := range ys {
					outY[k] = append(outY[k], y[i-1]+f*(y[i]-y[i-1]))
				}
			}
		}
		outX = append(outX, x[i])
		for k, y := range ys {
			outY[k] = append(outY[k], y[i])
		}
	}
	return outX, outY
}

// WarpTexts moves texts on the axis, each with the room that it has.
func WarpTexts(texts []scene.Text, m *compare.Map) []scene.Text {
	out := slices.Clone(texts)
	for i := range out {
		t := &out[i]
		before, after := 0.0, 0.0 // of the room, beside X
		switch t.Anchor {
		case scene.Start:
			after = t.Room
		case scene.Middle:
			before, after = t.Room/2, t.Room/2
		case scene.End:
			before = t.Room
		}
		x0, x1 := onAxis(m, t.X-before), onAxis(m, t.X+after)
		switch {
		case t.Room <= 0 || t.Anchor == scene.Start:
			t.X = x0
		case t.Anchor == scene.Middle:
			t.X = (x0 + x1) / 2
		default:
			t.X = x1
		}
		if t.Room > 0 {
			t.Room = max(x1-x0, math.SmallestNonzeroFloat64)
		}
	}
	return out
}
