package render

import (
	"image"
	"math"

	"dagscope/show/scene"
)

// A box covers whole pixels inside and parts of pixels along its edges. The
// coverage of a pixel is the product of its horizontal and its vertical share,
// so a box needs two short tables and no rasteriser.

// span is the coverage of pixels along one direction: pixel first is covered
// by head, pixel last by tail, those between fully. first == last has head
// only.
type span struct {
	first, last int
	head, tail  float64
}

func spanOf(a, b float64, limit int) (span, bool) {
	a, b = max(a, 0), min(b, float64(limit))
	if b <= a {
		return span{}, false
	}
	s := span{first: int(a), last: int(math.Ceil(b)) - 1}
	if s.first == s.last {
		s.head = b - a
		return s, true
	}
	s.head = float64(s.first+1) - a
	s.tail = b - float64(s.last)
	return s, true
}

func (s span) at(i int) float64 {
	switch i {
	case s.first:
		return s.head
	case s.last:
		return s.tail
	}
	return 1
}

// blendBoxes paints each box over what is there.
func (r *raster) blendBoxes(b *scene.Boxes) {
	for i := range b.X0 {
		c := b.Palette[b.Color[i]]
		r.eachPixel(b, i, func(pix []uint8, share float64) { over(pix, c, share*c.Opacity()) })
	}
}

// eachPixel calls f for the pixels that box i touches, with their coverage.
func (r *raster) eachPixel(b *scene.Boxes, i int, f func(pix []uint8, share float64)) {
	area := r.img.Rect
	if b.Y1[i]*r.scale <= float64(area.Min.Y) {
		return
	}
	h, ok1 := spanOf(b.X0[i]*r.scale, b.X1[i]*r.scale, area.Max.X)
	v, ok2 := spanOf(b.Y0[i]*r.scale, b.Y1[i]*r.scale, area.Max.Y)
	if !ok1 || !ok2 {
		return
	}
	for y := max(v.first, area.Min.Y); y <= v.last; y++ {
		row := r.img.Pix[(y-area.Min.Y)*r.img.Stride:]
		cy := v.at(y)
		for x := h.first; x <= h.last; x++ {
			f(row[4*x:4*x+4:4*x+4], cy*h.at(x))
		}
	}
}

// over paints a colour over an opaque pixel.
func over(pix []uint8, c scene.Color, share float64) {
	r, g, b, _ := c.Parts()
	a := uint32(share*256 + 0.5)
	pix[0] = uint8((uint32(pix[0])*(256-a) + uint32(r)*a) >> 8)
	pix[1] = uint8((uint32(pix[1])*(256-a) + uint32(g)*a) >> 8)
	pix[2] = uint8((uint32(pix[2])*(256-a) + uint32(b)*a) >> 8)
}

// abutBoxes adds all boxes up on a transparent layer and paints that once, so
// that two boxes that share a pixel cover it fully.
func (r *raster) abutBoxes(b *scene.Boxes) {
	area := r.cover(b)
	if r.layer == nil {
		r.layer = image.NewRGBA(r.img.Rect)
	}
	page := r.img
	r.img = r.layer
	for i := range b.X0 {
		c := b.Palette[b.Color[i]]
		r.eachPixel(b, i, func(pix []uint8, share float64) { add(pix, c, share*c.Opacity()) })
	}
	r.img = page
	r.flatten(area)
}

// cover is the box of pixels that boxes touch.
func (r *raster) cover(b *scene.Boxes) image.Rectangle {
	all := scene.Rectangle{X0: math.Inf(1), Y0: math.Inf(1), X1: math.Inf(-1), Y1: math.Inf(-1)}
	for i := range b.X0 {
		all = scene.Rectangle{X0: min(all.X0, b.X0[i]), Y0: min(all.Y0, b.Y0[i]),
			X1: max(all.X1, b.X1[i]), Y1: max(all.Y1, b.Y1[i])}
	}
	if all.Empty() {
		return image.Rectangle{}
	}
	return image.Rect(int(math.Floor(all.X0*r.scale)), int(math.Floor(all.Y0*r.scale)),
		int(math.Ceil(all.X1*r.scale)), int(math.Ceil(all.Y1*r.scale))).Intersect(r.img.Bounds())
}

// add adds a share of a colour to a premultiplied pixel, up to full coverage.
func add(pix []uint8, c scene.Color, share float64) {
	r, g, b, _ := c.Parts()
	for k, v := range [4]uint8{r, g, b, 255} {
		pix[k] = uint8(min(255, float64(pix[k])+float64(v)*share+0.5))
	}
}

// flatten paints the layer over the page within an area and clears it.
func (r *raster) flatten(area image.Rectangle) {
	for y := area.Min.Y; y < area.Max.Y; y++ {
		from, to := r.img.PixOffset(area.Min.X, y), r.img.PixOffset(area.Max.X, y)
		page, layer := r.img.Pix[from:to], r.layer.Pix[from:to]
		for i := 0; i+3 < len(page); i += 4 {
			a := uint32(layer[i+3])
			if a == 0 {
				continue
			}
			for k := range 3 {
				page[i+k] = uint8(min(255, uint32(layer[i+k])+uint32(page[i+k])*(255-a)/255))
			}
		}
		clear(layer)
	}
}
