package panel

import (
	workers "dagscope/analysis/lane"
	"dagscope/interval"
)

// Drawing a curve without lying.
//
// A step function of a long run changes many times within a pixel column. Any
// sample of it would be an accident, so a column shows three exact numbers:
// the time average of the function over the column, and its least and greatest
// value there. The average is drawn as the curve, what lies between the other
// two as a pale area behind it. Where a window holds fewer changes than
// columns the function is drawn as it is.

// reduced are the columns of a curve.
type reduced struct {
	mean      []float64
	low, high []float64
}

// reduce computes the columns of a step function; its cost is the changes in
// the window and the columns. A value that lasted no time does not count.
func reduce(f interval.Steps, g *grid) reduced {
	r := newReduced(g.columns())
	next, value := stepAt(f, g.t0)
	for k := range r.mean {
		from, to := g.edges[k], g.edges[k+1]
		sum, low, high := 0.0, value, value
		for at, first := from, true; at < to; {
			for ; next < len(f.Time) && f.Time[next] <= at; next++ {
				value = f.Value[next]
			}
			if first {
				low, high, first = value, value, false
			}
			until := to
			if next < len(f.Time) {
				until = min(to, f.Time[next])
			}
			sum += value * float64(until-at)
			low, high = min(low, value), max(high, value)
			at = until
		}
		r.mean[k], r.low[k], r.high[k] = sum/float64(to-from), low, high
	}
	return r
}

func newReduced(columns int) reduced {
	return reduced{make([]float64, columns), make([]float64, columns), make([]float64, columns)}
}

// stepAt is the first change after t and the value at t.
func stepAt(f interval.Steps, t int64) (next int, value float64) {
	if next = interval.FirstAfter(f.Time, t); next > 0 {
		value = f.Value[next-1]
	}
	return next, value
}

// changes is the number of changes of a step function inside a window.
func changes(f interval.Steps, t0, t1 int64) int {
	return interval.FirstAfter(f.Time, t1-1) - interval.FirstAfter(f.Time, t0)
}

// sliced is the step function of the means of f over slices of a step, counted
// from zero, of the part that holds the window.
func sliced(f interval.Steps, step, t0, t1 int64) interval.Steps {
	floor := func(t int64) int64 {
		n := t / step
		if t%step < 0 {
			n--
		}
		return n * step
	}
	cut := interval.Slices{From: floor(t0), To: floor(t1-1) + step, Step: step}
	var out interval.Steps
	for i, mean := range interval.Average(from(f, cut.From), cut, interval.ExistingPart) {
		start, _ := cut.Bounds(i)
		out.Time, out.Value = append(out.Time, start), append(out.Value, mean)
	}
	return out
}

// from is the part of a step function from t on.
func from(f interval.Steps, t int64) interval.Steps {
	n := max(0, interval.FirstAfter(f.Time, t)-1)
	return interval.Steps{Time: f.Time[n:], Value: f.Value[n:]}
}

// parallel calls f for every i below n, on all cores.
func parallel(n int, f func(i int)) {
	workers.Parallel(n, func() func(int) { return f })
}
