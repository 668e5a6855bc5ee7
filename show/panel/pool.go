package panel

import (
	"errors"
	"slices"

	"dagscope/explain/bound"
	"dagscope/internal/dag"
	"dagscope/trace"
)

// Pool is what the bounds of the runs of a figure have in common: where their
// tasks and machines are the same, they share bounds, so that they can be
// compared; else each keeps its own.
type Pool struct {
	runs   []*trace.Run
	own    string          // why each run keeps its own bounds, "" if they share them
	common []*bound.Result // of each run, nil unless bounds by paths are drawn
}

// poolOf finds out whether the runs of a figure share bounds; nil for one run,
// or where nothing is made of bounds.
func poolOf(runs []*trace.Run, spec *FigureSpec, o *Options) (*Pool, error) {
	drawn := len(o.SpaceTime.Computed) > 0 && slices.Contains(spec.Panels, "st")
	if len(runs) < 2 || !drawn && !slices.Contains(spec.Facts, FactABE) {
		return nil, nil
	}
	p := &Pool{runs: runs, own: bound.Poolable(runs, bound.Options{})}
	byPaths := slices.Contains(o.SpaceTime.Computed, BoundCPE) || slices.Contains(o.SpaceTime.Computed, BoundBest)
	if p.own != "" || !drawn || !byPaths || slices.ContainsFunc(runs, func(r *trace.Run) bool { return len(r.Dep.From) == 0 }) {
		return p, nil
	}
	var err error
	p.common, err = bound.Common(runs, bound.Options{})
	if cycle := (*dag.CycleError)(nil); errors.As(err, &cycle) {
		return p, nil // the panel of that run says so
	}
	return p, err
}

// bounds are the options of bounds of each run.
func (p *Pool) bounds() (o bound.Options) {
	if p != nil && p.own == "" {
		o.Pool = p.runs
	}
	return o
}

// of are the bounds that a run has in common with the others, nil where they are
// not computed or each has its own.
func (p *Pool) of(run *trace.Run) *bound.Result {
	if p == nil || p.common == nil {
		return nil
	}
	return p.common[slices.Index(p.runs, run)]
}
