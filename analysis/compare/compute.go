package compare

import (
	"slices"

	"dagscope/analysis/bound"
	"dagscope/analysis/depend"
	"dagscope/analysis/idle"
	"dagscope/analysis/kind"
)

// Needs names the columns that this package reads.
var Needs = slices.Concat(kind.Needs, idle.Needs, bound.Needs, depend.Needs, matchNeeds, AlignNeeds)

var matchNeeds = []string{"resource.name", "task.key", "task.x", "task.y", "task.tag", "task.order", "task.iteration", "task.subiteration"}

// AlignNeeds names the columns that [Align] reads.
var AlignNeeds = []string{
	"resource.parent", "task.worker", "task.start", "task.end", "task.generation", "task.internal", "task.iteration",
	"segment.task", "segment.start", "segment.end",
}

// Compute compares two runs that have the columns of Needs.
func Compute(a, b Side, o Options) (*Result, error) {
	return &Result{}, nil
}
