package lane

import (
	"dagscope/interval"
	"dagscope/trace"
)

// StateNeeds names the columns that [States] reads.
var StateNeeds = []string{"state.resource", "state.kind", "state.start", "state.end"}

// States returns for every resource the union of its states of the chosen
// kinds (by dictionary index of state.kind).
func States(run *trace.Run, chosen []bool) []interval.Spans {
	s := &run.State
	all := make([]interval.Spans, len(run.Resource.Parent))
	for i, k := range s.Kind.Index {
		if k >= 0 && chosen[k] && s.Resource[i] >= 0 {
			all[s.Resource[i]].Add(s.Start[i], s.End[i])
		}
	}
	for r := range all {
		all[r] = interval.Union(all[r])
	}
	return all
}

// Choose marks the entries of a dictionary that are among names.
func Choose(dict, names []string) []bool {
	chosen := make([]bool, len(dict))
	for i, s := range dict {
		for _, name := range names {
			chosen[i] = chosen[i] || s == name
		}
	}
	return chosen
}
