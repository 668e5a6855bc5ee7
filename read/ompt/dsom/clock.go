package dsom

import (
	"cmp"
	"math"
	"slices"
)

// clock turns ticks into ns of CLOCK_MONOTONIC, plus a shift: piecewise linear
// between the pairs of both that the recorder took.
type clock struct {
	from  []uint64 // ticks at which each piece begins
	ns    []int64  // there
	slope []float64
}

const (
	pairSpacing = 10_000_000 // ns between pairs that make a piece
	pairShort   = 1_000_000  // ns below which pairs say less than the nominal frequency
	pairQuality = 10         // times the smallest uncertainty that a pair may have
)

// newClock makes the clock of pairs in any order. nominal is the frequency in
// Hz or 0, shift is added to all times.
func newClock(pairs []pair, nominal uint64, shift int64) *clock {
	kept := spaced(rising(precise(pairs)))
	if len(kept) == 0 {
		return line(pair{}, 1, shift)
	}
	first, last := kept[0], kept[len(kept)-1]
	if len(kept) == 1 || last.monotonic-first.monotonic < pairShort && nominal > 0 {
		slope := 1.0
		if nominal > 0 {
			slope = 1e9 / float64(nominal)
		}
		return line(first, slope, shift)
	}
	c := &clock{}
	for i, p := range kept[:len(kept)-1] {
		q := kept[i+1]
		c.piece(p, float64(q.monotonic-p.monotonic)/float64(q.ticks-p.ticks), shift)
	}
	return c
}

// line is a clock of one piece through p, slope in ns per tick.
func line(p pair, slope float64, shift int64) *clock {
	c := &clock{}
	c.piece(p, slope, shift)
	return c
}

func (c *clock) piece(p pair, slope float64, shift int64) {
	c.from = append(c.from, p.ticks)
	c.ns = append(c.ns, int64(p.monotonic)+shift)
	c.slope = append(c.slope, slope)
}

// precise drops pairs that are missing and those whose readings lie far apart.
func precise(pairs []pair) (kept []pair) {
	best := uint64(1 << 62)
	for _, p := range pairs {
		if p.width > 0 {
			best = min(best, p.width)
		}
	}
	for _, p := range pairs {
		if p.monotonic != 0 && p.width/pairQuality <= best {
			kept = append(kept, p)
		}
	}
	return kept
}

// rising sorts pairs by ticks and drops those on which the clocks disagree
// about what came first.
func rising(pairs []pair) []pair {
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.ticks, b.ticks), cmp.Compare(a.monotonic, b.monotonic))
	})
	kept := pairs[:0]
	for _, p := range pairs {
		if n := len(kept); n == 0 || p.ticks > kept[n-1].ticks && p.monotonic > kept[n-1].monotonic {
			kept = append(kept, p)
		}
	}
	return kept
}

// spaced keeps the first pair, those far enough from the last kept, and the
// last.
func spaced(pairs []pair) []pair {
	if len(pairs) < 3 {
		return pairs
	}
	kept := []pair{pairs[0]}
	for _, p := range pairs[1 : len(pairs)-1] {
		if p.monotonic-kept[len(kept)-1].monotonic >= pairSpacing {
			kept = append(kept, p)
		}
	}
	return append(kept, pairs[len(pairs)-1])
}

// cursor converts ticks that mostly rise.
type cursor struct {
	*clock
	i int
	piece
}

// piece is the cursor's piece of the clock; it ends where the next begins.
type piece struct {
	from, length uint64
	ns           int64
	slope        float64
}

// at is the time of ticks in ns.
func (c *cursor) at(ticks uint64) int64 {
	since := ticks - c.piece.from
	if since >= c.length {
		since = c.seek(ticks)
	}
	if c.piece.slope == 1 { // ticks are ns: exact, also years after the machine's start
		return c.piece.ns + int64(since)
	}
	return c.piece.ns + int64(float64(int64(since))*c.piece.slope)
}

// seek goes to the piece of ticks, the first one if they are earlier, and
// returns how many they are since its beginning.
func (c *cursor) seek(ticks uint64) uint64 {
	for c.i+1 < len(c.clock.from) && ticks >= c.clock.from[c.i+1] {
		c.i++
	}
	for c.i > 0 && ticks < c.clock.from[c.i] {
		c.i--
	}
	c.piece = piece{c.clock.from[c.i], math.MaxInt64, c.clock.ns[c.i], c.clock.slope[c.i]}
	if c.i+1 < len(c.clock.from) {
		c.length = c.clock.from[c.i+1] - c.piece.from
	}
	return ticks - c.piece.from
}
