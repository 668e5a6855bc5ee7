package selection

// Stats are what happened in an area, cut to the extent of the run. Times are
// ns; shares are of Wall.
type Stats struct {
	T0        int64      `json:"t0"`
	T1        int64      `json:"t1"`
	Workers   []string   `json:"workers"`
	Wall      int64      `json:"wall_ns"`               // length times workers
	Implicit  int64      `json:"implicit_ns,omitempty"` // of it, work of the runtime's own tasks (OpenMP's implicit ones)
	Absent    int64      `json:"absent_ns,omitempty"`   // of it, before threads began and after they ended
	Tasks     int        `json:"tasks"`                 // that touch the area
	Kinds     []Kind     `json:"kinds"`
	Idle      Idle       `json:"idle"`
	Input     Input      `json:"input"`
	Breakdown *Breakdown `json:"breakdown"` // nil where the run does not tell
	States    []State    `json:"states"`
	Histogram Histogram  `json:"histogram"`
	Bound     *Bound     `json:"bound"` // nil without tasks that start inside
	Notes     []string   `json:"notes"` // what could not be said, and why
}

// Kind are the tasks of a kind that touch the area on one architecture.
type Kind struct {
	Kind  string  `json:"kind"`
	Arch  string  `json:"arch"`
	Count int     `json:"count"`
	Busy  int64   `json:"busy_ns"` // inside the area
	Share float64 `json:"share"`
	Mean  float64 `json:"mean_ns"` // of their whole durations
}

// Idle is the time that no task covers, not even one that generates the input,
// divided among causes that add up to it: what the next task of the worker waited
// for, by classes of the chain (docs/design/methods.md, Critical chain), and the
// time in which none did.
type Idle struct {
	Total   int64   `json:"total_ns"`
	Share   float64 `json:"share"`
	Classes []Class `json:"classes"`
	Before  int64   `json:"before_first_ns"` // before the run's zero, which is the start of its first task
	After   int64   `json:"after_last_ns"`   // after the last task of the worker
	Unused  int64   `json:"unused_ns"`       // of workers that ran no task at all
}

// Class is the time of a class of the chain.
type Class struct {
	Class string `json:"class"`
	Time  int64  `json:"ns"`
}

// Input is the time in which workers ran nothing but tasks that generate the
// input: neither work nor idle time.
type Input struct {
	Total int64    `json:"total_ns"`
	Share float64  `json:"share"`
	Kinds []string `json:"kinds"` // of these tasks, by name
}

// Breakdown divides the whole time but Input as POT does
// (docs/design/methods.md, Time breakdown): idleness is time without work while
// no task was ready, overhead while one was.
type Breakdown struct {
	Work     int64 `json:"work_ns"`
	Idleness int64 `json:"idleness_ns"`
	Overhead int64 `json:"overhead_ns"`
}

// State is the time that workers spent in a state of the runtime. Time in a
// state that is nested in another counts in both.
type State struct {
	State string  `json:"state"`
	Time  int64   `json:"ns"`
	Share float64 `json:"share"`
}

// Histogram counts the tasks that start inside by their whole durations. Bin i
// holds durations from Edges[i] up to but not including Edges[i+1], ns; what is
// below the first edge is in the first bin. Edges are those of the run, whatever
// the area, so that histograms of areas can be compared and added.
type Histogram struct {
	Edges  []float64 `json:"edges"`
	Kinds  []string  `json:"kinds"`
	Counts [][]int64 `json:"counts"` // [kind][bin]
}

// Bound is how soon the tasks that start inside could be done by the chosen
// workers (area bound, docs/design/methods.md, Bounds), beside the length of
// the window.
type Bound struct {
	ABE    float64 `json:"abe_ns"`
	Length int64   `json:"length_ns"`
}
