package starpu

import "dagscope/trace"

// states adds what workers did between tasks, worker by worker.
func (t *tracer) states() {
	s := &t.b.Run.State
	order, at := t.statesByWorker()
	n := 0
	t.eachState(order, at, func(int32, workerState, int64, int64) { n++ })
	trace.Reserve(n, &s.Resource, &s.Depth, &s.Type.Index, &s.Kind.Index)
	trace.Reserve(n, &s.Start, &s.End)
	t.eachState(order, at, t.state)
}

// statesByWorker are the rows of state changes by worker, those of w from at[w]
// to at[w+1].
func (t *tracer) statesByWorker() (order, at []int32) {
	marks := t.e.log.detail.workerStates
	at = make([]int32, len(t.e.workers)+2)
	for i := range marks {
		at[marks[i].worker+2]++
	}
	for w := range t.e.workers {
		at[w+2] += at[w+1]
	}
	order = make([]int32, len(marks))
	for i := range marks {
		next := &at[marks[i].worker+1]
		order[*next] = int32(i)
		*next++
	}
	return order, at[:len(t.e.workers)+1]
}

// eachState calls add with the states of workers. What a device worker does
// while a task executes is not shown. When a task ends while the next one still
// waits for its data, the state is waiting for data.
func (t *tracer) eachState(order, at []int32, add func(worker int32, what workerState, begin, end int64)) {
	for w := range int32(len(t.e.workers)) {
		since, what, running, waiting := 0.0, stateSleeping, 0, 0
		until := func(to float64) {
			begin, end := t.e.nanoseconds(since), t.e.nanoseconds(to)
			if running == 0 && end > begin && what != stateExecuting {
				add(w, what, begin, end)
			}
		}
		for _, row := range order[at[w]:at[w+1]] {
			m := &t.e.log.detail.workerStates[row]
			until(m.at)
			since, what = m.at, m.what
			switch m.what {
			case stateFetching:
				waiting++
			case stateExecuting:
				waiting--
				running++
			case stateCleaning:
				if running--; waiting > 0 {
					what = stateFetching
				}
			}
		}
		until(t.e.log.end)
	}
}

func (t *tracer) state(worker int32, what workerState, begin, end int64) {
	s := &t.b.Run.State
	s.Resource = append(s.Resource, t.workers[worker])
	s.Type.Append("Worker State")
	if t.e.workers[worker].device {
		s.Kind.Append(deviceNames[what])
	} else {
		s.Kind.Append(stateNames[what])
	}
	s.Start, s.End = append(s.Start, begin), append(s.End, end)
	s.Depth = append(s.Depth, 0)
}
