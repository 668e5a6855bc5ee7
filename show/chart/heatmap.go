package chart

import (
	"fmt"
	"math"
	"strings"

	"dagscope/internal/words"
	"dagscope/show/scene"
)

// HeatMap draws tables of measurements over two parameters, such as threads and
// task grain: a rectangle of cells for each value, two side by side where there
// are several. Figure 5 of Pereira 2024 is one of them.
type HeatMap struct {
	Grids  []*Grid
	Shared bool // the values share one scale of colours
	Log    bool // colours by the logarithm of values
}

// Sizes, pixels.
const (
	maxCellHeight = 44
	maxGridHeight = 420
	maxCellFont   = 10.5
	minCellFont   = 7
	cellPad       = 3
	cellColors    = 250
	heatEntries   = 5 // of the legend
)

// Draw fails where values have no logarithm that should have one, and where the
// page is too narrow.
func (h *HeatMap) Draw(o Options) (*scene.Page, error) {
	f := o.figure()
	f.Columns = min(len(h.Grids), 2)
	shades, err := h.shades()
	if err != nil {
		return nil, err
	}
	for i, g := range h.Grids {
		f.Panels = append(f.Panels, g.frame(&shades[i]))
	}
	width, font := f.BodyWidth(), maxCellFont
	for i, g := range h.Grids {
		wide, high := g.cellSize(width)
		font = min(font, g.fontOf(&shades[i], wide, high))
	}
	for i, g := range h.Grids {
		g.draw(&f.Panels[i], &shades[i], width, font)
	}
	return compose(f, "heat map")
}

// shading turns the values of a grid into colours and texts.
type shading struct {
	low, high float64 // of the colours
	log       bool
	unit      words.Unit
	decimals  int
}

// shades finds the shading of each grid; on a shared scale its ends are those of
// all.
func (h *HeatMap) shades() ([]shading, error) {
	all := make([]shading, len(h.Grids))
	low, high := math.Inf(1), math.Inf(-1)
	for i, g := range h.Grids {
		e := g.extremes()
		if h.Log && e.low <= 0 {
			return nil, fmt.Errorf("draw heat map: found %v in column %s, want values above 0 for a logarithmic scale", e.low, g.Value)
		}
		all[i] = shading{low: e.low, high: e.high, log: h.Log}
		low, high = min(low, e.low), max(high, e.high)
	}
	for i, g := range h.Grids {
		s := &all[i]
		if h.Shared {
			s.low, s.high = low, high
		}
		size := max(math.Abs(s.low), math.Abs(s.high))
		_, s.unit = columnUnit(g.Value, size)
		s.decimals = decimalsFor(s.low/s.unit.Per, size/s.unit.Per)
		if g.whole() && s.unit.Per == 1 {
			s.decimals = 0
		}
	}
	return all, nil
}

// share is how far a value is along the colours, from 0 to 1.
func (s *shading) share(v float64) float64 {
	low, high := s.low, s.high
	if s.log {
		v, low, high = math.Log(v), math.Log(low), math.Log(high)
	}
	if high <= low {
		return 0
	}
	return (v - low) / (high - low)
}

// value is the inverse of share.
func (s *shading) value(share float64) float64 {
	if s.log {
		return math.Exp(math.Log(s.low) + share*(math.Log(s.high)-math.Log(s.low)))
	}
	return s.low + share*(s.high-s.low)
}

// write writes a value as in the cells, all with the same decimals.
func (s *shading) write(v float64) string {
	return words.Fixed(v/s.unit.Per, s.decimals)
}

// columnUnits are the units of columns by the end of their names.
var columnUnits = map[string][]words.Unit{
	"_ns":    words.Times,
	"_us":    {{Name: "µs", Per: 1}, {Name: "ms", Per: 1e3}, {Name: "s", Per: 1e6}},
	"_ms":    {{Name: "ms", Per: 1}, {Name: "s", Per: 1e3}},
	"_s":     {{Name: "s", Per: 1}},
	"_share": shareUnits,
}

// shareUnits are those of shares: percent.
var shareUnits = []words.Unit{{Name: "%", Per: 0.01}}

// columnUnit finds the title of a column and the unit for values up to a size.
func columnUnit(column string, size float64) (title string, u words.Unit) {
	for end, units := range columnUnits {
		if name, ok := strings.CutSuffix(column, end); ok && name != "" {
			return readable(name), words.UnitFor(size, units)
		}
	}
	return readable(column), words.Unit{Per: 1}
}

// digits is how many decimals values up to a size need: three significant
// digits.
func digits(size float64) int {
	if size <= 0 || math.IsInf(size, 0) || math.IsNaN(size) {
		return 0
	}
	return min(max(2-int(math.Floor(math.Log10(size))), 0), 6)
}

// decimalsFor are those that the max value needs, and one more where the min
// value would be written as zero without it.
func decimalsFor(low, size float64) int {
	n := digits(size)
	if low > 0 && low < 0.5*math.Pow10(-n) {
		n++
	}
	return n
}

// withUnit writes a value of a column by itself, in the unit and with the
// decimals that suit it.
func withUnit(column string, v float64) string {
	_, u := columnUnit(column, math.Abs(v))
	text := words.Number(v/u.Per, digits(math.Abs(v)/u.Per))
	if u.Name == "" {
		return text
	}
	return text + " " + u.Name
}

// whole reports whether all values are integers.
func (g *Grid) whole() bool {
	for _, row := range g.Cell {
		for _, v := range row {
			if !math.IsNaN(v) && v != math.Trunc(v) {
				return false
			}
		}
	}
	return true
}

// frame is a panel without its body: what the width of bodies depends on.
func (g *Grid) frame(s *shading) scene.Panel {
	title, _ := columnUnit(g.Value, 0)
	p := scene.Panel{ID: g.Value, Title: title, YLabel: readable(g.Y), X: &scene.Axis{Min: 0, Max: float64(len(g.XS)), Label: readable(g.X)}}
	if s.unit.Name != "" {
		p.Title += " [" + s.unit.Name + "]"
	}
	colors := scene.Sequential(cellColors)
	for i := range heatEntries {
		share := float64(i) / (heatEntries - 1)
		p.Legend = append(p.Legend, scene.LegendEntry{Label: s.write(s.value(share)), Color: colors[cellColor(share)]})
		if s.high <= s.low {
			break
		}
	}
	e := g.extremes()
	p.Note = fmt.Sprintf("least %s at %s × %s, greatest %s at %s × %s",
		withUnit(g.Value, e.low), g.XS[e.lowX], g.YS[e.lowY], withUnit(g.Value, e.high), g.XS[e.highX], g.YS[e.highY])
	if n := e.cells - e.withValue; n > 0 {
		p.Note += fmt.Sprintf("; %d of %d cells without value", n, e.cells)
	}
	if g.Repeated > 1 {
		p.Note += fmt.Sprintf("; medians of up to %d", g.Repeated)
	}
	p.Left = []scene.Layer{{Name: "rows", Unit: scene.Pixels}}
	for _, y := range g.YS {
		p.Left[0].Texts = append(p.Left[0].Texts, sideLabel(y, 0))
	}
	return p
}

func cellColor(share float64) uint8 { return uint8(min(max(share, 0), 1) * (cellColors - 1)) }

// cellSize is the width and height of a cell on a body of some width.
func (g *Grid) cellSize(width float64) (wide, high float64) {
	wide = width / float64(len(g.XS))
	highest := maxGridHeight / float64(len(g.YS))
	return wide, max(min(wide*0.8, maxCellHeight, highest), min(wide, highest, 12))
}

// draw fills the body of a panel, the rows from the bottom up. Values are
// written in one size in all maps of a figure, or in none.
func (g *Grid) draw(p *scene.Panel, s *shading, width, font float64) {
	wide, high := g.cellSize(width)
	p.Height = high * float64(len(g.YS))
	cells := scene.Rects{Palette: scene.Sequential(cellColors), Edges: scene.Crisp}
	none := scene.Rects{Palette: []scene.Color{scene.Lane}, Edges: scene.Crisp}
	texts := scene.Layer{Name: "values"}
	for row, line := range g.Cell {
		y := p.Height - high*float64(row+1)
		for x, v := range line {
			if math.IsNaN(v) {
				none.Add(float64(x), float64(x+1), float32(y), float32(high), 0)
				continue
			}
			color := cellColor(s.share(v))
			cells.Add(float64(x), float64(x+1), float32(y), float32(high), color)
			if on := cells.Palette[color]; font >= minCellFont {
				texts.Texts = append(texts.Texts, scene.Text{X: float64(x) + 0.5, Y: float32(y + high/2), S: s.write(v), Size: float32(font),
					Color: scene.InkOn(on), On: on, Anchor: scene.Middle})
			}
		}
	}
	p.Layers = []scene.Layer{{Name: "cells", Rects: []scene.Rects{cells, none}}, texts, g.markLeast(p.Height, high)}
	p.X.Ticks = g.columnTicks(wide)
	p.Left = []scene.Layer{g.rowLabels(p.Height, high)}
}

// fontOf is the size at which every value fits into its cell.
func (g *Grid) fontOf(s *shading, wide, high float64) float64 {
	widest := 0.0
	for _, row := range g.Cell {
		for _, v := range row {
			if !math.IsNaN(v) {
				widest = max(widest, scene.TextWidth(s.write(v), 100, false))
			}
		}
	}
	return min(maxCellFont, high*0.7, (wide-cellPad)/widest*100)
}

// markLeast frames the cell of the min value: of times it is the best.
func (g *Grid) markLeast(height, high float64) scene.Layer {
	e := g.extremes()
	y0, y1 := float32(height-high*float64(e.lowY+1)), float32(height-high*float64(e.lowY))
	return scene.Layer{Name: "least", Lines: []scene.Line{outline(float64(e.lowX), float64(e.lowX+1), y0, y1, highlight, 2)}}
}

// columnTicks labels as many columns as have room.
func (g *Grid) columnTicks(wide float64) (ticks []scene.Tick) {
	widest := 0.0
	for _, name := range g.XS {
		widest = max(widest, scene.TextWidth(name, 11, false))
	}
	every := max(1, int(math.Ceil((widest+6)/wide)))
	for x := 0; x < len(g.XS); x += every {
		ticks = append(ticks, scene.Tick{At: float64(x) + 0.5, Label: g.XS[x]})
	}
	return ticks
}

func (g *Grid) rowLabels(height, high float64) scene.Layer {
	l := scene.Layer{Name: "rows", Unit: scene.Pixels}
	every := max(1, int(math.Ceil((labelFont+2)/high)))
	for y := 0; y < len(g.YS); y += every {
		l.Texts = append(l.Texts, sideLabel(g.YS[y], float32(height-high*(float64(y)+0.5))))
	}
	return l
}
