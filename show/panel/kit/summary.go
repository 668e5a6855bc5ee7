package kit

import (
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/show/panel/core"
)

// The numbers beside a drawing are of the step functions themselves, not of
// pixels: they do not change with the width. Means are of the part of the window
// in which the run ran, so that runs of different length on one axis compare;
// the greatest value is that of the window.

// Summary is the mean and the greatest value that a window shows of a step
// function of a run with this makespan.
func Summary(makespan int64, q core.Query, f *Compact) (mean, most float64) {
	mean, _ = RanIn(makespan, q).MeanMost(f)
	_, most = Period{q.T0, q.T1}.MeanMost(f)
	return mean, most
}

// Period is a stretch of time [from, to), ns.
type Period struct{ From, To int64 }

// RanIn is the part of a window in which a run ran: from its zero to its
// makespan. Where that is empty it is the window.
func RanIn(makespan int64, q core.Query) Period {
	p := Period{max(q.T0, 0), min(q.T1, makespan)}
	if p.From >= p.To {
		return Period{q.T0, q.T1}
	}
	return p
}

// WholeRunNote says of numbers that are always of the whole run that they are,
// where a window shows less of it.
func WholeRunNote(makespan int64, q core.Query) string {
	if q.T0 > 0 || q.T1 < makespan {
		return "; of the whole run, not of the window"
	}
	return ""
}

// MeanMost is the time average of a step function over a period, and its
// greatest value there. A value that lasted no time does not count.
func (p Period) MeanMost(f *Compact) (mean, most float64) {
	area, _, most := f.Cursor(p.From).Column(p.From, p.To)
	return area / float64(p.To-p.From), most
}

// SumSteps adds step functions in pairs: the cost grows with their changes and
// the logarithm of their number.
func SumSteps(all []interval.Steps) interval.Steps {
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
