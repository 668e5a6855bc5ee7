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

// room makes place for n spans.
func (s *stateWriter) room(n int) {
	t := s.t
	for _, c := range []*[]int32{&t.Resource, &t.Type.Index, &t.Kind.Index, &t.Depth, &t.Task} {
		*c = slices.Grow(*c, n)
	}
	t.Start, t.End = slices.Grow(t.Start, n), slices.Grow(t.End, n)
}

// fillStates fills the time between tasks, from start-up to the horizon, and
// says what the submitting threads do.
func fillStates(run *trace.Run, p *platform, e *engine) {
	s := &stateWriter{t: &run.State}
	s.room(3*len(e.ran) + len(e.ran)/8) // callback, scheduling and overhead; rarely more
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

// newCounts has room for the two changes that each task brings to a counter.
func newCounts(g *graph) *counts {
	c := &counts{make([]series, g.nodes()), make([]series, g.nodes())}
	for node := range g.nodes() {
		n := 2 * (g.first[node+1] - g.first[node])
		for _, s := range []*series{&c.ready[node], &c.submitted[node]} {
			s.time, s.value = make([]int64, 0, n), make([]float64, 0, n)
		}
	}
	return c
}

// counter is the series of one metric and resource.
type counter struct {
	metric   string
	resource int32
	series
}

// fillSamples makes the counters: those of the schedulers and of used memory as
// they were counted, bandwidths from the transfers, speeds from the tasks.
func fillSamples(run *trace.Run, p *platform, e *engine) {
	var all []counter
	for node, r := range p.scheduler {
		all = append(all, counter{"Number of Submitted Uncompleted Tasks", r, e.count.submitted[node]})
	}
	for node, r := range p.scheduler {
		all = append(all, counter{"Number of Ready Tasks", r, e.count.ready[node]})
	}
	for node, managers := range p.manager {
		for memory, r := range managers {
			all = append(all, counter{"Used (MB)", r, e.data.used[node][memory]})
		}
	}
	for r, s := range bandwidths(run, run.Transfer.To) {
		all = append(all, counter{"Bandwidth In (MB/s)", int32(r), s})
	}
	for r, s := range bandwidths(run, run.Transfer.From) {
		all = append(all, counter{"Bandwidth Out (MB/s)", int32(r), s})
	}
	for w, rows := range e.ran.byWorker(run, p) {
		all = append(all, counter{"GFlop/s", p.worker[w], speeds(run, p, rows)})
	}
	e.count, e.data.used = nil, nil // each series can go once it is copied
	joinCounters(&run.Sample, all)
}

// joinCounters makes the table of the series, which are in its order.
func joinCounters(t *trace.Samples, all []counter) {
	n := 0
	for _, c := range all {
		n += len(c.time)
	}
	t.Metric.Index, t.Resource = make([]int32, 0, n), make([]int32, 0, n)
	t.Time, t.Value = make([]int64, 0, n), make([]float64, 0, n)
	for i, c := range all {
		if len(c.time) == 0 {
			continue
		}
		x := t.Metric.Intern(c.metric)
		for range c.time {
			t.Metric.AppendIndex(x)
			t.Resource = append(t.Resource, c.resource)
		}
		t.Time, t.Value = append(t.Time, c.time...), append(t.Value, c.value...)
		all[i] = counter{}
	}
}

// bandwidths is the rate, per resource at one end of the transfers, of those
// under way, each at its mean rate.
func bandwidths(run *trace.Run, ends []int32) []series {
	type change struct {
		time int64
		rate float64
	}
	t := &run.Transfer
	count := make([]int, len(run.Resource.Parent))
	for _, r := range ends {
		count[r] += 2
	}
	changes, all := make([][]change, len(count)), make([]series, len(count))
	for r, n := range count {
		changes[r] = make([]change, 0, n)
		all[r].time, all[r].value = make([]int64, 0, n), make([]float64, 0, n)
	}
	for i, r := range ends {
		rate := float64(t.Bytes[i]) * 1000 / float64(t.End[i]-t.Start[i]) // bytes per ns to MB/s
		changes[r] = append(changes[r], change{t.Start[i], rate}, change{t.End[i], -rate})
	}
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
	s.time, s.value = make([]int64, 0, 2*len(rows)), make([]float64, 0, 2*len(rows))
	for _, row := range rows {
		kind := int(t.Kind.Index[row])
		rate := gflop(kind, p.tileSize) * 1e9 / float64(t.End[row]-t.Start[row])
		s.add(t.Start[row], rate)
		s.now = 0
		s.add(t.End[row], 0)
	}
	return s
}
