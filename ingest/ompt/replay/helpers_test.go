package replay

import (
	"testing"

	"dagscope/ingest/ompt/event"
	"dagscope/ingest/ompt/symbols"
)

// An initial thread is a helper by where its region stands and what it does.
func TestCensus(t *testing.T) {
	runtime := func(uint64) symbols.Place { return symbols.Place{Object: "/lib/libomp.so.5", Runtime: true} }
	static := func(uint64) symbols.Place { return symbols.Place{Object: "/bin/p", Function: "__kmp_start"} }
	program := func(uint64) symbols.Place { return symbols.Place{Object: "/bin/p", Function: "work"} }
	nothing := func(uint64) symbols.Place { return symbols.Place{} }
	region := []event.Event{
		{Type: event.ThreadBegin, Kind: event.ThreadInitial},
		{Type: event.ThreadBegin, Kind: event.ThreadInitial, Thread: 1},
		{Type: event.ImplicitBegin, Kind: event.TaskInitial, Thread: 1, Task: event.NewID(1, 1)},
		{Type: event.ParallelBegin, Thread: 1, Task: event.NewID(1, 1), Parallel: 7, Code: 1},
		{Type: event.ImplicitBegin, Kind: event.TaskImplicit, Thread: 2, Task: event.NewID(2, 1), Parallel: 7},
	}
	end := event.Event{Type: event.ParallelEnd, Thread: 1, Parallel: 7}
	target := event.Event{Type: event.TaskCreate, Flags: event.FlagTarget, Task: event.NewID(0, 2), Task2: event.NewID(0, 1)}
	created := event.Event{Type: event.TaskCreate, Thread: 2, Task: event.NewID(2, 2), Task2: event.NewID(2, 1)}
	for name, c := range map[string]struct {
		look func(uint64) symbols.Place
		more []event.Event
		want bool
	}{
		"of the runtime":            {runtime, nil, true},
		"of a static runtime":       {static, nil, true},
		"of the program":            {program, []event.Event{target}, false},
		"unknown, target":           {nothing, []event.Event{target}, true},
		"unknown, no target":        {nothing, nil, false},
		"no maps, target":           {nil, []event.Event{target}, true},
		"its team creates tasks":    {runtime, []event.Event{target, created}, false},
		"two regions, one after it": {nil, []event.Event{target, end, region[3]}, false},
	} {
		census := NewCensus()
		for _, e := range append(append([]event.Event{}, region...), c.more...) {
			census.Event(&e)
		}
		if got := census.Helpers(c.look); got[1] != c.want || got[0] {
			t.Errorf("%s: found helpers %v, wanted thread 1 to be one: %v", name, got, c.want)
		}
	}
}
