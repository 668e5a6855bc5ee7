package spec

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"dagscope/predict/plain"
	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/trace"
)

// usualPlain is the scheduler of the plain engine: that of qr_mumps, and of
// programs with priorities.
const usualPlain = "prio"

// exactOnly reports options that the plain engine would pass over in silence.
func (s *Spec) exactOnly() error {
	o := &s.Options
	for _, x := range []struct {
		key   string
		given bool
	}{{"gpu_memory", o.GPUMemory > 0}, {"ram_memory", o.RAMMemory > 0}, {"disk", o.Disk != nil}, {"decisions", o.Decisions.On}} {
		if x.given {
			return s.errorf(at("options", x.key), "found %s for the plain engine, which does not know it, want options: {engine: exact}", x.key)
		}
	}
	return nil
}

// plainOptions says how the plain engine runs.
func (s *Spec) plainOptions(b *Simulation, from *source) error {
	if err := s.exactOnly(); err != nil {
		return err
	}
	if b.Scheduler = s.Scheduler; b.Scheduler == "" {
		b.Scheduler = usualPlain
		if from != nil && slices.Contains(plain.Policies, from.run.Meta.Environment[EnvScheduler]) {
			b.Scheduler = from.run.Meta.Environment[EnvScheduler]
		}
	}
	if !slices.Contains(plain.Policies, b.Scheduler) {
		return s.errorf(at("scheduler"), "found scheduler %q for the plain engine, want one of %s, or options: {engine: exact}", b.Scheduler, strings.Join(plain.Policies, ", "))
	}
	if more := s.Options.Overhead; !(more >= 0 && more <= 1e9) {
		return s.errorf(at("options", "overhead_us"), "found an overhead of %g µs, want 0 to 1e9", more)
	}
	o := &b.Plain.Options
	o.Policy, o.Overhead = b.Scheduler, int64(s.Options.Overhead*1e3)
	if c, given := s.Costs.Single["task_submit"]; given && c.On {
		o.Submit = max(int64(c.Time), 0)
	}
	for _, w := range b.Machine.Workers {
		o.Workers = append(o.Workers, w.Type)
	}
	b.Options.Seed = s.Seed
	b.workerNames()
	b.taskDurations()
	s.submissions(b, from)
	return s.memoryLimit(b, from)
}

// workerNames tells the trace what workers are called.
func (b *Simulation) workerNames() {
	d := &b.Plain.Details
	for _, w := range b.Machine.Workers {
		d.Workers, d.Archs = append(d.Workers, w.Name), append(d.Archs, w.Arch)
	}
}

// taskDurations makes durations of tasks of those of classes, unless they have
// their own.
func (b *Simulation) taskDurations() {
	o, g := &b.Plain.Options, b.Graph
	if o.Durations != nil {
		return
	}
	o.Durations = make([][]int64, len(b.Machine.Types()))
	for k, on := range b.Machine.Types() {
		o.Durations[k] = make([]int64, g.Tasks())
		for i, c := range g.Class {
			ns := b.Durations[c][k]
			if only := b.Options.OnlyDevices; ns == 0 || only != nil && only[c] && on.Arch == platform.CPU {
				continue
			}
			if g.Duration != nil && g.Duration[i] > 0 {
				ns = float64(g.Duration[i])
			}
			if g.Factor != nil {
				ns *= g.Factor[i]
			}
			o.Durations[k][i] = max(1, int64(min(ns, math.MaxInt64/2)+0.5)) // too long a one is refused
		}
	}
}

// submissions takes over when tasks of a run were submitted, if that is wanted.
func (s *Spec) submissions(b *Simulation, from *source) {
	if !s.Options.Submissions || from == nil {
		return
	}
	at := make([]int64, b.Graph.Tasks())
	own := at[len(at)-len(from.rows):] // others were put in front
	for i, row := range from.rows {
		if own[i] = from.run.Task.Submit[row]; own[i] == trace.NoTime {
			return
		}
	}
	first := slices.Min(own)
	for i := range own {
		own[i] -= first
	}
	b.Plain.Options.SubmitAt = at
}

// memoryLimit sets the limit, a multiple of what a sequential run needs.
func (s *Spec) memoryLimit(b *Simulation, from *source) error {
	p := b.Plain
	if from != nil {
		base, err := strconv.ParseInt(from.run.Meta.Environment[EnvBase], 10, 64)
		if err == nil && base > 0 && base < 1<<60 {
			p.Options.Base = base
		}
	}
	p.SequentialPeak = plain.SequentialPeak(b.Graph) + p.Options.Base
	if s.Options.MemoryLimit == 0 {
		return nil
	}
	if b.Graph.StartBytes == nil {
		return s.errorf(at("options", "memory_limit"), "found a memory limit for %s, want one for tasks that say what memory they allocate: sparse-qr, or a file of tasks with mem_delta_start", b.Graph.Name)
	}
	limit := float64(s.Options.MemoryLimit) * float64(p.SequentialPeak)
	if limit < 1<<62 {
		p.Options.MemoryLimit = max(1, int64(limit))
	}
	return nil
}

// runPlain simulates with the plain engine.
func (b *Simulation) runPlain(record bool) (*starpu.Result, error) {
	o := b.Plain.Options
	o.Record = record
	r, err := plain.Run(b.Graph, nil, o)
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
