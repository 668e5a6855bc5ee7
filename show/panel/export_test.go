package panel

import "dagscope/trace"

// Open opens a panel on one run of several that are looked at together. Colours
// are those of the options, else those of the kinds of all runs, so that
// the runs agree. The error is a [Missing] where there is nothing to draw.
func Open(id string, run *trace.Run, together []*trace.Run, o Options) (View, error) {
	p, err := Find(id)
	if err != nil {
		return nil, err
	}
	if err := o.Check(); err != nil {
		return nil, err
	}
	if o.Colors == nil {
		o.Colors = TaskColors(together, false)
	}
	return p.View(run, &o)
}
