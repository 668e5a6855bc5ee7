package serve

import (
	"encoding/binary"

	"dagscope/show/scene"
)

// rectColumns are rectangles in units of tiles.
type rectColumns struct {
	x0, x1, y, h []int32
	color        []uint8 // index into the palette of the scene
	grain        int32   // what edges are multiples of
}

func (c *rectColumns) reset() {
	c.x0, c.x1, c.y, c.h, c.color = c.x0[:0], c.x1[:0], c.y[:0], c.h[:0], c.color[:0]
}

func (c *rectColumns) add(x0, x1, y, h int32, color uint8) {
	c.x0, c.x1 = append(c.x0, x0), append(c.x1, x1)
	c.y, c.h = append(c.y, y), append(c.h, h)
	c.color = append(c.color, color)
}

// neighbour is what a rectangle must have in common with the one left of it to
// be one with it.
type neighbour struct {
	y, h, x1 int32
	color    uint8
}

// rectGroup adds those of the rectangles that can be seen.
func (w *tileWriter) rectGroup(r *scene.Rects, u scene.Unit, at *section) bool {
	c := &w.rects
	c.reset()
	if c.grain = 1; r.Edges == scene.Abut {
		c.grain = w.grain
	}
	c.quantise(r, u, at)
	if len(c.x0) == 0 {
		return false
	}
	palette, index := used(r.Palette, c.color)
	w.u(len(palette))
	for _, p := range palette {
		w.color(p)
	}
	w.color(r.Hatch)
	w.u(int(units(float64(r.MinWidth) * xUnits)))
	w.u(int(r.Edges))
	w.u(len(c.x0))
	w.columns(c, index)
	return true
}

// used are the colours of a palette that occur, and their new numbers.
func used(palette []scene.Color, colors []uint8) (kept []scene.Color, index [256]uint8) {
	var seen [256]bool
	for _, c := range colors {
		seen[c] = true
	}
	for i := range palette {
		if i < len(seen) && seen[i] {
			index[i] = uint8(len(kept))
			kept = append(kept, palette[i])
		}
	}
	return kept, index
}

func (w *tileWriter) columns(c *rectColumns, index [256]uint8) {
	out, last := w.body, int32(0)
	for _, x := range c.x0 {
		out = binary.AppendVarint(out, int64(x-last))
		last = x
	}
	for i, x := range c.x1 {
		out = binary.AppendUvarint(out, uint64(x-c.x0[i]))
	}
	last = 0
	for i, y := range c.y {
		out = binary.AppendVarint(out, int64(y+c.h[i]-last))
		last = y
	}
	for _, h := range c.h {
		out = binary.AppendUvarint(out, uint64(h))
	}
	for _, color := range c.color {
		out = binary.AppendUvarint(out, uint64(index[color]))
	}
	w.body = out
}

// quantise rounds the edges of rectangles, so that what meets still meets; cuts
// them to the section and joins those that look like one.
func (c *rectColumns) quantise(r *scene.Rects, u scene.Unit, at *section) {
	left, right := units(at.Left*xUnits), units(at.Right*xUnits)
	least := units(float64(r.MinWidth) * xUnits)
	joins := r.Edges != scene.Blend && least == 0 && r.Hatch == scene.None
	var open map[neighbour]int
	if joins {
		open = make(map[neighbour]int, 64)
	}
	for i := range r.X0 {
		x0 := at.x(r.X0[i], u)
		x1 := max(x0, at.x(r.X1[i], u))
		if x1-x0 < least { // widened about its middle by the painter
			if half := (least + 1) / 2; (x0+x1)/2+half < left || (x0+x1)/2-half > right {
				continue
			}
		} else if x0, x1 = max(x0, left), min(x1, right); x1 <= x0 {
			continue
		}
		y, h := c.heights(r, i, x0)
		if h <= 0 {
			continue
		}
		if joins {
			if j, ok := open[neighbour{y, h, x0, r.Color[i]}]; ok {
				delete(open, neighbour{y, h, x0, r.Color[i]})
				c.x1[j] = x1
				open[neighbour{y, h, x1, r.Color[i]}] = j
				continue
			}
			open[neighbour{y, h, x1, r.Color[i]}] = len(c.x0)
		}
		c.add(x0, x1, y, h, r.Color[i])
	}
}

// heights rounds the upper and the lower edge of a rectangle. One that stands on
// the one before, but for the rounding of sums, still does.
func (c *rectColumns) heights(r *scene.Rects, i int, x0 int32) (y, h int32) {
	top, bottom := c.edge(r.Y[i]), c.edge(r.Y[i]+r.H[i])
	if i > 0 && r.X0[i-1] == r.X0[i] {
		if above := r.Y[i-1]; near(r.Y[i]+r.H[i], above) {
			bottom = c.edge(above)
		}
		if below := r.Y[i-1] + r.H[i-1]; near(r.Y[i], below) {
			top = c.edge(below)
		}
	}
	return top, bottom - top
}

// edge rounds a height.
func (c *rectColumns) edge(y float32) int32 {
	if c.grain == 1 {
		return height(y)
	}
	return units(float64(y)*yUnits/float64(c.grain)) * c.grain
}

func near(a, b float32) bool { return a-b < 1e-2 && b-a < 1e-2 }
