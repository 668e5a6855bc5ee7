package core

// BoundName is a bound that the panel computes itself (docs/design/methods.md,
// Bounds).
type BoundName string

// Bounds to compute.
const (
	BoundABE     BoundName = "abe"      // area bound of the whole run
	BoundABENode BoundName = "abe-node" // area bound of each node, a bar on its rows
	BoundCPE     BoundName = "cpe"      // longest path, each task at its fastest mean
	BoundBest    BoundName = "best"     // the greatest of all lower bounds, which takes longest to compute
)

// BoundNames lists the bounds that can be computed.
func BoundNames() []BoundName { return []BoundName{BoundABE, BoundABENode, BoundCPE, BoundBest} }

// words are how bounds are written where their name is the code's.
var BoundWords = map[string]string{"abe": "ABE", "cpe": "CPE", "head_tail": "head–tail", "mixed": "mixed", "span": "span"}

// Dependencies of chosen tasks (Garcia Pinto 2018, section 5.1.5).
//
// All edges of a graph would hide the tasks; what is drawn are explanations:
// why some tasks did not start earlier. So tasks are chosen, their dependencies
// followed backwards for so many steps, and in each window only so many edges
// are drawn, those nearest to the chosen tasks first; how many are left out is
// stated.
//
// An edge is a line from where the earlier task ended to where the later one
// started: its slope is the release delay. A message between nodes is a node of
// the graph with times of its own, so that such an edge has three parts: the
// wait before it is sent, the message as an arrow from one row to the other,
// and the wait after it has arrived.

// defaultBudget is how many edges are drawn if nothing else is asked for.
const defaultBudget = 1000

// IdleBy is the definition of the idle shares beside the lanes
// (docs/design/methods.md, Idleness).
type IdleBy string

// Definitions of idleness.
const (
	IdleTasks   IdleBy = ""        // share of the makespan without application task
	IdleRuntime IdleBy = "runtime" // share in the runtime's own Idle and Sleeping states
	IdleBoth    IdleBy = "both"    // both, side by side
	IdleNone    IdleBy = "none"    // not shown
)

// Bound is a named time that is drawn as a vertical line.
type Bound struct {
	Name string // "ABE"
	NS   int64
}

// SpaceTime are the options of the space-time panel. The zero value is the
// default.
type SpaceTime struct {
	Title        string
	Idle         IdleBy
	Bounds       []Bound     // given
	Computed     []BoundName // computed when the panel is opened
	Aggregation  Aggregation
	Links        Links
	Messages     Messages
	Chain        bool // the critical chain: rows that it uses are shown whatever is selected
	HideMakespan bool
	HideOutliers bool
	NoFold       bool   // never draw groups of workers as one row
	Fold         bool   // always do
	Color        string // what colours tasks: ShadeKind, ShadeDuration, ShadeRatio, ShadeRegion or a hardware counter
}

// What tasks of the space-time panel may be coloured by besides their kind; any
// other text is the name of a hardware counter.
const (
	ShadeKind     = ""
	ShadeDuration = "duration" // how long they took
	ShadeRegion   = "region"   // the parallel region or loop of OpenMP that the worker was in
	ShadeRatio    = "ratio"    // the same as a multiple of the median of their kind and architecture
)
