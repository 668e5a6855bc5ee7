package policy

import (
	"math"
	"slices"

	"dagscope/predict/starpu"
)

// modular is StarPU's modular-heft: a tree of components. Ready tasks wait in
// one queue by priority. From there, the first is pushed to the worker where it
// should end first, as under dmdas, until that worker's own queue is full;
// whenever a worker has popped from its queue, this is tried again. What a
// worker is expected to do is what is in its queue, and what it has popped
// since it last asked for a task: what runs on a device at that moment is
// forgotten.
type modular struct {
	r       starpu.Runtime
	log     *starpu.DecisionLog
	ready   starpu.Queue // of waiting tasks
	waiting queue
	workers []workerComponent
	order   deque // in which a worker pops tasks from its queue
	costs   costs
	free    [][]prediction
}

// workerComponent is a worker with its queue. Times are in µs.
type workerComponent struct {
	queue    taskFifo // its tasks and their length
	expected expectation
}

// expectation is until when a worker is expected to be busy with what it has
// popped. Times are in µs.
type expectation struct{ expStart, expLen, expEnd, pipelineLen float64 }

// ntasksThreshold is how many tasks a worker's queue takes
// (STARPU_NTASKS_THRESHOLD).
const ntasksThreshold = 30

// Priorities says that programs set priorities.
func (m *modular) Priorities() bool { return true }

// LogDecisions keeps the log of decisions.
func (m *modular) LogDecisions(l *starpu.DecisionLog) {
	m.log, m.ready, m.waiting.logged = l, l.SharedQueue("ready"), true
}

func (m *modular) Start(r starpu.Runtime) {
	m.r, m.workers = r, make([]workerComponent, r.Workers())
	m.order = deque{r: r, sorted: true}
}

// Push queues the task, and pushes waiting tasks on to workers.
func (m *modular) Push(task int32) {
	m.componentLock()
	m.waiting.push(task, m.r.Priority(task))
	m.log.Push(task, m.ready, m.waiting.place)
	m.pump()
}

// componentLock counts the simcalls of a component's lock.
func (m *modular) componentLock() {
	if m.r.Self() == none {
		m.r.Simcalls(2)
		return
	}
	m.r.Simcalls(7)
}

// pump pushes waiting tasks to workers until the queue of the next one's worker
// is full.
func (m *modular) pump() {
	for m.waiting.size > 0 {
		m.componentLock()
		task := m.waiting.oldest(func(int32) bool { return true })
		if task == none {
			return
		}
		m.log.Take(task, m.ready, m.waiting.place)
		if !m.pushToBest(task) {
			m.componentLock()
			m.waiting.putBack(task, m.r.Priority(task))
			m.log.Push(task, m.ready, m.waiting.place)
			return
		}
	}
}

// putBack makes a task that has been popped the first of its priority again.
func (q *queue) putBack(task, priority int32) {
	q.push(task, priority)
	i := slices.IndexFunc(q.rows, func(r row) bool { return r.priority == priority })
	r := &q.rows[i]
	if r.head > 0 {
		r.head--
		r.tasks = r.tasks[:len(r.tasks)-1]
	} else {
		copy(r.tasks[1:], r.tasks)
	}
	r.tasks[r.head] = task
	q.notePlace(i, r.head)
}

// pushToBest pushes the task to the best worker unless its queue is full.
func (m *modular) pushToBest(task int32) bool {
	predictions := m.predict(task)
	m.r.LockPolicy()
	w, basis := m.best(task, predictions)
	s := &m.workers[w]
	fits := s.queue.tasks.size < ntasksThreshold
	m.componentLock()
	if fits {
		place := m.enqueue(task, s, predictions[w])
		m.log.Push(task, m.log.WorkerQueue(w), place)
		logEstimates(m.log, m.r, task, predictions, basis)
		m.r.Prefetch(task, w)
	}
	m.free = append(m.free, predictions)
	if fits {
		m.r.Wake(w)
	}
	m.r.UnlockPolicy()
	return fits
}

// predict is what the task should cost on each worker.
func (m *modular) predict(task int32) []prediction {
	predictions := make([]prediction, len(m.workers))
	if n := len(m.free); n > 0 {
		predictions, m.free = m.free[n-1], m.free[:n-1]
	}
	for w := range int32(len(m.workers)) {
		if m.r.Can(task, w) {
			m.r.ReadModel(task)
			m.r.ReadModel(task)
			predictions[w] = prediction{length: m.r.Length(task, w), penalty: m.r.Penalty(task, w)}
		}
	}
	return predictions
}

// best is the worker with the smallest fitness; ties go to the first.
func (m *modular) best(task int32, predictions []prediction) (int32, starpu.Basis) {
	now, earliest := m.r.Now(), math.MaxFloat64
	for w := range m.workers {
		if g := &predictions[w]; m.r.Can(task, int32(w)) {
			begin := max(now, m.workers[w].until(now))
			g.available, g.queued = m.workers[w].expected.expEnd, m.workers[w].queue.expLen
			g.end = begin + max(0, now+g.penalty-begin) + g.length
			earliest = min(earliest, g.end)
		}
	}
	best, minFitness := int32(none), 0.0
	for w := range m.workers {
		if !m.r.Can(task, int32(w)) {
			continue
		}
		if fitness := predictions[w].fitness(earliest); best == none || fitness < minFitness {
			best, minFitness = int32(w), fitness
		}
	}
	return best, basisOf(now, earliest)
}

// until is when a worker should have finished what it has popped and its queue.
func (s *workerComponent) until(now float64) float64 {
	if h := &s.expected; now > h.expStart {
		h.expStart = now
		h.expEnd = h.expStart + h.expLen
	}
	return s.expected.expEnd + s.queue.expLen
}

// enqueue puts a task into a worker's queue, and returns its position. Of its
// transfers, only what should not have ended by the task's turn counts.
func (m *modular) enqueue(task int32, s *workerComponent, g prediction) (place int) {
	now := m.r.Now()
	transfer := max(0, now+g.penalty-s.until(now))
	s.queue.expLen += g.length + transfer
	*m.costs.of(task) = cost{g.length, transfer}
	return s.queue.tasks.insert(task, m.r.Priority(task), m.log.Enabled())
}

// Pop takes, of the tasks of the highest priority in the worker's queue, the
// one with most of its data there.
func (m *modular) Pop(worker int32) int32 {
	s := &m.workers[worker]
	for range 2 {
		s.expected.reset(m.r.Now())
		m.componentLock()
		task := int32(none)
		if s.queue.tasks.size > 0 {
			m.componentLock()
			task = m.dequeue(worker)
		}
		m.pump()
		if task != none {
			m.take(task, worker)
			return task
		}
		if !m.r.KeepAwake(worker) {
			break
		}
	}
	return none
}

// reset forgets what a worker has popped before.
func (h *expectation) reset(now float64) { *h = expectation{expStart: now, expEnd: now} }

// dequeue takes a task out of a worker's queue.
func (m *modular) dequeue(worker int32) int32 {
	q := &m.workers[worker].queue
	at := m.order.firstReady(q, worker)
	task, place := q.tasks.task(at, m.log.Enabled())
	q.tasks.remove(at)
	m.log.Pop(task, worker, m.log.WorkerQueue(worker), place)
	c := m.costs.of(task)
	q.expLen = max(0, q.expLen-c.length)
	q.expLen = max(0, q.expLen-c.transfer)
	if q.tasks.size == 0 {
		q.expLen = 0
	}
	return task
}

// take notes that a worker has popped a task: its transfers begin.
func (m *modular) take(task, worker int32) {
	m.r.ReadModel(task)
	c := m.costs.of(task)
	*c = cost{m.r.Length(task, worker), m.r.Penalty(task, worker)}
	m.componentLock()
	h, now := &m.workers[worker].expected, m.r.Now()
	h.expStart = max(h.expStart, now)
	c.transfer = max(0, now+c.transfer-h.expEnd)
	h.expLen += c.length
	h.pipelineLen += c.transfer
	h.expStart = now + h.pipelineLen
	h.expEnd = h.expStart + h.expLen
}

// Started moves a task from the queue to the pipeline.
func (m *modular) Started(task, worker int32) {
	m.componentLock()
	h, now, c := &m.workers[worker].expected, m.r.Now(), m.costs.of(task)
	h.pipelineLen += c.length - c.transfer
	h.expLen -= c.length
	h.expStart = now + h.pipelineLen
	h.expEnd = h.expStart + h.expLen
}

// Ended removes a task from the pipeline.
func (m *modular) Ended(task, worker int32) {
	m.componentLock()
	h := &m.workers[worker].expected
	h.pipelineLen -= m.costs.of(task).length
	h.expStart = max(m.r.Now()+h.pipelineLen, h.expStart)
	h.expEnd = h.expStart + h.expLen
}
