package scene

import (
	"fmt"
	"strconv"
	"strings"
)

// Color is 0xRRGGBBAA, not premultiplied. The zero value paints nothing.
type Color uint32

// None paints nothing.
const None Color = 0

// RGB makes an opaque colour of 0xRRGGBB.
func RGB(hex uint32) Color { return Color(hex<<8 | 0xff) }

// ParseColor reads "#rrggbb".
func ParseColor(s string) (Color, error) {
	digits, ok := strings.CutPrefix(s, "#")
	hex, err := strconv.ParseUint(digits, 16, 24)
	if !ok || err != nil || len(digits) != 6 {
		return None, fmt.Errorf("read colour: found %q, want \"#rrggbb\"", s)
	}
	return RGB(uint32(hex)), nil
}

// Parts returns the components, each from 0 to 255.
func (c Color) Parts() (r, g, b, a uint8) {
	return uint8(c >> 24), uint8(c >> 16), uint8(c >> 8), uint8(c)
}

// Hex returns "#rrggbb", without the opacity.
func (c Color) Hex() string { return fmt.Sprintf("#%06x", uint32(c>>8)) }

// Opacity is 0 for a transparent colour and 1 for an opaque one.
func (c Color) Opacity() float64 { return float64(uint8(c)) / 255 }

// Mix goes the share (0 to 1) of the way from c to other; the opacity is c's.
// Tints are opaque on purpose: they look the same over a lane and over white.
func (c Color) Mix(other Color, share float64) Color {
	mix := func(shift uint) uint32 {
		a, b := float64(uint8(c>>shift)), float64(uint8(other>>shift))
		return uint32(a+(b-a)*share+0.5) << shift
	}
	return Color(mix(24) | mix(16) | mix(8) | uint32(uint8(c)))
}

// Ink and paper of every figure.
var (
	White  = RGB(0xffffff)
	Ink    = RGB(0x222222) // titles and labels
	Soft   = RGB(0x666666) // ticks and small print
	Border = RGB(0xb4b4b4) // frames and brackets
	Grid   = RGB(0xe2e2e2)
	Lane   = RGB(0xefefef) // the empty row of a worker: idle time shows as lane
)
