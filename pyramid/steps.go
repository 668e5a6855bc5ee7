package pyramid

import (
	"math"
	"sort"
)

// Steps is an index over a step function: Value[i] from Time[i] to Time[i+1],
// the last value for ever. Times ascend; of several values at one time the last
// one holds, and the others count for the least and the greatest value of
// windows that begin before them. The columns must not change.
type Steps struct {
	Time  []int64 // ns
	Value []float64

	level [][]sum // of fan steps, of fan of these, and so on
}

// sum is what is known of some steps that follow each other.
type sum struct {
	integral float64 // value × ns, up to the next step
	min, max float64
}

// NewSteps makes the index in one pass: 1.6 bytes a step. Sums are of parts, not
// from the beginning, so that a short window of a long function loses no digits.
func NewSteps(time []int64, value []float64) *Steps {
	s := &Steps{Time: time, Value: value}
	below := func(i int) sum { return s.step(i) }
	for n := len(time); n > 1; {
		level := make([]sum, (n+fan-1)/fan)
		for k := range level {
			level[k] = below(k * fan)
			for i := k*fan + 1; i < min((k+1)*fan, n); i++ {
				level[k].add(below(i))
			}
		}
		s.level = append(s.level, level)
		below = func(i int) sum { return level[i] }
		n = len(level)
	}
	return s
}

// step is the sum of one step; the last has no end.
func (s *Steps) step(i int) sum {
	one := sum{min: s.Value[i], max: s.Value[i]}
	if i+1 < len(s.Time) {
		one.integral = s.Value[i] * float64(s.Time[i+1]-s.Time[i])
	}
	return one
}

func (a *sum) add(b sum) {
	a.integral += b.integral
	a.min, a.max = min(a.min, b.min), max(a.max, b.max)
}

// Summary is what a step function does in a window.
type Summary struct {
	Min, Max, Mean float64
	NS             int64 // of the window after the function's beginning, what Mean is over
}

// Window summarises [t0, t1); ok is false where the function has not begun.
func (s *Steps) Window(t0, t1 int64) (w Summary, ok bool) {
	if len(s.Time) == 0 || t1 <= max(t0, s.Time[0]) {
		return Summary{}, false
	}
	t0 = max(t0, s.Time[0])
	lo := sort.Search(len(s.Time), func(i int) bool { return s.Time[i] > t0 }) - 1 // the step at t0
	hi := sort.Search(len(s.Time), func(i int) bool { return s.Time[i] >= t1 }) - 1
	all := sum{min: math.Inf(1), max: math.Inf(-1)}
	if lo == hi {
		all.add(sum{s.Value[lo] * float64(t1-t0), s.Value[lo], s.Value[lo]})
	} else {
		all.add(sum{s.Value[lo] * float64(s.Time[lo+1]-t0), s.Value[lo], s.Value[lo]})
		s.between(lo+1, hi, &all)
		all.add(sum{s.Value[hi] * float64(t1-s.Time[hi]), s.Value[hi], s.Value[hi]})
	}
	// Rounding must not lift the mean over what it is of.
	mean := min(max(all.integral/float64(t1-t0), all.min), all.max)
	return Summary{all.min, all.max, mean, t1 - t0}, true
}

// between adds the steps [lo, hi): single ones at both ends, whole nodes
// between, level by level.
func (s *Steps) between(lo, hi int, all *sum) {
	at := s.step
	for level := -1; lo < hi; level++ {
		if level >= 0 {
			nodes := s.level[level]
			at = func(i int) sum { return nodes[i] }
		}
		for ; lo < hi && (lo%fan != 0 || level+1 == len(s.level)); lo++ {
			all.add(at(lo))
		}
		for ; lo < hi && hi%fan != 0; hi-- {
			all.add(at(hi - 1))
		}
		lo, hi = lo/fan, hi/fan
	}
}
