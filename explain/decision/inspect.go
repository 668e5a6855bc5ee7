package decision

import (
	"slices"

	"dagscope/trace"
)

// Inspect tells how a task was placed. The error names a row that is none.
func (x *Index) Inspect(v int32) (*Inspection, error) {
	if err := x.check(v); err != nil {
		return nil, err
	}
	in := &Inspection{Task: x.task(v), Steps: x.steps(v)}
	in.Moment = x.placing(v)
	in.Happened, in.Wait = x.happened(v, in.Moment), x.wait(v)
	return in, nil
}

func (x *Index) task(v int32) Task {
	t := &x.run.Task
	return Task{
		Key: t.Key.At(int(v)), Kind: t.Kind.At(int(v)), Priority: t.Priority[v], Worker: x.name(t.Worker[v]), Submit: known(t.Submit[v]),
		Pushed: known(x.pushed[v]), Popped: known(x.popped[v]), Start: known(t.Start[v]), End: known(t.End[v]),
	}
}

func (x *Index) name(resource int32) string {
	if resource < 0 {
		return ""
	}
	return x.run.Resource.Name.At(int(resource))
}

// placing is what the scheduler had before it when it placed a task.
func (x *Index) placing(v int32) *Moment {
	if row := x.row(v); row != trace.None {
		return x.moment(row)
	}
	if x.pushed[v] == trace.NoTime || x.Watched() {
		return nil
	}
	m := x.unwatched(x.pushed[v], x.node(v))
	if w := m.worker(x.run, x.run.Task.Worker[v]); w != nil {
		w.Chosen = true
		w.Taken = slices.DeleteFunc(w.Taken, func(h Held) bool { return h.Task == v }) // where it began as it was pushed
	}
	return m
}

// steps are what the scheduler did with a task.
func (x *Index) steps(v int32) []Step {
	d := &x.run.Decision
	steps := []Step{}
	for _, row := range x.byTask[x.at[v]:x.at[v+1]] {
		s := Step{Kind: d.Kind.At(int(row)), Time: d.Time[row], Worker: x.name(d.Worker[row]), By: x.name(d.By[row]), Queue: d.Queue.At(int(row)), Place: d.Place[row]}
		if s.Kind != trace.DecisionPlan {
			s.Others = x.length(row)
		}
		steps = append(steps, s)
	}
	return steps
}

// length is how many other tasks are in the queue of a decision.
func (x *Index) length(row int32) int {
	d := &x.run.Decision
	n, push, plan := 0, d.Kind.Find(trace.DecisionPush), d.Kind.Find(trace.DecisionPlan)
	for i := range row {
		switch {
		case d.Queue.Index[i] != d.Queue.Index[row] || d.Kind.Index[i] == plan:
		case d.Kind.Index[i] == push:
			n++
		default:
			n--
		}
	}
	if d.Kind.Index[row] != push {
		n--
	}
	return max(n, 0)
}

// happened is what came of a placing.
func (x *Index) happened(v int32, m *Moment) *Happened {
	if !x.ran(v) {
		return nil
	}
	t := &x.run.Task
	h := &Happened{Start: t.Start[v], End: t.End[v], Duration: t.End[v] - t.Start[v]}
	x.copies(v, h)
	if m == nil {
		return h
	}
	if i := slices.IndexFunc(m.Workers, func(w Worker) bool { return w.Chosen && w.Estimate != nil }); i >= 0 && m.Workers[i].Resource == t.Worker[v] {
		h.errors(m.Workers[i].Estimate)
		h.Regret = m.regret(i, h.End)
	}
	return h
}

// errors are how far the estimate was off.
func (h *Happened) errors(e *Estimate) {
	start, transfer, duration, end := h.Start-(e.End-e.Duration), h.Transfer-e.Transfer, h.Duration-e.Duration, h.End-e.End
	h.StartError, h.TransferError, h.DurationError, h.EndError = &start, &transfer, &duration, &end
}

// regret is how much later than predicted elsewhere a task ended.
func (m *Moment) regret(chosen int, end int64) *int64 {
	var regret *int64
	for i, w := range m.Workers {
		if i != chosen && w.Estimate != nil {
			r := max(0, end-w.Estimate.End)
			if regret == nil || r > *regret {
				regret = &r
			}
		}
	}
	return regret
}

// copies are those of a task's data to the memory where it ran.
func (x *Index) copies(v int32, h *Happened) {
	since := x.pushed[v]
	if since == trace.NoTime {
		since = x.since(v)
	}
	x.eachCopy(v, func(row int32) {
		t := &x.run.Transfer
		start, end := t.Start[row], t.End[row]
		if end > since && (h.Arrived == nil || end > *h.Arrived) {
			h.Arrived = known(end)
		}
		if start < since {
			return
		}
		h.Copies++
		h.Transfer += end - start
		if int(row) < len(t.Bytes) && t.Bytes[row] > 0 {
			h.Bytes += t.Bytes[row]
		}
		if h.First == nil || start < *h.First {
			h.First = known(start)
		}
	})
}

// eachCopy calls add with the copies of what a task reads to the memory where it
// ran that arrived before it began, of each piece of data the last.
func (x *Index) eachCopy(v int32, add func(row int32)) {
	a, t := &x.run.Access, &x.run.Transfer
	memory := x.memory[x.run.Task.Worker[v]]
	first, _ := slices.BinarySearch(a.Task, v)
	if memory == trace.None || len(a.Handle) != len(a.Task) || len(x.byHandle) == 0 {
		return
	}
	for i := first; i < len(a.Task) && a.Task[i] == v; i++ {
		h, last := a.Handle[i], trace.None
		if slices.Contains(a.Handle[first:i], h) || !reads(a, i) {
			continue
		}
		for _, row := range x.byHandle[x.handleAt[h]:x.handleAt[h+1]] {
			arrived := t.Start[row] != trace.NoTime && t.End[row] != trace.NoTime && t.End[row] <= x.run.Task.Start[v]
			if arrived && t.To[row] >= 0 && x.memory[t.To[row]] == memory && (last == trace.None || t.End[row] > t.End[last]) {
				last = row
			}
		}
		if last != trace.None {
			add(last)
		}
	}
}

// reads says that an access needs what is there.
func reads(a *trace.Accesses, i int) bool {
	if len(a.Mode.Index) != len(a.Task) {
		return true
	}
	for _, c := range []byte(a.Mode.At(i)) {
		if c == 'R' {
			return true
		}
	}
	return false
}
