package schedule

import (
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/trace"
)

// StateNeeds names the columns that [States] reads.
var StateNeeds = []string{"state.resource", "state.kind", "state.start", "state.end"}

// States returns for every resource the union of its states of the chosen
// kinds (by dictionary index of state.kind).
func States(run *trace.Run, chosen []bool) []interval.Spans {
	s := &run.State
	at := make([]int32, len(run.Resource.Parent)+1) // rows of a resource follow each other
	for _, r := range s.Resource {
		at[r+1]++
	}
	for r := range run.Resource.Parent {
		at[r+1] += at[r]
	}
	all := make([]interval.Spans, len(run.Resource.Parent))
	parallel.For(len(all), func(r int) {
		n := 0
		for _, k := range s.Kind.Index[at[r]:at[r+1]] {
			if k >= 0 && chosen[k] {
				n++
			}
		}
		if n == 0 {
			return
		}
		spans := interval.Spans{Start: make([]int64, 0, n), End: make([]int64, 0, n)}
		for i := at[r]; i < at[r+1]; i++ {
			if k := s.Kind.Index[i]; k >= 0 && chosen[k] {
				spans.Add(s.Start[i], s.End[i])
			}
		}
		all[r] = interval.Union(spans)
	})
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
