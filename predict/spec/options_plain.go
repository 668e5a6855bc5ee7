package spec

import (
	"math"
	"slices"
	"strconv"

	"dagscope/predict/plain"
	"dagscope/predict/platform"
	"dagscope/predict/workload"
	"dagscope/trace"
)

// exactOnly reports options that the plain engine would pass over in silence.
func (s *Spec) exactOnly() error {
	o := &s.Options
	for _, x := range []struct {
		key   string
		given bool
	}{{"gpu_memory", o.GPUMemory > 0}, {"ram_memory", o.RAMMemory > 0}, {"disk", o.Disk != nil}, {"decisions", o.Decisions.On}, {"window", o.Window != nil}} {
		if x.given {
			return s.errorf(at("options", x.key), "found %s for the plain engine, which does not know it, want options: {engine: exact}", x.key)
		}
	}
	return nil
}

// plainOptions says how the plain engine runs.
func (s *Spec) plainOptions(e engine, m *platform.Machine, p program, g *workload.Graph, t *timing) (*Plain, error) {
	if err := s.exactOnly(); err != nil {
		return nil, err
	}
	if more := s.Options.Overhead; !(more >= 0 && more <= 1e9) {
		return nil, s.errorf(at("options", "overhead_us"), "found an overhead of %g µs, want 0 to 1e9", more)
	}
	o := plain.Options{Policy: e.scheduler, Overhead: int64(s.Options.Overhead * 1e3), Slowdown: t.slowdown, Durations: t.byTask}
	if c, given := s.Costs.Single["task_submit"]; given && c.On {
		o.Submit = max(int64(c.Time), 0)
	}
	for _, w := range m.Workers {
		o.Workers = append(o.Workers, w.Type)
	}
	if o.Durations == nil {
		o.Durations = taskDurations(g, m, t)
		if g.Factor != nil || g.Duration != nil || s.Noise > 0 {
			expected := *g
			expected.Factor, expected.Duration = nil, nil
			o.Expected = taskDurations(&expected, m, t)
		}
	} else if s.Noise > 0 {
		o.Expected = o.Durations
	}
	o.SubmitAt = s.submissions(p.recorded, g)
	sequential := plain.SequentialPeak(g)
	o.Base = p.baseMemory(sequential)
	out := &Plain{SequentialPeak: sequential + o.Base}
	var err error
	if o.MemoryLimit, err = s.memoryLimit(g, out.SequentialPeak); err != nil {
		return nil, err
	}
	if f := p.factorization; f != nil {
		out.Details, out.Analysis = details(f.program), f.analysis
	}
	for _, w := range m.Workers {
		out.Details.Workers, out.Details.Archs = append(out.Details.Workers, w.Name), append(out.Details.Archs, w.Arch)
	}
	out.Options = o
	return out, nil
}

// taskDurations makes durations of tasks of those of classes, by type of worker.
func taskDurations(g *workload.Graph, m *platform.Machine, t *timing) [][]int64 {
	types := m.Types()
	all := make([][]int64, len(types))
	for k, on := range types {
		all[k] = make([]int64, g.Tasks())
		for i := range all[k] {
			ns, can := taskDuration(g, t.byClass, t.onlyDevices, i, k, on.Arch)
			if !can {
				continue
			}
			all[k][i] = max(1, int64(min(ns, math.MaxInt64/2)+0.5)) // too long a one is refused
		}
	}
	return all
}

// submissions are when tasks of a run were submitted, if that is wanted and
// known; nil otherwise.
func (s *Spec) submissions(from *recording, g *workload.Graph) []int64 {
	if !s.Options.Submissions || from == nil {
		return nil
	}
	all := make([]int64, g.Tasks())
	own := all[len(all)-len(from.rows):] // others were put in front
	for i, row := range from.rows {
		if own[i] = from.run.Task.Submit[row]; own[i] == trace.NoTime {
			return nil
		}
	}
	first := slices.Min(own)
	for i := range own {
		own[i] -= first
	}
	return all
}

// baseMemory is how many bytes of the memory are no task's: what a factorization
// needs beyond its tasks, which allocate sequential bytes at once, or what a run
// says.
func (p program) baseMemory(sequential int64) int64 {
	switch {
	case p.factorization != nil:
		return p.factorization.program.Peak - sequential
	case p.recorded != nil:
		base, err := strconv.ParseInt(p.recorded.run.Meta.Environment[EnvBase], 10, 64)
		if err == nil && base > 0 && base < 1<<60 {
			return base
		}
	}
	return 0
}

// memoryLimit is the limit, a multiple of what a sequential run needs; 0 for
// none.
func (s *Spec) memoryLimit(g *workload.Graph, sequentialPeak int64) (int64, error) {
	if s.Options.MemoryLimit == 0 {
		return 0, nil
	}
	if g.StartBytes == nil {
		return 0, s.errorf(at("options", "memory_limit"), "found a memory limit for %s, want one for tasks that say what memory they allocate: sparse-qr, or a file of tasks with mem_delta_start", g.Name)
	}
	limit := float64(s.Options.MemoryLimit) * float64(sequentialPeak)
	if limit < 1<<62 {
		return max(1, int64(limit)), nil
	}
	return 0, nil
}
