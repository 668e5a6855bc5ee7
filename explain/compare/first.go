package compare

import (
	"fmt"
	"math"
	"slices"

	"dagscope/trace"
)

// FirstNeeds names the columns that tell why two schedules part, where runs have
// them.
var FirstNeeds = []string{"decision", "estimate", "task.priority", "task.ready", "resource.name"}

// First is where two schedules of the same tasks part.
type First struct {
	// Decision is the first thing that the schedulers did differently: tasks are
	// put into queues and taken from them in the same order until then. nil where
	// a run does not have the decisions of its scheduler, or all are alike.
	Decision *Parting `json:"decision,omitempty"`
	// Place is the first task that another worker ran: that which begins first, in
	// either run.
	Place *Parting `json:"place,omitempty"`
	// Same is how many tasks begin before it, each on the same worker in both runs.
	Same int `json:"same"`
}

// Parting is a difference with what is known of its cause.
type Parting struct {
	A         *Choice       `json:"a"` // nil where a run has nothing more
	B         *Choice       `json:"b"`
	Estimates []Expectation `json:"estimates,omitempty"` // of the workers, in the order of run A
	Words     []string      `json:"words"`
}

// Choice is what a scheduler did with a task.
type Choice struct {
	Task     TaskRef `json:"task"`
	Kind     string  `json:"kind,omitempty"` // of the decision, "" where it was not recorded
	Time     *int64  `json:"time"`           // ns, when it was made, else when the task began
	Worker   string  `json:"worker"`         // chosen, "" where it goes into a shared queue
	Queue    string  `json:"queue,omitempty"`
	Priority int64   `json:"priority"`
	Ready    *int64  `json:"ready"` // ns
}

// Expectation is what both schedulers expected of a worker, nil where one did
// not consider it.
type Expectation struct {
	Worker string    `json:"worker"`
	A      *Estimate `json:"a"`
	B      *Estimate `json:"b"`
}

// Estimate is what a scheduler expected of a worker, in ns; dates are since the
// decision.
type Estimate struct {
	Available float64 `json:"available_ns"`
	Queued    float64 `json:"queued_ns"`
	Transfer  float64 `json:"transfer_ns"`
	Exposed   float64 `json:"exposed_ns"` // what transfers add to the end: the rest happens while the worker is busy
	Duration  float64 `json:"duration_ns"`
	End       float64 `json:"end_ns"` // max(0, Available + Queued) + Exposed + Duration
	Fitness   float64 `json:"fitness_ns"`
}

// FirstDifference finds where two schedules part. nil: they do not, or there is
// nothing to compare them by, as the workers of two machines.
func FirstDifference(a, b *trace.Run, m *Matching) *First {
	p := &parter{a: newDecisions(a), b: newDecisions(b), m: m}
	p.index()
	f := &First{Decision: p.decision()}
	f.Place, f.Same = p.place()
	if f.Decision == nil && f.Place == nil {
		return nil
	}
	return f
}

// decisions are a run with what its scheduler did.
type decisions struct {
	run      *trace.Run
	estimate []int32 // by decision, first row of estimates; one more than there are decisions
	pair     []int32 // by task, its pair, none for those without
}

const none = -1

func newDecisions(run *trace.Run) *decisions {
	m := &decisions{run: run, estimate: make([]int32, len(run.Decision.Task)+1)}
	for _, d := range run.Estimate.Decision {
		m.estimate[d+1]++
	}
	for d := range run.Decision.Task {
		m.estimate[d+1] += m.estimate[d]
	}
	m.pair = slices.Repeat([]int32{none}, len(run.Task.Start))
	return m
}

// parter looks for differences.
type parter struct {
	a, b *decisions
	m    *Matching
}

// index notes the pair of each task.
func (p *parter) index() {
	for i, row := range p.m.A {
		p.a.pair[row] = int32(i)
	}
	for i, row := range p.m.B {
		p.b.pair[row] = int32(i)
	}
}

// matched lists the decisions about tasks that both runs have.
func (m *decisions) matched() (rows []int32) {
	for d, task := range m.run.Decision.Task {
		if task >= 0 && m.pair[task] != none {
			rows = append(rows, int32(d))
		}
	}
	return rows
}

// decision walks through what both schedulers did, until it differs.
func (p *parter) decision() *Parting {
	x, y := p.a.matched(), p.b.matched()
	if len(x) == 0 || len(y) == 0 {
		return nil
	}
	for i := range max(len(x), len(y)) {
		switch {
		case i >= len(x):
			return &Parting{B: p.b.choice(y[i]), Words: []string{"A decides nothing more."}}
		case i >= len(y):
			return &Parting{A: p.a.choice(x[i]), Words: []string{"B decides nothing more."}}
		case !p.alike(x[i], y[i]):
			return p.parting(x[i], y[i])
		}
	}
	return nil
}

// alike tells whether two decisions did the same with the same task.
func (p *parter) alike(x, y int32) bool {
	a, b := &p.a.run.Decision, &p.b.run.Decision
	return p.a.pair[a.Task[x]] == p.b.pair[b.Task[y]] && a.Kind.At(int(x)) == b.Kind.At(int(y)) &&
		a.Queue.At(int(x)) == b.Queue.At(int(y)) && workerName(p.a.run, a.Worker[x]) == workerName(p.b.run, b.Worker[y])
}

// workerName is "" for no worker.
func workerName(run *trace.Run, worker int32) string {
	if worker < 0 {
		return ""
	}
	return run.Resource.Name.At(int(worker))
}

// choice is a decision of a run.
func (m *decisions) choice(row int32) *Choice {
	d := &m.run.Decision
	c := m.about(d.Task[row])
	c.Kind, c.Time, c.Worker, c.Queue = d.Kind.At(int(row)), timeOf(d.Time[row]), workerName(m.run, d.Worker[row]), d.Queue.At(int(row))
	return c
}

// about is what is known of a task without decisions.
func (m *decisions) about(task int32) *Choice {
	t := &m.run.Task
	c := &Choice{Task: taskRef(m.run, task), Time: timeOf(t.Start[task]), Worker: workerName(m.run, t.Worker[task])}
	if t.Priority != nil {
		c.Priority = int64(t.Priority[task])
	}
	if t.Ready != nil {
		c.Ready = timeOf(t.Ready[task])
	}
	return c
}

// timeOf is nil for a time that is not known.
func timeOf(ns int64) *int64 {
	if ns == trace.NoTime {
		return nil
	}
	return &ns
}

// parting says of two decisions in the same place what makes them differ.
func (p *parter) parting(x, y int32) *Parting {
	out := &Parting{A: p.a.choice(x), B: p.b.choice(y)}
	if p.a.pair[p.a.run.Decision.Task[x]] == p.b.pair[p.b.run.Decision.Task[y]] {
		out.Estimates = p.expectations(x, y)
		out.Words = p.whyWorker(out, x, y)
		return out
	}
	out.Words = p.whyOrder(out, x, y)
	return out
}

// place is the first task that another worker ran, and how many begin before it
// on the same.
func (p *parter) place() (first *Parting, same int) {
	if !p.comparable() {
		return nil, 0
	}
	found, at := none, int64(math.MaxInt64)
	for i := range p.m.A {
		if begin := p.begin(i); begin < at && p.moved(i) {
			found, at = i, begin
		}
	}
	if found == none {
		return nil, len(p.m.A)
	}
	for i := range p.m.A {
		if p.begin(i) < at {
			same++
		}
	}
	return p.elsewhere(p.m.A[found], p.m.B[found]), same
}

// begin is when the first of a pair begins.
func (p *parter) begin(i int) int64 {
	return min(p.a.run.Task.Start[p.m.A[i]], p.b.run.Task.Start[p.m.B[i]])
}

// moved tells whether workers of different names ran a pair.
func (p *parter) moved(i int) bool {
	return workerName(p.a.run, p.a.run.Task.Worker[p.m.A[i]]) != workerName(p.b.run, p.b.run.Task.Worker[p.m.B[i]])
}

// elsewhere says why a task ran on another worker.
func (p *parter) elsewhere(x, y int32) *Parting {
	out := &Parting{A: p.a.about(x), B: p.b.about(y)}
	d, e := p.a.placed(x), p.b.placed(y)
	if d != none && e != none {
		out.A, out.B, out.Estimates = p.a.choice(d), p.b.choice(e), p.expectations(d, e)
		out.Words = p.whyWorker(out, d, e)
		return out
	}
	out.Words = []string{fmt.Sprintf("%s runs on %s in A and on %s in B.", named(out.A), out.A.Worker, out.B.Worker)}
	out.Words = append(out.Words, readiness(out)...)
	return out
}

// comparable tells whether any worker is in both runs by its name.
func (p *parter) comparable() bool {
	names := make(map[string]bool)
	for _, w := range p.a.run.Task.Worker {
		names[workerName(p.a.run, w)] = true
	}
	return slices.ContainsFunc(p.b.run.Task.Worker, func(w int32) bool { return w >= 0 && names[workerName(p.b.run, w)] })
}

// placed is the decision that gave a task to its worker: the last one with
// estimates, else the last that names the worker.
func (m *decisions) placed(task int32) int32 {
	d := &m.run.Decision
	best := int32(none)
	for row := range d.Task {
		if d.Task[row] != task {
			continue
		}
		estimated := m.estimate[row] < m.estimate[row+1]
		if estimated || d.Worker[row] >= 0 && (best == none || m.estimate[best] == m.estimate[best+1]) {
			best = int32(row)
		}
	}
	return best
}

// expectations sets the estimates of two decisions side by side.
func (p *parter) expectations(x, y int32) (all []Expectation) {
	at := make(map[string]int)
	for side, m := range []*decisions{p.a, p.b} {
		row := [2]int32{x, y}[side]
		for e := m.estimate[row]; e < m.estimate[row+1]; e++ {
			name := workerName(m.run, m.run.Estimate.Worker[e])
			i, known := at[name]
			if !known {
				i = len(all)
				at[name], all = i, append(all, Expectation{Worker: name})
			}
			slot := [2]**Estimate{&all[i].A, &all[i].B}[side]
			if v := m.expected(row, e); *slot == nil || v.Fitness < (*slot).Fitness { // the best of several implementations
				*slot = v
			}
		}
	}
	return all
}

// expected is an estimate in ns since the decision.
func (m *decisions) expected(decision, row int32) *Estimate {
	const us = 1000
	e, clock := &m.run.Estimate, m.run.Decision.Clock[decision]
	out := &Estimate{
		Available: us * (e.Available[row] - clock), Queued: us * e.Queued[row], Transfer: us * e.Transfer[row], Duration: us * e.Duration[row],
		End: us * (e.End[row] - clock), Fitness: us * e.Fitness[row],
	}
	if out.Exposed = out.End - out.Duration - max(0, out.Available+out.Queued); !(out.Exposed > 0.5) { // less is rounding
		out.Exposed = 0
	}
	return out
}

// finite replaces what JSON cannot hold.
func (e *Estimate) finite() {
	for _, v := range []*float64{&e.Available, &e.Queued, &e.Transfer, &e.Exposed, &e.Duration, &e.End, &e.Fitness} {
		if math.IsNaN(*v) || math.IsInf(*v, 0) {
			*v = math.MaxInt64
		}
	}
}
