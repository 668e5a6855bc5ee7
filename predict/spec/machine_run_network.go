package spec

import (
	"cmp"
	"slices"

	"dagscope/trace"
)

// unknownHop is the latency of a link of the network, in s, where nothing is known
// of it.
const unknownHop = 1e-6

// slowNodes are the nodes whose links have clearly less than a bandwidth, and which
// share of it they have: not one of many messages was half as fast, whatever was under
// way at the time. Messages with nodes that are slower still say nothing.
func slowNodes(run *trace.Run, bandwidth float64) map[int]float64 {
	t, node := &run.Transfer, run.Resource.Node
	slow := make(map[int]float64)
	for {
		fastest, count := make(map[int]float64), make(map[int]int)
		for i := range t.Start {
			if t.Kind.At(i) != trace.TransferMPI || t.From[i] == trace.None || t.To[i] == trace.None || t.Start[i] == trace.NoTime || t.End[i] <= t.Start[i] {
				continue
			}
			from, to := int(node[t.From[i]]), int(node[t.To[i]])
			if from == to || slow[from] > 0 || slow[to] > 0 {
				continue
			}
			speed := float64(t.Bytes[i]) / float64(t.End[i]-t.Start[i]) * 1e9
			for _, end := range [...]int{from, to} {
				fastest[end] = max(fastest[end], speed)
				count[end]++
			}
		}
		const many, half = 10, 0.45
		slowest := -1
		for node, speed := range fastest {
			if count[node] >= many && speed > 0 && speed < half*bandwidth && (slowest < 0 || speed < fastest[slowest] || speed == fastest[slowest] && count[node] > count[slowest]) {
				slowest = node
			}
		}
		if slowest < 0 {
			return slow
		}
		slow[slowest] = fastest[slowest] / bandwidth
	}
}

// arrivals are when messages arrived, by node and tag of their data, ascending.
type arrivals map[[2]int64][]int64

func arrivalsOf(run *trace.Run) arrivals {
	a := make(arrivals)
	t, h := &run.Transfer, &run.Handle
	for i := range t.Start {
		if t.Kind.At(i) != trace.TransferMPI || t.To[i] == trace.None || t.Handle[i] == trace.None || t.End[i] == trace.NoTime || len(h.Tag) == 0 {
			continue
		}
		key := [2]int64{int64(run.Resource.Node[t.To[i]]), h.Tag[t.Handle[i]]}
		a[key] = append(a[key], t.End[i])
	}
	for _, of := range a {
		slices.SortFunc(of, cmp.Compare)
	}
	return a
}

// last is when the last message with data of a tag arrived at a node by a date;
// trace.NoTime where none did.
func (a arrivals) last(node int32, tag, by int64) int64 {
	of := a[[2]int64{int64(node), tag}]
	i, found := slices.BinarySearch(of, by)
	if found {
		return by
	}
	if i == 0 {
		return trace.NoTime
	}
	return of[i-1]
}
