//go:build unix

package replay

import (
	"syscall"
	"testing"

	"dagscope/read/ompt/event"
)

// recursion are the events of one thread that runs a recursive program: every
// task makes two and waits for them.
func recursion(depth int) []event.Event {
	b := &recursive{}
	b.tell(event.Event{Type: event.ThreadBegin, Kind: event.ThreadInitial})
	b.number = 1
	root := event.NewID(0, 1)
	b.tell(event.Event{Type: event.ImplicitBegin, Kind: event.TaskInitial, Task: root})
	b.body(root, depth)
	b.tell(event.Event{Type: event.ImplicitEnd, Task: root})
	b.tell(event.Event{Type: event.ThreadEnd})
	return b.events
}

type recursive struct {
	events []event.Event
	number uint64
	at     int64
}

func (b *recursive) tell(e event.Event) {
	b.at += 50
	e.Time = b.at
	b.events = append(b.events, e)
}

func (b *recursive) body(own event.ID, depth int) {
	if depth == 0 {
		return
	}
	first := b.number + 1
	b.number += 2
	for i := range uint64(2) {
		b.tell(event.Event{Type: event.TaskCreate, Task: event.NewID(0, first+i), Task2: own, Flags: event.FlagExplicit, Code: 0x4000 + i})
	}
	b.tell(event.Event{Type: event.WaitBegin, Kind: event.SyncTaskwait, Task: own})
	for i := range uint64(2) {
		child := event.NewID(0, first+i)
		b.tell(event.Event{Type: event.TaskSchedule, Kind: event.StatusSwitch, Task: own, Task2: child})
		b.body(child, depth-1)
		b.tell(event.Event{Type: event.TaskSchedule, Kind: event.StatusComplete, Task: child, Task2: own})
	}
	b.tell(event.Event{Type: event.WaitEnd, Kind: event.SyncTaskwait, Task: own})
}

// chains are tasks with two dependences each.
func chains(tasks int) []event.Event {
	b := &recursive{}
	b.tell(event.Event{Type: event.ThreadBegin, Kind: event.ThreadInitial})
	root := event.NewID(0, 1)
	b.tell(event.Event{Type: event.ImplicitBegin, Kind: event.TaskInitial, Task: root})
	for i := range uint64(tasks) {
		id := event.NewID(0, i+2)
		b.tell(event.Event{Type: event.TaskCreate, Task: id, Task2: root, Flags: event.FlagExplicit, Value: 1, Code: 0x4000})
		b.tell(event.Event{Type: event.Dependences, Task: id, Deps: []event.Dep{
			{Type: event.DepInout, Address: 64 * (i % 1000)}, {Type: event.DepIn, Address: 64 * ((i + 1) % 1000)}}})
		if i >= 200 {
			b.run(root, event.NewID(0, i-198))
		}
	}
	for i := max(0, tasks-200); i < tasks; i++ {
		b.run(root, event.NewID(0, uint64(i+2)))
	}
	return b.events
}

func (b *recursive) run(root, id event.ID) {
	b.tell(event.Event{Type: event.TaskSchedule, Kind: event.StatusSwitch, Task: root, Task2: id})
	b.tell(event.Event{Type: event.TaskSchedule, Kind: event.StatusComplete, Task: id, Task2: root})
}

// cpu is the time that the process has used, s: machines are shared.
func cpu(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func benchmark(b *testing.B, events []event.Event) {
	n, before := 0, cpu(b)
	for b.Loop() {
		t := NewTables()
		r := t.Begin(Process{Source: "bench", Name: "node"})
		for i := range events {
			r.Event(&events[i])
		}
		r.End()
		n += len(events)
	}
	b.ReportMetric(float64(n)/(cpu(b)-before)/1e6, "Mevents/CPU-s")
}

func BenchmarkRecursion(b *testing.B) { benchmark(b, recursion(17)) }
func BenchmarkChains(b *testing.B)    { benchmark(b, chains(200_000)) }
