// Package report gathers the numbers and findings of a run into the one
// document that `dagscope report` prints as text, JSON, Markdown or HTML. It
// computes nothing itself: each section is the answer of one analysis, put
// into the words and units of the contract (docs/report.md).
package report

import (
	"slices"

	"dagscope/diagnose/finding"
	"dagscope/diagnose/symptom"
	"dagscope/diagnose/verdict"
	"dagscope/explain/bound"
	"dagscope/explain/breakdown"
	"dagscope/explain/chain"
	"dagscope/explain/comm"
	"dagscope/explain/decision"
	"dagscope/explain/depend"
	"dagscope/explain/efficiency"
	"dagscope/explain/kind"
	"dagscope/explain/memory"
	"dagscope/explain/outlier"
	"dagscope/explain/progress"
	"dagscope/explain/region"
	"dagscope/explain/tasking"
	"dagscope/explain/utilization"
	"dagscope/trace"
)

// Options choose what is counted and how.
type Options struct {
	Generation bool          // count tasks that prepare the input
	Bound      bound.Options // Generation is taken from above
	Sources    []string      // names of Bound.Sources
	Outlier    outlier.Options
	Window     Window               // of the breakdown
	Replayed   *efficiency.Replayed // of the efficiencies; nil: the communication efficiency is not divided
	Region     string               // of the breakdown instead of Window, see [breakdown.Region]
	Breakdown  breakdown.Options    // WaitingNotReady is taken from here
	// Stop is asked before each section, nil never: an error ends the report, which
	// then lacks the rest, and says so in Problems.
	Stop func() error
}

// Window is a part of the run's time; the zero value is the whole run.
type Window struct {
	Extent   Extent
	From, To int64 // ns; those that the extent needs
}

// Extent says which ends of a window are given.
type Extent uint8

// Extents.
const (
	WholeRun Extent = iota // zero to the makespan, or the recording where workers come and go
	ToEnd                  // From to the end of that
	Between                // From to To
)

// Needs names the columns that a report reads.
var Needs = union(symptom.Needs, kind.Needs, utilization.WorkerNeeds, outlier.Needs, bound.Needs, bound.CommNeeds, bound.ModelNeeds, bound.DistributionNeeds, depend.Needs,
	chain.Needs, chain.More, efficiency.Needs, efficiency.StateNeeds, breakdown.Needs, breakdown.LostNeeds, region.Needs, progress.Needs, memory.Needs, comm.Needs, comm.WaitNeeds, comm.DistributionNeeds, tasking.Needs, decision.AccuracyNeeds,
	[]string{"task.key", "transfer.key", "resource.name", "importlog", "account", "resource"})

// union joins lists of columns, each once.
func union(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}

// Report is the document. Keys are a contract: they may be added, never
// changed. Times are ns, rounded to the nearest; shares are in [0,1]. A section
// that was not computed is absent.
type Report struct {
	Run      string `json:"run"` // name
	Makespan int64  `json:"makespan_ns"`
	Tasks    int    `json:"tasks"`
	Counts   Counts `json:"counts"`

	Verdict      *verdict.Verdict `json:"verdict,omitempty"` // what to say of the run in one sentence
	DataWarnings []DataWarning    `json:"data_warnings,omitempty"`
	overlap      bool             // tasks overlap on workers: bounds count time twice
	Screen       []Block          `json:"screen,omitempty"` // the first screen, for people

	Kinds       []Kind            `json:"kinds,omitempty"`
	Workers     []Worker          `json:"workers,omitempty"`
	IdleShare   float64           `json:"idle_share"`
	Bounds      *Bounds           `json:"bounds,omitempty"`
	ABESolution []Allocation      `json:"abe_solution,omitempty"`
	Outliers    []Outlier         `json:"outliers,omitempty"`
	Breakdown   *Breakdown        `json:"breakdown,omitempty"`
	Delays      *Delays           `json:"delays,omitempty"`
	Chain       *Chain            `json:"chain,omitempty"`
	Idle        map[string]int64  `json:"idle,omitempty"` // ns of all workers without a task, by class
	LastPath    []string          `json:"last_path,omitempty"`
	Iterations  []Iteration       `json:"iterations,omitempty"`
	Nodes       []Node            `json:"nodes,omitempty"`
	Progression *Progression      `json:"progression,omitempty"`
	Memory      *Memory           `json:"memory,omitempty"`
	Findings    []finding.Finding `json:"findings,omitempty"`
	ImportLog   []LogEntry        `json:"importlog,omitempty"`
	Problems    []string          `json:"problems,omitempty"` // sections that could not be computed, and why
	Meta        trace.Meta        `json:"meta"`

	Communication *Communication      `json:"communication,omitempty"`
	Efficiency    *efficiency.Summary `json:"efficiency,omitempty"`
	Tasking       *Tasking            `json:"tasking,omitempty"`

	// Regions are parallel regions and worksharing constructs of OpenMP programs, the
	// longest first, and last the time outside of all regions.
	Regions  []Region `json:"regions,omitempty"`
	Locks    *Locks   `json:"locks,omitempty"`
	combined []int    // by region: the loop that it consists of, -1 without

	// Proofs are what simulations say of the findings; nil before [Report.Prove].
	Proofs *finding.Proofs `json:"proofs,omitempty"`
	// Refuted are candidates that are not given as findings since simulations say
	// otherwise; filled in on request.
	Refuted []finding.Finding `json:"refuted,omitempty"`

	idleLines  []blameLine
	idleAt     map[string]int64 // ns, of the workers of an architecture
	late       *verdict.Late
	noStates   bool              // of the runtime: what it did between tasks is not known
	candidates []finding.Finding // all that could be said, worth a simulation or not
	judge      func()            // makes the verdict of what is in the report
}

// Counts say what the tasks of the run are.
type Counts struct {
	Generation int `json:"generation"`        // prepare the input: not counted unless asked for
	Internal   int `json:"internal"`          // the runtime's own
	Helpers    int `json:"helpers,omitempty"` // ran on threads of the runtime that are no workers, such as target tasks
	NeverRan   int `json:"never_ran"`         // known but not executed
}

// Kind is the statistics of one kind of task on one architecture.
type Kind struct {
	Kind   string `json:"kind"`
	Arch   string `json:"arch"`
	Count  int64  `json:"count"`
	Mean   int64  `json:"mean_ns"`
	Median int64  `json:"median_ns"`
	P95    int64  `json:"p95_ns"`
	Total  int64  `json:"total_ns"`
	Min    int64  `json:"min_ns"`
	Max    int64  `json:"max_ns"`
}

// Worker is what one worker did. RuntimeIdleShare is absent where the
// runtime's states were not traced.
type Worker struct {
	Name             string   `json:"name"`
	Node             int32    `json:"node"`
	Arch             string   `json:"arch"`
	Tasks            int64    `json:"tasks"`
	Busy             int64    `json:"busy_ns"`
	IdleShare        float64  `json:"idle_share"`
	RuntimeIdleShare *float64 `json:"runtime_idle_share,omitempty"`
}

// Bounds are the lower bounds of the makespan (docs/design/methods.md, Bounds)
// and CPB, what this execution's longest chain cost.
type Bounds struct {
	ABE        int64     `json:"abe_ns"`
	ABEPerNode []NodeABE `json:"abe_per_node,omitempty"`
	CPE        int64     `json:"cpe_ns,omitempty"` // this and the next five need a task graph
	CPETasks   []string  `json:"cpe_tasks,omitempty"`
	CPB        int64     `json:"cpb_ns,omitempty"`
	CPBTasks   []string  `json:"cpb_tasks,omitempty"`
	HeadTail   int64     `json:"head_tail_ns,omitempty"`
	Mixed      int64     `json:"mixed_ns,omitempty"`
	Best       Best      `json:"best"`
	// Span is the longest chain of work since the first task started, of tasks as
	// long as they took, with what creates them and waits for them: where tasks
	// create tasks. What precedes the first start is neither in it nor in the
	// makespan; another schedule may start its first task later.
	Span int64 `json:"span_ns,omitempty"`
	// Gap is the share of the makespan above the best bound; negative when a
	// bound made of mean durations exceeds this makespan.
	Gap float64 `json:"gap_share"`

	// Lower is the bound to judge the run by.
	Lower Lower `json:"lower"`
	// Unknown are the kinds that never ran on an architecture and for which no
	// duration there is known: with any, all bounds are conditional.
	Unknown []Placement `json:"unknown_pairs,omitempty"`
	// Sources name the runs that pairs which never ran have their durations from.
	Sources      []string            `json:"durations_from,omitempty"`
	WithModels   *ModelBounds        `json:"with_models,omitempty"`
	Distribution *DistributionBounds `json:"distribution,omitempty"`

	note string // what never ran, or ran in models only, in words
}

// Lower is a lower bound with what it depends on.
type Lower struct {
	Best
	Conditional bool    `json:"conditional"` // only for the placements that were seen
	Scope       string  `json:"scope"`       // "distribution": with this distribution of data; else "any"
	Gap         float64 `json:"gap_share"`   // of the makespan above it
}

// Placement is a kind on an architecture.
type Placement struct {
	Kind string `json:"kind"`
	Arch string `json:"arch"`
}

// ModelBounds are the bounds when kinds may also run where only performance
// models of the run's host know how long they take.
type ModelBounds struct {
	Host     string      `json:"host,omitempty"`
	Pairs    []Placement `json:"pairs"` // that only models know
	ABE      int64       `json:"abe_ns"`
	CPE      int64       `json:"cpe_ns"`
	HeadTail int64       `json:"head_tail_ns"`
	Mixed    int64       `json:"mixed_ns"`
	Best     Best        `json:"best"`
}

// DistributionBounds are the bounds when each task stays on its node, which the
// owner of the data that it writes decides.
type DistributionBounds struct {
	ABE          int64    `json:"abe_ns"` // the greatest of a node
	ABENode      int32    `json:"abe_node"`
	CPE          int64    `json:"cpe_ns"` // with messages between nodes
	CPETasks     []string `json:"cpe_tasks,omitempty"`
	CPEMessages  int      `json:"cpe_messages"`
	HeadTail     int64    `json:"head_tail_ns"` // the greatest of a node
	HeadTailNode int32    `json:"head_tail_node"`
	Best         Best     `json:"best"`
	Cost         int64    `json:"cost_ns"`     // above the bound with any distribution
	Owned        float64  `json:"owned_share"` // of the tasks that ran where data that they write has its owner
	Network      Network  `json:"network"`
}

// Network is how long messages take at least.
type Network struct {
	Source    string  `json:"source"`                      // platform, messages or none
	Bandwidth float64 `json:"bandwidth_bytes_s,omitempty"` // absent where time does not grow with bytes
	Latency   int64   `json:"latency_ns"`
	Messages  int     `json:"messages,omitempty"` // that a fit is made of
}

// NodeABE is the area bound of one node.
type NodeABE struct {
	Node int32 `json:"node"`
	ABE  int64 `json:"abe_ns"`
}

// Best names the greatest lower bound.
type Best struct {
	Name string `json:"name"`
	NS   int64  `json:"ns"`
}

// Allocation sets the tasks that the area bound gives an architecture against
// those that it got. Node is "*" for the whole run.
type Allocation struct {
	Node   string  `json:"node"`
	Arch   string  `json:"arch"`
	Kind   string  `json:"kind"`
	Ideal  float64 `json:"tasks_ideal"`
	Actual int64   `json:"tasks_actual"`
}

// Outlier counts the suspiciously long tasks of a kind. Where the threshold
// depends on each task's work it is the least that a counted one passed, absent
// without any.
type Outlier struct {
	Kind      string `json:"kind"`
	Arch      string `json:"arch"`
	Node      string `json:"node"` // "*" when judged over all nodes
	Method    string `json:"method"`
	Count     int64  `json:"count"`
	Threshold *int64 `json:"threshold_ns,omitempty"`
	Short     int64  `json:"short_count"` // unusually short ones
}

// Breakdown is the work, idleness and overhead of all workers
// (docs/design/methods.md, Time breakdown) over the makespan.
type Breakdown struct {
	Work     int64  `json:"work_ns"`
	Implicit int64  `json:"work_implicit_ns"` // of it, by the runtime's own tasks
	Idleness int64  `json:"idleness_ns"`
	Overhead int64  `json:"overhead_ns"`
	Class    string `json:"class"`                    // LL, LH, HL or HH: idleness, overhead; "" where it is withheld
	Advice   string `json:"advice"`                   // of the class
	Withheld string `json:"class_withheld,omitempty"` // why there is no class
	Lock     *Parts `json:"lock,omitempty"`           // of each part: threads waited for locks
	OffCPU   *Parts `json:"off_cpu,omitempty"`        // of each part: threads could have run and had no processor
	// Unaccounted is by how much work and overhead exceed the processor time, of the
	// whole recording.
	Unaccounted int64        `json:"unaccounted_ns,omitempty"`
	Waiting     string       `json:"waiting_ready"` // on if tasks that wait for others which are done count as ready, else off
	Region      string       `json:"region,omitempty"`
	From        int64        `json:"from_ns"`
	To          int64        `json:"to_ns"`
	Paused      int64        `json:"paused_ns,omitempty"`    // of it, while the program had the recording paused: what threads did then is not known
	Cut         string       `json:"region_cut,omitempty"`   // which end of the region was not recorded, what of it a ring holds
	ByArch      *Parts       `json:"by_arch,omitempty"`      // a task counts as ready only for workers that can run it
	ByNode      *Parts       `json:"by_node,omitempty"`      // … and only on its own node; of runs of several
	Processor   int64        `json:"processor_ns,omitempty"` // processor time of the processes, where recorded
	PerWorker   []WorkerPart `json:"per_worker"`
	Unknown     int64        `json:"tasks_without_ready_time,omitempty"`
}

// Parts divide time.
type Parts struct {
	Work     int64 `json:"work_ns"`
	Implicit int64 `json:"work_implicit_ns"`
	Idleness int64 `json:"idleness_ns"`
	Overhead int64 `json:"overhead_ns"`
}

// WorkerPart is the breakdown of one worker.
type WorkerPart struct {
	Name string `json:"name"`
	Parts
}

// Delays are what tasks and workers waited for, by class and mark
// (docs/design/methods.md, Critical chain), summed over all tasks: from ready to
// start, and of workers before tasks.
type Delays struct {
	Task map[string]int64 `json:"task_ns"`
	Gap  map[string]int64 `json:"worker_gap_ns"`

	task, gap chain.Sums
}

// Iteration is the span of an outer iteration.
type Iteration struct {
	Iteration int32 `json:"iteration"`
	Start     int64 `json:"start_ns"`
	End       int64 `json:"end_ns"`
	Tasks     int64 `json:"tasks"`
}

// Node sums up one node of a run of several.
type Node struct {
	Node      int32   `json:"node"`
	Workers   int     `json:"workers"`
	Tasks     int64   `json:"tasks"`
	Busy      int64   `json:"busy_ns"`
	IdleShare float64 `json:"idle_share"`
	End       int64   `json:"end_ns"` // of its last task
	ABE       int64   `json:"abe_ns,omitempty"`
	// Gap is the part of the time up to the end of its last task that the area
	// bound of its own tasks does not need.
	Gap float64 `json:"gap_share,omitempty"`
}

// LogEntry is one row of the import log.
type LogEntry struct {
	Severity string `json:"severity"`
	Code     string `json:"code"`
	Count    int64  `json:"count"`
	First    string `json:"first"` // source, line and message of the first
}
