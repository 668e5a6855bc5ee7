package tracetest

import (
	"cmp"
	"slices"

	"dagscope/trace"
)

// ranOrder is the rows of tasks in the order in which they were started.
type ranOrder []int32

// byWorker lists the tasks of each worker in the order in which it ran them.
func (o ranOrder) byWorker(run *trace.Run, p *platform) [][]int32 {
	number := make([]int32, len(run.Resource.Parent))
	for w, r := range p.worker {
		number[r] = int32(w)
	}
	count := make([]int, len(p.worker))
	for _, row := range o {
		count[number[run.Task.Worker[row]]]++
	}
	lists := make([][]int32, len(p.worker))
	for w, n := range count {
		lists[w] = make([]int32, 0, n)
	}
	for _, row := range o {
		w := number[run.Task.Worker[row]]
		lists[w] = append(lists[w], row)
	}
	return lists
}

// stateWriter appends spans of one resource.
type stateWriter struct {
	t        *trace.States
	resource int32
	kind     int32 // of the type
}

// add appends [start, end) unless it is empty.
func (s *stateWriter) add(kind string, start, end int64, task int32) {
	if start >= end {
		return
	}
	t := s.t
	t.Resource = append(t.Resource, s.resource)
	t.Type.AppendIndex(s.kind)
	t.Kind.Append(kind)
	t.Start, t.End = append(t.Start, start), append(t.End, end)
	t.Depth = append(t.Depth, 0)
	t.Task = append(t.Task, task)
}

// idle adds a wait, asleep when it is long.
func (s *stateWriter) idle(start, end int64) {
	kind := "Idle"
	if end-start > napAfter {
		kind = "Sleeping"
	}
	s.add(kind, start, end, trace.None)
}

// fillStates fills the time between tasks, from start-up to the horizon, and
// says what the submitting threads do.
func fillStates(run *trace.Run, p *platform, e *engine) {
	s := &stateWriter{t: &run.State}
	lists := e.ran.byWorker(run, p)
	workers, users := s.t.Type.Intern("Worker State"), s.t.Type.Intern("User Thread State")
	for node, user := range p.user {
		s.resource, s.kind = user, users
		begin, last := e.g.first[node], e.g.first[node+1]
		submitted := int64(0)
		if begin < last {
			submitted = run.Task.Submit[last-1]
		}
		s.add("Submitting task", 0, submitted, trace.None)
		s.add("Waiting all tasks", submitted, e.end, trace.None)
		s.kind = workers
		for w := node * p.perNode(); w < (node+1)*p.perNode(); w++ {
			s.resource = p.worker[w]
			s.worker(&run.Task, lists[w], run.Meta.Horizon)
		}
	}
}

func (s *stateWriter) worker(t *trace.Tasks, rows []int32, horizon int64) {
	const initialized = -startup / 2
	s.add("Initializing", -startup, initialized, trace.None)
	free := int64(initialized)
	for i, row := range rows {
		s.gap(i > 0, free, max(free, t.Ready[row]), t.Start[row], row)
		free = t.End[row]
	}
	if len(rows) > 0 {
		s.add("Callback", free, free+callback, trace.None)
		free += callback
	}
	s.idle(free, horizon-callback)
	s.add("Deinitializing", horizon-callback, horizon, trace.None)
}

// gap fills [free, start): the callback of the task before, a wait until the
// next task was taken, its scheduling, the wait for its data, and the overhead
// of launching it.
func (s *stateWriter) gap(after bool, free, taken, start int64, row int32) {
	if after {
		s.add("Callback", free, free+callback, trace.None)
		free += callback
	}
	if taken > free {
		s.idle(free, taken)
		free = taken
	}
	s.add("Scheduling", free, free+scheduling, trace.None)
	free += scheduling
	if start-overhead-free > callback {
		s.add("FetchingInput", free, start-overhead, row)
		free = start - overhead
	}
	s.add("Overhead", free, start, row)
}

// series is a step function in the making.
type series struct {
	time  []int64
	value []float64
	now   float64
}

// add changes the value from a time on, which is not before the last one.
func (s *series) add(time int64, delta float64) {
	s.now += delta
	if n := len(s.time); n > 0 && s.time[n-1] == time {
		s.value[n-1] = s.now
		return
	}
	s.time, s.value = append(s.time, time), append(s.value, s.now)
}

// counts are the scheduler's counters, per node.
type counts struct{ ready, submitted []series }

func newCounts(nodes int) *counts {
	return &counts{make([]series, nodes), make([]series, nodes)}
}

// fillSamples makes the counters: those of the schedulers and of used memory as
// they were counted, bandwidths from the transfers, speeds from the tasks.
func fillSamples(run *trace.Run, p *platform, e *engine) {
	for node, r := range p.scheduler {
		addSeries(run, "Number of Submitted Uncompleted Tasks", r, &e.count.submitted[node])
	}
	for node, r := range p.scheduler {
		addSeries(run, "Number of Ready Tasks", r, &e.count.ready[node])
	}
	for node, managers := range p.manager {
		for memory, r := range managers {
			addSeries(run, "Used (MB)", r, &e.data.used[node][memory])
		}
	}
	for _, metric := range []string{"Bandwidth In (MB/s)", "Bandwidth Out (MB/s)"} {
		ends := run.Transfer.To
		if metric == "Bandwidth Out (MB/s)" {
			ends = run.Transfer.From
		}
		for r, s := range bandwidths(run, ends) {
			addSeries(run, metric, int32(r), &s)
		}
	}
	for w, rows := range e.ran.byWorker(run, p) {
		s := speeds(run, p, rows)
		addSeries(run, "GFlop/s", p.worker[w], &s)
	}
}

func addSeries(run *trace.Run, metric string, resource int32, s *series) {
	t := &run.Sample
	if len(s.time) == 0 {
		return
	}
	x := t.Metric.Intern(metric)
	for range s.time {
		t.Metric.AppendIndex(x)
		t.Resource = append(t.Resource, resource)
	}
	t.Time, t.Value = append(t.Time, s.time...), append(t.Value, s.value...)
}

// bandwidths is the rate, per resource at one end of the transfers, of those
// under way, each at its mean rate.
func bandwidths(run *trace.Run, ends []int32) []series {
	type change struct {
		time int64
		rate float64
	}
	t := &run.Transfer
	changes := make([][]change, len(run.Resource.Parent))
	for i, r := range ends {
		rate := float64(t.Bytes[i]) * 1000 / float64(t.End[i]-t.Start[i]) // bytes per ns to MB/s
		changes[r] = append(changes[r], change{t.Start[i], rate}, change{t.End[i], -rate})
	}
	all := make([]series, len(changes))
	for r, list := range changes {
		slices.SortStableFunc(list, func(a, b change) int { return cmp.Compare(a.time, b.time) })
		under := 0
		for _, c := range list {
			all[r].add(c.time, c.rate)
			if c.rate > 0 {
				under++
			} else if under--; under == 0 {
				// No transfer is under way: 0, whatever rounding says.
				all[r].now, all[r].value[len(all[r].value)-1] = 0, 0
			}
		}
	}
	return all
}

// speeds is the rate at which a worker computes, 0 between tasks.
func speeds(run *trace.Run, p *platform, rows []int32) (s series) {
	t := &run.Task
	for _, row := range rows {
		kind := int(t.Kind.Index[row])
		rate := gflop(kind, p.tileSize) * 1e9 / float64(t.End[row]-t.Start[row])
		s.add(t.Start[row], rate)
		s.now = 0
		s.add(t.End[row], 0)
	}
	return s
}
