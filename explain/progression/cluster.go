package progression

import (
	"math"

	"dagscope/internal/parallel"
	"dagscope/internal/stat"
)

// clusters groups the nodes at each instant, instants side by side.
func (r *Result) clusters(o Options) {
	n := len(r.Time)
	r.Cluster, r.Mean, r.Size, r.Bandwidth = make([][]int32, n), make([][]float64, n), make([][]int32, n), make([]float64, n)
	parallel.For(n, func(s int) {
		r.Bandwidth[s] = o.bandwidth(r.Progress[s])
		r.Cluster[s], _ = stat.ModalClusters(r.Progress[s], r.Bandwidth[s])
		r.closeRanks(s)
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
	Until int     // last instant at which the two are in different clusters
	Apart float64 // greatest distance of the means of the two until then, in progression
	Slow  bool    // it is behind there
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
			b := Branch{Step: s, Flow: f}
			r.follow(&b, parts[most].Nodes)
			out = append(out, b)
		}
	}
	return out
}

// follow finds how far a branch goes from the nodes that it left, until the
// first of both are in one cluster again.
func (r *Result) follow(b *Branch, left []int32) {
	for s := b.Step + 1; s < len(r.Time) && r.Cluster[s][b.Nodes[0]] != r.Cluster[s][left[0]]; s++ {
		b.Until = s
		if apart := r.meanOf(s, b.Nodes) - r.meanOf(s, left); math.Abs(apart) > b.Apart {
			b.Apart, b.Slow = math.Abs(apart), apart < 0
		}
	}
}

// meanOf is the mean progress of some nodes at an instant.
func (r *Result) meanOf(s int, nodes []int32) float64 {
	sum := 0.0
	for _, i := range nodes {
		sum += r.Progress[s][i]
	}
	return sum / float64(len(nodes))
}
