package replay

import (
	"cmp"
	"slices"

	"dagscope/read/ompt/event"
	"dagscope/trace"
)

// openmp makes the tables of regions, locks and processor time.
func (t *Tables) openmp(run *trace.Run) {
	places := t.look(&t.where)
	t.mutexes(&run.Mutex, places)
	row := t.constructs(&run.Construct, places)
	t.shares(run, row)
	t.processor.metrics(t, &run.Sample)
	t.processor = samples{}
}

// constructs makes table construct, by start, and says where each row went. A
// construct comes behind the one around it, which began no later.
func (t *Tables) constructs(to *trace.Constructs, places []placed) (row []int32) {
	c := &t.construct
	n := c.start.len()
	order := rowsBy(n, func(a, b int32) int { return cmp.Compare(*c.start.at(a), *c.start.at(b)) })
	row = inverse(order)
	for _, i := range order {
		to.Kind.Append(constructNames[*c.kind.at(i)])
		to.Line = append(to.Line, places[*c.place.at(i)].put(&to.Function, &to.File))
		if s := scheduleNames[*c.schedule.at(i)]; s != "" {
			to.Schedule.Append(s)
		} else {
			to.Schedule.AppendIndex(trace.None)
		}
		parent := *c.parent.at(i)
		if parent != none {
			parent = row[parent]
		}
		to.Parent = append(to.Parent, parent)
		to.Resource, to.Task = append(to.Resource, t.row(*c.thread.at(i))), append(to.Task, *c.task.at(i))
		to.Start, to.End = append(to.Start, *c.start.at(i)), append(to.End, *c.end.at(i))
		to.Leave = append(to.Leave, max(*c.leave.at(i), *c.end.at(i)))
		to.Team, to.Iterations = append(to.Team, *c.team.at(i)), append(to.Iterations, *c.iterations.at(i))
	}
	t.construct = constructs{}
	borrowPlaces(to)
	return row
}

// borrowPlaces gives constructs of which the runtime says an address of its own (regions
// of one thread, sections of gcc's programs) the place of the first construct in them,
// or else the function of the one around them.
func borrowPlaces(c *trace.Constructs) {
	inside := map[int32]int32{}
	for i, parent := range c.Parent {
		if _, ok := inside[parent]; !ok && parent != none && c.Function.Index[i] != trace.None {
			inside[parent] = int32(i)
		}
	}
	for i, parent := range c.Parent {
		if c.Function.Index[i] != trace.None {
			continue
		}
		if first, ok := inside[int32(i)]; ok {
			c.Function.Index[i], c.File.Index[i], c.Line[i] = c.Function.Index[first], c.File.Index[first], c.Line[first]
		} else if parent != none {
			c.Function.Index[i], c.File.Index[i] = c.Function.Index[parent], c.File.Index[parent]
		}
	}
}

// rowsBy is the order of n rows; equal ones stay as they are.
func rowsBy(n int, compare func(a, b int32) int) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, compare)
	return order
}

func inverse(order []int32) []int32 {
	row := make([]int32, len(order))
	for to, from := range order {
		row[from] = int32(to)
	}
	return row
}

// shares makes table share, by construct and thread, and table chunk. A thread that
// comes to a region a second time (damage) has its first share there.
func (t *Tables) shares(run *trace.Run, construct []int32) {
	s, to := &t.share, &run.Share
	order := rowsBy(s.start.len(), func(a, b int32) int {
		return cmp.Or(cmp.Compare(construct[*s.construct.at(a)], construct[*s.construct.at(b)]), cmp.Compare(*s.thread.at(a), *s.thread.at(b)))
	})
	of := make([]int32, len(order))
	use := t.processor.byThread(len(t.threads))
	for k, i := range order {
		c, thread := construct[*s.construct.at(i)], *s.thread.at(i)
		if k > 0 && c == to.Construct[len(to.Construct)-1] && t.row(thread) == to.Resource[len(to.Resource)-1] {
			of[i] = none
			t.log.Add(trace.Warning, t.process[t.threads[thread].Process].Source, 0, "share-twice", "found a thread that is in a construct twice: its first share counts")
			continue
		}
		of[i] = int32(len(to.Construct))
		start, end := *s.start.at(i), *s.end.at(i)
		to.Construct, to.Resource, to.Task = append(to.Construct, c), append(to.Resource, t.row(thread)), append(to.Task, *s.task.at(i))
		to.Start, to.End, to.Leave = append(to.Start, start), append(to.End, end), append(to.Leave, *s.leave.at(i))
		to.Chunks, to.Iterations = append(to.Chunks, *s.chunks.at(i)), append(to.Iterations, *s.iterations.at(i))
		processor, queued := use[thread].between(start, end)
		to.Processor, to.Queued = append(to.Processor, processor), append(to.Queued, queued)
	}
	t.share = shares{}
	t.chunks(&run.Chunk, of)
}

func (t *Tables) chunks(to *trace.Chunks, share []int32) {
	c := &t.chunk
	order := rowsBy(c.start.len(), func(a, b int32) int {
		return cmp.Compare(share[*c.share.at(a)], share[*c.share.at(b)])
	})
	for _, i := range order {
		if of := share[*c.share.at(i)]; of != none {
			to.Share, to.Start, to.End = append(to.Share, of), append(to.Start, *c.start.at(i)), append(to.End, *c.end.at(i))
			to.First, to.Iterations = append(to.First, *c.first.at(i)), append(to.Iterations, *c.iterations.at(i))
		}
	}
	t.chunk = chunks{}
}

// samples are readings of the threads' processor time.
type samples struct {
	thread             column[int32]
	time, used, queued column[int64] // queued: -1 if not known
}

func (s *samples) add(thread int32, now int64, e *event.Event) {
	s.thread.add(thread)
	s.time.add(now)
	s.used.add(max(0, e.Value))
	if e.Kind == event.ProcessorQueue {
		s.queued.add(int64(min(e.Count, 1<<62)))
	} else {
		s.queued.add(-1)
	}
}

// usage are the readings of one thread, by time; what counts never falls.
type usage struct{ time, used, queued []int64 }

func (s *samples) byThread(threads int) []usage {
	all := make([]usage, threads)
	for i := range s.time.len() {
		r := int32(i)
		u := &all[*s.thread.at(r)]
		used, queued := *s.used.at(r), *s.queued.at(r)
		if n := len(u.time); n > 0 {
			used = max(used, u.used[n-1])
			if queued >= 0 {
				queued = max(queued, u.queued[n-1])
			}
			if *s.time.at(r) == u.time[n-1] {
				u.used[n-1], u.queued[n-1] = used, queued
				continue
			}
		}
		u.time, u.used, u.queued = append(u.time, *s.time.at(r)), append(u.used, used), append(u.queued, queued)
	}
	return all
}

// known is the share of a span that readings must cover for the span to have a time.
const known = 0.9

// between is the processor time of a span, and the time without a processor, between
// readings in proportion; -1 if it is not known.
func (u *usage) between(start, end int64) (used, queued float64) {
	n := len(u.time)
	if n < 2 {
		return -1, -1
	}
	from, to := max(start, u.time[0]), min(end, u.time[n-1])
	if start == end && from == to {
		return 0, 0
	}
	covered := float64(to-from) / float64(end-start)
	if end == start || covered < known {
		return -1, -1
	}
	i, j := u.at(from), u.at(to)
	used, queued = (u.value(u.used, j, to)-u.value(u.used, i, from))/covered, -1
	if u.queued[i] >= 0 && u.queued[min(j+1, n-1)] >= 0 {
		queued = (u.value(u.queued, j, to) - u.value(u.queued, i, from)) / covered
	}
	return used, queued
}

// at is the last reading that is not after t; the first if all are.
func (u *usage) at(t int64) int {
	i, _ := slices.BinarySearch(u.time, t+1)
	return max(0, i-1)
}

// value is what a counter was at t, which is from reading i on.
func (u *usage) value(of []int64, i int, t int64) float64 {
	if i+1 >= len(of) {
		return float64(of[i])
	}
	part := float64(t-u.time[i]) / float64(u.time[i+1]-u.time[i])
	return float64(of[i]) + part*float64(of[i+1]-of[i])
}

// metrics are the readings as rates, from each to the next.
func (s *samples) metrics(t *Tables, to *trace.Samples) {
	all := s.byThread(len(t.threads))
	for _, metric := range []struct {
		name string
		of   func(u *usage) []int64
	}{
		{trace.MetricProcessor, func(u *usage) []int64 { return u.used }},
		{trace.MetricQueued, func(u *usage) []int64 { return u.queued }},
	} {
		for thread := range all {
			u := &all[thread]
			of := metric.of(u)
			for i, at := range u.time {
				if of[i] < 0 {
					continue
				}
				rate := 0.0
				if i+1 < len(of) {
					rate = float64(of[i+1]-of[i]) / float64(u.time[i+1]-at)
				}
				to.Metric.Append(metric.name)
				to.Resource, to.Time, to.Value = append(to.Resource, t.row(int32(thread))), append(to.Time, at), append(to.Value, max(0, rate))
			}
		}
	}
}
