package decision

import "dagscope/explain/chain"

// Times are ns since the run's zero, lengths are ns. Slices are never nil, so
// that their JSON is a list.

// Inspection is what is known of the placing of a task.
type Inspection struct {
	Task     Task      `json:"task"`
	Steps    []Step    `json:"steps"`  // through queues, in order
	Moment   *Moment   `json:"moment"` // what the scheduler had before it; nil if nothing tells when it placed the task
	Happened *Happened `json:"happened"`
	Wait     *Wait     `json:"wait"` // nil for a task that never ran
}

// Task is a task that was placed.
type Task struct {
	Key      string `json:"key"`
	Kind     string `json:"kind"`
	Priority int32  `json:"priority"`
	Worker   string `json:"worker"` // that ran it, "" for none
	Submit   *int64 `json:"submit"`
	Pushed   *int64 `json:"pushed"` // first put into a queue
	Popped   *int64 `json:"popped"` // taken by the worker that ran it
	Start    *int64 `json:"start"`
	End      *int64 `json:"end"`
}

// Step is something that a scheduler did with a task.
type Step struct {
	Kind   string `json:"kind"`
	Time   int64  `json:"time"`
	Worker string `json:"worker"` // chosen, "" for none
	By     string `json:"by"`     // "" for the program
	Queue  string `json:"queue"`
	Place  int32  `json:"place"`  // in that queue, 0 first; -1 of a plan
	Others int    `json:"others"` // tasks in that queue besides it
}

// Moment is what workers and queues had at an instant.
type Moment struct {
	Time     int64    `json:"time"`
	Best     *int64   `json:"best"` // earliest predicted end; nil without estimates
	Alpha    float64  `json:"alpha"`
	Beta     float64  `json:"beta"`
	Workers  []Worker `json:"workers"`
	Shared   []Queue  `json:"shared"`
	Complete bool     `json:"complete"` // queues are known from all their changes; else as tasks were taken later
	node     int32    // whose workers these are, none for all
}

// Worker is a worker at a moment.
type Worker struct {
	Name     string    `json:"worker"`
	Arch     string    `json:"arch"`
	Chosen   bool      `json:"chosen"`
	Estimate *Estimate `json:"estimate"` // nil without
	Taken    []Held    `json:"taken"`    // tasks that it had taken and not ended, as they start
	Waiting  []Held    `json:"waiting"`  // in its queue, first first
	Resource int32     `json:"-"`        // row
}

// Queue is a shared queue at a moment.
type Queue struct {
	Name    string `json:"queue"`
	Waiting []Held `json:"waiting"`
}

// Held is a task that a worker had taken, or that lay in a queue.
type Held struct {
	Key      string `json:"key"`
	Kind     string `json:"kind"`
	Priority int32  `json:"priority"`
	Running  bool   `json:"running"`
	Expected *int64 `json:"expected_ns"` // duration that was estimated for it there; nil if none was
	Start    *int64 `json:"start"`       // as it came
	End      *int64 `json:"end"`
	Task     int32  `json:"-"` // row
}

// Estimate is what the scheduler expected of a worker for a task:
//
//	End = time of the decision + Queue + Transfer not hidden + Duration
//	Fitness = Alpha (End - Best) + Beta Transfer
//
// exactly, in ns: dates are rounded, lengths are differences of dates.
type Estimate struct {
	Queue    int64   `json:"queue_ns"`    // until it is through with all it has
	Exposed  int64   `json:"exposed_ns"`  // of the transfers, what comes after that
	Duration int64   `json:"duration_ns"` // of the task
	End      int64   `json:"end"`
	Transfer int64   `json:"transfer_ns"` // of all data that is to be copied
	Fitness  int64   `json:"fitness_ns"`
	exact    float64 // µs, as computed
}

// Happened is what came of a placing, and how far expectations were off: what
// was minus what was expected; nil without estimates.
type Happened struct {
	Start         int64  `json:"start"`
	End           int64  `json:"end"`
	Duration      int64  `json:"duration_ns"`
	Copies        int    `json:"copies"`      // of its data to where it ran, begun since it was pushed
	Bytes         int64  `json:"bytes"`       // of these
	Transfer      int64  `json:"transfer_ns"` // sum of their lengths
	First         *int64 `json:"first"`       // when the first of them began
	Arrived       *int64 `json:"arrived"`     // when all its data was there; nil if nothing was copied
	StartError    *int64 `json:"start_error_ns"`
	TransferError *int64 `json:"transfer_error_ns"`
	DurationError *int64 `json:"duration_error_ns"`
	EndError      *int64 `json:"end_error_ns"`
	Regret        *int64 `json:"regret_ns"` // how much later it ended than predicted for the best of the others; 0 if not later, nil without others
}

// Wait divides the time from the submission of a task to its start by class and
// mark of the critical chain (docs/design/methods.md, Critical chain).
type Wait struct {
	Submit   int64          `json:"submit"` // or Since, if that is not known
	Since    int64          `json:"since"`  // submitted, and its last dependency satisfied; or Ready, if that is earlier
	Ready    int64          `json:"ready"`  // or Since, if that is not known
	Start    int64          `json:"start"`
	Delay    int64          `json:"delay_ns"`  // Start - Since
	Before   int64          `json:"before_ns"` // Since - Submit
	Enabler  string         `json:"enabler"`   // what let it begin, in words; "" if nothing is known
	Causes   []chain.Reason `json:"causes"`    // from ready to start
	Release  []chain.Reason `json:"release"`   // until it was ready: with the causes they add up to the delay
	Earlier  []chain.Reason `json:"earlier"`   // before Since
	Blockers []Blocker      `json:"blockers"`  // tasks whose execution is part of the delay
}

// Blocker is a task that was in the way of another.
type Blocker struct {
	Task     string `json:"task"`
	Kind     string `json:"kind"`
	Priority int32  `json:"priority"`
	Worker   string `json:"worker"`
	Cause    string `json:"cause"` // class or mark
	Length   int64  `json:"ns"`
	Running  bool   `json:"running"` // on the same worker, begun before the other was pushed
	Taken    bool   `json:"taken"`   // on the same worker, which had taken it by then: no priority can overtake that
}
