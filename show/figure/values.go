package figure

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"time"

	"golang.org/x/image/colornames"

	"dagscope/show/panel/core"
	"dagscope/show/scene"
)

func nanoseconds(ms float64) int64  { return int64(math.Round(ms * float64(time.Millisecond))) }
func milliseconds(ns int64) float64 { return float64(ns) / float64(time.Millisecond) }

// maxMS keeps times in ns inside an int64: some hundred years.
const maxMS = 4e12

// parseChoice reads "ready" or "ready:1.5".
func parseChoice(s string) (id string, height float64, err error) {
	id, text, given := strings.Cut(s, ":")
	if !given {
		return id, 0, nil
	}
	height, err = strconv.ParseFloat(text, 64)
	if err != nil || !(height > 0) || height > 1000 {
		return "", 0, fmt.Errorf("choose panel %s: found height %q, want a number of 100 pixels", id, text)
	}
	return id, height, nil
}

// parseBound reads "NAME=MS".
func parseBound(s string) (core.Bound, error) {
	name, text, ok := strings.Cut(s, "=")
	ms, err := strconv.ParseFloat(text, 64)
	if !ok || err != nil || !(ms >= 0 && ms <= maxMS) {
		return core.Bound{}, fmt.Errorf("found bound %q, want NAME=MS with MS from 0 on", s)
	}
	return core.Bound{Name: name, NS: nanoseconds(ms)}, nil
}

// namedColors are the words for colours that are accepted besides "#rrggbb".
var namedColors = map[string]uint32{
	"black": 0x000000, "white": 0xffffff, "gray": 0x808080, "grey": 0x808080, "red": 0xff0000, "green": 0x008000, "blue": 0x0000ff,
	"yellow": 0xffff00, "cyan": 0x00ffff, "magenta": 0xff00ff, "orange": 0xffa500, "purple": 0x800080, "brown": 0xa52a2a,
	"pink": 0xffc0cb, "darkred": 0x8b0000, "darkgreen": 0x006400, "darkblue": 0x00008b, "darkorange": 0xff8c00,
	"steelblue": 0x4682b4, "firebrick": 0xb22222, "forestgreen": 0x228b22, "navy": 0x000080, "gold": 0xffd700,
}

// shades are how much darker than the plain colour R's numbered ones are.
var shades = map[string]float64{"2": 0.07, "3": 0.2, "4": 0.455}

// ParseColor reads "#rrggbb" or a name of CSS or R; R's numbered
// shades come near to what they are there.
func ParseColor(s string) (scene.Color, error) {
	if hex, ok := namedColors[strings.ToLower(s)]; ok {
		return scene.RGB(hex), nil
	}
	if c, err := scene.ParseColor(s); err == nil {
		return c, nil
	}
	word := strings.TrimRight(strings.ToLower(s), "1234") // R's peachpuff3 is a shade of peachpuff
	if c, ok := colornames.Map[word]; ok {
		return scene.RGB(uint32(c.R)<<16|uint32(c.G)<<8|uint32(c.B)).Mix(scene.RGB(0), shades[strings.ToLower(s)[len(word):]]), nil
	}
	var names []string
	for name := range namedColors {
		names = append(names, name)
	}
	sort.Strings(names)
	return scene.None, fmt.Errorf("found colour %q, want \"#rrggbb\" or one of %s", s, strings.Join(names, ", "))
}

// page is the paper in page pixels and how much everything on it is enlarged.
type page struct {
	width  int
	height float64
	zoom   float64
}

const (
	perMM      = 96 / 25.4
	labelPoint = 8.25 // points of labels without zoom: 11 pixels
)

// sizes are the papers that have names, mm. In a narrow column everything is a
// little smaller, as small as keeps the smallest text at 6 points.
var sizes = []struct {
	name          string
	width, height float64
	zoom          float64
	doc           string
}{
	{"column", 85, 0, 0.95, "one column of a two-column page, 85 mm"},
	{"page", 178, 0, 1, "the text width of a two-column page, 178 mm"},
	{"slide", 254, 143, 1.4, "a slide, 254 × 143 mm"},
}

// ParseSize reads the name of a size, "120mm", or "178x100mm", and returns the
// width and height in mm (0 for as high as it gets) and the zoom that suits.
func ParseSize(s string) (width, height, zoom float64, err error) {
	for _, known := range sizes {
		if s == known.name {
			return known.width, known.height, known.zoom, nil
		}
	}
	text := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(s), "mm"))
	w, h, both := strings.Cut(text, "x")
	width, err = strconv.ParseFloat(strings.TrimSpace(w), 64)
	if err == nil && both {
		height, err = strconv.ParseFloat(strings.TrimSpace(h), 64)
	}
	if err != nil || !(width >= 20 && width <= 5000) || both && !(height >= 20 && height <= 5000) {
		return 0, 0, 0, fmt.Errorf("found size %q, want column, page, slide, WIDTHmm or WIDTHxHEIGHTmm from 20 to 5000 mm", s)
	}
	if zoom = 1; width <= sizes[0].width {
		zoom = sizes[0].zoom
	}
	return width, height, zoom, nil
}

func (s *Spec) page() (page, error) {
	p := page{width: int(s.Width), zoom: 1}
	if s.Size != "" {
		width, height, zoom, err := ParseSize(s.Size)
		if err != nil {
			return p, err
		}
		p = page{int(math.Floor(width * perMM)), math.Floor(height * perMM), zoom}
	}
	if s.BaseSize > 0 {
		p.zoom *= s.BaseSize / starvzBaseSize
	}
	if s.FontSize > 0 {
		p.zoom = s.FontSize / labelPoint
	}
	return p, nil
}

const starvzBaseSize = 14

// Scale is the number of image pixels to a page pixel: twice as many on a screen,
// 300 to the inch on paper.
func (s *Spec) Scale() float64 {
	switch {
	case s.DPI > 0:
		return s.DPI / 96
	case s.printed():
		return printDPI / 96.0
	}
	return ScreenScale
}

const (
	// ScreenScale is the number of image pixels to a page pixel for screens.
	ScreenScale = 2
	printDPI    = 300
	widestPaper = 210 // mm, of A4; what is wider is for a screen or a wall
)

// printed reports whether the size is one of paper.
func (s *Spec) printed() bool {
	width, _, _, err := ParseSize(s.Size)
	return err == nil && width <= widestPaper
}
