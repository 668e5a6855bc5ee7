package progression

import (
	"math"

	"dagscope/analysis/lane"
	"dagscope/stat"
)

// clusters groups the nodes at each instant, instants side by side.
func (r *Result) clusters(o Options) {
	n := len(r.Time)
	r.Cluster, r.Mean, r.Size, r.Bandwidth = make([][]int32, n), make([][]float64, n), make([][]int32, n), make([]float64, n)
	lane.Parallel(n, func() func(int) {
		return func(s int) {
			r.Bandwidth[s] = o.bandwidth(r.Progress[s])
			r.Cluster[s], _ = stat.ModalClusters(r.Progress[s], r.Bandwidth[s])
			r.closeRanks(s)
		}
	})
}

// bandwidth is the one asked for, or that of Sheather and Jones where the values
// have one.
func (o Options) bandwidth(progress []float64) float64 {
	if o.SheatherJones {
		if h := stat.SheatherJones(progress); !math.IsNaN(h) {
			return h
		}
	}
	return o.Bandwidth
}

// closeRanks numbers the clusters of an instant without gaps, and sums them up.
func (r *Result) closeRanks(s int) {
	most := int32(0)
	for _, c := range r.Cluster[s] {
		most = max(most, c)
	}
	size := make([]int32, most+1)
	for _, c := range r.Cluster[s] {
		size[c]++
	}
	rank := make([]int32, most+1)
	for c, n := range size {
		rank[c] = int32(len(r.Size[s]))
		if n > 0 {
			r.Size[s], r.Mean[s] = append(r.Size[s], n), append(r.Mean[s], 0)
		}
	}
	for i, c := range r.Cluster[s] {
		r.Cluster[s][i] = rank[c]
		r.Mean[s][rank[c]] += r.Progress[s][i] / float64(r.Size[s][rank[c]])
	}
}

// Flow is what goes from a cluster of one instant to one of the next.
type Flow struct {
	From, To int32   // clusters
	Nodes    []int32 // places in [Result.Node], ascending
}

// Flows lists the flows from an instant to the next, by From and To.
func (r *Result) Flows(s int) []Flow {
	from, to := len(r.Size[s]), len(r.Size[s+1])
	nodes := make([][]int32, from*to)
	for i := range r.Node {
		at := int(r.Cluster[s][i])*to + int(r.Cluster[s+1][i])
		nodes[at] = append(nodes[at], int32(i))
	}
	var flows []Flow
	for at, of := range nodes {
		if len(of) > 0 {
			flows = append(flows, Flow{int32(at / to), int32(at % to), of})
		}
	}
	return flows
}

// Branch is a part of a cluster that leaves the larger part between two
// instants: the smaller branches of the figure, which have labels.
type Branch struct {
	Step int // it leaves after instant Step
	Flow
	Apart float64 // distance of where it goes from where the largest part goes, in progression
	Slow  bool    // it falls behind the largest part
}

// Branches lists the smaller branches of every cluster that splits, by time.
func (r *Result) Branches() []Branch {
	var out []Branch
	for s := range len(r.Time) - 1 {
		flows := r.Flows(s)
		for first := 0; first < len(flows); {
			last := first + 1
			for last < len(flows) && flows[last].From == flows[first].From {
				last++
			}
			out = append(out, r.split(s, flows[first:last])...)
			first = last
		}
	}
	return out
}

// split lists all parts of a cluster but the largest.
func (r *Result) split(s int, parts []Flow) (out []Branch) {
	most := 0
	for i, f := range parts {
		if len(f.Nodes) >= len(parts[most].Nodes) { // of equal ones the fastest is the rule
			most = i
		}
	}
	for i, f := range parts {
		if i != most {
			apart := r.Mean[s+1][f.To] - r.Mean[s+1][parts[most].To]
			out = append(out, Branch{s, f, math.Abs(apart), apart < 0})
		}
	}
	return out
}
