package bound

import (
	"dagscope/analysis/kind"
	"dagscope/trace"
)

// Areas computes area bounds only: that of the whole run or, by node, those of
// its nodes. It reads neither the task graph nor communications. A run without
// counted tasks has none.
func Areas(run *trace.Run, o Options, byNode bool) ([]Area, error) {
	duration := kind.Durations(run)
	groups := kind.Group(run, kind.Options{Generation: o.Generation})
	if groups.Len() == 0 {
		return nil, nil
	}
	costs, err := newCosts(run, o, observe(groups, duration), kind.Workers(run))
	if err != nil {
		return nil, err
	}
	global, err := costs.area(trace.None)
	if err != nil || !byNode {
		return []Area{global}, err
	}
	return perNode(run, o, duration, costs, global)
}

// CriticalPath computes the critical path estimation (CPE) only: the longest
// path of the task graph, each task weighing its fastest mean duration. The
// error is a cyclic graph (a *[dag.CycleError]).
func CriticalPath(run *trace.Run, o Options) (Path, error) {
	costs, err := NewCosts(run, o)
	if err != nil {
		return Path{}, err
	}
	g, err := newGraph(run, o, costs)
	if err != nil {
		return Path{}, err
	}
	return g.fastestPath(costs), nil
}
