package panel

import (
	"fmt"
	"slices"

	"dagscope/explain/comm"
	"dagscope/explain/progress"
	"dagscope/internal/interval"
	"dagscope/internal/words"
	"dagscope/trace"
)

// flowsNote says where the curves of flows come from, and what differing clocks
// did to them.
func flowsNote(run *trace.Run, flows []flow, want Origin, from string) string {
	has := func(s Origin) bool { return slices.ContainsFunc(flows, func(f flow) bool { return f.source == s }) }
	metric := progress.BandwidthInMetric
	note := metricNote(run, flows[0].source, metric, from)
	if has(FromCounters) && has(Reconstructed) {
		note = metricNote(run, FromCounters, metric, from) + ", the network " + sourceNote(Reconstructed, "messages")
	}
	switch counted := countedFlows(run); {
	case has(Reconstructed) && want == Best && anyNegative(counted):
		note += ", as counters are negative at times"
	case anyNegative(flows):
		note += "; rates below 0, where clocks differ, are drawn as 0"
	}
	if has(Reconstructed) || slices.ContainsFunc(metric, run.Meta.SamplesDerived) {
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

// notNegative are flows to be drawn: no amount is below 0.
func notNegative(flows []flow) []flow {
	if !anyNegative(flows) {
		return flows
	}
	flows = slices.Clone(flows)
	for f := range flows {
		flows[f].series = slices.Clone(flows[f].series)
		for i := range flows[f].series {
			s := &flows[f].series[i]
			s.Steps = interval.Steps{Time: s.Time, Value: each(s.Value, func(v float64) float64 { return max(0, v) })}
		}
	}
	return flows
}
