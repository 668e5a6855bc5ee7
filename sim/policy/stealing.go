package policy

import "dagscope/sim"

// stealing is StarPU's ws, and lws where the machine's topology is unknown, as
// under SimGrid: each worker has a queue, and takes from others' when it is
// empty.
type stealing struct {
	r       sim.Runtime
	workers []thief
	given   int32 // worker that the program gave a task last
}

// thief is a worker with its queue.
type thief struct {
	tasks queue
	busy  bool
	next  int32 // whose queue it looks into first
}

// Priorities says that programs set priorities.
func (s *stealing) Priorities() bool { return true }

func (s *stealing) Start(r sim.Runtime) {
	s.r, s.workers = r, make([]thief, r.Workers())
}

// Push keeps the task with the worker that made it ready, or with the next in
// turn, and wakes everybody.
func (s *stealing) Push(task int32) {
	w := s.r.Self()
	if w == none || !s.r.Can(task, w) {
		w = s.nextAble(task)
	}
	s.r.Lock(w)
	s.workers[w].tasks.push(task, s.r.Priority(task))
	s.r.Unlock(w)
	for i := range s.workers {
		s.r.Wake(int32(i))
	}
}

func (s *stealing) nextAble(task int32) int32 {
	n := int32(len(s.workers))
	for {
		s.given = (s.given + 1) % n
		if s.r.Can(task, s.given) {
			return s.given
		}
	}
}

// Pop gives the worker's own oldest task of the highest priority, or another's
// newest.
func (s *stealing) Pop(worker int32) int32 {
	w := &s.workers[worker]
	w.busy = false
	can := func(t int32) bool { return s.r.Can(t, worker) }
	if t := w.tasks.oldest(can); t != none {
		w.busy = true
		return t
	}
	s.r.Relax()
	victim := s.victim(w)
	s.r.Tighten()
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
	s.r.Unlock(victim)
	if t == none {
		t = s.meanwhile(worker, can)
	}
	w.busy = t != none
	return t
}

// meanwhile is what the worker has been given while it looked at others.
func (s *stealing) meanwhile(worker int32, can func(int32) bool) int32 {
	if !s.r.Awake(worker) {
		return none
	}
	t := s.workers[worker].tasks.oldest(can)
	if t != none {
		s.r.Heed(worker)
	}
	return t
}

// victim is the next worker that is busy and has tasks.
func (s *stealing) victim(w *thief) int32 {
	n := int32(len(s.workers))
	v, found := w.next, false
	for range n {
		if o := &s.workers[v]; o.tasks.size > 0 && o.busy {
			found = true
			break
		}
		v = (v + 1) % n
	}
	w.next = (v + 1) % n
	if !found {
		return none
	}
	return v
}
