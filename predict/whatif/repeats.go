package whatif

import (
	"context"
	"math"
	"slices"

	"dagscope/internal/parallel"
	"dagscope/internal/stat"
	"dagscope/predict/spec"
)

// One simulation says little of how well a scheduler repeats a run: a transfer that
// ends a microsecond earlier has another task begin first, and the makespans of
// Cholesky n12 under dmdas are 5 % apart when durations differ by a thousandth. So
// schedulers that do not repeat the run nearly exactly at the first attempt are
// simulated again, with durations that differ by that much, and their error is that
// of the median.
const (
	attempts    = 11      // with the first, of graphs that are small enough
	contenders  = 4       // schedulers that are looked at so, at most,
	closeBy     = 0.1     // of those whose agreement is so close to the best one's
	repeatTasks = 300_000 // simulated for a contender altogether, at most, times nodes
)

// repeat settles the errors of the schedulers that repeat the run best. Sims are the
// simulations of the fits. In a hurry it takes a quarter of the time.
func (b *Base) repeat(sims []*spec.Simulation, hurry bool) {
	best := b.bestFit()
	if f := &b.Fits[best]; f.Failed != "" || f.nearlyExact() || sims[best].Graph == nil {
		return
	}
	tasks, most := repeatTasks, contenders
	if hurry {
		tasks, most = tasks/2, most/2
	}
	more := min(attempts-1, tasks/max(1, sims[best].Graph.Tasks()*max(1, sims[best].Machine.Nodes())))
	if more < 2 {
		return
	}
	agreement := func(f *Fit) float64 { return f.Tasks + f.Order }
	var who []int
	same := make([]int, len(b.Fits)) // of another that decided the same, itself for the first of them
	for i := range b.Fits {
		f := &b.Fits[i]
		same[i] = slices.IndexFunc(b.Fits[:i+1], func(g Fit) bool {
			return g.Makespan == f.Makespan && g.Tasks == f.Tasks && g.Order == f.Order && g.Failed == f.Failed
		})
		if f.Failed == "" && same[i] == i && agreement(f) >= agreement(&b.Fits[best])-closeBy {
			who = append(who, i)
		}
	}
	slices.SortStableFunc(who, func(x, y int) int {
		switch {
		case b.Fits[x].better(&b.Fits[y]):
			return -1
		case b.Fits[y].better(&b.Fits[x]):
			return 1
		}
		return 0
	})
	who = who[:min(len(who), most)]
	made := make([]int64, len(who)*more)
	parallel.For(len(made), func(k int) {
		sim := sims[who[k/more]].Noisy(leastNoise, int64(k%more+1))
		recorded := span(b.Run, sim.Rows)
		sim.Options.Until = patience*float64(recorded)*1e-9 + 0.1
		ns, err := b.single(context.Background(), sim)
		if err != nil {
			ns = int64(patience * float64(recorded))
		}
		made[k] = ns
	})
	for k, i := range who {
		f := &b.Fits[i]
		f.settle(append(made[k*more:(k+1)*more], f.Makespan), span(b.Run, sims[i].Rows))
	}
	for i := range b.Fits {
		if f, g := &b.Fits[i], &b.Fits[same[i]]; f.Failed == "" {
			f.Error, f.Low, f.High, f.Attempts = g.Error, g.Low, g.High, g.Attempts
		}
	}
}

// settle takes the error of the median of some makespans.
func (f *Fit) settle(makespans []int64, recorded int64) {
	q := make([]float64, 3)
	stat.Quantiles(makespans, []float64{0.1, 0.5, 0.9}, q)
	off := func(ns float64) float64 { return ns/math.Max(float64(recorded), 1) - 1 }
	f.Low, f.Error, f.High, f.Attempts = off(q[0]), off(q[1]), off(q[2]), len(makespans)
}

// bestFit is the fit that repeats the run best, the first of equals.
func (b *Base) bestFit() (best int) {
	for i := range b.Fits {
		if b.Fits[i].better(&b.Fits[best]) {
			best = i
		}
	}
	return best
}
