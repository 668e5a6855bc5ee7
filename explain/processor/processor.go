// Package processor answers when a thread could have run and had no processor: other
// threads or programs had it.
//
// The approach: of each thread the lost time is a function that grows from zero, from
// the kernel's context switches where they were recorded (states off-cpu, exact), else
// from what it reports every millisecond or so (metric "waiting processor", evenly
// divided in between). What of it lies in some spans is a difference of two values.
// Where neither was recorded the processor time of the processes bounds it from below.
//
// What it does not do: say who had the processor. A thread that sleeps of its own
// accord, as at a passive barrier, has lost nothing.
package processor

import (
	"slices"
	"sort"

	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/trace"
)

// Needs names the columns that this package reads.
var Needs = slices.Concat(schedule.StateNeeds, []string{"state.type", "resource.parent", "sample.metric", "sample.resource", "sample.time", "sample.value"})

// Lost is the time that threads could have run and had no processor.
type Lost struct {
	by []curve // by resource
}

// curve is lost time before each instant, linear in between.
type curve struct {
	time []int64
	sum  []float64
}

// Find reads what was recorded; nil if nothing was.
func Find(run *trace.Run) *Lost {
	l := &Lost{by: make([]curve, len(run.Resource.Parent))}
	if exact := l.states(run); exact || l.samples(run) {
		return l
	}
	return nil
}

// states takes the kernel's context switches.
func (l *Lost) states(run *trace.Run) (found bool) {
	kind := run.State.Kind.Find(trace.StateOffCPU)
	if kind < 0 {
		return false
	}
	chosen := make([]bool, len(run.State.Kind.Dict))
	chosen[kind] = true
	for r, off := range schedule.States(run, chosen) {
		sum, c := 0.0, &l.by[r]
		for i := range off.Start {
			c.add(off.Start[i], sum)
			sum += float64(off.End[i] - off.Start[i])
			c.add(off.End[i], sum)
			found = true
		}
	}
	return found
}

// samples takes rates, which hold until the next sample of the thread.
func (l *Lost) samples(run *trace.Run) (found bool) {
	s := &run.Sample
	metric := s.Metric.Find(trace.MetricQueued)
	if metric < 0 {
		return false
	}
	rate := make([]float64, len(l.by))
	for i, r := range s.Resource {
		if s.Metric.Index[i] != metric {
			continue
		}
		c, sum := &l.by[r], 0.0
		if n := len(c.time); n > 0 {
			sum = c.sum[n-1] + rate[r]*float64(s.Time[i]-c.time[n-1])
		}
		c.add(s.Time[i], sum)
		rate[r] = max(s.Value[i], 0)
		found = true
	}
	for i := range l.by {
		l.by[i].earlier()
	}
	return found
}

// earlier moves what is more than the time in which it was counted to the time before: the
// kernel counts a wait when it is over.
func (c *curve) earlier() {
	for i := len(c.time) - 1; i > 0; i-- {
		c.sum[i-1] = max(c.sum[i-1], c.sum[i]-float64(c.time[i]-c.time[i-1]))
	}
}

func (c *curve) add(t int64, sum float64) {
	c.time, c.sum = append(c.time, t), append(c.sum, sum)
}

// until is the lost time before t. After the last instant nothing is known.
func (c *curve) until(t int64) float64 {
	n := len(c.time)
	i := sort.Search(n, func(i int) bool { return c.time[i] > t })
	switch {
	case n == 0:
		return 0
	case i == 0:
		return c.sum[0]
	case i == n:
		return c.sum[n-1]
	}
	part := float64(t-c.time[i-1]) / float64(c.time[i]-c.time[i-1])
	return c.sum[i-1] + part*(c.sum[i]-c.sum[i-1])
}

// Within is what a thread lost in [from, to), ns.
func (l *Lost) Within(resource int32, from, to int64) float64 {
	if l == nil || from >= to {
		return 0
	}
	c := &l.by[resource]
	return c.until(to) - c.until(from)
}

// Over is what a thread lost in some spans, ns.
func (l *Lost) Over(resource int32, spans interval.Spans) (sum float64) {
	for i := range spans.Start {
		sum += l.Within(resource, spans.Start[i], spans.End[i])
	}
	return sum
}
