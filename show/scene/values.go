package scene

import (
	"math"

	"dagscope/internal/words"
)

// YTicks places ticks on a vertical axis of so many pixels, at 1, 2 or 5 times
// a power of ten, no closer than least pixels.
func YTicks(lo, hi, height, least float64) []Tick {
	if !(hi > lo) || height <= 0 {
		return nil
	}
	step := niceStep((hi - lo) * least / height)
	ticks := ticksAt(lo, hi, step)
	for i := range ticks {
		ticks[i].Label = words.Grouped(ticks[i].Label)
	}
	return ticks
}

// LogTicks places ticks on a logarithmic axis: At is the decimal logarithm of
// what label writes. The powers of ten are labelled, as many as there is room
// for; where a window spans less than two, 2 and 5 times them too.
func LogTicks(lo, hi, width float64, size float32, label func(float64) string) []Tick {
	if !(hi > lo) || width <= 0 {
		return nil
	}
	factors := []float64{1}
	if hi-lo < 2.2 {
		factors = []float64{1, 2, 5}
	}
	if hi-lo < 0.7 {
		factors = []float64{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8}
	}
	var ticks []Tick
	scale, taken := width/(hi-lo), math.Inf(-1)
	for power := math.Floor(lo); power <= hi; power++ {
		for _, f := range factors {
			at := power + math.Log10(f)
			text := label(f * math.Pow(10, power))
			half := TextWidth(text, size, false) / 2
			if x := (at - lo) * scale; at >= lo && at <= hi && x-half > taken+6 {
				ticks, taken = append(ticks, Tick{at, text}), x+half
			}
		}
	}
	return ticks
}
