package dsom

import (
	"testing"

	"dagscope/read/ompt/event"
)

// recursive makes the events of a program of small tasks: each thread creates,
// runs and waits for them; one in eight has dependences.
func recursive(tasks, threads int) (events []event.Event) {
	at := int64(0)
	next := make([]uint64, threads)
	add := func(e event.Event) {
		at += 100
		e.Time = at
		events = append(events, e)
	}
	for t := range threads {
		next[t] = 1
		add(event.Event{Type: event.ImplicitBegin, Kind: event.TaskImplicit, Thread: int32(t), Task: event.NewID(int32(t), 1), Parallel: 1})
	}
	for i := range tasks / threads {
		for t := range int32(threads) {
			own := event.NewID(t, 1)
			next[t]++
			id := event.NewID(t, next[t])
			e := event.Event{Type: event.TaskCreate, Thread: t, Task: id, Task2: own, Flags: event.FlagExplicit, Code: 0x555555554321}
			if i%8 == 0 {
				e.Value = 1
			}
			add(e)
			if i%8 == 0 {
				add(event.Event{Type: event.Dependences, Thread: t, Task: id, Deps: []event.Dep{{Type: 1, Address: 0x7ffffff0}, {Type: 3, Address: 0x7ffffff8}}})
			}
			add(event.Event{Type: event.WaitBegin, Kind: event.SyncTaskwait, Thread: t, Task: own})
			add(event.Event{Type: event.TaskSchedule, Kind: event.StatusSwitch, Thread: t, Task: own, Task2: id})
			add(event.Event{Type: event.TaskSchedule, Kind: event.StatusComplete, Thread: t, Task: id, Task2: own})
			add(event.Event{Type: event.WaitEnd, Kind: event.SyncTaskwait, Thread: t, Task: own})
		}
	}
	return events
}

func benchmarkEvents(b *testing.B, threads int) {
	events := recursive(400_000, threads)
	r, err := Open([]string{pack(b, events)})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	b.ResetTimer()
	var e event.Event
	n := 0
	for b.Loop() {
		source, err := r.Events()
		if err != nil {
			b.Fatal(err)
		}
		for {
			more, err := source.Next(&e)
			if err != nil {
				b.Fatal(err)
			}
			if !more {
				break
			}
			n++
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Mevents/s")
}

func BenchmarkEvents1(b *testing.B)   { benchmarkEvents(b, 1) }
func BenchmarkEvents2(b *testing.B)   { benchmarkEvents(b, 2) }
func BenchmarkEvents8(b *testing.B)   { benchmarkEvents(b, 8) }
func BenchmarkEvents128(b *testing.B) { benchmarkEvents(b, 128) }
