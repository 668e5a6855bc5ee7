package efficiency

import (
	"fmt"
	"math"

	"dagscope/internal/words"
)

// Scaling is a run against a reference: how much slower the same computation
// became.
type Scaling struct {
	Kinds []float64 // computation scalability of each of Result.Kinds, NaN where the reference has no such tasks
	// Computation is that of the run: the area bound of its tasks at the reference's
	// pace over its own. On one architecture, with the same tasks in both runs, it
	// is POP's: useful time of the reference over useful time of the run.
	Computation float64
	Notes       []string // what it rests on where that is in doubt
}

// Global is the parallel efficiency times the computation scalability.
func (s *Scaling) Global(r *Result) float64 { return r.Run.Parallel() * s.Computation }

// Against compares the computation of a run with that of a reference. Kinds and
// architectures are matched by name. A kind takes on an architecture, per unit of
// work, what it took in the reference: per GFlop where both runs know it of each of
// its tasks, else per task. What the reference never ran is taken as unchanged. The
// error is an area bound that could not be certified; without any tasks in common
// the scalability is NaN.
func (r *Result) Against(ref *Result) (*Scaling, error) {
	s := &Scaling{Computation: math.NaN(), Kinds: make([]float64, len(r.Kinds))}
	before := map[[2]string]*Kind{}
	for i := range ref.Kinds {
		k := &ref.Kinds[i]
		before[[2]string{k.Kind, k.Arch}] = k
	}
	ratios := map[[2]string]float64{}
	var unknown, counted []string
	for i := range r.Kinds {
		k := &r.Kinds[i]
		name := [2]string{k.Kind, k.Arch}
		old, ok := before[name]
		if !ok {
			s.Kinds[i], unknown = math.NaN(), append(unknown, onArch(k.Kind, k.Arch))
			continue
		}
		var perTask bool
		s.Kinds[i], perTask = scalability(old, k)
		if !math.IsNaN(s.Kinds[i]) {
			ratios[name] = s.Kinds[i]
		}
		if perTask && old.Tasks != k.Tasks {
			counted = append(counted, onArch(k.Kind, k.Arch))
		}
	}
	if len(ratios) == 0 || r.costs == nil {
		return s, nil
	}
	if len(unknown) > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("not in the reference, so counted as unchanged: %s", words.List(unknown, 5)))
	}
	if len(counted) > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("another number of tasks and no GFlop known, so compared per task, as if all were of one size: %s", words.List(counted, 5)))
	}
	return s, s.compute(r, ratios)
}

// scalability is the time per unit of work of the reference over that of a run,
// and whether the unit is a task.
func scalability(ref, k *Kind) (ratio float64, perTask bool) {
	before, after := ref.Work, k.Work
	if perTask = math.IsNaN(before) || math.IsNaN(after); perTask {
		before, after = ref.Tasks, k.Tasks
	}
	if ref.Useful <= 0 || k.Useful <= 0 {
		return math.NaN(), perTask
	}
	return float64(ref.Useful) / before * after / float64(k.Useful), perTask
}

// compute solves the area program with the reference's durations.
func (s *Scaling) compute(r *Result, ratios map[[2]string]float64) error {
	c := *r.costs
	c.Duration = nil
	for k, row := range r.costs.Duration {
		changed := make([]float64, len(row))
		for a, d := range row {
			changed[a] = d
			if x, ok := ratios[[2]string{r.kindName[c.Kind[k]+1], r.archName[c.Arch[a]+1]}]; ok {
				changed[a] = d * x
			}
		}
		c.Duration = append(c.Duration, changed)
	}
	before, err := r.costs.Area(r.count)
	if err != nil {
		return fmt.Errorf("computation scalability: %w", err)
	}
	after, err := c.Area(r.count)
	if err != nil {
		return fmt.Errorf("computation scalability: %w", err)
	}
	s.Computation = ratio(after.Time, before.Time)
	return nil
}

func onArch(kind, arch string) string {
	if arch == "" {
		return kind
	}
	return kind + " on " + arch
}
