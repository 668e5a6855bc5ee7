package simspec

import (
	"slices"
	"strconv"
	"time"

	"dagscope/platform"
	"dagscope/sim"
	"dagscope/sim/plain"
	"dagscope/trace"
)

// Engines: the exact one knows all that StarPU does, the plain one workers that
// share a memory, a hundred times faster.
const (
	enginePlain = "plain"
	engineExact = "exact"
)

// Keys of a run's environment: the engine, where it is not the exact one, and
// how many bytes of the memory are no task's.
const (
	EnvEngine = "engine"
	EnvBase   = "memory_base_bytes"
)

// Plain is what the plain engine runs beside the graph.
type Plain struct {
	Options plain.Options
	Details plain.Details
	// SequentialPeak is the most memory that is allocated if tasks run one
	// after another, in bytes.
	SequentialPeak int64
	// Analysis is how long it took to read, order and analyze the matrix of a
	// sparse factorization; next to nothing if that was done before.
	Analysis time.Duration
}

// ofFile takes the key file for graph: a run of whatever form, with the plain
// engine.
func (s *Spec) ofFile() (*Spec, error) {
	w := &s.Workload
	if w.File == "" {
		return s, nil
	}
	if w.Graph != "" || w.Kind != "" {
		return nil, s.errorf(at("workload", "file"), "found file %s beside kind %q and graph %q, want one of them", w.File, w.Kind, w.Graph)
	}
	c := *s
	c.Workload.Graph, c.Workload.File = w.File, ""
	if c.Options.Engine == "" {
		c.Options.Engine = enginePlain
	}
	return &c, nil
}

// isPlain tells which engine runs the spec: sparse factorizations, and tasks of
// runtimes that nothing more is known of, are for the plain one.
func (s *Spec) isPlain(load Loader) (bool, error) {
	w := &s.Workload
	switch s.Options.Engine {
	case enginePlain:
		return true, nil
	case engineExact:
		return false, nil
	case "":
	default:
		return false, s.errorf(at("options", "engine"), "found engine %q, want %s or %s", s.Options.Engine, enginePlain, engineExact)
	}
	if w.Graph == "" || w.Kind != "" || load == nil {
		return w.Kind == sparseQR, nil
	}
	run, err := load(s.path(w.Graph))
	if err != nil {
		return false, s.wrap(err, "workload", "graph")
	}
	return run.Meta.Reader == "tasks" || run.Meta.Environment[EnvEngine] == enginePlain, nil
}

// buildPlain makes what the plain engine runs, and sparse factorizations for
// either.
func (s *Spec) buildPlain(load Loader, isPlain bool) (b *Simulation, err error) {
	bare := *s // overhead is not part of durations here
	bare.Options.Overhead = 0
	b = &Simulation{}
	if isPlain {
		b.Plain = &Plain{}
	}
	if b.Machine, err = s.machine(b, load); err != nil {
		return nil, err
	}
	if n := b.Machine.Nodes(); n > 1 {
		return nil, s.errorf(at("platform"), "found a machine of %d nodes, want one for the plain engine", n)
	}
	var from *source
	if s.Workload.Kind == sparseQR {
		err = bare.sparse(b, load)
	} else {
		from, err = bare.anyGraph(b, load)
	}
	if err != nil {
		return nil, err
	}
	if err := s.prioritize(b); err != nil {
		return nil, err
	}
	if !isPlain {
		return s.exactly(b)
	}
	return b, s.plainOptions(b, from)
}

// anyGraph makes a graph of any kind, and how long its tasks take.
func (s *Spec) anyGraph(b *Simulation, load Loader) (from *source, err error) {
	if b.Graph, from, err = s.graph(load, 1); err != nil {
		return nil, err
	}
	if err = s.durations(b, from, load); err != nil {
		return nil, err
	}
	if b.Options.OnlyDevices, err = s.onlyDevices(b.Graph); err != nil {
		return nil, err
	}
	return from, s.able(b.Graph, b.Machine, b.Durations, b.Options.OnlyDevices)
}

// prioritize changes priorities as the spec wants it.
func (s *Spec) prioritize(b *Simulation) error {
	if s.Workload.Priorities.Rule != bottomLevel {
		return nil
	}
	return s.wrapNil(setBottomLevels(b.Graph, b.Durations), "workload", "priorities")
}

func (s *Spec) wrapNil(err error, path ...any) error {
	if err == nil {
		return nil
	}
	return s.wrap(err, path...)
}

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
		return s.errorf(at("scheduler"), "found scheduler %q for the plain engine, want one of %s, or options: {engine: exact}", b.Scheduler, plain.Policies)
	}
	if more := s.Options.Overhead; !(more >= 0 && more <= 1e9) {
		return s.errorf(at("options", "overhead_us"), "found an overhead of %g µs, want 0 or more", more)
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
			o.Durations[k][i] = max(1, int64(ns+0.5))
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

// exactly runs a sparse factorization on the exact engine: tasks differ from
// their class by a factor.
func (s *Spec) exactly(b *Simulation) (*Simulation, error) {
	b.schedule(s.Scheduler, nil)
	g := b.Graph
	g.Factor = make([]float64, g.Tasks())
	for i, c := range g.Class {
		g.Factor[i] = 1
		if mean := b.Durations[c][0]; mean > 0 {
			g.Factor[i] = float64(g.Duration[i]) / mean
		}
	}
	g.Duration = nil
	for _, row := range b.Durations {
		for k := range row {
			row[k] += s.Options.Overhead * 1e3
		}
	}
	var err error
	b.Options, err = s.options(g, 1)
	return b, err
}

// runPlain simulates with the plain engine.
func (b *Simulation) runPlain(record bool) (*sim.Result, error) {
	o := b.Plain.Options
	o.Record = record
	r, err := plain.Run(b.Graph, nil, o)
	if err != nil {
		return nil, err
	}
	n := len(b.Machine.Memories)
	out := &sim.Result{
		Makespan: r.Makespan, Events: int64(b.Graph.Tasks()), Worker: r.Worker, Begin: r.Begin, End: r.End, Busy: r.Busy,
		Pairs: make([]sim.Pair, n*n), Peak: make([]int64, n),
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
