package scene

import (
	"math"

	"dagscope/internal/words"
)

// unitOf chooses the unit of a window: seconds from ten of them on, below that
// milliseconds, and finer units only when fewer than two of the next remain.
func unitOf(span float64) words.Unit {
	switch {
	case span >= 10e9:
		return words.Times[3]
	case span >= 20e3:
		return words.Times[2]
	case span >= 2e3:
		return words.Times[1]
	}
	return words.Times[0]
}

// TimeTicks places ticks on a time window (ns) of so many pixels, at 1, 2 or 5
// times a power of ten of the unit, as dense as their labels allow. It returns
// the ticks and the unit's name.
func TimeTicks(t0, t1, width float64, size float32) ([]Tick, string) {
	unit := unitOf(t1 - t0)
	ticks := Ticks(t0/unit.Per, t1/unit.Per, width, size)
	for i := range ticks {
		ticks[i].At *= unit.Per
	}
	return ticks, unit.Name
}

// Ticks places ticks on any linear axis of so many pixels: the finest step of
// 1, 2 or 5 times a power of ten whose labels keep three characters apart and
// that stay some 60 pixels from each other.
func Ticks(lo, hi, width float64, size float32) []Tick {
	if !(hi > lo) || width <= 0 {
		return nil
	}
	step := niceStep((hi - lo) / math.Max(1, width/60))
	for {
		ticks := ticksAt(lo, hi, step)
		if len(ticks) < 2 || labelsFit(ticks, width/(hi-lo), size) {
			return ticks
		}
		step = niceStep(step * 1.01)
	}
}

// niceStep is the least of 1, 2, 5 times a power of ten that is not below x.
func niceStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, f := range []float64{1, 2, 5} {
		if f*power >= x*(1-1e-9) {
			return f * power
		}
	}
	return 10 * power
}

func ticksAt(lo, hi, step float64) []Tick {
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var ticks []Tick
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi+step*1e-9; i++ {
		at := i * step
		ticks = append(ticks, Tick{at, words.Fixed(at, decimals)})
	}
	return ticks
}

func labelsFit(ticks []Tick, scale float64, size float32) bool {
	apart := TextWidth("000", size, false)
	for i := 1; i < len(ticks); i++ {
		room := (ticks[i].At - ticks[i-1].At) * scale
		if TextWidth(ticks[i].Label, size, false)+apart > room {
			return false
		}
	}
	return true
}
