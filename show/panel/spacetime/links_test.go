package spacetime

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dagscope/explain/depend"
	"dagscope/explain/numbers/panels"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/scene"
	"dagscope/trace"
	"dagscope/trace/tracetest"

	"pgregory.net/rapid"
)

// linked opens a run with chosen tasks and random options of links.
func linked(t *rapid.T) (*spaceTime, *core.Links) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: rapid.IntRange(2, 6).Draw(t, "tiles"), Nodes: rapid.IntRange(1, 3).Draw(t, "nodes"), CPUs: 2, GPUs: 1})
	o := &core.Options{}
	l := &o.SpaceTime.Links
	for range rapid.IntRange(1, 4).Draw(t, "chosen") {
		l.Tasks = append(l.Tasks, run.Task.Key.At(rapid.IntRange(0, len(run.Task.Start)-1).Draw(t, "task")))
	}
	l.Levels = rapid.SampledFrom([]int{0, 1, 2, 5, core.ToSource}).Draw(t, "levels")
	l.Merge = rapid.Bool().Draw(t, "merge")
	view, err := openSpaceTime(run, o)
	if err != nil {
		t.Fatal(err)
	}
	return view.(*spaceTime), l
}

// What is drawn behind chosen tasks is the union of their chains of last
// dependencies, and chains have one colour exactly when they meet.
func TestLinksAreChains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, o := linked(t)
		s, levels := v.links, max(o.Levels, 1)
		if o.Levels == core.ToSource {
			levels = depend.ToSource
		}
		want := map[[2]int32]bool{}
		for _, seed := range s.seeds {
			chain := s.last.Chain(seed, levels)
			if tail := chain[len(chain)-1]; int(tail) >= s.last.Tasks {
				chain = append(chain, s.last.Of[tail]) // ends with the sender, not the message
			}
			for i := 1; i < len(chain); i++ {
				want[[2]int32{chain[i-1], chain[i]}] = true
			}
		}
		for i, node := range s.node {
			if !want[[2]int32{node, s.before[i]}] {
				t.Fatalf("link from %d to %d is in no chain, or there twice", node, s.before[i])
			}
			delete(want, [2]int32{node, s.before[i]})
		}
		if len(want) > 0 {
			t.Fatalf("links %v are missing", want)
		}
		links, group := s.last.Merge(s.seeds, depend.ToSource)
		if o.Merge && o.Levels == core.ToSource {
			requireSameGroups(t, s, links, group)
		}
	})
}

func requireSameGroups(t *rapid.T, s *linkSet, links depend.Links, _ []int32) {
	of := map[int32]int32{}
	for i, node := range links.Node {
		of[node] = links.Group[i]
	}
	for i, a := range s.node {
		for j, b := range s.node[:i] {
			if (s.chain[i] == s.chain[j]) != (of[a] == of[b]) {
				t.Fatalf("nodes %d and %d: colours %d and %d, groups %d and %d", a, b, s.chain[i], s.chain[j], of[a], of[b])
			}
		}
	}
}

// An edge goes from the end of the earlier task on its row to the start of the
// later one on its own; one with a message passes where that was sent and
// received.
func TestEdgesJoinTasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, _ := linked(t)
		_, end, _ := panels.Extent(v.run)
		q := core.Query{T0: -1, T1: end + 1, Width: 500}
		r := v.gantt.Lanes.Place(0)
		names := newLabelPlacer(q, float64(r.Height), nil)
		layers, note := v.linkLayers(q, r, names)
		var parts [][4]float64
		for _, a := range named(layers, "dependencies").Arrows {
			for i := range a.X0 {
				parts = append(parts, [4]float64{a.X0[i], float64(a.Y0[i]), a.X1[i], float64(a.Y1[i])})
			}
		}
		y := func(task int32) float64 {
			l := v.gantt.Lanes.Of[v.run.Task.Worker[task]]
			return float64(r.Y[l] + r.H[l]/2)
		}
		last := v.links.last
		for i, node := range v.links.node {
			before := v.links.before[i]
			from, to, start := before, node, last.End(before)
			x, message := last.Transfer(before)
			if message {
				from, start = last.Of[before], v.run.Transfer.Start[x]
			}
			if _, leaving := last.Transfer(node); leaving {
				to = from
			}
			want := [4]float64{float64(start), y(from), float64(last.Start(node)), y(to)}
			if message {
				want[2] = float64(v.run.Transfer.End[x])
			}
			if !slices.Contains(parts, want) {
				t.Fatalf("link %d is not drawn: no part %v among %v", i, want, parts)
			}
		}
		if drawn := words.PluralThin(len(v.links.node), "dependency", "dependencies"); !strings.Contains(note, drawn) {
			t.Fatalf("note %q, want %s", note, drawn)
		}
	})
}

func named(layers []scene.Layer, name string) *scene.Layer {
	for i := range layers {
		if layers[i].Name == name {
			return &layers[i]
		}
	}
	return &scene.Layer{}
}

// Edges beyond the budget, or to rows that are not shown, are counted: those
// nearest to the chosen task are drawn.
func TestBudgetIsStated(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 8})
	o := &core.Options{}
	o.SpaceTime.Links = core.Links{Tasks: []string{run.Task.Key.At(len(run.Task.Start) - 1)}, Levels: core.ToSource, Budget: 3}
	open := func() (scene.Panel, *spaceTime) {
		view, err := openSpaceTime(run, o)
		if err != nil {
			t.Fatal(err)
		}
		_, end, _ := panels.Extent(run)
		return view.Draw(core.Query{T0: -1, T1: end + 1, Width: 500}), view.(*spaceTime)
	}
	p, v := open()
	all := len(v.links.node)
	if want := fmt.Sprintf("3 dependencies drawn, %d more left out", all-3); !strings.Contains(p.Note, want) {
		t.Errorf("note %q, want %s", p.Note, want)
	}
	if n := len(named(p.Layers, "dependencies").Arrows[0].X0); n != 3 {
		t.Errorf("%d edges are drawn, want 3", n)
	}
	o.Workers = []string{"CUDA0*"}
	o.SpaceTime.Links.Budget = 0
	p, v = open()
	hidden := 0
	for i, node := range v.links.node {
		if lanes := v.gantt.Lanes.Of; lanes[run.Task.Worker[node]] < 0 || lanes[run.Task.Worker[v.links.before[i]]] < 0 {
			hidden++
		}
	}
	if want := fmt.Sprintf("%d from or to rows that are not shown", hidden); hidden == 0 || !strings.Contains(p.Note, want) {
		t.Errorf("note %q, want %s", p.Note, want)
	}
	o.SpaceTime.Links.Tasks = []string{"no such task"}
	if p, _ = open(); !strings.Contains(p.Note, "not in this run: task no such task") {
		t.Errorf("note %q says nothing of a task that does not exist", p.Note)
	}
}

// All dependencies of a task are its edges in the graph of a run in which every
// task ran.
func TestAllDependencies(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 6})
	for task := range run.Task.Start {
		o := &core.Options{}
		o.SpaceTime.Links = core.Links{Tasks: []string{run.Task.Key.At(task)}, Dependencies: core.DependenciesAll}
		view, err := openSpaceTime(run, o)
		if err != nil {
			t.Fatal(err)
		}
		var want []int32
		for e, to := range run.Dep.To {
			if int(to) == task {
				want = append(want, run.Dep.From[e])
			}
		}
		got := slices.Clone(view.(*spaceTime).links.before)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, slices.Compact(want)) {
			t.Errorf("task %d: %v, want %v", task, got, want)
		}
	}
}

// The last path leads from the task that ends last to one without dependency.
func TestLastPathIsDrawn(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 6, Nodes: 2, CPUs: 2, GPUs: 1})
	o := &core.Options{}
	o.SpaceTime.Links.LastPath = true
	view, err := openSpaceTime(run, o)
	if err != nil {
		t.Fatal(err)
	}
	s := view.(*spaceTime).links
	if want := depend.Find(run).LastPath(); len(want) < 3 || !slices.Equal(s.path, want) || len(s.node) != len(want)-1 {
		t.Errorf("path %v, want %v", s.path, want)
	}
	if e := view.(*spaceTime).legend; e[len(e)-1].Label != "last path" {
		t.Errorf("legend ends with %q", e[len(e)-1].Label)
	}
}

// A run without its graph says so, and still shows the chosen tasks.
func TestLinksWithoutGraph(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 4})
	run.Dep = trace.Deps{}
	o := &core.Options{}
	o.SpaceTime.Links = core.Links{Tasks: []string{run.Task.Key.At(3)}}
	o.SpaceTime.Computed = core.BoundNames()
	view, err := openSpaceTime(run, o)
	if err != nil {
		t.Fatal(err)
	}
	p := view.Draw(core.Query{T0: 0, T1: 1e9, Width: 500})
	for _, want := range []string{"no dependencies are drawn", "no bound by paths"} {
		if !strings.Contains(p.Note, want) {
			t.Errorf("note %q, want %q", p.Note, want)
		}
	}
	if n := named(p.Layers, "names"); len(n.Texts) != 1 {
		t.Errorf("%d names, want 1", len(n.Texts))
	}
}

// Names lie inside the body and neither meet each other nor what is named.
func TestNamesKeepApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := core.Query{T0: 0, T1: 1000, Width: rapid.IntRange(50, 1000).Draw(t, "width")}
		height := rapid.Float64Range(10, 400).Draw(t, "height")
		p := newLabelPlacer(q, height, []scene.Mark{{X: rapid.Float64Range(0, 1000).Draw(t, "mark")}})
		var things []scene.Rectangle
		for range rapid.IntRange(1, 12).Draw(t, "things") {
			x, y := rapid.Float64Range(0, float64(q.Width)).Draw(t, "x"), rapid.Float64Range(0, height).Draw(t, "y")
			things = append(things, scene.Rectangle{X0: x, X1: x + rapid.Float64Range(0, 90).Draw(t, "w"), Y0: y, Y1: y + 20})
			p.avoid(things[len(things)-1])
		}
		l := &scene.Layer{}
		placed := 0
		for i, thing := range things {
			text := strings.Repeat("x", 1+i%9)
			if i%4 == 3 {
				if p.beside(l, text, thing) {
					placed++
				}
			} else if p.Place(l, text, thing) {
				placed++
			}
		}
		if placed != len(l.Texts) {
			t.Fatalf("%d names are written, said %d", len(l.Texts), placed)
		}
		boxes := slices.Clone(things)
		for _, text := range l.Texts {
			w, h := scene.TextWidth(text.S, text.Size, false), float64(text.Size)
			if text.Rotate != 0 {
				w, h = h, w
			}
			x := p.x(text.X)
			b := scene.Rectangle{X0: x - w/2, X1: x + w/2, Y0: float64(text.Y) - h/2, Y1: float64(text.Y) + h/2}
			if b.X0 < 0 || b.Y0 < 0 || b.X1 > float64(q.Width) || b.Y1 > height {
				t.Fatalf("name at %v leaves a body of %d × %g", b, q.Width, height)
			}
			for _, o := range boxes {
				if b.X0 < o.X1 && o.X0 < b.X1 && b.Y0 < o.Y1 && o.Y0 < b.Y1 {
					t.Fatalf("name at %v meets %v", b, o)
				}
			}
			boxes = append(boxes, b)
		}
	})
}

// A line passes through a box when one of many points on it lies inside.
func TestCutsOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := func(label string) float64 { return float64(rapid.IntRange(0, 40).Draw(t, label)) }
		b := scene.Rectangle{X0: c("left"), Y0: c("top")}
		b.X1, b.Y1 = b.X0+4+c("width"), b.Y0+4+c("height")
		x0, y0, x1, y1 := c("x0"), c("y0"), c("x1"), c("y1")
		inside := func(by float64) bool {
			for s := range 1001 {
				f := float64(s) / 1000
				x, y := x0+(x1-x0)*f, y0+(y1-y0)*f
				if x >= b.X0-by && x <= b.X1+by && y >= b.Y0-by && y <= b.Y1+by {
					return true
				}
			}
			return false
		}
		if got := cuts(x0, y0, x1, y1, b); inside(0) && !got || got && !inside(0.1) {
			t.Fatalf("line (%g, %g) to (%g, %g) and %v: %t", x0, y0, x1, y1, b, got)
		}
	})
}

// With a least wait exactly the edges are left whose dependency ended so long
// after the task before on the worker, and messages on the way to them.
func TestLinksByWait(t *testing.T) {
	kept, left := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		v, o := linked(t)
		less := core.Options{}
		less.SpaceTime.Links = *o
		less.SpaceTime.Links.Wait = rapid.Int64Range(1, 5e7).Draw(t, "wait")
		view, err := openSpaceTime(v.run, &less)
		if err != nil {
			t.Fatal(err)
		}
		got := map[[2]int32]bool{}
		s := view.(*spaceTime).links
		for i, node := range s.node {
			got[[2]int32{node, s.before[i]}] = true
		}
		tasks := &v.run.Task
		first := slices.Min(tasks.Start)
		for i, node := range v.links.node {
			before := v.links.before[i]
			if int(node) >= v.links.last.Tasks {
				continue
			}
			free := first
			for k := range tasks.Start {
				if tasks.Worker[k] == tasks.Worker[node] && tasks.Start[k] < tasks.Start[node] {
					free = max(free, tasks.End[k])
				}
			}
			want := v.links.last.End(before)-free >= less.SpaceTime.Links.Wait
			if got[[2]int32{node, before}] != want {
				t.Fatalf("edge from %d to %d: kept %v, want %v", node, before, !want, want)
			}
			if want {
				kept++
			} else {
				left++
			}
			if sender := v.links.last.Of[before]; want && int(before) >= v.links.last.Tasks && !got[[2]int32{before, sender}] {
				t.Fatalf("message %d has lost its sender", before)
			}
		}
	})
	if kept == 0 || left == 0 {
		t.Errorf("%d edges kept, %d left out: want some of both", kept, left)
	}
}
