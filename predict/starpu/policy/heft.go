package policy

import (
	"cmp"
	"fmt"
	"slices"

	"dagscope/predict/starpu"
	"dagscope/predict/workload"
)

// heft is offline HEFT (Topcuoglu 2002): before the program starts, each task in
// the order of its upward rank is assigned to the worker on which it ends first,
// in the first gap of its timetable that is long enough. The simulation then
// follows this plan: every worker runs its tasks in the planned order, whatever
// time they take.
//
// Where the runtime decides which of several tasks gets their data first (commuting
// accesses), waiting for the planned one could be a deadlock: there a worker pops
// the first of its tasks that are ready.
type heft struct {
	r       starpu.Runtime
	log     *starpu.DecisionLog
	strict  bool
	planned []planned      // by task
	queues  []plannedQueue // by worker
}

// planned is where and when a task is to run.
type planned struct {
	worker int32 // none for a task without work
	place  int32 // position in the order of its worker
}

// plannedQueue holds the tasks of a worker in their planned order.
type plannedQueue struct {
	tasks []int32
	ready []bool // by place
	next  int    // all before have been popped
	done  []bool // by place; nil where the order is kept
}

// LogDecisions keeps the log of decisions.
func (h *heft) LogDecisions(l *starpu.DecisionLog) { h.log = l }

func (h *heft) Start(r starpu.Runtime) { h.r = r }

// Plan computes the schedule.
func (h *heft) Plan(p starpu.Program) error {
	deps, err := workload.Infer(p.Graph())
	if err != nil {
		return fmt.Errorf("plan schedule: %w", err)
	}
	order, err := deps.Topological()
	if err != nil {
		return fmt.Errorf("plan schedule: %w", err)
	}
	h.strict = prescribed(p.Graph())
	s := newSchedule(h.r, p, deps)
	s.log = h.log
	s.rankAll(order)
	s.placeAll()
	h.follow(s)
	return nil
}

// prescribed says that dependencies order all accesses that exclude each other.
func prescribed(g *workload.Graph) bool {
	return !g.Explicit && !slices.ContainsFunc(g.Mode, func(m workload.Mode) bool { return m&workload.Commute != 0 })
}

// follow turns the workers' timetables into orders.
func (h *heft) follow(s *schedule) {
	tasks := int32(s.deps.Tasks)
	h.planned, h.queues = make([]planned, tasks), make([]plannedQueue, h.r.Workers())
	byStart := make([]int32, tasks)
	for t := range tasks {
		byStart[t] = t
	}
	slices.SortStableFunc(byStart, func(a, b int32) int { return cmp.Compare(s.start[a], s.start[b]) })
	for _, t := range byStart {
		w := s.worker[t]
		h.planned[t].worker = w
		if w != none {
			h.planned[t].place = int32(len(h.queues[w].tasks))
			h.queues[w].tasks = append(h.queues[w].tasks, t)
		}
	}
	for w := range h.queues {
		h.queues[w].ready = make([]bool, len(h.queues[w].tasks))
	}
}

// Push notes that a task is ready, and wakes its worker if that waits for it.
func (h *heft) Push(task int32) {
	p := h.planned[task]
	h.r.Prefetch(task, p.worker)
	h.r.Lock(p.worker)
	q := &h.queues[p.worker]
	q.ready[p.place] = true
	if h.log.Enabled() {
		h.log.Push(task, h.log.WorkerQueue(p.worker), q.readyBefore(int(p.place)))
	}
	if !h.strict || int(p.place) == q.next {
		h.r.WakeLocked(p.worker)
	}
	h.r.Unlock(p.worker)
}

// Pop takes the worker's next task, once it is ready.
func (h *heft) Pop(worker int32) int32 {
	q := &h.queues[worker]
	at := q.next
	if !h.strict {
		at += max(0, slices.Index(q.ready[at:], true))
	}
	if at == len(q.tasks) || !q.ready[at] {
		return none
	}
	q.ready[at] = false
	h.log.Pop(q.tasks[at], worker, h.log.WorkerQueue(worker), 0)
	if h.strict {
		q.next++
	} else {
		q.markDone(at)
	}
	return q.tasks[at]
}

// readyBefore is how many tasks before a position are ready.
func (q *plannedQueue) readyBefore(place int) (n int) {
	for _, ready := range q.ready[q.next:place] {
		if ready {
			n++
		}
	}
	return n
}

// markDone marks a position as popped where the order is not kept.
func (q *plannedQueue) markDone(at int) {
	if q.done == nil {
		q.done = make([]bool, len(q.tasks))
	}
	q.done[at] = true
	for q.next < len(q.tasks) && q.done[q.next] {
		q.next++
	}
}
