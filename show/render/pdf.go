package render

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"

	"dagscope/show/scene"
)

// points per page pixel: 96 pixels and 72 points to the inch, as in CSS.
const pdfScale = 0.75

// PDF writes a page as a one-page PDF with the used part of the font embedded.
// Rectangles and paths are written as page operators directly; the library
// does the texts, whose glyphs it must know. Options but Stop are not used.
func PDF(w io.Writer, p *scene.Page, o Options) error {
	size := fpdf.SizeType{Wd: p.W * pdfScale, Ht: p.H * pdfScale}
	d := &pdf{doc: fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: size}), height: p.H}
	d.prepare(p)
	if p.Background() != scene.White {
		d.boxes(&scene.Boxes{X1: []float64{p.W}, Y1: []float64{p.H}, X0: []float64{0}, Y0: []float64{0},
			Color: []uint8{0}, Palette: []scene.Color{p.Background()}})
	}
	if err := o.each(p, d.op); err != nil {
		return fmt.Errorf("write pdf: %w", err)
	}
	d.flush()
	if err := d.doc.Output(w); err != nil {
		return fmt.Errorf("write pdf: %w", err)
	}
	return nil
}

type pdf struct {
	doc    *fpdf.Fpdf
	buf    []byte // page operators not yet handed over
	height float64
}

const pdfFont = "liberation"

// prepare sets what comes before the drawing. The dates are fixed and the
// catalogue is sorted: the library would take the clock and a map's order.
func (d *pdf) prepare(p *scene.Page) {
	d.doc.SetCreationDate(time.Unix(0, 0).UTC())
	d.doc.SetModificationDate(time.Unix(0, 0).UTC())
	d.doc.SetCatalogSort(true)
	d.doc.SetAutoPageBreak(false, 0)
	d.doc.SetMargins(0, 0, 0)
	d.doc.SetProducer("dagscope", true)
	d.doc.SetTitle(strings.ToValidUTF8(p.Title, "\ufffd"), true)
	d.doc.SetSubject(recipeText(p), true)
	d.doc.AddUTF8FontFromBytes(pdfFont, "", scene.FontData(false))
	d.doc.AddUTF8FontFromBytes(pdfFont, "B", scene.FontData(true))
	d.doc.AddPage()
}

func (d *pdf) op(o *scene.Op) {
	clipped := !o.Clip.Empty() && o.Boxes == nil // boxes are cut already
	if clipped {
		d.buf = append(d.buf, "q "...)
		d.rectangle(o.Clip)
		d.buf = append(d.buf, "W n\n"...)
	}
	switch {
	case o.Boxes != nil:
		d.boxes(o.Boxes)
	case o.Path != nil:
		d.path(o.Path)
	case o.Label != nil:
		d.label(o.Label)
	}
	if clipped {
		d.buf = append(d.buf, "Q\n"...)
	}
}

// flush hands the operators over to the document.
func (d *pdf) flush() {
	if len(d.buf) > 0 {
		d.doc.RawWriteBuf(bytes.NewReader(d.buf))
		d.buf = d.buf[:0]
	}
}

// point appends a place in PDF units, whose y grows upwards.
func (d *pdf) point(x, y float64) {
	d.number(x * pdfScale)
	d.number((d.height - y) * pdfScale)
}

func (d *pdf) number(v float64) {
	d.buf = append(appendNumber(d.buf, v), ' ')
}

func (d *pdf) rectangle(r scene.Rectangle) {
	d.point(r.X0, r.Y1)
	// Width and height from rounded corners, so that neighbours share edges.
	d.number(rounded(r.X1*pdfScale) - rounded(r.X0*pdfScale))
	d.number(rounded((d.height-r.Y0)*pdfScale) - rounded((d.height-r.Y1)*pdfScale))
	d.buf = append(d.buf, "re\n"...)
}

func rounded(v float64) float64 { return float64(int64(v*100+0.5)) / 100 }

// opacity starts a group with the colour's opacity; the library numbers the
// graphics states. It reports whether endOpacity must follow.
func (d *pdf) opacity(c scene.Color) bool {
	if c.Opacity() >= 1 {
		return false
	}
	d.flush()
	d.doc.SetAlpha(c.Opacity(), "Normal")
	return true
}

func (d *pdf) endOpacity() {
	d.flush()
	d.doc.SetAlpha(1, "Normal")
}

func (d *pdf) color(c scene.Color, operator string) {
	r, g, b, _ := c.Parts()
	for _, v := range [3]uint8{r, g, b} {
		d.buf = fmt.Appendf(d.buf, "%.3f ", float64(v)/255)
	}
	d.buf = append(append(d.buf, operator...), '\n')
}

// boxes writes one path per colour, in the order of the palette.
func (d *pdf) boxes(b *scene.Boxes) {
	for color, fill := range b.Palette {
		open, faded := false, false
		for i, c := range b.Color {
			if int(c) != color {
				continue
			}
			if !open {
				faded = d.opacity(fill)
				d.buf = append(d.buf, "q "...)
				d.color(fill, "rg")
				open = true
			}
			d.rectangle(scene.Rectangle{X0: b.X0[i], Y0: b.Y0[i], X1: b.X1[i], Y1: b.Y1[i]})
		}
		if open {
			d.buf = append(d.buf, "f Q\n"...)
		}
		if faded {
			d.endOpacity()
		}
	}
}

func (d *pdf) path(p *scene.Path) {
	main := p.Fill
	if main == scene.None {
		main = p.Stroke
	}
	faded := d.opacity(main)
	d.buf = append(d.buf, "q "...)
	operator := d.style(p)
	for _, line := range p.Lines() {
		for i, pt := range line {
			d.point(pt.X, pt.Y)
			if i == 0 {
				d.buf = append(d.buf, "m\n"...)
			} else {
				d.buf = append(d.buf, "l\n"...)
			}
		}
		if p.Closed {
			d.buf = append(d.buf, "h\n"...)
		}
	}
	d.buf = append(append(d.buf, operator...), " Q\n"...)
	if faded {
		d.endOpacity()
	}
}

// style sets colours and pen and returns the operator that paints the path.
func (d *pdf) style(p *scene.Path) string {
	if p.Fill != scene.None {
		d.color(p.Fill, "rg")
	}
	if p.Stroke == scene.None {
		return "f"
	}
	d.color(p.Stroke, "RG")
	d.number(p.Width * pdfScale)
	d.buf = append(d.buf, "w 1 j\n"...)
	if len(p.Dash) > 0 {
		d.buf = append(d.buf, '[')
		for _, v := range p.Dash {
			d.number(v * pdfScale)
		}
		d.buf = append(d.buf, "] "...)
		d.number(p.Phase * pdfScale)
		d.buf = append(d.buf, "d\n"...)
	}
	if p.Fill != scene.None {
		return "B"
	}
	return "S"
}

func (d *pdf) label(l *scene.Label) {
	d.flush()
	style := ""
	if l.Bold {
		style = "B"
	}
	r, g, b, _ := l.Color.Parts()
	d.doc.SetFont(pdfFont, style, l.Size*pdfScale)
	d.doc.SetTextColor(int(r), int(g), int(b))
	x, y := l.X*pdfScale, l.Y*pdfScale
	if l.Rotate != 0 {
		d.doc.TransformBegin()
		d.doc.TransformRotate(l.Rotate, x, y)
		defer d.doc.TransformEnd()
	}
	d.doc.Text(x-l.Width*anchorShare[l.Anchor]*pdfScale, y, l.S)
}

var anchorShare = [...]float64{scene.Start: 0, scene.Middle: 0.5, scene.End: 1}
