// Package compare answers: what changed between two runs, and what made one of
// them longer? It sets kinds, workers, bounds and phases of two runs side by
// side, finds the tasks of one in the other ([Match]), and says in sentences
// how much of the difference of the makespans each change explains.
//
// The runs may be of different machines, sizes or sources (one simulated, one
// real): what has no counterpart is named, not forced into one.
//
// It also aligns the time of one run to that of another ([Align]), so that both
// can be drawn on one axis.
package compare

import (
	"dagscope/trace"
)

// Side is one of the two runs, with the name it is called by in sentences.
type Side struct {
	Name string
	Run  *trace.Run
}

// Options choose what is compared. The zero value compares counted tasks
// (docs/design/methods.md, Time) and lists the 50 tasks that changed most.
type Options struct {
	Generation bool // count tasks that prepare the input
	Full       bool // all bounds and causes of waiting of runs of more than 100 000 tasks too: seconds
	Tasks      int  // how many of the tasks that changed most are listed, default 50; -1 for none
	// Stop is asked between the parts of the comparison, nil never: an error ends it,
	// and is returned.
	Stop func() error
}

func (o *Options) stopped() error {
	if o.Stop == nil {
		return nil
	}
	return o.Stop()
}

// Result is the comparison of run A with run B. Times are ns; phases are in
// each run's own time. Differences are B − A.
type Result struct {
	A        Summary  `json:"a"`
	B        Summary  `json:"b"`
	Makespan Delta    `json:"makespan"`
	Parts    []Part   `json:"parts"` // of the makespans
	Kinds    []Kind   `json:"kinds"`
	Workers  []Worker `json:"workers"`
	Bounds   []Bound  `json:"bounds"`
	Shared   bool     `json:"bounds_shared"` // both runs have the same bounds: same tasks and workers, durations pooled
	Phases   []Phase  `json:"phases"`
	Tasks    []Change `json:"tasks"` // that changed most
	Matched  Matched  `json:"matched"`
	Words    []string `json:"words"` // the findings, those that explain most first
	Notes    []string `json:"notes"` // what could not be compared, and why

	Distributions []Distribution `json:"distributions"`   // of durations, by kind and architecture that both have
	Courses       []Course       `json:"courses"`         // of quantities over the runs
	First         *First         `json:"first,omitempty"` // where the schedules part

	Inflation *Inflation `json:"work_inflation,omitempty"` // where one run has one worker

	Efficiency *SideBySide `json:"efficiency"` // run A is the reference

	Matching *Matching `json:"-"` // all pairs
}

// Summary is a run in numbers.
type Summary struct {
	Name      string  `json:"name"`
	Makespan  int64   `json:"makespan_ns"`
	Tasks     int64   `json:"tasks"` // counted
	Workers   int     `json:"workers"`
	IdleShare float64 `json:"idle_share"` // docs/design/methods.md, Idleness (a), mean over workers
}

// Delta is a time in both runs, nil where a run does not have it.
type Delta struct {
	A *int64 `json:"a_ns"`
	B *int64 `json:"b_ns"`
}

// Kind is a kind of tasks on an architecture in both runs; a count of 0 where a
// run has none.
type Kind struct {
	Kind    string `json:"kind"`
	Arch    string `json:"arch"`
	ACount  int64  `json:"a_count"`
	BCount  int64  `json:"b_count"`
	ATotal  int64  `json:"a_total_ns"`
	BTotal  int64  `json:"b_total_ns"`
	AMedian int64  `json:"a_median_ns"`
	BMedian int64  `json:"b_median_ns"`
}

// Worker is a worker of either run; nil where a run does not have it.
type Worker struct {
	Name   string   `json:"name"`
	Arch   string   `json:"arch"`
	ABusy  *int64   `json:"a_busy_ns"`
	BBusy  *int64   `json:"b_busy_ns"`
	ATasks int64    `json:"a_tasks"`
	BTasks int64    `json:"b_tasks"`
	AIdle  *float64 `json:"a_idle_share"`
	BIdle  *float64 `json:"b_idle_share"`
}

// Bound is a lower bound of the makespan, or the observed path, in both runs.
type Bound struct {
	Delta
	Name string `json:"name"` // "abe", "cpe", "head_tail", "cpb"
}

// Phase is a part of both runs: an iteration, or a share of the work.
type Phase struct {
	Name string `json:"name"`
	AT0  int64  `json:"a_t0"`
	AT1  int64  `json:"a_t1"`
	BT0  int64  `json:"b_t0"`
	BT1  int64  `json:"b_t1"`
	ANS  int64  `json:"a_ns"`
	BNS  int64  `json:"b_ns"`
}

// TaskRef names a task; Start and End are nil where it never ran.
type TaskRef struct {
	Key    string `json:"key"`
	Kind   string `json:"kind"`
	Worker string `json:"worker"`
	Start  *int64 `json:"start"`
	End    *int64 `json:"end"`
}

// Change is a task in both runs.
type Change struct {
	A     TaskRef `json:"a"`
	B     TaskRef `json:"b"`
	How   string  `json:"how"` // name of the level that found the pair
	ANS   int64   `json:"a_ns"`
	BNS   int64   `json:"b_ns"`
	Moved bool    `json:"moved"` // to a worker of another name or architecture
}

// Matched counts the pairs by how they were found.
type Matched struct {
	Pairs int   `json:"pairs"`
	OnlyA int   `json:"only_a"`
	OnlyB int   `json:"only_b"`
	How   []How `json:"how"`
}

// How counts the pairs of one level.
type How struct {
	Name  string `json:"name"`
	Pairs int    `json:"pairs"`
}
