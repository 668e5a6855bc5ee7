// Package workload makes the task graphs that the simulator runs: tiled dense
// factorizations and other well-known graphs, and those of recorded runs.
// Dependencies follow from data accesses in submission order (sequential task
// flow), as in StarPU, OpenMP or PaRSEC's DTD.
package workload

// Mode is how a task uses a piece of data.
type Mode uint8

// Modes. Commute is an update whose order among commuting updates is free.
const (
	Read      Mode = 1
	Write     Mode = 2
	ReadWrite Mode = 3
	Commute   Mode = 4 // with ReadWrite
	Scratch   Mode = 8
)

// String is the mode as StarPU prints it, and as runs have it.
func (m Mode) String() string {
	switch {
	case m&Scratch != 0:
		return "S"
	case m&Commute != 0:
		return [4]string{"C", "RC", "WC", "RWC"}[m&ReadWrite]
	}
	return [4]string{"", "R", "W", "RW"}[m&ReadWrite]
}

// Graph is a program as it submits its tasks: columns by task (in submission
// order), by handle, and by class. Tasks of equal Class are alike for every
// performance model.
type Graph struct {
	Name string

	// By task.
	Class     []int32
	Priority  []int32   // nil: all 0
	Iteration []int32   // outer iteration, -1 none; nil: none
	X, Y      []int32   // coordinates of the first written handle; nil: none
	AccessAt  []int32   // accesses of task i are [AccessAt[i], AccessAt[i+1])
	Node      []int32   // node of the cluster that runs it; nil: node 0
	Duration  []int64   // ns, measured, where the task has its own duration; nil: models tell
	Factor    []float64 // a task takes this times what its class takes on its worker, which schedulers do not know; nil: 1
	Key       []string  // name of the task where the source has one; nil: its number
	Sync      []bool    // kinds of the runtime without work (barriers, data acquisitions); nil: none
	// What the program took before it submitted a task, and what the runtime and the
	// operating system took before the task began, in ns, beyond what the simulator
	// has them do; nil: nothing.
	Pause, Delay []int64
	// Change of allocated memory when the task begins and when it ends, in
	// bytes, negative where memory is released; nil: none.
	StartBytes, EndBytes []int64

	// By access.
	Handle []int32
	Mode   []Mode

	// Dependencies beyond those that follow from the accesses, sorted by To.
	// With Explicit set, accesses move data but order nothing.
	From, To []int32
	Explicit bool

	// Hints that the program gives between submissions, in order.
	Hints []Hint

	// By handle.
	Bytes   []int64
	HandleX []int32
	HandleY []int32
	Home    []int32  // memory node of the valid copy at the start (0: RAM); -1: none yet, allocated on first write
	Owner   []int32  // node of the cluster; nil: node 0
	Names   []string // nil: numbers

	// By class.
	Classes []Class
}

// Class is what a performance model may need to know of a task.
type Class struct {
	Kind       string
	Footprint  uint32 // hash of the layouts of its data, as StarPU computes it
	Bytes      int64  // sum of the sizes of its data
	GFlop      float64
	Parameters []float64 // of regression models; nil: none
	Layout     string    // "M960x960x4_M960x960x4", "" if unknown
	Generation bool      // prepares the input
	Duration   int64     // ns, on every worker that can run it; 0: models tell, or the task's own
	// Blocking says that the kernel, on a device, returns only when it is done:
	// it waits until the device's pipeline is empty, and nothing enters the
	// pipeline meanwhile (StarPU: codelets without the flag CUDA_ASYNC).
	Blocking bool
}

// Hint is something that a program tells the runtime about its data.
type Hint struct {
	After  int32 // number of tasks submitted before
	Handle int32
	Kind   HintKind
}

// HintKind is the kind of a hint.
type HintKind uint8

// WontUse says that the data is not used for a while: it is written back to
// its home when the link is idle, and evicted first.
const WontUse HintKind = 1

// Tasks is the number of tasks.
func (g *Graph) Tasks() int { return len(g.Class) }

// Work is how many tasks have work, and how many GFlop they are together.
func (g *Graph) Work() (tasks int, gflop float64) {
	for i, c := range g.Class {
		if g.HasWork(i) {
			tasks++
			gflop += g.Classes[c].GFlop
		}
	}
	return tasks, gflop
}

// HasWork reports whether a task has work, unlike barriers and data acquisitions
// of the runtime.
func (g *Graph) HasWork(task int) bool { return g.Sync == nil || !g.Sync[task] }
