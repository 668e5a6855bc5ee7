package render

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"math"
	"strings"

	"dagscope/show/scene"
)

// PNG paints a page as an image of o.Scale device pixels per page pixel.
// Rectangles are painted exactly: a pixel takes each colour by the share of it
// that is covered, and edges that meet inside a pixel add up without the
// background shining through.
func PNG(w io.Writer, p *scene.Page, o Options) error {
	if pixels := p.W * p.H * o.scale() * o.scale(); pixels > float64(o.pixels()) {
		return fmt.Errorf("write png: found an image of %.0f by %.0f pixels, wanted at most %d million: use a smaller scale",
			p.W*o.scale(), p.H*o.scale(), o.pixels()/1_000_000)
	}
	var buf bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.DefaultCompression}
	img := newBanded(p, o, bandPixels)
	if img.err != nil {
		return fmt.Errorf("write png: %w", img.err)
	}
	shown := image.Image(img)
	if img.rows == img.bounds.Dy() {
		shown = img.raster.img // whole: the encoder has a quick way for it
	}
	if err := errors.Join(encoder.Encode(&stopping{&buf, o}, shown), img.err); err != nil {
		return fmt.Errorf("write png: %w", err)
	}
	if _, err := w.Write(withText(buf.Bytes(), p, o.scale())); err != nil {
		return fmt.Errorf("write png: %w", err)
	}
	return nil
}

// stopping ends the encoder, which asks nobody, when Stop says so.
type stopping struct {
	to *bytes.Buffer
	o  Options
}

func (s *stopping) Write(b []byte) (int, error) {
	if s.o.Stop != nil {
		if err := s.o.Stop(); err != nil {
			return 0, err
		}
	}
	return s.to.Write(b)
}

// maxPixels bounds the time that an image takes; its memory is that of a band.
const maxPixels = 250_000_000

// Image paints a page into memory.
func Image(p *scene.Page, o Options) *image.RGBA {
	r := newRaster(boundsOf(p, o), o.scale())
	r.paint(p, Options{}) // without Stop it does not fail
	return r.img
}

func (r *raster) op(o *scene.Op) {
	clip := r.img.Bounds()
	if !o.Clip.Empty() {
		clip = clip.Intersect(image.Rect(
			int(math.Floor(o.Clip.X0*r.scale)), int(math.Floor(o.Clip.Y0*r.scale)),
			int(math.Ceil(o.Clip.X1*r.scale)), int(math.Ceil(o.Clip.Y1*r.scale))))
	}
	switch {
	case o.Boxes != nil && o.Boxes.Edges == scene.Blend:
		r.blendBoxes(o.Boxes)
	case o.Boxes != nil:
		r.abutBoxes(o.Boxes)
	case o.Path != nil:
		r.path(o.Path, clip)
	case o.Label != nil:
		r.label(o.Label, clip)
	}
}

// withText inserts what comes between the header (after 8 bytes of signature
// and 25 of the header chunk) and the image data: the resolution at which a
// page pixel is 1/96 inch, the title and the recipe.
func withText(file []byte, p *scene.Page, scale float64) []byte {
	const header = 8 + 25
	out := append([]byte{}, file[:header]...)
	perMetre := uint32(math.Round(96 * scale / 0.0254))
	physical := binary.BigEndian.AppendUint32([]byte("pHYs"), perMetre)
	out = appendChunk(out, append(binary.BigEndian.AppendUint32(physical, perMetre), 1))
	if p.Title != "" {
		out = appendText(out, "Title", p.Title)
	}
	if text := recipeText(p); text != "" {
		out = appendText(out, pngRecipe, text)
	}
	return append(out, file[header:]...)
}

// appendText appends a text chunk: tEXt, which every program reads, for ASCII
// and uncompressed iTXt for the rest.
func appendText(out []byte, keyword, text string) []byte {
	if strings.IndexFunc(text, func(r rune) bool { return r > '~' }) < 0 {
		return appendChunk(out, append(append([]byte("tEXt"+keyword), 0), text...))
	}
	data := append([]byte("iTXt"+keyword), 0, 0, 0, 0, 0) // end of keyword, not compressed, method, no language, no translation
	return appendChunk(out, append(data, text...))
}

// appendChunk appends a chunk whose data begins with its type.
func appendChunk(out, data []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(data)-4))
	out = append(out, data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(data))
}
