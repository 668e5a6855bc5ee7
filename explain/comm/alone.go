package comm

import (
	"cmp"
	"math"
	"slices"

	"dagscope/trace"
)

// Alone reports for each transfer of the list whether it had the way out of
// where it comes from and the way into where it goes to for itself, from its
// start to its end. A transfer without known time, or one that seems to take
// none or to end before it starts, had not, and disturbs no other.
func (l *List) Alone() []bool {
	alone := make([]bool, len(l.Row))
	var timed []int
	for i := range l.Row {
		if start, end, ok := l.span(i); ok && start < end {
			alone[i] = true
			timed = append(timed, i)
		}
	}
	for _, end := range [][]int32{l.From, l.To} {
		slices.SortStableFunc(timed, func(a, b int) int {
			return cmp.Or(cmp.Compare(end[a], end[b]), cmp.Compare(l.start(a), l.start(b)))
		})
		latest, place := int64(math.MinInt64), int32(trace.None)
		before := -1 // the transfer that ends latest, of the place
		for _, i := range timed {
			start, until, _ := l.span(i)
			if end[i] != place {
				latest, place, before = math.MinInt64, end[i], -1
			}
			if start < latest {
				alone[i], alone[before] = false, false
			}
			if until > latest {
				latest, before = until, i
			}
		}
	}
	return alone
}

func (l *List) start(i int) int64 { return l.run.Transfer.Start[l.Row[i]] }
