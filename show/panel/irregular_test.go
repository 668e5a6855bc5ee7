package panel_test

import (
	"bytes"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/explain/numbers/panels"
	"dagscope/read"
	"dagscope/show/panel/core"
	"dagscope/show/scene"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// readSparse reads the bundled synthetic run with a tree and counters: there is
// no real one that may be kept here.
func readSparse(t *testing.T) *trace.Run {
	t.Helper()
	run, err := read.Read(filepath.Join("..", "..", "testdata", "synthetic", "sparse-qr"), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestGoldenScenesOfIrregularKernels(t *testing.T) {
	run := readSparse(t)
	t0, t1, _ := core.Window([]*trace.Run{run})
	var text bytes.Buffer
	for _, id := range []string{"models", "tree", "treeusage", "counters"} {
		p := open(t, id, run, core.Options{}).Draw(core.Query{T0: t0, T1: t1, Width: 60})
		writeScene(&text, &p)
	}
	for _, show := range []core.ModelShow{core.ShowObserved, core.ShowResiduals} {
		o := core.Options{}
		o.Models = core.Models{Show: show, Fit: "power"}
		p := open(t, "models", run, o).Draw(core.Query{T0: t0, T1: t1, Width: 60})
		writeScene(&text, &p)
	}
	golden(t, filepath.Join("testdata", "scenes", "sparse-qr.txt"), text.Bytes())
}

// With every option, in every window: scenes hold, and so do their data.
func TestIrregularPanelsWithOptions(t *testing.T) {
	run := readSparse(t)
	var options []core.Options
	for _, change := range []func(o *core.PanelOptions){
		func(o *core.PanelOptions) { o.Models.Linear, o.Models.Method = true, "mixture" },
		func(o *core.PanelOptions) { o.Models = core.Models{Show: core.ShowObserved, Linear: true} },
		func(o *core.PanelOptions) {
			o.Models = core.Models{Show: core.ShowResiduals, Fit: "history", Formula: "gflop"}
		},
		func(o *core.PanelOptions) { o.Tree.Order, o.Tree.Depth, o.Tree.Step = "start", 2, 1e6 },
		func(o *core.PanelOptions) {
			o.Tree.HideEdges, o.Tree.HideAssembly, o.Tree.HideOutliers, o.Tree.From, o.Tree.To = true, true, true, 50, 90
		},
		func(o *core.PanelOptions) {
			o.TreeUsage = core.TreeUsage{Parts: []string{"memory", "depth"}, Step: 5e6}
		},
		func(o *core.PanelOptions) {
			o.Counters = core.Counters{Event: "PAPI_L3_TCM", Duration: true, Linear: true}
		},
		func(o *core.PanelOptions) { o.Counters.Event = "none such" },
	} {
		o := core.Options{}
		change(&o.PanelOptions)
		options = append(options, o)
	}
	for _, id := range []string{"models", "tree", "treeusage", "counters"} {
		p, err := core.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range options {
			v, err := p.View(run, &o)
			if err != nil {
				if !strings.Contains(err.Error(), "none such") {
					t.Error(id, err)
				}
				continue
			}
			for _, q := range []core.Query{{T0: 0, T1: 1, Width: 1}, {T0: -1e9, T1: 1e9, Width: 700}, {T0: 1e8, T1: 3e8, Width: 300, Height: 13}, {T0: 5e12, T1: 6e12, Width: 20}} {
				drawn := v.Draw(q)
				checkScene(t, id, &drawn)
				if table := v.Data(q); len(table.Columns) != len(p.Columns) {
					t.Errorf("%s has %d columns of data, %d described", id, len(table.Columns), len(p.Columns))
				}
			}
		}
	}
}

// What the areas of the usage cover is the time of computing tasks.
func TestTreeUsageInk(t *testing.T) {
	run := tracetest.Sparse(tracetest.SparseOptions{Seed: 11, Depth: 4})
	want := 0.0
	for i, k := range run.Task.Kind.Index {
		if kind := run.Task.Kind.Dict[k]; strings.HasSuffix(kind, "qrt") || kind == "do_subtree" {
			want += float64(run.Task.End[i] - run.Task.Start[i])
		}
	}
	_, end, _ := panels.Extent(run)
	for _, part := range []string{"nodes", "depth"} {
		o := core.Options{}
		o.TreeUsage.Parts = []string{part}
		p := open(t, "treeusage", run, o).Draw(core.Query{T0: -1000, T1: end + 1000, Width: 999, Height: 107})
		var areas []scene.Area
		for _, l := range p.Layers {
			areas = append(areas, l.Areas...)
		}
		const pixels = 107 - 3 - 5 - 2 // without the room above and below
		got := areaInk(areas) / pixels * 6
		if math.Abs(got-want) > 0.002*want {
			t.Errorf("%s covers %g ns of workers, want %g", part, got, want)
		}
	}
}

// A pick in a row of the tree finds a task that runs then on that node.
func TestTreePick(t *testing.T) {
	run := readSparse(t)
	v := open(t, "tree", run, core.Options{}).(core.Picker)
	found := 0
	q := core.Query{T0: 0, T1: 640e6, Width: 600, Height: 300}
	for y := 0.0; y < 300; y += 3 {
		for at := int64(0); at < 640e6; at += 7e6 {
			hit, ok := v.Pick(q, at, y, 0)
			if !ok {
				continue
			}
			found++
			if hit.Table != core.HitTask || hit.Start > at || hit.End <= at || run.Task.TreeNode[hit.Row] < 0 {
				t.Fatalf("at %d, %g: %+v", at, y, hit)
			}
		}
	}
	if found == 0 {
		t.Error("nothing is found anywhere")
	}
}

// Pieces keep their place and time whatever colours them; the data too.
func TestShadedTasks(t *testing.T) {
	run := readSparse(t)
	q := core.Query{T0: 0, T1: 640e6, Width: 800}
	plain := open(t, "st", run, core.Options{})
	inkOf := func(v core.View) (sum float64) {
		p := v.Draw(q)
		for _, l := range p.Layers {
			if l.Name != "tasks" {
				continue
			}
			for k, r := range l.Rects {
				for i := range r.X0 {
					if k < 3 { // not the borders
						sum += (r.X1[i] - r.X0[i]) * float64(r.H[i])
					}
				}
			}
		}
		return sum
	}
	for _, by := range []string{core.ShadeDuration, core.ShadeRatio, "PAPI_L3_TCM", "PAPI_TOT_INS"} {
		v := open(t, "st", run, core.Options{SpaceTime: core.SpaceTime{Color: by}})
		if got, want := inkOf(v), inkOf(plain); math.Abs(got-want) > 1e-3*want {
			t.Errorf("by %s: %g of ink, want %g", by, got, want)
		}
		a, b := v.Data(q), plain.Data(q)
		if a.Rows() != b.Rows() || !slices.Equal(a.Data[7].([]bool), b.Data[7].([]bool)) {
			t.Errorf("by %s: data have %d rows, want %d, or other outliers", by, a.Rows(), b.Rows())
		}
	}
	var marks []string
	for _, e := range open(t, "st", run, core.Options{SpaceTime: core.SpaceTime{Color: core.ShadeRatio}}).Draw(q).Legend {
		marks = append(marks, e.Label)
	}
	if got, want := strings.Join(marks, ", "), "duration by the median of the kind: 0.5 ×, 1 ×, 2 ×, 4 ×"; !strings.HasPrefix(got, want) {
		t.Errorf("the legend of ratios is %q, want %q", got, want)
	}
	p, err := core.Find("st")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.View(run, &core.Options{SpaceTime: core.SpaceTime{Color: "none such"}}); err == nil || !strings.Contains(err.Error(), "PAPI_TOT_INS") {
		t.Errorf("an unknown counter gives %v", err)
	}
}

// A run without what a panel needs says how to trace it.
func TestIrregularPanelsExplain(t *testing.T) {
	for id, want := range map[string]string{"tree": "atree.dot", "treeusage": "atree.dot", "counters": "papi.rec", "models": "work"} {
		p, err := core.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		run := tracetest.Tiny()
		if id == "models" {
			run.Task.GFlop = nil
		}
		if _, err := p.View(run, &core.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s says %v", id, err)
		}
	}
}
