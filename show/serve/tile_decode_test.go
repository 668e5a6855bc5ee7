package serve

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The decoder of tiles that tests compare with: as slow and plain as the
// description of the format.

type decodedTile struct {
	Strings []string       `json:"strings"`
	Layers  []decodedLayer `json:"layers"`
}

type decodedLayer struct {
	Name   string          `json:"name"`
	Rects  []decodedRects  `json:"rects"`
	Areas  []decodedArea   `json:"areas"`
	Lines  []decodedLine   `json:"lines"`
	Arrows []decodedArrows `json:"arrows"`
	Texts  []decodedText   `json:"texts"`
}

type rgba [4]int

type decodedRects struct {
	Colors   []rgba  `json:"colors"`
	Hatch    rgba    `json:"hatch"`
	MinWidth int64   `json:"minWidth"`
	Edges    int64   `json:"edges"`
	X0       []int64 `json:"x0"`
	X1       []int64 `json:"x1"`
	Y        []int64 `json:"y"`
	H        []int64 `json:"h"`
	Color    []int64 `json:"color"`
}

type decodedArea struct {
	Color rgba    `json:"color"`
	Step  bool    `json:"step"`
	X     []int64 `json:"x"`
	Y0    []int64 `json:"y0"`
	Y1    []int64 `json:"y1"`
}

type decodedLine struct {
	Color rgba    `json:"color"`
	Width int64   `json:"width"`
	Step  bool    `json:"step"`
	Dash  []int64 `json:"dash"`
	X     []int64 `json:"x"`
	Y     []int64 `json:"y"`
}

type decodedArrows struct {
	Color rgba    `json:"color"`
	Width int64   `json:"width"`
	Head  int64   `json:"head"`
	X0    []int64 `json:"x0"`
	X1    []int64 `json:"x1"`
	Y0    []int64 `json:"y0"`
	Y1    []int64 `json:"y1"`
}

type decodedText struct {
	X      int64  `json:"x"`
	Y      int64  `json:"y"`
	S      string `json:"s"`
	Size   int64  `json:"size"`
	Color  rgba   `json:"color"`
	Bold   bool   `json:"bold"`
	Anchor int64  `json:"anchor"`
	Halo   bool   `json:"halo"`
	On     rgba   `json:"on"`
	Room   int64  `json:"room"`
	Rotate int64  `json:"rotate"`
}

// tileReader reads numbers until one is missing.
type tileReader struct {
	data []byte
	err  error
}

func decodeTile(data []byte) (t decodedTile, err error) {
	r := &tileReader{data: data}
	if string(r.take(4)) != tileFormat {
		return t, errors.New("no tile")
	}
	for range r.count(1) {
		t.Strings = append(t.Strings, string(r.take(r.u())))
	}
	text := func() string {
		i := r.u()
		if i >= int64(len(t.Strings)) {
			r.fail("string %d of %d", i, len(t.Strings))
			return ""
		}
		return t.Strings[i]
	}
	for range r.count(6) {
		t.Layers = append(t.Layers, r.layer(text))
	}
	if r.err == nil && len(r.data) > 0 {
		r.fail("%d bytes too many", len(r.data))
	}
	return t, r.err
}

func (r *tileReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
	r.data = nil
}

func (r *tileReader) take(n int64) []byte {
	if n < 0 || n > int64(len(r.data)) {
		r.fail("cut")
		return nil
	}
	out := r.data[:n]
	r.data = r.data[n:]
	return out
}

func (r *tileReader) u() int64 {
	v, n := binary.Uvarint(r.data)
	if n <= 0 || v > 1<<40 {
		r.fail("cut number")
		return 0
	}
	r.data = r.data[n:]
	return int64(v)
}

func (r *tileReader) s() int64 {
	v, n := binary.Varint(r.data)
	if n <= 0 {
		r.fail("cut number")
		return 0
	}
	r.data = r.data[n:]
	return v
}

// count reads a number of things that take at least so many bytes each.
func (r *tileReader) count(least int64) int64 {
	n := r.u()
	if n*least > int64(len(r.data)) {
		r.fail("found %d things in %d bytes", n, len(r.data))
		return 0
	}
	return n
}

func (r *tileReader) color() (c rgba) {
	for i, b := range r.take(4) {
		c[i] = int(b)
	}
	return c
}

func (r *tileReader) layer(text func() string) (l decodedLayer) {
	l.Name = text()
	for range r.count(8) {
		l.Rects = append(l.Rects, r.rects())
	}
	for range r.count(6) {
		l.Areas = append(l.Areas, r.area())
	}
	for range r.count(7) {
		l.Lines = append(l.Lines, r.line())
	}
	for range r.count(7) {
		l.Arrows = append(l.Arrows, r.arrows())
	}
	for range r.count(15) {
		l.Texts = append(l.Texts, r.text(text))
	}
	return l
}

func (r *tileReader) running(n int64) []int64 {
	out, last := make([]int64, 0, n), int64(0)
	for range n {
		last += r.s()
		out = append(out, last)
	}
	return out
}

func (r *tileReader) plus(from []int64, next func() int64) []int64 {
	out := make([]int64, 0, len(from))
	for _, v := range from {
		out = append(out, v+next())
	}
	return out
}

func (r *tileReader) rects() (g decodedRects) {
	for range r.count(4) {
		g.Colors = append(g.Colors, r.color())
	}
	g.Hatch, g.MinWidth, g.Edges = r.color(), r.u(), r.u()
	n := r.count(5)
	g.X0 = r.running(n)
	g.X1 = r.plus(g.X0, r.u)
	lower := make([]int64, n)
	for i := range lower {
		lower[i] = r.s()
	}
	for range n {
		g.H = append(g.H, r.u())
	}
	last := int64(0)
	for i := range n {
		last += lower[i] - g.H[i]
		g.Y = append(g.Y, last)
	}
	for range n {
		g.Color = append(g.Color, r.u())
		if g.Color[len(g.Color)-1] >= int64(len(g.Colors)) {
			r.fail("colour out of range")
			return g
		}
	}
	return g
}

func (r *tileReader) area() (a decodedArea) {
	a.Color, a.Step = r.color(), r.u() == 1
	n := r.count(3)
	a.X, a.Y0 = r.running(n), r.running(n)
	a.Y1 = r.plus(a.Y0, r.s)
	return a
}

func (r *tileReader) line() (l decodedLine) {
	l.Color, l.Width, l.Step = r.color(), r.u(), r.u() == 1
	for range r.count(1) {
		l.Dash = append(l.Dash, r.u())
	}
	n := r.count(2)
	l.X, l.Y = r.running(n), r.running(n)
	return l
}

func (r *tileReader) arrows() (a decodedArrows) {
	a.Color, a.Width, a.Head = r.color(), r.u(), r.u()
	n := r.count(4)
	a.X0 = r.running(n)
	a.X1 = r.plus(a.X0, r.s)
	a.Y0 = r.running(n)
	a.Y1 = r.plus(a.Y0, r.s)
	return a
}

func (r *tileReader) text(text func() string) (t decodedText) {
	t.X, t.Y, t.S, t.Size, t.Color = r.s(), r.s(), text(), r.u(), r.color()
	flags := r.u()
	t.Bold, t.Anchor, t.Halo = flags&1 != 0, flags>>1&3, flags&8 != 0
	t.On, t.Room, t.Rotate = r.color(), r.u(), r.s()
	return t
}
