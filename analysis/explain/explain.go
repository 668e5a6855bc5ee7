// Package explain answers: what happened to this task? Why did it start when it
// did, what held it up, what did it hold up, and is it as fast as its like?
// (METHODS 2 and 4; thesis 5.1.2, 5.1.5.)
package explain

import (
	"dagscope/analysis/depend"
	"dagscope/analysis/lane"
	"dagscope/trace"
)

// Options hand in what a caller has computed already; nil fields are computed.
type Options struct {
	Lanes   *lane.Lanes  // lane.Build(run, nil)
	Outlier []bool       // by task: long outliers of METHODS 2
	Last    *depend.Last // depend.Find(run)
}

// Index is a run prepared for questions about single tasks. It is safe for
// concurrent use.
type Index struct {
	run *trace.Run
}

// New prepares a run.
func New(run *trace.Run, o Options) (*Index, error) { return &Index{run: run}, nil }

// Task tells what happened to a task. levels is how far to follow its last
// dependencies back, [depend.ToSource] without end; budget limits the links
// that are listed, negative for no limit.
func (x *Index) Task(row int32, levels, budget int) (Task, error) { return Task{}, nil }
