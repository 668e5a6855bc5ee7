package serve

import (
	"encoding/binary"
	"math"

	"dagscope/show/scene"
)

// Tiles carry the layers of a body as columns of small numbers. All numbers are
// LEB128 (u) or zigzag LEB128 (s), colours four bytes R, G, B, A; x counts in
// 1/64 px from the left edge of the tile, y and heights in 1/16 px from the top
// of the body:
//
//	"DST1"
//	u strings, each u bytes and UTF-8
//	u layers, each
//	  u name (a string)
//	  u groups of rectangles, each: u colours and those; colour of the hatching;
//	    u least width (1/64 px); u edges; u n; the columns s x0 − the one before,
//	    u x1 − x0, s y + h − the y before, u h, u colour
//	  u areas, each: colour; u step; u n; the columns s x − the one before,
//	    s y0 − the one before, s y1 − y0
//	  u lines, each: colour; u width (1/16 px); u step; u dashes and those
//	    (1/16 px); u n; the columns s x − the one before, s y − the one before
//	  u groups of arrows, each: colour; u width; u length of the head (1/16 px);
//	    u n; the columns s x0 − the one before, s x1 − x0, s y0 − the one before,
//	    s y1 − y0
//	  u texts, each: s x; s y; u string; u size (1/16 px); colour; u flags
//	    (1 bold, 2 and 4 the anchor, 8 halo); colour that it stands on; u room
//	    (1/64 px, 0 for any); s rotation (degrees)
//
// What is before a first row counts from 0. A colour of four zeros is none.
// Rectangles that are stacked differ by 0 in the third column, and are painted
// without gaps as they are stored without gaps.

// tileFormat is the version of the encoding; it is part of ETags.
const tileFormat = "DST1"

// Units of tiles per pixel.
const (
	xUnits = 64
	yUnits = 16
)

// section is a part of a drawing with its place in the tile: values of the axis
// from Min to Max lie from X0 to X1 pixels. What is drawn is cut to the pixels
// from Left to Right.
type section struct {
	Min, Max    float64
	X0, X1      float64
	Left, Right float64
}

func (s *section) scale() float64 { return (s.X1 - s.X0) / (s.Max - s.Min) }

// x places a horizontal coordinate, in units of tiles.
func (s *section) x(v float64, u scene.Unit) int32 {
	if u == scene.Pixels {
		return units((s.X0 + v) * xUnits)
	}
	return units((s.X0 + (v-s.Min)*s.scale()) * xUnits)
}

// farthest keeps coordinates in the range of 32-bit numbers, and differences of
// them too.
const farthest = 1 << 29

func units(v float64) int32 {
	if v != v {
		return 0
	}
	return int32(math.Round(min(max(v, -farthest), farthest)))
}

func height(v float32) int32 { return units(float64(v) * yUnits) }

// tileWriter collects layers.
type tileWriter struct {
	paint   *paint
	grain   int32 // what heights of shares are multiples of, in units of tiles
	layers  int
	body    []byte
	strings []string
	index   map[string]int
	rects   rectColumns
}

func newTileWriter(p *paint) *tileWriter {
	return &tileWriter{paint: p, grain: 1, index: map[string]int{}}
}

// bytes is the finished tile.
func (w *tileWriter) bytes() []byte {
	out := append(make([]byte, 0, len(w.body)+256), tileFormat...)
	out = binary.AppendUvarint(out, uint64(len(w.strings)))
	for _, s := range w.strings {
		out = binary.AppendUvarint(out, uint64(len(s)))
		out = append(out, s...)
	}
	out = binary.AppendUvarint(out, uint64(w.layers))
	return append(out, w.body...)
}

func (w *tileWriter) u(v int)       { w.body = binary.AppendUvarint(w.body, uint64(max(v, 0))) }
func (w *tileWriter) s(v int32)     { w.body = binary.AppendVarint(w.body, int64(v)) }
func (w *tileWriter) text(s string) { w.u(w.intern(s)) }

func (w *tileWriter) intern(s string) int {
	s = validText(s)
	i, ok := w.index[s]
	if !ok {
		i = len(w.strings)
		w.strings, w.index[s] = append(w.strings, s), i
	}
	return i
}

func (w *tileWriter) color(c scene.Color) {
	r, g, b, a := w.paint.of(c).Parts()
	w.body = append(w.body, r, g, b, a)
}

// group writes a number of things and the things: emit adds those that can be
// seen and reports whether there were any.
func group[T any](w *tileWriter, of []T, emit func(*T) bool) bool {
	outer := w.body
	w.body = nil
	n := 0
	for i := range of {
		if emit(&of[i]) {
			n++
		}
	}
	inner := w.body
	w.body = outer
	w.u(n)
	w.body = append(w.body, inner...)
	return n > 0
}

// layer adds a layer of a section, unless nothing of it can be seen.
func (w *tileWriter) layer(l *scene.Layer, at *section) {
	before, known := len(w.body), len(w.strings)
	w.text(l.Name)
	some := group(w, l.Rects, func(r *scene.Rects) bool { return w.rectGroup(r, l.Unit, at) })
	some = group(w, l.Areas, func(a *scene.Area) bool { return w.area(a, l.Unit, at) }) || some
	some = group(w, l.Lines, func(line *scene.Line) bool { return w.line(line, l.Unit, at) }) || some
	some = group(w, l.Arrows, func(a *scene.Arrows) bool { return w.arrows(a, l.Unit, at) }) || some
	some = group(w, l.Texts, func(t *scene.Text) bool { return w.label(t, l.Unit, at) }) || some
	if some {
		w.layers++
		return
	}
	w.body = w.body[:before]
	for _, s := range w.strings[known:] {
		delete(w.index, s)
	}
	w.strings = w.strings[:known]
}

const (
	flagBold   = 1
	flagAnchor = 1 // shift
	flagHalo   = 8
)

func (w *tileWriter) label(t *scene.Text, u scene.Unit, at *section) bool {
	x := at.x(t.X, u)
	room := float64(0)
	if t.Room > 0 && u == scene.OnAxis {
		room = max(1, t.Room*at.scale()*xUnits)
	}
	if t.S == "" || !reaches(t, float64(x)/xUnits, at) {
		return false
	}
	flags := int(t.Anchor) << flagAnchor
	if t.Bold {
		flags |= flagBold
	}
	if t.Halo {
		flags |= flagHalo
	}
	w.s(x)
	w.s(height(t.Y))
	w.text(t.S)
	w.u(int(height(t.Size)))
	r, g, b, a := w.paint.text(t.Color, t.On).Parts()
	w.body = append(w.body, r, g, b, a)
	w.u(flags)
	w.color(t.On)
	w.u(int(units(room)))
	w.s(int32(math.Round(float64(t.Rotate))))
	return true
}

// reaches reports whether some of a text can be seen in a section.
func reaches(t *scene.Text, x float64, at *section) bool {
	width := scene.TextWidth(t.S, t.Size, t.Bold) + 2*float64(t.Size)
	return x+width >= at.Left && x-width <= at.Right
}
