package spacetime

import (
	"math"
	"slices"

	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

// linkDrawing draws the links of one window.
type linkDrawing struct {
	*linkSet
	v      *spaceTime
	q      core.Query
	r      *kit.Rows
	lines  map[scene.Color]*scene.Arrows // parts of edges on and between rows
	mails  map[scene.Color]*scene.Arrows // messages
	colors []scene.Color                 // of lines, in the order of drawing
	on     map[int32]scene.Color         // tasks at the ends of what is drawn
	order  []int32                       // those tasks
	drawn  int
	left   int // edges without room in the budget
	hidden int // edges from or to rows that are not shown
}

// linkLayers draws edges, the tasks at their ends and the names of the chosen
// ones; the note says what is left out.
func (v *spaceTime) linkLayers(q core.Query, r *kit.Rows, names *labelPlacer) ([]scene.Layer, string) {
	if v.links == nil {
		return nil, ""
	}
	d := &linkDrawing{linkSet: v.links, v: v, q: q, r: r,
		lines: map[scene.Color]*scene.Arrows{}, mails: map[scene.Color]*scene.Arrows{}, on: map[int32]scene.Color{}}
	budget := v.options.SpaceTime.Links.MostEdges()
	for i := range d.node {
		d.edge(i, budget)
	}
	chosen := d.chosen(budget)
	layers := []scene.Layer{d.casings(), d.highlights(), d.Edges()}
	labels, unnamed := d.Labels(chosen, names)
	layers = append(layers, labels)
	return layers, d.note(unnamed, len(d.seeds)-len(chosen))
}

// lane is where a task is drawn, None if it is not.
func (d *linkDrawing) lane(task int32) int32 { return d.v.laneOfTask(task) }

// Middle is the height of the middle of a task's row.
func (d *linkDrawing) Middle(task int32) (y float32, ok bool) {
	l := d.lane(task)
	if l < 0 {
		return 0, false
	}
	return d.r.Y[l] + d.r.H[l]/2, true
}

// ends are the tasks at the ends of an edge: those themselves, or for a message
// the task that sent it and the one it was for.
func (s *linkSet) ends(i int) (from, to int32) {
	from, to = s.before[i], s.node[i]
	if _, message := s.last.Transfer(from); message {
		from = s.last.Of[from]
	}
	if _, message := s.last.Transfer(to); message {
		to = from // the part before the message stays on the sender's row
	}
	return from, to
}

// rowsOf are the tasks between whose rows an edge is drawn.
func (s *linkSet) rowsOf(i int) (from, to int32) {
	if from, to = s.ends(i); from == trace.None {
		from = to // the sender is not known: the message comes from its own row
	}
	return from, to
}

// time is from when to when an edge reaches; ok is false where that is not known.
func (s *linkSet) time(i int) (t0, t1 int64, ok bool) {
	t0, t1 = s.last.End(s.before[i]), s.last.Start(s.node[i])
	if _, message := s.last.Transfer(s.before[i]); message {
		t0 = s.last.Start(s.before[i])
	}
	return t0, t1, t0 != trace.NoTime && t1 != trace.NoTime
}

// edge draws one edge if it lies in the window and the budget allows.
func (d *linkDrawing) edge(i, budget int) {
	t0, t1, known := d.time(i)
	if !known || max(t0, t1) < d.q.T0 || min(t0, t1) >= d.q.T1 {
		return
	}
	x, message := d.last.Transfer(d.before[i])
	from, to := d.rowsOf(i)
	y0, shown0 := d.Middle(from)
	y1, shown1 := d.Middle(to)
	switch {
	case !shown0 || !shown1:
		d.hidden++
		return
	case d.drawn >= budget:
		d.left++
		return
	}
	d.drawn++
	c := chainColor(d.chain[i])
	d.touch(from, c)
	d.touch(to, c)
	if !message {
		d.Line(c, t0, t1, y0, y1)
		return
	}
	arrived := d.v.run.Transfer.End[x]
	d.batch(d.mails, c, 1.1).Add(t0, arrived, y0, y1)
	d.Line(c, arrived, t1, y1, y1)
}

func (d *linkDrawing) Line(c scene.Color, t0, t1 int64, y0, y1 float32) {
	d.batch(d.lines, c, 1.4).Add(t0, t1, y0, y1)
}

type arrowBatch struct{ *scene.Arrows }

func (b arrowBatch) Add(t0, t1 int64, y0, y1 float32) {
	b.X0, b.X1 = append(b.X0, float64(t0)), append(b.X1, float64(t1))
	b.Y0, b.Y1 = append(b.Y0, y0), append(b.Y1, y1)
}

// batch is the arrows of one colour.
func (d *linkDrawing) batch(of map[scene.Color]*scene.Arrows, c scene.Color, width float32) arrowBatch {
	if d.lines[c] == nil && d.mails[c] == nil {
		d.colors = append(d.colors, c)
	}
	if of[c] == nil {
		of[c] = &scene.Arrows{Color: c, Width: width}
	}
	return arrowBatch{of[c]}
}

// touch notes a task at the end of an edge; the first colour stays.
func (d *linkDrawing) touch(task int32, c scene.Color) {
	if _, on := d.on[task]; !on {
		d.on[task] = c
		d.order = append(d.order, task)
	}
}

// casing is how much wider than a line the light below it is.
const casing = 1.8

// casings are the light below all lines, so that they stand out from tasks but
// not from the frames of the chosen ones.
func (d *linkDrawing) casings() scene.Layer {
	l := scene.Layer{Name: "casings"}
	for _, c := range d.colors {
		for _, a := range []*scene.Arrows{d.lines[c], d.mails[c]} {
			if a != nil {
				below := *a
				below.Color, below.Width = scene.White, a.Width+casing
				l.Arrows = append(l.Arrows, below)
			}
		}
	}
	return l
}

// Edges are the lines and the messages with their heads; the first links come
// last, on top.
func (d *linkDrawing) Edges() scene.Layer {
	l := scene.Layer{Name: "dependencies"}
	for n := range d.colors {
		c := d.colors[len(d.colors)-1-n]
		if a := d.lines[c]; a != nil {
			l.Arrows = append(l.Arrows, *a)
		}
		if a := d.mails[c]; a != nil {
			a.Head = 6
			l.Arrows = append(l.Arrows, *a)
		}
	}
	return l
}

// chosen are the seeds to highlight in this window.
func (d *linkDrawing) chosen(budget int) []int32 {
	var rows []int32
	t := &d.v.run.Task
	for i, row := range d.seeds {
		if len(rows) >= budget && i >= d.named {
			break
		}
		if d.lane(row) >= 0 && t.End[row] >= d.q.T0 && t.Start[row] < d.q.T1 {
			rows = append(rows, row)
			d.touch(row, scene.Ink)
		}
	}
	return rows
}

// frame is the width of the frame around a task, pixels; leastFramed is how wide
// a task is whose frame has sides: narrower ones would be nothing but frame.
const (
	frame       = 1.3
	leastFramed = 5 * frame
)

// highlights draws the tasks in full colour in a frame of their chain's.
func (d *linkDrawing) highlights() scene.Layer {
	class := d.v.class
	fill := scene.Rects{Palette: class.Full, MinWidth: 2}
	palette, index := []scene.Color{}, map[scene.Color]uint8{}
	sides := scene.Rects{MinWidth: frame}
	lids := scene.Rects{MinWidth: 2}
	t := &d.v.run.Task
	scale := float64(d.q.Width) / float64(d.q.T1-d.q.T0)
	for _, task := range d.order {
		c := d.on[task]
		at, known := index[c]
		if !known {
			at = uint8(len(palette))
			index[c], palette = at, append(palette, c)
		}
		l := d.lane(task)
		x0, x1, y, h := float64(t.Start[task]), float64(t.End[task]), d.r.Y[l], d.r.H[l]
		if k := t.Kind.Index[task]; k >= 0 {
			fill.Add(x0, x1, y, h, class.Of[k])
		}
		lid := min(frame, h/2)
		lids.Add(x0, x1, y, lid, at)
		lids.Add(x0, x1, y+h-lid, lid, at)
		if (x1-x0)*scale >= leastFramed {
			sides.Add(x0, x0, y, h, at)
			sides.Add(x1, x1, y, h, at)
		}
	}
	sides.Palette, lids.Palette = palette, palette
	return scene.Layer{Name: "chosen", Rects: []scene.Rects{fill, lids, sides}}
}

// Labels names the chosen tasks that were named, and says how many have no room.
func (d *linkDrawing) Labels(chosen []int32, p *labelPlacer) (scene.Layer, int) {
	t := &d.v.run.Task
	for _, row := range chosen {
		p.avoid(d.box(row))
	}
	l := scene.Layer{Name: "names"}
	unnamed := 0
	for _, row := range chosen {
		if !slices.Contains(d.seeds[:d.named], row) {
			break
		}
		text := t.Key.At(int(row))
		if kind := t.Kind.At(int(row)); kind != "" {
			text = kind + " " + text
		}
		if !p.Place(&l, text, d.box(row)) {
			unnamed++
		}
	}
	return l, unnamed
}

// box is where a task is drawn, in pixels of the body.
func (d *linkDrawing) box(task int32) scene.Rectangle {
	t, l := &d.v.run.Task, d.lane(task)
	scale := float64(d.q.Width) / float64(d.q.T1-d.q.T0)
	x := func(ns int64) float64 {
		return math.Max(0, math.Min(float64(d.q.Width), float64(ns-d.q.T0)*scale))
	}
	return scene.Rectangle{X0: x(t.Start[task]), X1: x(t.End[task]), Y0: float64(d.r.Y[l]), Y1: float64(d.r.Y[l] + d.r.H[l])}
}

// note says what is not drawn.
func (d *linkDrawing) note(unnamed, away int) string {
	note := ""
	if d.last != nil {
		note = "; " + words.PluralThin(d.drawn, "dependency", "dependencies") + " drawn"
		if d.left > 0 {
			note += ", " + words.CountThin(d.left) + " more left out"
		}
		if d.hidden > 0 {
			note += ", " + words.CountThin(d.hidden) + " from or to rows that are not shown"
		}
	}
	if away > 0 {
		note += "; " + words.CountThin(away) + " of " + words.PluralThin(len(d.seeds), "chosen task", "chosen tasks") + " not shown here"
	}
	if unnamed > 0 {
		note += "; no room for " + words.PluralThin(unnamed, "name", "names")
	}
	return note
}
