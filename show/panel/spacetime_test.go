package panel_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dagscope/explain/numbers/panels"
	"dagscope/show/panel/core"
	"dagscope/show/panel/layout"
	"dagscope/show/render"
	"dagscope/show/scene"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

var update = flag.Bool("update", false, "rewrite golden files")

// figure draws the space-time panel of one run.
func figure(t testing.TB, run *trace.Run, spec layout.Spec, o core.Options) *scene.Figure {
	t.Helper()
	if spec.Width == 0 {
		spec.Width = 1000
	}
	spec.Panels = []string{"st"}
	f, err := layout.Figure([]layout.Source{{Name: "run", Run: run}}, spec, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func compose(t testing.TB, f *scene.Figure) *scene.Page {
	t.Helper()
	p, err := scene.Compose(f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The whole way of two tiny runs, to the byte. Look at the picture before
// committing a change of it.
func TestGolden(t *testing.T) {
	o := core.Options{}
	o.SpaceTime.Bounds = []core.Bound{{Name: "ABE", NS: 30_000}}
	for name, run := range map[string]*trace.Run{
		"tiny": tracetest.Tiny(),
		"fork": tracetest.Fork(5, 3),
	} {
		var got bytes.Buffer
		page := compose(t, figure(t, run, layout.Spec{Title: name, Width: 500}, o))
		if err := render.SVG(&got, page, render.Options{}); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", name+".svg")
		if *update {
			if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s differs; draw it again with -update and look at it", file)
		}
	}
}

// layer returns a layer of the drawing.
func layer(t testing.TB, p *scene.Panel, name string) *scene.Layer {
	t.Helper()
	for i := range p.Layers {
		if p.Layers[i].Name == name {
			return &p.Layers[i]
		}
	}
	t.Fatalf("there is no layer %q", name)
	return nil
}

// The ink of the rows is exactly the time their workers were busy, whatever
// the window and the width: nothing is dropped, nothing exaggerated.
func TestInkIsBusyTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := tracetest.Random(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 60).Draw(t, "tasks"))
		_, end, _ := panels.Extent(run)
		t0 := rapid.Int64Range(-end, end-1).Draw(t, "t0")
		t1 := t0 + rapid.Int64Range(1, 2*end).Draw(t, "span")
		o := core.Options{}
		o.SpaceTime.Fold = rapid.Bool().Draw(t, "fold")
		view, err := find(t, "st").View(run, &o)
		if err != nil {
			t.Fatal(err)
		}
		p := view.Draw(core.Query{T0: t0, T1: t1, Width: rapid.IntRange(1, 200).Draw(t, "width")})
		workers := workersOfRows(run, o.SpaceTime.Fold)
		got := 0.0
		for r, ink := range inkOfRows(&p) {
			got += ink * workers[r]
		}
		want := 0.0
		for i, start := range run.Task.Start {
			want += float64(max(0, min(run.Task.End[i], t1)-max(start, t0)))
		}
		if math.Abs(got-want) > 1e-4*(want+1) {
			t.Fatalf("ink %g ns, busy %g ns", got, want)
		}
	})
}

// inkOfRows sums the areas of the tasks of each row, in ns of full height.
// Shares never overlap each other or exact tasks, so areas add up.
func inkOfRows(p *scene.Panel) []float64 {
	rows := p.Layers[0].Rects[0]
	ink := make([]float64, rows.Len())
	for _, batch := range p.Layers[1].Rects[:3] { // exact, generation, shares; then borders
		for i := range batch.X0 {
			middle := batch.Y[i] + batch.H[i]/2
			for r := range rows.Y {
				if middle >= rows.Y[r] && middle <= rows.Y[r]+rows.H[r] {
					ink[r] += (batch.X1[i] - batch.X0[i]) * float64(batch.H[i]) / float64(rows.H[r])
				}
			}
		}
	}
	return ink
}

// workersOfRows is how many workers each row stands for: one, or all of an
// architecture, processors first.
func workersOfRows(run *trace.Run, folded bool) []float64 {
	count := make(map[string]float64)
	for r := range run.Resource.Parent {
		if run.Resource.Level.At(r) == trace.LevelWorker {
			count[run.Resource.Arch.At(r)]++
		}
	}
	var rows []float64
	for _, arch := range []string{"cpu", "cuda", "hip"} {
		if n := count[arch]; folded && n > 0 {
			rows = append(rows, n)
		} else {
			rows = append(rows, slices.Repeat([]float64{1}, int(n))...)
		}
	}
	return rows
}

// An outlier shows at every zoom, at least a pixel wide once composed.
func TestOutliersAreAlwaysVisible(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 6, CPUs: 3, Exact: true})
	run.Task.End[20]++ // of a kind that otherwise takes the same time always
	long := make([]bool, len(run.Task.Start))
	long[20] = true
	color := core.TaskColors([]*trace.Run{run}, false).Of(run.Task.Kind.At(20))
	for _, factor := range []int64{1, 100, 1_000_000} {
		spec := layout.Spec{Window: true, T0: -1, T1: factor * 2e9}
		f := figure(t, run, spec, core.Options{Outlier: long})
		if n := layer(t, &f.Panels[0], "outliers").Rects[0].Len(); n != 1 {
			t.Fatalf("%d outliers are drawn, want 1", n)
		}
		if w := outlierWidth(compose(t, f), color); w < 1-1e-9 {
			t.Errorf("with %d-fold time the outlier is %g pixels wide", factor, w)
		}
	}
}

// outlierWidth is the width on the page of the only box in an outlier's
// colour, 0 if there is none.
func outlierWidth(p *scene.Page, color scene.Color) float64 {
	for _, op := range p.Ops {
		if b := op.Boxes; b != nil && b.Edges == scene.Blend && len(b.X0) == 1 && b.Palette[b.Color[0]] == color {
			return b.X1[0] - b.X0[0]
		}
	}
	return 0
}

// Whatever the number of rows: no label is cut by the page, no two labels of a
// margin meet.
func TestLabelsNeitherCutNorMeet(t *testing.T) {
	for _, o := range []tracetest.Options{
		{CPUs: 1}, {CPUs: 3}, {}, {CPUs: 40}, {CPUs: 60, GPUs: 8}, {CPUs: 128}, {CPUs: 590},
		{Nodes: 4, CPUs: 8, GPUs: 3}, {Nodes: 40, CPUs: 8, GPUs: 2}, {Nodes: 100, CPUs: 3}, {Nodes: 100, CPUs: 1, GPUs: 1}, {Nodes: 64, CPUs: 12, GPUs: 2},
	} {
		for _, width := range []int{400, 1000} {
			t.Run(fmt.Sprintf("%d×%d+%d/%d", max(1, o.Nodes), o.CPUs, o.GPUs, width), func(t *testing.T) {
				o.Tiles = 6
				p := compose(t, figure(t, tracetest.Cholesky(o), layout.Spec{Width: width}, core.Options{}))
				checkLabels(t, p)
			})
		}
	}
}

func checkLabels(t *testing.T, p *scene.Page) {
	t.Helper()
	var labels []*scene.Label
	for _, op := range p.Ops {
		if op.Label != nil && op.Clip.Empty() {
			labels = append(labels, op.Label)
		}
	}
	if len(labels) < 8 {
		t.Fatalf("only %d labels", len(labels))
	}
	for i, l := range labels {
		b := ink(l)
		if b.X0 < 0 || b.Y0 < 0 || b.X1 > p.W || b.Y1 > p.H {
			t.Errorf("label %q is cut: %v on a page of %g × %g", l.S, b, p.W, p.H)
		}
		for _, m := range labels[:i] {
			if c := ink(m); b.X0 < c.X1 && c.X0 < b.X1 && b.Y0 < c.Y1 && c.Y0 < b.Y1 {
				t.Errorf("labels %q and %q meet: %v, %v", l.S, m.S, b, c)
			}
		}
	}
}

// ink is the box around a label without the room that capitals and digits
// leave above and below.
func ink(l *scene.Label) scene.Rectangle {
	b := l.Bounds()
	if l.Rotate == 0 {
		b.Y0, b.Y1 = l.Y-0.73*l.Size, l.Y
	}
	return b
}

func TestSelection(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 8, Nodes: 3, CPUs: 2, GPUs: 1})
	f := figure(t, run, layout.Spec{}, core.Options{Nodes: []int32{0, 2}, Workers: []string{"*CPU1"}})
	rows := layer(t, &f.Panels[0], "lanes").Rects[0]
	if rows.Len() != 2 {
		t.Errorf("%d rows, want CPU1 of nodes 0 and 2", rows.Len())
	}
	var texts []string
	for _, text := range f.Panels[0].Left[0].Texts {
		texts = append(texts, text.S)
	}
	if want := []string{"CPU1", "CPU1", "node 0", "node 2"}; !slices.Equal(texts, want) {
		t.Errorf("labels %q, want %q", texts, want)
	}
}

func TestMissing(t *testing.T) {
	empty := &trace.Run{}
	good := tracetest.Tiny()
	f, err := layout.Figure([]layout.Source{{Name: "empty", Run: empty}, {Name: "good", Run: good}},
		layout.Spec{Panels: []string{"st"}, Width: 500}, core.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if why := f.Panels[0].Missing; !strings.Contains(why, "task.start (start of execution) or state.start") {
		t.Errorf("the empty run explains itself as %q", why)
	}
	if f.Panels[1].Missing != "" || len(f.Panels[1].Layers) == 0 {
		t.Error("the empty run harmed the other one")
	}
	compose(t, f)
	if _, err := core.Find("nonsense"); err == nil || !strings.Contains(err.Error(), "want one of") {
		t.Errorf("an unknown panel gives %v", err)
	}
	if err := (&core.Options{Workers: []string{"[a"}}).Check(); err == nil {
		t.Error("a malformed pattern was taken")
	}
}

// A trace without tasks shows states, one row per resource that has any.
func TestStatesInsteadOfTasks(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 5})
	run.Task, run.Segment, run.Dep = trace.Tasks{}, trace.Segments{}, trace.Deps{}
	f := figure(t, run, layout.Spec{}, core.Options{})
	if n := layer(t, &f.Panels[0], "lanes").Rects[0].Len(); n < 12 {
		t.Errorf("%d rows, want one for each worker", n)
	}
	var kinds []string
	for _, e := range f.Panels[0].Legend {
		kinds = append(kinds, e.Label)
	}
	if !slices.Contains(kinds, "FetchingInput") || !slices.IsSorted(kinds) {
		t.Errorf("legend %q", kinds)
	}
	checkLabels(t, compose(t, f))
}

// The data behind the panel are the tasks of the window, each once.
func TestData(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 8})
	view, err := find(t, "st").View(run, &core.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const t0, t1 = 20e6, 90e6
	table := view.Data(core.Query{T0: t0, T1: t1, Width: 100})
	var want []string
	for i := range run.Task.Start {
		if run.Task.Worker[i] >= 0 && run.Task.Start[i] < t1 && run.Task.End[i] > t0 {
			want = append(want, fmt.Sprint(run.Task.Key.At(i), " ", run.Task.Start[i]))
		}
	}
	var got []string
	for row := range table.Rows() {
		got = append(got, string(table.AppendCell(nil, 0, row))+" "+string(table.AppendCell(nil, 5, row)))
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%d rows, want the %d tasks of the window", len(got), len(want))
	}
	if len(table.Data) != len(table.Columns) {
		t.Errorf("%d columns of data, %d described", len(table.Data), len(table.Columns))
	}
}

// Runs of one program get the same colours, whatever took most time in each.
func TestColorsAreStable(t *testing.T) {
	a := core.TaskColors([]*trace.Run{tracetest.Cholesky(tracetest.Options{Tiles: 4})}, false)
	b := core.TaskColors([]*trace.Run{tracetest.Cholesky(tracetest.Options{Tiles: 20, CPUs: 5})}, false)
	if len(a) != 4 {
		t.Fatalf("%d colours for 4 kinds", len(a))
	}
	for kind, color := range a {
		if b[kind] != color {
			t.Errorf("%s is %s in one run and %s in the other", kind, color.Hex(), b[kind].Hex())
		}
	}
	run := tracetest.Cholesky(tracetest.Options{Tiles: 4})
	run.Meta.Colors = map[string]string{"GEMM": "#010203", "POTRF": "nonsense"}
	c := core.TaskColors([]*trace.Run{run}, true)
	if c["GEMM"] != scene.RGB(0x010203) || c["POTRF"] != a["POTRF"] {
		t.Errorf("colours of the source: %v", c)
	}
}

// A run of the size that the figures of Garcia Pinto 2018 have (37 820 tasks,
// 12 workers).
func BenchmarkFigure(b *testing.B) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 60})
	for _, format := range render.Formats() {
		b.Run(format, func(b *testing.B) {
			for b.Loop() {
				var out bytes.Buffer
				page := compose(b, figure(b, run, layout.Spec{}, core.Options{}))
				if err := render.Write(&out, format, page, render.Options{}); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(out.Len()), "bytes")
			}
		})
	}
}

func find(t interface{ Fatal(...any) }, id string) core.Panel {
	p, err := core.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
