package spec

import (
	"math"

	"dagscope/predict/starpu"
	"dagscope/predict/workload"
)

// bottomLevels are priorities: how long the longest path from a task to the end
// is, in µs, if every task ran where it is fastest; without durations how many tasks
// it has.
func bottomLevels(g *workload.Graph, d starpu.Durations) ([]int32, error) {
	deps, err := workload.Infer(g)
	if err != nil {
		return nil, err
	}
	order, err := deps.Topological()
	if err != nil {
		return nil, err
	}
	level := make([]float64, deps.Nodes()) // ns
	priority := make([]int32, g.Tasks())
	for i := len(order) - 1; i >= 0; i-- {
		v := order[i]
		for _, s := range deps.Succs(v) {
			level[v] = max(level[v], level[s])
		}
		switch {
		case int(v) >= g.Tasks():
		case d == nil:
			level[v]++
			priority[v] = int32(min(level[v], math.MaxInt32))
		default:
			level[v] += shortest(d[g.Class[v]])
			priority[v] = int32(min(level[v]/1000, math.MaxInt32))
		}
	}
	return priority, nil
}

// shortest is the minimum that is not 0.
func shortest(row []float64) float64 {
	low := 0.0
	for _, ns := range row {
		if ns > 0 && (low == 0 || ns < low) {
			low = ns
		}
	}
	return low
}
