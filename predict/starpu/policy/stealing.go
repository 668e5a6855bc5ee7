package policy

import "dagscope/predict/starpu"

// stealing is StarPU's ws, and lws where the machine's topology is unknown, as
// under SimGrid: each worker has a queue, and takes from others' when it is
// empty.
type stealing struct {
	r          starpu.Runtime
	log        *starpu.DecisionLog
	workers    []stealingWorker
	lastPushed int32 // worker that the program gave a task last
	victims    int   // workers that can be stolen from
}

// thief is a worker with its queue.
type stealingWorker struct {
	tasks  queue
	busy   bool
	victim bool  // is busy and has tasks
	next   int32 // whose queue it looks into first
}

// note counts a worker whose tasks or occupation have changed.
func (s *stealing) updateVictim(w *stealingWorker) {
	if prey := w.busy && w.tasks.size > 0; prey != w.victim {
		w.victim = prey
		if prey {
			s.victims++
		} else {
			s.victims--
		}
	}
}

// occupy says whether a worker has a task.
func (s *stealing) setBusy(w *stealingWorker, busy bool) {
	w.busy = busy
	s.updateVictim(w)
}

// Priorities says that programs set priorities.
func (s *stealing) Priorities() bool { return true }

// Watch keeps whom decisions are told.
func (s *stealing) LogDecisions(l *starpu.DecisionLog) { s.log = l }

func (s *stealing) Start(r starpu.Runtime) {
	s.r, s.workers = r, make([]stealingWorker, r.Workers())
	for i := range s.workers {
		s.workers[i].tasks.logged = s.log.Enabled()
	}
}

// Push keeps the task with the worker that made it ready, or with the next in
// turn, and wakes everybody.
func (s *stealing) Push(task int32) {
	w := s.r.Self()
	if w == none || !s.r.Can(task, w) {
		w = s.nextAble(task)
	}
	s.r.Lock(w)
	q := &s.workers[w].tasks
	q.push(task, s.r.Priority(task))
	s.log.Push(task, s.log.WorkerQueue(w), q.place)
	s.updateVictim(&s.workers[w])
	s.r.Unlock(w)
	for i := range s.workers {
		s.r.Wake(int32(i))
	}
}

func (s *stealing) nextAble(task int32) int32 {
	n := int32(len(s.workers))
	for {
		s.lastPushed = (s.lastPushed + 1) % n
		if s.r.Can(task, s.lastPushed) {
			return s.lastPushed
		}
	}
}

// Pop gives the worker's own oldest task of the highest priority, or another's
// newest.
func (s *stealing) Pop(worker int32) int32 {
	w := &s.workers[worker]
	w.busy = false
	t := w.tasks.oldest(s.can(worker))
	s.setBusy(w, t != none)
	if t != none {
		s.logPop(t, worker, worker)
		return t
	}
	s.r.RelaxOn()
	return s.Steal(worker)
}

// took tells that a worker has taken a task from a queue.
func (s *stealing) logPop(task, worker, from int32) {
	s.log.Pop(task, worker, s.log.WorkerQueue(from), s.workers[from].tasks.place)
}

func (s *stealing) can(worker int32) func(int32) bool {
	return func(t int32) bool { return s.r.Can(t, worker) }
}

// Barren says that the worker has no tasks of its own.
func (s *stealing) NothingToPop(worker int32) bool {
	w := &s.workers[worker]
	if w.tasks.size > 0 {
		return false
	}
	s.setBusy(w, false)
	return true
}

// Hopeless says that nobody else is busy and has tasks.
func (s *stealing) NothingToSteal(worker int32) bool {
	if s.victims > 0 {
		return false
	}
	s.victim(&s.workers[worker])
	return true
}

// Steal takes another's newest task.
func (s *stealing) Steal(worker int32) int32 {
	w, can := &s.workers[worker], s.can(worker)
	victim := s.victim(w)
	s.r.RelaxOff()
	if victim == none {
		return none
	}
	if !s.r.TryLock(victim) {
		s.r.Retry()
		return none
	}
	t := int32(none)
	if victim == worker {
		t = w.tasks.oldest(can)
	} else {
		t = s.workers[victim].tasks.newest(can)
	}
	if t != none {
		s.logPop(t, worker, victim)
	}
	s.updateVictim(&s.workers[victim])
	s.r.Unlock(victim)
	if t == none {
		t = s.popAgain(worker, can)
	}
	s.setBusy(w, t != none)
	return t
}

// meanwhile is what the worker has been given while it looked at others.
func (s *stealing) popAgain(worker int32, can func(int32) bool) int32 {
	if !s.r.KeepAwake(worker) {
		return none
	}
	t := s.workers[worker].tasks.oldest(can)
	if t != none {
		s.logPop(t, worker, worker)
		s.r.ClearKeepAwake(worker)
	}
	return t
}

// victim is the next worker that is busy and has tasks.
func (s *stealing) victim(w *stealingWorker) int32 {
	n := int32(len(s.workers))
	if s.victims == 0 {
		w.next = (w.next + 1) % n
		return none
	}
	v := w.next
	for !s.workers[v].victim {
		v = (v + 1) % n
	}
	w.next = (v + 1) % n
	return v
}
