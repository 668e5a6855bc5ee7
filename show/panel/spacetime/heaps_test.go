package spacetime

import (
	"math"
	"slices"
	"testing"

	"dagscope/explain/aggregate"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
	"dagscope/trace/tracetest"

	"pgregory.net/rapid"
)

// aggregated opens a random run with random aggregation. Outliers are chosen at
// random too.
func aggregated(t *rapid.T, mode core.AggregationMode) (*spaceTime, *core.Options) {
	run := tracetest.Random(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 60).Draw(t, "tasks"))
	o := &core.Options{Outlier: make([]bool, len(run.Task.Start))}
	for i := range o.Outlier {
		o.Outlier[i] = rapid.IntRange(0, 9).Draw(t, "outlier") == 0
	}
	a := &o.SpaceTime.Aggregation
	a.Mode = mode
	if mode != core.AggregateNodes && rapid.Bool().Draw(t, "some kinds") {
		a.Kinds = []string{run.Task.Kind.Dict[0]}
	}
	_, end, _ := panels.Extent(run)
	a.Threshold = rapid.Int64Range(0, end/4).Draw(t, "threshold")
	a.Step = rapid.Int64Range(1+end/100, 1+end).Draw(t, "step")
	if rapid.Bool().Draw(t, "exclude") {
		a.Exclude = []string{run.Task.Key.At(0)}
	}
	view, err := openSpaceTime(run, o)
	if err != nil {
		t.Fatal(err)
	}
	return view.(*spaceTime), o
}

// inkOf sums what is drawn of a row in [t0, t1) by kind, in ns of full height:
// exact tasks, generation and shares; never borders and outliers, which lie on
// top of them.
func (v *spaceTime) inkOf(p *scene.Panel, l int, t0, t1 int64) map[scene.Color]float64 {
	row := p.Layers[0].Rects[0]
	ink := map[scene.Color]float64{}
	for _, batch := range p.Layers[1].Rects[:3] {
		for i := range batch.X0 {
			middle := batch.Y[i] + batch.H[i]/2
			if middle < row.Y[l] || middle > row.Y[l]+row.H[l] {
				continue
			}
			length := min(batch.X1[i], float64(t1)) - max(batch.X0[i], float64(t0))
			ink[v.class.Full[batch.Color[i]]] += max(0, length) * float64(batch.H[i]) / float64(row.H[l])
		}
	}
	return ink
}

// busyOf is the same of the tasks themselves, over all workers of a row.
func (v *spaceTime) busyOf(l int, t0, t1 int64) map[scene.Color]float64 {
	t, busy := &v.run.Task, map[scene.Color]float64{}
	for i, start := range t.Start {
		if schedule.Ran(t, i) && v.gantt.Lanes.Of[t.Worker[i]] == int32(l) {
			ns := max(0, min(t.End[i], t1)-max(start, t0))
			busy[v.class.Full[v.class.Of[t.Kind.Index[i]]]] += float64(ns) / float64(len(v.gantt.Lanes.Lanes[l].Resources))
		}
	}
	return busy
}

// requireEqual allows for heights of four bytes and for two wide groups that end
// in a column: their parts are whole ns.
func requireEqual(t *rapid.T, what string, got, want map[scene.Color]float64, span int64) {
	for c, w := range want {
		if math.Abs(got[c]-w) > 1e-4*float64(span)+2 {
			t.Fatalf("%s: ink %v, busy %v", what, got, want)
		}
	}
	for c, g := range got {
		if _, ok := want[c]; !ok && g > 1e-4*float64(span)+2 {
			t.Fatalf("%s: ink of a kind that did not run: %v, %v", what, got, want)
		}
	}
}

// The shares of every slice are exactly its busy times by kind, per worker and
// as means over the workers of a node; where slices are narrower than pixels,
// those of every pixel.
func TestSlicesAreExact(t *testing.T) {
	for _, mode := range []core.AggregationMode{core.AggregateStatic, core.AggregateNodes} {
		t.Run(string(mode), rapid.MakeCheck(func(t *rapid.T) {
			v, o := aggregated(t, mode)
			_, end, _ := panels.Extent(v.run)
			step := o.SpaceTime.Aggregation.Step
			t0 := step * rapid.Int64Range(-2, 2).Draw(t, "first")
			t1 := t0 + step*max(1, (end-t0)/step+1)
			// Edges of slices are edges of pixels: a pixel is an average too.
			cells := kit.NewGrid(t0, t1, int((t1-t0)/step))
			pixels := kit.NewGrid(t0, t1, cells.Columns()*int(rapid.Int64Range(1, min(step, 5)).Draw(t, "pixels")))
			if rapid.IntRange(0, 4).Draw(t, "narrow") == 0 {
				pixels = kit.NewGrid(t0, t1, max(1, cells.Columns()/2))
				cells = pixels
			}
			p := v.Draw(core.Query{T0: t0, T1: t1, Width: pixels.Columns()})
			for l := range v.gantt.Lanes.Lanes {
				for k := range min(cells.Columns(), 12) {
					a, b := cells.Edges[k], cells.Edges[k+1]
					requireEqual(t, "slice", v.inkOf(&p, l, a, b), v.busyOf(l, a, b), b-a)
				}
			}
		}))
	}
}

// Slices per node are those of the analysis.
func TestNodeSlicesAgainstAnalysis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, o := aggregated(t, core.AggregateNodes)
		_, end, _ := panels.Extent(v.run)
		step := o.SpaceTime.Aggregation.Step
		slices := interval.Slices{From: 0, To: (end/step + 1) * step, Step: step}
		p := v.Draw(core.Query{T0: slices.From, T1: slices.To, Width: 4 * slices.Len()})
		nodes := aggregate.FixedSlices(v.run, slices, true).ByNode(v.run)
		for i, ty := range nodes.Type {
			for l, lane := range v.gantt.Lanes.Lanes {
				if lane.Node != nodes.Types.Type[ty].Node || lane.Arch != nodes.Types.Type[ty].Arch {
					continue
				}
				from, to := slices.Bounds(int(nodes.Slice[i]))
				got := v.inkOf(&p, l, from, to)[v.class.Full[v.class.Of[nodes.Kind[i]]]]
				if want := nodes.Share(i, interval.ExistingPart) * float64(to-from); math.Abs(got-want) > 1e-4*float64(step) {
					t.Fatalf("slice %d of type %d: ink %g, want %g", nodes.Slice[i], ty, got, want)
				}
			}
		}
	})
}

// Every pixel column of dynamic groups shows the groups that are at least a
// pixel wide by their mean heights and all else by its exact time.
func TestGroupsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, o := aggregated(t, core.AggregateDynamic)
		_, end, _ := panels.Extent(v.run)
		t0 := rapid.Int64Range(-end, end-1).Draw(t, "t0")
		t1 := t0 + rapid.Int64Range(1, 2*end).Draw(t, "span")
		g := kit.NewGrid(t0, t1, rapid.IntRange(1, 120).Draw(t, "width"))
		p := v.Draw(core.Query{T0: t0, T1: t1, Width: g.Columns()})
		groups := naiveGroups(v, o)
		for l := range v.gantt.Lanes.Lanes {
			for k := range min(12, g.Columns()) {
				a, b := g.Edges[k], g.Edges[k+1]
				want := map[scene.Color]float64{}
				for _, group := range groups[v.gantt.Lanes.Lanes[l].Resources[0]] {
					group.Add(v, want, a, b, kit.Narrowest(g))
				}
				requireEqual(t, "column", v.inkOf(&p, l, a, b), want, b-a)
			}
		}
	})
}

// naiveGroup is a list of tasks of a worker.
type naiveGroup []int32

// Add counts what a group shows in [a, b).
func (n naiveGroup) Add(v *spaceTime, to map[scene.Color]float64, a, b, pixel int64) {
	t := &v.run.Task
	start, end := t.Start[n[0]], trace.NoTime
	for _, i := range n {
		end = max(end, t.End[i])
	}
	for _, i := range n {
		c := v.class.Full[v.class.Of[t.Kind.Index[i]]]
		if end-start < pixel || len(n) == 1 {
			to[c] += float64(max(0, min(t.End[i], b)-max(t.Start[i], a)))
		} else {
			to[c] += float64(max(0, min(end, b)-max(start, a))) * float64(t.End[i]-t.Start[i]) / float64(end-start)
		}
	}
}

// naiveGroups groups the tasks of each worker as Algorithm 1 of Garcia Pinto
// 2018 does.
func naiveGroups(v *spaceTime, o *core.Options) map[int32][]naiveGroup {
	t, a := &v.run.Task, &o.SpaceTime.Aggregation
	threshold := v.gantt.Gather.Threshold
	out := map[int32][]naiveGroup{}
	order := make([]int32, 0, len(t.Start))
	for i := range t.Start {
		if schedule.Ran(t, i) {
			order = append(order, int32(i))
		}
	}
	slices.SortStableFunc(order, func(x, y int32) int { return int(t.Start[x] - t.Start[y]) })
	pure := func(i int32) bool {
		return t.End[i]-t.Start[i] > threshold || a.Kinds != nil && !slices.Contains(a.Kinds, t.Kind.At(int(i))) ||
			o.Outlier[i] || t.Generation[i] || slices.Contains(a.Exclude, t.Key.At(int(i)))
	}
	for _, i := range order {
		w := t.Worker[i]
		n := len(out[w])
		if n > 0 {
			last := out[w][n-1]
			if before := last[len(last)-1]; !pure(i) && !pure(before) && t.Start[i] <= t.End[before]+threshold {
				out[w][n-1] = append(last, i)
				continue
			}
		}
		out[w] = append(out[w], naiveGroup{i})
	}
	return out
}

// An outlier is drawn at every zoom in every mode: in the column where it
// begins, on its lane, in its colour.
func TestOutliersShowInEveryMode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mode := rapid.SampledFrom([]core.AggregationMode{core.AggregateNone, core.AggregateDynamic, core.AggregateStatic, core.AggregateNodes}).Draw(t, "mode")
		v, o := aggregated(t, mode)
		_, end, _ := panels.Extent(v.run)
		q := core.Query{T0: -1, T1: rapid.SampledFrom([]int64{end + 1, 100 * end, 1e6 * end}).Draw(t, "end"), Width: rapid.IntRange(1, 300).Draw(t, "width")}
		p := v.Draw(q)
		batch, columns, place := &p.Layers[2].Rects[0], kit.NewGrid(q.T0, q.T1, q.Width), v.gantt.Lanes.Place(0)
		if batch.MinWidth < 1 {
			t.Fatalf("outliers are drawn at least %g wide, want 1", batch.MinWidth)
		}
		task := &v.run.Task
		for i, long := range o.Outlier {
			if !long || !schedule.Ran(task, i) || task.Generation[i] || task.End[i] <= -1 {
				continue
			}
			l, color := v.gantt.Lanes.Of[task.Worker[i]], v.class.Full[v.class.Of[task.Kind.Index[i]]]
			seen := false
			for k := range batch.Len() {
				seen = seen || batch.Y[k] >= place.Y[l] && batch.Y[k] < place.Y[l]+place.H[l] && batch.Palette[batch.Color[k]] == color &&
					columns.Column(max(int64(batch.X0[k]), -1)) == columns.Column(max(task.Start[i], -1))
			}
			if !seen {
				t.Fatalf("outlier %d is not drawn", i)
			}
		}
	})
}

// The parts of a whole that is spread add up to it, whatever the columns.
func TestSpreadAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := rapid.Int64Range(-1e12, 1e12).Draw(t, "start")
		length := rapid.Int64Range(1, 1e12).Draw(t, "length")
		of := length + rapid.Int64Range(0, 1e12).Draw(t, "more")
		busy := rapid.Int64Range(0, of).Draw(t, "busy")
		b := kit.NewBins(kit.NewGrid(start, start+length, rapid.IntRange(1, 50).Draw(t, "columns")), 1)
		b.Spread(start, start+length, 0, of, busy, 0)
		rest := kit.NewBins(kit.NewGrid(start, start+of-length+1, 3), 1)
		rest.Spread(start, start+of-length, length, of, busy, 0)
		sum := int64(0)
		for k := range b.Grid.Columns() {
			sum += b.Sum(k)
		}
		for k := range rest.Grid.Columns() {
			sum += rest.Sum(k)
		}
		if sum != busy {
			t.Fatalf("parts add up to %d of %d", sum, busy)
		}
	})
}

func TestRoundNumber(t *testing.T) {
	for n, want := range map[int64]int64{0: 1, 1: 1, 3: 2, 7: 5, 19: 10, 20: 20, 999: 500, 4_482_000: 2_000_000} {
		if got := panels.RoundNumber(n); got != want {
			t.Errorf("%d is rounded to %d, want %d", n, got, want)
		}
	}
}

// Laying out tasks once for all layers gives what each would make by itself.
func TestLaidOutTasks(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 8})
	view, err := openSpaceTime(run, &core.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v := view.(*spaceTime)
	laid := schedule.Build(run, nil)
	if v.gantt.Spans.Len() != len(laid.Task) {
		t.Fatalf("%d pieces are drawn, want %d", v.gantt.Spans.Len(), len(laid.Task))
	}
	for l, lane := range v.gantt.Lanes.Lanes {
		from, to := laid.Of(lane.Resources[0])
		if !slices.Equal(v.gantt.Spans.Row[v.gantt.Spans.From[l]:v.gantt.Spans.To[l]], laid.Task[from:to]) {
			t.Errorf("lane %d has other tasks", l)
		}
	}
}
