package tasking

import (
	"dagscope/explain/lock"
	"dagscope/internal/interval"
	"dagscope/trace"
)

// pieces finds the pieces of a task: rows of the table of segments, or the task
// itself.
type pieces struct {
	run *trace.Run
	o   Options
	// waits is, by resource, when it waited for a lock, which is no work; nil without locks.
	waits []interval.Cover
	at    []int32 // by task, one more: its segments are rows [at[v], at[v+1]); nil without segments
}

func newPieces(run *trace.Run, o Options) pieces {
	p := pieces{run: run, o: o, waits: covers(lock.Waits(run))}
	if len(run.Segment.Task) == 0 {
		return p
	}
	p.at = make([]int32, len(run.Task.Start)+1)
	row := int32(0)
	for v := range run.Task.Start {
		p.at[v] = row
		for int(row) < len(run.Segment.Task) && int(run.Segment.Task[row]) == v {
			row++
		}
	}
	p.at[len(run.Task.Start)] = row
	return p
}

// of returns how many pieces a task has.
func (p *pieces) of(v int32) int {
	if !p.o.working(&p.run.Task, int(v)) {
		return 0
	}
	if p.at == nil || p.at[v] == p.at[v+1] {
		return 1
	}
	return int(p.at[v+1] - p.at[v])
}

// piece returns piece i of a task.
func (p *pieces) piece(v int32, i int) (worker int32, start, end int64) {
	if p.at == nil || p.at[v] == p.at[v+1] {
		t := &p.run.Task
		return t.Worker[v], t.Start[v], t.End[v]
	}
	s, row := &p.run.Segment, p.at[v]+int32(i)
	return s.Worker[row], s.Start[row], s.End[row]
}

// work is the time that the pieces of a task cover, as far as it counts.
func (p *pieces) work(v int32) (sum int64) {
	c := newClock(v)
	return c.until(p, forever)
}

// covers answer how much of a time spans cover.
func covers(spans []interval.Spans) (all []interval.Cover) {
	for _, s := range spans {
		all = append(all, interval.NewCover(s))
	}
	return all
}

// waited is how long a worker waited for locks.
func (p *pieces) waited(worker int32, from, to int64) int64 {
	if p.waits == nil || worker < 0 || from >= to {
		return 0
	}
	return p.waits[worker].Within(from, to)
}

const forever = int64(1<<63 - 1)

// clock counts the work of a task from its start on.
type clock struct {
	task    int32
	next    int   // piece
	covered int64 // until when pieces are counted
}

func newClock(v int32) clock { return clock{task: v, covered: trace.NoTime} }

// until is the work from where the clock stands to t, which it moves to.
func (c *clock) until(p *pieces, t int64) (sum int64) {
	for n := p.of(c.task); c.next < n; c.next++ {
		worker, start, end := p.piece(c.task, c.next)
		if start >= t {
			break
		}
		start, end = max(start, c.covered), min(end, t)
		from, to := p.o.clip(start, end)
		sum += max(0, to-from) - p.waited(worker, from, to)
		if c.covered = max(start, end); end == t {
			break
		}
	}
	return sum
}
