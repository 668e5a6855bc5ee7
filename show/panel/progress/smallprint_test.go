package progress

import (
	"dagscope/show/panel/kit"
	"math"
	"strings"
	"testing"

	"dagscope/explain/schedule"
	"dagscope/show/panel/core"
	"dagscope/trace/tracetest"
)

// The small print and the legends do not change with the width, nor with time
// before or after the run.
func TestSmallPrintIsOfTheRun(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 8, Nodes: 2, CPUs: 3, GPUs: 1})
	end := kit.RanIn(schedule.Makespan(run), core.Query{T0: math.MinInt64, T1: math.MaxInt64}).To
	o := core.Options{}
	o.Ready.Total = true
	for _, id := range []string{"gflops", "ready", "breakdown"} {
		p, err := core.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		v, err := p.View(run, &o)
		if err != nil {
			t.Fatal(err)
		}
		want := v.Draw(core.Query{T0: 0, T1: end, Width: 400})
		for _, q := range []core.Query{{T0: 0, T1: end, Width: 37}, {T0: 0, T1: 3 * end, Width: 400}, {T0: -end, T1: 2 * end, Width: 900}} {
			got := v.Draw(q)
			if note, _, _ := strings.Cut(got.Note, "; pale"); note != want.Note {
				t.Errorf("%s in %v: note %q, want %q", id, q, got.Note, want.Note)
			}
			for i, e := range got.Legend {
				if e.Detail != want.Legend[i].Detail {
					t.Errorf("%s in %v: legend %q, want %q", id, q, e.Detail, want.Legend[i].Detail)
				}
			}
		}
	}
}

// The area bound is of the whole run and says so where the window is not.
func TestAreaBoundSaysWhatItIsOf(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 8, Nodes: 2, CPUs: 3, GPUs: 1})
	end := kit.RanIn(schedule.Makespan(run), core.Query{T0: math.MinInt64, T1: math.MaxInt64}).To
	p, err := core.Find("abe")
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.View(run, &core.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []core.Query{{T0: -1, T1: end + 1, Width: 300}, {T0: end / 4, T1: end / 2, Width: 300}} {
		note := v.Draw(q).Note
		if said := strings.Contains(note, "whole run"); said != (q.T0 > 0) {
			t.Errorf("note %q in the window %v", note, q)
		}
	}
}
