package breakdown

import (
	"slices"

	"dagscope/analysis/kind"
	"dagscope/analysis/lane"
	"dagscope/interval"
	"dagscope/trace"
)

// Curve is the breakdown over time of the workers of one architecture: how many
// of them worked, and how many were held up. The rest of them was idle. The
// integrals over an interval are the sums that [Compute] gives for it, so that
// any number of windows can be had for one pass over the run.
type Curve struct {
	Arch           string
	Workers        int
	Work, Overhead interval.Steps
}

// Curves breaks the time of the workers down, by architecture in the order of
// their names; unknown is as in [Result]. Of the options only Generation, CanRun
// and Lanes make a difference.
func Curves(run *trace.Run, o Options, by Scope) (curves []Curve, unknown int64) {
	keep := lane.Keep(run, o.Generation)
	w, lanes := findWaits(run, keep), lane.Select(run, o.Lanes, keep)
	members := map[string][]int32{}
	var archs []string
	for _, r := range kind.Workers(run) {
		arch := run.Resource.Arch.At(int(r))
		if members[arch] == nil {
			archs = append(archs, arch)
		}
		members[arch] = append(members[arch], r)
	}
	slices.Sort(archs)
	cover := coverGlobal(run, w)
	if by != Global {
		types := lane.GroupTypes(run, kind.Workers(run))
		cover = coverArchs(run, w, types, findCanRun(run, archs, o.CanRun))
	}
	for _, arch := range archs {
		c := Curve{Arch: arch, Workers: len(members[arch])}
		var work interval.Spans
		for _, r := range members[arch] {
			spans := lanes.Work(r)
			work.Start, work.End = append(work.Start, spans.Start...), append(work.End, spans.End...)
		}
		c.Work = interval.Concurrency(work)
		ready := cover.ready[cover.of[members[arch][0]]]
		c.Overhead = heldUp(c.Work, ready.Spans(), float64(c.Workers))
		curves = append(curves, c)
	}
	return curves, w.unknown
}

// heldUp is the number of workers without work at the times when one could.
func heldUp(work interval.Steps, ready interval.Spans, workers float64) interval.Steps {
	var f interval.Steps
	set := func(at int64, v float64) {
		n := len(f.Value)
		if n > 0 && f.Time[n-1] == at {
			f.Value[n-1] = v
		} else if n == 0 || f.Value[n-1] != v {
			f.Time, f.Value = append(f.Time, at), append(f.Value, v)
		}
	}
	next, busy := 0, 0.0
	for i, start := range ready.Start {
		for ; next < len(work.Time) && work.Time[next] <= start; next++ {
			busy = work.Value[next]
		}
		set(start, workers-busy)
		for ; next < len(work.Time) && work.Time[next] < ready.End[i]; next++ {
			busy = work.Value[next]
			set(work.Time[next], workers-busy)
		}
		set(ready.End[i], 0)
	}
	return f
}
