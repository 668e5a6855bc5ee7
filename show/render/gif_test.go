package render

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"testing"

	"dagscope/show/scene"
)

// box is a page with a square that moves.
func box(x float64) *scene.Page {
	return &scene.Page{W: 60, H: 20, Ops: []scene.Op{{Path: &scene.Path{Closed: true, Fill: scene.RGB(0x0072b2),
		Points: []scene.Point{{X: x, Y: 5}, {X: x + 10, Y: 5}, {X: x + 10, Y: 15}, {X: x, Y: 15}}}}}}
}

// TestGIFPlaysThePages puts the frames together as a viewer does and compares
// them with the images of the pages.
func TestGIFPlaysThePages(t *testing.T) {
	a := Animation{Frames: 4, Page: func(i int) (*scene.Page, error) { return box(float64(i * 12)), nil }}
	var file bytes.Buffer
	if err := GIF(&file, a, Options{Scale: 1}); err != nil {
		t.Fatal(err)
	}
	g, err := gif.DecodeAll(&file)
	if err != nil || len(g.Image) != 4 {
		t.Fatalf("%d frames, %v, want 4", len(g.Image), err)
	}
	screen := image.NewRGBA(image.Rect(0, 0, g.Config.Width, g.Config.Height))
	for i, frame := range g.Image {
		draw.Draw(screen, frame.Rect, frame, frame.Rect.Min, draw.Over)
		want := Image(box(float64(i*12)), Options{Scale: 1})
		if !bytes.Equal(screen.Pix, want.Pix) {
			t.Errorf("frame %d is not the page", i)
		}
	}
	if last := g.Image[3].Rect; last.Dx() > 30 {
		t.Errorf("the last frame has %v, want what changed", last)
	}
}

// TestGIFTakesTheNearestColour draws more colours than a GIF has.
func TestGIFTakesTheNearestColour(t *testing.T) {
	page := &scene.Page{W: 400, H: 4}
	for i := range 400 {
		page.Ops = append(page.Ops, scene.Op{Path: &scene.Path{Closed: true, Fill: scene.RGB(uint32(i/2)<<16 | uint32(i%2*3)<<8 | 0x40),
			Points: []scene.Point{{X: float64(i), Y: 0}, {X: float64(i + 1), Y: 0}, {X: float64(i + 1), Y: 4}, {X: float64(i), Y: 4}}}})
	}
	var file bytes.Buffer
	if err := GIF(&file, Animation{Frames: 1, Page: func(int) (*scene.Page, error) { return page, nil }}, Options{Scale: 1}); err != nil {
		t.Fatal(err)
	}
	img, err := gif.Decode(&file)
	if err != nil {
		t.Fatal(err)
	}
	want := Image(page, Options{Scale: 1})
	for x := range 400 {
		a, b := color.RGBAModel.Convert(img.At(x, 2)).(color.RGBA), want.RGBAAt(x, 2)
		if d := int(a.R) - int(b.R); d > 100 || d < -100 || a.B != b.B {
			t.Fatalf("pixel %d is %v, want near %v", x, a, b)
		}
	}
}
