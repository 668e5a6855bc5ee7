package replay

import (
	"testing"

	"dagscope/explain/breakdown"
	"dagscope/read/ompt/event"
	"dagscope/trace"

	"pgregory.net/rapid"
)

// replayed is the run of a list of events.
func replayed(events []event.Event) *trace.Run {
	t := NewTables()
	r := t.Begin(Process{Source: "test", Name: "node"})
	for i := range events {
		r.Event(&events[i])
	}
	r.End()
	return t.Run()
}

// drawAnything draws events that no runtime would report in this order.
func drawAnything(t *rapid.T) (events []event.Event) {
	id := rapid.Custom(func(t *rapid.T) event.ID {
		if rapid.IntRange(0, 20).Draw(t, "odd") == 0 {
			return event.ID(rapid.Uint64().Draw(t, "any"))
		}
		return event.NewID(rapid.Int32Range(0, 2).Draw(t, "on"), rapid.Uint64Range(0, 6).Draw(t, "number"))
	})
	at := int64(0)
	for range rapid.IntRange(1, 120).Draw(t, "events") {
		at += rapid.Int64Range(-1, 4).Draw(t, "time")
		e := event.Event{
			Time: at, Thread: rapid.Int32Range(0, 2).Draw(t, "thread"),
			Type: event.Type(rapid.IntRange(0, int(event.Other)).Draw(t, "type")), Kind: uint8(rapid.IntRange(0, 14).Draw(t, "kind")),
			Task: id.Draw(t, "task"), Parallel: rapid.Uint64Range(0, 2).Draw(t, "region"), Value: rapid.Int64Range(0, 70).Draw(t, "value"),
			Code: rapid.Uint64Range(0, 3).Draw(t, "code"), Count: rapid.Uint64Range(0, 100).Draw(t, "count"), Position: int64(len(events)),
		}
		if rapid.Bool().Draw(t, "second") {
			e.Task2 = id.Draw(t, "task2")
		}
		e.Flags = rapid.SampledFrom([]uint32{0, event.FlagExplicit, event.FlagTaskwait, event.FlagUndeferred}).Draw(t, "flags")
		for range rapid.IntRange(0, 3).Draw(t, "dependences") {
			e.Deps = append(e.Deps, event.Dep{Type: uint8(rapid.IntRange(0, 8).Draw(t, "dep")), Address: rapid.Uint64Range(0, 3).Draw(t, "address")})
		}
		events = append(events, e)
	}
	return events
}

// Whatever events come, the run keeps its promises, and the breakdown adds up.
func TestAnyEventsMakeAValidRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := replayed(drawAnything(t))
		if err := run.SetGeneration(""); err != nil {
			t.Fatal(err)
		}
		if err := run.Validate(); err != nil {
			t.Fatal(err)
		}
		res := breakdown.Compute(run, breakdown.Options{WaitingNotReady: rapid.Bool().Draw(t, "mode")})
		for i, w := range res.Workers {
			from, to := breakdown.Lifetime(run, w)
			if got := res.Worker(breakdown.Global, i).Sum(); got != to-from {
				t.Fatalf("worker %d: %d ns, wanted %d", w, got, to-from)
			}
		}
	})
}
