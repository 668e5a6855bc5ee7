package replay

import (
	"testing"

	"dagscope/read/ompt/event"
	"dagscope/read/ompt/internal/symbols"
	"dagscope/trace"
)

// A further initial thread is a thread of the program, with all its work, unless
// it begins a region in the runtime's code.
func TestFurtherInitialThread(t *testing.T) {
	const program, library = 0x55d37f51e216, 0x7f5db2a19679
	place := func(p symbols.Place) func(uint64) symbols.Place { return func(uint64) symbols.Place { return p } }
	for _, c := range []struct {
		name   string
		first  event.Event // what it does first
		lookup func(uint64) symbols.Place
		worker bool
	}{
		{"region of the program", event.Event{Type: event.ParallelBegin, Task: 2<<40 | 1, Parallel: 7, Code: program}, nil, true},
		{"region of a program at fixed addresses", event.Event{Type: event.ParallelBegin, Task: 2<<40 | 1, Parallel: 7, Code: 0x401020}, nil, true},
		{"region of some library", event.Event{Type: event.ParallelBegin, Task: 2<<40 | 1, Parallel: 7, Code: library}, nil, false},
		{"region of nowhere", event.Event{Type: event.ParallelBegin, Task: 2<<40 | 1, Parallel: 7}, nil, false},
		{"region of a library of the program", event.Event{Type: event.ParallelBegin, Task: 2<<40 | 1, Parallel: 7, Code: library}, place(symbols.Place{Object: "/lib/solver.so"}), true},
		{"region of the runtime", event.Event{Type: event.ParallelBegin, Task: 2<<40 | 1, Parallel: 7, Code: program}, place(symbols.Place{Object: "libomp.so.5", Runtime: true}), false},
		{"region of the runtime in a static program", event.Event{Type: event.ParallelBegin, Task: 2<<40 | 1, Parallel: 7, Code: program}, place(symbols.Place{Object: "/bin/solver", Function: "__kmp_hidden_helper"}), false},
		{"orphaned task", event.Event{Type: event.TaskCreate, Task: 2<<40 | 5, Task2: 2<<40 | 1, Flags: event.FlagExplicit, Code: program}, nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			tables := NewTables()
			r := tables.Begin(Process{Source: "events", Lookup: c.lookup})
			at := int64(0)
			tell := func(e event.Event) {
				at += 10
				e.Time = at
				r.Event(&e)
			}
			tell(event.Event{Type: event.ThreadBegin, Kind: event.ThreadInitial})
			tell(event.Event{Type: event.ImplicitBegin, Kind: event.TaskInitial, Task: 1<<40 | 1})
			tell(event.Event{Type: event.ThreadBegin, Thread: 1, Kind: event.ThreadInitial})
			tell(event.Event{Type: event.ImplicitBegin, Thread: 1, Kind: event.TaskInitial, Task: 2<<40 | 1})
			first := c.first
			first.Thread = 1
			tell(first)
			if first.Type == event.ParallelBegin {
				tell(event.Event{Type: event.ImplicitBegin, Thread: 1, Kind: event.TaskImplicit, Task: 2<<40 | 2, Parallel: 7})
				tell(event.Event{Type: event.ImplicitEnd, Thread: 1, Kind: event.TaskImplicit, Task: 2<<40 | 2, Parallel: 7})
			}
			tell(event.Event{Type: event.ThreadEnd, Thread: 1})
			r.End()
			if got := tables.threads[1].Worker(); got != c.worker {
				t.Fatalf("a worker: %v, want %v", got, c.worker)
			}
			start, want := *tables.task.start.at(1), trace.NoTime
			if c.worker {
				want = 40 // its implicit_begin
			}
			if start != want {
				t.Errorf("its initial task starts at %d, want %d", start, want)
			}
		})
	}
}
