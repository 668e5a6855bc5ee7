package dsom

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestClock converts ticks of a counter that drifts and compares with the
// drift itself.
func TestClock(t *testing.T) {
	const hz = 2.0e9
	// A counter at 2 GHz, 20 ppm fast at first and slow later.
	ns := func(ticks uint64) float64 {
		s := float64(ticks) / hz
		return 5e9 + s*1e9 + 2e-5*1e9*math.Sin(s)
	}
	r := rand.New(rand.NewPCG(1, 1))
	var pairs []pair
	for range 400 {
		at := r.Uint64N(6e9)
		pairs = append(pairs, pair{ticks: at, monotonic: uint64(ns(at)), width: 50})
	}
	pairs = append(pairs, pair{ticks: 3e9, monotonic: 1, width: 50000}, pair{}, pair{ticks: 1e9, monotonic: uint64(ns(1e9)) + 1e6, width: 600})
	c := cursor{clock: newClock(pairs, 0, 1000)}
	last := int64(0)
	for at := uint64(0); at < 6e9; at += 1e5 {
		got := c.at(at)
		if d := float64(got) - 1000 - ns(at); math.Abs(d) > 100 {
			t.Fatalf("at %d found %d ns, %.0f from the truth", at, got, d)
		}
		if got < last {
			t.Fatalf("at %d found %d ns after %d ns", at, got, last)
		}
		last = got
	}
}

// TestClockShort uses the nominal frequency where pairs are too near each other
// to say better, and what there is where there is less.
func TestClockShort(t *testing.T) {
	near := []pair{{ticks: 1000, monotonic: 500, width: 1}, {ticks: 3000, monotonic: 1600, width: 1}}
	for _, c := range []struct {
		pairs   []pair
		nominal uint64
		want    int64 // at 5000 ticks
	}{
		{near, 2e9, 2500}, {near, 0, 2700}, {near[:1], 2e9, 2500}, {near[:1], 0, 4500}, {nil, 2e9, 5000},
		{[]pair{near[1], near[0], {ticks: 4000, monotonic: 900, width: 1}}, 0, 2700},
	} {
		clock := cursor{clock: newClock(append([]pair{}, c.pairs...), c.nominal, 0)}
		if got := clock.at(5000); got != c.want {
			t.Errorf("%v at %d Hz: found %d ns, want %d", c.pairs, c.nominal, got, c.want)
		}
	}
}
