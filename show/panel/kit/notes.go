package kit

import (
	"fmt"
	"slices"

	"dagscope/explain/comm"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/progress"
	"dagscope/internal/interval"
	"dagscope/internal/words"
	"dagscope/trace"
)

// FlowsNote says where the curves of flows come from, and what differing clocks
// did to them.
func FlowsNote(run *trace.Run, flows []panels.Flow, want panels.Origin, from string) string {
	has := func(s panels.Origin) bool {
		return slices.ContainsFunc(flows, func(f panels.Flow) bool { return f.Source == s })
	}
	metric := progress.BandwidthInMetric
	note := MetricNote(run, flows[0].Source, metric, from)
	if has(panels.FromCounters) && has(panels.Reconstructed) {
		note = MetricNote(run, panels.FromCounters, metric, from) + ", the network " + SourceNote(panels.Reconstructed, "messages")
	}
	switch counted := panels.CountedFlows(run); {
	case has(panels.Reconstructed) && want == panels.Best && panels.AnyNegative(counted):
		note += ", as counters are negative at times"
	case panels.AnyNegative(flows):
		note += "; rates below 0, where clocks differ, are drawn as 0"
	}
	if has(panels.Reconstructed) || slices.ContainsFunc(metric, run.Meta.SamplesDerived) {
		note += spreadNote(comm.Find(run, comm.Nodes))
	}
	return note
}

// spreadNote says how many messages have no time of their own.
func spreadNote(l *comm.List) string {
	d := l.Delays()
	if d.Backward == 0 {
		return ""
	}
	bytes := int64(0)
	for i := range l.Row {
		if l.Backward(i) {
			bytes += l.Bytes(i)
		}
	}
	return fmt.Sprintf("; %s (%s) %s to end before %s (clocks differ by %s or more): spread between the two",
		words.PluralThin(int(d.Backward), "message", "messages"), words.BytesFine(float64(bytes)), words.Agree(d.Backward, "seems", "seem"),
		words.Agree(d.Backward, "it starts", "they start"), words.Duration(d.LeastClockDeviation))
}

// NotNegative are flows to be drawn: no amount is below 0.
func NotNegative(flows []panels.Flow) []panels.Flow {
	if !panels.AnyNegative(flows) {
		return flows
	}
	flows = slices.Clone(flows)
	for f := range flows {
		flows[f].Series = slices.Clone(flows[f].Series)
		for i := range flows[f].Series {
			s := &flows[f].Series[i]
			s.Steps = interval.Steps{Time: s.Time, Value: panels.Each(s.Value, func(v float64) float64 { return max(0, v) })}
		}
	}
	return flows
}

// SourceNote says where a curve comes from.
func SourceNote(source panels.Origin, from string) string {
	if source == panels.FromCounters {
		return "counted by the runtime"
	}
	return "reconstructed from the " + from
}

// MetricNote says where a curve of a metric comes from. Not all counters are the
// runtime's: some were computed when the run was made.
func MetricNote(run *trace.Run, source panels.Origin, metric []string, from string) string {
	if source == panels.FromCounters && slices.ContainsFunc(metric, run.Meta.SamplesDerived) {
		return "computed on import from the " + from
	}
	return SourceNote(source, from)
}
