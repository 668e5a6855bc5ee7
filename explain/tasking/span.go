package tasking

import (
	"slices"

	"dagscope/explain/lock"
	"dagscope/internal/interval"
	"dagscope/trace"
)

// Span is the work and the span of a run (see the package comment).
type Span struct {
	Work int64 // T₁: time that pieces of tasks cover, ns
	Span int64 // T∞: the longest chain of work that could not be done at once, ns
	Path []Step
	// Serial is the lock that was held longest: Serial.Holding bounds the program from
	// below as the span does. Held is the sum of all locks.
	Serial lock.Use
	Held   int64
	// Circles counts what was left out of the graph because tasks wait for each
	// other in a circle; 0 in every run that happened.
	Circles int

	profile interval.Spans // when each task would work if none waited for a worker
}

// Step is a stretch of the longest chain: work of one task without a break.
type Step struct {
	Task  int32
	Work  int64 // ns
	Cause Cause
}

// Cause says what a step had to wait for, which is the step before it.
type Cause uint8

// Causes.
const (
	First    Cause = iota // nothing
	Created               // it was created there
	Depended              // it depends on that task
	Waited                // it waited for that task to end
)

// Parallelism is T₁/T∞, how many workers could be kept busy on average, or T₁ over the
// time in which a lock was held where that is longer; 0 without work.
func (s *Span) Parallelism() float64 {
	if s.Span == 0 {
		return 0
	}
	return float64(s.Work) / float64(max(s.Span, s.Serial.Holding))
}

// FindSpan computes the work and the span of a run.
//
// Every task has a clock of its own that counts from the start of the program
// on unlimited workers. It stands still while the task is suspended and jumps
// when what the task waited for ended later. What a clock depends on is asked
// for when it is needed, task by task: no order of all events is made, and the
// time is linear in tasks, edges and waits.
func FindSpan(run *trace.Run, o Options) *Span {
	p := newPieces(run, o)
	children := newFamily(run)
	s := &solver{run: run, pieces: &p, children: children, waits: findWaits(run, &p, children)}
	s.index()
	s.solve()
	r := s.result()
	r.Serial, r.Held = lock.Find(run, o.From, o.To).Serial()
	r.Serial.Holding = min(r.Serial.Holding, r.Work) // a holder may wait for another lock
	return r
}

// Within is the span of the work inside the makespan, ns, where creators of tasks
// are known: of other runs the critical path says as much. It is 0 there, and
// where tasks wait for each other in a circle.
func Within(run *trace.Run, makespan int64, generation bool) int64 {
	if run.Task.Parent == nil || makespan <= 0 {
		return 0
	}
	if s := FindSpan(run, Options{To: makespan, Generation: generation}); s.Circles == 0 {
		return s.Span
	}
	return 0
}

// solver advances the clocks of tasks. Times are on these clocks unless they
// are called real.
type solver struct {
	run      *trace.Run
	pieces   *pieces
	children *family
	waits    waits

	edgeAt []int32 // by task, one more: edges that lead to it
	at     []int64 // by task: when it was created, then when it ended; unknown before
	via    []int32 // by task: what its start had to wait for, ^creator or predecessor; none: trace.NoInt
	state  []taskState
	of     []int32 // by task: its strand, trace.None for tasks that neither create nor wait
	strand []strand
	all    []stretch
	joined []join // by barrier
	opened []bool // by barrier: it is on the stack
	stack  []goal

	circles int
}

const (
	unknown = int64(-1)
	nothing = trace.NoInt
)

type taskState uint8

const (
	waiting taskState = iota
	asked             // its end is asked for
	running           // it was created and its predecessors have ended
	ended
)

// strand is a task that creates others or waits for them.
type strand struct {
	clock
	now       int64 // on the task's clock
	from      int64 // start of the stretch
	source    int32 // what the stretch had to wait for, a task; nothing for the start
	child     int   // next to be created
	wait      int   // next to be waited, among all waits
	pos       int   // child that a wait looks at, -1 outside
	found     join  // by the wait so far
	settled   int   // children before have been waited for
	swept     int   // … with all that they created, at barriers
	busy      bool  // it is somewhere on the stack, at a wait
	deep      join  // latest end among the task and all that came from it
	deepChild int
	last      int32 // stretch
}

// stretch is work without a break, [from, to) on the clock.
type stretch struct {
	from, to int64
	source   int32 // what it had to wait for, a task; nothing for the start
	before   int32 // stretch of the same task, trace.None for the first
}

// join is the latest of some ends.
type join struct {
	at   int64
	task int32
	done bool
}

func (j *join) add(at int64, task int32) {
	if at > j.at || j.task == nothing {
		j.at, j.task = at, task
	}
}

// index finds the strands and the edges of each task.
func (s *solver) index() {
	n := len(s.run.Task.Start)
	s.at, s.via, s.state, s.of = make([]int64, n), make([]int32, n), make([]taskState, n), make([]int32, n)
	s.edgeAt = make([]int32, n+1)
	s.strand = make([]strand, 0, s.strands())
	s.all = make([]stretch, 0, cap(s.strand)+len(s.waits.all))
	row := int32(0)
	for v := range n {
		s.at[v], s.via[v], s.of[v], s.edgeAt[v] = unknown, nothing, trace.None, row
		for int(row) < len(s.run.Dep.To) && int(s.run.Dep.To[row]) == v {
			row++
		}
		if s.isStrand(v) {
			s.of[v] = int32(len(s.strand))
			s.strand = append(s.strand, strand{clock: newClock(int32(v)), wait: int(s.waits.at[v]), pos: -1, source: nothing, last: trace.None, deep: join{task: nothing}})
		}
	}
	s.edgeAt[n] = row
	s.joined, s.opened = make([]join, len(s.waits.barrier)), make([]bool, len(s.waits.barrier))
	for i := range s.joined {
		s.joined[i].task = nothing
	}
}

// isStrand tells whether a task creates tasks or waits for them.
func (s *solver) isStrand(v int) bool {
	return s.waits.at[v] < s.waits.at[v+1] || s.children.at != nil && s.children.at[v] < s.children.at[v+1]
}

func (s *solver) strands() (n int) {
	for v := range s.at {
		if s.isStrand(v) {
			n++
		}
	}
	return n
}

// closeStretch ends the stretch of a strand at its clock.
func (s *solver) closeStretch(t *strand) {
	s.all = append(s.all, stretch{t.from, t.now, t.source, t.last})
	t.last = int32(len(s.all) - 1)
}

// result puts together what the clocks say.
func (s *solver) result() *Span {
	r := &Span{Circles: s.circles}
	last := nothing
	r.profile.Start, r.profile.End = make([]int64, 0, len(s.at)+len(s.all)-len(s.strand)), make([]int64, 0, len(s.at)+len(s.all)-len(s.strand))
	for v, end := range s.at {
		if last == nothing || end > s.at[last] {
			last = int32(v)
		}
		if s.of[v] < 0 {
			work := s.pieces.work(int32(v))
			r.Work += work
			r.profile.Add(end-work, end)
		}
	}
	for _, x := range s.all {
		r.Work += x.to - x.from
		r.profile.Add(x.from, x.to)
	}
	if last != nothing {
		r.Span = s.at[last]
		r.Path = s.path(last)
	}
	return r
}

// path goes back from the end of a task to the start of the program.
func (s *solver) path(v int32) (steps []Step) {
	for at := s.at[v]; ; {
		from, source := s.stretchAt(v, at)
		step, next := Step{Task: v, Work: at - from, Cause: Waited}, source
		if source == nothing {
			switch via := s.via[v]; {
			case via == nothing:
				step.Cause = First
			case via < 0:
				step.Cause, next = Created, ^via
			default:
				step.Cause, next = Depended, via
			}
		}
		steps = append(steps, step)
		// A circle was cut somewhere; following it would not end.
		if step.Cause == First || s.circles > 0 && len(steps) > len(s.at)+len(s.waits.all) {
			slices.Reverse(steps)
			return steps
		}
		v, at = next, from
	}
}

// stretchAt is the stretch of a task that leads to an instant of its clock:
// where it starts, and the task that it had to wait for, nothing for the first.
func (s *solver) stretchAt(v int32, at int64) (from int64, source int32) {
	k := s.of[v]
	if k < 0 {
		return s.at[v] - s.pieces.work(v), nothing
	}
	// The path only goes back: stretches that it has passed are not looked at again.
	t := &s.strand[k]
	for s.all[t.last].from > at && s.all[t.last].before >= 0 {
		t.last = s.all[t.last].before
	}
	return s.all[t.last].from, s.all[t.last].source
}
