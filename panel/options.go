package panel

import (
	"fmt"
	"path"
	"slices"

	"dagscope/trace"
)

// Options are shared by all panels of a figure, so that they agree on what is
// selected and on colours. The zero value is the default.
type Options struct {
	Nodes   []int32  // ranks to show, nil for all
	Workers []string // patterns as in path.Match on worker names, nil for all
	Colors  Colors   // of kinds, nil to assign them from the run
	Outlier []bool   // per row of the task table; nil to find them (METHODS 2)

	SpaceTime SpaceTime
}

// Check finds patterns that cannot match anything because they are malformed.
func (o *Options) Check() error {
	for _, p := range o.Workers {
		if _, err := path.Match(p, ""); err != nil {
			return fmt.Errorf("select workers by %q: %w", p, err)
		}
	}
	return nil
}

// selects tells whether a resource is among the selected nodes and workers.
func (o *Options) selects(re *trace.Resources, r int32) bool {
	if o.Nodes != nil && !slices.Contains(o.Nodes, re.Node[r]) {
		return false
	}
	if o.Workers == nil {
		return true
	}
	name := re.Name.At(int(r))
	return slices.ContainsFunc(o.Workers, func(p string) bool {
		ok, err := path.Match(p, name)
		return ok && err == nil
	})
}
