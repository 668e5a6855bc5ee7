package dsom

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/read/ompt/event"
	"dagscope/read/ompt/internal/symbols"
)

// patched packs events and changes the file's bytes.
func patched(t *testing.T, m Meta, events []event.Event, change func(b []byte)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.dsom")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if _, err := packTo(out, &list{events: events}, m); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	change(b)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// started sets the header's start pair.
func started(b []byte, monotonic, realtime uint64) {
	pair{ticks: monotonic, monotonic: monotonic, realtime: realtime}.put(b[32:])
}

func times(events []event.Event) (at []int64) {
	for _, e := range events {
		at = append(at, e.Time)
	}
	return at
}

// TestProcesses merges the files of several processes: on one host by its
// clock, on several by the time of day, in the order of their ranks.
func TestProcesses(t *testing.T) {
	events := []event.Event{
		{Time: 100, Type: event.ImplicitBegin, Task: event.NewID(0, 1), Kind: 1, Parallel: 3},
		{Time: 300, Type: event.TaskCreate, Task: event.NewID(0, 2), Task2: event.NewID(0, 1), Flags: event.FlagExplicit},
	}
	file := func(rank int, host string, monotonic, realtime uint64) string {
		return patched(t, Meta{Host: host, Rank: &rank}, events, func(b []byte) { started(b, monotonic, realtime) })
	}
	const day = 1_700_000_000_000_000_000
	for _, c := range []struct {
		paths    []string
		realtime bool
		times    string
	}{
		{[]string{file(1, "a", 50, day+50), file(0, "a", 50, day+80)}, false, "[100 100 300 300]"},
		{[]string{file(1, "b", 0, day+50), file(0, "a", 0, day)}, true, fmt.Sprint([]int64{day + 100, day + 150, day + 300, day + 350})},
		// Two containers with one name.
		{[]string{file(1, "a", 0, day+5e9), file(0, "a", 0, day)}, true, fmt.Sprint([]int64{day + 100, day + 300, day + 5e9 + 100, day + 5e9 + 300})},
	} {
		r, err := Open(c.paths)
		if err != nil {
			t.Fatal(err)
		}
		got := all(t, r)
		if fmt.Sprint(times(got)) != c.times || r.Realtime != c.realtime {
			t.Errorf("found times %v (realtime %v), want %s", times(got), r.Realtime, c.times)
		}
		for _, e := range got {
			if e.Task.Thread() != e.Thread {
				t.Errorf("found task %d.%d on thread %d", e.Task.Thread(), e.Task.Counter(), e.Thread)
			}
		}
		if got[0].Thread != 0 || len(r.Threads) != 2 || r.Processes[0].Rank != 0 || r.Threads[1].Process != 1 {
			t.Errorf("found processes %+v", r.Processes)
		}
		one, err := r.EventsOf(1)
		if err != nil {
			t.Fatal(err)
		}
		var e event.Event
		if _, err := one.Next(&e); err != nil || e.Thread != 0 || e.Task != event.NewID(0, 1) {
			t.Errorf("found %+v, %v, want the process's own numbers", e, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestRing reads what a ring has left: threads whose first chunks are gone
// begin with a Lost event that names their task.
func TestRing(t *testing.T) {
	events := recursive(60_000, 2)
	var firsts []int
	path := patched(t, Meta{}, events, func(b []byte) {
		little.PutUint64(b[128:], packHeader+unit)
		for at := packHeader; at+chunkHeaderSize < len(b); at += unit {
			c, ok := parseChunk(b[at:], int64(at), int64(len(b)))
			if ok && c.kind == chunkEvents && c.thread == 1 && c.number < 2 {
				clear(b[at : at+8])
				firsts = append(firsts, at)
			}
		}
	})
	if len(firsts) != 2 {
		t.Fatalf("found %d chunks of thread 1 to clear, want 2", len(firsts))
	}
	r, err := Open([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got := all(t, r)
	lost := slices.IndexFunc(got, func(e event.Event) bool { return e.Type == event.Lost })
	if lost < 0 || got[lost].Value != -1 || got[lost].Thread != 1 || got[lost].Task.Thread() != 1 || got[lost].Time != r.CompleteFrom || r.CompleteFrom == 0 {
		t.Fatalf("found Lost event %d of %d, complete from %d", lost, len(got), r.CompleteFrom)
	}
	// From there on all is as it was.
	from := slices.IndexFunc(events, func(e event.Event) bool { return e.Time >= r.CompleteFrom })
	want, have := plain(events[from:]), plain(slices.DeleteFunc(got[lost:], func(e event.Event) bool { return e.Type == event.Lost }))
	if !slices.Equal(want, have) {
		t.Errorf("found %d events after the loss, want %d", len(have), len(want))
	}
}

// TestKilled reads a file without an end, cut at any byte.
func TestKilled(t *testing.T) {
	events := recursive(2000, 2)
	whole := plain(events)
	path := pack(t, events)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{len(b) - 3*unit, 2*unit + 1000, 2*unit + 1001, 2*unit + 1008, 2*unit + 60} {
		if err := os.WriteFile(path, b[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := Open([]string{path})
		if err != nil {
			t.Fatal(err)
		}
		got := plain(all(t, r))
		r.Close()
		for _, g := range got {
			if !strings.Contains(g, "Type:lost") && !slices.Contains(whole, g) {
				t.Errorf("cut at %d: found %s, which was never written", cut, g)
			}
		}
	}
}

// TestSites gives tasks that the runtime creates the place of the construct
// they belong to.
func TestSites(t *testing.T) {
	const runtime, program, group, single = 0x7000_0500, 0x1000, 0x2000, 0x3000
	task := func(thread int32, n, creator uint64, code uint64) event.Event {
		return event.Event{Type: event.TaskCreate, Thread: thread, Task: event.NewID(thread, n), Task2: event.ID(creator), Code: code}
	}
	own := uint64(event.NewID(0, 1))
	steps := []struct {
		event event.Event
		want  uint64
	}{
		{task(0, 2, own, program), program},
		{task(0, 3, own, runtime), runtime}, // nothing around it
		{event.Event{Type: event.Work, Kind: 3, Value: 1, Code: single}, 0},
		{task(0, 4, own, runtime), single},
		{event.Event{Type: event.SyncBegin, Kind: event.SyncTaskgroup, Code: group}, 0},
		{event.Event{Type: event.Work, Kind: 7, Value: 1, Code: runtime}, 0},
		{task(0, 5, own, runtime), group},
		{task(1, 2, uint64(event.NewID(0, 5)), runtime), group}, // splits the loop on another thread
		{task(1, 3, uint64(event.NewID(0, 2)), runtime), runtime},
		{event.Event{Type: event.SyncBegin, Kind: event.SyncTaskgroup, Task: event.ID(own), Code: group}, 0},
		{task(0, 8, own, runtime), group},
		{task(1, 4, own, runtime), group}, // so, in the name of the task that came to the loop
		{event.Event{Type: event.SyncEnd, Kind: event.SyncTaskgroup, Task: event.ID(own), Code: group}, 0},
		{event.Event{Type: event.Work, Kind: 7, Value: 2, Code: runtime}, 0},
		{event.Event{Type: event.SyncEnd, Kind: event.SyncTaskgroup, Code: group}, 0},
		{task(0, 6, own, runtime), single},
		{event.Event{Type: event.Work, Kind: 3, Value: 2, Code: single}, 0},
		{task(0, 7, own, runtime), runtime},
		{event.Event{Type: event.Work, Kind: 3, Value: 2, Code: single}, 0}, // one end too many
	}
	s := newSites([][]symbols.Map{{{Low: 0x7000_0000, High: 0x7000_1000, File: "/usr/lib/libomp.so.5"}}}, 0, 2)
	for i, step := range steps {
		e := step.event
		s.see(&e)
		if e.Type == event.TaskCreate && e.Code != step.want {
			t.Errorf("step %d: found place %#x, want %#x", i, e.Code, step.want)
		}
	}
}

func TestMaps(t *testing.T) {
	maps := mapsOf(`55e078757000-55e078758000 r--p 00000000 fe:00 1 /src/program
55e078758000-55e078770000 r-xp 00001000 fe:00 1 /src/program
7f5c30dee000-7f5c30f0e000 r-xp 00000000 fe:00 6 /usr/lib/llvm/libomp.so.5

aa01 55e078757000 
bb02 7f5c30dee000 /lib/libomp.so.5
cc03 zz /nowhere
`, "/src/program")
	got := ""
	for _, m := range maps {
		got += m.File + " " + m.BuildID + "\n"
	}
	if want := "/src/program aa01\n/usr/lib/llvm/libomp.so.5 bb02\n"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
}

// TestOpenErrors says what is not a recording.
func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.dsom")
	if err := os.WriteFile(text, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir: "found no .dsom file", text: `begins with "text"`, filepath.Join(dir, "none"): "no such file", "/dev/null": "wanted a regular file",
	} {
		if _, err := Open([]string{path}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: found error %v, want %q", path, err, want)
		}
	}
}
