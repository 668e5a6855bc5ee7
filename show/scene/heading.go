package scene

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// head writes what the panels of a row share: their name and their legend.
func (c *composer) head(h *Head) {
	if h.Title == "" && len(h.Legend) == 0 {
		return
	}
	at := cell{left: c.cells[0].left, edge: c.page.W - pagePad}
	f := c.flow(&at)
	f.title(h.Title)
	f.legend(h.Legend)
	c.y += rowHeight + 1
}

// heading writes the panel's title, its facts and its legend, which flow
// behind the title and wrap at the edge of the column, and the note.
func (c *composer) heading(p *Panel, at *cell) {
	if p.Title != "" || len(p.Legend) > 0 || len(p.Facts) > 0 {
		f := c.flow(at)
		f.title(p.Title)
		for _, fact := range p.Facts {
			f.fact(fact)
		}
		f.legend(p.Legend)
		c.y += rowHeight
	}
	if p.Note != "" {
		for _, line := range wrap(p.Note, smallSize, false, at.edge-at.left) {
			c.text(Text{X: at.left, Y: float32(c.y + rowHeight/2 - 2), S: line, Size: smallSize, Color: Soft})
			c.y += rowHeight - 4
		}
		c.y += 2
	}
	c.y += 3
}

// flow is a line of things that follow each other and wrap.
type flow struct {
	*composer
	at *cell
	x  float64
}

func (c *composer) flow(at *cell) *flow { return &flow{c, at, at.left} }

func (f *flow) mid() float32 { return float32(f.y + rowHeight/2 - 1) }

// room starts a new line if something so wide has no room on this one.
func (f *flow) room(w float64) {
	if f.x > f.at.left && f.x+w > f.at.edge {
		f.x = f.at.left
		f.y += rowHeight
	}
}

func (f *flow) title(s string) {
	if s == "" {
		return
	}
	for i, line := range wrap(s, titleSize, true, f.at.edge-f.at.left) {
		if i > 0 {
			f.y += rowHeight
		}
		f.text(Text{X: f.at.left, Y: f.mid(), S: line, Size: titleSize, Color: Ink, Bold: true})
		f.x = f.at.left + TextWidth(line, titleSize, true) + 18
	}
}

func (f *flow) fact(s string) {
	s = Ellipsis(s, labelSize, false, f.at.edge-f.at.left)
	w := TextWidth(s, labelSize, false)
	f.room(w)
	f.text(Text{X: f.x, Y: f.mid(), S: s, Size: labelSize, Color: Soft})
	f.x += w + 14
}

func (f *flow) legend(entries []LegendEntry) {
	for i := range entries {
		e := &entries[i]
		w := min(entryWidth(e), f.at.edge-f.at.left)
		f.room(w)
		f.entry(e, f.x, f.mid(), f.at.edge-f.x)
		f.x += w + 14
	}
}

const (
	swatchSize  = 11
	swatchGap   = 5
	strokeWidth = 18
)

func (e *LegendEntry) swatchWidth() float64 {
	if e.Swatch == Stroke {
		return strokeWidth
	}
	return swatchSize
}

func entryWidth(e *LegendEntry) float64 {
	w := e.swatchWidth() + swatchGap + TextWidth(e.Label, labelSize, false)
	if e.Detail != "" {
		w += swatchGap + TextWidth(e.Detail, smallSize, false)
	}
	return w
}

// entry draws one legend entry at x, around the height mid. An entry that is
// wider than the page is shortened.
func (c *composer) entry(e *LegendEntry, x float64, mid float32, room float64) {
	c.swatch(e, x, float64(mid))
	x += e.swatchWidth() + swatchGap
	room -= e.swatchWidth() + swatchGap
	label := Ellipsis(e.Label, labelSize, false, room)
	c.text(Text{X: x, Y: mid, S: label, Size: labelSize, Color: Ink})
	if label == e.Label && e.Detail != "" {
		w := TextWidth(label, labelSize, false) + swatchGap
		c.text(Text{X: x + w, Y: mid, S: Ellipsis(e.Detail, smallSize, false, room-w), Size: smallSize, Color: Soft})
	}
}

func (c *composer) swatch(e *LegendEntry, x, mid float64) {
	if e.Swatch == Stroke {
		y := math.Floor(mid) + 0.5
		c.page.Ops = append(c.page.Ops, Op{Path: &Path{Points: []Point{{x, y}, {x + strokeWidth, y}},
			Stroke: e.Color, Width: 2, Dash: dashes(e.Dash)}})
		return
	}
	r := Rectangle{x, mid - swatchSize/2, x + swatchSize, mid + swatchSize/2}
	boxes := &Boxes{Palette: []Color{e.Color}}
	boxes.add(r, 0)
	c.page.Ops = append(c.page.Ops, Op{Boxes: boxes})
	if e.Hatch != None {
		lines := &Path{Stroke: e.Hatch, Width: 0.8}
		hatch(lines, r)
		c.page.Ops = append(c.page.Ops, Op{Path: lines})
	}
}

const (
	flagHeight = 13
	mostFlags  = 6 // levels of labels; marks beyond keep their line only
)

// flags writes the labels of the marks above the body, right of their lines,
// or left of them near the right edge. Labels that would meet go on different
// levels; each has a leader down to the body. Where a leader must pass a label,
// it passes behind it: the label stands on a piece of paper.
func (c *composer) flags(p *Panel, at *cell, body *placer) {
	labels, level, leaders := placeFlags(p.Marks, body, at.right)
	for i := range labels {
		l := &labels[i]
		row := c.y - 2 - float64(level[i]+1)*flagHeight
		l.Y = float32(row + flagHeight/2)
		m := leaders[i]
		x := math.Floor(body.x(m.X, OnAxis)) + 0.5
		top := row + 2
		if b := label(l, l.X, 0).Bounds(); b.X0 < x && x < b.X1 { // it stands across the line
			top = row + flagHeight
		}
		c.page.Ops = append(c.page.Ops, Op{Path: &Path{Points: []Point{{x, top}, {x, c.y}},
			Stroke: m.Color, Width: 1, Dash: dashes(m.Dash)}})
	}
	for i := range labels {
		if c.passed(&labels[i], level[i], labels, level, leaders, body) {
			c.paper(&labels[i])
		}
		c.text(labels[i])
	}
}

// passed reports whether the leader of a label further up passes this one.
func (c *composer) passed(l *Text, at int, labels []Text, level []int, leaders []Mark, body *placer) bool {
	b := label(l, l.X, 0).Bounds()
	for i := range labels {
		x := math.Floor(body.x(leaders[i].X, OnAxis)) + 0.5
		if level[i] > at && b.X0-1 < x && x < b.X1+1 {
			return true
		}
	}
	return false
}

// paper covers what is behind a label.
func (c *composer) paper(t *Text) {
	b := label(t, t.X, 0).Bounds()
	boxes := &Boxes{Palette: []Color{White}}
	boxes.add(Rectangle{b.X0 - 1, float64(t.Y) - flagHeight/2, b.X1 + 1, float64(t.Y) + flagHeight/2}, 0)
	c.page.Ops = append(c.page.Ops, Op{Boxes: boxes})
}

// flagsHeight is the room that the labels of the marks take above the body,
// and those of the margins that stand above it.
func (c *composer) flagsHeight(p *Panel, at *cell) float64 {
	if p.Missing != "" {
		return 0
	}
	height := math.Ceil(max(-extent(p.Right).Y0, -extent(p.Left).Y0) - 3)
	if _, level, _ := placeFlags(p.Marks, at.body(p.axis(c.fig, at.width()), 0), at.right); len(level) > 0 {
		height = max(height, float64(slices.Max(level)+1)*flagHeight+2)
	}
	return max(height, 0)
}

// placeFlags gives each labelled mark inside the window its text (without a
// height) and a level, 0 nearest to the body. A label whose text stands over
// another mark's line must be above that mark's label, or the leader of that
// would cross it: so labels are placed in an order in which those below come
// first, each on the lowest level where it has room.
func placeFlags(marks []Mark, body *placer, right float64) (labels []Text, level []int, of []Mark) {
	var waiting []placed
	for _, m := range marks {
		x := body.x(m.X, OnAxis)
		if m.Label == "" || x < body.x0-0.5 || x > right+0.5 {
			continue
		}
		t, span := flag(m, x, body.x0, right)
		waiting = append(waiting, placed{m, x, t, span})
	}
	slices.SortStableFunc(waiting, func(a, b placed) int { return cmp.Compare(b.x, a.x) })
	for i := range waiting {
		waiting[i].turn(waiting[:i], body.x0)
	}
	var flags flagRows
	for len(waiting) > 0 {
		next := slices.IndexFunc(waiting, func(p placed) bool { return !p.overSome(waiting) })
		p := waiting[max(next, 0)] // each over another: one leader must cross
		waiting = slices.Delete(waiting, max(next, 0), max(next, 0)+1)
		if len(flags) == mostFlags && flags.full(p.span) {
			continue
		}
		labels, level, of = append(labels, p.text), append(level, flags.fit(p.span, p.x)), append(of, p.mark)
	}
	return labels, level, of
}

// placed is a mark with the text of its label and the room that it takes.
type placed struct {
	mark Mark
	x    float64
	text Text
	span Rectangle
}

// overSome reports whether the text stands over the line of another mark.
func (p *placed) overSome(others []placed) bool {
	return slices.ContainsFunc(others, func(o placed) bool { return p.over(&o) })
}

// over reports whether the text stands over the line of another mark.
func (p *placed) over(o *placed) bool {
	b := label(&p.text, p.text.X, 0).Bounds()
	return o.x != p.x && b.X0-1 < o.x && o.x < b.X1+1
}

// turn puts a text behind its line before it, if there is room, where it and
// the text of a mark further right would stand over each other's lines.
func (p *placed) turn(further []placed, left float64) {
	w := p.text.X - p.x + TextWidth(p.text.S, p.text.Size, false)
	if p.text.Anchor != Start || p.x-w < left {
		return
	}
	for i := range further {
		if p.over(&further[i]) && further[i].over(p) {
			p.text.X, p.text.Anchor = p.x-(p.text.X-p.x), End
			p.span = Rectangle{X0: p.x - w - 6, X1: p.x + 1}
			return
		}
	}
}

// flagRows are the spans taken on each level, of labels and leaders; only
// their X0 and X1 count.
type flagRows [][]Rectangle

// full reports whether no level has room for span.
func (f flagRows) full(span Rectangle) bool {
	return !slices.ContainsFunc(f, func(row []Rectangle) bool { return !meets(row, span) })
}

// fit takes the lowest level on which span is free, for a mark at x.
func (f *flagRows) fit(span Rectangle, x float64) int {
	n := slices.IndexFunc(*f, func(row []Rectangle) bool { return !meets(row, span) })
	if n < 0 {
		n = len(*f)
		*f = append(*f, nil)
	}
	(*f)[n] = append((*f)[n], span)
	for k := range n {
		(*f)[k] = append((*f)[k], Rectangle{X0: x - 2, X1: x + 2})
	}
	return n
}

// flag is the label of a mark at x in a body from left to right: behind the
// line, before it where there is no room, and where there is none either
// across it.
func flag(m Mark, x, left, right float64) (Text, Rectangle) {
	const away = 4
	s := Ellipsis(m.Label, smallSize, false, right-left)
	w := TextWidth(s, smallSize, false)
	t := Text{X: x + away, S: s, Size: smallSize, Color: m.Color.Mix(Ink, 0.35)}
	switch {
	case x+away+w <= right:
		return t, Rectangle{X0: x - 1, X1: x + w + 10}
	case x-away-w >= left:
		t.X, t.Anchor = x-away, End
		return t, Rectangle{X0: x - w - 10, X1: x + 1}
	}
	t.X, t.Anchor = right, End
	return t, Rectangle{X0: right - w - 6, X1: right + 6}
}

func meets(row []Rectangle, span Rectangle) bool {
	return slices.ContainsFunc(row, func(r Rectangle) bool { return r.X0 < span.X1 && span.X0 < r.X1 })
}

func (c *composer) markLines(p *Panel, body *placer) {
	for _, m := range p.Marks {
		x := math.Floor(body.x(m.X, OnAxis)) + 0.5
		body.emit(Op{Path: &Path{Points: []Point{{x, body.clip.Y0}, {x, body.clip.Y1}},
			Stroke: m.Color, Width: 1.2, Dash: dashes(m.Dash)}})
	}
}

const reasonPitch = labelSize + 4

// reason is why a panel has nothing to show, in lines.
func (c *composer) reason(p *Panel, at *cell) []string {
	return wrap(p.Missing, labelSize, false, at.width()-20)
}

// missing draws the frame of a panel that has nothing to show, with the reason.
func (c *composer) missing(p *Panel, at *cell, height float64) {
	lines := c.reason(p, at)
	c.frame(Rectangle{at.left, c.y, at.right, c.y + height})
	first := c.y + (height-float64(len(lines))*reasonPitch)/2
	for i, s := range lines {
		c.text(Text{X: (at.left + at.right) / 2, Y: float32(first + reasonPitch*(float64(i)+0.5)), S: s,
			Size: labelSize, Color: Soft, Anchor: Middle})
	}
	c.y += height
}

// wrap breaks a text into lines no wider than width, a longer word cut short.
func wrap(s string, size float32, bold bool, width float64) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && TextWidth(longer, size, bold) > width {
			lines = append(lines, line)
			longer = word
		}
		line = Ellipsis(longer, size, bold, width)
	}
	return append(lines, line)
}
