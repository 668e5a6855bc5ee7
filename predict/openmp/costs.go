package openmp

import (
	"cmp"
	"slices"

	"dagscope/trace"
)

// Defaults are the costs that libomp 19 has on two cores of a 2.6 GHz EPYC, for what
// a recording does not show: one on one thread has no queues, no thieves and nobody
// to wait for. Create, Dispatch and Steal are medians of what Fit finds in recordings
// of fft, health, nqueens, sort and uts on two threads (541 to 611 ns for Dispatch),
// Depend and Release of sparselu and jacobi, all in read/record/programs.
var Defaults = Costs{
	Create: 60, Inline: 30, Dispatch: 560, Steal: 1300, Depend: 2100, Release: 850, Resume: 30, Barrier: 800,
	Fork: 1500, Start: 60_000, Chunk: 60, Lock: 120, Queue: 100,
}

// enough is how many measurements a cost is fitted on at least.
const enough = 20

// sampled bounds the measurements of one cost.
const sampled = 1 << 18

// Fit finds the costs of the runtime in a recording: how long threads take between
// tasks that were there to be taken, and what a creation takes at least. What it has
// too few of stays as in Defaults.
func Fit(run *trace.Run, p *Program) Costs {
	c := Defaults
	c.Creation = creation(p)
	t := &run.Task
	if p.Threads == 1 {
		var inline []int64
		for i := range t.Start {
			if counted(t, i) && len(inline) < sampled && t.Parent[i] != trace.None {
				if d, ok := inlineCost(run, int32(i)); ok {
					inline = append(inline, d)
				}
			}
		}
		set(&c.Inline, inline)
		return c
	}
	c.Create, c.Depend, c.Release = 0, 0, 0 // are in what was recorded
	own, other := handovers(run)
	set(&c.Dispatch, own)
	set(&c.Steal, other)
	set(&c.Resume, resumes(run))
	set(&c.Fork, forks(run, p))
	return c
}

func counted(t *trace.Tasks, i int) bool {
	return !t.Internal[i] && t.Start[i] != trace.NoTime && t.End[i] != trace.NoTime && t.Submit[i] != trace.NoTime
}

// set takes the median of measurements where there are enough.
func set(cost *int64, found []int64) {
	if len(found) >= enough {
		slices.Sort(found)
		*cost = max(0, found[len(found)/2])
	}
}

// inlineCost is what a task that ran where it was created cost besides itself.
func inlineCost(run *trace.Run, c int32) (int64, bool) {
	t, s := &run.Task, &run.Segment
	p := t.Parent[c]
	from, _ := slices.BinarySearch(s.Task, p)
	to, _ := slices.BinarySearch(s.Task, p+1)
	i, ok := slices.BinarySearch(s.End[from:to], t.Submit[c])
	if !ok || from+i+1 >= to || s.Start[from+i+1] < t.End[c] {
		return 0, false
	}
	return t.Start[c] - t.Submit[c] + s.Start[from+i+1] - t.End[c], true
}

// handovers are how long threads took from the end of one task to the start of the
// next where that was created by the same thread, and by another, and had waited.
func handovers(run *trace.Run) (own, other []int64) {
	t := &run.Task
	type span struct {
		worker, task int32
		start, end   int64
	}
	var all []span
	for i := range t.Start {
		if counted(t, i) && t.Worker[i] != trace.None && len(all) < sampled {
			all = append(all, span{t.Worker[i], int32(i), t.Start[i], t.End[i]})
		}
	}
	slices.SortFunc(all, func(a, b span) int { return cmp.Or(cmp.Compare(a.worker, b.worker), cmp.Compare(a.start, b.start)) })
	for k := 1; k < len(all); k++ {
		a, b := &all[k-1], &all[k]
		if a.worker != b.worker || b.start < a.end || t.Ready[b.task] > a.end || t.Ready[b.task] == trace.NoTime {
			continue
		}
		if p := t.Parent[b.task]; p != trace.None && t.Worker[p] == b.worker {
			own = append(own, b.start-a.end)
		} else {
			other = append(other, b.start-a.end)
		}
	}
	return own, other
}

// forks are how long members of a region took to begin after it, but of the first
// region, for which threads are made.
func forks(run *trace.Run, p *Program) (found []int64) {
	for i := range p.steps {
		if p.steps[i].op != opParallel || p.steps[i].arg == 0 {
			continue
		}
		for _, m := range p.regions[p.steps[i].arg].members {
			found = append(found, run.Task.Start[m]-p.regions[p.steps[i].arg].begin)
		}
	}
	return found
}

// resumes are how long waiting tasks took to go on when nothing was left to wait for.
func resumes(run *trace.Run) (found []int64) {
	ph := &run.Phase
	for i := range ph.Task {
		if ph.Kind.At(i) == trace.PhaseResumable && len(found) < sampled {
			found = append(found, ph.End[i]-ph.Start[i])
		}
	}
	return found
}

// creation is what creating a task takes at least, as far as the recording shows it:
// the time between creations by one task that nearly no other creation falls short of.
// The program's own code between creations comes on top.
func creation(p *Program) int64 {
	var gaps []int64
	for i := 1; i < len(p.steps) && len(gaps) < sampled; i++ {
		if p.steps[i].op == opCreate && p.steps[i-1].op == opCreate {
			gaps = append(gaps, p.steps[i].work)
		}
	}
	if len(gaps) < enough {
		return 0
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/100]
}
