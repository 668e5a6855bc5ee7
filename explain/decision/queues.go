package decision

import (
	"cmp"
	"slices"

	"dagscope/internal/interval"
	"dagscope/trace"
)

// queues are the contents of all queues, by the number of their name.
type queues [][]int32

// before does again what the decisions before a row did. A run that a filter
// or damage left in pieces gives what is left.
func (x *Index) before(row int) queues {
	d := &x.run.Decision
	q := make(queues, len(d.Queue.Dict))
	plan := d.Kind.Find(trace.DecisionPlan)
	push := d.Kind.Find(trace.DecisionPush)
	for i := range row {
		if d.Kind.Index[i] != plan {
			q.apply(d.Queue.Index[i], d.Task[i], int(d.Place[i]), d.Kind.Index[i] == push)
		}
	}
	return q
}

// apply puts a task into a queue, or takes it out.
func (q queues) apply(queue, task int32, place int, push bool) {
	switch list := q[queue]; {
	case push && place <= len(list):
		q[queue] = slices.Insert(list, place, task)
	case !push && place == 0 && len(list) > 0:
		q[queue] = list[1:]
	case !push && place < len(list):
		q[queue] = slices.Delete(list, place, place+1)
	}
}

// moment is what workers and queues had before a decision.
func (x *Index) moment(row int32) *Moment {
	d := &x.run.Decision
	m := x.empty(d.Time[row], x.node(d.Task[row]), row)
	m.Complete = true
	x.fill(m, int(row))
	m.Alpha, m.Beta = d.Alpha[row], d.Beta[row]
	if from, to := x.estimates(row); from < to {
		best := d.Time[row] + nanoseconds(d.Best[row]-d.Clock[row])
		m.Best = &best
		for i := from; i < to; i++ {
			w := m.worker(x.run, x.run.Estimate.Worker[i])
			if e := x.estimate(row, i, best); w != nil && (w.Estimate == nil || e.exact < w.Estimate.exact) {
				w.Estimate = e
			}
		}
	}
	if w := m.worker(x.run, d.Worker[row]); w != nil {
		w.Chosen = true
	}
	return m
}

// fill tells what lay in queues before a decision.
func (x *Index) fill(m *Moment, row int) {
	d := &x.run.Decision
	owner, node := map[int32]int32{}, map[int32]int32{}
	for i, q := range d.Queue.Index {
		owner[q], node[q] = d.Owner[i], x.node(d.Task[i])
	}
	for q, tasks := range x.before(row) {
		if len(tasks) == 0 {
			continue
		}
		if w := m.worker(x.run, owner[int32(q)]); w != nil {
			w.Waiting = x.held(tasks, m.Time, w.Resource)
		} else if owner[int32(q)] == trace.None && (m.node == trace.None || m.node == node[int32(q)]) {
			m.Shared = append(m.Shared, Queue{d.Queue.Dict[q], x.held(tasks, m.Time, trace.None)})
		}
	}
}

// node is where a task ran, none where that is not known.
func (x *Index) node(task int32) int32 {
	if w := x.run.Task.Worker[task]; w >= 0 {
		return x.run.Resource.Node[w]
	}
	return trace.None
}

// empty is a moment with what workers of a node, none for all, have taken before
// a decision, without queues.
func (x *Index) empty(t int64, node, row int32) *Moment {
	m := &Moment{Time: t, Shared: []Queue{}, Workers: []Worker{}, node: node}
	re := &x.run.Resource
	for r := range re.Parent {
		if re.Level.At(r) != trace.LevelWorker || node != trace.None && re.Node[r] != node {
			continue
		}
		m.Workers = append(m.Workers, Worker{
			Name: re.Name.At(r), Arch: re.Arch.At(r), Taken: x.held(x.taken(int32(r), t, row), t, int32(r)), Waiting: []Held{}, Resource: int32(r),
		})
	}
	slices.SortStableFunc(m.Workers, func(a, b Worker) int {
		return cmp.Or(cmp.Compare(re.Node[a.Resource], re.Node[b.Resource]), cmp.Compare(re.Index[a.Resource], re.Index[b.Resource]))
	})
	return m
}

// worker is the one of a resource, nil for none.
func (m *Moment) worker(run *trace.Run, resource int32) *Worker {
	i := slices.IndexFunc(m.Workers, func(w Worker) bool { return w.Resource == resource })
	if i < 0 {
		return nil
	}
	return &m.Workers[i]
}

// taken are the tasks that a worker has taken and not ended, in the order in
// which they begin. Where nothing tells when it took them, that is what runs.
// Of an instant at which it took some, what came before a decision counts.
func (x *Index) taken(worker int32, t int64, row int32) (tasks []int32) {
	first, end := x.lanes.Of(worker)
	starts := x.lanes.Start[first:end]
	from := interval.FirstAfter(starts, t) // begin later
	for i := from - 1; i >= 0 && i >= from-ahead; i-- {
		if v := x.lanes.Task[first+int32(i)]; x.lanes.End[first+int32(i)] > t && x.takenBefore(v, row) {
			tasks = append(tasks, v)
		}
	}
	slices.Reverse(tasks)
	for i := from; i < len(starts) && i < from+ahead; i++ {
		v := x.lanes.Task[first+int32(i)]
		if x.takenBefore(v, row) && x.popped[v] != trace.NoTime && x.popped[v] <= t {
			tasks = append(tasks, v)
		}
	}
	return slices.Compact(tasks)
}

// takenBefore says that a task was taken before a decision, as far as that is known.
func (x *Index) takenBefore(v, row int32) bool { return x.poppedBy == nil || x.poppedBy[v] < row }

// ahead is how many tasks of a worker, before and behind an instant, are looked
// at: runtimes take no more at a time.
const ahead = 8

// held describes tasks at an instant, on a worker or none.
func (x *Index) held(tasks []int32, at int64, worker int32) []Held {
	all := make([]Held, 0, len(tasks))
	for _, v := range tasks {
		t := &x.run.Task
		h := Held{Key: t.Key.At(int(v)), Kind: t.Kind.At(int(v)), Priority: t.Priority[v], Start: known(t.Start[v]), End: known(t.End[v]), Task: v}
		h.Running, h.Expected = h.Start != nil && *h.Start <= at, x.expected(v, worker)
		all = append(all, h)
	}
	return all
}

// expected is how long the scheduler thought that a task would take on a worker.
func (x *Index) expected(v, worker int32) *int64 {
	row := x.row(v)
	if row == trace.None || worker == trace.None {
		return nil
	}
	from, to := x.estimates(row)
	for i := from; i < to; i++ {
		if x.run.Estimate.Worker[i] == worker {
			ns := nanoseconds(x.run.Estimate.Duration[i])
			return &ns
		}
	}
	return nil
}

// Ran are the tasks that a worker ran in a window, as they began.
func (x *Index) Ran(worker int32, from, to int64) []Held {
	var tasks []int32
	first, end := x.lanes.Of(worker)
	for i := first; i < end; i++ {
		if x.lanes.Start[i] < to && x.lanes.End[i] > from {
			tasks = append(tasks, x.lanes.Task[i])
		}
	}
	return x.held(slices.Compact(tasks), from, worker)
}

// known is a time, nil if it is not known.
func known(t int64) *int64 {
	if t == trace.NoTime {
		return nil
	}
	return &t
}

// unwatched is a moment of a run without decisions: what waits for a worker is
// what it takes later, in that order.
func (x *Index) unwatched(t int64, node int32) *Moment {
	m := x.empty(t, node, trace.None)
	for i := range m.Workers {
		w := &m.Workers[i]
		var waiting []int32
		first, end := x.lanes.Of(w.Resource)
		for k := first; k < end; k++ {
			v := x.lanes.Task[k]
			if x.lanes.IsFirst(k) && x.pushed[v] != trace.NoTime && x.pushed[v] < t && x.takenAt(v) > t {
				waiting = append(waiting, v)
			}
		}
		slices.SortStableFunc(waiting, func(a, b int32) int { return cmp.Compare(x.takenAt(a), x.takenAt(b)) })
		w.Waiting = x.held(waiting, t, w.Resource)
	}
	return m
}

// takenAt is when a worker took a task; its start, if nothing tells.
func (x *Index) takenAt(v int32) int64 {
	if x.popped[v] != trace.NoTime {
		return x.popped[v]
	}
	return x.run.Task.Start[v]
}

// At is what workers and queues had at an instant.
func (x *Index) At(t int64) *Moment {
	if !x.Watched() {
		return x.unwatched(t, trace.None)
	}
	row := interval.FirstAfter(x.run.Decision.Time, t)
	m := x.empty(t, trace.None, int32(row))
	m.Complete = true
	x.fill(m, row)
	return m
}
