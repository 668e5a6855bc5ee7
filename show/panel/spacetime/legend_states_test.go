package spacetime

import (
	"fmt"
	"testing"

	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/paneltest"
	"dagscope/trace"
	"dagscope/trace/tracetest"

	"pgregory.net/rapid"
)

// Of traces without tasks the legend of a window counts the states of which
// something is seen there.
func TestLegendCountsTheStatesOfTheWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := paneltest.NestedStates(t)
		b := &trace.Builder{}
		for r := range int32(2) {
			b.AddResource(trace.None, trace.LevelWorker, fmt.Sprint("worker ", r), "cpu", 0, r)
		}
		run.Resource = b.Run.Resource
		view, err := openSpaceTime(run, &core.Options{})
		if err != nil {
			t.Skip(err)
		}
		v := view.(*spaceTime)
		from := rapid.Int64Range(0, 60).Draw(t, "from")
		q := core.Query{T0: from, T1: rapid.Int64Range(from+1, 64).Draw(t, "to"), Width: 100}
		want := map[string]int{}
		seen := map[int32]bool{}
		for at := q.T0; at < q.T1; at++ {
			s := v.gantt.Spans
			for i, row := range s.Row {
				if s.Start[i] <= at && at < s.End[i] && !seen[row] {
					seen[row] = true
					want[run.State.Kind.At(int(row))]++
				}
			}
		}
		for _, e := range v.Draw(q).Legend {
			if n, named := want[e.Label]; e.Detail != words.CountThin(n) && (named || e.Detail != "0") {
				t.Errorf("from %d to %d: %s are %s, want %d", q.T0, q.T1, e.Label, e.Detail, n)
			}
			delete(want, e.Label)
		}
		if len(want) > 0 {
			t.Errorf("from %d to %d: %v are not in the legend", q.T0, q.T1, want)
		}
	})
}

// The legend counts the edges and messages that are drawn, not those of the run.
func TestLegendCountsTheLinksOfTheWindow(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 8, Nodes: 2, CPUs: 2})
	o := core.Options{}
	o.SpaceTime.Links = core.Links{LastPath: true}
	o.SpaceTime.Messages.Show = true
	view, err := paneltest.Open("st", run, []*trace.Run{run}, o)
	if err != nil {
		t.Fatal(err)
	}
	v := view.(*spaceTime)
	end := v.base.Last
	fewer := false
	for part := range int64(4) {
		q := core.Query{T0: end * part / 4, T1: end * (part + 1) / 4, Width: 300}
		p := v.Draw(q)
		drawn := 0
		for _, l := range p.Layers {
			if l.Name == "messages" {
				drawn = len(l.Arrows[0].X0)
			}
		}
		_, edges := v.linkLayers(q, v.gantt.Lanes.Place(q.Height), newLabelPlacer(q, 100, nil))
		for _, e := range p.Legend {
			switch e.Label {
			case "messages":
				if e.Detail != words.CountThin(drawn) {
					t.Errorf("quarter %d: the legend has %s messages, %d are drawn", part, e.Detail, drawn)
				}
				fewer = fewer || drawn < len(v.messages.start)
			case "last path":
				if want := fmt.Sprintf("; %s drawn", words.PluralThin(count(t, e.Detail), "dependency", "dependencies")); len(edges) < len(want) || edges[:len(want)] != want {
					t.Errorf("quarter %d: the legend has %s edges, the note %q", part, e.Detail, edges)
				}
			}
		}
	}
	if !fewer {
		t.Error("every quarter has all messages")
	}
}

func count(t *testing.T, s string) (n int) {
	t.Helper()
	if _, err := fmt.Sscan(s, &n); err != nil {
		t.Fatal(err)
	}
	return n
}
