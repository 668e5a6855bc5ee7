package scene

import (
	"math"
	"sort"
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// FontFamily is the font that texts are measured with, and its metric twins.
const FontFamily = "Liberation Sans, Arial, Helvetica, sans-serif"

// Heights of the font as shares of its size.
const (
	Ascent    = 0.905 // above the baseline
	Descent   = 0.212 // below it
	capMiddle = 0.344 // from the baseline to the middle of a capital letter
)

// FontData returns the TrueType file of the font.
func FontData(bold bool) []byte {
	if bold {
		return liberationsansbold.TTF
	}
	return liberationsansregular.TTF
}

// Font returns the parsed font.
func Font(bold bool) *sfnt.Font { return face(bold).font }

// TextWidth is the width of a text in pixels at a font size in pixels, without
// kerning: the sum of its glyphs' advances.
func TextWidth(s string, size float32, bold bool) float64 {
	return face(bold).width(s) * float64(size)
}

// TextWidthUpTo is [TextWidth] where that is at most a limit, else something
// above the limit: a name of any length is as quick as one that just fits.
func TextWidthUpTo(s string, size float32, bold bool, limit float64) float64 {
	return face(bold).widthUpTo(s, limit/float64(size)*(1+1e-9)) * float64(size)
}

// Baseline is the height of a text's baseline when its middle is at y.
func Baseline(y, size float32) float32 { return y + capMiddle*size }

// Ellipsis shortens a text that is wider than width and marks the cut.
func Ellipsis(s string, size float32, bold bool, width float64) string {
	if TextWidth(s, size, bold) <= width {
		return s
	}
	runes := []rune(s)
	n := sort.Search(len(runes), func(n int) bool { return TextWidth(string(runes[:n+1])+"…", size, bold) > width })
	if n == 0 {
		return ""
	}
	return string(runes[:n]) + "…"
}

// measured is a font with the advances of its glyphs, which are computed once.
type measured struct {
	font    *sfnt.Font
	mu      sync.Mutex
	advance map[rune]float64 // in em
}

var faces = [2]func() *measured{
	sync.OnceValue(func() *measured { return parseFace(false) }),
	sync.OnceValue(func() *measured { return parseFace(true) }),
}

func face(bold bool) *measured {
	if bold {
		return faces[1]()
	}
	return faces[0]()
}

func parseFace(bold bool) *measured {
	f, err := sfnt.Parse(FontData(bold))
	if err != nil {
		panic("scene: the embedded font does not parse: " + err.Error())
	}
	return &measured{font: f, advance: make(map[rune]float64)}
}

func (m *measured) width(s string) float64 { return m.widthUpTo(s, math.Inf(1)) }

// widthUpTo stops at the first rune that exceeds a limit.
func (m *measured) widthUpTo(s string, limit float64) float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	sum := 0.0
	for _, r := range s {
		a, ok := m.advance[r]
		if !ok {
			a = m.measure(r)
			m.advance[r] = a
		}
		if sum += a; sum > limit {
			break
		}
	}
	return sum
}

// measure returns the advance of one rune in em. A rune that the font lacks
// takes the width of its "missing" box (glyph 0), which is what gets painted.
func (m *measured) measure(r rune) float64 {
	var buf sfnt.Buffer
	glyph, err := m.font.GlyphIndex(&buf, r)
	if err != nil {
		glyph = 0
	}
	em := fixed.Int26_6(m.font.UnitsPerEm())
	a, err := m.font.GlyphAdvance(&buf, glyph, em, font.HintingNone)
	if err != nil {
		return 1
	}
	return float64(a) / float64(em)
}
