package chart

import (
	"bytes"
	"image/png"
	"math/rand/v2"
	"testing"

	"dagscope/predict/calibrate"
	"dagscope/show/render"
)

func someFits(t *testing.T) Fits {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	panel := &calibrate.Samples{Kind: "Panel", Arch: "cpu", Names: []string{"MB", "NB", "BK"}, Param: make([][]float64, 3)}
	assemble := &calibrate.Samples{Kind: "Assemble", Arch: "cpu", Names: []string{"coefficients"}, Param: make([][]float64, 1)}
	mean := &calibrate.Samples{Kind: "other", Arch: "cpu"}
	for range 200 {
		mb, nb, bk := 100+3000*rng.Float64(), 10+100*rng.Float64(), 1+5*rng.Float64()
		panel.Param[0], panel.Param[1], panel.Param[2] = append(panel.Param[0], mb), append(panel.Param[1], nb), append(panel.Param[2], bk)
		panel.Time = append(panel.Time, (1e5+0.1*nb*nb*mb+0.01*nb*nb*nb*bk)*(1+0.1*rng.NormFloat64()))
		n := 1000 * rng.Float64()
		assemble.Param[0], assemble.Time = append(assemble.Param[0], n), append(assemble.Time, 500+3*n*(1+0.3*rng.Float64()))
		mean.Time = append(mean.Time, 7)
	}
	fits, err := calibrate.FitKernels([]*calibrate.Samples{panel, assemble, mean}, calibrate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return fits
}

// Each kernel with a regression has its row: measured against expected, the
// ratio against that and against each variable. All of it can be painted.
func TestFits(t *testing.T) {
	fits := someFits(t)
	if n := len(scattersOf(fits[0])); n != 5 {
		t.Errorf("found %d plots of Panel, want 5", n)
	}
	if n := len(scattersOf(fits[1])); n != 3 {
		t.Errorf("found %d plots of Assemble, want 3", n)
	}
	page, err := fits.Draw(Options{Title: "t"})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := render.Write(&out, "png", page, render.Options{Scale: 1}); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&out)
	if err != nil {
		t.Fatal(err)
	}
	points := 0
	r, g, b, _ := fitColor.Parts()
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if cr, cg, cb, _ := img.At(x, y).RGBA(); uint8(cr>>8) == r && uint8(cg>>8) == g && uint8(cb>>8) == b {
				points++
			}
		}
	}
	if points < 1000 {
		t.Errorf("found %d pixels of points", points)
	}
}

func TestNothingToFit(t *testing.T) {
	if _, err := someFits(t)[2:].Draw(Options{}); err == nil {
		t.Error("found no error without a regression")
	}
	if _, err := someFits(t).Draw(Options{Width: 30}); err == nil {
		t.Error("found no error on a page that is too narrow")
	}
}

// Every point lies in its plot, and medians of residuals go from left to right.
func TestPointsLieInside(t *testing.T) {
	for _, f := range someFits(t)[:2] {
		for _, p := range scattersOf(f) {
			for i := range p.at {
				if x, y := p.xs.at(p.at[i]), p.ys.at(p.value[i]); x < p.xs.low || x > p.xs.high || y < p.ys.low || y > p.ys.high {
					t.Fatalf("%s: point %v, %v lies outside", p.x, p.at[i], p.value[i])
				}
			}
			m := p.medians()
			for k := 1; k < len(m.X); k++ {
				if m.X[k] <= m.X[k-1] {
					t.Errorf("%s: medians at %v", p.x, m.X)
				}
			}
		}
	}
}
