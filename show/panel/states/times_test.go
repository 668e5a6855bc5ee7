package states

import (
	"testing"

	"dagscope/explain/numbers/panels"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/paneltest"
	"dagscope/show/scene"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// The legend of runtime states has the times in the window.
func TestStateTimesOfTheWindow(t *testing.T) {
	run := tracetest.CholeskyTasks(300, tracetest.Options{})
	for _, collapse := range [][]string{nil, {"*/*"}} {
		view, err := paneltest.Open("states", run, []*trace.Run{run}, core.Options{Rows: core.Rows{Collapse: collapse}})
		if err != nil {
			t.Fatal(err)
		}
		v := view.(*stateView)
		t0, t1, _ := panels.Extent(run)
		q := core.Query{T0: t0 + (t1-t0)/3, T1: t0 + (t1-t0)/2, Width: 200}
		s := v.gantt.Sorted()
		want := map[scene.Color]int64{}
		for l := range s.Lanes() {
			for i := s.From[l]; i < s.To[l]; i++ {
				want[v.gantt.Palette[s.Class[i]]] += max(0, min(s.End[i], q.T1)-max(s.Start[i], q.T0))
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
