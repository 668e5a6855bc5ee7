package spacetime

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"dagscope/explain/numbers/panels"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/paneltest"
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
		v, err := paneltest.Open("st", run, []*trace.Run{run}, core.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t0, t1, _ := panels.Extent(run)
		q := core.Query{T0: t0 + (t1-t0)/3, T1: t0 + (t1-t0)/2 + 1, Width: 200}
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
		view, err := paneltest.Open("st", run, []*trace.Run{run}, core.Options{})
		if err != nil {
			t.Fatal(err)
		}
		v := view.(*spaceTime)
		whole := v.base.IdleWorkers()
		if whole.To <= whole.From {
			continue
		}
		q := core.Query{T0: whole.From + (whole.To-whole.From)/3, T1: whole.From + (whole.To-whole.From)/2 + 1, Width: 200}
		shares, ok := v.idleIn(q)
		if !ok {
			t.Fatalf("run %d: no idle share", n)
		}
		for l, share := range shares {
			var busy interval.Spans
			eachPiece(run, func(task, worker int32, start, end int64) {
				if !run.Task.Generation[task] && slices.Contains(v.gantt.Lanes.Lanes[l].Resources, worker) {
					busy.Add(max(start, q.T0), min(end, q.T1))
				}
			})
			want := 1 - float64(interval.Union(busy).Length())/float64(q.T1-q.T0)
			if math.Abs(share-want) > 1e-9 {
				t.Errorf("run %d: %s is idle for %g, want %g", n, v.gantt.Lanes.Lanes[l].Name, share, want)
			}
		}
	}
}

// Hidden kinds are not painted, counted or picked, but stay in the legend;
// kinds out of focus are paler.
func TestHiddenAndFocusedKinds(t *testing.T) {
	run := tracetest.CholeskyTasks(300, tracetest.Options{})
	kind := run.Task.Kind.Dict[0]
	t0, t1, _ := panels.Extent(run)
	q := core.Query{T0: t0, T1: t1, Width: 4000, Height: 600}
	colors := core.TaskColors([]*trace.Run{run}, false)
	all, err := paneltest.Open("st", run, []*trace.Run{run}, core.Options{Fade: -1, Colors: colors})
	if err != nil {
		t.Fatal(err)
	}
	hides, err := paneltest.Open("st", run, []*trace.Run{run}, core.Options{Fade: -1, Colors: colors, Hide: []string{kind}})
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
	for hidden, v := range map[bool]core.View{false: all, true: hides} {
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
	entry := func(v core.View) string {
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
	for _, r := range hides.(core.Rowed).Rows(q.Height) {
		for at := t0; at < t1; at += (t1 - t0) / 70 {
			if hit, ok := hides.(core.Picker).Pick(q, at, r.Y+1, 0); ok && hit.Label == kind {
				t.Fatalf("a hidden task is picked: %+v", hit)
			}
		}
	}
	focused, err := paneltest.Open("st", run, []*trace.Run{run}, core.Options{Fade: -1, Colors: colors, Focus: []string{kind}})
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
