package workload_test

import (
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/predict/workload"
	"dagscope/read"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

func bundled(t *testing.T, name string) *trace.Run {
	t.Helper()
	run, err := read.Read(filepath.Join("..", "..", "testdata", "starpu", name), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func fromRun(t *testing.T, run *trace.Run) *workload.Graph {
	t.Helper()
	g, _, err := workload.FromRun(run)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func infer(t *testing.T, g *workload.Graph) *workload.Deps {
	t.Helper()
	d, err := workload.Infer(g)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// What Cholesky submits is what StarPU's program submitted.
func TestCholeskyIsWhatWasRecorded(t *testing.T) {
	got, err := workload.Cholesky(workload.Tiled{Tiles: 12})
	if err != nil {
		t.Fatal(err)
	}
	want := fromRun(t, bundled(t, "sg-mirage-n12-dmdas"))
	if got.Tasks() != 364 || want.Tasks() != 364 {
		t.Fatalf("found %d tasks and %d recorded ones, want 364", got.Tasks(), want.Tasks())
	}
	for i := range got.Tasks() {
		compareTask(t, got, want, i)
	}
	compareHints(t, got, want)
	if want.Explicit || len(want.From) != 0 {
		t.Errorf("found %d explicit dependencies recorded, want all to follow from the accesses", len(want.From))
	}
	a, b := reach(infer(t, got)), reach(infer(t, want))
	for i := range a {
		if !slices.Equal(a[i], b[i]) {
			t.Errorf("task %d does not reach what it reached", i)
		}
	}
}

func compareTask(t *testing.T, got, want *workload.Graph, i int) {
	t.Helper()
	a, b := got.Classes[got.Class[i]], want.Classes[want.Class[i]]
	if math.Abs(a.GFlop-b.GFlop) > 1e-6 {
		t.Errorf("task %d has %g GFlop, want %g", i, a.GFlop, b.GFlop)
	}
	a.GFlop = b.GFlop
	if a.Kind != b.Kind || a.Footprint != b.Footprint || a.Bytes != b.Bytes || a.Layout != b.Layout || a.Blocking != b.Blocking {
		t.Errorf("task %d is %+v, want %+v", i, a, b)
	}
	if got.Priority[i] != want.Priority[i] || got.Iteration[i] != want.Iteration[i] || got.X[i] != want.X[i] || got.Y[i] != want.Y[i] {
		t.Errorf("task %d (%s) has priority %d, iteration %d, coordinates %d %d, want %d, %d, %d %d", i, a.Kind,
			got.Priority[i], got.Iteration[i], got.X[i], got.Y[i], want.Priority[i], want.Iteration[i], want.X[i], want.Y[i])
	}
	if x, y := accesses(got, i), accesses(want, i); !slices.Equal(x, y) {
		t.Errorf("task %d uses %v, want %v", i, x, y)
	}
}

type access struct {
	x, y  int32
	bytes int64
	home  int32
	mode  workload.Mode
}

func accesses(g *workload.Graph, task int) (all []access) {
	for a := g.AccessAt[task]; a < g.AccessAt[task+1]; a++ {
		h := g.Handle[a]
		all = append(all, access{g.HandleX[h], g.HandleY[h], g.Bytes[h], g.Home[h], g.Mode[a]})
	}
	return all
}

func compareHints(t *testing.T, got, want *workload.Graph) {
	t.Helper()
	if len(got.Hints) != len(want.Hints) {
		t.Fatalf("found %d hints, want %d", len(got.Hints), len(want.Hints))
	}
	for i, a := range got.Hints {
		b := want.Hints[i]
		if a.After != b.After || got.HandleX[a.Handle] != want.HandleX[b.Handle] || got.HandleY[a.Handle] != want.HandleY[b.Handle] {
			t.Errorf("hint %d is %+v, want %+v", i, a, b)
		}
	}
}

// reach is which tasks come after which.
func reach(d *workload.Deps) [][]bool {
	all := make([][]bool, d.Tasks)
	for i := range all {
		seen := make([]bool, d.Nodes())
		follow(d, int32(i), seen)
		all[i] = seen[:d.Tasks]
	}
	return all
}

func follow(d *workload.Deps, node int32, seen []bool) {
	for _, s := range d.Succs(node) {
		if !seen[s] {
			seen[s] = true
			follow(d, s, seen)
		}
	}
}

// Hints wait for what wrote their data, and nothing waits for them, however the
// dependencies are known.
func TestHintsWaitForWriters(t *testing.T) {
	made, err := workload.Cholesky(workload.Tiled{Tiles: 12})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range []*workload.Graph{made, fromRun(t, bundled(t, "sg-mirage-n12-dmdas"))} {
		d := infer(t, g)
		if len(d.Before) != 78 {
			t.Fatalf("found %d tasks of the runtime, want 78 hints", len(d.Before))
		}
		for i, hint := range d.Hint {
			preds, h := d.Preds(int32(d.Tasks+i)), g.Hints[hint]
			if len(preds) != 1 || g.Handle[g.AccessAt[preds[0]+1]-1] != h.Handle || len(d.Succs(int32(d.Tasks+i))) != 0 {
				t.Errorf("hint %d waits for %v, want the last writer of its data", hint, preds)
			}
		}
	}
}

// A run without a single dependency says by its data what waits: the graph of a
// run that lost them reaches what that of the whole one does.
func TestFromRunWithoutDependencies(t *testing.T) {
	for name, run := range map[string]*trace.Run{
		"native": bundled(t, "native-chol-tiny"),
		"made":   tracetest.Cholesky(tracetest.Options{Tiles: 5}),
	} {
		whole := fromRun(t, run)
		lost := *run
		lost.Dep = trace.Deps{}
		g := fromRun(t, &lost)
		if g.Explicit {
			t.Errorf("%s: found accesses that order nothing", name)
		}
		if !reflect.DeepEqual(reach(infer(t, g)), reach(infer(t, whole))) {
			t.Errorf("%s: found other tasks that wait for each other", name)
		}
	}
}

// Runs of every kind become graphs whose edges lead from one task to another.
func TestFromRunOfAnyRun(t *testing.T) {
	for name, run := range map[string]*trace.Run{
		"native": bundled(t, "native-chol-n10-dmdas"),
		"mpi":    bundled(t, "nativempi-np2-n8-lws"),
		"made":   tracetest.Cholesky(tracetest.Options{Tiles: 6}),
		"chain":  tracetest.Chain(5),
		"fork":   tracetest.Fork(5, 2),
		"random": tracetest.Random(7, 200),
		"sparse": tracetest.Sparse(tracetest.SparseOptions{}),
	} {
		g := fromRun(t, run)
		d := infer(t, g)
		ran := 0
		for i := range run.Task.Worker {
			if run.Task.Worker[i] != trace.None && !run.Task.Internal[i] {
				ran++
			}
		}
		work := 0
		for i := range g.Tasks() {
			if g.Sync == nil || !g.Sync[i] {
				work++
			}
		}
		if work != ran || len(d.Succ) == 0 {
			t.Errorf("%s: found %d tasks and %d edges, want %d tasks", name, work, len(d.Succ), ran)
		}
	}
}

// What LU submits is what StarPU's program submitted.
func TestLUIsWhatWasRecorded(t *testing.T) {
	run, err := read.Read(testenv.Reference(t, "data/starpu/native-lu-n8-lws"), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := workload.LU(workload.Tiled{Tiles: 8, Tile: 320}, false)
	if err != nil {
		t.Fatal(err)
	}
	want := fromRun(t, run)
	if got.Tasks() != want.Tasks() || !slices.Equal(got.Priority, want.Priority) || !slices.Equal(got.Iteration, want.Iteration) {
		t.Fatalf("found %d tasks, want %d, with the same priorities and iterations", got.Tasks(), want.Tasks())
	}
	for i := range got.Tasks() {
		a, b := got.Classes[got.Class[i]], want.Classes[want.Class[i]]
		if a.Footprint != b.Footprint || a.Layout != b.Layout || got.AccessAt[i+1] != want.AccessAt[i+1] {
			t.Errorf("task %d is %+v, want %+v", i, a, b)
		}
	}
	a, b := reach(infer(t, got)), reach(infer(t, want))
	for i := range a {
		if !slices.Equal(a[i], b[i]) {
			t.Errorf("task %d does not reach what it reached", i)
		}
	}
	if len(got.Hints) != len(want.Hints) {
		t.Errorf("found %d hints, want %d", len(got.Hints), len(want.Hints))
	}
}

// A task that begins by chance when a blocking kernel of another device does is
// not one.
func TestBlockingKindsByChance(t *testing.T) {
	run := bundled(t, "sg-mirage-n12-dmdas")
	c, moved := &run.Task, 0
	for i, at := range run.Event.Time {
		if run.Event.Value.At(i) != "sync_task" || moved > 0 {
			continue
		}
		for k := range c.Start {
			if c.Kind.At(k) == "GEMM" && c.Start[k] <= at && at < c.End[k] {
				c.Start[k] = at
				moved++
			}
		}
	}
	if moved == 0 {
		t.Fatal("found no update that runs when a blocking kernel begins")
	}
	blocking := make(map[string]bool)
	for _, class := range fromRun(t, run).Classes {
		blocking[class.Kind] = class.Blocking
	}
	if !blocking["POTRF"] || blocking["GEMM"] || blocking["TRSM"] || blocking["SYRK"] {
		t.Errorf("found blocking kinds %v, want POTRF only", blocking)
	}
}

// Tasks that wait for each other are named as the run names them.
func TestCyclesAreNamed(t *testing.T) {
	run := bundled(t, "native-chol-tiny")
	first, last := run.Dep.From[0], run.Dep.To[0]
	run.Dep.From, run.Dep.To = append(run.Dep.From, last), append(run.Dep.To, first)
	_, _, err := workload.FromRun(run)
	if err == nil {
		t.Fatal("found no error")
	}
	for _, row := range []int32{first, last} {
		if name := run.Task.Key.At(int(row)) + " (" + run.Task.Kind.At(int(row)) + ")"; !strings.Contains(err.Error(), name) {
			t.Errorf("found %q, want %s in it", err, name)
		}
	}
}
