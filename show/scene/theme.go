package scene

import (
	"math"
	"slices"
)

// Theme recolours a finished page. Panels draw for white paper; a theme for
// other paper turns each colour into what means the same there, so that no
// panel needs to know of themes: greys are turned around, and a colour that is
// one of Bases on its way to white or to ink goes the same part of the way to
// the new paper or ink. A tint stays fainter than the full colour, whatever
// the paper.
type Theme struct {
	Name  string
	Paper Color
	Ink   Color   // what black becomes
	Bases []Color // colours of kinds, of which tints are known
}

// Dark is a theme for screens and slides; bases are the colours of the kinds.
func Dark(bases []Color) *Theme {
	return &Theme{Name: "dark", Paper: RGB(0x16191d), Ink: RGB(0xf4f5f6), Bases: bases}
}

// recolor applies a theme. Palettes are shared with the panels, so it makes
// new ones.
func (p *Page) recolor(t *Theme) {
	p.Paper = t.Paper
	known := make(map[Color]Color)
	of := func(c Color) Color {
		to, ok := known[c]
		if !ok {
			to = t.of(c)
			known[c] = to
		}
		return to
	}
	for i := range p.Ops {
		o := &p.Ops[i]
		switch {
		case o.Boxes != nil:
			o.Boxes.Palette = slices.Clone(o.Boxes.Palette)
			for k, c := range o.Boxes.Palette {
				o.Boxes.Palette[k] = of(c)
			}
		case o.Path != nil:
			o.Path.Fill, o.Path.Stroke = of(o.Path.Fill), of(o.Path.Stroke)
		case o.Label != nil:
			o.Label.Color = of(o.Label.Color)
			if o.Label.On != None {
				o.Label.On = of(o.Label.On)
				o.Label.Color = inkOn(o.Label.On)
			}
		}
	}
}

// of is what a colour becomes; its opacity stays.
func (t *Theme) of(c Color) Color {
	if c == None {
		return None
	}
	opacity := c & 0xff
	opaque := c | 0xff
	to, ok := t.tint(opaque)
	switch {
	case grey(opaque):
		to = t.greyOf(opaque)
	case !ok:
		to = t.bright(opaque)
		if w := whiteness(opaque); w > 0.5 { // a pale colour of nobody's
			to = to.Mix(t.Paper, 1.4*(w-0.5))
		}
	}
	return to&^0xff | opacity
}

// tint finds the base that a colour is a mixture of, with white first: the one
// that explains it best.
func (t *Theme) tint(c Color) (Color, bool) {
	for _, end := range [2]Color{White, Ink} {
		best, off := None, 1.5 // rounding of a mixture, in steps of a channel
		for _, base := range t.Bases {
			s, residual := mixture(base|0xff, end, c)
			if residual >= off-1e-9 {
				continue
			}
			to, part := t.Paper, 0.8*s // tints sink faster into dark paper than into white
			if end == Ink {
				to, part = t.Ink, s
			}
			best, off = t.bright(base).Mix(to, part), residual
		}
		if best != None {
			return best, true
		}
	}
	return None, false
}

// mixture finds s so that c is a.Mix(b, s) as nearly as can be, and by how much
// the worst channel is off; infinitely where hardly anything of a is left.
func mixture(a, b, c Color) (s, residual float64) {
	from, to, at := a.channels(), b.channels(), c.channels()
	wide := 0
	for k := range from {
		if math.Abs(to[k]-from[k]) > math.Abs(to[wide]-from[wide]) {
			wide = k
		}
	}
	if to[wide] != from[wide] {
		s = (at[wide] - from[wide]) / (to[wide] - from[wide])
	}
	if s < -1e-9 || s >= 0.95 {
		return 0, math.Inf(1)
	}
	for k := range from {
		residual = max(residual, math.Abs(from[k]+(to[k]-from[k])*s-at[k]))
	}
	return s, residual
}

func (c Color) channels() [3]float64 {
	r, g, b, _ := c.Parts()
	return [3]float64{float64(r), float64(g), float64(b)}
}

func grey(c Color) bool {
	v := c.channels()
	return max(v[0], v[1], v[2])-min(v[0], v[1], v[2]) <= 12
}

// greyOf turns a grey around between the paper and the ink of the theme.
func (t *Theme) greyOf(c Color) Color {
	v := c.channels()
	return t.Ink.Mix(t.Paper, (v[0]+v[1]+v[2])/3/255)
}

// bright lifts a colour that would sink into dark paper, towards white and no
// further than it must be seen.
func (t *Theme) bright(c Color) Color {
	const least = 0.28 // relative luminance: 5 to 1 on the paper
	if t.Paper.Luminance() > 0.5 {
		return c
	}
	for share := 0.0; share < 1; share += 0.02 {
		if lifted := c.Mix(White, share); lifted.Luminance() >= least {
			return lifted
		}
	}
	return White
}

// inkOn is the ink that is read best on a fill.
func inkOn(fill Color) Color {
	if Contrast(Ink, fill) >= Contrast(White, fill) {
		return Ink
	}
	return White
}

func whiteness(c Color) float64 {
	v := c.channels()
	return min(v[0], v[1], v[2]) / 255
}

// Luminance is the relative luminance of WCAG 2, 0 for black and 1 for white.
func (c Color) Luminance() float64 {
	sum := 0.0
	for k, weight := range [3]float64{0.2126, 0.7152, 0.0722} {
		v := c.channels()[k] / 255
		if v <= 0.04045 {
			sum += weight * v / 12.92
			continue
		}
		sum += weight * math.Pow((v+0.055)/1.055, 2.4)
	}
	return sum
}

// Contrast is the contrast ratio of WCAG 2 between two colours, from 1 to 21.
func Contrast(a, b Color) float64 {
	x, y := a.Luminance(), b.Luminance()
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}
