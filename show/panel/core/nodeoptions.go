package core

import (
	"dagscope/explain/numbers/panels"
)

// ManyOptions are the options of the panels on many nodes and workers.
type ManyOptions struct {
	Summary     NodeSummary
	Progression Progression
	Utilization Utilization
	Imbalance   Imbalance
	Usage       Usage
}

// NodeSummary are the options of the panel that sums nodes up.
type NodeSummary struct {
	Order       NodeOrder
	Durations   panels.Durations
	UsedWorkers bool // only workers that ran a task count, as in StarVZ
}

// NodeOrder is the order of nodes.
type NodeOrder string

// Orders of nodes.
const (
	NodesByRank NodeOrder = ""
	NodesByGap  NodeOrder = "gap" // those that come least near their bound first
	NodesByEnd  NodeOrder = "end" // those that end last first
)

// Progression are the options of the panel of the progression of nodes.
type Progression struct {
	Steps         int // 0 for 20
	Bandwidth     float64
	SheatherJones bool
	Weights       panels.TaskWeights
	HideNodes     bool // no curves of single nodes in the background
	HideBounds    bool
	HideLabels    bool
}

// Utilization are the options of the heat map of utilisation.
type Utilization struct {
	Step   int64 // ns, 0 for a 200th of the makespan
	StarVZ bool
}

// Imbalance are the options of the panel of imbalance.
type Imbalance struct {
	Step    int64                     // ns, 0 for a 100th of the makespan
	Weights []panels.ImbalanceWeights // nil for all
	Kind    string                    // whose durations stand for the power of workers, "" to choose
	Top     float64                   // value at the upper edge, 0 for 1
	StarVZ  bool
}

// Usage are the options of the panel of resource usage.
type Usage struct {
	Step   int64 // ns, 0 for what a pixel shows
	ByArch bool  // architectures stacked, not kinds
}
