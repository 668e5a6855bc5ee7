package policy

import (
	"fmt"
	"slices"

	"dagscope/predict/starpu"
	"dagscope/predict/workload"
)

// Recorded is the schedule of a run that is repeated.
type Recorded struct {
	Worker   []int32 // by task of the graph, of the machine; -1: the task has no work
	Start    []int64 // by task
	Prefetch bool    // data was requested when tasks were pushed
	// Delay is how much later each task began than it could have, in ns, beyond
	// what the simulator itself has workers do before a task; nil: nothing is known.
	Delay []int64
}

// pinned repeats a recorded schedule: every worker runs the tasks that it ran, in
// the same order, each as soon as it is ready, later by what it was delayed by where
// that is known. Transfers, memory and what the runtime takes are simulated.
//
// Where updates commute, exclusion is kept and not the recorded order: the runtime
// gives a task its data before the task is pushed, and the others wait for it. A
// worker whose next task is not ready then runs a later one that holds such data, since
// its next task may be waiting for just that. If all workers wait nevertheless, the
// earliest task that is ready runs.
type pinned struct {
	r       starpu.Runtime
	log     *starpu.DecisionLog
	p       starpu.Program
	of      Recorded
	strict  bool // dependencies order all accesses that exclude each other
	running int  // tasks that have been popped and have not ended
	orders
}

// NewPinned repeats a recorded schedule.
func NewPinned(of Recorded) starpu.Policy { return &pinned{of: of} }

// Priorities says that requests for data have the priorities of tasks.
func (p *pinned) Priorities() bool { return true }

// LogDecisions keeps the log of decisions.
func (p *pinned) LogDecisions(l *starpu.DecisionLog) { p.log = l }

// OnNode leaves the part of the schedule that a node among several has.
func (p *pinned) OnNode(tasks, workers []int32) {
	whole := p.of
	p.of = Recorded{Worker: make([]int32, len(tasks)), Start: make([]int64, len(tasks)), Prefetch: whole.Prefetch}
	if whole.Delay != nil {
		p.of.Delay = make([]int64, len(tasks))
	}
	for i, t := range tasks {
		p.of.Worker[i], p.of.Start[i] = none, whole.Start[t]
		if w := slices.Index(workers, whole.Worker[t]); w >= 0 {
			p.of.Worker[i] = int32(w)
		}
		if whole.Delay != nil {
			p.of.Delay[i] = whole.Delay[t]
		}
	}
}

func (p *pinned) Start(r starpu.Runtime) { p.r = r }

// Plan reads the schedule. It is an error when a worker cannot run its tasks.
func (p *pinned) Plan(program starpu.Program) error {
	g := program.Graph()
	if len(p.of.Worker) != g.Tasks() || len(p.of.Start) != g.Tasks() {
		return fmt.Errorf("repeat schedule: found workers of %d tasks, want %d", len(p.of.Worker), g.Tasks())
	}
	for t, w := range p.of.Worker {
		switch {
		case !g.HasWork(t):
			if w != none {
				return fmt.Errorf("repeat schedule: found task %d without work on worker %d, want none", t, w)
			}
		case w < 0 || int(w) >= p.r.Workers() || !p.r.Can(int32(t), w):
			return fmt.Errorf("repeat schedule: found task %d (%s) on worker %d, which cannot run it", t, g.Classes[g.Class[t]].Kind, w)
		}
	}
	p.p, p.strict = program, prescribed(g)
	p.orders = newOrders(p.of.Worker, p.of.Start, p.r.Workers())
	return nil
}

// Push notes that a task is ready, and wakes its worker if that may run it now.
func (p *pinned) Push(task int32) {
	at := p.planned[task]
	if p.of.Prefetch {
		p.r.Prefetch(task, at.worker)
	}
	p.r.Lock(at.worker)
	q := &p.queues[at.worker]
	q.ready[at.place] = true
	if p.log.Enabled() {
		p.log.Push(task, p.log.WorkerQueue(at.worker), q.readyBefore(int(at.place)))
	}
	if int(at.place) == q.next || !p.strict {
		p.r.WakeLocked(at.worker)
	}
	p.r.Unlock(at.worker)
}

// Pop takes the worker's next task, once it is ready.
func (p *pinned) Pop(worker int32) int32 {
	q := &p.queues[worker]
	at := q.next
	if at == len(q.tasks) {
		return none
	}
	if !q.ready[at] {
		if p.strict {
			return none
		}
		if at = p.overtaking(worker); at == none {
			return none
		}
	}
	q.ready[at] = false
	p.log.Pop(q.tasks[at], worker, p.log.WorkerQueue(worker), 0)
	q.markDone(at)
	p.running++
	return q.tasks[at]
}

// overtaking is the position of a task that may run before the worker's next one;
// none without.
func (p *pinned) overtaking(worker int32) int {
	q := &p.queues[worker]
	for i, ready := range q.ready[q.next:] {
		if ready && p.excludes(q.tasks[q.next+i]) {
			return q.next + i
		}
	}
	if p.running > 0 || int(p.p.Submitted()) < len(p.planned) {
		return none
	}
	first := int32(none)
	for w := range p.queues {
		other := &p.queues[w]
		if other.next < len(other.tasks) && other.ready[other.next] {
			return none // that worker goes on
		}
		if i := slices.Index(other.ready[other.next:], true); i >= 0 {
			if t := other.tasks[other.next+i]; first == none || p.of.Start[t] < p.of.Start[first] {
				first = t
			}
		}
	}
	switch {
	case first == none:
		return none
	case p.planned[first].worker == worker:
		return int(p.planned[first].place)
	}
	p.r.Wake(p.planned[first].worker)
	return none
}

// excludes reports whether a task that was pushed keeps others from data that
// they may access before or after it.
func (p *pinned) excludes(task int32) bool {
	g := p.p.Graph()
	return slices.ContainsFunc(g.Mode[g.AccessAt[task]:g.AccessAt[task+1]], func(m workload.Mode) bool { return m&workload.Commute != 0 })
}

// Started delays a task by what it was delayed by.
func (p *pinned) Started(task, _ int32) {
	if p.of.Delay != nil && p.of.Delay[task] > 0 {
		p.r.Pause(float64(p.of.Delay[task]) / 1000)
	}
}

// Ended counts tasks that run.
func (p *pinned) Ended(_, _ int32) { p.running-- }
