package bound

import (
	"dagscope/explain/kind"
	"dagscope/trace"
)

// Areas computes area bounds only: that of the whole run or, by node, those of
// its nodes. It reads neither the task graph nor communications. A run without
// counted tasks has none.
func Areas(run *trace.Run, o Options, byNode bool) ([]Area, error) {
	duration := kind.Durations(run)
	observed := observe(run, o, duration, false)
	if len(observed) == 0 {
		return nil, nil
	}
	costs, err := newCosts(run, o, observed, kind.Workers(run))
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

// Quick computes what takes a few sweeps over the graph: all that [Compute]
// does but bounds per node and of the distribution, the head–tail bound and the
// mixed bound, which are zero. The error is a cyclic graph (a *[dag.CycleError]) or a linear program
// that could not be certified.
func Quick(run *trace.Run, o Options) (*Result, error) {
	s, err := newSweeps(run, o)
	if err != nil {
		return nil, err
	}
	s.res.Best = best(s.res)
	return s.res, nil
}

// sweeps are the bounds that take a few sweeps over the graph, and what those
// that take longer start from.
type sweeps struct {
	duration []int64
	costs    *Costs
	known    *Costs // with what only models know; nil if that is nothing
	graph    *graph
	res      *Result
}

func newSweeps(run *trace.Run, o Options) (*sweeps, error) {
	s := &sweeps{duration: kind.Durations(run), res: new(Result)}
	var err error
	observed := observe(run, o, s.duration, false)
	if s.costs, err = newCosts(run, o, observed, kind.Workers(run)); err != nil {
		return nil, err
	}
	s.res.Makespan, s.res.Tasks = makespan(run, o)
	if s.res.Area, err = s.costs.area(trace.None); err != nil {
		return nil, err
	}
	if s.graph, err = newGraph(run, o, s.costs); err != nil {
		return nil, err
	}
	s.res.CPE = s.graph.fastestPath(s.costs)
	s.res.CPB = s.graph.observedPath(run, o, s.duration)
	return s, s.placements(run, observed)
}
