package panel

import (
	"slices"

	"dagscope/explain/progress"
	"dagscope/trace"
)

// flow is what moves through one medium in one direction.
type flow struct {
	medium, direction string
	source            Origin
	series            []progress.Series
}

// negative tells whether rates that the runtime counted are below 0: where
// clocks of nodes differ by more than a message takes it divides its bytes by
// what is no time. Rounding makes such values too, but small ones.
func (f *flow) negative() bool {
	least, most := 0.0, 0.0
	for i := range f.series {
		for _, v := range f.series[i].Value {
			least, most = min(least, v), max(most, v)
		}
	}
	return least < -1e-6*most
}

func anyNegative(flows []flow) bool {
	return slices.ContainsFunc(flows, func(f flow) bool { return f.negative() })
}

// Media that data moves through.
const (
	memoryMedium  = "memory"
	networkMedium = "network"
)

func bandwidthNumbers(run *trace.Run, s *Settings) ([]any, error) {
	flows, err := bandwidthFlows(run, s.Source)
	if err != nil {
		return nil, err
	}
	var all pieces
	var source, medium, direction trace.Strings
	for _, f := range flows {
		p, err := s.pieces(run, s.summed(f.series))
		if err != nil {
			return nil, err
		}
		all.append(p)
		for range p.value {
			source.Append(string(f.source))
			medium.Append(f.medium)
			direction.Append(f.direction)
		}
	}
	return []any{&source, &medium, &direction, all.node,
		pick(&run.Resource.Name, all.place), all.start, all.end, all.value}, nil
}

// bandwidthFlows chooses a source and returns its flows. Counters of the network
// that are negative are no rates: the best are those of the messages then.
func bandwidthFlows(run *trace.Run, want Origin) ([]flow, error) {
	flows := countedFlows(run)
	switch {
	case want == Reconstructed || want == Best && len(flows) == 0:
		flows = transferFlows(run)
	case want == Best:
		flows = withoutNegative(run, flows)
	}
	if len(flows) > 0 {
		return flows, nil
	}
	why := map[Origin]string{
		Best:          "the trace has no counters of bandwidth and no transfers of known size",
		FromCounters:  "the trace has no counters of bandwidth; --source reconstructed may know",
		Reconstructed: "the trace has no transfers of known size",
	}
	return nil, &Missing{why[want]}
}

// withoutNegative replaces the flows of a medium whose counters are negative by
// what follows from the times of transfers.
func withoutNegative(run *trace.Run, counted []flow) (flows []flow) {
	var instead []flow
	for _, medium := range []string{memoryMedium, networkMedium} {
		of := func(f flow) bool { return f.medium != medium }
		some := slices.DeleteFunc(slices.Clone(counted), of)
		if anyNegative(some) {
			if instead == nil {
				instead = transferFlows(run)
			}
			if others := slices.DeleteFunc(slices.Clone(instead), of); len(others) > 0 {
				some = others
			}
		}
		flows = append(flows, some...)
	}
	return flows
}

// countedFlows are the runtime's counters: those of communication threads are
// of the network.
func countedFlows(run *trace.Run) (flows []flow) {
	for _, d := range []struct {
		direction string
		metric    []string
	}{{"in", progress.BandwidthInMetric}, {"out", progress.BandwidthOutMetric}} {
		of := map[string][]progress.Series{}
		for _, one := range progress.Counters(run, d.metric) {
			medium := memoryMedium
			if one.Resource >= 0 && run.Resource.Level.At(int(one.Resource)) == trace.LevelComm {
				medium = networkMedium
			}
			of[medium] = append(of[medium], one)
		}
		flows = addFlows(flows, d.direction, FromCounters, of[memoryMedium], of[networkMedium])
	}
	return flows
}

// transferFlows spread the bytes of each transfer over its time; what leaves a
// place is what comes in with the ends exchanged.
func transferFlows(run *trace.Run) (flows []flow) {
	back := *run
	back.Transfer.To = run.Transfer.From
	for _, d := range []struct {
		direction string
		run       *trace.Run
	}{{"in", run}, {"out", &back}} {
		memory := progress.Bandwidth(d.run, trace.TransferFetch, trace.TransferTaskPrefetch, trace.TransferPrefetch, trace.TransferIdleFetch)
		flows = addFlows(flows, d.direction, Reconstructed, memory, progress.Bandwidth(d.run, trace.TransferMPI))
	}
	return flows
}

func addFlows(flows []flow, direction string, source Origin, memory, network []progress.Series) []flow {
	if len(memory) > 0 {
		flows = append(flows, flow{memoryMedium, direction, source, memory})
	}
	if len(network) > 0 {
		flows = append(flows, flow{networkMedium, direction, source, network})
	}
	return flows
}
