package render

import (
	"bytes"
	"errors"
	"image/png"
	"io"
	"testing"
)

// An image that is painted in bands is that painted at once: rectangles exactly,
// edges of curves and letters up to the last bits.
func TestBandsAreTheImage(t *testing.T) {
	p, o := page(t), Options{Scale: 2}
	whole := Image(p, o)
	for _, pixels := range []int{1, 3 * whole.Rect.Dx(), 40 * whole.Rect.Dx()} {
		b := newBanded(p, o, pixels)
		if want := max(1, pixels/whole.Rect.Dx()); b.rows != want || b.raster.img.Rect.Dy() != want {
			t.Fatalf("found bands of %d rows, want %d", b.rows, want)
		}
		var file bytes.Buffer
		if err := png.Encode(&file, b); err != nil {
			t.Fatal(err)
		}
		got, err := png.Decode(&file)
		if err != nil {
			t.Fatal(err)
		}
		if got.Bounds() != whole.Bounds() {
			t.Fatalf("found %v, want %v", got.Bounds(), whole.Bounds())
		}
		other, most := 0, 0
		for y := range whole.Rect.Dy() {
			for x := range whole.Rect.Dx() {
				r, g, blue, _ := got.At(x, y).RGBA()
				want := whole.RGBAAt(x, y)
				d := max(apart(r, want.R), apart(g, want.G), apart(blue, want.B))
				if most = max(most, d); d > 0 {
					other++
				}
			}
		}
		if most > 8 || other > whole.Rect.Dx()*whole.Rect.Dy()/100 {
			t.Errorf("bands of %d rows: %d pixels differ, by up to %d of 255", b.rows, other, most)
		}
	}
}

func apart(a uint32, b uint8) int {
	d := int(a>>8) - int(b)
	return max(d, -d)
}

// Painting ends when nobody wants it any more, in every format.
func TestPaintingStops(t *testing.T) {
	p := page(t)
	for len(p.Ops) < 10*opsBetween {
		p.Ops = append(p.Ops, p.Ops...)
	}
	enough := errors.New("enough")
	for _, format := range Formats() {
		asked := 0
		err := Write(io.Discard, format, p, Options{Stop: func() error {
			if asked++; asked >= 3 {
				return enough
			}
			return nil
		}})
		if !errors.Is(err, enough) || asked > 4 {
			t.Errorf("%s: found %v after %d questions, want the end after the third or fourth", format, err, asked)
		}
	}
}
