package selection

import (
	"math"
	"slices"

	"dagscope/explain/breakdown"
	"dagscope/explain/kind"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/trace"
)

// inputs are tasks that count for nothing, but while they run their workers are
// not idle: those that generate the input, or those of the runtime's own.
type inputs struct {
	run   *trace.Run
	lanes *schedule.Lanes // nil in a run without
}

func newInputs(run *trace.Run, all *schedule.Lanes) inputs {
	return newOthers(run, all, func(i int) bool {
		return run.Task.Generation[i] && kind.Options{Generation: true}.Counts(&run.Task, i)
	})
}

func newImplicit(run *trace.Run, all *schedule.Lanes) inputs {
	return newOthers(run, all, func(i int) bool {
		return run.Task.Internal[i] && !run.Task.Generation[i] && run.Task.Start[i] != trace.NoTime && run.Task.Worker[i] >= 0
	})
}

func newOthers(run *trace.Run, all *schedule.Lanes, are func(int) bool) inputs {
	for i := range run.Task.Start {
		if are(i) {
			return inputs{run, schedule.Select(run, all, are)}
		}
	}
	return inputs{run: run}
}

// absence is when a worker is not there, in runs whose workers come and go.
func (x *Index) absence(worker int32) (spans interval.Spans) {
	if x.run.Meta.Lifetimes {
		from, to := breakdown.Lifetime(x.run, worker)
		spans.Add(trace.NoTime, from)
		spans.Add(to, math.MaxInt64)
	}
	return spans
}

// of is when a worker ran one.
func (in *inputs) of(worker int32) (spans interval.Spans) {
	if in.lanes == nil {
		return spans
	}
	for p, end := in.lanes.Of(worker); p < end; p++ {
		spans.Add(in.lanes.Start[p], in.lanes.End[p])
	}
	return interval.Union(spans)
}

// inputKinds are the kinds of those that touch an area, by name.
func (x *Index) inputKinds(c *chosen) []string {
	names := []string{}
	if x.inputs.lanes == nil {
		return names
	}
	l, met := x.inputs.lanes, make([]bool, 1+len(x.run.Task.Kind.Dict))
	for _, w := range c.workers {
		for p, end := l.Of(w); p < end; p++ {
			if l.Start[p] < c.to && l.End[p] > c.from {
				met[x.run.Task.Kind.Index[l.Task[p]]+1] = true
			}
		}
	}
	for k, is := range met {
		if is {
			names = append(names, x.kindName(int32(k)-1))
		}
	}
	slices.Sort(names)
	return names
}

// findExtent finds from when to when workers ran anything of the application:
// from zero at the latest; where workers come and go, the whole recording.
func (x *Index) findExtent() {
	if x.run.Meta.Lifetimes {
		from, to := breakdown.Recording(x.run)
		x.from, x.to = min(x.from, from), max(x.to, to)
	}
	for _, l := range []*schedule.Lanes{x.lanes, x.inputs.lanes, x.implicit.lanes} {
		if l == nil {
			continue
		}
		for p := range l.Task {
			x.from, x.to = min(x.from, l.Start[p]), max(x.to, l.End[p])
		}
	}
}
