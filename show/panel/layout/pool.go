package layout

import (
	"errors"
	"slices"

	"dagscope/explain/bound"
	"dagscope/internal/dag"
	"dagscope/show/panel/core"
	"dagscope/trace"
)

// poolOf finds out whether the runs of a figure share bounds; nil for one run,
// or where nothing is made of bounds.
func poolOf(runs []*trace.Run, spec *Spec, o *core.Options) (*core.Pool, error) {
	drawn := len(o.SpaceTime.Computed) > 0 && slices.Contains(spec.Panels, "st")
	if len(runs) < 2 || !drawn && !slices.Contains(spec.Facts, FactABE) {
		return nil, nil
	}
	p := &core.Pool{Runs: runs, Own: bound.Poolable(runs, bound.Options{})}
	byPaths := slices.Contains(o.SpaceTime.Computed, core.BoundCPE) || slices.Contains(o.SpaceTime.Computed, core.BoundBest)
	if p.Own != "" || !drawn || !byPaths || slices.ContainsFunc(runs, func(r *trace.Run) bool { return len(r.Dep.From) == 0 }) {
		return p, nil
	}
	var err error
	p.Common, err = bound.Common(runs, bound.Options{})
	if cycle := (*dag.CycleError)(nil); errors.As(err, &cycle) {
		return p, nil // the panel of that run says so
	}
	return p, err
}
