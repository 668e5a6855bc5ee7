package panel_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/explain/memory"
	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/schedule"
	"dagscope/show/panel/core"
	"dagscope/show/render"
	"dagscope/show/scene"
	"dagscope/trace"
)

// memoryPanels are those on memories and pieces of data.
var memoryPanels = []string{"memstates", "residency", "block", "snapshot", "presence"}

// memoryRuns are the bundled runs with coherence events on several memories.
var memoryRuns = []string{"sg-mirage-n12-dmdas", "nativempi-np2-n8-lws"}

// Scenes of the bundled runs as text, and the whole way to SVG.
func TestGoldenMemoryPanels(t *testing.T) {
	for _, name := range memoryRuns {
		run := readBundled(t, name)
		t0, t1, _ := core.Window([]*trace.Run{run})
		var text, svg bytes.Buffer
		f := &scene.Figure{Title: name, Width: 480, T0: float64(t0), T1: float64(t1)}
		for _, id := range memoryPanels {
			v := open(t, id, run, core.Options{})
			p := v.Draw(core.Query{T0: t0, T1: t1, Width: 60})
			writeScene(&text, &p)
			p = v.Draw(core.Query{T0: t0, T1: t1, Width: 300})
			f.Panels = append(f.Panels, p)
		}
		if err := render.SVG(&svg, compose(t, f), render.Options{}); err != nil {
			t.Fatal(err)
		}
		golden(t, filepath.Join("testdata", "scenes", "memory-"+name+".txt"), text.Bytes())
		golden(t, filepath.Join("testdata", "panels", "memory-"+name+".svg"), svg.Bytes())
	}
}

// The area of a row of the residency is the integral of the states: what is
// drawn adds up to the exact time of the copies.
func TestResidencyDrawsTheIntegral(t *testing.T) {
	run := readBundled(t, "sg-mirage-n12-dmdas")
	stays, labels := memory.Stays(run, memory.Exact), memory.NewLabels(run)
	q := core.Query{T0: 31e6, T1: 297e6, Width: 157}
	for _, block := range []string{"0,0", "5,3", "11,11"} {
		p := open(t, "residency", run, core.Options{PanelOptions: core.PanelOptions{MemoryOptions: core.MemoryOptions{Residency: core.Residency{Blocks: []string{block}}}}}).Draw(q)
		var drawn, whole float64
		for _, l := range p.Layers {
			for _, r := range l.Rects {
				for i := range r.X0 {
					area := (r.X1[i] - r.X0[i]) * float64(r.H[i])
					if l.Name == "rows" {
						whole += area
					} else {
						drawn += area
					}
				}
			}
		}
		want, top := 0.0, topOf(p.Note)
		from, to := stays.Of(labels.Find(block)[0])
		for i := from; i < to; i++ {
			want += float64(max(0, min(stays.End[i], q.T1)-max(stays.Start[i], q.T0)))
		}
		got := drawn / whole * top * float64(q.T1-q.T0)
		if diff := got/want - 1; diff > 1e-4 || diff < -1e-4 {
			t.Errorf("block %s: drawn %.6g ns, want %.6g", block, got, want)
		}
	}
}

// topOf reads how many copies a row has room for.
func topOf(note string) float64 {
	number, _, _ := strings.Cut(strings.TrimPrefix(note, "a row is "), " ")
	n := 0.0
	for _, c := range number {
		n = n*10 + float64(c-'0')
	}
	return n / 100
}

// A snapshot has a cell for each copy that lies somewhere and a mark for each
// task that is drawn.
func TestSnapshotShowsWhatLiesWhere(t *testing.T) {
	run := readBundled(t, "sg-mirage-n12-dmdas")
	stays := memory.Stays(run, memory.Exact)
	for _, at := range []int64{10e6, 200e6, 440e6} {
		o := core.Options{}
		o.Snapshot.At = []int64{at}
		p := open(t, "snapshot", run, o).Draw(core.Query{T0: 0, T1: 1, Width: 600})
		copies, want := 0, 0
		for _, l := range p.Layers {
			if l.Name == "copies" {
				copies = l.Rects[1].Len()
			}
		}
		for i := range stays.Handle {
			if stays.Start[i] <= at && at < stays.End[i] {
				want++
			}
		}
		if copies != want || want == 0 {
			t.Errorf("at %d: %d copies, want %d", at, copies, want)
		}
	}
}

// Shares of the presence in the data are those of the residency's slices.
func TestPresenceIsTheSumOfResidency(t *testing.T) {
	run := readBundled(t, "sg-mirage-n12-dmdas")
	q := core.Query{T0: 50e6, T1: 333e6, Width: 100}
	sum := func(id, column string, more ...string) map[string]int64 {
		table := open(t, id, run, core.Options{}).Data(q)
		at := func(name string) int {
			return slices.IndexFunc(table.Columns, func(c numbers.Column) bool { return c.Name == name })
		}
		out := map[string]int64{}
		for _, c := range append(more, column) {
			for i, v := range table.Data[at(c)].([]int64) {
				if v > 0 {
					out[string(table.AppendCell(table.AppendCell(nil, at("block"), i), at("place"), i))] += v
				}
			}
		}
		return out
	}
	present, owned := sum("presence", "present"), sum("presence", "owned")
	slices, owner := sum("residency", "owner", "shared"), sum("residency", "owner")
	if len(present) == 0 || !equalSums(present, slices) || !equalSums(owned, owner) {
		t.Errorf("presence of %d blocks is not the sum of the residency of %d", len(present), len(slices))
	}
}

func equalSums(a, b map[string]int64) bool {
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return len(a) == len(b)
}

// Without coherence events the panels say how to trace them, and which block or
// task there is not.
func TestMemoryPanelsExplainThemselves(t *testing.T) {
	for _, id := range []string{"residency", "snapshot", "presence"} {
		p, err := core.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		run := readBundled(t, "sg-mirage-n12-dmdas")
		run.Event.Kind.Dict = slices.Clone(run.Event.Kind.Dict)
		for i, name := range run.Event.Kind.Dict {
			run.Event.Kind.Dict[i] = strings.Replace(name, "data state", "other", 1)
		}
		_, err = p.View(run, &core.Options{})
		if missing := (*panels.Missing)(nil); !errors.As(err, &missing) || !strings.Contains(missing.Why, "-memory-states") {
			t.Errorf("%s says %v, want how to trace the events", id, err)
		}
	}
	run := readBundled(t, "sg-mirage-n12-dmdas")
	p, _ := core.Find("block")
	for want, o := range map[string]core.Block{"99,99": {Handle: "99,99"}, "no-such": {Task: "no-such"}} {
		_, err := p.View(run, &core.Options{PanelOptions: core.PanelOptions{MemoryOptions: core.MemoryOptions{Block: o}}})
		if missing := (*panels.Missing)(nil); !errors.As(err, &missing) || !strings.Contains(missing.Why, want) {
			t.Errorf("block %+v says %v", o, err)
		}
	}
}

// A task alone chooses the block that moved most of those that it uses, in the
// figure and in its numbers.
func TestBlockOfATask(t *testing.T) {
	run := readBundled(t, "sg-mirage-n12-dmdas")
	n, err := panels.Find("block")
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string]bool{}
	for row := 3; row < len(run.Task.Start); row += 40 {
		if !run.Task.Counted(row) {
			continue
		}
		key := run.Task.Key.At(row)
		table, err := n.Table(run, &panels.Settings{From: trace.NoTime, To: trace.NoTime, Task: key})
		if err != nil {
			t.Fatal(err)
		}
		figure := open(t, "block", run, core.Options{PanelOptions: core.PanelOptions{MemoryOptions: core.MemoryOptions{Block: core.Block{Task: key}}}})
		drawn := figure.Data(core.Query{T0: 0, T1: schedule.Makespan(run), Width: 800})
		for name, d := range map[string]*numbers.Table{"numbers": &table, "figure": &drawn} {
			used := false
			for i := range d.Rows() {
				column := func(name string) any {
					at := slices.IndexFunc(d.Columns, func(c numbers.Column) bool { return c.Name == name })
					return d.Value(at, i)
				}
				used = used || column("task") == key
				blocks[column("block").(string)] = true
			}
			if !used {
				t.Errorf("the %s of task %s are of a block that it does not use", name, key)
			}
		}
	}
	if len(blocks) < 3 {
		t.Errorf("found blocks %v, want those of several tasks", blocks)
	}
}

// Data without coordinates get cells of their own, and every panel draws them.
func TestBlocksWithoutCoordinates(t *testing.T) {
	run := readBundled(t, "sg-mirage-n12-dmdas")
	for _, some := range []func(i int) bool{func(int) bool { return true }, func(i int) bool { return i%3 == 0 }} {
		run := *run
		run.Handle.X, run.Handle.Y = slices.Clone(run.Handle.X), slices.Clone(run.Handle.Y)
		run.Handle.Coordinates = trace.Strings{}
		for i := range run.Handle.X {
			if some(i) {
				run.Handle.X[i], run.Handle.Y[i] = trace.NoInt, trace.NoInt
			}
			run.Handle.Coordinates.Append("")
		}
		p := open(t, "presence", &run, core.Options{}).Draw(core.Query{T0: 0, T1: 400e6, Width: 700})
		type box struct{ x, y float64 }
		seen := map[box]bool{}
		r := p.Layers[0].Rects[0]
		for i := range r.X0 {
			b := box{r.X0[i], float64(r.Y[i])}
			if seen[b] {
				t.Fatalf("two blocks lie at %v", b)
			}
			seen[b] = true
		}
		if len(seen) < 4*78 {
			t.Errorf("%d cells, want at least %d", len(seen), 4*78)
		}
		for _, id := range memoryPanels {
			drawn := open(t, id, &run, core.Options{}).Draw(core.Query{T0: 0, T1: 400e6, Width: 300})
			checkScene(t, id, &drawn)
		}
	}
}

// A pick on a memory finds what its row shows.
func TestPickOnMemories(t *testing.T) {
	run := readBundled(t, "sg-mirage-n12-dmdas")
	q := core.Query{T0: 0, T1: 448e6, Width: 1000, Height: 200}
	for _, id := range []string{"memstates", "block"} {
		v := open(t, id, run, core.Options{})
		found := 0
		for _, row := range v.(core.Rowed).Rows(q.Height) {
			for at := q.T0; at < q.T1; at += 1e6 {
				hit, ok := v.(core.Picker).Pick(q, at, row.Y+row.H/2, 0)
				if !ok {
					continue
				}
				found++
				if at < hit.Start || at >= hit.End || hit.RowName != row.Name {
					t.Fatalf("%s at %d on %s: found %+v", id, at, row.Name, hit)
				}
			}
		}
		if found == 0 {
			t.Errorf("nothing to pick in %s", id)
		}
	}
}
