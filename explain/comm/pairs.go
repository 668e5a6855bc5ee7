package comm

import (
	"cmp"
	"slices"

	"dagscope/internal/interval"
	"dagscope/trace"
)

// Pair sums the transfers from one place to another.
type Pair struct {
	From, To int32 // places of the list
	Count    int64
	Bytes    int64
	Delay    Delays
}

// Delays sum up the time from posted to received. Transfers of unknown times
// and those that seem to end before they start are not among them.
type Delays struct {
	Known               int64 // so many
	Backward            int64 // seem to end before they start
	Sum                 int64 // ns
	Min, Median, Max    int64 // ns; the median is the lower one of an even number
	LeastClockDeviation int64 // ns by which the clocks of the ends differ at least
}

// Pairs sums the transfers that start in [from, to), by pair, in the order of
// From and To. Pairs without transfers are left out. Transfers of unknown start
// count in a window of all time.
func (l *List) Pairs(from, to int64) []Pair {
	n := len(l.Places)
	t := &l.run.Transfer
	group := make([]int32, len(l.Row))
	slot := newSlots(n)
	var pairs []Pair
	for i, row := range l.Row {
		group[i] = trace.None
		if start := t.Start[row]; start != trace.NoTime && (start < from || start >= to) || start == trace.NoTime && to-from < allTime {
			continue
		}
		at := slot.of(l.From[i], l.To[i], int32(len(pairs)))
		if int(at) == len(pairs) {
			pairs = append(pairs, Pair{From: l.From[i], To: l.To[i]})
		}
		group[i] = at
		pairs[at].Count++
		pairs[at].Bytes += l.Bytes(i)
	}
	first, members := interval.Group(group, len(pairs), nil)
	for p := range pairs {
		pairs[p].Delay = l.delays(members[first[p]:first[p+1]])
	}
	slices.SortFunc(pairs, func(a, b Pair) int {
		return cmp.Compare(int64(a.From)*int64(n)+int64(a.To), int64(b.From)*int64(n)+int64(b.To))
	})
	return pairs
}

// slots number pairs of places: a table while that is small, else a map.
type slots struct {
	n     int
	dense []int32 // one more than the number
	wide  map[int64]int32
}

// mostDense is the number of places whose pairs are in a table.
const mostDense = 2048

func newSlots(n int) *slots {
	if n <= mostDense {
		return &slots{n: n, dense: make([]int32, n*n)}
	}
	return &slots{n: n, wide: map[int64]int32{}}
}

// of is the number of a pair, next for a new one.
func (s *slots) of(from, to, next int32) int32 {
	key := int64(from)*int64(s.n) + int64(to)
	if s.dense == nil {
		at, ok := s.wide[key]
		if !ok {
			at, s.wide[key] = next, next
		}
		return at
	}
	if s.dense[key] == 0 {
		s.dense[key] = next + 1
	}
	return s.dense[key] - 1
}

// allTime is how long a window is that holds what has no time.
const allTime = 1 << 61

// All is the window of all time.
func All() (from, to int64) { return -allTime / 2, allTime / 2 }

// Delays sums up the delays of all transfers.
func (l *List) Delays() Delays {
	all := make([]int32, len(l.Row))
	for i := range all {
		all[i] = int32(i)
	}
	return l.delays(all)
}

func (l *List) delays(members []int32) (d Delays) {
	var took []int64
	for _, i := range members {
		start, end, ok := l.span(int(i))
		switch {
		case ok:
			took = append(took, end-start)
			d.Sum += end - start
		case l.Backward(int(i)):
			d.Backward++
			d.LeastClockDeviation = max(d.LeastClockDeviation, start-end)
		}
	}
	if d.Known = int64(len(took)); d.Known > 0 {
		took = interval.Sorted(took)
		d.Min, d.Median, d.Max = took[0], took[(len(took)-1)/2], took[len(took)-1]
	}
	return d
}

// Quantile is the least delay that a share (0 to 1) of the transfers with known
// times do not exceed; 0 where there are none.
func (l *List) Quantile(share float64) int64 {
	var took []int64
	for i := range l.Row {
		if start, end, ok := l.span(i); ok {
			took = append(took, end-start)
		}
	}
	if len(took) == 0 {
		return 0
	}
	took = interval.Sorted(took)
	return took[min(len(took)-1, max(0, int(share*float64(len(took)))))]
}
