package panel_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dagscope/explain/numbers/panels"
	"dagscope/show/panel/core"
	"dagscope/show/panel/layout"
	"dagscope/show/scene"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// open opens a panel that has something to draw.
func open(t interface {
	Helper()
	Fatal(...any)
}, id string, run *trace.Run, o core.Options) core.View {
	t.Helper()
	p, err := core.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.View(run, &o)
	if err != nil {
		t.Fatal(id, err)
	}
	return v
}

// Every panel draws every window of every run, or says why it does not: no
// data make it fail, and it has numbers behind it.
func TestPanelsDrawWhateverTheRun(t *testing.T) {
	runs := map[string]*trace.Run{"empty": {}, "tiny": tracetest.Tiny(), "chain": tracetest.Chain(5), "fork": tracetest.Fork(3, 2),
		"random": tracetest.Random(7, 50), "nodes": tracetest.Cholesky(tracetest.Options{Tiles: 6, Nodes: 20, CPUs: 2, GPUs: 1})}
	options := []core.Options{{}, {Nodes: []int32{0}, Tight: true}, {Nodes: []int32{99}}}
	for _, split := range []bool{false, true} {
		o := core.Options{}
		o.Iterations = core.Iterations{ByNode: true, HideTasks: split, Middle: []float64{0, 0.5, 1}}
		o.Area.ByNode, o.Breakdown.ByArch, o.States.HideTasks = true, true, true
		o.Ready = core.Curve{Step: 1000, Top: 5, Total: split}
		o.GFlops, o.Bandwidth, o.UsedMemory = core.Curve{ByNode: true, Step: 7}, core.Curve{ByNode: true, Total: split}, core.Curve{ByNode: true}
		options = append(options, o)
	}
	for _, p := range core.All() {
		for name, run := range runs {
			for i, o := range options {
				v, err := p.View(run, &o)
				if err != nil {
					if !strings.HasSuffix(err.Error(), ".") {
						t.Errorf("%s of %s with options %d explains itself as %q", p.ID, name, i, err)
					}
					continue
				}
				for _, q := range []core.Query{{T0: 0, T1: 1, Width: 1}, {T0: -100, T1: 900, Width: 300}, {T0: 0, T1: 86_400e9, Width: 870, Height: 33},
					{T0: -5e15, T1: -4e15, Width: 50}, {T0: 10e6, T1: 90e6, Width: 100}} {
					drawn := v.Draw(q)
					checkScene(t, p.ID, &drawn)
					if table := v.Data(q); len(table.Columns) != len(p.Columns) || len(table.Data) != 0 && len(table.Data) != len(p.Columns) {
						t.Errorf("%s of %s has %d columns of data, %d described", p.ID, name, len(table.Data), len(p.Columns))
					}
				}
			}
		}
	}
}

// checkScene finds coordinates that are no numbers and columns of different
// length.
func checkScene(t *testing.T, id string, p *scene.Panel) {
	t.Helper()
	bad := func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
	bad32 := func(v float32) bool { return bad(float64(v)) }
	if !(p.Height > 0) || bad(p.Height) {
		t.Errorf("%s is %g high", id, p.Height)
	}
	for _, l := range slices.Concat(p.Layers, p.Left, p.Right) {
		for _, r := range l.Rects {
			if slices.ContainsFunc(r.X0, bad) || slices.ContainsFunc(r.X1, bad) || slices.ContainsFunc(r.Y, bad32) || slices.ContainsFunc(r.H, bad32) {
				t.Errorf("%s: a rectangle of layer %s lies nowhere", id, l.Name)
			}
		}
		for _, a := range l.Areas {
			if len(a.X) != len(a.Y0) || len(a.X) != len(a.Y1) || slices.ContainsFunc(a.Y0, bad32) || slices.ContainsFunc(a.Y1, bad32) || !slices.IsSorted(a.X) {
				t.Errorf("%s: an area of layer %s lies nowhere", id, l.Name)
			}
		}
		for _, line := range l.Lines {
			if len(line.X) != len(line.Y) || slices.ContainsFunc(line.X, bad) || slices.ContainsFunc(line.Y, bad32) {
				t.Errorf("%s: a line of layer %s lies nowhere", id, l.Name)
			}
		}
	}
}

// areaInk is what the areas of a layer cover, in ns times pixels.
func areaInk(areas []scene.Area) float64 {
	sum := 0.0
	for _, a := range areas {
		for i := 1; i < len(a.X); i++ {
			sum += (a.X[i] - a.X[i-1]) * float64(a.Y1[i-1]-a.Y0[i-1])
		}
	}
	return sum
}

// The areas of the breakdown are the time of the workers, part by part, as the
// numbers say.
func TestBreakdownInk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := tracetest.Random(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 60).Draw(t, "tasks"))
		t0 := rapid.Int64Range(-100, 400).Draw(t, "t0")
		q := core.Query{T0: t0, T1: t0 + rapid.Int64Range(1, 2000).Draw(t, "span"), Width: rapid.IntRange(1, 300).Draw(t, "width"), Height: 207}
		v := open(t, "breakdown", run, core.Options{})
		p := v.Draw(q)
		table := v.Data(q)
		for part, column := range []int{5, 6, 7} { // work, idleness, overhead
			ns := 0.0
			for row := range table.Rows() {
				ns += float64(table.Value(column, row).(int64))
			}
			drawn := []int{0, 2, 1}[part] // bottom to top: work, overhead, idleness
			perWorker := 198.0 / float64(table.Rows())
			if ink := areaInk(p.Layers[0].Areas[drawn : drawn+1]); math.Abs(ink/perWorker-ns) > 0.01*ns+float64(q.T1-q.T0)*0.02 {
				t.Fatalf("%s: ink of %g ns, want %g", table.Columns[column].Name, ink/perWorker, ns)
			}
		}
	})
}

// The shares of an iteration in a pixel column are the busy times of its tasks
// there, by kind; where these are more than the column is long they fill it in
// proportion.
func TestIterationInk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := tracetest.Random(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 60).Draw(t, "tasks"))
		iterations := rapid.IntRange(1, 6).Draw(t, "iterations")
		for i := range run.Task.Iteration {
			run.Task.Iteration[i] = int32(i % iterations)
		}
		_, end, _ := panels.Extent(run)
		q := core.Query{T0: rapid.Int64Range(-20, end-1).Draw(t, "t0"), Width: rapid.IntRange(1, 60).Draw(t, "width"), Height: 200, Steady: true}
		q.T1 = q.T0 + rapid.Int64Range(1, 2*end).Draw(t, "span")
		o := core.Options{Colors: core.TaskColors([]*trace.Run{run}, false), Fade: -1}
		p := open(t, "iterations", run, o).Draw(q)
		rows := p.Layers[0].Rects[0]
		shares := p.Layers[1].Rects[0]
		n := min(int64(q.Width), q.T1-q.T0)
		for band := range rows.Y {
			for k := range n {
				from, to := q.T0+k*(q.T1-q.T0)/n, q.T0+(k+1)*(q.T1-q.T0)/n
				want, sum := map[scene.Color]float64{}, 0.0
				for i, iteration := range run.Task.Iteration {
					if int(iteration) == band {
						busy := float64(max(0, min(run.Task.End[i], to)-max(run.Task.Start[i], from)))
						want[o.Colors.Of(run.Task.Kind.At(i))] += busy
						sum += busy
					}
				}
				got := map[scene.Color]float64{}
				for i := range shares.X0 {
					if y := shares.Y[i] + shares.H[i]/2; y > rows.Y[band] && y < rows.Y[band]+rows.H[band] {
						inside := max(0, min(shares.X1[i], float64(to))-max(shares.X0[i], float64(from)))
						got[shares.Palette[shares.Color[i]]] += float64(shares.H[i]/rows.H[band]) * inside / float64(to-from)
					}
				}
				for color, busy := range want {
					if share := busy / max(sum, float64(to-from)); math.Abs(got[color]-share) > 1e-3 {
						t.Fatalf("band %d, column %d: share %g of %s, want %g", band, k, got[color], color.Hex(), share)
					}
				}
			}
		}
	})
}

// A task that is wider than a pixel is drawn where it is, not as a box with
// steps at its ends.
func TestIterationEdges(t *testing.T) {
	run := tracetest.Chain(2)
	for i := range run.Task.Start {
		run.Task.Iteration[i] = 0
		run.Task.Start[i], run.Task.End[i] = int64(i)*500+105, int64(i)*500+333
	}
	rows := open(t, "iterations", run, core.Options{}).Draw(core.Query{T0: 0, T1: 1000, Width: 100, Height: 40}).Layers[1].Rects[0]
	for i := range run.Task.Start {
		begin, end, ink := math.Inf(1), math.Inf(-1), 0.0
		for k := range rows.X0 {
			if rows.X0[k] >= float64(run.Task.Start[i]) && rows.X1[k] <= float64(run.Task.End[i]) {
				begin, end = min(begin, rows.X0[k]), max(end, rows.X1[k])
				ink += (rows.X1[k] - rows.X0[k]) * float64(rows.H[k]/rows.H[0])
			}
		}
		if begin != float64(run.Task.Start[i]) || end != float64(run.Task.End[i]) || math.Abs(ink-(end-begin)) > 1e-6 {
			t.Errorf("task from %d to %d: drawn from %g to %g with ink of %g ns", run.Task.Start[i], run.Task.End[i], begin, end, ink)
		}
	}
}

// inkOf is the time that rectangles fill a row, in ns of full height.
func inkOf(r *scene.Rects, row int, back *scene.Rects) (sum float64) {
	for i := range r.X0 {
		if y := r.Y[i] + r.H[i]/2; y > back.Y[row] && y < back.Y[row]+back.H[row] {
			sum += (r.X1[i] - r.X0[i]) * float64(r.H[i]) / float64(back.H[row])
		}
	}
	return sum
}

// The ink of a row of states is the time that its states and tasks cover.
func TestStateInk(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 6})
	for _, q := range []core.Query{{T0: 0, T1: 200e6, Width: 40}, {T0: 20e6, T1: 60e6, Width: 900}} {
		p := open(t, "states", run, core.Options{}).Draw(q)
		back := p.Layers[0].Rects[0]
		var covered []float64
		for r := range run.Resource.Parent {
			if level := run.Resource.Level.At(r); level != trace.LevelWorker {
				continue
			}
			busy := make([]bool, (q.T1-q.T0)/1000)
			mark := func(start, end int64) {
				for at := max(start, q.T0); at < min(end, q.T1); at += 1000 {
					busy[(at-q.T0)/1000] = true
				}
			}
			for i, w := range run.Task.Worker {
				if int(w) == r {
					mark(run.Task.Start[i], run.Task.End[i])
				}
			}
			for i, w := range run.State.Resource {
				if int(w) == r {
					mark(run.State.Start[i], run.State.End[i])
				}
			}
			sum := 0.0
			for _, b := range busy {
				if b {
					sum += 1000
				}
			}
			covered = append(covered, sum)
		}
		var ink []float64
		for row := range back.Y {
			sum := 0.0
			for i := range 3 {
				sum += inkOf(&p.Layers[1].Rects[i], row, &back)
			}
			ink = append(ink, sum)
		}
		if len(ink) < len(covered) {
			t.Fatalf("%d rows for %d workers", len(ink), len(covered))
		}
		slices.Sort(covered)
		ink = ink[:len(covered)]
		slices.Sort(ink)
		for i := range covered {
			if math.Abs(ink[i]-covered[i]) > 0.02*float64(q.T1-q.T0) {
				t.Errorf("row with %g ns of ink, want %g", ink[i], covered[i])
			}
		}
	}
}

// A flush is marked over all rows, at least two pixels wide, with its time in
// the legend, and is no state.
func TestFlushIsMarked(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 5})
	program := run.Event.Kind.Intern("program event type")
	for _, e := range []struct {
		value string
		at    int64
	}{{"fxt_start_flush", 10e6}, {"fxt_stop_flush", 13e6}} {
		ev := &run.Event
		ev.Kind.AppendIndex(program)
		ev.Value.Append(e.value)
		ev.Resource, ev.Time = append(ev.Resource, 1), append(ev.Time, e.at)
	}
	p := open(t, "states", run, core.Options{}).Draw(core.Query{T0: 0, T1: 100e9, Width: 500})
	marks := layer(t, &p, "flush").Rects[0]
	if marks.Len() != 1 || marks.X0[0] != 10e6 || marks.X1[0] != 13e6 || float64(marks.H[0]) != p.Height || marks.MinWidth < 2 {
		t.Errorf("the flush is drawn as %+v", marks)
	}
	last := p.Legend[len(p.Legend)-1]
	if last.Label != "trace flush" || !strings.Contains(last.Detail, "3.000 ms") {
		t.Errorf("the legend says %+v", last)
	}
	for window, want := range map[[2]int64]string{{11e6, 12e6}: "1 ×, 1.000 ms", {12e6, 20e6}: "1 ×, 1.000 ms", {14e6, 20e6}: "0 ×, 0"} {
		legend := open(t, "states", run, core.Options{}).Draw(core.Query{T0: window[0], T1: window[1], Width: 500}).Legend
		if got := legend[len(legend)-1].Detail; !strings.HasPrefix(got, want) {
			t.Errorf("the legend says %q of flushes in %v, want %q", got, window, want)
		}
	}
	o := core.Options{}
	o.States.HideFlush = true
	p = open(t, "states", run, o).Draw(core.Query{T0: 0, T1: 100e9, Width: 500})
	if last := p.Layers[len(p.Layers)-1]; last.Name == "flush" {
		t.Error("a hidden flush is drawn")
	}
}

// Bars and marks of the area bound are the numbers behind them.
func TestAreaBars(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 8, Nodes: 2, CPUs: 3, GPUs: 1})
	o := core.Options{}
	o.Area.ByNode = true
	v := open(t, "abe", run, o)
	p := v.Draw(core.Query{T0: 0, T1: 1, Width: 500})
	table := v.Data(core.Query{T0: 0, T1: 1, Width: 500})
	var bars, marks, wantBars, wantMarks []string
	of := map[string]float64{}
	for row := range table.Rows() {
		of[fmt.Sprint(table.Value(0, row), table.Value(3, row))] += float64(table.Value(6, row).(int64))
	}
	for row := range table.Rows() {
		ideal, actual := table.Value(5, row).(float64), float64(table.Value(6, row).(int64))
		if whole := of[fmt.Sprint(table.Value(0, row), table.Value(3, row))]; ideal > 0 || actual > 0 {
			wantBars, wantMarks = append(wantBars, fmt.Sprintf("%.6f", actual/whole)), append(wantMarks, fmt.Sprintf("%.6f", ideal/whole))
		}
	}
	for i, x := range layer(t, &p, "ran").Rects[0].X1 {
		bars, marks = append(bars, fmt.Sprintf("%.6f", x)), append(marks, fmt.Sprintf("%.6f", layer(t, &p, "ideal").Rects[0].X0[i]))
	}
	for _, s := range [][]string{bars, marks, wantBars, wantMarks} {
		slices.Sort(s)
	}
	if !slices.Equal(bars, wantBars) || !slices.Equal(marks, wantMarks) {
		t.Errorf("bars %v, want %v; marks %v, want %v", bars, wantBars, marks, wantMarks)
	}
}

// Medians and quartiles are those of the numbers, and an outlier is seen.
func TestKindRows(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 10})
	run.Task.End[100] = run.Task.Start[100] + 5e9
	v := open(t, "kinds", run, core.Options{})
	q := core.Query{T0: 0, T1: 50e6, Width: 600}
	p, table := v.Draw(q), v.Data(q)
	var got, want []string
	for _, x := range layer(t, &p, "quartiles").Rects[1].X0 {
		got = append(got, fmt.Sprintf("%.6f", x))
	}
	for row := range table.Rows() {
		want = append(want, fmt.Sprintf("%.6f", math.Log10(table.Value(9, row).(float64))))
	}
	slices.Sort(got)
	slices.Sort(want)
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("medians at %v, want %v", got, want)
	}
	p = v.Draw(core.Query{T0: 0, T1: 1e15, Width: 600})
	columns := layer(t, &p, "durations").Rects[0]
	last := slices.Index(columns.X1, slices.Max(columns.X1))
	if at := math.Log10(5e9); columns.X0[last] > at || columns.X1[last] < at || columns.H[last] < 1.5 {
		t.Errorf("the longest task is drawn from %g to %g, %g high; want at %g", columns.X0[last], columns.X1[last], columns.H[last], at)
	}
	if !strings.Contains(p.Note, "longer than usual") {
		t.Errorf("the note is %q", p.Note)
	}
}

// Curves of many nodes become one with the range of all; of few, one each.
func TestCurvesOfNodes(t *testing.T) {
	for nodes, want := range map[int]int{1: 1, 4: 4, 20: 1} {
		run := tracetest.Cholesky(tracetest.Options{Tiles: 8, Nodes: nodes, CPUs: 2})
		v := open(t, "submitted", run, core.Options{})
		q := core.Query{T0: 0, T1: 300e6, Width: 400}
		p := v.Draw(q)
		if n := len(layer(t, &p, "curves").Lines); n != want {
			t.Errorf("%d nodes are %d curves, want %d", nodes, n, want)
		}
		scaled, ok := v.(core.Scaled)
		if !ok {
			t.Fatal("the view has no scale")
		}
		q.Top = 2 * scaled.Peak(q)
		taller := v.Draw(q)
		if a, b := highest(&p), highest(&taller); b < a+(p.Height-a)/2-3 {
			t.Errorf("on twice the scale the curve reaches up to %g, before %g of %g", b, a, p.Height)
		}
	}
}

// highest is the least y of the curves and their ranges.
func highest(p *scene.Panel) float64 {
	y := p.Height
	for _, l := range p.Layers {
		for _, line := range l.Lines {
			if l.Name == "curves" {
				y = min(y, float64(slices.Min(line.Y)))
			}
		}
		for _, a := range l.Areas {
			y = min(y, float64(slices.Min(a.Y0)))
		}
	}
	return y
}

// What lacks tasks is dark, what does not is blank.
func TestLackInk(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 10, Nodes: 2, CPUs: 4})
	v := open(t, "lackready", run, core.Options{})
	q := core.Query{T0: 0, T1: slices.Max(run.Task.End), Width: 300}
	p, table := v.Draw(q), v.Data(q)
	back := p.Layers[0].Rects[0]
	if back.Len() != 2 || table.Rows() == 0 {
		t.Fatalf("%d rows, %d slices that lack tasks", back.Len(), table.Rows())
	}
	for row := range back.Y {
		want := 0.0
		for i := range table.Rows() {
			if table.Value(1, i).(int64) == int64(row) {
				want += float64(table.Value(3, i).(int64) - table.Value(2, i).(int64))
			}
		}
		got := 0.0
		for i := range 3 {
			got += inkOf(&p.Layers[1].Rects[i], row, &back)
		}
		if math.Abs(got-want) > 1e-4*want {
			t.Errorf("node %d: %g ns of ink, want %g", row, got, want)
		}
	}
}

// A body too low to show something is an error where its height was asked for;
// no body, however low, is drawn upside down.
func TestLowBodies(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 8, Nodes: 2, CPUs: 3, GPUs: 1})
	spec := layout.Spec{Panels: []string{"st", "ready"}, Heights: []float64{6, 0.3}, Width: 673, Height: 227}
	_, err := layout.Figure([]layout.Source{{Name: "run", Run: run}}, spec, core.Options{})
	if err == nil || !strings.Contains(err.Error(), "fit panel ready on a page of 60 mm height") {
		t.Errorf("got error %v, want that ready has no room", err)
	}
	for _, id := range []string{"ready", "gflops", "usedmemory", "bandwidth"} {
		p, err := core.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		v, err := p.View(run, &core.Options{})
		if err != nil {
			continue
		}
		for _, height := range []float64{1, 3, 7, 10, 24} {
			drawn := v.Draw(core.Query{T0: 0, T1: 1e9, Width: 300, Height: height})
			for _, l := range drawn.Layers {
				for _, a := range l.Areas {
					for k := range a.Y0 {
						if id != "bandwidth" && a.Y0[k] > a.Y1[k] {
							t.Fatalf("%s of height %g: an area from %g down to %g", id, height, a.Y0[k], a.Y1[k])
						}
					}
				}
				for _, r := range l.Rects {
					for k, h := range r.H {
						if h < 0 {
							t.Fatalf("%s of height %g: rectangle %d is %g high", id, height, k, h)
						}
					}
				}
			}
			if ticks := drawn.Left[0].Texts; id == "ready" && len(ticks) > 1 && ticks[0].Y < ticks[1].Y {
				t.Errorf("%s of height %g: greater values are lower", id, height)
			}
		}
	}
}

// Several runs have one axis of durations.
func TestKindsOfRunsShareAnAxis(t *testing.T) {
	slow := tracetest.Cholesky(tracetest.Options{Tiles: 8, Nodes: 2, CPUs: 3, GPUs: 1})
	quick := tracetest.Cholesky(tracetest.Options{Tiles: 8, Nodes: 2, CPUs: 3, GPUs: 1})
	for i, start := range quick.Task.Start {
		if start != trace.NoTime {
			quick.Task.End[i] = start + (quick.Task.End[i]-start+99)/100
		}
	}
	spec := layout.Spec{Panels: []string{"kinds"}, Width: 700}
	axes := func(sources ...layout.Source) (all []*scene.Axis) {
		f, err := layout.Figure(sources, spec, core.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Panels {
			all = append(all, f.Panels[i].X)
		}
		return all
	}
	one, other := layout.Source{Name: "slow", Run: slow}, layout.Source{Name: "quick", Run: quick}
	if axes(one)[0].Min == axes(other)[0].Min {
		t.Fatal("the runs differ in nothing")
	}
	if x := axes(one, other); x[0].Min != x[1].Min || x[0].Max != x[1].Max {
		t.Errorf("axes from %g to %g and from %g to %g", x[0].Min, x[0].Max, x[1].Min, x[1].Max)
	}
}
