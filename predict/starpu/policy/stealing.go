package policy

import "dagscope/predict/starpu"

// stealing is StarPU's ws, and lws where the machine's topology is unknown, as
// under SimGrid: each worker has a queue, and steals from those of others when
// its own is empty.
type stealing struct {
	r          starpu.Runtime
	log        *starpu.DecisionLog
	workers    []stealingWorker
	lastPushed int32 // worker that the program pushed a task to last
	victims    int   // how many workers can be stolen from
}

// stealingWorker is a worker with its queue.
type stealingWorker struct {
	tasks  queue
	busy   bool
	victim bool  // is busy and has tasks
	next   int32 // whose queue it tries first
}

// updateVictim updates whether a worker can be stolen from, after its tasks or
// its business have changed.
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

// setBusy notes whether a worker has a task.
func (s *stealing) setBusy(w *stealingWorker, busy bool) {
	w.busy = busy
	s.updateVictim(w)
}

// Priorities says that programs set priorities.
func (s *stealing) Priorities() bool { return true }

// LogDecisions keeps the log of decisions.
func (s *stealing) LogDecisions(l *starpu.DecisionLog) { s.log = l }

func (s *stealing) Start(r starpu.Runtime) {
	s.r, s.workers = r, make([]stealingWorker, r.Workers())
	for i := range s.workers {
		s.workers[i].tasks.logged = s.log.Enabled()
	}
}

// Push puts the task into the queue of the worker that made it ready, or of the
// next in turn, and wakes all workers.
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
	s.r.WakeAll()
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

// Pop takes the worker's own oldest task of the highest priority, or steals
// another's newest.
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

// logPop logs that a worker has popped a task from a queue.
func (s *stealing) logPop(task, worker, from int32) {
	s.log.Pop(task, worker, s.log.WorkerQueue(from), s.workers[from].tasks.place)
}

func (s *stealing) can(worker int32) func(int32) bool {
	return func(t int32) bool { return s.r.Can(t, worker) }
}

// NothingToPop says that the worker's own queue is empty.
func (s *stealing) NothingToPop(worker int32) bool {
	w := &s.workers[worker]
	if w.tasks.size > 0 {
		return false
	}
	s.setBusy(w, false)
	return true
}

// NothingToSteal says that no worker is busy and has tasks.
func (s *stealing) NothingToSteal(worker int32) bool {
	if s.victims > 0 {
		return false
	}
	s.victim(&s.workers[worker])
	return true
}

// Steal takes another worker's newest task.
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

// popAgain takes a task that was pushed to the worker while it tried to steal.
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
