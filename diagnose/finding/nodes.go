package finding

import (
	"fmt"

	"dagscope/explain/breakdown"
	"dagscope/internal/words"
)

// otherNodes: only other nodes had tasks that a worker could have run. Where
// nodes run the tasks of their own data, that is what its distribution costs: no
// scheduler could do anything about it. Gain: that time divided by the workers.
func otherNodes(in *Input) (Finding, bool) {
	if in.Breakdown == nil || len(in.Breakdown.Workers) == 0 {
		return Finding{}, false
	}
	able, local := in.Breakdown.Total(breakdown.ByArch), in.Breakdown.Total(breakdown.Local)
	away := able.Overhead - local.Overhead
	gain := away / int64(len(in.Breakdown.Workers))
	if away <= 0 || gain*50 < in.Makespan {
		return Finding{}, false
	}
	return Finding{
		ID: "ready-on-other-nodes", Gain: gain, Panel: "breakdown",
		Title:    fmt.Sprintf("workers stood still %s of their time while only other nodes had ready tasks that they can run", words.PercentOf(away, able.Sum())),
		Evidence: map[string]any{"away_ns": away, "idleness_by_node_ns": local.Idleness, "of_ns": able.Sum()},
		Advice:   "the distribution of data decides which node runs a task, not the scheduler: compare the area bounds of the nodes, give each as much data as it is fast (1d1d), or another grid",
	}, true
}
