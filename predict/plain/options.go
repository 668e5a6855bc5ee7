package plain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"dagscope/predict/workload"
)

// Options say on what a graph runs, and how.
type Options struct {
	Policy string // one of Policies; "": prio
	// Workers is the type of each worker. Durations are those of tasks on each
	// type, ns; 0: they cannot run there. Nil: Graph.Duration, everywhere.
	Workers   []int32
	Durations [][]int64
	// Expected is what policies believe of Durations; nil: they know them.
	Expected [][]int64
	// Overhead is how long a worker is busy before each task, ns.
	Overhead int64
	// Submit is how long the program takes to submit a task, ns. With
	// SubmitAt, by task, tasks are submitted then at the earliest.
	Submit   int64
	SubmitAt []int64
	// MemoryLimit bounds the bytes that tasks have allocated: the program delays
	// the submission of a task that allocates until earlier tasks have freed
	// enough. 0: no limit. Base bytes are always allocated.
	MemoryLimit, Base int64
	// Slowdown is, by class of tasks, the factor on the duration of a task that
	// starts while n workers are busy, its own included: element n-1, or the last
	// one for more. Nil, or empty for a class: no slowdown.
	Slowdown [][]float64
	// Context ends a simulation early, with its cause as the error; nil: nothing does.
	Context context.Context
	Record  bool   // keep what Trace needs: when and where each task ran
	Ended   func() // called when a task with work has ended; nil: nobody wants to know
}

// Names of the policies that expect when tasks end. They are not StarPU's dm and
// dmdas, whose decisions hang on what tasks that are pushed at the same instant
// see of each other.
const (
	earliestFinishName     = "earliest-finish"
	earliestFinishPrioName = "earliest-finish-prio"
)

// Policies are the names of policies.
var Policies = []string{"prio", "eager", "lws", "ws", earliestFinishName, earliestFinishPrioName}

// duration of a task on a type of worker, 0 if it cannot run there.
func (o *Options) duration(g *workload.Graph, t, kind int32) int64 {
	if o.Durations == nil {
		return g.Duration[t]
	}
	return o.Durations[kind][t]
}

// expected is what policies believe that a task takes.
func (o *Options) expected(g *workload.Graph, t, kind int32) int64 {
	if o.Expected == nil {
		return o.duration(g, t, kind)
	}
	return o.Expected[kind][t]
}

// check reports what cannot be simulated.
func (o *Options) check(g *workload.Graph, d *Deps) error {
	if o.Policy != "" && !slices.Contains(Policies, o.Policy) {
		return fmt.Errorf("simulate: found policy %q, want one of %s", o.Policy, strings.Join(Policies, ", "))
	}
	if len(o.Workers) == 0 || len(o.Workers) > maxWorkers {
		return fmt.Errorf("simulate: found %d workers, want 1 to %d", len(o.Workers), maxWorkers)
	}
	types := o.types()
	if types > maxTypes {
		return fmt.Errorf("simulate: found %d types of workers, want %d at most", types, maxTypes)
	}
	if o.Durations != nil && (types > len(o.Durations) || slices.Min(o.Workers) < 0) || o.Durations == nil && g.Duration == nil {
		return fmt.Errorf("simulate: found durations on %d types of workers, want %d", len(o.Durations), types)
	}
	if o.Expected != nil && types > len(o.Expected) {
		return fmt.Errorf("simulate: found expected durations on %d types of workers, want %d", len(o.Expected), types)
	}
	if o.Overhead < 0 || o.Submit < 0 || o.SubmitAt != nil && len(o.SubmitAt) != g.Tasks() {
		return fmt.Errorf("simulate: found overhead %d ns, submission %d ns, %d times of submission, want 0 or more, and a time for each of %d tasks", o.Overhead, o.Submit, len(o.SubmitAt), g.Tasks())
	}
	if d.Tasks != g.Tasks() {
		return fmt.Errorf("simulate: found dependencies of %d tasks, want %d", d.Tasks, g.Tasks())
	}
	for _, bytes := range [][]int64{g.StartBytes, g.EndBytes} {
		if bytes != nil && len(bytes) != g.Tasks() {
			return fmt.Errorf("simulate: found changes of memory of %d tasks, want %d", len(bytes), g.Tasks())
		}
	}
	return o.able(g)
}

// able reports tasks that no worker can run.
func (o *Options) able(g *workload.Graph) error {
	used := make([]bool, o.types())
	for _, kind := range o.Workers {
		used[kind] = true
	}
	for t := range int32(g.Tasks()) {
		ok := g.Sync != nil && g.Sync[t]
		for kind := int32(0); int(kind) < len(used) && !ok; kind++ {
			ns := int64(0)
			if used[kind] {
				ns = o.duration(g, t, kind)
			}
			if ok = ns > 0; ns < 0 || ns > maxDuration {
				return fmt.Errorf("simulate: found task %d of %d ns, want 1 to %d", t, ns, maxDuration)
			}
		}
		if !ok {
			return fmt.Errorf("simulate: found no duration of task %d (%s) on any worker, want one", t, g.Classes[g.Class[t]].Kind)
		}
	}
	return nil
}

func (o *Options) types() int { return int(slices.Max(o.Workers)) + 1 }

const (
	maxWorkers  = 1 << 16
	maxTypes    = 64             // a bit for each
	maxDuration = int64(1) << 52 // ns of a task, 52 days
	maxEnd      = int64(1) << 58 // ns of a run, 9 years
)
