package decision

import (
	"cmp"
	"slices"

	"dagscope/explain/chain"
	"dagscope/trace"
)

// wait divides the time from the submission of a task to its start as the
// critical chain would if it ended there (docs/design/methods.md, Critical
// chain), and says of tasks that were in the way what the scheduler had done
// with them when it got this one.
func (x *Index) wait(v int32) *Wait {
	if !x.ran(v) {
		return nil
	}
	w := &Wait{Start: x.run.Task.Start[v], Since: x.since(v), Blockers: []Blocker{}}
	w.Submit = min(w.Since, orElse(x.run.Task.Submit[v], w.Since))
	w.Delay, w.Before = w.Start-w.Since, w.Since-w.Submit
	w.Enabler = x.why().Enabler(v)
	w.Ready = min(w.Start, orElse(x.run.Task.Ready[v], w.Since))
	var parts [3][]chain.Part // before Since, until it was ready, then
	x.why().Delay(v, w.Submit, func(p chain.Part) {
		from := w.Submit
		for i, to := range []int64{w.Since, w.Ready, w.Start} {
			if q := p.Within(from, to); q.From < q.To {
				parts[i] = append(parts[i], q)
			}
			from = to
		}
	})
	w.Earlier, w.Release, w.Causes = x.why().Reasons(v, parts[0]), x.why().Reasons(v, parts[1]), x.why().Reasons(v, parts[2])
	x.blockers(v, slices.Concat(parts[2], parts[1]), w)
	return w
}

// why divides waits: it is made at the first question.
func (x *Index) why() *chain.Index {
	x.once.Do(func() {
		if x.chain == nil {
			x.chain = chain.New(x.run, chain.Options{Lanes: x.lanes, Last: x.last})
		}
	})
	return x.chain
}

// blockers are the tasks whose execution is among parts of a delay, those that
// took most of it first.
func (x *Index) blockers(v int32, parts []chain.Part, w *Wait) {
	t := &x.run.Task
	type key struct {
		task  int32
		cause chain.Cause
	}
	at := map[key]int{}
	for _, p := range parts {
		if p.Class != chain.Execute {
			continue
		}
		u := x.why().TaskOf(p)
		k := key{u, p.Cause()}
		i, ok := at[k]
		if !ok {
			i = len(w.Blockers)
			at[k] = i
			b := Blocker{Task: t.Key.At(int(u)), Kind: t.Kind.At(int(u)), Priority: t.Priority[u], Worker: x.name(t.Worker[u]), Cause: k.cause.String()}
			if t.Worker[u] == t.Worker[v] {
				b.Running = x.pushed[v] != trace.NoTime && t.Start[u] < x.pushed[v]
				b.Taken = b.Running || x.takenFirst(u, v)
			}
			w.Blockers = append(w.Blockers, b)
		}
		w.Blockers[i].Length += p.To - p.From
	}
	slices.SortStableFunc(w.Blockers, func(a, b Blocker) int { return cmp.Compare(b.Length, a.Length) })
}

// takenFirst says that the worker of task u had taken it when v was pushed: of
// what happens in one instant, decisions tell the order.
func (x *Index) takenFirst(u, v int32) bool {
	switch taken := x.popped[u]; {
	case taken == trace.NoTime || x.pushed[v] == trace.NoTime:
		return false
	case x.poppedBy != nil && taken == x.pushed[v]:
		return x.poppedBy[u] < x.pushedBy[v]
	default:
		return taken <= x.pushed[v]
	}
}

// since is when a task could have begun: submitted, its last dependency over, or
// ready if it was that before.
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
	return min(since, orElse(t.Ready[v], since), t.Start[v])
}

func orElse(t, other int64) int64 {
	if t == trace.NoTime {
		return other
	}
	return t
}
