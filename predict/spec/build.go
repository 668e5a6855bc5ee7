package spec

import (
	"strconv"

	"dagscope/trace"
)

// Loader opens a run by its path.
type Loader func(path string) (*trace.Run, error)

// Build makes what the spec says; runs that it names are opened by load, each
// once. The package comment lists the steps.
func (s *Spec) Build(load Loader) (*Simulation, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	runs, err := s.openRuns(load)
	if err != nil {
		return nil, err
	}
	s = s.seeded(runs)
	e, err := s.engine(runs)
	if err != nil {
		return nil, err
	}
	if s, err = s.inheriting(runs, e); err != nil {
		return nil, err
	}
	m, doubts, err := s.machine(runs, e)
	if err != nil {
		return nil, err
	}
	p, err := s.program(runs, e, m)
	if err != nil {
		return nil, err
	}
	t, err := s.timing(runs, e, m, p)
	if err != nil {
		return nil, err
	}
	g, idle, err := s.place(e, m, p, t)
	if err != nil {
		return nil, err
	}
	if s.Options.Pinned && p.recorded != nil && len(p.recorded.rows) == g.Tasks() {
		executed, rows := p.recorded.asExecuted(g)
		g, p.recorded = executed, &recording{p.recorded.run, rows, p.recorded.scale}
	}
	if err := s.feasible(e, m, p, g, t); err != nil {
		return nil, err
	}
	b := &Simulation{Graph: g, Machine: m, Durations: t.byClass, Scheduler: e.scheduler}
	for _, warnings := range [][]string{e.warnings, doubts, t.warnings, idle} {
		b.Warnings = append(b.Warnings, warnings...)
	}
	if e.plain {
		b.Options.Seed, b.Options.OnlyDevices = s.Seed, t.onlyDevices
		b.Plain, err = s.plainOptions(e, m, p, g, t)
	} else {
		b.Options, err = s.exactOptions(p, g, t)
	}
	if err != nil {
		return nil, err
	}
	if p.recorded != nil && len(p.recorded.rows) == g.Tasks() {
		b.Rows = p.recorded.rows
	}
	if b.pinned, err = s.pinned(e, m, p, g); err != nil {
		return nil, err
	}
	if b.memory, err = s.heteroprioMemory(e, p, g); err != nil {
		return nil, err
	}
	if b.kept, err = s.keptText(e); err != nil {
		return nil, err
	}
	if b.pinned != nil {
		b.Scheduler, b.recorded = pinnedScheduler, p.recorded.makespan(g)
	}
	b.draws = draws{noise: float64(s.Noise), graph: g, timing: t}
	return b.Seeded(s.Seed), nil
}

// seeded is the spec with the seed of the run that is simulated again, unless it
// has its own.
func (s *Spec) seeded(runs recordedRuns) *Spec {
	if s.names("seed") || runs.graph == nil {
		return s
	}
	seed, err := strconv.ParseInt(runs.graph.Meta.Environment[EnvSeed], 10, 64)
	if err != nil {
		return s // recorded: it has none
	}
	own := *s
	own.Seed = seed
	return &own
}

// recordedRuns are the runs that a spec names, nil where it names none.
type recordedRuns struct {
	graph   *trace.Run // whose task graph is simulated
	machine *trace.Run // on whose machine, if the spec names no other
	models  *trace.Run // whose durations models are fitted to
}

// timeless reports whether a run is a mere task graph: nobody knows when, where
// and for how long its tasks ran.
func timeless(run *trace.Run) bool { return run != nil && run.Meta.Reader == trace.TaskGraph }

// openRuns opens them.
func (s *Spec) openRuns(load Loader) (r recordedRuns, err error) {
	p := &s.Platform
	opened := make(map[string]*trace.Run)
	open := func(name string, key ...any) (*trace.Run, error) {
		path := s.path(name)
		if path == "" || opened[path] != nil {
			return opened[path], nil
		}
		run, err := load(path)
		if err != nil {
			return nil, s.wrap(err, key...)
		}
		opened[path] = run
		return run, nil
	}
	if r.graph, err = open(s.Workload.recorded(), "workload", "graph"); err != nil {
		return r, err
	}
	if r.machine, err = open(p.Run, "platform"); err != nil {
		return r, err
	}
	if p.StarPU+p.File+p.Run == "" && !timeless(r.graph) {
		r.machine = r.graph
	}
	r.models, err = open(s.Models.Run, "models")
	return r, err
}
