package depend

import (
	"dagscope/internal/parallel"
	"dagscope/trace"
)

// Totals are sums of delays and gaps per worker and task kind, as columns; only
// pairs that occur, in the order of worker row and kind.
type Totals struct {
	Worker []int32 // resource
	Kind   []int32 // dictionary index of task.kind
	Tasks  []int64 // counted tasks
	Known  []int64 // of these, tasks whose ready time is known
	Delay  []TaskDelay
	Gap    []Gap
}

// Totals sums the delays of counted tasks and the gaps before their pieces.
func (d *Delays) Totals() Totals {
	parts := make([]Totals, len(d.lanes.At)-1)
	parallel.With(len(parts), func() func(int) {
		mine := *d
		mine.near = near{}
		row := make([]int32, len(d.run.Task.Kind.Dict)) // of the worker at hand, by kind
		return func(w int) { parts[w] = mine.totalsOf(int32(w), row) }
	})
	var sums Totals
	for _, p := range parts {
		sums.append(p)
	}
	return sums
}

// totalsOf sums one worker.
func (d *Delays) totalsOf(w int32, row []int32) (sums Totals) {
	clear(row)
	from, to := d.lanes.Of(w)
	for i := from; i < to; i++ {
		if v := d.lanes.Task[i]; d.run.Task.Counted(int(v)) && d.run.Task.Kind.Index[v] >= 0 {
			row[d.run.Task.Kind.Index[v]] = 1
		}
	}
	for k, seen := range row {
		if seen != 0 {
			row[k] = sums.addRow(w, int32(k))
		}
	}
	for i := from; i < to; i++ {
		d.count(&sums, row, i, w)
	}
	return sums
}

func (s *Totals) append(p Totals) {
	s.Worker, s.Kind = append(s.Worker, p.Worker...), append(s.Kind, p.Kind...)
	s.Tasks, s.Known = append(s.Tasks, p.Tasks...), append(s.Known, p.Known...)
	s.Delay, s.Gap = append(s.Delay, p.Delay...), append(s.Gap, p.Gap...)
}

func (s *Totals) addRow(worker, kind int32) int32 {
	s.Worker, s.Kind = append(s.Worker, worker), append(s.Kind, kind)
	s.Tasks, s.Known = append(s.Tasks, 0), append(s.Known, 0)
	s.Delay, s.Gap = append(s.Delay, TaskDelay{}), append(s.Gap, Gap{})
	return int32(len(s.Worker) - 1)
}

func (d *Delays) count(sums *Totals, row []int32, piece, worker int32) {
	v := d.lanes.Task[piece]
	kind := d.run.Task.Kind.Index[v]
	if kind == trace.None || !d.run.Task.Counted(int(v)) {
		return
	}
	r := row[kind]
	sums.Gap[r].add(d.Before(piece, worker))
	if !d.lanes.IsFirst(piece) {
		return
	}
	sums.Tasks[r]++
	if delay, ok := d.Task(v); ok {
		sums.Known[r]++
		sums.Delay[r].add(delay)
	}
}

// Sum adds up all rows.
func (s *Totals) Sum() (delay TaskDelay, gap Gap) {
	for i := range s.Worker {
		delay.add(s.Delay[i])
		gap.add(s.Gap[i])
	}
	return delay, gap
}
