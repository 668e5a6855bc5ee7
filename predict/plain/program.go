package plain

import "dagscope/predict/workload"

// program is the thread that submits tasks, in their order.
type program struct {
	submitted int32
	free      int64 // when it can submit the next one
	used      int64 // bytes of submitted tasks
}

// nextSubmission is when the next task is submitted; false if none is left, or
// if it waits for memory.
func (e *engine) nextSubmission() (at int64, ok bool) {
	p := &e.program
	t := p.submitted
	if int(t) == e.d.Tasks || !e.fits(t) {
		return 0, false
	}
	at = p.free
	if e.o.SubmitAt != nil {
		at = max(at, e.o.SubmitAt[t])
	}
	return max(at+e.o.Submit, e.now), true
}

// fits reports whether the memory limit allows what a task allocates.
func (e *engine) fits(t int32) bool {
	if e.o.MemoryLimit == 0 || e.g.StartBytes == nil || e.g.StartBytes[t] <= 0 {
		return true
	}
	return e.program.used+e.g.StartBytes[t] <= e.o.MemoryLimit-e.o.Base
}

// submit submits what can be submitted now.
func (e *engine) submit() {
	p := &e.program
	for {
		at, ok := e.nextSubmission()
		if !ok || at > e.now {
			return
		}
		t := p.submitted
		p.submitted++
		p.free = at
		if e.g.StartBytes != nil {
			p.used += e.g.StartBytes[t]
		}
		if e.o.Record {
			e.r.Submit[t] = at
		}
		if e.need[t] == 0 {
			e.ready(t, none)
		}
	}
}

// SequentialPeak is the peak of the memory that tasks allocate if they run one
// after another in the order of their submission, in bytes.
func SequentialPeak(g *workload.Graph) (peak int64) {
	used := int64(0)
	for t := range g.Tasks() {
		if g.StartBytes != nil {
			used += g.StartBytes[t]
		}
		peak = max(peak, used)
		if g.EndBytes != nil {
			used += g.EndBytes[t]
		}
		peak = max(peak, used)
	}
	return peak
}
