package policy

import (
	"math"
	"slices"

	"dagscope/predict/starpu"
)

// modular is StarPU's modular-heft: a tree of components. Tasks that are ready
// wait in one queue by priority. From there, the first goes to the worker where
// it should end first, as under dmdas, until that worker's own queue is full;
// when a worker has looked into its queue, this is tried again. What a worker
// is expected to do is what is in its queue, and what it has taken since it last
// asked for a task: what runs on a device at that moment is forgotten.
type modular struct {
	r        starpu.Runtime
	mind     *starpu.Mind
	ready    starpu.Queue // of what waits
	waiting  queue
	stations []station
	order    deque // by which a worker takes tasks out of its queue
	given    []cost
	free     [][]guess
}

// station is a worker with its queue. Times are in µs.
type station struct {
	queue plan // its tasks, and the length of what is queued
	taken horizon
}

// horizon is until when a worker is expected to be busy with what it has taken.
// Times are in µs.
type horizon struct{ start, queued, finish, pipeline float64 }

// mostQueued is how many tasks lie in a worker's queue.
const mostQueued = 30

// Priorities says that programs set priorities.
func (m *modular) Priorities() bool { return true }

// Watch keeps whom decisions are told.
func (m *modular) Watch(mind *starpu.Mind) {
	m.mind, m.ready, m.waiting.watched = mind, mind.Shared("ready"), true
}

func (m *modular) Start(r starpu.Runtime) {
	m.r, m.stations = r, make([]station, r.Workers())
	m.order = deque{r: r, sorted: true}
}

// Push queues the task, and hands on what it can.
func (m *modular) Push(task int32) {
	m.touch()
	m.waiting.push(task, m.r.Priority(task))
	m.mind.Push(task, m.ready, m.waiting.place)
	m.handOn()
}

// touch costs what a component's lock does.
func (m *modular) touch() {
	if m.r.Self() == none {
		m.r.Pass(2)
		return
	}
	m.r.Pass(7)
}

// handOn gives waiting tasks to workers until the next one's worker has no
// room.
func (m *modular) handOn() {
	for m.waiting.size > 0 {
		m.touch()
		task := m.waiting.oldest(func(int32) bool { return true })
		if task == none {
			return
		}
		m.mind.Take(task, m.ready, m.waiting.place)
		if !m.give(task) {
			m.touch()
			m.waiting.putBack(task, m.r.Priority(task))
			m.mind.Push(task, m.ready, m.waiting.place)
			return
		}
	}
}

// putBack makes a task that has been taken the first of its priority again.
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
	q.note(i, r.head)
}

// give gives the task to the best worker unless that has too many.
func (m *modular) give(task int32) bool {
	guesses := m.predict(task)
	m.r.Guard()
	w, basis := m.best(task, guesses)
	s := &m.stations[w]
	fits := s.queue.tasks.size < mostQueued
	m.r.Pass(2)
	if fits {
		place := m.enqueue(task, s, guesses[w])
		m.mind.Push(task, m.mind.Own(w), place)
		tell(m.mind, m.r, task, guesses, basis)
		m.r.Prefetch(task, w)
	}
	m.free = append(m.free, guesses)
	if fits {
		m.r.Wake(w)
	}
	m.r.Release()
	return fits
}

// predict is what the task should cost on each worker.
func (m *modular) predict(task int32) []guess {
	guesses := make([]guess, len(m.stations))
	if n := len(m.free); n > 0 {
		guesses, m.free = m.free[n-1], m.free[:n-1]
	}
	for w := range int32(len(m.stations)) {
		if m.r.Can(task, w) {
			m.r.Consult(task)
			m.r.Consult(task)
			guesses[w] = guess{length: m.r.Length(task, w), penalty: m.r.Penalty(task, w)}
		}
	}
	return guesses
}

// best is the worker on which the task costs least; ties go to the first.
func (m *modular) best(task int32, guesses []guess) (int32, starpu.Basis) {
	now, earliest := m.r.Now(), math.MaxFloat64
	for w := range m.stations {
		if g := &guesses[w]; m.r.Can(task, int32(w)) {
			begin := max(now, m.stations[w].until(now))
			g.available, g.queued = m.stations[w].taken.finish, m.stations[w].queue.queued
			g.end = begin + max(0, now+g.penalty-begin) + g.length
			earliest = min(earliest, g.end)
		}
	}
	best, least := int32(none), 0.0
	for w := range m.stations {
		if !m.r.Can(task, int32(w)) {
			continue
		}
		if fitness := guesses[w].fitness(earliest); best == none || fitness < least {
			best, least = int32(w), fitness
		}
	}
	return best, basisOf(now, earliest)
}

// until is when a worker should be done with what it has taken and with its
// queue.
func (s *station) until(now float64) float64 {
	if h := &s.taken; now > h.start {
		h.start = now
		h.finish = h.start + h.queued
	}
	return s.taken.finish + s.queue.queued
}

// enqueue puts a task into a worker's queue, and says where. Of its transfers, what should not
// be over when its turn comes counts.
func (m *modular) enqueue(task int32, s *station, g guess) (place int) {
	now := m.r.Now()
	transfer := max(0, now+g.penalty-s.until(now))
	s.queue.queued += g.length + transfer
	*m.of(task) = cost{g.length, transfer}
	return s.queue.tasks.insert(task, m.r.Priority(task))
}

// of is the cost of a task.
func (m *modular) of(task int32) *cost {
	for int(task) >= len(m.given) {
		m.given = append(m.given, make([]cost, 1+len(m.given))...)
	}
	return &m.given[task]
}

// Pop gives the worker, of the tasks of the highest priority in its queue, the
// one with most of its data there.
func (m *modular) Pop(worker int32) int32 {
	s := &m.stations[worker]
	for range 2 {
		s.taken.reset(m.r.Now())
		m.touch()
		task := int32(none)
		if s.queue.tasks.size > 0 {
			m.touch()
			task = m.dequeue(worker)
		}
		m.handOn()
		if task != none {
			m.take(task, worker)
			return task
		}
		if !m.r.Awake(worker) {
			break
		}
	}
	return none
}

// reset forgets what a worker has taken before.
func (h *horizon) reset(now float64) { *h = horizon{start: now, finish: now} }

// dequeue takes a task out of a worker's queue.
func (m *modular) dequeue(worker int32) int32 {
	q := &m.stations[worker].queue
	at := m.order.mostReady(q, worker)
	task, place := q.tasks.task(at, m.mind.Watching())
	q.tasks.remove(at)
	m.mind.Pop(task, worker, m.mind.Own(worker), place)
	c := m.of(task)
	q.queued = max(0, q.queued-c.length)
	q.queued = max(0, q.queued-c.transfer)
	if q.tasks.size == 0 {
		q.queued = 0
	}
	return task
}

// take notes what a worker takes: its transfers begin.
func (m *modular) take(task, worker int32) {
	m.r.Consult(task)
	c := m.of(task)
	*c = cost{m.r.Length(task, worker), m.r.Penalty(task, worker)}
	m.touch()
	h, now := &m.stations[worker].taken, m.r.Now()
	h.start = max(h.start, now)
	c.transfer = max(0, now+c.transfer-h.finish)
	h.queued += c.length
	h.pipeline += c.transfer
	h.start = now + h.pipeline
	h.finish = h.start + h.queued
}

// Started moves a task from what is to come to what is executed.
func (m *modular) Started(task, worker int32) {
	m.touch()
	h, now, c := &m.stations[worker].taken, m.r.Now(), m.of(task)
	h.pipeline += c.length - c.transfer
	h.queued -= c.length
	h.start = now + h.pipeline
	h.finish = h.start + h.queued
}

// Ended takes a task out of what is executed.
func (m *modular) Ended(task, worker int32) {
	m.touch()
	h := &m.stations[worker].taken
	h.pipeline -= m.of(task).length
	h.start = max(m.r.Now()+h.pipeline, h.start)
	h.finish = h.start + h.queued
}
