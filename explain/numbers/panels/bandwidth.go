package panels

import (
	"slices"

	"dagscope/explain/progress"
	"dagscope/trace"
)

// Flow is what moves through one medium in one direction.
type Flow struct {
	Medium, Direction string
	Source            Origin
	Series            []progress.Series
}

// negative reports whether rates that the runtime counted are below 0: where
// clocks of nodes differ by more than a message takes it divides its bytes by
// what is no time. Rounding makes such values too, but small ones.
func (f *Flow) negative() bool {
	least, most := 0.0, 0.0
	for i := range f.Series {
		for _, v := range f.Series[i].Value {
			least, most = min(least, v), max(most, v)
		}
	}
	return least < -1e-6*most
}

func AnyNegative(flows []Flow) bool {
	return slices.ContainsFunc(flows, func(f Flow) bool { return f.negative() })
}

// Media that data moves through.
const (
	MemoryMedium  = "memory"
	networkMedium = "network"
)

func bandwidthNumbers(run *trace.Run, s *Settings) ([]any, error) {
	flows, err := BandwidthFlows(run, s.Source)
	if err != nil {
		return nil, err
	}
	var all pieces
	var source, medium, direction trace.Strings
	for _, f := range flows {
		p, err := s.Pieces(run, s.Summed(f.Series))
		if err != nil {
			return nil, err
		}
		all.append(p)
		for range p.value {
			source.Append(string(f.Source))
			medium.Append(f.Medium)
			direction.Append(f.Direction)
		}
	}
	return []any{&source, &medium, &direction, all.node,
		pick(&run.Resource.Name, all.place), all.start, all.end, all.value}, nil
}

// BandwidthFlows chooses a source and returns its flows. Counters of the network
// that are negative are no rates: the best are those of the messages then.
func BandwidthFlows(run *trace.Run, want Origin) ([]Flow, error) {
	flows := CountedFlows(run)
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
func withoutNegative(run *trace.Run, counted []Flow) (flows []Flow) {
	var instead []Flow
	for _, medium := range []string{MemoryMedium, networkMedium} {
		of := func(f Flow) bool { return f.Medium != medium }
		some := slices.DeleteFunc(slices.Clone(counted), of)
		if AnyNegative(some) {
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

// CountedFlows are the runtime's counters: those of communication threads are
// of the network.
func CountedFlows(run *trace.Run) (flows []Flow) {
	for _, d := range []struct {
		direction string
		metric    []string
	}{{"in", progress.BandwidthInMetric}, {"out", progress.BandwidthOutMetric}} {
		of := map[string][]progress.Series{}
		for _, one := range progress.Counters(run, d.metric) {
			medium := MemoryMedium
			if one.Resource >= 0 && run.Resource.Level.At(int(one.Resource)) == trace.LevelComm {
				medium = networkMedium
			}
			of[medium] = append(of[medium], one)
		}
		flows = addFlows(flows, d.direction, FromCounters, of[MemoryMedium], of[networkMedium])
	}
	return flows
}

// transferFlows spread the bytes of each transfer over its time; what leaves a
// place is what comes in with the ends exchanged.
func transferFlows(run *trace.Run) (flows []Flow) {
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

func addFlows(flows []Flow, direction string, source Origin, memory, network []progress.Series) []Flow {
	if len(memory) > 0 {
		flows = append(flows, Flow{MemoryMedium, direction, source, memory})
	}
	if len(network) > 0 {
		flows = append(flows, Flow{networkMedium, direction, source, network})
	}
	return flows
}
