package render

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"io"
	"slices"

	"dagscope/show/scene"
)

// Animation is a sequence of pages of the same figure.
type Animation struct {
	Frames int
	Page   func(frame int) (*scene.Page, error) // called more than once for some frames
	Delay  int                                  // hundredths of a second that a frame is shown, 10 if zero
}

// GIF paints an animation that begins again when it ends. GIF is what every
// viewer, page and slide plays without a program; its 256 colours are enough for
// figures, which are made of few: the most frequent of some frames are kept,
// others become the nearest of these. Of each frame only the part that changed is kept. It
// holds no recipe.
func GIF(w io.Writer, a Animation, o Options) error {
	if a.Frames <= 0 {
		return fmt.Errorf("write gif: found %d frames, want at least one", a.Frames)
	}
	colors, err := a.palette(o)
	if err != nil {
		return err
	}
	g := &gif.GIF{Config: image.Config{ColorModel: colors}}
	q := quantizer{colors: colors, known: map[uint32]uint8{}}
	var last *image.Paletted
	for i := range a.Frames {
		img, err := a.image(i, o)
		if err != nil {
			return err
		}
		frame := q.image(img)
		part := frame
		if last != nil {
			part = changed(last, frame)
		} else {
			g.Config.Width, g.Config.Height = frame.Rect.Dx(), frame.Rect.Dy()
		}
		part = clipped(part, g.Config.Width, g.Config.Height)
		g.Image, g.Delay, g.Disposal = append(g.Image, part), append(g.Delay, cmp.Or(a.Delay, 10)), append(g.Disposal, gif.DisposalNone)
		last = frame
	}
	if err := gif.EncodeAll(w, g); err != nil {
		return fmt.Errorf("write gif: %w", err)
	}
	return nil
}

func (a *Animation) image(frame int, o Options) (*image.RGBA, error) {
	p, err := a.Page(frame)
	if err != nil {
		return nil, err
	}
	if pixels := p.W * p.H * o.scale() * o.scale(); pixels > maxPixels/10 {
		return nil, fmt.Errorf("write gif: found frames of %.0f by %.0f pixels, wanted at most %d million: use a smaller scale",
			p.W*o.scale(), p.H*o.scale(), maxPixels/10_000_000)
	}
	return Image(p, o), nil
}

// palette counts the colours of a few frames.
func (a *Animation) palette(o Options) (color.Palette, error) {
	count := map[uint32]int{}
	const samples = 5
	for k := range min(samples, a.Frames) {
		img, err := a.image(k*max(a.Frames-1, 0)/max(min(samples, a.Frames)-1, 1), o)
		if err != nil {
			return nil, err
		}
		for at := 0; at+3 < len(img.Pix); at += 4 {
			count[packed(img.Pix[at:])]++
		}
	}
	var all []uint32
	for c := range count {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b uint32) int { return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b)) })
	var p color.Palette
	for _, c := range all[:min(len(all), 256)] {
		p = append(p, color.RGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 255})
	}
	return p, nil
}

// packed is an opaque colour as 0xRRGGBB.
func packed(pix []uint8) uint32 { return uint32(pix[0])<<16 | uint32(pix[1])<<8 | uint32(pix[2]) }

// quantizer turns images into those of a palette.
type quantizer struct {
	colors color.Palette
	known  map[uint32]uint8
}

func (q *quantizer) image(img *image.RGBA) *image.Paletted {
	out := image.NewPaletted(img.Rect, q.colors)
	for i := range out.Pix {
		c := packed(img.Pix[4*i:])
		k, ok := q.known[c]
		if !ok {
			k = uint8(q.colors.Index(color.RGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 255}))
			q.known[c] = k
		}
		out.Pix[i] = k
	}
	return out
}

// changed is the part of a frame that differs from the one before, at least a
// pixel; all of it where they are of different sizes.
func changed(before, frame *image.Paletted) *image.Paletted {
	if before.Rect != frame.Rect {
		return frame
	}
	box := image.Rect(0, 0, 1, 1)
	first := true
	width := frame.Rect.Dx()
	for y := range frame.Rect.Dy() {
		a, b := before.Pix[y*before.Stride:][:width], frame.Pix[y*frame.Stride:][:width]
		if slices.Equal(a, b) {
			continue
		}
		x0, x1 := 0, width
		for a[x0] == b[x0] {
			x0++
		}
		for a[x1-1] == b[x1-1] {
			x1--
		}
		line := image.Rect(x0, y, x1, y+1)
		if first {
			box, first = line, false
		} else {
			box = box.Union(line)
		}
	}
	return frame.SubImage(box).(*image.Paletted)
}

// clipped keeps a frame inside the first, which gives the size of all.
func clipped(frame *image.Paletted, width, height int) *image.Paletted {
	inside := frame.Rect.Intersect(image.Rect(0, 0, width, height))
	if inside.Empty() {
		inside = image.Rect(0, 0, 1, 1)
	}
	return frame.SubImage(inside).(*image.Paletted)
}
