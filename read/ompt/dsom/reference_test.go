package dsom

import (
	"os"
	"reflect"
	"slices"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/internal/text"
	"dagscope/read/ompt/csv"
	"dagscope/read/ompt/event"
	"dagscope/trace"
)

// TestReferences packs recorded programs and reads them back.
func TestReferences(t *testing.T) {
	comparePacked(t, append(testenv.References(t, "data/ompt/micro/*.csv"), testenv.References(t, "data/ompt/micro/*/*.csv")...))
	t.Run("large", func(t *testing.T) {
		testenv.Slow(t)
		comparePacked(t, testenv.References(t, "data/ompt/traces/*/trace.csv.gz"))
	})
}

func comparePacked(t *testing.T, paths []string) {
	t.Helper()
	for _, path := range paths {
		events := parse(t, path)
		file := pack(t, events)
		got, want := plain(read(t, file)), plain(events)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: found %d events, want %d:", path, len(got), len(want))
			for i := range want {
				if i >= len(got) || got[i] != want[i] {
					t.Fatalf("event %d:\nfound %s\nwant  %s", i, got[min(i, len(got)-1)], want[i])
				}
			}
		}
		c, err := Check(file)
		if err != nil || len(c.Problems) > 0 || c.Events != int64(len(events)) {
			t.Errorf("%s: check found %d events, %v, %v", path, c.Events, c.Problems, err)
		}
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d events, %d bytes", path, len(events), info.Size())
	}
}

// parse reads the events that a file can hold.
func parse(t *testing.T, path string) (events []event.Event) {
	r, err := text.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var log trace.Log
	var account trace.Account
	err = csv.Read(r, &log, &account, func(e *event.Event) {
		if e.Type == event.Other {
			return
		}
		kept := *e
		kept.Position, kept.Deps = 0, slices.Clone(e.Deps)
		switch e.Type { // what the text says twice
		case event.Dependences, event.SyncBegin, event.SyncEnd, event.WaitBegin, event.WaitEnd:
			kept.Value = 0
		}
		events = append(events, kept)
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(events, func(a, b event.Event) int { return int(a.Thread - b.Thread) })
	slices.SortStableFunc(events, func(a, b event.Event) int {
		switch {
		case a.Time < b.Time:
			return -1
		case a.Time > b.Time:
			return 1
		}
		return int(a.Thread - b.Thread)
	})
	return events
}
