package spec

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"dagscope/predict/platform"
	"dagscope/predict/workload"
	"dagscope/trace"
)

// program is the task graph as the program submits it, and where it comes from.
// Later steps do not change it.
type program struct {
	graph         *workload.Graph
	distributed   bool           // it is StarPU-MPI's, for several nodes
	recorded      *recording     // nil unless it is that of a run
	factorization *factorization // nil unless it is that of a sparse matrix
}

// recording is the run that a graph comes from.
type recording struct {
	run  *trace.Run
	rows []int32 // of its tasks
	// scale is by what factor tasks (by row of the run) take another time than they
	// did; nil for none.
	scale map[int32]float64
}

func (f *recording) rescale(row int32, by float64) {
	if f.scale == nil {
		f.scale = map[int32]float64{}
	}
	f.scale[row] = by
}

// program makes the task graph for the nodes and workers of a machine.
func (s *Spec) program(runs recordedRuns, e engine, m *platform.Machine) (p program, err error) {
	distributed := s.distributed(m.Nodes())
	switch {
	case runs.graph != nil:
		p, err = s.programOfRun(runs.graph)
	case s.Workload.Kind == sparseQR:
		p, err = s.programOfMatrix(e, m)
	default:
		p.graph, err = s.generated(distributed)
	}
	if err != nil {
		return p, err
	}
	p.distributed = distributed
	if err := s.setPriorities(p.graph); err != nil {
		return p, err
	}
	p.graph, err = s.withGeneration(p.graph)
	return p, err
}

// kind is a kind of workload: the keys that it has besides kind, graph and
// generate, and how it is made; nil: from a matrix.
type kind struct {
	keys []string
	make func(request) (*workload.Graph, error)
}

var (
	tiledKeys    = []string{"tiles", "tile", "element"}
	priorityKeys = append(tiledKeys[:3:3], "priorities")
	taskKeys     = []string{"duration", "spread", "bytes"}
	layerKeys    = append(taskKeys[:3:3], "stages", "width")
)

// kinds are the kinds of workloads by name.
var kinds = map[string]kind{
	"cholesky": {priorityKeys, func(r request) (*workload.Graph, error) { return workload.Cholesky(r.tiled()) }},
	"lu": {append(priorityKeys[:4:4], "pivot"), func(r request) (*workload.Graph, error) {
		return workload.LU(r.tiled(), r.w.Pivot)
	}},
	"qr": {append(priorityKeys[:4:4], "inner"), func(r request) (*workload.Graph, error) {
		return workload.QR(r.tiled(), int(r.w.Inner))
	}},
	"gemm": {append(tiledKeys[:3:3], "commute"), func(r request) (*workload.Graph, error) {
		return workload.Gemm(r.tiled(), r.w.Commute)
	}},
	"stencil": {append(tiledKeys[:3:3], "sweeps"), func(r request) (*workload.Graph, error) {
		return workload.Stencil(r.tiled(), int(r.w.Sweeps))
	}},
	"chain":       {append(taskKeys[:3:3], "tasks"), shaped(workload.Chain)},
	"independent": {append(taskKeys[:3:3], "tasks"), shaped(workload.Independent)},
	"fork-join":   {layerKeys, shaped(workload.ForkJoin)},
	sparseQR:      {keys: sparseKeys},
	"random":      {append(layerKeys[:5:5], "degree"), shaped(workload.Layered)},
}

// request is what a graph is generated from.
type request struct {
	w           *Workload
	seed        int64
	distributed bool
}

func shaped(make func(workload.Shape) (*workload.Graph, error)) func(request) (*workload.Graph, error) {
	return func(r request) (*workload.Graph, error) { return make(r.shape()) }
}

func (r request) tiled() workload.Tiled {
	return workload.Tiled{
		Tiles: int(r.w.Tiles), Tile: int(r.w.Tile), Element: int(r.w.Element),
		NoPriorities: r.w.Priorities.Rule == none, NoDiagonalHints: r.w.Generate.Kind != "",
		Distributed: r.distributed,
	}
}

func (r request) shape() workload.Shape {
	w := r.w
	return workload.Shape{
		Tasks: int(w.Tasks), Stages: int(w.Stages), Width: int(w.Width), Degree: float64(w.Degree),
		Duration: time.Duration(w.Duration), Spread: w.Spread, Bytes: int64(w.Bytes), Seed: uint64(r.seed),
	}
}

// generated makes a graph of a kind.
func (s *Spec) generated(distributed bool) (*workload.Graph, error) {
	g, err := kinds[s.Workload.Kind].make(request{&s.Workload, s.Seed, distributed})
	if err != nil {
		return nil, s.wrap(err, "workload")
	}
	return g, nil
}

// programOfRun is the task graph of a run.
func (s *Spec) programOfRun(run *trace.Run) (program, error) {
	g, rows, err := workload.FromRun(run)
	if err != nil {
		return program{}, s.wrap(err, "workload", "graph")
	}
	recorded := &recording{run: run, rows: rows}
	if s.last != nil {
		for i, row := range rows {
			if ns, other := s.last(row); other && g.HasWork(i) {
				recorded.rescale(row, float64(max(1, ns))/float64(max(1, g.Duration[i])))
				g.Duration[i] = max(1, ns)
			}
		}
	}
	return program{graph: g, recorded: recorded}, nil
}

// setPriorities changes the priorities of a graph that was just made, where the
// spec does; bottom levels follow when durations are known.
func (s *Spec) setPriorities(g *workload.Graph) error {
	w := &s.Workload
	if w.Priorities.Rule == none {
		g.Priority = nil
	}
	for _, kind := range slices.Sorted(maps.Keys(w.Priorities.Kind)) {
		if err := setPriority(g, kind, w.Priorities.Kind[kind]); err != nil {
			return s.errorf(at("workload", "priorities", kind), "%w", err)
		}
	}
	return nil
}

// withGeneration is a graph with the tasks in front that prepare its data, if
// the spec wants some.
func (s *Spec) withGeneration(g *workload.Graph) (*workload.Graph, error) {
	w := &s.Workload
	if w.Generate.Kind == "" {
		return g, nil
	}
	g, err := workload.Generate(g, w.Generate.Kind, time.Duration(w.Generate.Duration))
	if err != nil {
		return nil, s.wrap(err, "workload", "generate")
	}
	return g, nil
}

// classesOf finds the classes of a kind, whatever the case of its letters.
func classesOf(g *workload.Graph, kind string) (all []int, err error) {
	names := make(map[string]bool)
	for i, c := range g.Classes {
		if names[c.Kind] = true; strings.EqualFold(c.Kind, kind) {
			all = append(all, i)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("found kind %q, want one of %s", kind, list(names))
	}
	return all, nil
}

// setPriority gives all tasks of a kind a priority.
func setPriority(g *workload.Graph, kind string, priority int32) error {
	classes, err := classesOf(g, kind)
	if err != nil {
		return err
	}
	if g.Priority == nil {
		g.Priority = make([]int32, g.Tasks())
	}
	for i, c := range g.Class {
		if slices.Contains(classes, int(c)) {
			g.Priority[i] = priority
		}
	}
	return nil
}
