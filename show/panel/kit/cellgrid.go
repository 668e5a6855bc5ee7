package kit

import (
	"math"
	"strconv"
	"strings"

	"dagscope/show/panel/core"
	"dagscope/show/scene"
)

// CellGrid is a square of cells in the body of a panel with an axis in pixels:
// one of several that stand side by side and share their rows.
type CellGrid struct {
	columns, rows int
	left, top     float64 // of the cells, pixels
	cell          float64 // width of a cell
	high          float64 // height of a cell
	title         string  // above it
	room          float64 // for the title
}

// Room around cells, pixels.
const (
	gridTitle = 17 // above the cells
	gridGap   = 46 // between grids
	gridFoot  = 4
)

// PlaceGrids places grids of equal size side by side: as large as the width
// allows, cells at most so many pixels wide; square where the height is not
// asked for.
func PlaceGrids(titles []string, columns, rows int, q core.Query, largest float64) (grids []CellGrid, height float64) {
	n := float64(len(titles))
	room := (float64(max(q.Width, 1)) - gridGap*(n-1)) / n
	cell := min(max(room, 8)/float64(columns), largest)
	high := min(cell, tallestGrid/float64(rows))
	cell = min(cell, max(high, cell/3))
	height = gridTitle + gridFoot + max(high*float64(rows), 40)
	if q.Height > 0 {
		height = q.Height
		high = max(height-gridTitle-gridFoot, 1) / float64(rows)
	}
	for i, title := range titles {
		grids = append(grids, CellGrid{columns: columns, rows: rows, left: float64(i) * (cell*float64(columns) + gridGap), top: gridTitle,
			cell: cell, high: high, title: title})
		g := &grids[i]
		g.room = cell*float64(columns) + gridGap - 6
		if i == len(titles)-1 { // its title may go on to the edge
			g.room = max(float64(q.Width)-g.left-4, 0)
		}
	}
	return grids, height
}

const (
	tallestGrid   = 430
	leastCellFont = 7.5
	widestName    = 96 // pixels of the name of a row or column
)

// Heading writes the title of a grid, or what comes before " from " or a comma
// where there is no room for all of it.
func (g *CellGrid) Heading() scene.Text {
	title := g.title
	for _, before := range []string{" from ", ", "} {
		if scene.TextWidth(title, 11, false) > g.room {
			title, _, _ = strings.Cut(title, before)
		}
	}
	return scene.Text{X: g.left + 2, Y: gridTitle / 2, Halo: true, S: scene.Ellipsis(title, 11, false, g.room), Size: 11, Color: scene.Ink}
}

// Back is the paper of the cells.
func (g *CellGrid) Back() scene.Rects {
	r := scene.Rects{Palette: []scene.Color{scene.Lane}, Edges: scene.Crisp}
	r.Add(g.left, g.left+g.cell*float64(g.columns), float32(g.top), float32(g.high*float64(g.rows)), 0)
	return r
}

// Add fills a cell.
func (g *CellGrid) Add(to *scene.Rects, column, row int, color uint8) {
	gap := 0.0
	if min(g.cell, g.high) > 6 {
		gap = 1
	}
	x, y := g.left+g.cell*float64(column), g.top+g.high*float64(row)
	to.Add(x, x+g.cell-gap, float32(y), float32(g.high-gap), color)
}

// Halves fills the upper and the lower half of a cell.
func (g *CellGrid) Halves(to *scene.Rects, column, row int, upper, lower uint8) {
	first := len(to.X0)
	g.Add(to, column, row, upper)
	h := to.H[first] / 2
	to.H[first] = h
	to.Add(to.X0[first], to.X1[first], to.Y[first]+h, h, lower)
}

// leastFrame is the side of a frame around a cell that may be smaller.
const leastFrame = 9

// Frame is a frame around a cell.
func (g *CellGrid) Frame(column, row int) scene.Rects {
	const width = 1.5
	x, y := g.left+g.cell*(float64(column)+0.5), g.top+g.high*(float64(row)+0.5)
	w, h := max(g.cell, leastFrame)/2, max(g.high, leastFrame)/2
	r := scene.Rects{Palette: []scene.Color{scene.Ink}}
	r.Add(x-w, x+w, float32(y-h), width, 0)
	r.Add(x-w, x+w, float32(y+h)-width, width, 0)
	r.Add(x-w, x-w+width, float32(y-h), float32(2*h), 0)
	r.Add(x+w-width, x+w, float32(y-h), float32(2*h), 0)
	return r
}

// Text writes into a cell where it has room.
func (g *CellGrid) Text(to *scene.Layer, column, row int, s string, on scene.Color) {
	g.write(to, column, row, 0.5, g.high, s, on)
}

// TextIn writes into a half of a cell, whose middle is at a share of its height.
func (g *CellGrid) TextIn(to *scene.Layer, column, row int, at float64, s string, on scene.Color) {
	g.write(to, column, row, at, g.high/2, s, on)
}

func (g *CellGrid) write(to *scene.Layer, column, row int, at, high float64, s string, on scene.Color) {
	size := float32(min(10.5, high*0.62))
	if size < leastCellFont || scene.TextWidth(s, size, false) > g.cell-4 {
		return
	}
	to.Texts = append(to.Texts, scene.Text{X: g.left + g.cell*(float64(column)+0.5), Y: float32(g.top + g.high*(float64(row)+at)), S: s, Size: size,
		Color: inkOn(on), On: on, Anchor: scene.Middle})
}

// inkOn is the ink that can be read on a fill.
func inkOn(c scene.Color) scene.Color {
	r, g, b, _ := c.Parts()
	if 0.299*float64(r)+0.587*float64(g)+0.114*float64(b) < 140 {
		return scene.White
	}
	return scene.Ink
}

// axis labels the columns of all grids, as far as there is room.
func GridAxis(grids []CellGrid, q core.Query, label string, name func(column int) string) *scene.Axis {
	a := &scene.Axis{Min: 0, Max: float64(max(q.Width, 1)), Label: label}
	widest := 0.0
	names := make([]string, grids[0].columns)
	for c := range names {
		names[c] = scene.Ellipsis(name(c), 11, false, widestName)
		widest = max(widest, scene.TextWidth(names[c], 11, false))
	}
	every := max(1, int(math.Ceil((widest+6)/grids[0].cell)))
	for i := range grids {
		g := &grids[i]
		for c := 0; c < g.columns; c += every {
			a.Ticks = append(a.Ticks, scene.Tick{At: g.left + g.cell*(float64(c)+0.5), Label: names[c]})
		}
	}
	return a
}

// RowNames labels the rows left of the body, as far as there is room.
func RowNames(g *CellGrid, heading string, name func(row int) string) scene.Layer {
	l := scene.Layer{Name: "rows", Unit: scene.Pixels}
	every := max(1, int(math.Ceil(11/g.high)))
	for r := 0; r < g.rows; r += every {
		l.Texts = append(l.Texts, scene.Text{X: -LabelAway, Y: float32(g.top + g.high*(float64(r)+0.5)), S: scene.Ellipsis(name(r), 10.5, false, widestName), Size: 10.5, Color: scene.Ink, Anchor: scene.End})
	}
	if heading != "" {
		l.Texts = append(l.Texts, scene.Text{X: -LabelAway, Y: gridTitle / 2, S: heading, Size: 10, Color: scene.Soft, Anchor: scene.End})
	}
	return l
}

// Ramp is the tints of a colour from hardly any to more than all of it.
func Ramp(c scene.Color) (palette []scene.Color) {
	const steps = 32
	for i := range steps {
		share := 0.10 + 0.90*float64(i)/(steps-1)
		if share <= 0.8 {
			palette = append(palette, c.Mix(scene.White, 1-share/0.8))
		} else {
			palette = append(palette, c.Mix(scene.Ink, (share-0.8)*2))
		}
	}
	return palette
}

// TintOf is the tint of a value.
func TintOf(palette []scene.Color, v, most float64) uint8 {
	if !(most > 0) {
		return 0
	}
	return uint8(min(max(v/most, 0), 1) * float64(len(palette)-1))
}

// Ordinal writes a row or column number.
func Ordinal(i int) string { return strconv.Itoa(i) }

// Colours of ramps are among those that drawings are known to mix tints of.
var (
	BytesColor = scene.RGB(0x0072b2)
	CountColor = scene.RGB(0x009e73)
	DelayColor = scene.RGB(0xd55e00)
)
