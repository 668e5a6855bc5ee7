package efficiency

import (
	"fmt"
	"math"
	"slices"

	"dagscope/internal/words"
)

// Borrow takes from another run how long kinds take on architectures on which they
// never ran in this one, and computes the area bounds again: what that run shows to
// be possible was possible here too. Kinds and architectures are matched by name,
// times are per GFlop where both runs know it of each task. It returns what was
// taken; what was borrowed before stays. The error is an area bound that could not
// be certified.
func (r *Result) Borrow(from *Result) (taken []string, err error) {
	index := func(names []string) map[string]int {
		at := map[string]int{}
		for i := len(names) - 1; i >= 0; i-- {
			at[names[i]] = i
		}
		return at
	}
	kinds, archs := index(from.kindName), index(from.archName)
	r.unknown(func(arch, k int) {
		a, ok := archs[r.archName[arch]]
		i, known := kinds[r.kindName[k]]
		if !ok || !known || from.cell(a, i).useful == 0 {
			return
		}
		p, _ := from.pace(a, i)
		if r.borrowed == nil {
			r.borrowed = map[[2]string]pace{}
		}
		r.borrowed[[2]string{r.kindName[k], r.archName[arch]}] = pace{p.on(r.work(arch, k)), r.work(arch, k)}
		taken = append(taken, onArch(r.kindName[k], r.archName[arch]))
	})
	if len(taken) == 0 {
		return nil, nil
	}
	slices.Sort(taken)
	return taken, r.bounds()
}

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

// Global is the parallel efficiency times the computation scalability. Where runs
// do the same work on the same machine it is in proportion to their speed.
func (s *Scaling) Global(r *Result) float64 { return r.Run.Parallel() * s.Computation }

// Against compares the computation of a run with that of a reference. Kinds and
// architectures are matched by name. A kind takes on an architecture, per unit of
// work, what it took in the reference: per GFlop where both runs know it of each of
// its tasks, else per task. What the reference neither ran nor borrowed is taken
// as unchanged. The error is an area bound that could not be certified; without any
// tasks in common the scalability is NaN.
func (r *Result) Against(ref *Result) (*Scaling, error) {
	s := &Scaling{Computation: math.NaN(), Kinds: make([]float64, len(r.Kinds))}
	before := map[[2]string]*Kind{}
	for i := range ref.Kinds {
		k := &ref.Kinds[i]
		before[[2]string{k.Kind, k.Arch}] = k
	}
	common := false
	var counted []string
	for i := range r.Kinds {
		k := &r.Kinds[i]
		old, ok := before[[2]string{k.Kind, k.Arch}]
		if !ok || k.Useful == 0 || old.Useful == 0 {
			s.Kinds[i] = math.NaN()
			continue
		}
		common = true
		work := k.Work / k.Tasks
		s.Kinds[i] = pace{float64(old.Useful) / old.Tasks, old.Work / old.Tasks}.on(work) / (float64(k.Useful) / k.Tasks)
		if old.Tasks != k.Tasks && math.IsNaN(work+old.Work) {
			counted = append(counted, onArch(k.Kind, k.Arch))
		}
	}
	if !common || r.costs == nil {
		return s, nil
	}
	if len(counted) > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("another number of tasks and no GFlop known, so compared per task, as if all were of one size: %s", words.List(counted, 5)))
	}
	return s, s.compute(r, ref)
}

// compute solves the area program with the reference's durations.
func (s *Scaling) compute(r, ref *Result) error {
	old := map[[2]string]pace{}
	for a, arch := range ref.archName {
		for k, kind := range ref.kindName {
			if p, ok := ref.pace(a, k); ok {
				old[[2]string{kind, arch}] = p
			}
		}
	}
	c := *r.costs
	c.Duration = nil
	var unchanged []string
	for i, row := range r.costs.Duration {
		changed := make([]float64, len(row))
		for j, d := range row {
			arch, k := int(c.Arch[j])+1, int(c.Kind[i])+1
			p, ok := old[[2]string{r.kindName[k], r.archName[arch]}]
			switch {
			case math.IsInf(d, 1) || !ok || p.time == 0:
				changed[j] = d
			default:
				changed[j] = p.on(r.work(arch, k))
			}
			if !ok && !math.IsInf(d, 1) {
				unchanged = append(unchanged, onArch(r.kindName[k], r.archName[arch]))
			}
		}
		c.Duration = append(c.Duration, changed)
	}
	if len(unchanged) > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("not in the reference, so counted as unchanged: %s", words.List(unchanged, 5)))
	}
	after, err := c.Area(r.count)
	if err != nil {
		return fmt.Errorf("computation scalability: %w", err)
	}
	s.Computation = ratio(after.Time, r.Run.ABE)
	return nil
}

func onArch(kind, arch string) string {
	if arch == "" {
		return kind
	}
	return kind + " on " + arch
}
