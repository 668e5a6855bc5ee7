package render

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/draw"
	"image/png"
	"io"
	"math"
	"strings"

	"dagscope/scene"
)

// PNG paints a page as an image of o.Scale device pixels per page pixel.
// Rectangles are painted exactly: a pixel takes each colour by the share of it
// that is covered, and edges that meet inside a pixel add up without the
// background shining through.
func PNG(w io.Writer, p *scene.Page, o Options) error {
	var buf bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.DefaultCompression}
	if err := encoder.Encode(&buf, Image(p, o)); err != nil {
		return fmt.Errorf("write png: %w", err)
	}
	if _, err := w.Write(withText(buf.Bytes(), p)); err != nil {
		return fmt.Errorf("write png: %w", err)
	}
	return nil
}

// Image paints a page into memory.
func Image(p *scene.Page, o Options) *image.RGBA {
	scale := o.Scale
	if scale <= 0 {
		scale = 2
	}
	bounds := image.Rect(0, 0, int(math.Ceil(p.W*scale)), int(math.Ceil(p.H*scale)))
	r := &raster{img: image.NewRGBA(bounds), scale: scale}
	draw.Draw(r.img, bounds, image.White, image.Point{}, draw.Src)
	for i := range p.Ops {
		r.op(&p.Ops[i])
	}
	return r.img
}

type raster struct {
	img   *image.RGBA
	layer *image.RGBA // where abutting rectangles add up, made when needed
	scale float64
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

// withText inserts the title and the recipe as tEXt chunks before the image
// data: after the signature (8 bytes) and the header chunk (25 bytes).
func withText(file []byte, p *scene.Page) []byte {
	const header = 8 + 25
	out := append([]byte{}, file[:header]...)
	if p.Title != "" {
		out = appendChunk(out, "Title", p.Title)
	}
	var recipe []string
	for _, f := range p.Recipe {
		recipe = append(recipe, f.Name+": "+f.Value)
	}
	if len(recipe) > 0 {
		out = appendChunk(out, "Description", strings.Join(recipe, "\n"))
	}
	return append(out, file[header:]...)
}

// appendChunk appends an uncompressed international text chunk (iTXt).
func appendChunk(out []byte, keyword, text string) []byte {
	data := append([]byte("iTXt"), keyword...)
	data = append(data, 0, 0, 0, 0, 0) // end of keyword, not compressed, method, no language, no translation
	data = append(data, text...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(data)-4))
	out = append(out, data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(data))
}
