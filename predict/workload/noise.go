package workload

import (
	"hash/fnv"
	"math"
	"slices"

	"dagscope/internal/stat"
)

// Perturbed is the graph with durations that differ by chance: each task takes a
// factor on what it takes here, drawn from a log-normal distribution of mean 1
// and this coefficient of variation. Schedulers do not know it.
//
// The factor is a function of the seed and of the task alone: of its kind, and how
// many tasks of that kind the program submits before it. A task therefore draws
// the same whatever the machine, the scheduler or the order of events is, and
// whichever tasks of other kinds there are (common random numbers).
func (g *Graph) Perturbed(cv float64, seed uint64) *Graph {
	out := *g
	if cv <= 0 {
		return &out
	}
	if g.Factor != nil {
		out.Factor = slices.Clone(g.Factor)
	} else {
		out.Factor = slices.Repeat([]float64{1}, g.Tasks())
	}
	variance := math.Log1p(cv * cv)
	sigma := math.Sqrt(variance)
	kinds, number := g.kindNumbers()
	before := make([]uint64, len(number)) // tasks, by kind
	for i, c := range g.Class {
		k := kinds[c]
		if g.HasWork(i) {
			out.Factor[i] *= math.Exp(sigma*stat.Normal(stat.Mix(seed^number[k], before[k])) - variance/2)
		}
		before[k]++
	}
	return &out
}

// kindNumbers are the kind of each class, and a number for each kind that depends
// on its name alone.
func (g *Graph) kindNumbers() (kinds []int, number []uint64) {
	kinds = make([]int, len(g.Classes))
	known := make(map[string]int)
	for c := range g.Classes {
		name := g.Classes[c].Kind
		k, found := known[name]
		if !found {
			k = len(number)
			known[name] = k
			h := fnv.New64a()
			h.Write([]byte(name))
			number = append(number, h.Sum64())
		}
		kinds[c] = k
	}
	return kinds, number
}
