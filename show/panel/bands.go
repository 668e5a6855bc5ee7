package panel

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"dagscope/explain/numbers"
	"dagscope/internal/parallel"
	"dagscope/show/scene"
)

// band is a place with what flows in, drawn upwards, and out, downwards. Sums
// of several places are several curves.
type band struct {
	label, group string
	node         int32
	resources    []int32 // places, none where it is of the whole run
	up, down     []*compact
}

// bandsView draws one row for each place, all on the same scale: what would be
// a tangle as curves over each other.
type bandsView struct {
	id      string
	data    func(Query) numbers.Table
	step    int64 // ns, see [Curve]
	top     float64
	unit    string
	bands   []band
	legend  []scene.LegendEntry
	colors  [2]scene.Color                // upwards, downwards
	totals  func(up, down float64) string // writes the integrals over the window
	means   func(up, down float64) string // or the means
	heading string                        // above them
	note    string
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

func (v *bandsView) reduce(q Query) ([]bandColumns, *grid) {
	g := newGrid(q.T0, q.T1, q.Width)
	out := make([]bandColumns, len(v.bands))
	parallel.For(len(v.bands), func(i int) {
		out[i] = bandColumns{v.sum(v.bands[i].up, q, g), v.sum(v.bands[i].down, q, g)}
	})
	return out, g
}

// sum adds the columns of curves: means add up.
func (v *bandsView) sum(curves []*compact, q Query, g *grid) []float64 {
	if len(curves) == 0 {
		return nil
	}
	sum := make([]float64, g.columns())
	for _, f := range curves {
		if v.step > narrowest(g) {
			f = f.sliced(v.step, q.T0, q.T1)
		}
		for k, mean := range f.reduce(g).mean {
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
func (v *bandsView) Peak(q Query) float64 {
	columns, _ := v.reduce(q)
	top, _ := scaleOf(columns)
	return top
}

// Draw draws a window.
func (v *bandsView) Draw(q Query) scene.Panel {
	columns, g := v.reduce(q)
	most, greatest := scaleOf(columns)
	for _, top := range []float64{v.top, q.Top} {
		if top > 0 {
			most = top
		}
	}
	height := heightOr(q, v.natural())
	d := bandsDrawing{view: v, g: g, pitch: v.pitch(height), most: most, cuts: scene.Rects{Palette: []scene.Color{scene.Ink}, MinWidth: 1}}
	for i := range v.bands {
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
	return scene.Panel{ID: v.id, Height: height, Legend: v.legend, Note: v.note + d.scaleNote() + d.cutNote(greatest),
		YLabel: d.axis.unit, Layers: layers, Left: []scene.Layer{d.left}, Right: []scene.Layer{d.right}}
}

// pitch is the distance of bands in a body of some height.
func (v *bandsView) pitch(height float64) float64 {
	return max(height-bandGap, 1) / float64(len(v.bands))
}

// natural is the height when none is asked for.
func (v *bandsView) natural() float64 {
	n, least := float64(len(v.bands)), float64(lowestBand)
	if v.bands[0].down != nil {
		least *= 2
	}
	return min(max(naturalBands/n, least+bandGap), tallestBand+bandGap)*n + bandGap
}

// bandsDrawing collects the primitives of one drawing.
type bandsDrawing struct {
	view  *bandsView
	g     *grid
	pitch float64
	most  float64
	axis  yAxis // of the last band

	rows, flows scene.Layer
	cuts        scene.Rects // marks where a value is beyond the edge
	left, right scene.Layer
	ticked      float64 // widest tick
}

// gap is the room between bands, of which low ones have less.
func (d *bandsDrawing) gap() float64 { return min(bandGap, d.pitch/2) }

func (d *bandsDrawing) band(i int, c *bandColumns, q Query) {
	top := float32(bandGap + d.pitch*float64(i))
	height := float32(d.pitch - d.gap())
	low := 0.0
	if c.down != nil {
		low = -d.most
	}
	d.axis = newAxis(low, d.most, float64(height), d.view.unit)
	d.axis.top, d.axis.bottom = top, top+height
	back := scene.Rects{Palette: []scene.Color{scene.Lane}, Edges: scene.Crisp}
	back.Add(float64(q.T0), float64(q.T1), top, height, 0)
	d.rows.Name, d.rows.Rects = "rows", append(d.rows.Rects, back)
	d.flows.Name = "flows"
	zero := d.axis.y(0)
	for side, values := range [][]float64{c.up, c.down} {
		if values != nil {
			d.flows.Areas = append(d.flows.Areas, d.side(values, side, zero))
		}
	}
	if c.down != nil {
		d.flows.Lines = append(d.flows.Lines, scene.Line{X: []float64{float64(q.T0), float64(q.T1)}, Y: []float32{zero, zero}, Color: scene.Border, Width: 0.8})
	}
	if height >= tickedBand || c.down == nil && height >= tickedBand/2 {
		d.ticks(c.down != nil)
	}
	if d.view.totals != nil || d.view.means != nil {
		d.total(c, top+height/2)
	}
}

// side is the area of one direction.
func (d *bandsDrawing) side(values []float64, side int, zero float32) scene.Area {
	a := scene.Area{Step: true, Color: d.view.colors[side]}
	sign := 1 - 2*float64(side)
	add := func(at int64, y float32) {
		a.X, a.Y0, a.Y1 = append(a.X, float64(at)), append(a.Y0, y), append(a.Y1, zero)
	}
	edge := d.axis.y(sign * d.most)
	for k, v := range values {
		if v > d.most*1.000001 { // scales are rounded to float32 on their way to the browser
			d.cuts.Add(float64(d.g.edges[k]), float64(d.g.edges[k+1]), edge-float32(2*side), 2, 0)
		}
		y := d.axis.y(sign * min(v, d.most))
		if n := len(a.X); n == 0 || math.Abs(float64(a.Y0[n-1]-y)) >= flat {
			add(d.g.edges[k], y)
		}
	}
	add(d.g.t1, a.Y0[len(a.Y0)-1])
	return a
}

// ticks labels zero and the greatest round value of each side.
func (d *bandsDrawing) ticks(both bool) {
	d.left.Unit, d.left.Name = scene.Pixels, "bands"
	reach := float64(d.axis.y(0) - d.axis.top)
	all := scene.YTicks(0, d.most/d.axis.per, reach, min(15, reach*0.6))
	last := scene.Tick{At: roundBelow(d.most / d.axis.per)}
	last.Label = number(last.At)
	if n := len(all); n > 0 && all[n-1].At > 0 {
		last = all[n-1]
	}
	if !(last.At > 0) || reach*last.At < 9*d.most/d.axis.per {
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
		y := min(max(d.axis.y(at*d.axis.per), d.axis.top+4), d.axis.bottom-4)
		d.left.Texts = append(d.left.Texts, scene.Text{X: -labelAway, Y: y, S: texts[at], Size: 8.5, Color: scene.Soft, Anchor: scene.End})
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
			sum += v * float64(d.g.edges[k+1]-d.g.edges[k]) / 1e9
		}
		return sum
	}
	d.right.Unit, d.right.Name = scene.Pixels, "totals"
	if d.view.heading != "" && len(d.right.Texts) == 0 {
		d.right.Texts = append(d.right.Texts, scene.Text{X: labelAway, Y: -8, S: d.view.heading, Size: 10, Color: scene.Soft})
	}
	up, down := amount(c.up), amount(c.down)
	text := ""
	if whole := float64(d.g.t1-d.g.t0) / 1e9; d.view.means != nil {
		text = d.view.means(up/whole, down/whole)
	} else {
		text = d.view.totals(up, down)
	}
	d.right.Texts = append(d.right.Texts, scene.Text{X: labelAway, Y: y, S: text, Size: 9, Color: scene.Soft})
}

// names writes the names of the bands left of their ticks, and brackets their
// groups.
func (d *bandsDrawing) names() {
	d.left.Unit, d.left.Name = scene.Pixels, "bands"
	lanes := &laneSet{}
	r := &rows{pitch: float32(d.pitch)}
	for i, b := range d.view.bands {
		lanes.lanes = append(lanes.lanes, lane{label: scene.Ellipsis(b.label, largestFont, false, 110), name: b.label, group: b.group, arch: placesBlock, block: placesBlock})
		lanes.nodes = lanes.nodes || b.group != d.view.bands[0].group
		r.y, r.h = append(r.y, float32(bandGap+d.pitch*float64(i))), append(r.h, float32(d.pitch-d.gap()))
	}
	names := lanes.leftLabels(r)
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
	if d.view.bands[0].down != nil {
		direction = " in each direction"
	}
	return fmt.Sprintf("; the height of a row%s is %s", direction, d.axis.value(d.most))
}

// cutNote says that peaks are cut.
func (d *bandsDrawing) cutNote(greatest float64) string {
	if len(d.cuts.X0) == 0 {
		return ""
	}
	return "; black marks are peaks beyond it, up to " + d.axis.value(greatest)
}

// Data returns the means of the columns.
func (v *bandsView) Data(q Query) numbers.Table { return v.data(q) }

// placesBlock names bands together where there is no room for their names.
const placesBlock = "places"

var _ Reader = (*bandsView)(nil)
