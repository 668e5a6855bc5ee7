package finding

import (
	"fmt"

	"dagscope/explain/bound"
	"dagscope/internal/words"
)

// distribution: the owners of data decide which node runs a task, and the lower
// bound of this distribution is above that of any. Gain: the difference.
func distribution(in *Input) (Finding, bool) {
	if in.Bounds == nil || in.Bounds.Distribution == nil {
		return Finding{}, false
	}
	d := in.Bounds.Distribution
	cost := round(d.Cost(in.Bounds))
	if cost*50 < in.Makespan {
		return Finding{}, false
	}
	node := d.Area.Node
	if d.Best.Name == "head_tail" {
		node = d.Node
	}
	advice := fmt.Sprintf("compare the area bounds of the nodes (dagscope data RUN nodes) and give node %d less work", node)
	if d.Best.Name == "cpe" {
		advice = "place the tasks of the critical path so that fewer messages are on it"
	}
	return Finding{
		ID: "distribution", Gain: cost, Panel: "nodes", data: true,
		Title: fmt.Sprintf("the distribution of data costs %s of the lower bound: %s with it (%s), %s with any",
			words.Duration(cost), words.Duration(round(d.Best.Time)), bound.Names[d.Best.Name], words.Duration(round(d.Best.Time)-cost)),
		Evidence: map[string]any{"distribution_bound_ns": round(d.Best.Time), "distribution_cost_ns": cost, "bound": d.Best.Name, "node": node},
		Advice:   advice,
	}, true
}
