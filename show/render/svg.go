package render

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"

	"dagscope/show/scene"
)

// SVG writes a page as an SVG 1.1 document. Texts stay texts, with the width
// that was measured as textLength, so that a viewer without the font neither
// cuts nor overlaps them; for viewers that do not know textLength,
// o.Outlines makes them shapes. Rectangles of a colour are one path: a figure
// of tens of thousands stays small, and edges that meet inside a path add up.
func SVG(w io.Writer, p *scene.Page, o Options) error {
	s := &svg{outlines: o.Outlines, clips: make(map[scene.Rectangle]int)}
	s.head(p)
	if err := o.each(p, s.op); err != nil {
		return fmt.Errorf("write svg: %w", err)
	}
	s.unclip()
	s.buf.WriteString("</svg>\n")
	if _, err := w.Write(s.buf.Bytes()); err != nil {
		return fmt.Errorf("write svg: %w", err)
	}
	return nil
}

type svg struct {
	outlines bool
	buf      bytes.Buffer
	clip     scene.Rectangle         // of the open group, empty for none
	clips    map[scene.Rectangle]int // number of the clip path of a box
}

func (s *svg) head(p *scene.Page) {
	fmt.Fprintf(&s.buf, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %[1]s %[2]s" font-family="%s">`+"\n",
		number(p.W), number(p.H), scene.FontFamily)
	if p.Title != "" {
		fmt.Fprintf(&s.buf, "<title>%s</title>\n", escaped(p.Title))
	}
	if len(p.Recipe) > 0 {
		fmt.Fprintf(&s.buf, "%s\n%s%s\n", svgRecipe, escapedLines(recipeText(p)), "</metadata>")
	}
	fmt.Fprintf(&s.buf, `<rect width="%s" height="%s" fill="%s"/>`+"\n", number(p.W), number(p.H), p.Background().Hex())
}

func (s *svg) op(o *scene.Op) {
	switch {
	case o.Boxes != nil: // cut already where it was composed
		s.unclip()
		s.boxes(o.Boxes)
	case o.Path != nil:
		s.clipTo(o.Clip)
		s.path(o.Path)
	case o.Label != nil:
		s.clipTo(o.Clip)
		s.label(o.Label)
	}
}

func (s *svg) clipTo(r scene.Rectangle) {
	if r == s.clip {
		return
	}
	s.unclip()
	if r.Empty() {
		return
	}
	n, known := s.clips[r]
	if !known {
		n = len(s.clips) + 1
		s.clips[r] = n
		fmt.Fprintf(&s.buf, `<clipPath id="c%d"><rect x="%s" y="%s" width="%s" height="%s"/></clipPath>`+"\n",
			n, number(r.X0), number(r.Y0), number(r.X1-r.X0), number(r.Y1-r.Y0))
	}
	fmt.Fprintf(&s.buf, `<g clip-path="url(#c%d)">`+"\n", n)
	s.clip = r
}

func (s *svg) unclip() {
	if !s.clip.Empty() {
		s.buf.WriteString("</g>\n")
	}
	s.clip = scene.Rectangle{}
}

// boxes writes one path per colour, in the order of the palette.
func (s *svg) boxes(b *scene.Boxes) {
	for color, fill := range b.Palette {
		open := false
		for i, c := range b.Color {
			if int(c) != color {
				continue
			}
			if !open {
				s.openPath(fill, b.Edges)
				open = true
			}
			s.box(b.X0[i], b.Y0[i], b.X1[i], b.Y1[i])
		}
		if open {
			s.buf.WriteString(`"/>` + "\n")
		}
	}
}

func (s *svg) openPath(fill scene.Color, e scene.Edges) {
	s.buf.WriteString("<path")
	s.paint("fill", fill)
	if e == scene.Crisp {
		s.buf.WriteString(` shape-rendering="crispEdges"`)
	}
	s.buf.WriteString(` d="`)
}

// box appends a closed rectangle to a path, its corners rounded one by one so
// that neighbours still share their edge.
func (s *svg) box(x0, y0, x1, y1 float64) {
	b := s.buf.AvailableBuffer()
	b = append(b, 'M')
	b = appendNumber(b, x0)
	b = append(b, ' ')
	b = appendNumber(b, y0)
	b = append(b, 'H')
	b = appendNumber(b, x1)
	b = append(b, 'V')
	b = appendNumber(b, y1)
	b = append(b, 'H')
	b = appendNumber(b, x0)
	b = append(b, 'Z')
	s.buf.Write(b)
}

func (s *svg) path(p *scene.Path) {
	s.buf.WriteString("<path")
	s.paint("fill", p.Fill)
	if p.Stroke != scene.None {
		s.paint("stroke", p.Stroke)
		fmt.Fprintf(&s.buf, ` stroke-width="%s"`, number(p.Width))
		s.dash(p.Dash, p.Phase)
	}
	s.buf.WriteString(` d="`)
	for _, line := range p.Lines() {
		for i, pt := range line {
			command := byte('L')
			if i == 0 {
				command = 'M'
			}
			b := append(s.buf.AvailableBuffer(), command)
			b = append(appendNumber(b, pt.X), ' ')
			s.buf.Write(appendNumber(b, pt.Y))
		}
		if p.Closed {
			s.buf.WriteByte('Z')
		}
	}
	s.buf.WriteString(`"/>` + "\n")
}

func (s *svg) dash(d []float64, phase float64) {
	if len(d) == 0 {
		return
	}
	s.buf.WriteString(` stroke-dasharray="`)
	for i, v := range d {
		if i > 0 {
			s.buf.WriteByte(' ')
		}
		s.buf.WriteString(number(v))
	}
	s.buf.WriteByte('"')
	if phase != 0 {
		fmt.Fprintf(&s.buf, ` stroke-dashoffset="%s"`, number(phase))
	}
}

// paint writes a colour attribute; fill="none" must be said, stroke need not.
func (s *svg) paint(attribute string, c scene.Color) {
	if c == scene.None {
		fmt.Fprintf(&s.buf, ` %s="none"`, attribute)
		return
	}
	fmt.Fprintf(&s.buf, ` %s="%s"`, attribute, c.Hex())
	if o := c.Opacity(); o < 1 {
		fmt.Fprintf(&s.buf, ` %s-opacity="%s"`, attribute, number(o))
	}
}

var svgAnchor = [...]string{scene.Start: "", scene.Middle: ` text-anchor="middle"`, scene.End: ` text-anchor="end"`}

func (s *svg) label(l *scene.Label) {
	if s.outlines {
		s.shapes(l)
		return
	}
	fmt.Fprintf(&s.buf, `<text x="%s" y="%s" font-size="%s"`, number(l.X), number(l.Y), number(l.Size))
	s.paint("fill", l.Color)
	s.buf.WriteString(svgAnchor[l.Anchor])
	if l.Bold {
		s.buf.WriteString(` font-weight="bold"`)
	}
	if l.Rotate != 0 {
		fmt.Fprintf(&s.buf, ` transform="rotate(%s %s %s)"`, number(-l.Rotate), number(l.X), number(l.Y))
	}
	fmt.Fprintf(&s.buf, ` textLength="%s" lengthAdjust="spacingAndGlyphs">%s</text>`+"\n", number(l.Width), escaped(l.S))
}

// shapes writes a label as one path of glyph outlines.
func (s *svg) shapes(l *scene.Label) {
	s.buf.WriteString("<path")
	s.paint("fill", l.Color)
	fmt.Fprintf(&s.buf, ` aria-label="%s" d="`, escaped(l.S))
	outlines(svgPen{&s.buf}, l, func(p scene.Point) (x, y float32) { return float32(p.X), float32(p.Y) })
	s.buf.WriteString(`"/>` + "\n")
}

// svgPen writes outlines as path data.
type svgPen struct{ *bytes.Buffer }

func (p svgPen) command(letter byte, coordinates ...float32) {
	b := append(p.AvailableBuffer(), letter)
	for i, v := range coordinates {
		if i > 0 {
			b = append(b, ' ')
		}
		b = appendNumber(b, float64(v))
	}
	p.Write(b)
}

func (p svgPen) MoveTo(x, y float32)           { p.command('M', x, y) }
func (p svgPen) LineTo(x, y float32)           { p.command('L', x, y) }
func (p svgPen) QuadTo(bx, by, cx, cy float32) { p.command('Q', bx, by, cx, cy) }
func (p svgPen) CubeTo(bx, by, cx, cy, dx, dy float32) {
	p.command('C', bx, by, cx, cy, dx, dy)
}
func (p svgPen) ClosePath() { p.WriteByte('Z') }

func escaped(s string) string {
	var b bytes.Buffer
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		panic("render: writing to memory failed: " + err.Error())
	}
	return b.String()
}

// number writes a coordinate with two decimals at most.
func number(v float64) string { return string(appendNumber(nil, v)) }

func appendNumber(b []byte, v float64) []byte {
	n := int64(v*100 + 0.5)
	if v < 0 {
		n = int64(v*100 - 0.5)
	}
	if n < 0 {
		b, n = append(b, '-'), -n
	}
	b = strconv.AppendInt(b, n/100, 10)
	if n %= 100; n != 0 {
		b = append(b, '.', byte('0'+n/10))
		if n%10 != 0 {
			b = append(b, byte('0'+n%10))
		}
	}
	return b
}
