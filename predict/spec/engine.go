package spec

import (
	"time"

	"dagscope/predict/plain"
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
