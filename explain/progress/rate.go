package progress

import (
	"slices"

	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/trace"
)

// rates collects intervals with a rate, by place.
type rates struct {
	spans []interval.Spans
	rate  [][]float64
}

func newRates(places int) rates {
	return rates{make([]interval.Spans, places), make([][]float64, places)}
}

// add spreads an amount evenly over an interval, as amount per second. What
// takes no time has no rate and is left out.
func (r rates) add(place int32, from, to int64, amount float64) {
	if from < to {
		r.spans[place].Add(from, to)
		r.rate[place] = append(r.rate[place], amount/(float64(to-from)*1e-9))
	}
}

// GFlops is the rate of work by the GFlop that the application declared for
// its tasks, per worker, in GFlop/s: each task's work spread evenly over its
// run time. It is empty when no work is declared. Sum it with [ByNode].
func GFlops(run *trace.Run, generation bool) (series []Series) {
	t := &run.Task
	if t.GFlop == nil {
		return nil
	}
	r := newRates(len(run.Resource.Parent))
	keep := schedule.Keep(run, generation)
	for i, w := range t.Worker {
		if w >= 0 && t.GFlop[i] > 0 && keep(i) {
			r.add(w, t.Start[i], t.End[i], t.GFlop[i])
		}
	}
	return r.series(run, "GFlop/s")
}

// Bandwidth is the rate at which transfers of the given kinds bring data to
// each resource, in MB/s (1e6 bytes): each transfer's bytes spread evenly over
// its time, as [Moving] says.
func Bandwidth(run *trace.Run, kinds ...string) []Series {
	t := &run.Transfer
	r := newRates(len(run.Resource.Parent))
	for i, to := range t.To {
		if to >= 0 && t.Bytes[i] > 0 && t.Start[i] != trace.NoTime && t.End[i] != trace.NoTime && slices.Contains(kinds, t.Kind.At(i)) {
			from, until := Moving(t.Start[i], t.End[i])
			r.add(to, from, until, float64(t.Bytes[i])/1e6)
		}
	}
	return r.series(run, "MB/s")
}

// Moving is the time over which the bytes of a transfer are spread, so that none
// are lost: from its start to its end. One that seems to end before it starts,
// as the clocks of its ends differ, moved at some time that is off by that much:
// its bytes are spread between the two. One that takes no time takes 1 ns.
func Moving(start, end int64) (from, to int64) {
	return min(start, end), max(start, end, min(start, end)+1)
}

// series returns the places that have a rate at any time.
func (r rates) series(run *trace.Run, metric string) (series []Series) {
	for place, s := range r.spans {
		if s.Len() > 0 {
			steps := interval.WeightedConcurrency(s, r.rate[place])
			series = append(series, Series{metric, run.Resource.Node[place], int32(place), steps})
		}
	}
	return series
}
