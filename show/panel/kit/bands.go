package kit

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/show/panel/core"
	"dagscope/show/scene"
	"dagscope/trace"
)

// Band is a place with what flows in, drawn upwards, and out, downwards. Sums
// of several places are several curves.
type Band struct {
	Label, Group string
	Node         int32
	Resources    []int32 // places, none where it is of the whole run
	Up, Down     []*Compact
}

// Bands draws one row for each place, all on the same scale: what would be
// a tangle as curves over each other.
type Bands struct {
	id      string
	data    func(core.Query) numbers.Table
	step    int64 // ns, see [Curve]
	top     float64
	unit    string
	Bands   []Band
	Legend  []scene.LegendEntry
	Colors  [2]scene.Color                // upwards, downwards
	Totals  func(up, down float64) string // writes the integrals over the window
	Means   func(up, down float64) string // or the means
	Heading string                        // above them
	Note    string
}

// Heights of bands in pixels.
const (
	naturalBands = 240 // what the bands of a panel share while they can
	tallestBand  = 54
	lowestBand   = 9 // in each direction
	bandGap      = 3
	tickedBand   = 34 // from which on a band has ticks
)

// bandColumns are the means of a band in each column.
type bandColumns struct{ up, down []float64 }

func (v *Bands) Reduce(q core.Query) ([]bandColumns, *Grid) {
	g := NewGrid(q.T0, q.T1, q.Width)
	out := make([]bandColumns, len(v.Bands))
	parallel.For(len(v.Bands), func(i int) {
		out[i] = bandColumns{v.Sum(v.Bands[i].Up, q, g), v.Sum(v.Bands[i].Down, q, g)}
	})
	return out, g
}

// Sum adds the columns of curves: means add up.
func (v *Bands) Sum(curves []*Compact, q core.Query, g *Grid) []float64 {
	if len(curves) == 0 {
		return nil
	}
	sum := make([]float64, g.Columns())
	for _, f := range curves {
		if v.step > Narrowest(g) {
			f = f.Sliced(v.step, q.T0, q.T1)
		}
		for k, mean := range f.Reduce(g).Mean {
			sum[k] += mean
		}
	}
	return sum
}

// scaleOf is the value at the edge of each band: the greatest mean of a column, but
// where single columns would leave the rest in the lowest tenths of the height what
// of each flow all but one in a hundred of its columns stay below. Those that reach
// further are cut, and have a mark. greatest is the greatest of all.
func scaleOf(columns []bandColumns) (top, greatest float64) {
	for _, c := range columns {
		for _, side := range [][]float64{c.up, c.down} {
			flow := slices.DeleteFunc(slices.Clone(side), func(v float64) bool { return !(v > 0) })
			if n := len(flow); n > 0 {
				slices.Sort(flow)
				top, greatest = max(top, flow[n-1-(n-1)/100]), max(greatest, flow[n-1])
			}
		}
	}
	if top*fewPeaks < greatest {
		return top, greatest
	}
	return greatest, greatest
}

// fewPeaks is how much higher than the rest peaks must be to be cut.
const fewPeaks = 1.5

// Peak is the value at the edge of the bands in a window.
func (v *Bands) Peak(q core.Query) float64 {
	columns, _ := v.Reduce(q)
	top, _ := scaleOf(columns)
	return top
}

// Draw draws a window.
func (v *Bands) Draw(q core.Query) scene.Panel {
	columns, g := v.Reduce(q)
	most, greatest := scaleOf(columns)
	for _, top := range []float64{v.top, q.Top} {
		if top > 0 {
			most = top
		}
	}
	height := HeightOr(q, v.natural())
	d := bandsDrawing{view: v, g: g, pitch: v.pitch(height), most: most, cuts: scene.Rects{Palette: []scene.Color{scene.Ink}, MinWidth: 1}}
	for i := range v.Bands {
		d.band(i, &columns[i], q)
	}
	layers := []scene.Layer{d.rows, d.flows}
	if len(d.cuts.X0) > 0 {
		layers = append(layers, scene.Layer{Name: "peaks", Rects: []scene.Rects{d.cuts}})
	}
	if q.Body {
		return scene.Panel{ID: v.id, Height: height, Layers: layers}
	}
	d.names()
	return scene.Panel{ID: v.id, Height: height, Legend: v.Legend, Note: v.Note + d.scaleNote() + d.cutNote(greatest),
		YLabel: d.axisLabel(), Layers: layers, Left: []scene.Layer{d.left}, Right: []scene.Layer{d.right}}
}

// pitch is the distance of bands in a body of some height.
func (v *Bands) pitch(height float64) float64 {
	return max(height-bandGap, 1) / float64(len(v.Bands))
}

// natural is the height when none is asked for.
func (v *Bands) natural() float64 {
	n, least := float64(len(v.Bands)), float64(lowestBand)
	if v.Bands[0].Down != nil {
		least *= 2
	}
	return min(max(naturalBands/n, least+bandGap), tallestBand+bandGap)*n + bandGap
}

// bandsDrawing collects the primitives of one drawing.
type bandsDrawing struct {
	view  *Bands
	g     *Grid
	pitch float64
	most  float64
	axis  YAxis // of the last band

	rows, flows scene.Layer
	cuts        scene.Rects // marks where a value is beyond the edge
	left, right scene.Layer
	ticked      float64 // widest tick
}

// gap is the room between bands, of which low ones have less.
func (d *bandsDrawing) gap() float64 { return min(bandGap, d.pitch/2) }

func (d *bandsDrawing) band(i int, c *bandColumns, q core.Query) {
	top := float32(bandGap + d.pitch*float64(i))
	height := float32(d.pitch - d.gap())
	low := 0.0
	if c.down != nil {
		low = -d.most
	}
	d.axis = NewAxis(low, d.most, float64(height), d.view.unit)
	d.axis.Top, d.axis.Bottom = top, top+height
	back := scene.Rects{Palette: []scene.Color{scene.Lane}, Edges: scene.Crisp}
	back.Add(float64(q.T0), float64(q.T1), top, height, 0)
	d.rows.Name, d.rows.Rects = "rows", append(d.rows.Rects, back)
	d.flows.Name = "flows"
	zero := d.axis.Y(0)
	for side, values := range [][]float64{c.up, c.down} {
		if values != nil {
			d.flows.Areas = append(d.flows.Areas, d.side(values, side, zero))
		}
	}
	if c.down != nil {
		d.flows.Lines = append(d.flows.Lines, scene.Line{X: []float64{float64(q.T0), float64(q.T1)}, Y: []float32{zero, zero}, Color: scene.Border, Width: 0.8})
	}
	if height >= tickedBand || c.down == nil && height >= tickedBand/2 {
		d.Ticks(c.down != nil)
	}
	if d.view.Totals != nil || d.view.Means != nil {
		d.total(c, top+height/2)
	}
}

// side is the area of one direction.
func (d *bandsDrawing) side(values []float64, side int, zero float32) scene.Area {
	a := scene.Area{Step: true, Color: d.view.Colors[side]}
	sign := 1 - 2*float64(side)
	add := func(at int64, y float32) {
		a.X, a.Y0, a.Y1 = append(a.X, float64(at)), append(a.Y0, y), append(a.Y1, zero)
	}
	edge := d.axis.Y(sign * d.most)
	for k, v := range values {
		if v > d.most*1.000001 { // scales are rounded to float32 on their way to the browser
			d.cuts.Add(float64(d.g.Edges[k]), float64(d.g.Edges[k+1]), edge-float32(2*side), 2, 0)
		}
		y := d.axis.Y(sign * min(v, d.most))
		if n := len(a.X); n == 0 || math.Abs(float64(a.Y0[n-1]-y)) >= Flat {
			add(d.g.Edges[k], y)
		}
	}
	add(d.g.T1, a.Y0[len(a.Y0)-1])
	return a
}

// Ticks labels zero and the greatest round value of each side.
func (d *bandsDrawing) Ticks(both bool) {
	d.left.Unit, d.left.Name = scene.Pixels, "bands"
	reach := float64(d.axis.Y(0) - d.axis.Top)
	all := scene.YTicks(0, d.most/d.axis.Per, reach, min(15, reach*0.6))
	last := scene.Tick{At: roundBelow(d.most / d.axis.Per)}
	last.Label = Number(last.At)
	if n := len(all); n > 0 && all[n-1].At > 0 {
		last = all[n-1]
	}
	if !(last.At > 0) || reach*last.At < 9*d.most/d.axis.Per {
		return // no room besides 0: the note says the scale
	}
	signs := []float64{1}
	if both {
		signs = []float64{1, -1}
	}
	texts := map[float64]string{0: "0"}
	for _, sign := range signs {
		texts[sign*last.At] = last.Label
	}
	for _, at := range slices.Sorted(maps.Keys(texts)) {
		y := min(max(d.axis.Y(at*d.axis.Per), d.axis.Top+4), d.axis.Bottom-4)
		d.left.Texts = append(d.left.Texts, scene.Text{X: -LabelAway, Y: y, S: texts[at], Size: 8.5, Color: scene.Soft, Anchor: scene.End})
		d.ticked = max(d.ticked, scene.TextWidth(texts[at], 8.5, false)+8)
	}
}

// roundBelow is the greatest of 1, 2 and 5 times a power of ten up to a
// positive value.
func roundBelow(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, n := range []float64{5, 2} {
		if n*power <= v {
			return n * power
		}
	}
	return power
}

// total writes right of a band what flowed in the window.
func (d *bandsDrawing) total(c *bandColumns, y float32) {
	if d.pitch < 9 {
		return
	}
	amount := func(values []float64) (sum float64) {
		for k, v := range values {
			sum += v * float64(d.g.Edges[k+1]-d.g.Edges[k]) / 1e9
		}
		return sum
	}
	d.right.Unit, d.right.Name = scene.Pixels, "totals"
	if d.view.Heading != "" && len(d.right.Texts) == 0 {
		d.right.Texts = append(d.right.Texts, scene.Text{X: LabelAway, Y: -8, S: d.view.Heading, Size: 10, Color: scene.Soft})
	}
	up, down := amount(c.up), amount(c.down)
	text := ""
	if whole := float64(d.g.T1-d.g.T0) / 1e9; d.view.Means != nil {
		text = d.view.Means(up/whole, down/whole)
	} else {
		text = d.view.Totals(up, down)
	}
	d.right.Texts = append(d.right.Texts, scene.Text{X: LabelAway, Y: y, S: text, Size: 9, Color: scene.Soft})
}

// names writes the names of the bands left of their ticks, and brackets their
// groups.
func (d *bandsDrawing) names() {
	d.left.Unit, d.left.Name = scene.Pixels, "bands"
	lanes := &Lanes{}
	r := &Rows{Pitch: float32(d.pitch)}
	for i, b := range d.view.Bands {
		lanes.Lanes = append(lanes.Lanes, Lane{Label: scene.Ellipsis(b.Label, largestFont, false, 110), Name: b.Label, Group: b.Group, Arch: PlacesBlock, Block: PlacesBlock})
		lanes.Nodes = lanes.Nodes || b.Group != d.view.Bands[0].Group
		r.Y, r.H = append(r.Y, float32(bandGap+d.pitch*float64(i))), append(r.H, float32(d.pitch-d.gap()))
	}
	names := lanes.LeftLabels(r)
	for i := range names.Texts {
		names.Texts[i].X -= d.ticked
	}
	for i := range names.Lines {
		for k := range names.Lines[i].X {
			names.Lines[i].X[k] -= d.ticked
		}
	}
	d.left.Texts = append(d.left.Texts, names.Texts...)
	d.left.Lines = append(d.left.Lines, names.Lines...)
}

// scaleNote says what the height of a band is where there are no ticks.
func (d *bandsDrawing) scaleNote() string {
	if d.ticked > 0 {
		return ""
	}
	direction := ""
	if d.view.Bands[0].Down != nil {
		direction = " in each direction"
	}
	return fmt.Sprintf("; the height of a row%s is %s", direction, d.axis.Value(d.most))
}

// axisLabel is the unit of the ticks; where rows are too low for ticks, what the
// height of a row stands for, as figures may leave the note out.
func (d *bandsDrawing) axisLabel() string {
	if d.ticked > 0 {
		return d.axis.Unit
	}
	sign := ""
	if d.view.Bands[0].Down != nil {
		sign = "±"
	}
	return "row: " + sign + d.axis.Value(d.most)
}

// cutNote says that peaks are cut.
func (d *bandsDrawing) cutNote(greatest float64) string {
	if len(d.cuts.X0) == 0 {
		return ""
	}
	return "; black marks are peaks beyond it, up to " + d.axis.Value(greatest)
}

// Data returns the means of the columns.
func (v *Bands) Data(q core.Query) numbers.Table { return v.data(q) }

// PlacesBlock names bands together where there is no room for their names.
const PlacesBlock = "places"

var _ core.Reader = (*Bands)(nil)

// MostBands is the number of rows beyond which the places of a node are one.
const MostBands = 32

// NewBands is a view on numbers that take the settings of curves.
func NewBands(id string, run *trace.Run, of core.Curve, s panels.Settings, unit string) *Bands {
	v := &Bands{id: id, step: of.Step, top: of.Top, unit: unit, Colors: [2]scene.Color{SeriesColors[0], SeriesColors[3]}}
	v.data = func(q core.Query) numbers.Table {
		s.Step = SliceStep(&of, q)
		return core.NumbersOf(id, run, s, q)
	}
	return v
}

func (b *Band) Flow(direction string, f interval.Steps) {
	if direction == "in" {
		b.Up = append(b.Up, NewCompact(f))
	} else {
		b.Down = append(b.Down, NewCompact(f))
	}
}

// Both gives a band both directions, so that all are drawn the same way.
func (b *Band) Both() {
	if b.Up == nil {
		b.Up = []*Compact{{}}
	}
	if b.Down == nil {
		b.Down = []*Compact{{}}
	}
}
