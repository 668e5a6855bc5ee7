package panel_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"dagscope/explain/numbers/panels"
	"dagscope/show/panel/core"
	"dagscope/show/scene"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// Beside a longer run a window is longer than this one: shares of time are of
// what lies inside it, and the instant of a snapshot does.
func TestWindowsLongerThanTheRun(t *testing.T) {
	run := readBundled(t, "sg-mirage-n12-dmdas")
	_, end, _ := panels.Extent(run)
	within, beyond := core.Query{T0: 0, T1: end, Width: 900}, core.Query{T0: -1e9, T1: 5 * end, Width: 900}
	for _, id := range []string{"presence", "snapshot", "residency", "utilization"} {
		v := open(t, id, run, core.Options{})
		if p := v.Draw(core.Query{T0: 2 * end, T1: 3 * end, Width: 900}); !strings.Contains(p.Note, "outside the run") {
			t.Errorf("%s after the run says %q", id, p.Note)
		}
		if id == "residency" || id == "utilization" { // drawn along the time of the window
			continue
		}
		a, b := v.Draw(within), v.Draw(beyond)
		if x, y := fmt.Sprint(a.Layers), fmt.Sprint(b.Layers); x != y {
			t.Errorf("%s is another in a window that is longer than the run", id)
		}
		x, y := v.Data(within), v.Data(beyond)
		if fmt.Sprint(x.Data[3:]...) != fmt.Sprint(y.Data[3:]...) {
			t.Errorf("data of %s are others in a window that is longer than the run", id)
		}
	}
}

// What says how resources were used has nothing to say after the run.
func TestNumbersAfterTheRun(t *testing.T) {
	run := readBundled(t, "sg-mirage-n12-dmdas")
	_, end, _ := panels.Extent(run)
	for _, id := range []string{"utilization", "imbalance", "resourceusage", "residency", "presence"} {
		n, err := panels.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		_, err = n.Table(run, &panels.Settings{From: end, To: 2 * end})
		if missing := (*panels.Missing)(nil); !errors.As(err, &missing) || !strings.Contains(err.Error(), "outside the run") {
			t.Errorf("%s after the run says %v", id, err)
		}
		if _, err := n.Table(run, &panels.Settings{From: end - 1e6, To: 2 * end}); err != nil {
			t.Errorf("%s at the end of the run says %v", id, err)
		}
	}
}

// Colours say of how many kinds tasks are drawn, not of how many there are names.
func TestColoursCountKindsThatRan(t *testing.T) {
	run := readBundled(t, "sg-mirage-n12-dmdas")
	ran := map[int32]bool{}
	for i, k := range run.Task.Kind.Index {
		if run.Task.Counted(i) && run.Task.Start[i] != trace.NoTime {
			ran[k] = true
		}
	}
	o := core.Options{}
	o.SpaceTime.Color = core.ShadeDuration
	p := open(t, "st", run, o).Draw(core.Query{T0: 0, T1: 4e8, Width: 300})
	if want := fmt.Sprintf("of %d kinds of tasks", len(ran)); !strings.Contains(p.Note, want) {
		t.Errorf("note %q, want %q", p.Note, want)
	}
}

// Rows of memories are called so where they have no room for their names, and
// ranks written with zeros are cut off the names of workers.
func TestNamesOfManyRows(t *testing.T) {
	run := readBundled(t, "sg-mirage-n12-dmdas")
	p := open(t, "memstates", run, core.Options{}).Draw(core.Query{T0: 0, T1: 4e8, Width: 300, Height: 14})
	text := fmt.Sprint(p.Left)
	if strings.Contains(text, "workers") || !strings.Contains(text, "memories ×") {
		t.Errorf("labels of low rows: %v", p.Left[0].Texts)
	}
	run = tracetest.Cholesky(tracetest.Options{Tiles: 6, Nodes: 3, CPUs: 2})
	names := &run.Resource.Name
	for i, name := range names.Dict {
		if digits, rest, ok := strings.Cut(name, "_"); ok && len(digits) == 1 {
			names.Dict[i] = "0" + digits + "_" + rest
		}
	}
	for _, text := range open(t, "st", run, core.Options{}).Draw(core.Query{T0: 0, T1: 4e8, Width: 900}).Left[0].Texts {
		if strings.Contains(text.S, "_") {
			t.Errorf("label %q has its node", text.S)
		}
	}
}

// Without transfers that name their blocks the rows of the residency are those
// that lay in most memories.
func TestResidencyWithoutTransfers(t *testing.T) {
	run := readBundled(t, "sg-mirage-n12-dmdas")
	for i := range run.Transfer.Handle {
		run.Transfer.Handle[i] = trace.None
	}
	places := func(only string) int {
		n, _ := panels.Find("presence")
		s := panels.Settings{From: trace.NoTime, To: trace.NoTime, Handle: only}
		table, err := n.Table(run, &s)
		if err != nil {
			t.Fatal(err)
		}
		held := 0
		for i := range table.Rows() {
			if table.Value(3, i).(int64) > 0 {
				held++
			}
		}
		return held
	}
	o := core.Options{}
	o.Residency.Most = 4
	p := open(t, "residency", run, o).Draw(core.Query{T0: 0, T1: 4e8, Width: 300})
	if !strings.Contains(p.Note, "lay in fewer memories") {
		t.Errorf("note %q", p.Note)
	}
	least, rows := 1<<30, 0
	for _, text := range p.Left[0].Texts {
		if strings.Contains(text.S, ",") {
			least, rows = min(least, places(text.S)), rows+1
		}
	}
	most := 0
	for x := range 12 {
		for y := range x + 1 {
			most = max(most, places(fmt.Sprintf("%d,%d", x, y)))
		}
	}
	if rows == 0 || least < most {
		t.Errorf("%d rows of blocks in %d memories, though some lay in %d", rows, least, most)
	}
}

// Titles of matrices end inside the body and before the next one, with a whole
// word or an ellipsis.
func TestTitlesOfMatrices(t *testing.T) {
	run := readBundled(t, "sg-mirage-n12-dmdas")
	for _, width := range []int{120, 240, 380, 700, 900, 1600} {
		p := open(t, "commatrix", run, core.Options{}).Draw(core.Query{T0: 0, T1: 4e8, Width: width})
		var titles []scene.Text
		for _, text := range p.Layers[len(p.Layers)-1].Texts {
			if text.Halo && text.Size == 11 {
				titles = append(titles, text)
			}
		}
		if len(titles) != 3 {
			t.Fatalf("%d titles, want 3: %+v", len(titles), titles)
		}
		for i, text := range titles {
			edge := float64(width)
			if i < 2 {
				edge = titles[i+1].X
			}
			if end := text.X + scene.TextWidth(text.S, 11, false); end > edge {
				t.Errorf("at %d pixels title %q ends at %g, want at most %g", width, text.S, end, edge)
			}
		}
	}
}
