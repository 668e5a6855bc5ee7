package task

import (
	"slices"

	"dagscope/internal/interval"
	"dagscope/trace"
)

// Ref names a task.
func (x *Index) Ref(v int32) Ref {
	t := &x.run.Task
	return Ref{Key: t.Key.At(int(v)), Kind: t.Kind.At(int(v)), Worker: x.names.Resource(t.Worker[v]), Start: known(t.Start[v]), End: known(t.End[v])}
}

// transferRef names a transfer, with its destination as the worker.
func (x *Index) transferRef(i int32) Ref {
	t := &x.run.Transfer
	return Ref{Key: t.Key.At(int(i)), Kind: t.Kind.At(int(i)), Worker: x.names.Resource(at(t.To, i)), Start: known(t.Start[i]), End: known(t.End[i])}
}

// known is a time, nil if it is not known.
func known(time int64) *int64 {
	if time == trace.NoTime {
		return nil
	}
	return &time
}

// since is the time from end to start, nil unless both are known.
func since(end, start int64) *int64 {
	if end == trace.NoTime || start == trace.NoTime {
		return nil
	}
	d := start - end
	return &d
}

// at reads a column of references that may be absent.
func at(column []int32, row int32) int32 {
	if int(row) >= len(column) {
		return trace.None
	}
	return column[row]
}

// timeAt reads a column of times or sizes that may be absent.
func timeAt(column []int64, row int32) int64 {
	if int(row) >= len(column) {
		return trace.NoTime
	}
	return column[row]
}

// neighbours are the tasks before and after a task on its worker, in order of
// start.
func (x *Index) neighbours(v int32) (before, after *Ref) {
	w := x.run.Task.Worker[v]
	if w < 0 || !x.executed(v) {
		return nil, nil
	}
	from, to := x.lanes.Of(w)
	tasks := x.lanes.Task[from:to]
	i := x.position(v, from, to)
	if i < 0 {
		return nil, nil
	}
	for k := i - 1; k >= 0 && before == nil; k-- {
		before = x.unless(tasks[k], v)
	}
	for k := i + 1; k < len(tasks) && after == nil; k++ {
		after = x.unless(tasks[k], v)
	}
	return before, after
}

func (x *Index) unless(task, v int32) *Ref {
	if task == v {
		return nil
	}
	r := x.Ref(task)
	return &r
}

// position finds the first piece of a task among pieces [from, to), counted
// from there; -1 if it has none.
func (x *Index) position(v, from, to int32) int {
	starts := x.lanes.Start[from:to]
	i := interval.FirstAfter(starts, x.run.Task.Start[v]-1)
	end := interval.FirstAfter(starts, x.run.Task.End[v])
	if k := slices.Index(x.lanes.Task[from+int32(i):from+int32(end)], v); k >= 0 {
		return i + k
	}
	return -1
}
