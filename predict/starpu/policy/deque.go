package policy

import (
	"math"

	"dagscope/predict/starpu"
)

// deque is StarPU's family of schedulers that give each task to the worker on
// which it should end first: dm; with the transfers of its data, dmda; with
// sorted queues, dmdap; taking first what has its data, dmdar; both, dmdas;
// counting only what comes before it in these queues, dmdasd.
type deque struct {
	r                             starpu.Runtime
	mind                          *starpu.Mind
	data, sorted, ready, decision bool
	workers                       []plan
	given                         []cost // by task
	free                          [][]guess
}

// cost is what a task that has been given to a worker adds to its plan, in µs.
type cost struct{ length, transfer float64 }

// of is the cost of a task.
func (d *deque) of(task int32) *cost {
	for int(task) >= len(d.given) {
		d.given = append(d.given, make([]cost, 1+len(d.given))...)
	}
	return &d.given[task]
}

// guess is what a task is expected to cost on a worker, in µs. Several tasks
// may be being pushed at a time.
type guess struct{ available, queued, length, penalty, end float64 }

// plan is what a worker has been given, and when that should be over. Times
// are in µs.
type plan struct {
	tasks    list
	inside   int     // tasks given to the worker and not over
	start    float64 // of what is queued
	queued   float64 // length of that
	finish   float64
	pipeline float64 // length of what the worker has taken and not ended
}

// Priorities says that programs set priorities where queues are sorted.
func (d *deque) Priorities() bool { return d.sorted }

// Watch keeps whom decisions are told.
func (d *deque) Watch(m *starpu.Mind) { d.mind = m }

func (d *deque) Start(r starpu.Runtime) {
	d.r = r
	n := r.Workers()
	d.workers = make([]plan, n)
}

// Push gives the task to the best worker.
func (d *deque) Push(task int32) {
	guesses := d.scratch()
	best, basis := d.best(task, guesses)
	d.expect(task, best, guesses[best].length, guesses[best].penalty)
	d.r.Prefetch(task, best)
	d.r.Lock(best)
	p, place := &d.workers[best], d.workers[best].tasks.size
	if d.sorted {
		place = p.tasks.insert(task, d.r.Priority(task))
	} else {
		p.tasks.append(task, d.r.Priority(task))
	}
	d.mind.Push(task, d.mind.Own(best), place)
	tell(d.mind, d.r, task, guesses, basis)
	d.free = append(d.free, guesses)
	d.r.WakeLocked(best)
	d.r.Unlock(best)
}

// tell tells what was expected of the workers that can run a task.
func tell(m *starpu.Mind, r starpu.Runtime, task int32, guesses []guess, basis starpu.Basis) {
	if !m.Wants(task) {
		return
	}
	m.Consider(basis)
	for w := range guesses {
		if g := &guesses[w]; r.Can(task, int32(w)) {
			m.Expect(starpu.Estimate{
				Worker: int32(w), Available: g.available, Queued: g.queued, Transfer: g.penalty, Duration: g.length,
				End: g.end, Fitness: g.fitness(basis.Best),
			})
		}
	}
}

// fitness says how bad a worker is: how much later than elsewhere the task ends,
// and how long its transfers take, both as heavy.
func (g *guess) fitness(earliest float64) float64 { return g.end - earliest + g.penalty }

// basisOf is what estimates have in common.
func basisOf(clock, earliest float64) starpu.Basis {
	return starpu.Basis{Clock: clock, Best: earliest, Alpha: 1, Beta: 1}
}

// scratch is room for the guesses of a task.
func (d *deque) scratch() []guess {
	if n := len(d.free); n > 0 {
		g := d.free[n-1]
		d.free = d.free[:n-1]
		return g
	}
	return make([]guess, len(d.workers))
}

// expect adds a task to what a worker has to do.
func (d *deque) expect(task, worker int32, length, penalty float64) {
	p, now := &d.workers[worker], d.r.Now()
	d.r.Lock(worker)
	p.inside++
	p.start = max(p.start, now)
	p.finish = p.start + p.queued
	if !d.data || now+penalty < p.finish {
		penalty = 0
	} else {
		penalty = now + penalty - p.finish
	}
	p.queued += penalty
	p.queued += length
	p.finish = p.start + p.queued
	d.r.Unlock(worker)
	*d.of(task) = cost{length, penalty}
}

// best is the worker on which the task costs least.
func (d *deque) best(task int32, guesses []guess) (int32, starpu.Basis) {
	now, earliest := d.r.Now(), math.MaxFloat64
	for w := range d.workers {
		if d.r.Can(task, int32(w)) {
			guesses[w] = d.estimate(task, int32(w), now)
			earliest = min(earliest, guesses[w].end)
		}
	}
	best, least := int32(none), 0.0
	for w := range d.workers {
		if !d.r.Can(task, int32(w)) {
			continue
		}
		if fitness := guesses[w].fitness(earliest); best == none || fitness < least {
			best, least = int32(w), fitness
		}
	}
	return best, basisOf(now, earliest)
}

// estimate is when the task would be over on a worker.
func (d *deque) estimate(task, worker int32, now float64) guess {
	p := &d.workers[worker]
	start, before := max(p.start, now), p.queued
	if d.decision {
		d.r.Lock(worker)
		before = d.before(p, task, worker)
		d.r.Unlock(worker)
	}
	d.r.Consult(task)
	g := guess{available: start, queued: before, length: d.r.Length(task, worker)}
	begin := start + before
	if d.data {
		g.penalty = d.r.Penalty(task, worker)
		begin = max(begin, now+g.penalty)
	}
	g.end = begin + g.length
	return g
}

// before is the length of what comes before the task in a sorted queue.
func (d *deque) before(p *plan, task, worker int32) float64 {
	priority := d.r.Priority(task)
	if p.tasks.size == 0 || p.tasks.first().priority < priority {
		return p.pipeline
	}
	if p.tasks.last().priority >= priority {
		return p.queued
	}
	sum := p.pipeline
	for i := p.tasks.head; i != none && p.tasks.at(i).priority >= priority; i = p.tasks.at(i).next {
		d.r.Consult(p.tasks.at(i).task)
		sum += d.r.Length(p.tasks.at(i).task, worker)
	}
	return sum
}

// Pop gives the worker its first task, or of those the one with most of its
// data.
func (d *deque) Pop(worker int32) int32 {
	p, now := &d.workers[worker], d.r.Now()
	p.start = max(now, p.start)
	p.finish = p.start + p.queued
	if p.tasks.size == 0 {
		return none
	}
	at := p.tasks.head
	if d.ready {
		at = d.mostReady(p, worker)
	}
	task, place := p.tasks.task(at, d.mind.Watching())
	p.tasks.remove(at)
	d.mind.Pop(task, worker, d.mind.Own(worker), place)
	transfer := d.of(task).transfer
	p.queued -= transfer
	p.pipeline += transfer
	p.start = d.r.Now() + p.pipeline
	p.finish = p.start + p.queued
	return task
}

// mostReady is the first of the tasks of at least the first one's priority of
// whose data least is missing.
func (d *deque) mostReady(p *plan, worker int32) int32 {
	const most = math.MaxInt64
	best, priority := p.tasks.head, p.tasks.first().priority
	missing, waiting, unallocated := int64(most), int64(most), int64(most)
	for i := p.tasks.head; i != none; i = p.tasks.at(i).next {
		n := p.tasks.at(i)
		if n.priority < priority {
			if d.sorted {
				break
			}
			continue
		}
		m, w, u := d.r.Missing(n.task, worker)
		switch {
		case m < missing:
			best, missing, waiting, unallocated = i, m, w, u
			if m == 0 && u == 0 {
				return best
			}
		case m == missing && w < waiting:
			best, waiting, unallocated = i, w, u
		case m == missing && w == waiting && u < unallocated:
			best, unallocated = i, u
		}
	}
	return best
}

// Started moves a task from what is queued to what is executed.
func (d *deque) Started(task, worker int32) {
	p, now := &d.workers[worker], d.r.Now()
	d.r.Lock(worker)
	length := d.of(task).length
	p.pipeline -= d.of(task).transfer
	p.queued -= length
	p.pipeline += length
	p.start = now + p.pipeline
	p.finish = p.start + p.queued
	d.r.Unlock(worker)
}

// Ended takes a task out of what is executed.
func (d *deque) Ended(task, worker int32) {
	p := &d.workers[worker]
	d.r.Lock(worker)
	p.pipeline -= d.of(task).length
	p.inside--
	p.start = max(d.r.Now()+p.pipeline, p.start)
	p.finish = p.start + p.queued
	d.r.Unlock(worker)
}
