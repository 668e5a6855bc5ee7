package bound

import (
	"cmp"
	"math"
	"slices"

	"dagscope/explain/kind"
	"dagscope/trace"
)

// Unknown lists the pairs of kind and architecture that nobody knows the
// duration of: they never ran, and neither other runs that were given nor models
// of the run's host have them.
func Unknown(run *trace.Run, o Options) ([]Placement, error) {
	s := &sweeps{res: new(Result)}
	observed := observe(run, o, kind.Durations(run), false)
	var err error
	if s.costs, err = newCosts(run, o, observed, kind.Workers(run)); err != nil {
		return nil, err
	}
	s.know(run, observed)
	return s.res.Unknown, nil
}

// placements finds what is not known, and the bounds with what models know.
func (s *sweeps) placements(run *trace.Run, observed []observation) error {
	s.know(run, observed)
	w := s.res.WithModels
	if w == nil {
		return nil
	}
	area, err := s.known.Area(s.known.Total())
	if err != nil {
		return err
	}
	w.Area, w.CPE = area.Time, s.graph.fastestPath(s.known).Time
	w.Best = greatest(w.Area, w.CPE, 0, 0)
	return nil
}

// know divides the pairs that are not in the costs into those that models know
// and those that nobody knows.
func (s *sweeps) know(run *trace.Run, observed []observation) {
	missing := s.costs.missing()
	s.res.Unknown = missing
	host, err := ModelHost(run)
	if len(missing) == 0 || err != nil {
		return
	}
	known := s.costs.clone()
	if known.useModels(run, known.layouts(run, observed), unseen) != nil {
		return
	}
	left := known.missing()
	if len(left) == len(missing) {
		return
	}
	s.known, s.res.Unknown = known, left
	s.res.WithModels = &WithModels{Host: host, Pairs: slices.DeleteFunc(missing, func(p Placement) bool { return slices.Contains(left, p) })}
}

// missing lists the pairs without duration of kinds that have tasks, in the
// order in which kinds and architectures appear in the run.
func (c *Costs) missing() (pairs []Placement) {
	for k, row := range c.Duration {
		for r, d := range row {
			if math.IsInf(d, 1) && c.tasks(k) > 0 {
				pairs = append(pairs, Placement{c.Kind[k], c.Arch[r]})
			}
		}
	}
	slices.SortFunc(pairs, func(a, b Placement) int { return cmp.Or(cmp.Compare(a.Arch, b.Arch), cmp.Compare(a.Kind, b.Kind)) })
	return pairs
}

// tasks is the number of tasks of a kind.
func (c *Costs) tasks(k int) (n int64) {
	for _, count := range c.Count[k] {
		n += count
	}
	return n
}

// clone copies the costs so that durations can be changed.
func (c *Costs) clone() *Costs {
	other := *c
	other.Duration = make([][]float64, len(c.Duration))
	for k, row := range c.Duration {
		other.Duration[k] = slices.Clone(row)
	}
	return &other
}
