package comm

import (
	"dagscope/explain/depend"
	"dagscope/trace"
)

// WaitNeeds names the columns that [Waits] and [LastPath] read besides Needs.
var WaitNeeds = append([]string{"transfer.handle"}, depend.Needs...)

// Wait is the way of a message from the task that made its data to the first
// task that used it. Each part is trace.NoTime where it is not known; where
// clocks differ it can be negative.
type Wait struct {
	Sender   int32 // last task that the message waited for, trace.None if unknown
	Receiver int32 // first task that waited for the message, trace.None if unknown
	Post     int64 // from the end of Sender to posted, ns
	Flight   int64 // from posted to received, ns
	Over     int64 // of this, what it took longer than the fastest message of its size between any nodes, ns
	Use      int64 // from received to the start of Receiver, ns
}

// Waits returns the way of each transfer of a list; last is that of the run,
// nil for none: then only the flight is known.
func (l *List) Waits(last *depend.Last) []Wait {
	waits := make([]Wait, len(l.Row))
	fastest := l.fastest()
	receiver := l.receivers(last)
	for i := range waits {
		w := &waits[i]
		*w = Wait{trace.None, trace.None, trace.NoTime, trace.NoTime, trace.NoTime, trace.NoTime}
		row := l.Row[i]
		t := &l.run.Transfer
		start, end := t.Start[row], t.End[row]
		if start != trace.NoTime && end != trace.NoTime {
			w.Flight = end - start
		}
		if least, ok := fastest[l.Bytes(i)]; ok && w.Flight >= 0 {
			w.Over = w.Flight - least
		}
		if last == nil {
			continue
		}
		if w.Sender = last.Of[int32(last.Tasks)+row]; w.Sender >= 0 && start != trace.NoTime && last.End(w.Sender) != trace.NoTime {
			w.Post = start - last.End(w.Sender)
		}
		if w.Receiver = receiver[row]; w.Receiver >= 0 && end != trace.NoTime {
			w.Use = l.run.Task.Start[w.Receiver] - end
		}
	}
	return waits
}

// fastest is the least delay of the messages of each size, ns.
func (l *List) fastest() map[int64]int64 {
	least := map[int64]int64{}
	for i := range l.Row {
		if start, end, ok := l.span(i); ok {
			size := l.Bytes(i)
			if known, seen := least[size]; !seen || end-start < known {
				least[size] = end - start
			}
		}
	}
	return least
}

// receivers is the task that started first of those that waited for each
// transfer. What the runtime itself received for tasks is walked through.
func (l *List) receivers(last *depend.Last) []int32 {
	if last == nil {
		return nil
	}
	first := make([]int32, len(l.run.Transfer.Start))
	for i := range first {
		first[i] = trace.None
	}
	for e, x := range l.run.Dep.Via {
		if x >= 0 {
			l.earlier(first, x, l.run.Dep.To[e])
		}
	}
	l.through(first)
	return first
}

// through replaces runtime tasks that receive by the first task behind them.
func (l *List) through(first []int32) {
	d := &l.run.Dep
	waiting := map[int32][]int32{} // transfers by the runtime's task that received them
	for e, x := range d.Via {
		if to := d.To[e]; x >= 0 && !l.ran(to) {
			waiting[to] = append(waiting[to], x)
		}
	}
	if len(waiting) == 0 {
		return
	}
	for e, from := range d.From {
		if from < 0 {
			continue
		}
		for _, x := range waiting[from] {
			l.earlier(first, x, d.To[e])
		}
	}
}

func (l *List) ran(task int32) bool {
	t := &l.run.Task
	return !t.Internal[task] && t.Start[task] != trace.NoTime
}

// earlier notes a task that waits for a transfer if it ran before the one that
// is known.
func (l *List) earlier(first []int32, x, task int32) {
	if !l.ran(task) {
		return
	}
	t := &l.run.Task
	if known := first[x]; known < 0 || t.Start[task] < t.Start[known] || t.Start[task] == t.Start[known] && task < known {
		first[x] = task
	}
}
