package scene

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// heading writes the panel's title and its legend, which flows behind the
// title and wraps at the right edge of the page, and the note.
func (c *composer) heading(p *Panel) {
	x, edge := c.left, c.page.W-pagePad
	mid := float32(c.y + rowHeight/2 - 1)
	if p.Title != "" {
		title := Ellipsis(p.Title, titleSize, true, edge-x)
		c.text(Text{X: x, Y: mid, S: title, Size: titleSize, Color: Ink, Bold: true})
		x += TextWidth(title, titleSize, true) + 18
	}
	for i := range p.Legend {
		e := &p.Legend[i]
		w := min(entryWidth(e), edge-c.left)
		if x > c.left && x+w > edge {
			x = c.left
			c.y += rowHeight
			mid += rowHeight
		}
		c.entry(e, x, mid, edge-x)
		x += w + 14
	}
	if p.Title != "" || len(p.Legend) > 0 {
		c.y += rowHeight
	}
	if p.Note != "" {
		note := Ellipsis(p.Note, smallSize, false, edge-c.left)
		c.text(Text{X: c.left, Y: float32(c.y + rowHeight/2 - 2), S: note, Size: smallSize, Color: Soft})
		c.y += rowHeight - 2
	}
	c.y += 3
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

const flagHeight = 13

// flags writes the labels of the marks above the body, right of their lines,
// or left of them near the right edge. Labels that would meet go on different
// levels; each has a leader down to the body.
func (c *composer) flags(p *Panel, body *placer) {
	labels, level, leaders := placeFlags(p.Marks, body, c.right)
	if len(labels) == 0 {
		return
	}
	rows := slices.Max(level) + 1
	height := float64(rows)*flagHeight + 2
	for i, l := range labels {
		row := c.y + float64(rows-1-level[i])*flagHeight
		l.Y = float32(row + flagHeight/2)
		c.text(l)
		m := leaders[i]
		x := math.Floor(body.x(m.X, OnAxis)) + 0.5
		c.page.Ops = append(c.page.Ops, Op{Path: &Path{Points: []Point{{x, row + 2}, {x, c.y + height}},
			Stroke: m.Color, Width: 1, Dash: dashes(m.Dash)}})
	}
	c.y += height
}

// placeFlags gives each labelled mark inside the window its text (without a
// height) and a level, 0 nearest to the body. Labels right of their line are
// placed from right to left, the others from left to right: first fit then
// never leads a leader through the label of an earlier one.
func placeFlags(marks []Mark, body *placer, right float64) (labels []Text, level []int, of []Mark) {
	var flags flagRows
	place := func(anchor Anchor, marks []Mark) {
		for _, m := range marks {
			x := body.x(m.X, OnAxis)
			if m.Label == "" || x < body.x0-0.5 || x > right+0.5 {
				continue
			}
			if t, span := flag(m, x, right); t.Anchor == anchor {
				labels, level, of = append(labels, t), append(level, flags.fit(span, x)), append(of, m)
			}
		}
	}
	marks = slices.Clone(marks)
	slices.SortStableFunc(marks, func(a, b Mark) int { return cmp.Compare(a.X, b.X) })
	place(End, marks)
	slices.Reverse(marks)
	place(Start, marks)
	return labels, level, of
}

// flagRows are the spans taken on each level, of labels and leaders; only
// their X0 and X1 count.
type flagRows [][]Rectangle

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

func flag(m Mark, x, right float64) (Text, Rectangle) {
	w := TextWidth(m.Label, smallSize, false)
	t := Text{X: x + 4, S: m.Label, Size: smallSize, Color: m.Color.Mix(Ink, 0.35)}
	span := Rectangle{X0: x - 1, X1: x + w + 10}
	if x+4+w > right {
		t.X, t.Anchor = x-4, End
		span = Rectangle{X0: x - w - 10, X1: x + 1}
	}
	return t, span
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

// missing draws the frame of a panel that has nothing to show, with the reason.
func (c *composer) missing(p *Panel) {
	c.heading(&Panel{Title: p.Title})
	lines := wrap(p.Missing, labelSize, c.right-c.left-20)
	const pitch = labelSize + 4
	height := float64(len(lines))*pitch + 14
	r := Rectangle{c.left, c.y, c.right, c.y + height}
	c.frame(r)
	for i, s := range lines {
		c.text(Text{X: (c.left + c.right) / 2, Y: float32(c.y + 7 + pitch*(float64(i)+0.5)), S: s,
			Size: labelSize, Color: Soft, Anchor: Middle})
	}
	c.y += height
}

// wrap breaks a text into lines no wider than width, a longer word cut short.
func wrap(s string, size float32, width float64) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && TextWidth(longer, size, false) > width {
			lines = append(lines, line)
			longer = word
		}
		line = Ellipsis(longer, size, false, width)
	}
	return append(lines, line)
}
