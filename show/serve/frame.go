package serve

import (
	"context"
	"math"
	"net/http"
	"slices"

	"dagscope/explain/compare"
	"dagscope/show/figure"
	"dagscope/show/panel/core"
	"dagscope/show/scene"
	"dagscope/trace"
)

// ready returns the opened panel of a request and how its time maps to the
// axis.
func (q *request) ready(ctx context.Context) (*view, *compare.Map, error) {
	v, err := q.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	m, err := q.align(ctx)
	return v, m, err
}

// frame answers with all of a panel but its body.
func (s *Server) frame(w http.ResponseWriter, r *http.Request) (*answer, error) {
	q, err := s.request(r)
	if err != nil {
		return nil, err
	}
	window := q.window()
	width, height := q.size()
	if q.err != nil {
		return nil, q.err
	}
	if s.tag(w, r, q.run.src.Checksum(), "frame", q.key(), r.URL.RawQuery) {
		return nil, nil
	}
	v, m, err := q.ready(r.Context())
	if err != nil {
		return nil, err
	}
	if v.missing != "" {
		return jsonAnswer(Frame{ID: q.panel.ID, Title: q.panel.Title, Missing: v.missing})
	}
	top, err := q.top(r.Context(), window, width, height)
	if err != nil {
		return nil, err
	}
	mine := own(m, window)
	f, err := worked(r.Context(), s.pool, sure(func() *Frame {
		return q.frameOf(v, m, core.Query{T0: mine.T0, T1: mine.T1, Width: width, Height: height, Top: top, Steady: true, Beside: true})
	}))
	if err != nil {
		return nil, err
	}
	return jsonAnswer(f)
}

// top is the value at the upper edge of a panel: that of the options, else a
// round number not below the greatest value that any run has in the window;
// runs that are shown above each other have the same scale. It is 0 for panels
// without values.
func (q *request) top(ctx context.Context, window Window, width int, height float64) (float64, error) {
	peak, scaled := 0.0, false
	for _, r := range q.beside() {
		other := *q
		if other.run = r; r == q.ref {
			other.mode, other.ref = "", nil
		}
		v, m, err := other.ready(ctx)
		if ctx.Err() != nil || r == q.run && err != nil {
			return 0, err
		}
		if err != nil || v.missing != "" {
			continue
		}
		s, ok := v.View.(core.Scaled)
		if !ok {
			return 0, nil
		}
		if given := topOf(v.spec, q.panel.ID); given > 0 {
			return given, nil
		}
		scaled = true
		mine := own(m, window)
		own, err := worked(ctx, q.server.pool, sure(func() float64 {
			return s.Peak(core.Query{T0: mine.T0, T1: mine.T1, Width: width, Height: height})
		}))
		if err != nil {
			return 0, err
		}
		peak = max(peak, own)
	}
	if !scaled {
		return 0, nil
	}
	return roundedUp(peak), nil
}

// beside are the runs that are shown: those of the parameter runs, or all.
func (q *request) beside() []*run {
	var out []*run
	for _, id := range q.list("runs") {
		if r, err := q.server.find(id); err == nil && r != q.run && !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	if out == nil && q.text("runs") == "" {
		return q.server.runs
	}
	return append(out, q.run)
}

// topOf is the value at the upper edge that the options ask for.
func topOf(s *figure.Spec, id string) float64 {
	o := &s.Options.PanelOptions
	curve := map[string]*core.Curve{"ready": &o.Ready, "submitted": &o.Submitted, "gflops": &o.GFlops,
		"usedmemory": &o.UsedMemory, "bandwidth": &o.Bandwidth, "mpibandwidth": &o.MPIBandwidth, "mpiconcurrent": &o.MPIConcurrent}[id]
	if curve == nil {
		return 0
	}
	return curve.Top
}

// frameOf draws the frame.
func (q *request) frameOf(v *view, m *compare.Map, what core.Query) *Frame {
	p := v.Draw(what)
	paint := q.themed(v)
	f := &Frame{ID: q.panel.ID, Title: p.Title, Facts: p.Facts, YLabel: p.YLabel, Height: p.Height, Missing: p.Missing,
		Top: what.Top, Note: p.Note}
	if f.Title == "" {
		f.Title = q.panel.Title
	}
	f.Left, f.Right = marginOf(p.Left, paint), marginOf(p.Right, paint)
	f.LeftWidth = math.Ceil(-scene.Extent(p.Left).X0)
	f.RightWidth = math.Ceil(scene.Extent(p.Right).X1)
	for _, mark := range p.Marks {
		f.Marks = append(f.Marks, markOf(mark, m, paint))
	}
	for _, e := range p.Legend {
		f.Legend = append(f.Legend, legendOf(e, paint))
	}
	if p.X != nil {
		f.Axis = axisOf(p.X)
	}
	if rowed, ok := v.View.(core.Rowed); ok {
		for _, row := range rowed.Rows(p.Height) {
			f.Rows = append(f.Rows, rowOf(row, &v.run.Resource))
		}
	}
	return f
}

func marginOf(layers []scene.Layer, paint *paint) Margin {
	var m Margin
	for i := range layers {
		l := &layers[i]
		for j := range l.Texts {
			t := &l.Texts[j]
			m.Texts = append(m.Texts, MarginText{X: t.X, Y: t.Y, S: validText(t.S), Size: t.Size, Color: css(paint.text(t.Color, t.On)),
				Bold: t.Bold, Anchor: anchorNames[t.Anchor], Rotate: t.Rotate})
		}
		for _, line := range l.Lines {
			m.Lines = append(m.Lines, MarginLine{line.X, line.Y, css(paint.of(line.Color)), line.Width})
		}
		for _, r := range l.Rects {
			for k := range r.X0 {
				m.Rects = append(m.Rects, MarginRect{r.X0[k], r.X1[k], r.Y[k], r.H[k], css(paint.of(r.Palette[r.Color[k]]))})
			}
		}
	}
	return m
}

func markOf(mark scene.Mark, m *compare.Map, paint *paint) MarkInfo {
	t := mark.X
	if m != nil {
		t = float64(m.ToAxis(int64(math.Round(t))))
	}
	return MarkInfo{t, mark.Label, css(paint.of(mark.Color)), mark.Dash}
}

func legendOf(e scene.LegendEntry, paint *paint) Legend {
	swatch := "box"
	if e.Swatch == scene.Stroke {
		swatch = "stroke"
	}
	return Legend{Label: e.Label, Detail: e.Detail, Color: css(paint.of(e.Color)), Hatch: css(paint.of(e.Hatch)),
		Swatch: swatch, Dash: e.Dash, Kind: e.Kind}
}

func axisOf(x *scene.Axis) *AxisInfo {
	a := &AxisInfo{Min: x.Min, Max: x.Max, Label: x.Label}
	for _, t := range x.Ticks {
		a.Ticks = append(a.Ticks, TickInfo(t))
	}
	return a
}

func rowOf(r core.Row, re *trace.Resources) RowInfo {
	out := RowInfo{Name: r.Name, Label: r.Label, Group: r.Group, Block: r.Block, Arch: r.Arch, Node: r.Node, Y: r.Y, H: r.H,
		Tracks: r.Tracks, Collapsed: r.Collapsed}
	for _, resource := range r.Resources {
		out.Workers = append(out.Workers, re.Name.At(int(resource)))
	}
	return out
}
