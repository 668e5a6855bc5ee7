package panel

import (
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
)

// The numbers beside a drawing are of the step functions themselves, not of
// pixels: they do not change with the width. Means are of the part of the window
// in which the run ran, so that runs of different length on one axis compare;
// the greatest value is that of the window.

// summary is the mean and the greatest value that a window shows of a step
// function of a run with this makespan.
func summary(makespan int64, q Query, f *compact) (mean, most float64) {
	mean, _ = ranIn(makespan, q).meanMost(f)
	_, most = period{q.T0, q.T1}.meanMost(f)
	return mean, most
}

// period is a stretch of time [from, to), ns.
type period struct{ from, to int64 }

// ranIn is the part of a window in which a run ran: from its zero to its
// makespan. Where that is empty it is the window.
func ranIn(makespan int64, q Query) period {
	p := period{max(q.T0, 0), min(q.T1, makespan)}
	if p.from >= p.to {
		return period{q.T0, q.T1}
	}
	return p
}

// wholeRunNote says of numbers that are always of the whole run that they are,
// where a window shows less of it.
func wholeRunNote(makespan int64, q Query) string {
	if q.T0 > 0 || q.T1 < makespan {
		return "; of the whole run, not of the window"
	}
	return ""
}

// meanMost is the time average of a step function over a period, and its
// greatest value there. A value that lasted no time does not count.
func (p period) meanMost(f *compact) (mean, most float64) {
	area, _, most := f.cursor(p.from).column(p.from, p.to)
	return area / float64(p.to-p.from), most
}

// sumSteps adds step functions in pairs: the cost grows with their changes and
// the logarithm of their number.
func sumSteps(all []interval.Steps) interval.Steps {
	for len(all) > 1 {
		half := make([]interval.Steps, (len(all)+1)/2)
		parallel.For(len(half), func(i int) {
			half[i] = all[2*i]
			if 2*i+1 < len(all) {
				half[i] = interval.Sum(all[2*i], all[2*i+1])
			}
		})
		all = half
	}
	if len(all) == 0 {
		return interval.Steps{}
	}
	return all[0]
}
