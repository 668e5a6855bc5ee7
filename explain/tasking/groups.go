package tasking

import (
	"cmp"
	"math"
	"slices"

	"dagscope/internal/interval"
	"dagscope/internal/stat"
	"dagscope/trace"
)

// Times sums up some times of tasks of one kind, ns.
type Times struct {
	Kind             int32 // index into run.Task.Kind.Dict, trace.None for all kinds together
	Count            int64
	Median, P95, Max int64
	Total            int64
}

// summarize groups times by kind: all kinds together first, then each, those
// with the greatest sum first. kind and times have an entry for each task that
// has a time.
func summarize(run *trace.Run, kind []int32, times []int64) []Times {
	if len(times) == 0 {
		return nil
	}
	at, rows := interval.Group(kind, len(run.Task.Kind.Dict), nil)
	var each []Times
	for k := range run.Task.Kind.Dict {
		some := make([]int64, 0, at[k+1]-at[k])
		for _, row := range rows[at[k]:at[k+1]] {
			some = append(some, times[row])
		}
		if len(some) > 0 {
			each = append(each, timesOf(int32(k), some))
		}
	}
	slices.SortStableFunc(each, func(a, b Times) int { return cmp.Compare(b.Total, a.Total) })
	return append([]Times{timesOf(trace.None, slices.Clone(times))}, each...)
}

// timesOf reorders times.
func timesOf(kind int32, times []int64) Times {
	var q [2]float64
	t := Times{Kind: kind, Count: int64(len(times)), Max: slices.Max(times)}
	for _, ns := range times {
		t.Total += ns
	}
	stat.Quantiles(times, []float64{0.5, 0.95}, q[:])
	t.Median, t.P95 = int64(math.Round(q[0])), int64(math.Round(q[1]))
	return t
}
