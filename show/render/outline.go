package render

import (
	"math"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"dagscope/show/scene"
)

// pen draws outlines; a *vector.Rasterizer is one.
type pen interface {
	MoveTo(x, y float32)
	LineTo(x, y float32)
	QuadTo(bx, by, cx, cy float32)
	CubeTo(bx, by, cx, cy, dx, dy float32)
	ClosePath()
}

// outlines draws the glyphs of a label where the label stands, at any angle;
// device maps the page to the coordinates of the pen.
func outlines(to pen, l *scene.Label, device func(scene.Point) (x, y float32)) {
	font := scene.Font(l.Bold)
	units := float64(font.UnitsPerEm())
	sin, cos := math.Sincos(l.Rotate * math.Pi / 180)
	at := -l.Width * anchorShare[l.Anchor]
	var buf sfnt.Buffer
	for _, c := range l.S {
		glyph(to, font, &buf, c, func(p fixed.Point26_6) (x, y float32) {
			u, v := at+float64(p.X)/units*l.Size, float64(p.Y)/units*l.Size
			return device(scene.Point{X: l.X + u*cos + v*sin, Y: l.Y - u*sin + v*cos})
		})
		at += scene.TextWidth(string(c), float32(l.Size), l.Bold)
	}
}

// glyph draws the outline of a rune, in font units mapped by place.
func glyph(to pen, f *sfnt.Font, buf *sfnt.Buffer, c rune, place func(fixed.Point26_6) (x, y float32)) {
	index, err := f.GlyphIndex(buf, c)
	if err != nil {
		index = 0 // the font's box for what it lacks
	}
	segments, err := f.LoadGlyph(buf, index, fixed.Int26_6(f.UnitsPerEm()), nil)
	if err != nil || len(segments) == 0 {
		return // a glyph without outline, as a space has none
	}
	for i, s := range segments {
		ax, ay := place(s.Args[0])
		bx, by := place(s.Args[1])
		cx, cy := place(s.Args[2])
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if i > 0 {
				to.ClosePath()
			}
			to.MoveTo(ax, ay)
		case sfnt.SegmentOpLineTo:
			to.LineTo(ax, ay)
		case sfnt.SegmentOpQuadTo:
			to.QuadTo(ax, ay, bx, by)
		case sfnt.SegmentOpCubeTo:
			to.CubeTo(ax, ay, bx, by, cx, cy)
		}
	}
	to.ClosePath()
}
