package panel

import (
	"dagscope/analysis/progress"
	"dagscope/trace"
)

// flow is what moves through one medium in one direction.
type flow struct {
	medium, direction string
	series            []progress.Series
}

// Media that data moves through.
const (
	memoryMedium  = "memory"
	networkMedium = "network"
)

func bandwidthNumbers(run *trace.Run, s *Settings) ([]any, error) {
	flows, source, err := bandwidthFlows(run, s.Source)
	if err != nil {
		return nil, err
	}
	var all pieces
	var medium, direction trace.Strings
	for _, f := range flows {
		p, err := s.pieces(run, s.summed(f.series))
		if err != nil {
			return nil, err
		}
		all.append(p)
		for range p.value {
			medium.Append(f.medium)
			direction.Append(f.direction)
		}
	}
	return []any{constant(string(source), len(all.value)), &medium, &direction, all.node,
		pick(&run.Resource.Name, all.place), all.start, all.end, all.value}, nil
}

// bandwidthFlows chooses a source and returns its flows.
func bandwidthFlows(run *trace.Run, want Origin) ([]flow, Origin, error) {
	flows, source := countedFlows(run), FromCounters
	if want == Reconstructed || want == Best && len(flows) == 0 {
		flows, source = transferFlows(run), Reconstructed
	}
	if len(flows) > 0 {
		return flows, source, nil
	}
	why := map[Origin]string{
		Best:          "the trace has no counters of bandwidth and no transfers of known size",
		FromCounters:  "the trace has no counters of bandwidth; --source reconstructed may know",
		Reconstructed: "the trace has no transfers of known size",
	}
	return nil, "", &Missing{why[want]}
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
		flows = addFlows(flows, d.direction, of[memoryMedium], of[networkMedium])
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
		flows = addFlows(flows, d.direction, memory, progress.Bandwidth(d.run, trace.TransferMPI))
	}
	return flows
}

func addFlows(flows []flow, direction string, memory, network []progress.Series) []flow {
	if len(memory) > 0 {
		flows = append(flows, flow{memoryMedium, direction, memory})
	}
	if len(network) > 0 {
		flows = append(flows, flow{networkMedium, direction, network})
	}
	return flows
}
