package decode

// StarPU's converter computes rates from what begins and ends, as this file
// does, but smooths those of work: a short idle time counts as part of the task
// after it. Here they are exact:
//
//   - the bandwidth of a memory is the sum, over the transfers under way, of
//     bytes over time from start to end, in MB/s of 1e6 bytes;
//   - the GFlop/s of a worker are the work that the application declares for
//     the task that it runs over the time that the task runs, 0 between tasks;
//     a parallel task's are each worker's share. Those of a rank are the sum.
//     What takes no time has no rate.

// executions are the tasks that workers ran, one row for each worker of a
// parallel task.
type executions struct {
	worker     []int32 // container
	start, end []int64
	gflop      []float64
}

// executed notes that a worker ran, until now, a task of so much work.
func (r *rank) executed(w *worker, start int64, gflop float64) {
	e := &r.traffic.executions
	if len(e.worker) == cap(e.worker) {
		r.growExecutions()
	}
	e.worker = append(e.worker, w.container)
	e.start, e.end = append(e.start, start), append(e.end, r.now)
	e.gflop = append(e.gflop, gflop)
}

// finishCounters computes the rates, when times are on the common clock.
func (r *rank) finishCounters() {
	e := &r.traffic.executions
	for _, times := range [][]int64{e.start, e.end} {
		for i, t := range times {
			times[i] = r.clock.time(t)
		}
	}
	r.reserveSamples(4*len(e.worker) + 4*len(r.out.Link.Start)) // where each begins and ends, at two places
	r.sampleWork(e)
	r.sampleBandwidth()
	r.traffic.executions = executions{}
}

// sampleWork appends the GFlop/s of each worker and of the rank.
func (r *rank) sampleWork(e *executions) {
	var total rates
	idle := make([]int, len(r.out.Container.Parent)) // by worker: 1 + the row that says that it works no more
	s := &r.out.Sample
	for i, w := range e.worker {
		if !(e.gflop[i] > 0) || e.start[i] >= e.end[i] {
			continue // not declared, or no rate
		}
		total.add(e.start[i], e.end[i], e.gflop[i])
		rate := total.rate[len(total.rate)-1]
		if row := idle[w] - 1; row >= 0 && s.Time[row] == e.start[i] {
			s.Value[row] = rate
		} else {
			r.sample(metricWorkerFlops, w, e.start[i], rate)
		}
		r.sample(metricWorkerFlops, w, e.end[i], 0)
		idle[w] = len(s.Time)
	}
	sampleRates(r.out, metrics[metricFlops], r.scheduler, &total)
}

// sampleBandwidth appends how fast data enters and leaves each memory node.
func (r *rank) sampleBandwidth() {
	l := &r.out.Link
	in, out := make([]rates, len(r.out.Container.Parent)), make([]rates, len(r.out.Container.Parent))
	for i, typ := range l.Type.Index {
		if typ > linkIdleFetch || l.From[i] < 0 || l.To[i] < 0 || l.Bytes[i] <= 0 || !known(l.Start[i], l.End[i]) {
			continue
		}
		megabytes := float64(l.Bytes[i]) / 1e6
		in[l.To[i]].add(l.Start[i], l.End[i], megabytes)
		out[l.From[i]].add(l.Start[i], l.End[i], megabytes)
	}
	for _, n := range r.nodes {
		if n != nil {
			sampleRates(r.out, metrics[metricIn], n.manager, &in[n.manager])
			sampleRates(r.out, metrics[metricOut], n.manager, &out[n.manager])
		}
	}
}
