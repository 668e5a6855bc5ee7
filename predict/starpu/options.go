package starpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"dagscope/predict/platform"
	"dagscope/predict/workload"
)

// Durations are how long classes of tasks take on types of workers, in ns:
// by class of the graph, then by type of the machine (platform.Worker.Type).
// 0 says that such a worker cannot run it.
type Durations [][]float64

// Costs are what StarPU's operations take in virtual time, in ns; 0 for those
// that are free. In addition, polling for requests always takes a worker a
// microsecond for each memory node that it drives.
type Costs struct {
	Submit   float64 // submission of a task, by the submitting thread
	Push     float64 // handing a ready task to the scheduler
	Fetch    float64 // requesting a data handle that a task needs
	Queue    float64 // queueing a kernel or a transfer on a device
	Malloc   float64 // allocation of a block of a device's memory
	Free     float64 // its release, which also waits for all transfers
	Pin      float64 // allocation of a byte in RAM that devices copy from
	Transfer bool    // transfers take time
}

// DefaultCosts are those of StarPU 1.4 under SimGrid.
func DefaultCosts() Costs {
	return Costs{Submit: 1000, Push: 1000, Fetch: 1000, Queue: 10_000, Malloc: 175_000, Free: 750_000, Pin: 0.65e6 / (1 << 20), Transfer: true}
}

// Options configure the runtime. The zero value has no costs, no
// prefetch and no pipeline: start from DefaultOptions.
type Options struct {
	Costs    Costs
	Prefetch bool  // fetch the data of a task when it is pushed, where the scheduler knows its worker
	Pipeline int   // tasks that a device worker takes at a time, 0 for one and no overlap
	Seed     int64 // of schedulers that draw
	// OnlyDevices says of each class of the graph whether only devices may run
	// it; nil: wherever it has a duration.
	OnlyDevices []bool
	// Before is how many microseconds after its start the program submits its
	// first task, at least 2. Dates of the result do not count them, but
	// predictions are rounded like the runtime's clock, and ties between them
	// broken so.
	Before int
	// Record makes the result keep more than when and where tasks ran: states of
	// workers, transfers, memory. Result.Trace writes them.
	Record bool
	// Decisions says which decisions of the policy the result keeps; nil: none.
	Decisions *Decisions
	MPI       MPI // messages between nodes, where there are several
	// Waits are the tasks before which the program waits for all that it has
	// submitted (starpu_task_wait_for_all), ascending; of programs of one node.
	Waits []int32
	// Window is how many tasks may be submitted and not have ended: beyond, the
	// program waits until there are only WindowMin (STARPU_LIMIT_MAX_SUBMITTED_TASKS
	// and STARPU_LIMIT_MIN_SUBMITTED_TASKS). 0: any number.
	Window, WindowMin int
	// Ended is called when a task with work has ended, by one goroutine at a time;
	// nil: nobody wants to know.
	Ended func()

	// Until gives a simulation up that has not ended after so many seconds of its own
	// time; 0: never.
	Until float64

	// Context ends a simulation early, with its cause as the error; nil: nothing does.
	Context context.Context

	separateHandles bool // handles are registered one by one, not as parts of a partitioned one
}

// DefaultOptions are those of StarPU 1.4.
func DefaultOptions() Options {
	return Options{Costs: DefaultCosts(), Prefetch: true, Pipeline: 2, Before: 2, MPI: DefaultMPI()}
}

// MaxPipeline is how many tasks a device worker can have (STARPU_MAX_PIPELINE).
const MaxPipeline = 4

// until is the date at which a simulation is given up.
func (o *Options) until() float64 {
	if o.Until > 0 {
		return o.Until
	}
	return math.Inf(1)
}

// unending reports a simulation that was given up.
func (o *Options) unending() error {
	return fmt.Errorf("simulate: found no end after %.3g s of its time: given up", o.Until)
}

func (o *Options) check() error {
	if o.Pipeline < 0 || o.Pipeline > MaxPipeline {
		return fmt.Errorf("simulate: found a pipeline of %d tasks, want 0 to %d", o.Pipeline, MaxPipeline)
	}
	if o.Window < 0 || o.WindowMin < 0 || o.WindowMin > o.Window {
		return fmt.Errorf("simulate: found a window of %d submitted tasks, down to %d, want 0 (none) or more, and no more than that", o.Window, o.WindowMin)
	}
	return nil
}

// check reports what cannot be simulated.
func check(g *workload.Graph, m *platform.Machine, d Durations, o *Options) error {
	if len(d) != len(g.Classes) {
		return fmt.Errorf("simulate: found durations of %d classes, want %d", len(d), len(g.Classes))
	}
	if len(g.Bytes) > maxHandles {
		return fmt.Errorf("simulate: found %d data handles, want %d at most", len(g.Bytes), maxHandles)
	}
	types := len(m.Types())
	for c := range d {
		if len(d[c]) != types {
			return fmt.Errorf("simulate: found durations of %d types of workers for %s, want %d", len(d[c]), g.Classes[c].Kind, types)
		}
	}
	if o.OnlyDevices != nil && len(o.OnlyDevices) != len(g.Classes) {
		return fmt.Errorf("simulate: found constraints of %d classes, want %d", len(o.OnlyDevices), len(g.Classes))
	}
	if !slices.IsSorted(o.Waits) {
		return errors.New("simulate: found waits of the program that are not in its order")
	}
	return o.check()
}
