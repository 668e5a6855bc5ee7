package core

import (
	"dagscope/explain/numbers/panels"
)

// PanelOptions are the options of single panels. The zero value is the default.
type PanelOptions struct {
	Ready, Submitted, GFlops, UsedMemory, Bandwidth Curve

	Iterations Iterations
	LackReady  LackReady
	States     States
	Area       AreaBound
	Breakdown  Breakdown
	Models     Models
	Tree       TreeOptions
	TreeUsage  TreeUsage
	Counters   Counters

	ManyOptions

	MemoryOptions

	CommunicationOptions
}

// Curve are the options of a panel of curves over time.
type Curve struct {
	Source panels.Origin // counters or reconstructed, for the panels that have both
	Step   int64         // ns: the curve is its mean over slices this long, counted from zero; 0 for the curve itself
	Top    float64       // value at the upper edge, in the unit of the panel's numbers; 0 for the greatest in the window
	Total  bool          // one curve of the whole run
	ByNode bool          // a curve for each node where there would be finer ones
}

// Iterations are the options of the panel of iterations.
type Iterations struct {
	ByNode      bool      // each node by itself
	HideTasks   bool      // only when iterations began and ended
	HideBorders bool      // no curves along the beginnings and ends
	Middle      []float64 // curves where these shares of an iteration's tasks have begun
}

// LackReady are the options of the panel on the lack of ready tasks.
type LackReady struct {
	Source    panels.Origin
	Step      int64   // ns, 0 for 10 ms
	Threshold float64 // ready tasks below which a node lacks them, 0 for its number of workers
}

// States are the options of the panel of runtime states.
type States struct {
	Levels    []string // levels of resources that get rows, nil for workers, threads and communication threads
	HideTasks bool     // no grey where a worker runs a task
	HideFlush bool     // do not mark when the trace was flushed
}

// AreaBound are the options of the panel on the solution of the area bound.
type AreaBound struct {
	ByNode      bool
	Durations   panels.Durations
	UsedWorkers bool // only workers that ran a task count, as in StarVZ
}

// Breakdown are the options of the panel on the breakdown of time.
type Breakdown struct {
	ByArch  bool           // each architecture by itself, and only tasks that it can run are ready for it
	Waiting panels.Waiting // whether tasks that wait for others which are done are ready
}
