package policy

import (
	"math"

	"dagscope/predict/starpu"
)

// deque is StarPU's family of schedulers that push each task to the worker on
// which it should end first: dm; dmda, with the transfers of its data; dmdap,
// with sorted queues; dmdar, popping first what has its data; dmdas, both;
// dmdasd, counting only what comes before the task in a sorted queue.
type deque struct {
	r                             starpu.Runtime
	log                           *starpu.DecisionLog
	data, sorted, ready, decision bool
	workers                       []taskFifo
	costs                         costs // by task
	free                          []*estimation
}

// estimation is what is expected of the workers that can run a task. Several
// tasks may be being pushed at a time.
type estimation struct {
	d             *deque
	task          int32
	now, earliest float64
	predictions   []prediction
}

// cost is what a task that was pushed to a worker adds to its expected length,
// in µs.
type cost struct{ length, transfer float64 }

// costs of tasks, in pages: however many tasks there are, none is copied.
type costs [][]cost

const costPage = 1 << 8

// of is the cost of a task.
func (c *costs) of(task int32) *cost {
	for int(task) >= len(*c)*costPage {
		*c = append(*c, make([]cost, costPage))
	}
	return &(*c)[task/costPage][task%costPage]
}

// prediction is what a task is expected to cost on a worker, in µs.
type prediction struct{ available, queued, length, penalty, end float64 }

// taskFifo is a worker's queue, and what StarPU expects of it (struct
// _starpu_fifo_taskq). Times are in µs.
type taskFifo struct {
	tasks       list
	ntasks      int     // tasks pushed to the worker that have not ended
	expStart    float64 // when the queue should begin to run (exp_start)
	expLen      float64 // length of the queue (exp_len)
	expEnd      float64
	pipelineLen float64 // length of what the worker has popped (pipeline_len)
}

// Priorities says that programs set priorities where queues are sorted.
func (d *deque) Priorities() bool { return d.sorted }

// LogDecisions keeps the log of decisions.
func (d *deque) LogDecisions(l *starpu.DecisionLog) { d.log = l }

func (d *deque) Start(r starpu.Runtime) {
	d.r = r
	n := r.Workers()
	d.workers = make([]taskFifo, n)
}

// Push pushes the task to the best worker.
func (d *deque) Push(task int32) {
	s := d.scratch()
	predictions := s.predictions
	best, basis := d.best(task, s)
	d.expect(task, best, predictions[best].length, predictions[best].penalty)
	d.r.Prefetch(task, best)
	d.r.Lock(best)
	p, place := &d.workers[best], d.workers[best].tasks.size
	if d.sorted {
		place = p.tasks.insert(task, d.r.Priority(task), d.log.Enabled())
	} else {
		p.tasks.append(task, d.r.Priority(task))
	}
	d.log.Push(task, d.log.WorkerQueue(best), place)
	logEstimates(d.log, d.r, task, predictions, basis)
	d.free = append(d.free, s)
	d.r.WakeLocked(best)
	d.r.Unlock(best)
}

// logEstimates logs what was expected of the workers that can run a task.
func logEstimates(m *starpu.DecisionLog, r starpu.Runtime, task int32, predictions []prediction, basis starpu.Basis) {
	if !m.WantsEstimates(task) {
		return
	}
	m.SetBasis(basis)
	for w := range predictions {
		if g := &predictions[w]; r.Can(task, int32(w)) {
			m.AddEstimate(starpu.Estimate{
				Worker: int32(w), Available: g.available, Queued: g.queued, Transfer: g.penalty, Duration: g.length,
				End: g.end, Fitness: g.fitness(basis.Best),
			})
		}
	}
}

// fitness says how bad a worker is: how much later than elsewhere the task
// ends, plus the time of its transfers.
func (g *prediction) fitness(earliest float64) float64 { return g.end - earliest + g.penalty }

// basisOf is what estimates have in common.
func basisOf(clock, earliest float64) starpu.Basis {
	return starpu.Basis{Clock: clock, Best: earliest, Alpha: 1, Beta: 1}
}

// scratch is for the estimation of a task.
func (d *deque) scratch() *estimation {
	if n := len(d.free); n > 0 {
		s := d.free[n-1]
		d.free = d.free[:n-1]
		return s
	}
	return &estimation{d: d, predictions: make([]prediction, len(d.workers))}
}

// expect adds a task to what a worker is expected to do.
func (d *deque) expect(task, worker int32, length, penalty float64) {
	p, now := &d.workers[worker], d.r.Now()
	d.r.Lock(worker)
	p.ntasks++
	p.expStart = max(p.expStart, now)
	p.expEnd = p.expStart + p.expLen
	if !d.data || now+penalty < p.expEnd {
		penalty = 0
	} else {
		penalty = now + penalty - p.expEnd
	}
	p.expLen += penalty
	p.expLen += length
	p.expEnd = p.expStart + p.expLen
	d.r.Unlock(worker)
	*d.costs.of(task) = cost{length, penalty}
}

// best is the worker with the smallest fitness (_dmda_push_task).
func (d *deque) best(task int32, s *estimation) (int32, starpu.Basis) {
	s.task, s.now, s.earliest = task, d.r.Now(), math.MaxFloat64
	predictions := s.predictions
	if d.decision {
		for w := range int32(len(d.workers)) {
			if d.r.Can(task, w) {
				s.BeforeModel(w)
				d.r.Lock(w)
				predictions[w].queued = d.before(&d.workers[w], task, w)
				d.r.Unlock(w)
				d.r.ReadModel(task)
				s.AfterModel(w)
			}
		}
	} else {
		d.r.ReadModels(task, s)
	}
	best, minFitness := int32(none), 0.0
	for w := range d.workers {
		if !d.r.Can(task, int32(w)) {
			continue
		}
		if fitness := predictions[w].fitness(s.earliest); best == none || fitness < minFitness {
			best, minFitness = int32(w), fitness
		}
	}
	return best, basisOf(s.now, s.earliest)
}

// BeforeModel notes when a worker is expected to begin.
func (s *estimation) BeforeModel(worker int32) {
	p := &s.d.workers[worker]
	s.predictions[worker] = prediction{available: max(p.expStart, s.now), queued: p.expLen}
}

// AfterModel predicts when the task would end there.
func (s *estimation) AfterModel(worker int32) {
	g := &s.predictions[worker]
	g.length = s.d.r.Length(s.task, worker)
	begin := g.available + g.queued
	if s.d.data {
		g.penalty = s.d.r.Penalty(s.task, worker)
		begin = max(begin, s.now+g.penalty)
	}
	g.end = begin + g.length
	s.earliest = min(s.earliest, g.end)
}

// before is the length of what comes before the task in a sorted queue.
func (d *deque) before(p *taskFifo, task, worker int32) float64 {
	priority := d.r.Priority(task)
	if p.tasks.size == 0 || p.tasks.first().priority < priority {
		return p.pipelineLen
	}
	if p.tasks.last().priority >= priority {
		return p.expLen
	}
	sum := p.pipelineLen
	for i := p.tasks.head; i != none && p.tasks.at(i).priority >= priority; i = p.tasks.at(i).next {
		d.r.ReadModel(p.tasks.at(i).task)
		sum += d.r.Length(p.tasks.at(i).task, worker)
	}
	return sum
}

// NothingToPop says that the worker's queue is empty.
func (d *deque) NothingToPop(worker int32) bool {
	p := &d.workers[worker]
	if p.tasks.size > 0 {
		return false
	}
	d.look(p)
	return true
}

// look is what a worker that looks for a task does to its expected dates.
func (d *deque) look(p *taskFifo) {
	p.expStart = max(d.r.Now(), p.expStart)
	p.expEnd = p.expStart + p.expLen
}

// Pop takes the worker's first task, or among those of its priority the one
// with most of its data.
func (d *deque) Pop(worker int32) int32 {
	p := &d.workers[worker]
	d.look(p)
	if p.tasks.size == 0 {
		return none
	}
	at := p.tasks.head
	if d.ready {
		at = d.firstReady(p, worker)
	}
	task, place := p.tasks.task(at, d.log.Enabled())
	p.tasks.remove(at)
	d.log.Pop(task, worker, d.log.WorkerQueue(worker), place)
	transfer := d.costs.of(task).transfer
	p.expLen -= transfer
	p.pipelineLen += transfer
	p.expStart = d.r.Now() + p.pipelineLen
	p.expEnd = p.expStart + p.expLen
	return task
}

// firstReady is the first of the tasks of at least the first one's priority
// that lacks least of its data (_starpu_fifo_pop_first_ready_task).
func (d *deque) firstReady(p *taskFifo, worker int32) int32 {
	const unknown = math.MaxInt64
	best, priority := p.tasks.head, p.tasks.first().priority
	missing, waiting, unallocated := int64(unknown), int64(unknown), int64(unknown)
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

// Started moves a task from the queue to the pipeline.
func (d *deque) Started(task, worker int32) {
	p, now := &d.workers[worker], d.r.Now()
	d.r.Lock(worker)
	length := d.costs.of(task).length
	p.pipelineLen -= d.costs.of(task).transfer
	p.expLen -= length
	p.pipelineLen += length
	p.expStart = now + p.pipelineLen
	p.expEnd = p.expStart + p.expLen
	d.r.Unlock(worker)
}

// Ended removes a task from the pipeline.
func (d *deque) Ended(task, worker int32) {
	p := &d.workers[worker]
	d.r.Lock(worker)
	p.pipelineLen -= d.costs.of(task).length
	p.ntasks--
	p.expStart = max(d.r.Now()+p.pipelineLen, p.expStart)
	p.expEnd = p.expStart + p.expLen
	d.r.Unlock(worker)
}
