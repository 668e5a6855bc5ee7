package panel_test

import (
	"slices"
	"strconv"
	"testing"

	"dagscope/explain/memory"
	"dagscope/show/panel/core"
	"dagscope/show/panel/paneltest"
	"dagscope/show/scene"
	"dagscope/trace"
)

// Allocations that fail in less than a microsecond are marks, and their numbers
// and the marks without one add up to how many there are.
func TestFailedAllocationsAreCounted(t *testing.T) {
	run := readBundled(t, "sg-mirage-n12-dmdas")
	shown := *run
	e := &shown.Event
	e.Kind.Dict, e.Kind.Index, e.Info.Dict, e.Info.Index = slices.Clone(e.Kind.Dict), slices.Clone(e.Kind.Index), slices.Clone(e.Info.Dict), slices.Clone(e.Info.Index)
	place := memory.Places(run)[1]
	add := func(kind string, at int64, info string) {
		e.Kind.Append(kind)
		e.Info.Append(info)
		e.Time, e.Resource, e.Handle = append(e.Time, at), append(e.Resource, place), append(e.Handle, 0)
		e.Peer, e.Bytes = append(e.Peer, trace.None), append(e.Bytes, trace.NoSize)
	}
	s := &shown.State
	s.Kind.Dict, s.Kind.Index = slices.Clone(s.Kind.Dict), slices.Clone(s.Kind.Index)
	state := func(start, end int64) {
		s.Kind.Append(memory.Allocating)
		s.Resource, s.Start, s.End = append(s.Resource, place), append(s.Start, start), append(s.End, end)
	}
	const noMemory = "4294967284" // -12 without its sign
	for _, at := range []int64{100e6, 100e6, 100e6, 200e6, 300e6, 300e6 + 5} {
		add("Allocating Start", at, "0")
		add("Allocating End", at+999, noMemory)
		state(at, at+999)
	}
	add("Allocating Start", 400e6, "0")
	add("Allocating End", 400e6+1000, noMemory) // long enough for a piece
	state(400e6, 400e6+1000)
	v := open(t, "memstates", &shown, core.Options{})
	for window, want := range map[[2]int64]int{{0, 448e6}: 6, {150e6, 250e6}: 1, {250e6, 448e6}: 2, {350e6, 448e6}: 0} {
		p := v.Draw(core.Query{T0: window[0], T1: window[1], Width: 1000})
		i := slices.IndexFunc(p.Layers, func(l scene.Layer) bool { return l.Name == "failed" })
		if i < 0 {
			t.Fatal("no layer of failed allocations")
		}
		got := p.Layers[i].Rects[1].Len() - len(p.Layers[i].Texts)
		for _, text := range p.Layers[i].Texts {
			n, err := strconv.Atoi(text.S)
			if err != nil || n < 2 {
				t.Errorf("a mark has the number %q", text.S)
			}
			got += n
		}
		entry := slices.IndexFunc(p.Legend, func(e scene.LegendEntry) bool { return e.Label == "failed in < 1 µs" })
		if want == 0 && entry >= 0 || want > 0 && (entry < 0 || p.Legend[entry].Detail != strconv.Itoa(want)) {
			t.Errorf("window %v: the legend has %+v, want %d", window, p.Legend, want)
		}
		if got != want {
			t.Errorf("window %v: marks stand for %d, want %d", window, got, want)
		}
	}
	q := core.Query{T0: 0, T1: 448e6, Width: 1000}
	for _, row := range v.(core.Rowed).Rows(0) {
		hit, ok := v.(core.Picker).Pick(q, 200e6+1e5, row.Y+row.H-2, 2e5)
		if slices.Contains(row.Resources, place) && ok && hit.Start == 200e6 {
			return
		}
	}
	t.Error("the mark at 200 ms cannot be picked")
}

// Several blocks stand above each other: together they have the rows and the
// numbers of each, and all that a task uses is found by the task.
func TestBlocksAreStacked(t *testing.T) {
	run := readBundled(t, "sg-mirage-n12-dmdas")
	q := core.Query{T0: 0, T1: 448e6, Width: 1000}
	opened := func(handle, task string) core.View {
		o := core.Options{}
		o.Block.Handle, o.Block.Task = handle, task
		return open(t, "block", run, o)
	}
	size := func(v core.View) [3]int {
		p, shapes := v.Draw(q), 0
		for _, l := range p.Layers {
			for _, r := range l.Rects {
				shapes += r.Len()
			}
		}
		d := v.Data(q)
		return [3]int{len(v.(core.Rowed).Rows(0)), shapes, d.Rows()}
	}
	var sum [3]int
	for _, handle := range []string{"3,1", "5,3"} {
		for i, n := range size(opened(handle, "")) {
			sum[i] += n
		}
	}
	if got := size(opened("3,1; 5,3", "")); got != sum || sum[0] == 0 {
		t.Errorf("rows, shapes and numbers of two blocks are %v, want %v", got, sum)
	}
	names := map[string]bool{}
	for _, row := range opened("3,1; 5,3", "").(core.Rowed).Rows(0) {
		if names[row.Name] {
			t.Errorf("two rows are called %s", row.Name)
		}
		names[row.Name] = true
	}
	uses := memory.FindUses(run)
	task := uses.Task[0]
	of := map[int32]bool{}
	for h := range int32(len(run.Handle.Node)) {
		from, to := uses.Of(h)
		if slices.Contains(uses.Task[from:to], task) {
			of[h] = true
		}
	}
	p := opened("*", run.Task.Key.At(int(task))).Draw(q)
	if n := 0; len(of) > 1 {
		for _, l := range p.Right {
			n += len(l.Texts)
		}
		if n != len(of) {
			t.Errorf("%d blocks, want the %d that the task uses", n, len(of))
		}
	}
	o := core.Options{}
	o.Block.Handle = "*"
	if _, err := paneltest.Open("block", run, []*trace.Run{run}, o); err == nil {
		t.Error("all blocks of no task were drawn")
	}
}
