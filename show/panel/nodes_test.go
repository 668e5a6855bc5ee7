package panel_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dagscope/explain/numbers/panels"
	"dagscope/show/panel/core"
	"dagscope/show/scene"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// The cells of a row cover the steps in which the worker was used, in the colour
// of how much it was.
func TestUtilizationCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := tracetest.Random(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 60).Draw(t, "tasks"))
		_, end, ok := panels.Extent(run)
		if !ok || end <= 1 {
			t.Skip("nothing lasted")
		}
		p, err := core.Find("utilization")
		if err != nil {
			t.Fatal(err)
		}
		v, err := p.View(run, &core.Options{})
		if err != nil {
			t.Skip("nothing ran")
		}
		q := core.Query{T0: rapid.Int64Range(-20, end-1).Draw(t, "t0"), Width: rapid.IntRange(1, 300).Draw(t, "width"), Height: 300}
		q.T1 = q.T0 + rapid.Int64Range(1, 2*end).Draw(t, "span")
		drawn := v.Draw(q)
		back, cells := drawn.Layers[0].Rects[0], drawn.Layers[0].Rects[1]
		rows := map[string]int{}
		for i, row := range v.(core.Rowed).Rows(q.Height) {
			rows[row.Name] = i
		}
		table := v.Data(q)
		for r := range table.Rows() {
			row := rows[table.Value(0, r).(string)]
			middle := float64(table.Value(3, r).(int64)+table.Value(4, r).(int64)) / 2
			used, level := table.Value(5, r).(float64), 0
			for i := range cells.X0 {
				if y := cells.Y[i] + cells.H[i]/2; cells.X0[i] <= middle && middle < cells.X1[i] && y > back.Y[row] && y < back.Y[row]+back.H[row] {
					level = int(cells.Color[i])
				}
			}
			if want := int(math.Ceil(used * 40)); level != want && level != want+1 || used == 0 && level != 0 {
				t.Fatalf("%s at %g is used %g, and has level %d", table.Value(0, r), middle, used, level)
			}
		}
	})
}

// The areas of resource usage are the time of the tasks, kind by kind.
func TestUsageInk(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 7, CPUs: 4, GPUs: 1})
	end := slices.Max(run.Task.End)
	q := core.Query{T0: 0, T1: end, Width: 211, Height: 107}
	for _, byArch := range []bool{false, true} {
		var o core.Options
		o.Usage.ByArch = byArch
		v := open(t, "resourceusage", run, o)
		p := v.Draw(q)
		busy := map[string]float64{}
		for i, w := range run.Task.Worker {
			name := run.Task.Kind.At(i)
			if byArch {
				name = strings.ToUpper(run.Resource.Arch.At(int(w)))
			}
			busy[name] += float64(run.Task.End[i] - run.Task.Start[i])
		}
		areas := layer(t, &p, "parts").Areas
		for i, e := range p.Legend {
			if ink := areaInk(areas[i:i+1]) / 20; math.Abs(ink-busy[e.Label]) > 0.02*busy[e.Label]+float64(end)*0.005 { // 5 workers on 100 pixels
				t.Errorf("%s: ink of %g ns, want %g", e.Label, ink, busy[e.Label])
			}
		}
		if len(p.Legend) != len(busy) {
			t.Errorf("%d parts, want %d", len(p.Legend), len(busy))
		}
	}
}

// manyNodes is a run of nodes of which every hundredth is slow.
func manyNodes(nodes int) *trace.Run {
	run := &trace.Run{}
	for n := range int32(nodes) {
		re := &run.Resource
		re.Parent, re.Node = append(re.Parent, trace.None), append(re.Node, n)
		re.Name.Append("w")
		re.Arch.Append("cpu")
		re.Level.Append(trace.LevelWorker)
		for k := range int64(50) {
			length := int64(1000) + int64(n%7)
			if n%100 == 3 {
				length = 1500 + int64(n)
			}
			t := &run.Task
			t.Worker, t.Node = append(t.Worker, n), append(t.Node, n)
			t.Kind.Append("gemm")
			t.Start, t.End = append(t.Start, k*length), append(t.End, (k+1)*length)
			t.Generation, t.Internal = append(t.Generation, false), append(t.Internal, false)
		}
	}
	return run
}

// Labels of branches never meet, whatever the number of nodes, and pictures of
// parts of a run have the labels of the whole at the same scale.
func TestBranchLabels(t *testing.T) {
	for _, nodes := range []int{1, 4, 30, 1000} {
		run := manyNodes(nodes)
		var o core.Options
		o.Progression.Bandwidth = 0.003
		v := open(t, "progression", run, o)
		end := slices.Max(run.Task.End)
		whole := core.Query{T0: 0, T1: end, Width: 900, Height: 260}
		p := v.Draw(whole)
		texts := layer(t, &p, "labels").Texts
		scale := 900 / float64(end)
		boxes := make([][4]float64, len(texts))
		for i, x := range texts {
			wide := scene.TextWidth(x.S, x.Size, x.Bold)
			left := x.X * scale
			if x.Anchor == scene.End {
				left -= wide
			}
			boxes[i] = [4]float64{left, left + wide, float64(x.Y) - 5, float64(x.Y) + 5}
			for k := range i {
				b := boxes[k]
				if left < b[1] && b[0] < left+wide && boxes[i][2] < b[3] && b[2] < boxes[i][3] {
					t.Errorf("%d nodes: labels %q and %q meet", nodes, x.S, texts[k].S)
				}
			}
		}
		if nodes >= 4 && len(texts) == 0 {
			t.Errorf("%d nodes: no branch is labelled: %s", nodes, p.Note)
		}
		half := v.Draw(core.Query{T0: 0, T1: end / 2, Width: 450, Height: 260, Body: true})
		for _, x := range layer(t, &half, "labels").Texts {
			if !slices.ContainsFunc(texts, func(w scene.Text) bool { return w.S == x.S && w.Y == x.Y && math.Abs(w.X-x.X)*scale < 1 }) {
				t.Errorf("%d nodes: the label %q of a half is not in the whole", nodes, x.S)
			}
		}
	}
}

// The metrics that are drawn are the numbers, and a step in which nothing ran
// leaves a gap.
func TestImbalanceLinesStopWhereNothingRan(t *testing.T) {
	run := manyNodes(3)
	for i := range run.Task.Start {
		if run.Task.Start[i] > 20_000 {
			run.Task.Start[i], run.Task.End[i] = run.Task.Start[i]+50_000, run.Task.End[i]+50_000
		}
	}
	var o core.Options
	o.Imbalance.Weights = []panels.ImbalanceWeights{panels.PlainImbalance}
	v := open(t, "imbalance", run, o)
	p := v.Draw(core.Query{T0: 0, T1: slices.Max(run.Task.End), Width: 800, Height: 100})
	if lines := layer(t, &p, "plain").Lines; len(lines) != 5 { // the percentage in two parts
		t.Errorf("%d lines, want 5", len(lines))
	}
}
