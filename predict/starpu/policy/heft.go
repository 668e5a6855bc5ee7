package policy

import (
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
	r      starpu.Runtime
	log    *starpu.DecisionLog
	strict bool
	orders
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
	h.orders = newOrders(s.worker[:s.deps.Tasks], s.start, h.r.Workers())
	return nil
}

// prescribed says that dependencies order all accesses that exclude each other.
func prescribed(g *workload.Graph) bool {
	return !g.Explicit && !slices.ContainsFunc(g.Mode, func(m workload.Mode) bool { return m&workload.Commute != 0 })
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
