package compare

import (
	"math/bits"
	"slices"

	"dagscope/explain/kind"
	"dagscope/internal/interval"
	"dagscope/trace"
)

// work says how much of a run's work was done when: the sum of the durations of
// its counted tasks, each done evenly from its start to its end (of suspended
// and parallel tasks: that of their pieces).
type work struct {
	start, end []int64 // of the pieces, each sorted
	total      int64   // ns
}

func newWork(run *trace.Run, generation bool) *work {
	w := new(work)
	t, s := &run.Task, &run.Segment
	counts := kind.Options{Generation: generation}
	next := 0 // first segment row of this task or a later one
	for i := range t.Start {
		from := next
		for next < len(s.Task) && int(s.Task[next]) == i {
			next++
		}
		if !counts.Counts(t, i) {
			continue
		}
		if from == next {
			w.add(t.Start[i], t.End[i])
		}
		for k := from; k < next; k++ {
			w.add(s.Start[k], s.End[k])
		}
	}
	w.start, w.end = interval.Sorted(w.start), interval.Sorted(w.end)
	return w
}

func (w *work) add(start, end int64) {
	if end = max(start, end); start == trace.NoTime {
		return
	}
	w.start, w.end, w.total = append(w.start, start), append(w.end, end), w.total+end-start
}

// window is from the first start to the last end; ok is false without work.
func (w *work) window() (from, to int64, ok bool) {
	if len(w.start) == 0 {
		return 0, 0, false
	}
	return w.start[0], w.end[len(w.end)-1], true
}

// when returns the earliest times, ns, by which 0, 1, …, parts parts of the work
// were done; the first is the first start, the last the last end.
func (w *work) when(parts int) []int64 {
	from, to, _ := w.window()
	times := []int64{from}
	var done, running int64
	at, i, j := from, 0, 0
	for share := 1; share < parts; {
		// Between two borders as many pieces run all the time.
		next := w.end[j]
		if i < len(w.start) {
			next = min(next, w.start[i])
		}
		want := mulDiv(w.total, int64(share), int64(parts))
		if reach := want - done; running > 0 && reach <= running*(next-at) {
			times = append(times, at+(reach+running-1)/running)
			share++
			continue
		}
		if want <= done {
			times = append(times, at)
			share++
			continue
		}
		if i == len(w.start) && j == len(w.end)-1 && at == next {
			return slices.Concat(times, slices.Repeat([]int64{to}, parts+1-share)) // sums that overflow: no real run
		}
		done += running * (next - at)
		at = next
		for ; i < len(w.start) && w.start[i] == at; i++ {
			running++
		}
		for ; j < len(w.end)-1 && w.end[j] == at; j++ {
			running--
		}
	}
	return append(times, to)
}

// mulDiv is a·b/c rounded down, for numbers ≥ 0 and a result that fits.
func mulDiv(a, b, c int64) int64 {
	high, low := bits.Mul64(uint64(a), uint64(b))
	q, _ := bits.Div64(high, low, uint64(c))
	return int64(q)
}
