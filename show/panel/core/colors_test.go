package core

import (
	"math"
	"testing"

	"dagscope/show/scene"
)

// The first colours of each palette stay apart for people who lack one kind of
// cone, and with normal sight: simulated after Machado 2009, severity 1, and
// compared in OKLab (Ottosson 2020).
func TestPalettesForAllEyes(t *testing.T) {
	sights := map[string][9]float64{
		"normal":     {1, 0, 0, 0, 1, 0, 0, 0, 1},
		"protanopia": {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
		"deutanopia": {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
		"tritanopia": {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900},
	}
	for _, p := range palettes {
		for sight, m := range sights {
			for i := range min(5, len(p.colors)) {
				for j := range i {
					d := distance(seen(p.colors[i], m), seen(p.colors[j], m))
					if d < 0.06 {
						t.Errorf("%s with %s: %s and %s are %.3f apart", p.name, sight, p.colors[i].Hex(), p.colors[j].Hex(), d)
					}
				}
			}
		}
	}
}

// seen is a colour as an eye sees it, in OKLab.
func seen(c scene.Color, m [9]float64) [3]float64 {
	r, g, b, _ := c.Parts()
	var lin [3]float64
	for k, v := range [3]uint8{r, g, b} {
		x := float64(v) / 255
		if lin[k] = x / 12.92; x > 0.04045 {
			lin[k] = math.Pow((x+0.055)/1.055, 2.4)
		}
	}
	var s [3]float64
	for k := range s {
		s[k] = min(1, max(0, m[3*k]*lin[0]+m[3*k+1]*lin[1]+m[3*k+2]*lin[2]))
	}
	l := math.Cbrt(0.4122214708*s[0] + 0.5363325363*s[1] + 0.0514459929*s[2])
	n := math.Cbrt(0.2119034982*s[0] + 0.6806995451*s[1] + 0.1073969566*s[2])
	o := math.Cbrt(0.0883024619*s[0] + 0.2817188376*s[1] + 0.6299787005*s[2])
	return [3]float64{0.2104542553*l + 0.7936177850*n - 0.0040720468*o,
		1.9779984951*l - 2.4285922050*n + 0.4505937099*o,
		0.0259040371*l + 0.7827717662*n - 0.8086757660*o}
}

func distance(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

// A kernel keeps its colour whatever runs beside it and whatever its codelet is
// called.
func TestColorsAreStable(t *testing.T) {
	small := Assign(map[string]int64{"chol_model_potrf": 5, "chol_model_gemm": 50})
	large := Assign(map[string]int64{"dplgsy": 1, "dpotrf": 5, "dgemm": 50, "dtrsm": 9, "dsyrk": 7, "apply": 70})
	for a, b := range map[string]string{"chol_model_potrf": "dpotrf", "chol_model_gemm": "dgemm"} {
		if small.Of(a) != large.Of(b) {
			t.Errorf("%s is %s, %s is %s", a, small.Of(a).Hex(), b, large.Of(b).Hex())
		}
	}
	used := make(map[scene.Color]string)
	for kind, c := range large {
		if other, twice := used[c]; twice {
			t.Errorf("%s and %s are both %s", kind, other, c.Hex())
		}
		used[c] = kind
	}
}

// On dark paper every kind is seen, and a tint stays fainter than its colour.
func TestDarkTheme(t *testing.T) {
	theme := scene.Dark(Colors(nil).Bases())
	for _, c := range Palette {
		full, tint, faint := painted(t, theme, c), painted(t, theme, c.Mix(scene.White, defaultFade)), painted(t, theme, c.Mix(scene.White, 0.75))
		if r := scene.Contrast(full, theme.Paper); r < 4.5 {
			t.Errorf("%s becomes %s, contrast %.2f", c.Hex(), full.Hex(), r)
		}
		if a, b, p := scene.Contrast(full, theme.Paper), scene.Contrast(tint, theme.Paper), scene.Contrast(faint, theme.Paper); !(a > b && b > p && p > 1.1) {
			t.Errorf("%s: contrasts %.2f, tint %.2f, faint %.2f", c.Hex(), a, b, p)
		}
	}
}

// painted paints a page with one rectangle and returns what its colour became.
func painted(t *testing.T, theme *scene.Theme, c scene.Color) scene.Color {
	rects := scene.Rects{Palette: []scene.Color{c}}
	rects.Add(0, 10, 0, 10, 0)
	f := &scene.Figure{Width: 300, T1: 10, Theme: theme, Panels: []scene.Panel{{Height: 20, Layers: []scene.Layer{{Rects: []scene.Rects{rects}}}}}}
	page, err := scene.Compose(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range page.Ops {
		if op.Boxes != nil {
			return op.Boxes.Palette[0]
		}
	}
	t.Fatal("nothing was drawn")
	return scene.None
}
