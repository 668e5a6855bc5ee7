package task

import "dagscope/explain/chain"

// Task is all that is said about one task. Times are ns since the run's zero.
// Slices are never nil, so that their JSON is a list.
type Task struct {
	Ref
	Arch             string       `json:"arch"`
	Node             int32        `json:"node"` // trace.None if it ran nowhere and nothing tells
	Duration         int64        `json:"duration_ns"`
	Outlier          bool         `json:"outlier"`
	Attributes       []Attribute  `json:"attributes"`
	Words            []string     `json:"words"` // what it waited for, in sentences
	Delay            *Delay       `json:"delay"` // nil if it never ran, or if nothing tells when it could have
	Before           *Ref         `json:"before"`
	After            *Ref         `json:"after"`
	Predecessors     []Edge       `json:"predecessors"`
	PredecessorCount int          `json:"predecessors_total"` // there may be more than are listed
	Successors       []Edge       `json:"successors"`
	SuccessorCount   int          `json:"successors_total"`
	Released         *string      `json:"released"` // the first task whose last dependency it was
	Chain            Chain        `json:"chain"`
	Distribution     Distribution `json:"distribution"`
}

// Ref names a task, or in chains a transfer.
type Ref struct {
	Key    string `json:"key"`
	Kind   string `json:"kind"`
	Worker string `json:"worker"`
	Start  *int64 `json:"start"` // nil: it never ran
	End    *int64 `json:"end"`
}

// Attribute is one fact about a task as the run has it.
type Attribute struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Unit  string `json:"unit"`
	Doc   string `json:"doc"`
}

// Delay divides the time from when a task could start to its start, ns, as the
// critical chain would if it ended there (docs/design/methods.md, Critical
// chain); the causes add up to the total.
type Delay struct {
	Ready  *int64         `json:"ready"`    // nil: not known, the delay counts from the end of its last dependency
	Total  int64          `json:"total_ns"` // 0 where the clocks say that it started before
	Causes []chain.Reason `json:"causes"`   // the largest first

	Held    int64          `json:"held_ns"` // before: submitted, its last dependency over and not ready yet
	Release []chain.Reason `json:"release"` // these add up to it
}

// Edge is a dependency, seen from one of its ends.
type Edge struct {
	Ref
	How   string `json:"how"`      // what makes it wait: "data A 1 0", "tag 0x3", "communication mpicom_3", else "task"; "…, for KEY" if it did not run and stands for another
	Last  bool   `json:"last"`     // it is the last dependency of the later task
	Slack *int64 `json:"slack_ns"` // from the end of the earlier to the start of the later task
}

// Chain are last dependencies, from the task backwards; the task itself is not
// among them.
type Chain struct {
	Links   []Link `json:"links"`
	Levels  int    `json:"levels"`   // asked for; -1 to the source
	LeftOut int    `json:"left_out"` // further links to the source, beyond levels and budget
}

// Link is a task or transfer of a chain.
type Link struct {
	Ref
	Transfer bool   `json:"transfer"`
	From     string `json:"from,omitempty"` // of a transfer
	To       string `json:"to,omitempty"`
	Release  *int64 `json:"release_ns"` // from its end to the start of what it held up: the link before it, or the task
}

// Distribution are the durations of the tasks of the same kind on the same
// architecture, ns.
type Distribution struct {
	Kind      string    `json:"kind"`
	Arch      string    `json:"arch"`
	Count     int       `json:"count"`
	Edges     []float64 `json:"edges"` // of the bins, one more than Counts; none for no tasks
	Counts    []int     `json:"counts"`
	This      int64     `json:"this_ns"`
	Rank      float64   `json:"rank"` // share of tasks that are shorter
	Q1        float64   `json:"q1_ns"`
	Median    float64   `json:"median_ns"`
	Q3        float64   `json:"q3_ns"`
	Mean      float64   `json:"mean_ns"`
	Threshold *float64  `json:"threshold_ns"` // of outliers; nil where it depends on the work of a task
}
