package heatmap

import (
	"fmt"
	"math"

	"dagscope/show/scene"
)

// Options of [Draw].
type Options struct {
	Title  string
	Width  float64 // of the page, pixels
	Shared bool    // the values share one scale of colours
	Log    bool    // colours by the logarithm of values
	Theme  *scene.Theme
	Recipe []scene.Field
}

// Sizes, pixels.
const (
	tallestCell = 44
	tallestGrid = 420
	largestFont = 10.5
	leastFont   = 7
	cellPad     = 3
	levels      = 250 // colours
	entries     = 5   // of the legend
	labelFont   = 10
)

// Draw makes a figure of heat maps, two side by side where there are several.
// It fails where values have no logarithm that should have one, and where the
// page is too narrow.
func Draw(grids []*Grid, o Options) (*scene.Page, error) {
	f := &scene.Figure{Title: o.Title, Width: o.Width, Recipe: o.Recipe, Theme: o.Theme, Columns: min(len(grids), 2)}
	scales, err := scalesOf(grids, o)
	if err != nil {
		return nil, err
	}
	for i, g := range grids {
		f.Panels = append(f.Panels, frame(g, &scales[i]))
	}
	width, font := f.BodyWidth(), largestFont
	for i, g := range grids {
		wide, high := g.cellSize(width)
		font = min(font, fontOf(g, &scales[i], wide, high))
	}
	for i, g := range grids {
		draw(&f.Panels[i], g, &scales[i], width, font)
	}
	page, err := scene.Compose(f)
	if err != nil {
		return nil, fmt.Errorf("draw heat map: %w", err)
	}
	return page, nil
}

// scalesOf finds the scale of each grid, or one for all.
func scalesOf(grids []*Grid, o Options) ([]scale, error) {
	all := make([]scale, len(grids))
	low, high := math.Inf(1), math.Inf(-1)
	for i, g := range grids {
		e := g.extremes()
		if o.Log && e.low <= 0 {
			return nil, fmt.Errorf("draw heat map: found %v in column %s, want values above 0 for a logarithmic scale", e.low, g.Value)
		}
		all[i] = scale{low: e.low, high: e.high, log: o.Log}
		low, high = min(low, e.low), max(high, e.high)
	}
	for i, g := range grids {
		s := &all[i]
		if o.Shared {
			s.low, s.high = low, high
		}
		greatest := max(math.Abs(s.low), math.Abs(s.high))
		_, s.unit = unitOf(g.Value, greatest)
		s.decimals = decimalsFor(s.low/s.unit.Per, greatest/s.unit.Per)
		if whole(g) && s.unit.Per == 1 {
			s.decimals = 0
		}
	}
	return all, nil
}

// whole tells whether all values are integers.
func whole(g *Grid) bool {
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
func frame(g *Grid, s *scale) scene.Panel {
	title, _ := unitOf(g.Value, s.high)
	p := scene.Panel{ID: g.Value, Title: title, YLabel: titleOf(g.Y), X: &scene.Axis{Min: 0, Max: float64(len(g.XS)), Label: titleOf(g.X)}}
	if s.unit.Name != "" {
		p.Title += " [" + s.unit.Name + "]"
	}
	colors := scene.Sequential(levels)
	for i := range entries {
		share := float64(i) / (entries - 1)
		p.Legend = append(p.Legend, scene.LegendEntry{Label: s.write(s.value(share)), Color: colors[levelOf(share)]})
		if s.high <= s.low {
			break
		}
	}
	e := g.extremes()
	p.Note = fmt.Sprintf("least %s at %s × %s, greatest %s at %s × %s", alone(g.Value, e.low), g.XS[e.lowX], g.YS[e.lowY], alone(g.Value, e.high), g.XS[e.highX], g.YS[e.highY])
	if n := e.cells - e.withValue; n > 0 {
		p.Note += fmt.Sprintf("; %d of %d cells without value", n, e.cells)
	}
	if g.Repeated > 1 {
		p.Note += fmt.Sprintf("; medians of up to %d", g.Repeated)
	}
	p.Left = []scene.Layer{{Name: "rows", Unit: scene.Pixels}}
	for _, y := range g.YS {
		p.Left[0].Texts = append(p.Left[0].Texts, rowLabel(y, 0))
	}
	return p
}

func rowLabel(name string, y float64) scene.Text {
	return scene.Text{X: -6, Y: float32(y), S: name, Size: labelFont, Color: scene.Soft, Anchor: scene.End}
}

func levelOf(share float64) uint8 { return uint8(min(max(share, 0), 1) * (levels - 1)) }

// cellSize is the width and height of a cell on a body of some width.
func (g *Grid) cellSize(width float64) (wide, high float64) {
	wide = width / float64(len(g.XS))
	most := tallestGrid / float64(len(g.YS))
	return wide, max(min(wide*0.8, tallestCell, most), min(wide, most, 12))
}

// draw fills the body of a panel, the rows from the bottom up. Values are
// written in one size in all maps of a figure, or in none.
func draw(p *scene.Panel, g *Grid, s *scale, width, font float64) {
	wide, high := g.cellSize(width)
	p.Height = high * float64(len(g.YS))
	cells := scene.Rects{Palette: scene.Sequential(levels), Edges: scene.Crisp}
	none := scene.Rects{Palette: []scene.Color{scene.Lane}, Edges: scene.Crisp}
	texts := scene.Layer{Name: "values"}
	for row, line := range g.Cell {
		y := p.Height - high*float64(row+1)
		for x, v := range line {
			if math.IsNaN(v) {
				none.Add(float64(x), float64(x+1), float32(y), float32(high), 0)
				continue
			}
			level := levelOf(s.share(v))
			cells.Add(float64(x), float64(x+1), float32(y), float32(high), level)
			if on := cells.Palette[level]; font >= leastFont {
				texts.Texts = append(texts.Texts, scene.Text{X: float64(x) + 0.5, Y: float32(y + high/2), S: s.write(v), Size: float32(font),
					Color: inkOn(on), On: on, Anchor: scene.Middle})
			}
		}
	}
	p.Layers = []scene.Layer{{Name: "cells", Rects: []scene.Rects{cells, none}}, texts, mark(g, p.Height, high)}
	p.X.Ticks = columnTicks(g, wide)
	p.Left = []scene.Layer{rowLabels(g, p.Height, high)}
}

// inkOn is the ink that can be read better on a fill.
func inkOn(fill scene.Color) scene.Color {
	if scene.Contrast(scene.White, fill) > scene.Contrast(scene.Ink, fill) {
		return scene.White
	}
	return scene.Ink
}

// fontOf is the size at which every value fits into its cell.
func fontOf(g *Grid, s *scale, wide, high float64) float64 {
	widest := 0.0
	for _, row := range g.Cell {
		for _, v := range row {
			if !math.IsNaN(v) {
				widest = max(widest, scene.TextWidth(s.write(v), 100, false))
			}
		}
	}
	return min(largestFont, high*0.7, (wide-cellPad)/widest*100)
}

// mark frames the cell of the least value: of times it is the best.
func mark(g *Grid, height, high float64) scene.Layer {
	e := g.extremes()
	x0, x1 := float64(e.lowX), float64(e.lowX+1)
	y0, y1 := float32(height-high*float64(e.lowY+1)), float32(height-high*float64(e.lowY))
	return scene.Layer{Name: "least", Lines: []scene.Line{{X: []float64{x0, x1, x1, x0, x0}, Y: []float32{y0, y0, y1, y1, y0}, Color: scene.RGB(0xd55e00), Width: 2}}}
}

// columnTicks labels as many columns as have room.
func columnTicks(g *Grid, wide float64) (ticks []scene.Tick) {
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

func rowLabels(g *Grid, height, high float64) scene.Layer {
	l := scene.Layer{Name: "rows", Unit: scene.Pixels}
	every := max(1, int(math.Ceil((labelFont+2)/high)))
	for y := 0; y < len(g.YS); y += every {
		l.Texts = append(l.Texts, rowLabel(g.YS[y], height-high*(float64(y)+0.5)))
	}
	return l
}
