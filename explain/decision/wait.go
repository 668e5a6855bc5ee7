package decision

import (
	"slices"

	"dagscope/internal/interval"
	"dagscope/trace"
)

// wait divides the time from the submission of a task to its start. At each
// instant one cause holds:
//
//   - until its last dependency has ended, the dependency;
//   - until it is pushed, its release;
//   - while its worker runs another task, that task: running if it had begun
//     before ours was pushed, pipeline if the worker had taken it before,
//     priority or order if it was taken since;
//   - once the worker has taken it, its transfer until all its data is there;
//   - while the worker waits for the data of another task that it has taken,
//     that task, as above;
//   - else scheduling while it is in a queue, overhead afterwards.
//
// So a transfer that goes on while the worker is busy costs nothing, and a busy
// worker is named even where the task lacks data too.
func (x *Index) wait(v int32) *Wait {
	if !x.ran(v) {
		return nil
	}
	w := &Wait{Start: x.run.Task.Start[v], Since: x.since(v), Parts: []Part{}, Totals: []Part{}}
	w.Submit = min(w.Since, orElse(x.run.Task.Submit[v], w.Since))
	pushed := clamp(orElse(x.pushed[v], w.Since), w.Since, w.Start)
	d := division{Index: x, v: v, worker: x.run.Task.Worker[v], pushed: pushed, out: w}
	d.popped = clamp(orElse(x.popped[v], w.Start), pushed, w.Start)
	d.arrived = x.arrival(v)
	d.add(Dependency, w.Submit, w.Since, trace.None, false)
	d.add(Release, w.Since, pushed, trace.None, false)
	d.busy(pushed, w.Start)
	w.sum()
	return w
}

// since is when a task could have begun: submitted, its last dependency over.
func (x *Index) since(v int32) int64 {
	t := &x.run.Task
	since := t.Submit[v]
	if last := x.last.Of[v]; last != trace.None {
		if end := x.last.End(last); end != trace.NoTime {
			since = max(since, end)
		}
	}
	if since == trace.NoTime {
		since = orElse(t.Ready[v], t.Start[v])
	}
	return min(since, t.Start[v])
}

func orElse(t, other int64) int64 {
	if t == trace.NoTime {
		return other
	}
	return t
}

func clamp(t, low, high int64) int64 { return max(low, min(t, high)) }

// arrival is when all data of a task was where it ran.
func (x *Index) arrival(v int32) int64 {
	arrived := trace.NoTime
	x.eachCopy(v, func(row int32) { arrived = max(arrived, x.run.Transfer.End[row]) })
	return arrived
}

// division divides the wait of one task.
type division struct {
	*Index
	v, worker               int32
	pushed, popped, arrived int64
	out                     *Wait
}

// busy divides [from, to) by what the worker ran; between is what is left.
func (d *division) busy(from, to int64) {
	first, end := d.lanes.Of(d.worker)
	i := first + int32(interval.FirstAfter(d.lanes.Start[first:end], from))
	for i > first && d.lanes.End[i-1] > from { // what runs then
		i--
	}
	for ; i < end && d.lanes.Start[i] < to; i++ {
		u, start, over := d.lanes.Task[i], d.lanes.Start[i], min(to, d.lanes.End[i])
		if u == d.v || over <= from {
			continue
		}
		if start > from {
			d.between(from, start, i, end)
			from = start
		}
		d.add(d.category(u), from, over, u, false)
		from = over
	}
	d.between(from, to, i, end)
}

// between divides a time in which the worker ran nothing; its next pieces begin
// at next.
func (d *division) between(from, to int64, next, end int32) {
	if from >= to {
		return
	}
	if from < d.popped && d.popped < to {
		d.between(from, d.popped, next, end)
		from = d.popped
	}
	if from >= d.popped && d.arrived > from {
		until := min(to, d.arrived)
		d.add(Transfer, from, until, trace.None, false)
		from = until
	}
	for i := next; i < end && i < next+ahead && from < to; i++ {
		u := d.lanes.Task[i]
		if u == d.v || d.Index.popped[u] == trace.NoTime || d.Index.popped[u] >= to || d.lanes.Start[i] > d.out.Start {
			continue
		}
		since := max(from, d.Index.popped[u])
		d.rest(from, since)
		d.add(d.category(u), since, to, u, true)
		from = to
	}
	d.rest(from, to)
}

// rest is time without a cause that can be named.
func (d *division) rest(from, to int64) {
	if from < d.popped {
		d.add(Scheduling, from, min(to, d.popped), trace.None, false)
	}
	d.add(Overhead, max(from, d.popped), to, trace.None, false)
}

// category says why a task came first.
func (d *division) category(u int32) string {
	t := &d.run.Task
	switch {
	case t.Start[u] < d.pushed:
		return Running
	case d.takenFirst(u):
		return Pipeline
	case t.Priority[u] >= t.Priority[d.v]:
		return Priority
	}
	return Order
}

// takenFirst says that the worker had taken a task when ours was pushed: of what
// happens in one instant, decisions tell the order.
func (d *division) takenFirst(u int32) bool {
	switch taken := d.Index.popped[u]; {
	case taken == trace.NoTime:
		return false
	case d.poppedBy != nil && taken == d.Index.pushed[d.v]:
		return d.poppedBy[u] < d.pushedBy[d.v]
	default:
		return taken <= d.pushed
	}
}

// add appends a part, unless it is empty.
func (d *division) add(cause string, from, to int64, task int32, fetching bool) {
	if from >= to {
		return
	}
	p := Part{Cause: cause, From: from, To: to, Length: to - from, Fetching: fetching, row: task}
	if task != trace.None {
		t := &d.run.Task
		p.Task, p.Kind, p.Priority = t.Key.At(int(task)), t.Kind.At(int(task)), t.Priority[task]
	}
	d.out.Parts = append(d.out.Parts, p)
}

// sum adds the parts up.
func (w *Wait) sum() {
	w.Delay, w.Before = w.Start-w.Since, w.Since-w.Submit
	for _, cause := range Causes {
		total := Part{Cause: cause, row: trace.None}
		for _, p := range w.Parts {
			if p.Cause != cause {
				continue
			}
			if total.Length == 0 {
				total.From = p.From
			}
			total.To = p.To
			total.Length += p.Length
		}
		if total.Length > 0 {
			w.Totals = append(w.Totals, total)
		}
	}
}

// Of is the time that a cause takes.
func (w *Wait) Of(cause string) int64 {
	if i := slices.IndexFunc(w.Totals, func(p Part) bool { return p.Cause == cause }); i >= 0 {
		return w.Totals[i].Length
	}
	return 0
}
