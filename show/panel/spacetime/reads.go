package spacetime

import (
	"slices"

	"dagscope/explain/aggregate"
	"dagscope/explain/bound"
	"dagscope/explain/comm"
	"dagscope/explain/depend"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/outlier"
	"dagscope/explain/tasking"
	"dagscope/explain/utilization"
	"dagscope/show/panel/core"
)

// spaceTimeReads names the columns that drawing reads: what a layer needs only
// where it is switched on. A run without tasks is drawn by its states.
func spaceTimeReads(o *core.Options) []string {
	st := &o.SpaceTime
	reads := [][]string{utilization.WorkerNeeds, {"resource", "state.type"}}
	if o.Outlier == nil && !st.HideOutliers {
		reads = append(reads, outlier.Needs)
	}
	reads = append(reads, shadeReads(st.Color))
	if st.Aggregation.Mode != core.AggregateNone {
		reads = append(reads, aggregate.Needs, keysIf(st.Aggregation.Exclude))
	}
	if len(st.Computed) > 0 {
		reads = append(reads, bound.Needs, bound.ModelNeeds, bound.SourceNeeds, bound.DistributionNeeds, tasking.Needs)
	}
	if l := &st.Links; len(l.Tasks) > 0 || len(l.Kinds) > 0 || l.LastPath {
		reads = append(reads, depend.Needs, keysIf(l.Tasks))
	}
	if st.Chain {
		reads = append(reads, panels.ChainReads)
	}
	if st.Messages.Show {
		reads = append(reads, comm.Needs, comm.WaitNeeds)
	}
	all := slices.Concat(reads...)
	slices.Sort(all)
	return slices.Compact(all)
}

// keysIf is the column by which tasks are chosen, if any are.
func keysIf(chosen []string) []string {
	if len(chosen) == 0 {
		return nil
	}
	return []string{"task.key"}
}
