package symptom

import (
	"maps"
	"slices"

	"dagscope/explain/comm"
)

// uneven is how many times the median work of the nodes for their speed a node has
// that has too much.
const uneven = 1.25

// oneDimension is the share of the makespan that messages must cost beyond what a grid
// would have them cost; less is weak evidence.
const oneDimension = 0.05

// distribution: a node has more work for the speed of its workers than the others,
// or the data is distributed in one dimension although the nodes make a grid. Null
// hypotheses: the owners of data share the work evenly (no node has a quarter more
// than the median); each piece of data goes to as many nodes as a grid near to a
// square needs. Work is counted with the means of all nodes, so that a slow node
// does not look like one with too much to do. Gain: the load of the node with most
// work, less the mean load, and as large a part of what its messages cost; of a distribution in one dimension, the share of what
// messages cost that the grid would not need. The greater of the two counts.
func distribution(in *Input) []Symptom {
	nodes := in.nodes()
	if len(nodes) < 2 {
		return nil
	}
	t, re := &in.Run.Task, &in.Run.Resource
	work, speed := map[int32]float64{}, map[int32]float64{}
	total := 0.0
	for _, v := range in.task {
		arch, ns := in.fastest(in.group[v])
		work[re.Node[t.Worker[v]]] += ns * in.archSpeed(arch)
		total += ns * in.archSpeed(arch)
	}
	for _, w := range in.workers {
		speed[re.Node[w]] += in.speed[w]
	}
	loads := make([]float64, len(nodes))
	for i, n := range nodes {
		loads[i] = work[n] / speed[n]
	}
	most, usual := slices.Max(loads), median(loads)
	var heavy []int32
	for i, n := range nodes {
		if loads[i] >= uneven*usual {
			heavy = append(heavy, n)
		}
	}
	imbalance := int64(most - total/in.capacity)
	evidence := map[string]any{"load_ns": int64(most), "median_load_ns": int64(usual), "mean_load_ns": int64(total / in.capacity)}
	var found []Symptom
	if len(heavy) > 0 {
		talk := in.cost(func(c cause) bool {
			return c.messages() && (slices.Contains(heavy, c.from) || slices.Contains(heavy, c.to))
		})
		gain := imbalance + int64((1-total/in.capacity/most)*float64(talk))
		e := maps.Clone(evidence)
		e["messages_cost_ns"] = talk
		found = append(found, Symptom{ID: "distribution", Basis: Bound, Gain: gain, Where: Where{Nodes: heavy}, Evidence: e})
	}
	p := squarest(len(nodes))
	q := len(nodes) / p
	for _, m := range comm.Distribute(in.Run).Matrices {
		if p < 2 || int(m.Grid.P*m.Grid.Q) != len(nodes) || m.Grid.P > 1 && m.Grid.Q > 1 {
			continue
		}
		cost := in.cost(func(c cause) bool { return c.messages() })
		spare := 1 - float64(p+q-2)/float64(len(nodes)-1)
		saved := int64(spare * float64(cost))
		if in.share(saved) < least {
			break
		}
		gain := max(0, imbalance) + saved
		if len(found) > 0 && found[0].Gain >= gain {
			break
		}
		evidence["grid"], evidence["better_grid"], evidence["messages_cost_ns"] = [2]int32{m.Grid.P, m.Grid.Q}, [2]int{p, q}, cost
		return []Symptom{{ID: "distribution", Basis: Bound, Gain: gain, Weak: in.share(saved) < oneDimension, Evidence: evidence}}
	}
	return found
}

// squarest is the greatest divisor of n that is not above its square root.
func squarest(n int) int {
	best := 1
	for d := 2; d*d <= n; d++ {
		if n%d == 0 {
			best = d
		}
	}
	return best
}
