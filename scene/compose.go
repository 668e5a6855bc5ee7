package scene

import (
	"fmt"
	"math"
)

// Sizes of a page, pixels.
const (
	pagePad    = 10 // around everything
	panelGap   = 14 // between panels
	bodyGap    = 6  // between a body and its labels
	labelSize  = 11
	smallSize  = 10
	titleSize  = 12
	figureSize = 15
	rowHeight  = 17 // of titles and legends
	yLabelRoom = 18
	leastBody  = 80 // width below which a page cannot be composed
)

// Gutters are the widths left and right of the bodies of all panels: what
// their labels need, rounded up to whole pixels so that bodies start on one.
func (f *Figure) Gutters() (left, right float64) {
	right = pagePad + labelSize // half a tick label at the edge
	for i := range f.Panels {
		p := &f.Panels[i]
		l := -extent(p.Left).X0
		if p.YLabel != "" {
			l += yLabelRoom
		}
		left = max(left, l+pagePad)
		right = max(right, extent(p.Right).X1+pagePad)
	}
	return math.Ceil(left + 1), math.Ceil(right + 1)
}

// BodyWidth is the width in pixels that the bodies of the panels get.
func (f *Figure) BodyWidth() float64 {
	left, right := f.Gutters()
	return math.Floor(f.Width) - left - right
}

// Compose lays a figure out on a page. It fails when the page is too narrow
// for its labels.
func Compose(f *Figure) (*Page, error) {
	left, right := f.Gutters()
	width := math.Floor(f.Width)
	if width-left-right < leastBody {
		return nil, fmt.Errorf("compose a figure of %g pixels: labels take %g, and the drawing needs %d",
			width, left+right, leastBody)
	}
	c := composer{fig: f, page: &Page{Title: f.Title, Recipe: f.Recipe, W: width},
		left: left, right: width - right, y: pagePad}
	c.figure()
	return c.page, nil
}

// composer walks down the page.
type composer struct {
	fig         *Figure
	page        *Page
	left, right float64 // of the bodies
	y           float64 // where the next thing goes
}

func (c *composer) figure() {
	if c.fig.Title != "" {
		title := Ellipsis(c.fig.Title, figureSize, true, c.page.W-c.left-pagePad)
		c.text(Text{X: c.left, Y: float32(c.y + figureSize/2), S: title, Size: figureSize, Color: Ink, Bold: true})
		c.y += figureSize + 9
	}
	for i := range c.fig.Panels {
		if i > 0 {
			c.y += panelGap
		}
		c.panel(&c.fig.Panels[i], c.axisBelow(i))
	}
	c.y += pagePad
	c.page.H = math.Ceil(c.y)
}

// axisBelow tells whether the panel labels its time axis: the last one on that
// axis, and any followed by a panel with an axis of its own.
func (c *composer) axisBelow(i int) bool {
	return i+1 == len(c.fig.Panels) || c.fig.Panels[i+1].X != nil
}

// text places a text in page coordinates.
func (c *composer) text(t Text) {
	c.page.Ops = append(c.page.Ops, Op{Label: label(&t, t.X, 0)})
}

func (c *composer) panel(p *Panel, axis bool) {
	if p.Missing != "" {
		c.missing(p)
		if axis && p.X == nil {
			c.axis(p.axis(c.fig, c.right-c.left))
		}
		return
	}
	c.heading(p)
	a := p.axis(c.fig, c.right-c.left)
	body := placer{page: c.page, x0: c.left, min: a.Min, scale: (c.right - c.left) / (a.Max - a.Min)}
	c.flags(p, &body)
	top := c.y
	body.y0 = top
	body.clip = Rectangle{c.left, top, c.right, top + p.Height}
	c.grid(&body, a)
	body.layers(p.Layers)
	c.markLines(p, &body)
	c.frame(body.clip)
	c.margins(p, top)
	c.y += p.Height
	c.tickMarks(a, &body)
	if axis || p.X != nil {
		c.axis(a)
	}
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
func (c *composer) margins(p *Panel, top float64) {
	left := placer{page: c.page, x0: c.left, y0: top}
	left.layers(p.Left)
	right := placer{page: c.page, x0: c.right, y0: top}
	right.layers(p.Right)
	if p.YLabel == "" {
		return
	}
	s := Ellipsis(p.YLabel, titleSize, false, p.Height)
	c.text(Text{X: pagePad + titleSize/2, Y: float32(top + p.Height/2), S: s, Size: titleSize,
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
func (c *composer) axis(a *Axis) {
	scale := (c.right - c.left) / (a.Max - a.Min)
	y := float32(c.y + 2 + labelSize/2)
	for _, t := range a.Ticks {
		x := c.left + (t.At-a.Min)*scale
		half := TextWidth(t.Label, labelSize, false) / 2
		x = min(max(x, half+1), c.page.W-half-1)
		c.text(Text{X: x, Y: y, S: t.Label, Size: labelSize, Color: Soft, Anchor: Middle})
	}
	c.y += labelSize + 4
	if a.Label != "" {
		c.text(Text{X: (c.left + c.right) / 2, Y: float32(c.y + 2 + labelSize/2), S: a.Label,
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
