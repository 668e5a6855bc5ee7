package scene

import (
	"fmt"
	"math"

	"dagscope/internal/words"
)

// Sizes of a page, pixels.
const (
	pagePad    = 10 // around everything
	panelGap   = 14 // between panels
	columnGap  = 10 // between columns
	bodyGap    = 6  // between a body and what has no labels beside it
	labelSize  = 11
	smallSize  = 10
	titleSize  = 12
	figureSize = 15
	rowHeight  = 17 // of titles and legends
	yLabelRoom = 18
	leastBody  = 80 // width below which a page cannot be composed
)

// columns is how many panels stand side by side.
func (f *Figure) columns() int { return max(1, f.Columns) }

// layoutWidth is the width of the page in the pixels of the layout.
func (f *Figure) layoutWidth() float64 {
	if f.Zoom > 0 {
		return math.Floor(f.Width / f.Zoom)
	}
	return math.Floor(f.Width)
}

// gutters are the widths left and right of the bodies of a column: what the
// labels of its panels need, rounded up to whole pixels so that bodies start
// on one.
func (f *Figure) gutters(column int) (left, right float64) {
	pad := func(outer bool) float64 {
		if outer {
			return pagePad
		}
		return columnGap / 2
	}
	first, last := pad(column == 0), pad(column == f.columns()-1)
	right = last + labelSize // half a tick label at the edge
	for i := column; i < len(f.Panels); i += f.columns() {
		p := &f.Panels[i]
		l := -extent(p.Left).X0
		if p.YLabel != "" {
			l += yLabelRoom
		}
		left = max(left, l+first)
		right = max(right, extent(p.Right).X1+last)
	}
	return math.Ceil(left + 1), math.Ceil(right + 1)
}

// BodyWidth is the width in pixels that the bodies of the panels get: the same
// in all columns.
func (f *Figure) BodyWidth() float64 {
	labels := 0.0
	for c := range f.columns() {
		left, right := f.gutters(c)
		labels += left + right
	}
	return math.Floor((f.layoutWidth() - labels) / float64(f.columns()))
}

// Compose lays a figure out on a page. It fails when the page is too narrow
// for its labels.
func Compose(f *Figure) (*Page, error) {
	width, body := f.layoutWidth(), f.BodyWidth()
	if body < leastBody {
		zoom := f.Zoom
		if zoom <= 0 {
			zoom = 1
		}
		least := (width + (leastBody-body)*float64(f.columns())) * zoom
		return nil, fmt.Errorf("compose a figure of %g pixels in %s: labels leave too little for drawings: make it %.0f pixels (%.0f mm) wide%s, or choose a smaller font",
			f.Width, words.Plural(f.columns(), "column"), math.Ceil(least), math.Ceil(least/96*25.4), rowsInstead(f.columns()))
	}
	c := composer{fig: f, page: &Page{Title: words.OneLine(f.Title), Recipe: f.Recipe, W: width}, y: pagePad}
	x := 0.0
	for n := range f.columns() {
		left, right := f.gutters(n)
		c.cells = append(c.cells, cell{left: x + left, right: x + left + body, edge: x + left + body + right})
		x += left + body + right
	}
	// What rounding leaves belongs to the last column's labels.
	last := &c.cells[len(c.cells)-1]
	last.edge = width - pagePad
	for n := range len(c.cells) - 1 {
		c.cells[n].edge -= columnGap / 2
	}
	c.figure()
	if f.Theme != nil {
		c.page.recolor(f.Theme)
	}
	if f.Zoom > 0 && f.Zoom != 1 {
		c.page.scale(f.Zoom)
		c.page.W = math.Floor(f.Width)
	}
	c.page.H = max(c.page.H, math.Floor(f.Height))
	return c.page, nil
}

// rowsInstead is the advice for panels side by side.
func rowsInstead(columns int) string {
	if columns == 1 {
		return ""
	}
	return ", put the runs above each other"
}

// cell is the horizontal room of a column.
type cell struct {
	left, right float64 // of its bodies
	edge        float64 // of what belongs to it
}

func (c *cell) width() float64 { return c.right - c.left }

// composer walks down the page.
type composer struct {
	fig   *Figure
	page  *Page
	cells []cell
	y     float64 // where the next thing goes
}

func (c *composer) figure() {
	c.title()
	columns := len(c.cells)
	for first := 0; first < len(c.fig.Panels); first += columns {
		if first > 0 {
			c.y += panelGap
		}
		if row := first / columns; row < len(c.fig.Heads) {
			c.head(&c.fig.Heads[row])
		}
		c.row(first, min(first+columns, len(c.fig.Panels)))
	}
	c.y += pagePad
	c.page.H = math.Ceil(c.y)
}

// title writes the title of the figure, on as many lines as it takes.
func (c *composer) title() {
	if c.fig.Title == "" {
		return
	}
	x := c.cells[0].left
	for _, line := range wrap(c.fig.Title, figureSize, true, c.page.W-x-pagePad) {
		c.text(Text{X: x, Y: float32(c.y + figureSize/2), S: line, Size: figureSize, Color: Ink, Bold: true})
		c.y += figureSize + 3
	}
	c.y += 6
}

// row composes panels [from, to) side by side: their headings from one line
// on, their bodies from another.
func (c *composer) row(from, to int) {
	top, below, flags := c.y, c.y, 0.0
	for i := from; i < to; i++ {
		if c.fig.Panels[i].Blank {
			continue
		}
		c.y = top
		c.heading(&c.fig.Panels[i], &c.cells[i-from])
		below = max(below, c.y)
		flags = max(flags, c.flagsHeight(&c.fig.Panels[i], &c.cells[i-from]))
	}
	c.y = below + flags
	body := c.y
	height, foot := 0.0, body
	for i := from; i < to; i++ {
		height = max(height, c.height(&c.fig.Panels[i], &c.cells[i-from]))
	}
	for i := from; i < to; i++ {
		if c.fig.Panels[i].Blank {
			continue
		}
		c.y = body
		c.panel(&c.fig.Panels[i], &c.cells[i-from], height, c.axisBelow(i))
		foot = max(foot, c.y)
	}
	c.y = foot
}

// height is that of a panel's body, or of the box with the reason why there is
// none.
func (c *composer) height(p *Panel, at *cell) float64 {
	if p.Missing != "" {
		return float64(len(c.reason(p, at)))*reasonPitch + 14
	}
	return p.Height
}

// axisBelow reports whether a panel labels its time axis: the last one on that
// axis, and any above one with an axis of its own. Empty places do not count.
func (c *composer) axisBelow(i int) bool {
	next := i + len(c.cells)
	for next < len(c.fig.Panels) && c.fig.Panels[next].Blank {
		next += len(c.cells)
	}
	return next >= len(c.fig.Panels) || c.fig.Panels[next].X != nil
}

// text places a text in page coordinates.
func (c *composer) text(t Text) {
	c.page.Ops = append(c.page.Ops, Op{Label: label(&t, t.X, 0)})
}

// panel draws the body of a panel and what is around it. height is that of the
// row, which a reason fills.
func (c *composer) panel(p *Panel, at *cell, height float64, axis bool) {
	if p.Missing != "" {
		c.missing(p, at, height)
		if axis && p.X == nil {
			c.axis(p.axis(c.fig, at.width()), at)
		}
		return
	}
	a := p.axis(c.fig, at.width())
	top := c.y
	body := at.body(a, top)
	body.page = c.page
	body.clip = Rectangle{at.left, top, at.right, top + p.Height}
	c.flags(p, at, body)
	c.grid(body, a)
	body.layers(p.Layers)
	c.markLines(p, body)
	c.frame(body.clip)
	c.margins(p, at, top)
	c.y += p.Height
	c.tickMarks(a, body)
	if axis || p.X != nil {
		c.axis(a, at)
	}
}

// body places what is drawn from y on in the units of an axis.
func (at *cell) body(a *Axis, y float64) *placer {
	return &placer{x0: at.left, y0: y, min: a.Min, scale: at.width() / (a.Max - a.Min)}
}

// axis returns the panel's own axis, or the figure's time axis with ticks.
func (p *Panel) axis(f *Figure, width float64) *Axis {
	if p.X != nil {
		return p.X
	}
	ticks, unit := TimeTicks(f.T0, f.T1, width, labelSize)
	return &Axis{Min: f.T0, Max: f.T1, Label: "time [" + unit + "]", Ticks: ticks}
}

// margins places the labels beside the body and the panel's y label.
func (c *composer) margins(p *Panel, at *cell, top float64) {
	left := placer{page: c.page, x0: at.left, y0: top}
	left.layers(p.Left)
	right := placer{page: c.page, x0: at.right, y0: top}
	right.layers(p.Right)
	if p.YLabel == "" {
		return
	}
	gutter, _ := c.fig.gutters(0)
	s := Ellipsis(p.YLabel, titleSize, false, p.Height)
	c.text(Text{X: at.left - gutter + pagePad + titleSize/2, Y: float32(top + p.Height/2), S: s, Size: titleSize,
		Color: Ink, Anchor: Middle, Rotate: 90})
}

func (c *composer) frame(r Rectangle) {
	x0, y0, x1, y1 := r.X0-0.5, r.Y0-0.5, r.X1+0.5, r.Y1+0.5
	c.page.Ops = append(c.page.Ops, Op{Path: &Path{
		Points: []Point{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}, Closed: true, Stroke: Border, Width: 1}})
}

func (c *composer) grid(body *placer, a *Axis) {
	grid := &Path{Stroke: Grid, Width: 1}
	for _, t := range a.Ticks {
		x := math.Floor(body.x(t.At, OnAxis)) + 0.5
		grid.segment(x, body.clip.Y0, x, body.clip.Y1)
	}
	if len(grid.Points) > 0 {
		body.emit(Op{Path: grid})
	}
}

func (c *composer) tickMarks(a *Axis, body *placer) {
	marks := &Path{Stroke: Soft, Width: 1}
	for _, t := range a.Ticks {
		x := math.Floor(body.x(t.At, OnAxis)) + 0.5
		marks.segment(x, c.y+1, x, c.y+5)
	}
	if len(marks.Points) > 0 {
		c.page.Ops = append(c.page.Ops, Op{Path: marks})
	}
	c.y += 5
}

// axis writes the tick labels and the axis label below the current line.
func (c *composer) axis(a *Axis, at *cell) {
	scale := at.width() / (a.Max - a.Min)
	y := float32(c.y + 2 + labelSize/2)
	for _, t := range a.Ticks {
		x := at.left + (t.At-a.Min)*scale
		half := TextWidth(t.Label, labelSize, false) / 2
		x = min(max(x, half+1), c.page.W-half-1)
		c.text(Text{X: x, Y: y, S: t.Label, Size: labelSize, Color: Soft, Anchor: Middle})
	}
	c.y += labelSize + 4
	if a.Label != "" {
		c.text(Text{X: (at.left + at.right) / 2, Y: float32(c.y + 2 + labelSize/2), S: a.Label,
			Size: labelSize, Color: Ink, Anchor: Middle})
		c.y += labelSize + 4
	}
}

// extent is the box around layers of a margin, texts as measured; it contains
// the origin.
func extent(layers []Layer) Rectangle {
	var box Rectangle
	for i := range layers {
		l := &layers[i]
		for j := range l.Texts {
			b := label(&l.Texts[j], l.Texts[j].X, 0).Bounds()
			box = box.with(Point{b.X0, b.Y0}).with(Point{b.X1, b.Y1})
		}
		for _, r := range l.Rects {
			for k := range r.X0 {
				box = box.with(Point{r.X0[k], 0}).with(Point{r.X1[k], 0})
			}
		}
		for _, line := range l.Lines {
			for _, x := range line.X {
				box = box.with(Point{x, 0})
			}
		}
	}
	return box
}
