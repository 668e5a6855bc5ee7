package starpu

import "slices"

// DecisionLogger is a policy that logs its decisions. LogDecisions is called
// before Start where decisions are recorded, otherwise not at all: the policy
// keeps the log, and calls its methods. All methods of a DecisionLog do nothing
// where it is nil.
type DecisionLogger interface{ LogDecisions(m *DecisionLog) }

// Decisions select the tasks whose estimates are recorded: those that match all
// given fields. What enters and leaves queues is always recorded, since it is
// the contents of the queues that tasks met. The zero value selects all.
type Decisions struct {
	Kinds []string // of tasks
	Tasks []string // keys
	From  int64    // ns since the first submission
	To    int64    // ns, 0: to the end
}

// Queue is a queue of tasks of a policy.
type Queue int32

// DecisionLog records what a policy decides.
type DecisionLog struct {
	e         *engine
	wanted    []bool // by task, nil: all
	begin     int64  // ns
	end       int64  // ns, 0: none
	queues    []loggedQueue
	decisions []decision
	estimates []Estimate
}

// loggedQueue is a queue: a worker's, or a shared one with a name.
type loggedQueue struct {
	name  string
	owner int32
}

// decision is a task that is put into a queue or taken out of one, or planned.
type decision struct {
	at           float64 // s
	task, worker int32
	by           int32
	queue        Queue
	place        int32
	first        int32 // estimate; those of the next decision follow its own
	kind         decisionKind
	basis        Basis
}

type decisionKind uint8

const (
	decisionPush decisionKind = iota
	decisionTake
	decisionPop
	decisionSteal
	decisionPlan
)

// Basis is what the estimates of a decision have in common. Dates are in µs on
// the clock that the policy sees.
type Basis struct {
	Clock float64 // when it estimated
	Best  float64 // the earliest predicted end
	Alpha float64 // weight of ending later than that
	Beta  float64 // weight of transfers
}

// Estimate is what a policy expects of a task on a worker, in µs; dates are on
// the clock that it sees.
type Estimate struct {
	Worker    int32
	Available float64 // date at which it has finished what it has popped
	Queued    float64 // length of its queue
	Transfer  float64
	Duration  float64
	End       float64 // date
	Fitness   float64 // the smallest wins; among equals, the worker with the lowest number
}

func newDecisionLog(e *engine, d *Decisions) *DecisionLog {
	m := &DecisionLog{e: e, begin: d.From, end: d.To}
	if len(d.Kinds)+len(d.Tasks) == 0 {
		return m
	}
	keys := make(map[string]bool, len(d.Tasks))
	for _, k := range d.Tasks {
		keys[k] = true
	}
	m.wanted = make([]bool, len(e.g.Class))
	for t := range m.wanted {
		kind := len(d.Kinds) == 0 || slices.Contains(d.Kinds, e.g.Classes[e.g.Class[t]].Kind)
		m.wanted[t] = kind && (len(keys) == 0 || keys[e.taskKey(int32(t))])
	}
	return m
}

// startDecisionLog begins to record what a policy decides, if that is asked
// for.
func (e *engine) startDecisionLog() {
	if e.o.Decisions == nil {
		return
	}
	e.decisions = newDecisionLog(e, e.o.Decisions)
	e.decisions.queues = make([]loggedQueue, len(e.workers))
	for w := range e.workers {
		e.decisions.queues[w].owner = int32(w)
	}
	if p, ok := e.policy.(DecisionLogger); ok {
		p.LogDecisions(e.decisions)
	}
}

// WorkerQueue is the queue of a worker.
func (l *DecisionLog) WorkerQueue(worker int32) Queue { return Queue(worker) }

// SharedQueue creates a queue that several workers pop from.
func (l *DecisionLog) SharedQueue(name string) Queue {
	if l == nil {
		return 0
	}
	for i, q := range l.queues {
		if q.owner == none && q.name == name {
			return Queue(i)
		}
	}
	l.queues = append(l.queues, loggedQueue{name, none})
	return Queue(len(l.queues) - 1)
}

// Len is the number of decisions recorded so far.
func (l *DecisionLog) Len() int { return len(l.decisions) }

// Enabled says that decisions are recorded.
func (l *DecisionLog) Enabled() bool { return l != nil }

// WantsEstimates says that the estimates for a task are recorded: they are
// added right after the decision that they led to.
func (l *DecisionLog) WantsEstimates(task int32) bool {
	if l == nil || l.wanted != nil && !l.wanted[task] {
		return false
	}
	now := l.e.nanoseconds(l.e.now)
	return now >= l.begin && (l.end == 0 || now <= l.end)
}

// Push records that a task was put into a queue, at a position from 0.
func (l *DecisionLog) Push(task int32, q Queue, place int) {
	if l != nil {
		l.add(decision{task: task, worker: l.queues[q].owner, queue: q, place: int32(place), kind: decisionPush})
	}
}

// Take records that a task was taken out of a queue, to be put into another or
// back.
func (l *DecisionLog) Take(task int32, q Queue, place int) {
	if l != nil {
		l.add(decision{task: task, worker: none, queue: q, place: int32(place), kind: decisionTake})
	}
}

// Pop records that a worker popped a task to run it.
func (l *DecisionLog) Pop(task, worker int32, q Queue, place int) {
	if l == nil {
		return
	}
	kind := decisionPop
	if owner := l.queues[q].owner; owner != none && owner != worker {
		kind = decisionSteal
	}
	l.add(decision{task: task, worker: worker, queue: q, place: int32(place), kind: kind})
}

// Plan records that a task was assigned to a worker before the program starts.
func (l *DecisionLog) Plan(task, worker int32) {
	if l != nil {
		l.add(decision{task: task, worker: worker, queue: none, place: none, kind: decisionPlan})
	}
}

func (l *DecisionLog) add(v decision) {
	v.at, v.by, v.first = l.e.now, none, int32(len(l.estimates))
	if a := l.e.current; a != nil && a.worker != nil {
		v.by = a.worker.id
	}
	l.decisions = append(l.decisions, v)
}

// SetBasis sets what the estimates of the last decision have in common.
func (l *DecisionLog) SetBasis(b Basis) { l.decisions[len(l.decisions)-1].basis = b }

// AddEstimate adds an estimate of the last decision; workers ascend.
func (l *DecisionLog) AddEstimate(x Estimate) { l.estimates = append(l.estimates, x) }
