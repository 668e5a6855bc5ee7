package spacetime

import (
	"slices"
	"sort"

	"dagscope/explain/chain"
	"dagscope/explain/numbers/panels"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

// The critical chain on the space-time panel (docs/design/methods.md, Critical
// chain).
//
// At every instant of the makespan the chain is in one place. Where a worker
// executes or waits that is its row: tasks of the chain are framed, all others
// are pale, and waits are bands. Transfers, messages and the
// program have no row: they are lines from the row where the chain was to the one
// where it goes on, in the colours of what they consist of.
//
// What is narrower than a pixel is summed up: the steps inside a column become
// shares of the rows on which they are, the height of each its share of the
// column's time. What is too short to be a line counts on the row that it leads
// to. So in every window time on the rows and on the lines together is that of
// the numbers of panel chain. Arrows that take no time are drawn where the steps
// on both sides of them are wide.

// criticalSet are the steps of the chain on the lanes of a drawing.
type criticalSet struct {
	index  *chain.Index
	parts  []chain.Part
	lane   []int32 // of each part, trace.None where it is on a line
	color  []uint8 // index into colors
	colors []core.ClassMark
	move   []chainMove
	moveOf []int32 // line of a part, trace.None for none
	lost   int     // steps without a row
}

// chainMove is the way of the chain from one row to another.
type chainMove struct {
	first, last int32 // parts; last is before first where it takes no time
	at, end     int64
	from, to    int32 // lanes; from is to where the chain begins
}

// openCritical finds the critical chain, before the lanes: rows that it uses are
// shown whatever is selected.
func (v *spaceTime) openCritical() *core.Options {
	if !v.options.SpaceTime.Chain {
		return v.options
	}
	x := chain.New(v.run, chain.Options{})
	parts := x.Critical().Parts
	if len(parts) == 0 {
		v.remark("no task of the application ran: there is no critical chain")
		return v.options
	}
	v.critical = &criticalSet{index: x, parts: parts}
	o, hidden := *v.options, 0
	o.Also = make([]bool, len(v.run.Resource.Parent))
	for _, p := range parts {
		if r := p.Resource; p.Piece >= 0 && r >= 0 && !o.Also[r] {
			if !v.options.Selects(&v.run.Resource, r) {
				hidden++
			}
			o.Also[r] = true
		}
	}
	if hidden > 0 {
		v.remark(words.PluralThin(hidden, "row that is not selected is shown: the critical chain is there",
			"rows that are not selected are shown: the critical chain is there"))
	}
	return &o
}

// layCritical finds the lane of each step and the moves between lanes.
func (v *spaceTime) layCritical() {
	s := v.critical
	if s == nil {
		return
	}
	n := len(s.parts)
	s.lane, s.color, s.moveOf = make([]int32, n), make([]uint8, n), make([]int32, n)
	s.colors = core.ColorsOfChain(s.parts)
	at := map[core.ClassMark]uint8{}
	for i, c := range s.colors {
		at[c] = uint8(i)
	}
	for i, p := range s.parts {
		s.color[i], s.lane[i], s.moveOf[i] = at[core.ClassMark{Class: p.Class, Mark: p.Mark}], trace.None, trace.None
		if p.Piece >= 0 && p.Resource >= 0 {
			if s.lane[i] = v.gantt.Lanes.Of[p.Resource]; s.lane[i] < 0 {
				s.lost++
			}
		}
	}
	before := trace.None // lane where the chain was last
	for i := 0; i < n; {
		first := i
		for i < n && s.lane[i] < 0 {
			i++
		}
		to := before
		if i < n {
			to = s.lane[i]
		}
		switch {
		case to < 0: // nothing of the chain is on a row
		case before < 0 || before == to: // on one row, or its beginning
			for k := first; k < i; k++ {
				s.lane[k] = to
			}
		default:
			m := chainMove{first: int32(first), last: int32(i) - 1, at: s.parts[i].From, end: s.parts[i].From, from: before, to: to}
			if first < i {
				m.at = s.parts[first].From
			}
			for k := first; k < i; k++ {
				s.moveOf[k] = int32(len(s.move))
			}
			s.move = append(s.move, m)
		}
		if i < n {
			before = to
			i++
		}
	}
}

// Within are the parts that touch a window.
func (s *criticalSet) Within(t0, t1 int64) (lo, hi int) {
	lo = sort.Search(len(s.parts), func(i int) bool { return s.parts[i].To > t0 })
	hi = sort.Search(len(s.parts), func(i int) bool { return s.parts[i].From >= t1 })
	return lo, max(lo, hi)
}

// criticalDrawing draws the chain in a window.
type criticalDrawing struct {
	*criticalSet
	v      *spaceTime
	r      *kit.Rows
	grid   *kit.Grid
	pixel  int64
	fill   scene.Rects // tasks in the usual colour of their kind
	bands  scene.Rects // waits
	frames scene.Rects // of tasks
	shares scene.Rects // what is narrower than a pixel
	lines  map[scene.Color]*scene.Arrows
	heads  map[scene.Color]*scene.Arrows
	order  []scene.Color
	group  chainGroup
}

// chainGroup is narrow time inside one column that is not summed up yet.
type chainGroup struct {
	column   int
	from, to int64
	lane     []int32 // of each share
	color    []uint8
	ns       []int64
}

// bandMargin is the part of a row's height that stays free above and below a
// wait, so that what the worker ran meanwhile is seen.
const bandMargin = 0.16

// leastFramedRow is the height of rows that have room for a frame.
const leastFramedRow = 6

// criticalLayers draws the chain; the note says what has no row.
func (v *spaceTime) criticalLayers(q core.Query, r *kit.Rows) ([]scene.Layer, string) {
	s := v.critical
	if s == nil {
		return nil, ""
	}
	palette := make([]scene.Color, len(s.colors))
	for i, c := range s.colors {
		palette[i] = c.Strong()
	}
	g := kit.NewGrid(q.T0, q.T1, q.Width)
	d := criticalDrawing{criticalSet: s, v: v, r: r, grid: g, pixel: kit.Narrowest(g),
		fill:   scene.Rects{Palette: v.class.Palette, Edges: scene.Crisp},
		bands:  scene.Rects{Palette: palette, Edges: scene.Crisp},
		frames: scene.Rects{Palette: palette, MinWidth: frame},
		shares: scene.Rects{Palette: palette, Edges: scene.Abut},
		lines:  map[scene.Color]*scene.Arrows{}, heads: map[scene.Color]*scene.Arrows{}}
	lo, hi := s.Within(q.T0, q.T1)
	for i := lo; i < hi; i++ {
		d.part(i)
	}
	d.flush()
	first := sort.Search(len(s.move), func(i int) bool { return s.move[i].end >= q.T0 })
	for i := first; i < len(s.move) && s.move[i].at < q.T1; i++ {
		d.drawMove(&s.move[i])
	}
	note := ""
	if s.lost > 0 {
		note = "; " + words.PluralThin(s.lost, "step of the chain has no row", "steps of the chain have no row")
	}
	return []scene.Layer{
		{Name: "chain", Rects: []scene.Rects{d.bands, d.fill, d.frames, d.shares}},
		d.casings(), d.moves(),
	}, note
}

// wide reports whether a move is long enough for a line.
func (d *criticalDrawing) wide(m *chainMove) bool { return m.end-m.at >= d.pixel }

// part draws what of a step is on a row.
func (d *criticalDrawing) part(i int) {
	p := d.parts[i]
	lane := d.lane[i]
	if m := d.moveOf[i]; m >= 0 {
		if d.wide(&d.move[m]) {
			d.flush()
			return // a line
		}
		lane = d.move[m].to
	}
	if lane < 0 {
		return
	}
	from, to := max(p.From, d.grid.T0), min(p.To, d.grid.T1)
	if p.To-p.From < d.pixel {
		d.narrow(lane, d.color[i], from, to)
		return
	}
	d.flush()
	y, h, c := d.r.Y[lane], d.r.H[lane], d.color[i]
	switch {
	case p.Class != chain.Execute && h < leastFramedRow:
		d.bands.Add(float64(from), float64(to), y, h, c)
	case p.Class != chain.Execute:
		d.bands.Add(float64(from), float64(to), y+h*bandMargin, h*(1-2*bandMargin), c)
	case h < leastFramedRow:
		d.frames.Add(float64(from), float64(to), y, h, c)
	default:
		if k := d.v.run.Task.Kind.Index[d.index.TaskOf(p)]; k >= 0 {
			d.fill.Add(float64(from), float64(to), y, h, d.v.class.Of[k])
		}
		d.Frame(p, y, h, c)
	}
}

// Frame is the outline of a task, its lids inside the row.
func (d *criticalDrawing) Frame(p chain.Part, y, h float32, c uint8) {
	lid := min(3, h/4)
	x0, x1 := float64(p.From), float64(p.To)
	d.frames.Add(x0, x1, y, lid, c)
	d.frames.Add(x0, x1, y+h-lid, lid, c)
	if float64(p.To-p.From)/float64(d.pixel) >= leastFramed {
		d.frames.Add(x0, x0, y, h, c)
		d.frames.Add(x1, x1, y, h, c)
	}
}

// narrow counts time in the columns that it touches.
func (d *criticalDrawing) narrow(lane int32, c uint8, from, to int64) {
	for from < to {
		k := d.grid.Column(from)
		end := min(to, d.grid.Edges[k+1])
		g := &d.group
		if len(g.ns) == 0 || g.column != k {
			d.flush()
			g.column, g.from = k, from
		}
		at := -1
		for i := range g.ns {
			if g.lane[i] == lane && g.color[i] == c {
				at = i
			}
		}
		if at < 0 {
			at = len(g.ns)
			g.lane, g.color, g.ns = append(g.lane, lane), append(g.color, c), append(g.ns, 0)
		}
		g.ns[at] += end - from
		g.to, from = end, end
	}
}

// flush draws the shares of a column, of each row from the bottom.
func (d *criticalDrawing) flush() {
	g := &d.group
	for i, ns := range g.ns {
		lane, above := g.lane[i], int64(0)
		for k, other := range g.lane {
			if other == lane && (g.color[k] < g.color[i]) {
				above += g.ns[k]
			}
		}
		scale := float64(d.r.H[lane]) / float64(g.to-g.from)
		h := float64(ns) * scale
		bottom := float64(d.r.Y[lane]+d.r.H[lane]) - float64(above)*scale
		d.shares.Add(float64(g.from), float64(g.to), float32(bottom-h), float32(h), g.color[i])
	}
	g.lane, g.color, g.ns = g.lane[:0], g.color[:0], g.ns[:0]
}

// drawMove draws a line in the colours of what it consists of; what takes less
// than a pixel is an arrow straight up or down, where there is room for it.
func (d *criticalDrawing) drawMove(m *chainMove) {
	y0, y1 := d.r.Y[m.from]+d.r.H[m.from]/2, d.r.Y[m.to]+d.r.H[m.to]/2
	if !d.wide(m) {
		if m.first > 0 && d.parts[m.first-1].To-d.parts[m.first-1].From >= 3*d.pixel && d.parts[m.last+1].To-d.parts[m.last+1].From >= 3*d.pixel {
			color := scene.Ink
			if m.first <= m.last {
				color = d.colors[d.color[d.longest(m)]].Strong()
			}
			d.Line(d.heads, color).Add(m.end, m.end, y0, y1)
		}
		return
	}
	y := func(t int64) float32 { return y0 + (y1-y0)*float32(float64(t-m.at)/float64(m.end-m.at)) }
	for i := m.first; i <= m.last; i++ {
		p, batch := d.parts[i], d.lines
		if i == m.last {
			batch = d.heads
		}
		if p.To > d.grid.T0-d.pixel && p.From < d.grid.T1+d.pixel {
			d.Line(batch, d.colors[d.color[i]].Strong()).Add(p.From, p.To, y(p.From), y(p.To))
		}
	}
}

// longest is the part of a move that took longest.
func (d *criticalDrawing) longest(m *chainMove) int32 {
	best := m.first
	for i := m.first; i <= m.last; i++ {
		if d.parts[i].To-d.parts[i].From > d.parts[best].To-d.parts[best].From {
			best = i
		}
	}
	return best
}

// chainLine is the width of lines.
const chainLine = 2.2

func (d *criticalDrawing) Line(of map[scene.Color]*scene.Arrows, c scene.Color) arrowBatch {
	if !slices.Contains(d.order, c) {
		d.order = append(d.order, c)
	}
	if of[c] == nil {
		of[c] = &scene.Arrows{Color: c, Width: chainLine}
	}
	return arrowBatch{of[c]}
}

// casings are the light below the lines.
func (d *criticalDrawing) casings() scene.Layer {
	l := scene.Layer{Name: "chain casings"}
	for _, a := range d.moves().Arrows {
		a.Color, a.Width, a.Head = scene.White, a.Width+casing, 0
		l.Arrows = append(l.Arrows, a)
	}
	return l
}

// moves are the lines, heads last.
func (d *criticalDrawing) moves() scene.Layer {
	l := scene.Layer{Name: "chain lines"}
	for _, head := range []float32{0, 8} {
		of := d.lines
		if head > 0 {
			of = d.heads
		}
		for _, c := range d.order {
			if a := of[c]; a != nil {
				one := *a
				one.Head = head
				l.Arrows = append(l.Arrows, one)
			}
		}
	}
	return l
}

// criticalLegend has the share of the window's chain that each class takes.
func (v *spaceTime) criticalLegend(q core.Query) (out []scene.LegendEntry) {
	s := v.critical
	if s == nil {
		return nil
	}
	ns, whole := s.times(q.T0, q.T1)
	for i, c := range s.colors {
		if share := float64(ns[i]) / float64(max(1, whole)); share >= 0.00005 { // else it would be 0.00 %
			out = append(out, scene.LegendEntry{Label: "chain: " + c.Label(), Detail: words.PercentFine(share), Color: c.Strong()})
		}
	}
	return out
}

// times are the chain's time in a window by colour, and in all.
func (s *criticalSet) times(t0, t1 int64) (ns []int64, whole int64) {
	ns = make([]int64, len(s.colors))
	lo, hi := s.Within(t0, t1)
	for i := lo; i < hi; i++ {
		took := min(s.parts[i].To, t1) - max(s.parts[i].From, t0)
		ns[s.color[i]] += took
		whole += took
	}
	return ns, whole
}

// pale are colours of tasks that let the chain stand out.
func pale(colors []scene.Color) []scene.Color {
	return panels.Each(colors, func(c scene.Color) scene.Color { return c.Mix(scene.White, core.RecededShare) })
}

// lineReach is how far from a line one may point at it, pixels.
const lineReach = 5

// pickStep finds the step of the chain at a place: of those within reach on the
// row, or on a line that passes there, the one nearest in time, and of several
// the longest.
func (v *spaceTime) pickStep(q core.Query, t int64, y float64, reach int64) (core.Hit, bool) {
	s := v.critical
	if s == nil {
		return core.Hit{}, false
	}
	r := v.gantt.Lanes.Place(q.Height)
	best, away := -1, int64(0)
	lo, hi := s.Within(t-max(reach, 0), t+max(reach, 0)+1)
	for i := lo; i < hi; i++ {
		if !s.drawnAt(i, t, y, r, max(1, reach/3)) {
			continue
		}
		p := s.parts[i]
		far := max(p.From-t, t-p.To+1, 0)
		if best < 0 || far < away || far == away && p.To-p.From > s.parts[best].To-s.parts[best].From {
			best, away = i, far
		}
	}
	if best < 0 {
		return core.Hit{}, false
	}
	p := s.parts[best]
	task := s.taskAt(best)
	if task < 0 {
		return core.Hit{}, false
	}
	h := core.Hit{Table: core.HitTask, Row: task, Label: v.run.Task.Kind.At(int(task)), Start: p.From, End: p.To, Resource: v.run.Task.Worker[task]}
	if l := v.gantt.Lanes.Of[h.Resource]; l >= 0 {
		h.RowName = v.gantt.Lanes.Lanes[l].Name
	}
	from, to := s.around(best)
	h.Step = &core.Step{Label: s.colors[s.color[best]].Label(), From: from, To: to}
	if p.Transfer >= 0 {
		h.Step.Label += " " + v.run.Transfer.Key.At(int(p.Transfer)) + ", " + s.index.Link(p.Transfer)
	}
	return h, true
}

// drawnAt reports whether a step is drawn at a height at, or near, an instant,
// where a pixel is so many ns.
func (s *criticalSet) drawnAt(i int, t int64, y float64, r *kit.Rows, pixel int64) bool {
	lane := s.lane[i]
	if k := s.moveOf[i]; k >= 0 {
		m := &s.move[k]
		at := float64(min(max(t, m.at), m.end)-m.at) / float64(max(1, m.end-m.at))
		y0, y1 := float64(r.Y[m.from]+r.H[m.from]/2), float64(r.Y[m.to]+r.H[m.to]/2)
		if away := y - (y0 + (y1-y0)*at); away > -lineReach && away < lineReach {
			return true
		}
		if m.end-m.at >= pixel {
			return false // a line
		}
		lane = m.to
	}
	return lane >= 0 && r.At(y) == int(lane)
}

// taskAt is the task that executes or waits at a step, or the next that does.
func (s *criticalSet) taskAt(i int) int32 {
	for ; i < len(s.parts); i++ {
		if v := s.index.TaskOf(s.parts[i]); v >= 0 {
			return v
		}
	}
	return trace.None
}

// around is the time from the end of the task before a step on the chain to the
// end of its own.
func (s *criticalSet) around(i int) (from, to int64) {
	task := s.taskAt(i)
	first, last := i, i
	for first > 0 && (s.parts[first-1].Class != chain.Execute || s.index.TaskOf(s.parts[first-1]) == task) {
		first--
	}
	for last+1 < len(s.parts) && (s.parts[last].Class != chain.Execute || s.index.TaskOf(s.parts[last+1]) == task) {
		last++
	}
	return s.parts[first].From, s.parts[last].To
}
