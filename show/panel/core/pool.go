package core

import (
	"slices"

	"dagscope/explain/bound"
	"dagscope/trace"
)

// Pool is what the bounds of the runs of a figure have in common: where their
// tasks and machines are the same, they share bounds, so that they can be
// compared; else each keeps its own.
type Pool struct {
	Runs   []*trace.Run
	Own    string          // why each run keeps its own bounds, "" if they share them
	Common []*bound.Result // of each run, nil unless bounds by paths are drawn
}

// Bounds are the options of bounds of each run.
func (p *Pool) Bounds() (o bound.Options) {
	if p != nil && p.Own == "" {
		o.Pool = p.Runs
	}
	return o
}

// Of are the bounds that a run has in common with the others, nil where they are
// not computed or each has its own.
func (p *Pool) Of(run *trace.Run) *bound.Result {
	if p == nil || p.Common == nil {
		return nil
	}
	return p.Common[slices.Index(p.Runs, run)]
}
