package render

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"dagscope/show/scene"
)

// bandPixels is how many pixels of an image are in memory at a time: a larger one
// is painted in bands from top to bottom, each when the encoder comes to it. Pixels
// of a path that two bands share may differ from those of one image in the last bit.
const bandPixels = 4 << 20

// banded is a page as an image of which one band is painted. The rows must be asked
// for from top to bottom.
type banded struct {
	page   *scene.Page
	raster *raster
	bounds image.Rectangle
	rows   int // of a band
	asked  Options
	err    error // why painting has stopped
	pixel  rgb   // the last that was asked for
}

func newBanded(p *scene.Page, o Options, pixels int) *banded {
	b := &banded{page: p, bounds: boundsOf(p, o), asked: o}
	b.rows = max(1, min(b.bounds.Dy(), pixels/max(1, b.bounds.Dx())))
	b.raster = newRaster(image.Rect(0, 0, b.bounds.Dx(), b.rows), o.scale())
	b.band(0)
	return b
}

func boundsOf(p *scene.Page, o Options) image.Rectangle {
	return image.Rect(0, 0, int(math.Ceil(p.W*o.scale())), int(math.Ceil(p.H*o.scale())))
}

// band paints the band that begins with a row.
func (b *banded) band(top int) {
	area := image.Rect(0, top, b.bounds.Dx(), min(top+b.rows, b.bounds.Dy()))
	b.raster.move(area)
	if b.err == nil {
		b.err = b.raster.paint(b.page, b.asked)
	}
}

// ColorModel is that of the bands.
func (b *banded) ColorModel() color.Model { return color.RGBAModel }

// Bounds are those of the page.
func (b *banded) Bounds() image.Rectangle { return b.bounds }

// Opaque reports that a page has a background.
func (b *banded) Opaque() bool { return true }

// At returns a pixel, which is good until the next is asked for.
func (b *banded) At(x, y int) color.Color {
	if y >= b.raster.img.Rect.Max.Y {
		b.band(y)
	}
	i := b.raster.img.PixOffset(x, y)
	copy(b.pixel[:], b.raster.img.Pix[i:i+3])
	return &b.pixel
}

// rgb is an opaque colour.
type rgb [3]uint8

// RGBA is the colour as package color has it.
func (c *rgb) RGBA() (r, g, b, a uint32) {
	return uint32(c[0]) * 0x101, uint32(c[1]) * 0x101, uint32(c[2]) * 0x101, 0xffff
}

// raster paints a part of a page into memory.
type raster struct {
	img   *image.RGBA
	layer *image.RGBA // where abutting rectangles add up, made when needed
	scale float64
}

func newRaster(area image.Rectangle, scale float64) *raster {
	return &raster{img: image.NewRGBA(area), scale: scale}
}

// move makes the raster one of another area, which is not larger.
func (r *raster) move(area image.Rectangle) {
	r.img.Rect = area
	if r.layer != nil {
		r.layer.Rect = area
	}
}

// paint paints the page, or what of it is in the area; it ends early with the error
// of o.Stop.
func (r *raster) paint(p *scene.Page, o Options) error {
	red, green, blue, _ := p.Background().Parts()
	draw.Draw(r.img, r.img.Rect, image.NewUniform(color.RGBA{red, green, blue, 255}), image.Point{}, draw.Src)
	return o.each(p, r.op)
}
