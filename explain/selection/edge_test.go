package selection

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dagscope/explain/kind"
	"dagscope/explain/schedule"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

func TestWrongAreasAreRefused(t *testing.T) {
	x := prepare(t, tracetest.Fork(5, 3))
	for want, a := range map[string]Area{
		"times in order": {T0: 5, T1: 4},
		"104 days":       {T0: math.MinInt64, T1: 4},
		"within 104":     {T1: math.MaxInt64},
		"no worker":      {T1: 9, Workers: []int32{0}},
		"worker 99":      {T1: 9, Workers: []int32{99}},
		"worker -1":      {T1: 9, Workers: []int32{-1}},
		`kind "nothing"`: {T1: 9, Kinds: []string{"nothing"}},
		"no duration":    {T1: 9, Min: 6, Max: 5},
		"of 0 to -1 ns":  {T1: 9, Max: -1},
	} {
		if _, err := x.Compute(a); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want one of %q", a, err, want)
		}
		if _, _, err := x.Tasks(a, Page{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("tasks of %+v: error %v, want one of %q", a, err, want)
		}
	}
	for want, p := range map[string]Page{`sort tasks by "color"`: {Sort: "color"}, "no negative": {Offset: -1}, "list -2": {Limit: -2}} {
		if _, err := x.Page(Area{T1: 9}, p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want one of %q", p, err, want)
		}
	}
	if _, err := New(tracetest.Tiny(), Options{Outlier: make([]bool, 1)}); err == nil {
		t.Error("outliers of another run are accepted")
	}
}

func TestNothingThere(t *testing.T) {
	fork := tracetest.Fork(5, 3)
	for name, c := range map[string]struct {
		run  *trace.Run
		area Area
	}{
		"no run":         {new(trace.Run), Area{T1: 10}},
		"no time":        {fork, Area{T0: 3, T1: 3}},
		"no workers":     {fork, Area{T1: 10, Workers: []int32{}}},
		"after the run":  {fork, Area{T0: 1000, T1: 1010}},
		"before the run": {fork, Area{T0: -1010, T1: -1000}},
	} {
		s := compute(t, prepare(t, c.run), c.area)
		if s.Wall != 0 || s.Tasks != 0 || s.Idle.Total != 0 || len(s.Idle.Classes) > 0 || s.Bound != nil {
			t.Errorf("%s: %+v", name, s)
		}
		text, err := json.Marshal(s)
		if err != nil || bytes.Contains(text, []byte(`:null,"states`)) && c.run == fork {
			t.Errorf("%s: %s, %v", name, text, err)
		}
		for _, list := range []string{"workers", "kinds", "states", "notes", "edges", "counts"} {
			if bytes.Contains(text, []byte(`"`+list+`":null`)) {
				t.Errorf("%s: %s is null: %s", name, list, text)
			}
		}
		page, err := prepare(t, c.run).Page(c.area, Page{})
		if err != nil || page.Total != 0 || page.Tasks == nil {
			t.Errorf("%s: page %+v, %v", name, page, err)
		}
	}
}

func TestWorkersWithoutTasksAreIdle(t *testing.T) {
	run := tracetest.Fork(1, 4)
	s := compute(t, prepare(t, run), Area{T1: schedule.Makespan(run)})
	if len(s.Workers) != 4 || s.Idle.Total != 3*schedule.Makespan(run) || s.Idle.Unused != s.Idle.Total {
		t.Errorf("%d workers, idle %+v", len(s.Workers), s.Idle)
	}
}

// What a run lacks is said.
func TestNotesSayWhatIsMissing(t *testing.T) {
	run := tracetest.Random(1, 30)
	run.Dep = trace.Deps{}
	for i := range run.Task.Ready {
		run.Task.Ready[i], run.Task.Submit[i] = trace.NoTime, trace.NoTime
	}
	s := compute(t, prepare(t, run), Area{T1: schedule.Makespan(run)})
	for _, want := range []string{"no dependencies", "no transfers", "no runtime states", "No ready time"} {
		if !hasNote(s, want) {
			t.Errorf("no note of %q among %q", want, s.Notes)
		}
	}
	if s.Breakdown != nil {
		t.Errorf("breakdown %+v without ready times", *s.Breakdown)
	}
	run.Task.Ready[0] = run.Task.Start[0]
	run.Task.Generation[1] = true
	s = compute(t, prepare(t, run), Area{T1: schedule.Makespan(run), Max: 10})
	for _, want := range []string{"28 of 29 tasks have no known ready time", "generate the input", "whichever tasks are chosen"} {
		if !hasNote(s, want) {
			t.Errorf("no note of %q among %q", want, s.Notes)
		}
	}
}

func hasNote(s *Stats, part string) bool {
	return slices.ContainsFunc(s.Notes, func(n string) bool { return strings.Contains(n, part) })
}

// Workers that come twice or in another order count once.
func TestWorkersAreASet(t *testing.T) {
	run := tracetest.Random(2, 40)
	x, w := prepare(t, run), kind.Workers(run)
	a, b := Area{T1: 500, Workers: []int32{w[1], w[0], w[1]}}, Area{T1: 500, Workers: w[:2]}
	if got, want := compute(t, x, a), compute(t, x, b); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// Needs names columns that exist, and no others are read.
func TestNeedsAreEnough(t *testing.T) {
	for _, name := range []string{"native-chol-n10-dmdas", "nativempi-np2-n8-lws"} {
		whole, part := bundled(t, name), bundled(t, name)
		known := map[string]bool{}
		for _, table := range part.Tables() {
			for _, c := range table.Columns {
				known[table.Name+"."+c.Name] = true
				if !slices.Contains(Needs, table.Name+"."+c.Name) {
					column := reflect.ValueOf(c.Data).Elem()
					column.Set(reflect.Zero(column.Type()))
				}
			}
		}
		for _, need := range Needs {
			if !known[need] {
				t.Errorf("%q is needed, which is no column", need)
			}
		}
		a := Area{T0: schedule.Makespan(whole) / 3, T1: schedule.Makespan(whole)}
		x, y := prepare(t, part), prepare(t, whole)
		if got, want := compute(t, x, a), compute(t, y, a); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: with needed columns only %+v, want %+v", name, got, want)
		}
		if got, want := csvOf(t, x, a, Page{}), csvOf(t, y, a, Page{}); got != want {
			t.Errorf("%s: with needed columns only %s, want %s", name, got, want)
		}
	}
}
