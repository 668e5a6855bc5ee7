package panel

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/internal/words"
	"dagscope/show/scene"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// taskRuns are runs with tasks, some of them with segments.
func taskRuns(t *testing.T) []*trace.Run {
	var out []*trace.Run
	for seed := range uint64(12) {
		if run := tracetest.Random(seed, 150); tasksDrawn(run) {
			out = append(out, run)
		}
	}
	if len(out) == 0 {
		t.Fatal("no run has tasks")
	}
	return append(out, tracetest.CholeskyTasks(300, tracetest.Options{}))
}

// The legend of a window counts the tasks that touch it.
func TestLegendCountsTheWindow(t *testing.T) {
	for n, run := range taskRuns(t) {
		v, err := Open("st", run, []*trace.Run{run}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		t0, t1, _ := Extent(run)
		q := Query{T0: t0 + (t1-t0)/3, T1: t0 + (t1-t0)/2 + 1, Width: 200}
		want := map[string]int{}
		for i := range run.Task.Start {
			if schedule.Ran(&run.Task, i) && run.Task.Start[i] < q.T1 && run.Task.End[i] > q.T0 {
				want[run.Task.Kind.At(i)]++
			}
		}
		for _, e := range v.Draw(q).Legend {
			if e.Kind != "" && e.Detail != words.CountThin(want[e.Kind]) {
				t.Errorf("run %d: %s are %s, want %d", n, e.Kind, e.Detail, want[e.Kind])
			}
		}
	}
}

// Idle shares of a window are those of its part of the makespan.
func TestIdleOfTheWindow(t *testing.T) {
	for n, run := range taskRuns(t) {
		view, err := Open("st", run, []*trace.Run{run}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		v := view.(*spaceTime)
		whole := v.base.idleWorkers()
		if whole.To <= whole.From {
			continue
		}
		q := Query{T0: whole.From + (whole.To-whole.From)/3, T1: whole.From + (whole.To-whole.From)/2 + 1, Width: 200}
		shares, ok := v.idleIn(q)
		if !ok {
			t.Fatalf("run %d: no idle share", n)
		}
		for l, share := range shares {
			var busy interval.Spans
			eachPiece(run, func(task, worker int32, start, end int64) {
				if !run.Task.Generation[task] && slices.Contains(v.gantt.lanes.lanes[l].resources, worker) {
					busy.Add(max(start, q.T0), min(end, q.T1))
				}
			})
			want := 1 - float64(interval.Union(busy).Length())/float64(q.T1-q.T0)
			if math.Abs(share-want) > 1e-9 {
				t.Errorf("run %d: %s is idle for %g, want %g", n, v.gantt.lanes.lanes[l].name, share, want)
			}
		}
	}
}

// Hidden kinds are not painted, counted or picked, but stay in the legend;
// kinds out of focus are paler.
func TestHiddenAndFocusedKinds(t *testing.T) {
	run := tracetest.CholeskyTasks(300, tracetest.Options{})
	kind := run.Task.Kind.Dict[0]
	t0, t1, _ := Extent(run)
	q := Query{T0: t0, T1: t1, Width: 4000, Height: 600}
	colors := TaskColors([]*trace.Run{run}, false)
	all, err := Open("st", run, []*trace.Run{run}, Options{Fade: -1, Colors: colors})
	if err != nil {
		t.Fatal(err)
	}
	hides, err := Open("st", run, []*trace.Run{run}, Options{Fade: -1, Colors: colors, Hide: []string{kind}})
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for i := range run.Task.Start {
		if schedule.Ran(&run.Task, i) && run.Task.Kind.At(i) == kind {
			count++
		}
	}
	if n := counted(t, all.Draw(q).Note) - counted(t, hides.Draw(q).Note); n != count {
		t.Errorf("%d tasks fewer are drawn, want %d", n, count)
	}
	ink := map[bool]float64{}
	for hidden, v := range map[bool]View{false: all, true: hides} {
		for _, l := range v.Draw(q).Layers {
			for _, r := range l.Rects {
				for i, c := range r.Color {
					if r.Palette[c] == colors.Of(kind) {
						ink[hidden] += r.X1[i] - r.X0[i]
					}
				}
			}
		}
	}
	if ink[false] == 0 || ink[true] != 0 {
		t.Errorf("the colour of the kind covers %g and, hidden, %g ns", ink[false], ink[true])
	}
	entry := func(v View) string {
		for _, e := range v.Draw(q).Legend {
			if e.Kind == kind {
				return e.Detail + e.Color.Hex()
			}
		}
		return "none"
	}
	if e := entry(hides); !strings.HasPrefix(e, "hidden") {
		t.Errorf("the legend says %s of a hidden kind", e)
	}
	for _, r := range hides.(Rowed).Rows(q.Height) {
		for at := t0; at < t1; at += (t1 - t0) / 70 {
			if hit, ok := hides.(Picker).Pick(q, at, r.Y+1, 0); ok && hit.Label == kind {
				t.Fatalf("a hidden task is picked: %+v", hit)
			}
		}
	}
	focused, err := Open("st", run, []*trace.Run{run}, Options{Fade: -1, Colors: colors, Focus: []string{kind}})
	if err != nil {
		t.Fatal(err)
	}
	if entry(focused) != entry(all) {
		t.Errorf("the kind in focus is %s, want %s", entry(focused), entry(all))
	}
	for i, e := range focused.Draw(q).Legend {
		if was := all.Draw(q).Legend[i]; e.Kind != kind && (e.Color == was.Color || e.Detail != was.Detail) {
			t.Errorf("%s keeps its colour out of focus", e.Kind)
		}
	}
}

// counted is the number of tasks that a note begins with.
func counted(t *testing.T, note string) (n int) {
	t.Helper()
	word, _, _ := strings.Cut(note, " ")
	if _, err := fmt.Sscan(strings.ReplaceAll(word, "\u2009", ""), &n); err != nil {
		t.Fatalf("note %q: %v", note, err)
	}
	return n
}

// The legend of runtime states has the times in the window.
func TestStateTimesOfTheWindow(t *testing.T) {
	run := tracetest.CholeskyTasks(300, tracetest.Options{})
	for _, collapse := range [][]string{nil, {"*/*"}} {
		view, err := Open("states", run, []*trace.Run{run}, Options{Rows: Rows{Collapse: collapse}})
		if err != nil {
			t.Fatal(err)
		}
		v := view.(*stateView)
		t0, t1, _ := Extent(run)
		q := Query{T0: t0 + (t1-t0)/3, T1: t0 + (t1-t0)/2, Width: 200}
		s := v.gantt.sorted()
		want := map[scene.Color]int64{}
		for l := range s.lanes() {
			for i := s.from[l]; i < s.to[l]; i++ {
				want[v.gantt.palette[s.class[i]]] += max(0, min(s.end[i], q.T1)-max(s.start[i], q.T0))
			}
		}
		some := false
		for _, e := range v.Draw(q).Legend {
			some = some || want[e.Color] > 0
			if e.Hatch == scene.None && e.Detail != words.Duration(float64(want[e.Color])) {
				t.Errorf("%s takes %s, want %s", e.Label, e.Detail, words.Duration(float64(want[e.Color])))
			}
		}
		if !some {
			t.Error("no state lasts")
		}
	}
}
