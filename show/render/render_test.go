package render

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/png"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dagscope/show/scene"
)

// page is a page with every kind of operation.
func page(t testing.TB) *scene.Page {
	rects := scene.Rects{Palette: []scene.Color{scene.RGB(0x0072b2), scene.RGB(0xe69f00)}, Edges: scene.Abut, Hatch: scene.Soft}
	rects.Add(0, 400, 2, 10, 0)
	rects.Add(400, 1000, 2, 10, 1)
	f := &scene.Figure{Title: "A <figure> & more", Width: 500, T0: 0, T1: 1000,
		Recipe: []scene.Field{{Name: "command", Value: "dagscope plot <a> & b"}},
		Panels: []scene.Panel{
			{Title: "first", YLabel: "up", Height: 60, Legend: []scene.LegendEntry{{Label: "kind", Detail: "7", Color: scene.Ink}},
				Marks: []scene.Mark{{X: 500, Label: "half", Color: scene.Ink, Dash: []float32{3, 2}}},
				Layers: []scene.Layer{{Rects: []scene.Rects{rects},
					Areas:  []scene.Area{{X: []float64{0, 500, 1000}, Y0: []float32{20, 25, 20}, Y1: []float32{30, 30, 30}, Color: 0x00807080}},
					Lines:  []scene.Line{{X: []float64{0, 300, 900}, Y: []float32{40, 50, 45}, Step: true, Color: scene.Ink, Width: 1.5}},
					Arrows: []scene.Arrows{{X0: []float64{100}, X1: []float64{600}, Y0: []float32{5}, Y1: []float32{50}, Color: scene.Ink, Width: 1, Head: 6}},
					Texts:  []scene.Text{{X: 500, Y: 30, S: "µs ≥ 3 <&>", Size: 11, Color: scene.Ink, Halo: true, Rotate: 30}}}}},
			{Title: "second", Missing: "There is nothing to see here."},
		}}
	p, err := scene.Compose(f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSameBytesTwice(t *testing.T) {
	for _, format := range Formats() {
		var a, b bytes.Buffer
		if err := errors.Join(Write(&a, format, page(t), Options{}), Write(&b, format, page(t), Options{})); err != nil {
			t.Fatal(err)
		}
		if a.Len() == 0 || !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: two paintings of one page differ", format)
		}
	}
}

func TestSVGIsWellFormed(t *testing.T) {
	var b bytes.Buffer
	if err := SVG(&b, page(t), Options{}); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(&b)
	var texts []string
	elements := make(map[string]int)
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch v := token.(type) {
		case xml.StartElement:
			elements[v.Name.Local]++
		case xml.CharData:
			texts = append(texts, string(v))
		}
	}
	all := strings.Join(texts, "\n")
	for _, want := range []string{"A <figure> & more", "command: dagscope plot <a> & b", "µs ≥ 3 <&>", "There is nothing to see here."} {
		if !strings.Contains(all, want) {
			t.Errorf("the text %q is missing", want)
		}
	}
	if elements["text"] < 8 || elements["path"] < 5 || elements["clipPath"] != 1 {
		t.Errorf("unexpected elements: %v", elements)
	}
}

// With outlines there is no text left to set, and no font is needed.
func TestSVGOutlines(t *testing.T) {
	var b bytes.Buffer
	if err := SVG(&b, page(t), Options{Outlines: true}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "<text") || strings.Count(b.String(), "aria-label=") < 8 {
		t.Error("texts are not outlines")
	}
	if err := xml.Unmarshal(b.Bytes(), new(struct{})); err != nil {
		t.Error(err)
	}
}

func TestPDFHoldsFontAndRecipe(t *testing.T) {
	var b bytes.Buffer
	if err := PDF(&b, page(t), Options{}); err != nil {
		t.Fatal(err)
	}
	file := b.String()
	if !strings.HasPrefix(file, "%PDF-") || !strings.Contains(file, "/FontFile2") || !strings.Contains(file, "/Subject") {
		t.Errorf("the PDF lacks its header, font or recipe")
	}
	if b.Len() > 60_000 {
		t.Errorf("the PDF has %d bytes: is the whole font in it?", b.Len())
	}
}

func TestPNGDecodesWithRecipe(t *testing.T) {
	var b bytes.Buffer
	p := page(t)
	if err := PNG(&b, p, Options{Scale: 1.5}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "tEXtRecipe\x00command: dagscope plot <a> & b") {
		t.Error("the PNG lacks the recipe")
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := img.Bounds().Dx(), int(math.Ceil(p.W*1.5)); got != want {
		t.Errorf("image is %d wide, want %d", got, want)
	}
}

func TestFormatOf(t *testing.T) {
	if f, err := FormatOf("a/b.PDF"); f != "pdf" || err != nil {
		t.Errorf("b.PDF is %q, %v", f, err)
	}
	for _, bad := range []string{"figure", "figure.jpg", ".svg.gz"} {
		if f, err := FormatOf(bad); err == nil {
			t.Errorf("%s is %q, want an error", bad, f)
		}
	}
	if err := Write(io.Discard, "bmp", page(t), Options{}); err == nil {
		t.Error("bmp was written")
	}
}

// Boxes that tile a span leave nothing of the page visible between them, and
// give each pixel the mean of their colours by area.
func TestAbuttingBoxesAddUp(t *testing.T) {
	black, white, red := scene.RGB(0), scene.White, scene.RGB(0xff0000)
	b := &scene.Boxes{Palette: []scene.Color{black, red}, Edges: scene.Abut,
		X0: []float64{0, 2.3}, X1: []float64{2.3, 5}, Y0: []float64{0, 0}, Y1: []float64{2, 2}, Color: []uint8{0, 1}}
	img := Image(&scene.Page{W: 6, H: 2, Ops: []scene.Op{{Boxes: b}}}, Options{Scale: 1})
	r, g, bl, _ := img.At(2, 0).RGBA()
	if got := int(r >> 8); got < 176 || got > 181 { // 0.7 of 255
		t.Errorf("shared pixel has red %d, want 178", got)
	}
	if g>>8 > 3 || bl>>8 > 3 {
		t.Errorf("the page shines through: green %d, blue %d", g>>8, bl>>8)
	}
	if c := img.RGBAAt(5, 1); c.R != 255 || c.G != 255 {
		t.Errorf("outside the boxes the page is %v, want %s", c, white.Hex())
	}
}

// The coverage of all pixels sums to the area of the box.
func TestCoverageIsArea(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x0, y0 := rapid.Float64Range(0, 20).Draw(t, "x0"), rapid.Float64Range(0, 20).Draw(t, "y0")
		w, h := rapid.Float64Range(0.01, 10).Draw(t, "w"), rapid.Float64Range(0.01, 10).Draw(t, "h")
		r := &raster{img: Image(&scene.Page{W: 31, H: 31}, Options{Scale: 1}), scale: 1}
		b := &scene.Boxes{X0: []float64{x0}, Y0: []float64{y0}, X1: []float64{x0 + w}, Y1: []float64{y0 + h}}
		sum := 0.0
		r.eachPixel(b, 0, func(_ []uint8, share float64) {
			if share < 0 || share > 1+1e-9 {
				t.Fatalf("a pixel is covered by %g", share)
			}
			sum += share
		})
		if math.Abs(sum-w*h) > 1e-9 {
			t.Fatalf("coverage %g, area %g", sum, w*h)
		}
	})
}

func TestNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64Range(-1e6, 1e6).Draw(t, "v")
		got, err := strconv.ParseFloat(number(v), 64)
		if err != nil || math.Abs(got-v) > 0.005000001 {
			t.Fatalf("%v is written as %s", v, number(v))
		}
	})
	for v, want := range map[float64]string{0: "0", 1: "1", 1.5: "1.5", -0.25: "-0.25", 0.05: "0.05", -0.001: "0", 12.345: "12.35"} {
		if got := number(v); got != want {
			t.Errorf("%v is written as %s, want %s", v, got, want)
		}
	}
}

// A dashed line keeps its pattern over corners: strokes have their length.
func TestDashes(t *testing.T) {
	line := []scene.Point{{X: 0}, {X: 10}, {X: 10, Y: 10}}
	total := 0.0
	for _, piece := range dashed(line, []float64{3, 2}, 0, 1) {
		total += math.Hypot(piece[1].X-piece[0].X, piece[1].Y-piece[0].Y)
	}
	if math.Abs(total-12) > 1e-9 { // 3 of every 5 of 20
		t.Errorf("strokes are %g long, want 12", total)
	}
}

// A line that begins so far into its dashes has those of a longer one.
func TestDashesBeginAtTheirPhase(t *testing.T) {
	whole := dashed([]scene.Point{{X: 0}, {X: 100}}, []float64{3, 2, 1, 4}, 0, 2)
	for _, phase := range []float64{1, 3, 4, 5.5, 9, 13} {
		from := 2 * phase
		var want [][]scene.Point
		for _, s := range whole {
			if s[1].X > from {
				want = append(want, []scene.Point{{X: max(s[0].X, from)}, s[1]})
			}
		}
		got := dashed([]scene.Point{{X: from}, {X: 100}}, []float64{3, 2, 1, 4}, phase, 2)
		if len(got) != len(want) {
			t.Fatalf("from phase %g there are %d strokes, want %d", phase, len(got), len(want))
		}
		for i := range got {
			if math.Abs(got[i][0].X-want[i][0].X) > 1e-9 || math.Abs(got[i][1].X-want[i][1].X) > 1e-9 {
				t.Errorf("from phase %g stroke %d is %v, want %v", phase, i, got[i], want[i])
			}
		}
	}
}

// A line that is long beyond the page takes what its part on the page takes, and
// looks like that.
func TestLinesLongBeyondThePage(t *testing.T) {
	draw := func(points ...scene.Point) *image.RGBA {
		return Image(&scene.Page{W: 100, H: 40, Ops: []scene.Op{
			{Path: &scene.Path{Points: points, Stroke: scene.Ink, Width: 1.5, Dash: []float64{5, 3}}},
			{Path: &scene.Path{Points: points, Closed: true, Fill: scene.Soft}}}}, Options{Scale: 2})
	}
	long := draw(scene.Point{X: -8e12, Y: 20}, scene.Point{X: 8e12, Y: 20}, scene.Point{X: 8e12, Y: 1e12}, scene.Point{X: -8e12, Y: 1e12})
	short := draw(scene.Point{X: -800, Y: 20}, scene.Point{X: 800, Y: 20}, scene.Point{X: 800, Y: 600}, scene.Point{X: -800, Y: 600})
	if !bytes.Equal(long.Pix, short.Pix) {
		t.Error("a long line is another on the page than a short one")
	}
	if blank := draw(scene.Point{X: -8e12, Y: -20}, scene.Point{X: 8e12, Y: -20}); bytes.Equal(blank.Pix, short.Pix) {
		t.Error("the line is not on the page")
	}
}
