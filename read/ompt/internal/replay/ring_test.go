package replay

import (
	"testing"

	"dagscope/read/ompt/event"
)

// What a ring keeps of a thread begins with an event that says so.
func TestRingBegins(t *testing.T) {
	for _, ring := range []bool{true, false} {
		tables := NewTables()
		r := tables.Begin(Process{Ring: ring})
		r.Event(&event.Event{Time: 5, Type: event.ThreadBegin, Kind: event.ThreadInitial})
		r.Event(&event.Event{Time: 70, Thread: 1, Type: event.Lost, Value: -1})
		r.End()
		run := tables.Run()
		at := run.Event.Kind.Find("records begin")
		if (at >= 0) != ring {
			t.Fatalf("ring %v: found event %d", ring, at)
		}
		if ring && (len(run.Event.Time) != 1 || run.Event.Time[0] != 70) {
			t.Errorf("found times %v, wanted 70", run.Event.Time)
		}
	}
}
