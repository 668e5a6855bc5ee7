package spec

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"dagscope/predict/perfmodel"
	"dagscope/predict/plain"
	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/starpu/policy"
	"dagscope/predict/workload"
	"dagscope/trace"
)

// Simulation is what the simulator runs.
type Simulation struct {
	Graph     *workload.Graph
	Machine   *platform.Machine
	Durations starpu.Durations
	Scheduler string
	Options   starpu.Options
	Warnings  []string // what of the prediction is not to be trusted
	Plain     *Plain   // of the plain engine; nil: the exact one runs
	// Rows are the rows of the tasks in the run that the graph was recorded in; nil
	// where the graph is not that of a run, or has other tasks too.
	Rows []int32

	draws  draws            // what a seed decides
	kept   string           // costs and options, for EnvOptions
	pinned *policy.Recorded // schedule that is repeated; nil: the scheduler decides
	memory *policy.Memory   // that heteroprio has of earlier runs; nil: none
	// recorded is the makespan of the run that is repeated, in ns, from its first
	// start to its last end; 0 without.
	recorded int64
}

// Plain is what the plain engine runs in addition to the graph.
type Plain struct {
	Options plain.Options
	Deps    *plain.Deps // nil: not found yet
	Details plain.Details
	// SequentialPeak is the most memory that is allocated if tasks run one
	// after another, in bytes.
	SequentialPeak int64
	// Analysis is how long it took to read, order and analyze the matrix of a
	// sparse factorization; next to nothing if that was done before.
	Analysis time.Duration
}

// Run simulates. With record the result has all that a run directory holds.
func (b *Simulation) Run(record bool) (*starpu.Result, error) {
	return b.RunContext(context.Background(), record)
}

// RunContext is Run, which ends early, with an error that wraps the context's cause,
// when the context is done.
func (b *Simulation) RunContext(ctx context.Context, record bool) (*starpu.Result, error) {
	if b.Plain != nil {
		return b.runPlain(ctx, record)
	}
	o := b.Options
	o.Record, o.Context = record, ctx
	fresh := func() (starpu.Policy, error) {
		return policy.New(b.Scheduler, policy.Options{Memory: b.memory.Clone()})
	}
	if b.pinned != nil {
		fresh = func() (starpu.Policy, error) { return policy.NewPinned(*b.pinned), nil }
	}
	return starpu.RunNodes(b.Graph, b.Machine, b.Durations, fresh, o)
}

// runPlain simulates with the plain engine.
func (b *Simulation) runPlain(ctx context.Context, record bool) (*starpu.Result, error) {
	o := b.Plain.Options
	o.Record, o.Context = record, ctx
	r, err := plain.Run(b.Graph, b.Plain.Deps, o)
	if err != nil {
		return nil, err
	}
	n := len(b.Machine.Memories)
	out := &starpu.Result{
		Makespan: r.Makespan, Events: int64(b.Graph.Tasks()), Worker: r.Worker, Begin: r.Begin, End: r.End, Busy: r.Busy,
		Pairs: make([]starpu.Pair, n*n), Peak: make([]int64, n),
		Write: func() (*trace.Run, error) { return r.Trace(b.Plain.Details) },
	}
	for i, m := range b.Machine.Memories {
		if m.Kind == platform.RAM && b.Graph.StartBytes != nil {
			out.Peak[i] = r.Peak
			break
		}
	}
	return out, nil
}

// Noise is the coefficient of variation by which durations are perturbed; 0: they
// are not.
func (b *Simulation) Noise() float64 { return b.draws.noise }

// Recorded is the makespan of the run whose schedule is repeated, as
// MakespanFromStart has it; 0 where none is.
func (b *Simulation) Recorded() int64 { return b.recorded }

// MakespanFromStart is the makespan of a result as reports of runs have it: from
// the first start of a counted task to the last end of one, in ns; 0 where the
// result keeps no starts. Tasks that make the input are not counted.
func (b *Simulation) MakespanFromStart(r *starpu.Result) int64 {
	first, last := int64(math.MaxInt64), int64(0)
	for i := range r.Begin {
		if b.Graph.HasWork(i) && !b.Graph.Classes[b.Graph.Class[i]].Generation {
			first, last = min(first, r.Begin[i]), max(last, r.End[i])
		}
	}
	return max(0, last-first)
}

// Duration is how long a task takes on a type of worker ([platform.Machine.Types])
// of an architecture, in ns, while no other disturbs it; false where it cannot
// run.
func (b *Simulation) Duration(task, workerType int, arch string) (ns float64, can bool) {
	return taskDuration(b.Graph, b.Durations, b.Options.OnlyDevices, task, workerType, arch)
}

// Keep notes in a run what it takes to simulate it again.
func (b *Simulation) Keep(run *trace.Run) error {
	machine, err := b.Machine.YAML()
	if err != nil {
		return fmt.Errorf("write down machine: %w", err)
	}
	kernels, err := b.Kernels()
	if err != nil {
		return fmt.Errorf("write down durations: %w", err)
	}
	models, err := kernels.YAML()
	if err != nil {
		return fmt.Errorf("write down durations: %w", err)
	}
	run.Meta.Platform = &trace.Platform{Host: b.Machine.Name, Machine: string(machine), Models: string(models), Network: networkOf(b.Machine)}
	if run.Meta.Environment == nil {
		run.Meta.Environment = make(map[string]string)
	}
	if b.Graph.Factor == nil && b.Graph.Duration == nil {
		run.Meta.Environment[EnvDurations] = asExpected
	}
	if b.Plain != nil {
		run.Meta.Environment[EnvEngine] = enginePlain
		run.Meta.Environment[EnvBase] = strconv.FormatInt(b.Plain.Options.Base, 10)
	}
	run.Meta.Environment[EnvScheduler] = b.Scheduler
	run.Meta.Environment[EnvSeed] = strconv.FormatInt(b.Options.Seed, 10)
	if b.draws.noise > 0 {
		run.Meta.Environment[EnvNoise] = strconv.FormatFloat(b.draws.noise, 'g', -1, 64)
	}
	if b.kept != "" {
		run.Meta.Environment[EnvOptions] = b.kept
	}
	if b.memory != nil {
		memory, err := json.Marshal(b.memory)
		if err != nil {
			return fmt.Errorf("write down heteroprio's memory: %w", err)
		}
		run.Meta.Environment[EnvMemory] = string(memory)
	}
	run.Meta.Environment[EnvBefore] = strconv.Itoa(b.Options.Before - starpu.DefaultOptions().Before)
	return nil
}

// networkOf is the network between the nodes of a machine as runs keep it; nil
// for one node.
func networkOf(m *platform.Machine) *trace.Network {
	out, in, backbone := m.NetworkLinks()
	if out == nil {
		return nil
	}
	link := func(l *platform.Link) trace.Link {
		return trace.Link{Bandwidth: l.Bandwidth / 1e6, Latency: l.Latency * 1e6}
	}
	all := func(links []*platform.Link) (kept []trace.Link) {
		for _, l := range links {
			kept = append(kept, link(l))
		}
		if len(slices.Compact(slices.Clone(kept))) == 1 {
			return kept[:1]
		}
		return kept
	}
	n := &trace.Network{Out: all(out), In: all(in)}
	if backbone != nil {
		l := link(backbone)
		n.Backbone = &l
	}
	return n
}

// Kernels are models of how long each class of tasks takes on each type of
// worker: what a run keeps, so that it can be simulated again exactly. They hold
// for workers of pace 1; nodes have the same.
func (b *Simulation) Kernels() (*perfmodel.Set, error) {
	type name struct {
		kind string
		on   platform.Type
	}
	var models []perfmodel.Model
	model, known := make(map[name]int), make(map[[2]int]bool)
	for k, on := range b.Machine.Types() {
		pace := cmp.Or(on.Pace, 1)
		on.Node, on.Pace = 0, 0
		for c, class := range b.Graph.Classes {
			if !canRun(b.Durations, b.Options.OnlyDevices, c, int32(k), on.Arch) {
				continue
			}
			at := name{class.Kind, on}
			i, made := model[at]
			if !made {
				i = len(models)
				model[at] = i
				models = append(models, perfmodel.Model{Kind: class.Kind, Arch: on.Arch, Device: on.Device, Method: perfmodel.History})
			}
			if !known[[2]int{i, c}] {
				known[[2]int{i, c}] = true
				models[i].History = append(models[i].History, perfmodel.Entry{Footprint: class.Footprint, Bytes: class.Bytes, GFlop: class.GFlop, Mean: b.Durations[c][k] * pace, Count: 1})
			}
		}
	}
	return perfmodel.NewSet(models)
}
