package spacetime

import (
	"math"
	"slices"
	"strings"
	"testing"

	"dagscope/explain/bound"
	"dagscope/explain/numbers/panels"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/scene"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// Bounds that the panel computes are those of the analysis, as lines, and those
// of nodes as bars on their rows.
func TestComputedBounds(t *testing.T) {
	for _, nodes := range []int{1, 3} {
		run := tracetest.Cholesky(tracetest.Options{Tiles: 8, Nodes: nodes, CPUs: 3, GPUs: 1})
		all, err := bound.Compute(run, bound.Options{})
		if err != nil {
			t.Fatal(err)
		}
		o := &core.Options{}
		o.SpaceTime.Computed = core.BoundNames()
		view, err := openSpaceTime(run, o)
		if err != nil {
			t.Fatal(err)
		}
		_, end, _ := panels.Extent(run)
		p := view.Draw(core.Query{T0: 0, T1: end, Width: 800})
		want := map[string]float64{"ABE": all.Area.Time, "CPE": all.CPE.Time, "best": all.Best.Time, "makespan": float64(all.Makespan)}
		if d := all.Distribution; d != nil && d.Cost(all) > 0 {
			want["this"] = d.Best.Time // distribution
		} else if nodes > 1 {
			t.Error("the distribution of data over nodes has no bound, or costs nothing")
		}
		for _, m := range p.Marks {
			name, _, _ := strings.Cut(m.Label, " ")
			if w, ok := want[name]; !ok || math.Abs(m.X-w) > 0.5 {
				t.Errorf("%s is at %g, want %g", m.Label, m.X, w)
			}
			delete(want, name)
		}
		if len(want) > 0 {
			t.Errorf("not drawn: %v", want)
		}
		if nodes == 1 { // its bound is that of the run
			if view.(*spaceTime).nodeBounds != nil {
				t.Error("the bound of the only node is drawn twice")
			}
			continue
		}
		bars := named(p.Layers, "bounds")
		if bars.Rects[0].Len() != nodes || len(bars.Texts) != nodes {
			t.Fatalf("%d bars with %d names, want %d", bars.Rects[0].Len(), len(bars.Texts), nodes)
		}
		for i, a := range all.PerNode {
			if x := bars.Rects[0].X0[i]; math.Abs(x-a.Time) > 0.5 {
				t.Errorf("bar of node %d is at %g, want %g", a.Node, x, a.Time)
			}
			if want := words.Duration(a.Time); !strings.HasSuffix(bars.Texts[i].S, want) {
				t.Errorf("bar of node %d is named %q, want %s", a.Node, bars.Texts[i].S, want)
			}
		}
	}
}

// The best bound that is another one shares its line.
func TestBestBoundIsAnother(t *testing.T) {
	v := &spaceTime{bounds: []core.Bound{{Name: "ABE", NS: 5}, {Name: "CPE", NS: 9}, {Name: "best bound (CPE)", NS: 9}}}
	v.joinBest()
	if want := []core.Bound{{Name: "ABE", NS: 5}, {Name: "best bound = CPE", NS: 9}}; !slices.Equal(v.bounds, want) {
		t.Errorf("found %v, want %v", v.bounds, want)
	}
	v.bounds = []core.Bound{{Name: "ABE", NS: 5}, {Name: "best bound (mixed)", NS: 9}}
	if v.joinBest(); len(v.bounds) != 2 {
		t.Errorf("different bounds were joined: %v", v.bounds)
	}
}

// Bounds of workers that may be of any kind say so.
func TestBoundsOfStrangers(t *testing.T) {
	const remark = "architecture of workers unknown: bounds take them for alike"
	for _, unknown := range []bool{false, true} {
		run := tracetest.Cholesky(tracetest.Options{Tiles: 4})
		if unknown {
			for r := range run.Resource.Arch.Index {
				run.Resource.Arch.Index[r] = trace.None
			}
		}
		o := &core.Options{}
		o.SpaceTime.Computed = []core.BoundName{core.BoundABE}
		view, err := openSpaceTime(run, o)
		if err != nil {
			t.Fatal(err)
		}
		if note := view.Draw(core.Query{T1: 1e9, Width: 500}).Note; strings.Contains(note, remark) != unknown {
			t.Errorf("unknown %t: note %q", unknown, note)
		}
	}
}

// The critical path alone is the one that computing every bound finds.
func TestCriticalPathAlone(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 9})
	all, err := bound.Compute(run, bound.Options{})
	if err != nil {
		t.Fatal(err)
	}
	alone, err := bound.CriticalPath(run, bound.Options{})
	if err != nil || alone.Time != all.CPE.Time {
		t.Errorf("critical path %g, want %g, error %v", alone.Time, all.CPE.Time, err)
	}
}

// Idle shares by both definitions stand side by side.
func TestIdleByBoth(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 8})
	titles := func(by core.IdleBy) (all []string) {
		o := &core.Options{}
		o.SpaceTime.Idle = by
		view, err := openSpaceTime(run, o)
		if err != nil {
			t.Fatal(err)
		}
		right := 0.0
		for _, l := range view.Draw(core.Query{T0: 0, T1: 1e9, Width: 500}).Right {
			all = append(all, l.Texts[0].S)
			if l.Texts[0].X < right {
				t.Errorf("column %q begins at %g, the one before ends at %g", l.Texts[0].S, l.Texts[0].X, right)
			}
			for _, text := range l.Texts {
				right = max(right, text.X+scene.TextWidth(text.S, text.Size, false))
			}
		}
		return all
	}
	for by, want := range map[core.IdleBy]string{core.IdleTasks: "idle", core.IdleRuntime: "idle (runtime)", core.IdleBoth: "idle, idle (runtime)", core.IdleNone: ""} {
		if got := strings.Join(titles(by), ", "); got != want {
			t.Errorf("--idle %s shows %q, want %q", by, got, want)
		}
	}
}

// The legend says how many of the edges are drawn.
func TestLegendOfFewerEdges(t *testing.T) {
	o := &core.Options{}
	o.SpaceTime.Links = core.Links{Kinds: []string{"GEMM"}, Budget: 2}
	view, err := openSpaceTime(tracetest.Cholesky(tracetest.Options{Tiles: 6}), o)
	if err != nil {
		t.Fatal(err)
	}
	legend := view.(*spaceTime).linkLegend(core.Query{T0: 0, T1: 1e15})
	if len(legend) != 1 || !strings.HasPrefix(legend[0].Detail, "2 of ") {
		t.Errorf("found %v", legend)
	}
}
