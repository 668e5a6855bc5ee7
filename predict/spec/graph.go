package spec

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"dagscope/predict/workload"
	"dagscope/trace"
)

// kind is a kind of workload: the keys that it has besides kind, graph and
// generate, and how it is made.
type kind struct {
	keys []string
	make func(w *Workload, seed int64) (*workload.Graph, error)
}

var (
	tiled   = []string{"tiles", "tile", "element"}
	urgent  = append(tiled[:3:3], "priorities")
	ofTasks = []string{"duration", "spread", "bytes"}
	layers  = append(ofTasks[:3:3], "stages", "width")
)

// kinds are the kinds of workloads by name.
var kinds = map[string]kind{
	"cholesky": {urgent, func(w *Workload, _ int64) (*workload.Graph, error) { return workload.Cholesky(w.tiled()) }},
	"lu": {append(urgent[:4:4], "pivot"), func(w *Workload, _ int64) (*workload.Graph, error) {
		return workload.LU(w.tiled(), w.Pivot)
	}},
	"qr": {append(urgent[:4:4], "inner"), func(w *Workload, _ int64) (*workload.Graph, error) {
		return workload.QR(w.tiled(), int(w.Inner))
	}},
	"gemm": {append(tiled[:3:3], "commute"), func(w *Workload, _ int64) (*workload.Graph, error) {
		return workload.Gemm(w.tiled(), w.Commute)
	}},
	"stencil": {append(tiled[:3:3], "sweeps"), func(w *Workload, _ int64) (*workload.Graph, error) {
		return workload.Stencil(w.tiled(), int(w.Sweeps))
	}},
	"chain":       {append(ofTasks[:3:3], "tasks"), shaped(workload.Chain)},
	"independent": {append(ofTasks[:3:3], "tasks"), shaped(workload.Independent)},
	"fork-join":   {layers, shaped(workload.ForkJoin)},
	sparseQR:      {keys: sparseKeys}, // made by buildPlain
	"random":      {append(layers[:5:5], "degree"), shaped(workload.Layered)},
}

func shaped(generate func(workload.Shape) (*workload.Graph, error)) func(*Workload, int64) (*workload.Graph, error) {
	return func(w *Workload, seed int64) (*workload.Graph, error) { return generate(w.shape(seed)) }
}

func (w *Workload) tiled() workload.Tiled {
	return workload.Tiled{
		Tiles: int(w.Tiles), Tile: int(w.Tile), Element: int(w.Element),
		NoPriorities: w.Priorities.Rule == none, NoDiagonalHints: w.Generate.Kind != "",
		Distributed: w.distributed,
	}
}

func (w *Workload) shape(seed int64) workload.Shape {
	return workload.Shape{
		Tasks: int(w.Tasks), Stages: int(w.Stages), Width: int(w.Width), Degree: float64(w.Degree),
		Duration: time.Duration(w.Duration), Spread: w.Spread, Bytes: int64(w.Bytes), Seed: uint64(seed),
	}
}

// graph makes the task graph for some nodes; of a run, also where it comes from.
func (s *Spec) graph(load Loader, nodes int) (g *workload.Graph, from *source, err error) {
	w := &s.Workload
	switch {
	case w.Kind != "" && w.Graph != "":
		return nil, nil, s.errorf(at("workload"), "found kind %s and graph %s, want one of them", w.Kind, w.Graph)
	case w.Graph != "":
		g, from, err = s.recorded(load)
	case kinds[w.Kind].make == nil:
		return nil, nil, s.errorf(at("workload", "kind"), "found workload %q, want graph: RUN or one of %s", w.Kind, list(kinds))
	default:
		g, err = s.made(kinds[w.Kind], nodes)
	}
	if err != nil {
		return nil, nil, err
	}
	g, err = s.changed(g)
	return g, from, err
}

// made makes a graph of a kind.
func (s *Spec) made(k kind, nodes int) (*workload.Graph, error) {
	if err := s.onlyKeys(k.keys); err != nil {
		return nil, err
	}
	w := s.Workload
	w.distributed = s.clustered(nodes)
	g, err := k.make(&w, s.Seed)
	if err != nil {
		return nil, s.wrap(err, "workload")
	}
	return g, nil
}

// onlyKeys reports keys that the kind of workload does not have.
func (s *Spec) onlyKeys(keys []string) error {
	v := reflect.ValueOf(s.Workload)
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("yaml")
		if !v.Field(i).IsZero() && !slices.Contains(keys, name) && !slices.Contains([]string{"kind", "graph", "generate", "distribution", "priorities"}, name) {
			if s.Workload.Graph != "" {
				return s.errorf(at("workload", name), "found key %s of the task graph of a run, want only graph, generate, priorities", name)
			}
			return s.errorf(at("workload", name), "found key %s of workload %s, want only kind, generate, %s", name, s.Workload.Kind, strings.Join(keys, ", "))
		}
	}
	return nil
}

// source is the run that a graph comes from.
type source struct {
	run  *trace.Run
	rows []int32 // of its tasks
}

// recorded takes the graph of a run.
func (s *Spec) recorded(load Loader) (*workload.Graph, *source, error) {
	if err := s.onlyKeys(nil); err != nil {
		return nil, nil, err
	}
	run, err := load(s.path(s.Workload.Graph))
	if err != nil {
		return nil, nil, s.wrap(err, "workload", "graph")
	}
	g, rows, err := workload.FromRun(run)
	if err != nil {
		return nil, nil, s.wrap(err, "workload", "graph")
	}
	return g, &source{run, rows}, nil
}

// changed applies what does not depend on the kind of workload.
func (s *Spec) changed(g *workload.Graph) (*workload.Graph, error) {
	w := &s.Workload
	if w.Priorities.Rule == none {
		g.Priority = nil
	}
	for kind, priority := range w.Priorities.Kind {
		if err := setPriority(g, kind, priority); err != nil {
			return nil, s.errorf(at("workload", "priorities", kind), "%w", err)
		}
	}
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
