package selection

import (
	"errors"
	"fmt"

	"dagscope/explain/bound"
	"dagscope/internal/lp"
)

// putBound solves the area program (docs/design/methods.md, Bounds) for the
// tasks that start inside and the chosen workers, with the mean durations of
// the whole run.
func (x *Index) putBound(s *Stats, c *chosen, t *tally) {
	costs, counts, n := x.costsOf(c, t)
	if n == 0 {
		return
	}
	area, err := costs.Area(counts)
	switch {
	case errors.Is(err, lp.ErrInfeasible):
		s.Notes = append(s.Notes, "No area bound: some of the tasks never ran whole on the architectures of the chosen workers.")
	case err != nil:
		s.Notes = append(s.Notes, fmt.Sprintf("No area bound: %v.", err))
	default:
		s.Bound = &Bound{ABE: area.Time, Length: c.to - c.from}
	}
}

// costsOf are the costs of the run for the chosen workers alone, the number of
// tasks of each of its kinds that start inside, and of all.
func (x *Index) costsOf(c *chosen, t *tally) (costs *bound.Costs, counts []float64, n int64) {
	workers := map[int32]int{} // by architecture
	for _, w := range c.workers {
		workers[x.run.Resource.Arch.Index[w]]++
	}
	all := x.costs
	costs = &bound.Costs{Kind: all.Kind, Duration: make([][]float64, len(all.Kind))}
	for r, arch := range all.Arch {
		if workers[arch] == 0 {
			continue
		}
		costs.Arch, costs.Workers = append(costs.Arch, arch), append(costs.Workers, workers[arch])
		for k := range costs.Duration {
			costs.Duration[k] = append(costs.Duration[k], all.Duration[k][r])
		}
	}
	for _, k := range all.Kind {
		started := sum(t.startsOf(k))
		counts, n = append(counts, float64(started)), n+started
	}
	return costs, counts, n
}
