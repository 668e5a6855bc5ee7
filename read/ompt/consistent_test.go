package ompt_test

import (
	"path/filepath"
	"testing"

	"dagscope/explain/breakdown"
	"dagscope/explain/selection"
	"dagscope/internal/interval"
	"dagscope/read/ompt"
	"dagscope/show/panel/core"
	"dagscope/show/panel/layout"
	"dagscope/trace"
	"dagscope/trace/store"
)

// bundled are small recordings of test programs and of a Cholesky factorization.
func bundled(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.csv*")
	if err != nil || len(files) == 0 {
		t.Fatalf("found no events in testdata: %v", err)
	}
	return files
}

func read(t *testing.T, paths ...string) *trace.Run {
	t.Helper()
	run, err := ompt.Read(paths, ompt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// Breakdown, its curves, the sum of its windows and the statistic of a selection
// are one, and add up to the lives of the threads.
func TestBreakdownsAgree(t *testing.T) {
	for _, file := range bundled(t) {
		run := read(t, file)
		from, to := breakdown.Recording(run)
		for _, window := range [][2]int64{{from, to}, {from + (to-from)/3, to - (to-from)/4}} {
			o := breakdown.Options{From: window[0], To: window[1], Step: (to - from) / 7}
			res := breakdown.Compute(run, o)
			total := res.Total(breakdown.Global)
			if want := lives(run, res.Workers, o.From, o.To); total.Sum() != want {
				t.Errorf("%s: work, idleness and overhead of %d ns, wanted %d", file, total.Sum(), want)
			}
			if got := selected(t, run, o.From, o.To); got != total {
				t.Errorf("%s: selection has %+v, wanted %+v", file, got, total)
			}
			curves, _ := breakdown.Curves(run, o, breakdown.Global)
			cut := interval.Slices{From: o.From, To: o.To, Step: o.To - o.From}
			of := func(f interval.Steps) int64 {
				return int64(interval.Average(f, cut, interval.ExistingPart)[0]*float64(o.To-o.From) + 0.5)
			}
			c := curves[0]
			if got := (breakdown.Parts{Work: of(c.Work), Overhead: of(c.Overhead), Implicit: of(c.Implicit),
				Idleness: of(c.Present) - of(c.Work) - of(c.Overhead)}); got != total {
				t.Errorf("%s: curves have %+v, wanted %+v", file, got, total)
			}
		}
	}
}

func lives(run *trace.Run, workers []int32, from, to int64) (sum int64) {
	for _, w := range workers {
		born, dead := breakdown.Lifetime(run, w)
		sum += max(0, min(dead, to)-max(born, from))
	}
	return sum
}

// selected is the breakdown of a selection of all workers.
func selected(t *testing.T, run *trace.Run, from, to int64) breakdown.Parts {
	t.Helper()
	x, err := selection.New(run, selection.Options{})
	if err != nil {
		t.Fatal(err)
	}
	stats, err := x.Compute(selection.Area{T0: from, T1: to})
	if err != nil {
		t.Fatal(err)
	}
	if stats.Breakdown == nil {
		t.Fatal("found no breakdown of a selection")
	}
	b := stats.Breakdown
	if b.Work+b.Idleness+b.Overhead+stats.Absent+stats.Input.Total != stats.Wall {
		t.Errorf("breakdown %+v and %d ns of absence do not make up %d ns", b, stats.Absent, stats.Wall)
	}
	return breakdown.Parts{Work: b.Work, Idleness: b.Idleness, Overhead: b.Overhead, Implicit: stats.Implicit}
}

// Every run can be stored, read again and drawn.
func TestRunsCanBeStoredAndDrawn(t *testing.T) {
	for _, file := range bundled(t) {
		run := read(t, file)
		dir := t.TempDir() + "/run.dsr"
		if err := store.Write(dir, run); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		stored, err := store.Open(dir)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		again, err := stored.Load()
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if !again.Meta.Lifetimes {
			t.Errorf("%s: lifetimes are lost", file)
		}
		for _, o := range []breakdown.Options{{}, {WaitingNotReady: true}} {
			if a, b := breakdown.Compute(run, o).Total(0), breakdown.Compute(again, o).Total(0); a != b {
				t.Errorf("%s: %+v when stored, wanted %+v", file, b, a)
			}
		}
		for _, p := range core.All() {
			if _, err := layout.Figure([]layout.Source{{Name: "run", Run: again}}, layout.Spec{Panels: []string{p.ID}, Width: 300}, core.Options{}); err != nil {
				t.Errorf("%s: %s: %v", file, p.ID, err)
			}
		}
	}
}
