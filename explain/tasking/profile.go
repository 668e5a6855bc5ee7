package tasking

import (
	"cmp"
	"math"
	"slices"

	"dagscope/internal/interval"
	"dagscope/trace"
)

// Profile is how many tasks could work at each instant if none had to wait for
// a worker, from the start of the program to the span (Cilkview's parallelism
// profile). Its integral is the work.
func (s *Span) Profile() interval.Steps { return interval.Concurrency(s.profile) }

// Observed is how many pieces of tasks ran at each instant of the run, those of
// implicit tasks among them. Its integral is the work, but for tasks that ran
// on several workers at once, which count for each.
func Observed(run *trace.Run, o Options) interval.Steps {
	p := newPieces(run, o)
	var spans interval.Spans
	for v := range run.Task.Start {
		for i := range p.of(int32(v)) {
			worker, start, end := p.piece(int32(v), i)
			if start, end = o.clip(start, end); p.waited(worker, start, end) == 0 {
				spans.Add(start, end)
				continue
			}
			worked := interval.Subtract(interval.Spans{Start: []int64{start}, End: []int64{end}}, p.waits[worker].Spans())
			for k := range worked.Start {
				spans.Add(worked.Start[k], worked.End[k])
			}
		}
	}
	return interval.Concurrency(spans)
}

// Bound limits what a number of workers can do for the program as it is.
type Bound struct {
	Workers int
	// AtMost bounds the speed-up over one worker: min(P, T₁/T∞), and T₁ over the time in
	// which the most used lock is held.
	AtMost float64
	// Greedy is a speed-up that every scheduler reaches that leaves no worker
	// idle while a task is ready and costs nothing: T₁ over Graham's bound
	// (T₁ − T∞)/P + T∞. While a worker waits for a lock another works that holds one:
	// with H the time in which locks are held, summed over locks, at most
	// H (1 − 1/P) is added.
	Greedy float64
	// Levels is the speed-up when each level of the profile is done before the
	// next: T₁ over the integral of max(1, tasks/P) (Brent 1974). Some schedule
	// of tasks that can be interrupted reaches it: it lies between the others.
	Levels float64
}

// Bounds limits the speed-up by each number of workers.
func (s *Span) Bounds(workers []int) []Bound {
	profile := s.Profile()
	all := make([]Bound, len(workers))
	for i, n := range workers {
		p, t1, tInf := float64(n), float64(s.Work), float64(s.Span)
		all[i] = Bound{
			Workers: n, AtMost: min(p, s.Parallelism()), Greedy: ratio(t1, min(t1, (t1-tInf)/p+tInf+float64(s.Held)*(1-1/p))),
			Levels: ratio(t1, max(levels(profile, p), float64(s.Serial.Holding))),
		}
	}
	return all
}

func ratio(a, b float64) float64 {
	if b <= 0 {
		return 0
	}
	return a / b
}

// levels is the time that P workers take for a profile level by level.
func levels(f interval.Steps, p float64) (ns float64) {
	for i := range len(f.Time) - 1 {
		if f.Value[i] > 0 {
			ns += float64(f.Time[i+1]-f.Time[i]) * math.Max(1, f.Value[i]/p)
		}
	}
	return ns
}

// PowersUpTo are 1, 2, 4, … below n, and n itself.
func PowersUpTo(n int) (all []int) {
	for p := 1; p < n; p *= 2 {
		all = append(all, p)
	}
	return append(all, max(n, 1))
}

// Below is how long the profile has fewer than p tasks, of the span: for so
// much of the critical path p workers cannot all be busy.
func (s *Span) Below(p int) (ns int64) {
	f := s.Profile()
	for i := range len(f.Time) - 1 {
		if f.Value[i] < float64(p) {
			ns += f.Time[i+1] - f.Time[i]
		}
	}
	return ns
}

// Use is the time of the longest chain in tasks of one kind.
type Use struct {
	Kind  int32 // index into run.Task.Kind.Dict, trace.None without
	Work  int64 // ns
	Steps int   // stretches of them
}

// Uses says of what the longest chain is made, the most first.
func (s *Span) Uses(run *trace.Run) []Use {
	of := map[int32]*Use{}
	var all []*Use
	for _, step := range s.Path {
		k := run.Task.Kind.Index[step.Task]
		if of[k] == nil {
			of[k] = &Use{Kind: k}
			all = append(all, of[k])
		}
		of[k].Work += step.Work
		of[k].Steps++
	}
	uses := make([]Use, len(all))
	for i, u := range all {
		uses[i] = *u
	}
	slices.SortStableFunc(uses, func(a, b Use) int { return cmp.Compare(b.Work, a.Work) })
	return uses
}
