package comm

import (
	"dagscope/internal/dag"
	"dagscope/trace"
)

// Path are the communications on a critical path. The parts of the last path
// add up to the time from its first start to its last end.
type Path struct {
	Tasks    int     // on the path
	Messages []int32 // rows of the transfer table, in the order of time
	Work     int64   // ns that the path's tasks ran
	Flight   int64   // ns from posted to received
	Time     int64   // ns, all of it
}

// LongestPath is the longest path of the task graph over all sources, each task
// weighing what it took, and each message too (docs/design/methods.md, Bounds):
// CPB with communications. Messages that seem to end before they start weigh
// nothing. The error is a circle in the graph.
func LongestPath(run *trace.Run) (Path, error) {
	d, t, x := &run.Dep, &run.Task, &run.Transfer
	g := dag.Build(len(t.Start), d.From, d.To)
	order, err := g.Topological()
	if err != nil {
		return Path{}, err
	}
	weight := make([]int64, len(t.Start))
	for i := range weight {
		if t.Counted(i) && t.End[i] > t.Start[i] {
			weight[i] = t.End[i] - t.Start[i]
		}
	}
	edge := make([]int64, len(d.To))
	for e, via := range d.Via {
		if via >= 0 && x.Start[via] != trace.NoTime && x.End[via] != trace.NoTime {
			edge[e] = max(0, x.End[via]-x.Start[via])
		}
	}
	longest := g.LongestPathEdges(order, weight, edge)
	p := Path{Time: longest.Length}
	for _, v := range longest.Nodes {
		if weight[v] > 0 {
			p.Tasks++
			p.Work += weight[v]
		}
	}
	for _, e := range longest.Edges {
		if d.Via != nil && d.Via[e] >= 0 {
			p.Messages = append(p.Messages, d.Via[e])
			p.Flight += edge[e]
		}
	}
	return p, nil
}
