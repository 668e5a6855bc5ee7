// Package scene is the drawing list between panels and back-ends: what a
// figure shows, in the units in which it was computed, without a trace and
// without a device.
//
// A [Figure] is a column of [Panel]s, or several side by side, that share one
// time axis. A panel's body
// holds [Layer]s of bulk primitives: horizontally in the units of the axis
// (nanoseconds since the run's zero, exact in a float64 up to 104 days) or in
// pixels, vertically in pixels down from the top of the body. Its margins,
// left and right of the body, hold labels in pixels from the body's edge.
//
// [Compose] turns a figure into a [Page]: the same primitives placed in pixels
// of one page, texts measured with the real font. Packages below render paint
// pages and nothing else. A live view takes the panels as they are and does
// the composing itself.
//
// All types are plain structs of exported fields, so that any encoding can
// carry them.
package scene

// Figure is a column of panels over one time axis.
type Figure struct {
	Title  string
	Width  float64 // of the page, pixels
	Height float64 // of the page at least, pixels
	T0, T1 float64 // the time axis of all panels without one of their own, ns
	Panels []Panel
	// Columns is how many panels stand side by side, 0 and 1 for a column of
	// them; Panels are then row by row. Heads stand above the rows, as far as
	// there are any.
	Columns int
	Heads   []Head
	Zoom    float64 // of everything on the page but its width, 0 and 1 for none
	Theme   *Theme  // nil for the colours as they are: on white
	Recipe  []Field // how to make the figure again; goes into the file's metadata
}

// Field is one line of a recipe.
type Field struct{ Name, Value string }

// Head is what the panels of a row have in common.
type Head struct {
	Title  string
	Legend []LegendEntry
}

// Panel is one drawing of a figure.
type Panel struct {
	ID      string
	Title   string
	Facts   []string // in small print behind the title
	YLabel  string   // turned, at the far left
	Height  float64
	X       *Axis  // an axis of its own, nil for the figure's time axis
	Missing string // why there is nothing to draw; the rest is then empty
	Blank   bool   // a place that stays empty, without a frame
	Layers  []Layer
	Left    []Layer // labels left of the body, x in pixels from its edge, negative
	Right   []Layer // labels right of the body, x in pixels from its edge
	Marks   []Mark
	Legend  []LegendEntry
	Note    string // one line of small print under the legend
}

// Axis is the horizontal axis of a panel that has no time axis.
type Axis struct {
	Min, Max float64
	Label    string
	Ticks    []Tick // in increasing order
}

// Tick is a labelled place on an axis, in its units.
type Tick struct {
	At    float64
	Label string
}

// Unit says in what a layer's x coordinates are.
type Unit uint8

// Units of x.
const (
	OnAxis Unit = iota // ns, or the units of the panel's own axis
	Pixels             // pixels from the left edge of the body
)

// Layer is a group of primitives that a viewer can show or hide as one.
// Rectangles are painted first, then areas, lines, arrows and texts.
type Layer struct {
	Name   string
	Unit   Unit
	Rects  []Rects
	Areas  []Area
	Lines  []Line
	Arrows []Arrows
	Texts  []Text
}

// Edges says how the edges of rectangles that end inside a pixel are painted.
type Edges uint8

// Edge styles.
const (
	Blend Edges = iota // each rectangle over what is there
	Abut               // no two overlap: shares of a pixel add up, nothing shines through
	Crisp              // as Abut, and painters that cannot add up snap to pixels
)

// Rects are many rectangles in columns of equal length. X1 may equal X0 when
// MinWidth makes the rectangle visible.
type Rects struct {
	X0, X1   []float64
	Y, H     []float32
	Color    []uint8 // index into Palette
	Palette  []Color
	MinWidth float32 // narrower ones are widened about their middle, pixels
	Edges    Edges
	Hatch    Color // colour of slanted lines over the fill, None for none
}

// Add appends one rectangle.
func (r *Rects) Add(x0, x1 float64, y, h float32, color uint8) {
	r.X0, r.X1 = append(r.X0, x0), append(r.X1, x1)
	r.Y, r.H = append(r.Y, y), append(r.H, h)
	r.Color = append(r.Color, color)
}

// Len is the number of rectangles.
func (r *Rects) Len() int { return len(r.X0) }

// Line is a polyline, or a step function that keeps each Y until the next X.
type Line struct {
	X     []float64
	Y     []float32
	Step  bool
	Color Color
	Width float32
	Dash  []float32 // lengths of strokes and gaps, nil for a solid line
}

// Area is what lies between two curves over the same X.
type Area struct {
	X      []float64
	Y0, Y1 []float32
	Step   bool
	Color  Color
}

// Arrows are straight arrows in columns of equal length.
type Arrows struct {
	X0, X1 []float64
	Y0, Y1 []float32
	Color  Color
	Width  float32
	Head   float32 // length of the head in pixels, 0 for a plain line
}

// Anchor says which point of a text lies at its X.
type Anchor uint8

// Anchors.
const (
	Start Anchor = iota
	Middle
	End
)

// Text is one line of text. Y is the height of its middle, so that labels line
// up with what they name whatever the font.
type Text struct {
	X      float64
	Y      float32
	S      string
	Size   float32
	Color  Color
	Bold   bool
	Anchor Anchor
	Rotate float32 // degrees, counter-clockwise about (X, Y)
	Halo   bool    // paint a light box behind it: it stands on a drawing
	Room   float64 // length on the axis that it must fit in, 0 for any
	On     Color   // the fill that it stands on, None for the paper: what a theme keeps it apart from
}

// Mark is a labelled vertical line through the body. Its label stands above
// the body, on as many levels as are needed for labels not to meet.
type Mark struct {
	X     float64
	Label string
	Color Color
	Dash  []float32
}

// Swatch is the shape of a legend entry.
type Swatch uint8

// Swatches.
const (
	Box Swatch = iota
	Stroke
)

// LegendEntry names a colour. Detail is set in small print behind the label.
type LegendEntry struct {
	Label  string
	Kind   string // the kind of tasks that it stands for, "" for anything else
	Detail string
	Color  Color
	Hatch  Color
	Swatch Swatch
	Dash   []float32
}
