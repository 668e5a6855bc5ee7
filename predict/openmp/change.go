package openmp

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dagscope/trace"
)

// Change is one thing that is different: a key and its value.
type Change struct{ Key, Value string }

// Keys of changes.
const (
	KeyFaster   = "faster"   // KIND:PERCENT
	KeyGrain    = "grain"    // ns
	KeySchedule = "schedule" // static, dynamic or guided
	KeyChunk    = "chunk"    // iterations
	KeyLock     = "lock"     // share of the time that locks are held
	KeyCreation = "creation" // free
	KeyRuntime  = "runtime"  // libomp, libgomp
	KeyCosts    = "costs"    // none
)

// Keys says what each change is.
func Keys() [][2]string {
	return [][2]string{
		{KeyFaster + "=KIND:PERCENT", "tasks of this kind take so many percent less"},
		{KeyGrain + "=NS", "tasks that are shorter, with all below them, run together until they take as long"},
		{KeySchedule + "=static|dynamic|guided", "of all loops"},
		{KeyChunk + "=N", "iterations that are handed out at once, of all loops"},
		{KeyLock + "=SHARE", "locks are held for this share of the time; 0: there are none"},
		{KeyCreation + "=free", "creating tasks costs nothing: as much as any number of creators can gain"},
		{KeyRuntime + "=libomp|libgomp", "rules of the runtime"},
		{KeyCosts + "=none", "the runtime costs nothing"},
	}
}

// ParseChange reads KEY=VALUE.
func ParseChange(text string) (Change, error) {
	key, value, ok := strings.Cut(text, "=")
	if !ok || !slices.ContainsFunc(Keys(), func(k [2]string) bool { return strings.HasPrefix(k[0], key+"=") }) {
		return Change{}, fmt.Errorf("read a change: found %q, want KEY=VALUE with a key of %s", text, strings.Join(names(), ", "))
	}
	return Change{key, value}, nil
}

func names() (keys []string) {
	for _, k := range Keys() {
		key, _, _ := strings.Cut(k[0], "=")
		keys = append(keys, key)
	}
	return keys
}

// With is the program with changes; those of the runtime are made in the options.
func (p *Program) With(changes []Change, o *Options) (*Program, error) {
	for _, c := range changes {
		q, err := p.with(c, o)
		if err != nil {
			return nil, fmt.Errorf("change an OpenMP program: found %s=%s, want %w", c.Key, c.Value, err)
		}
		p = q
	}
	return p, nil
}

func (p *Program) with(c Change, o *Options) (*Program, error) {
	switch {
	case (c.Key == KeySchedule || c.Key == KeyChunk) && len(p.loops) == 0:
		return nil, errors.New("a recording that has loops")
	case c.Key == KeyLock && p.locks == 0:
		return nil, errors.New("a recording that has locks")
	}
	switch c.Key {
	case KeyFaster:
		at := strings.LastIndex(c.Value, ":")
		if at < 0 {
			return nil, errors.New("KIND:PERCENT")
		}
		percent, err := strconv.ParseFloat(c.Value[at+1:], 64)
		if err != nil || percent < 0 || percent > 100 {
			return nil, errors.New("KIND:PERCENT with 0 to 100 percent")
		}
		return p.faster(c.Value[:at], percent/100)
	case KeyGrain:
		ns, err := strconv.ParseInt(c.Value, 10, 64)
		if err != nil || ns <= 0 {
			return nil, errors.New("a number of ns above 0")
		}
		return p.coarser(ns, o.Costs.Creation), nil
	case KeySchedule:
		if c.Value != Static && c.Value != Dynamic && c.Value != Guided {
			return nil, fmt.Errorf("%s, %s or %s", Static, Dynamic, Guided)
		}
		return p.withLoops(func(l *Loop) { l.Schedule = c.Value }), nil
	case KeyChunk:
		n, err := strconv.ParseInt(c.Value, 10, 64)
		if err != nil || n <= 0 {
			return nil, errors.New("a number of iterations above 0")
		}
		return p.withLoops(func(l *Loop) { l.Chunk = n }), nil
	case KeyLock:
		share, err := strconv.ParseFloat(c.Value, 64)
		if err != nil || share < 0 || share > 1 {
			return nil, errors.New("a share from 0 to 1")
		}
		if share == 0 {
			return p.withoutLocks(), nil
		}
		return p.shorterLocks(share), nil
	case KeyCreation:
		if c.Value != "free" {
			return nil, errors.New("free")
		}
		q := p.cheaperCreation(o.Costs.Creation)
		o.Costs.Create, o.Costs.Depend, o.Costs.Creation = 0, 0, 0
		return q, nil
	case KeyRuntime:
		if c.Value != LLVM && c.Value != GCC {
			return nil, fmt.Errorf("%s or %s", LLVM, GCC)
		}
		o.Runtime = c.Value
		return p, nil
	case KeyCosts:
		if c.Value != "none" {
			return nil, errors.New("none")
		}
		q := p.cheaperCreation(o.Costs.Creation)
		o.Costs = Costs{}
		return q, nil
	}
	return nil, fmt.Errorf("a key of %s", strings.Join(names(), ", "))
}

// clone is a program whose steps can be changed.
func (p *Program) clone() *Program {
	q := *p
	q.steps = slices.Clone(p.steps)
	return &q
}

func (p *Program) withLoops(change func(*Loop)) *Program {
	q := *p
	q.loops = slices.Clone(p.loops)
	for i := range q.loops {
		change(&q.loops[i])
	}
	return &q
}

// balanced hands out loops in as small parts as possible. The cost of that is the
// runtime's, so that it does not count.
func (p *Program) balanced() *Program {
	return p.withLoops(func(l *Loop) { l.Schedule, l.Chunk = even, 0 })
}

func (p *Program) faster(kind string, share float64) (*Program, error) {
	k := slices.Index(p.Kinds, kind)
	if k < 0 {
		return nil, fmt.Errorf("a kind of tasks that the run has (%s)", strings.Join(p.Kinds, ", "))
	}
	q := p.clone()
	for task := range p.parent {
		if p.kind[task] != int32(k) {
			continue
		}
		for i := p.first[task]; i < p.first[task+1]; i++ {
			q.steps[i].work -= int64(share * float64(q.steps[i].work))
		}
	}
	return q, nil
}

// cheaperCreation takes what the runtime spent on creations out of the work before
// them.
func (p *Program) cheaperCreation(ns int64) *Program {
	q := p.clone()
	for i := range q.steps {
		if q.steps[i].op == opCreate {
			q.steps[i].work = max(0, q.steps[i].work-ns)
		}
	}
	return q
}

func (p *Program) withoutLocks() *Program {
	q := p.clone()
	for i := range q.steps {
		if op := q.steps[i].op; op == opLock || op == opUnlock {
			q.steps[i].op = opNothing
		}
	}
	return q
}

// shorterLocks moves work out of where a lock is held to behind it.
func (p *Program) shorterLocks(share float64) *Program {
	q := p.clone()
	for task := range p.parent {
		held := 0
		moved := int64(0)
		for i := p.first[task]; i < p.first[task+1]; i++ {
			s := &q.steps[i]
			if held > 0 {
				out := s.work - int64(share*float64(s.work))
				s.work -= out
				moved += out
			} else {
				s.work += moved
				moved = 0
			}
			switch s.op {
			case opLock:
				held++
			case opUnlock:
				held--
			}
		}
	}
	return q
}

// coarser makes tasks of at least ns out of shorter ones that one task creates one
// after the other. Tasks with dependences, or that meet anything but taskwaits and
// their own children, stay as they are.
func (p *Program) coarser(ns, creation int64) *Program {
	sums, simple := p.subtrees()
	q := *p
	q.steps, q.first = make([]step, 0, len(p.steps)), make([]int32, 0, len(p.first))
	leader := make([]int64, len(p.parent)) // work of a task that stands for several; 0: as it was
	gone := make([]bool, len(p.parent))
	small := func(c int32) bool { return simple[c] && sums[c] < ns }
	for task := range p.parent {
		q.first = append(q.first, int32(len(q.steps)))
		switch {
		case gone[task]:
			q.steps = append(q.steps, step{op: opEnd})
			p.goneBelow(int32(task), gone)
			continue
		case leader[task] > 0:
			q.steps = append(q.steps, step{work: leader[task], op: opEnd})
			p.goneBelow(int32(task), gone)
			continue
		}
		var before int64
		group := int32(-1)
		for _, s := range p.steps[p.first[task]:p.first[task+1]] {
			s.work += before
			before = 0
			switch {
			case s.op == opCreate && small(s.arg) && group >= 0 && leader[group] < ns:
				leader[group] += sums[s.arg]
				gone[s.arg] = true
				before = max(0, s.work-creation)
				continue
			case s.op == opCreate && small(s.arg):
				group = s.arg
				leader[group] = max(1, sums[s.arg])
			case s.op != opCreate:
				group = -1
			}
			q.steps = append(q.steps, s)
		}
	}
	q.first = append(q.first, int32(len(q.steps)))
	return &q
}

// goneBelow marks the children of a task that runs no more by itself.
func (p *Program) goneBelow(task int32, gone []bool) {
	for _, s := range p.steps[p.first[task]:p.first[task+1]] {
		if s.op == opCreate || s.op == opUndeferred {
			gone[s.arg] = true
		}
	}
}

// subtrees are the work of each task with all below it, and whether that could be
// one piece of work.
func (p *Program) subtrees() (sums []int64, simple []bool) {
	sums, simple = make([]int64, len(p.parent)), make([]bool, len(p.parent))
	for task := len(p.parent) - 1; task >= 0; task-- {
		simple[task] = p.flags[task]&implicit == 0 && p.preds[task] == 0 && p.succAt[task] == p.succAt[task+1] &&
			(p.excl == nil || p.exclAt[task] == p.exclAt[task+1])
		for _, s := range p.steps[p.first[task]:p.first[task+1]] {
			sums[task] += s.work
			switch s.op {
			case opEnd, opTaskwait, opYield, opNothing:
			case opCreate, opUndeferred:
				sums[task] += sums[s.arg]
				simple[task] = simple[task] && simple[s.arg]
			default:
				simple[task] = false
			}
		}
	}
	return sums, simple
}

// Outcome is what a change gains.
type Outcome struct {
	Base     Result   `json:"base"`
	Changed  Result   `json:"changed"`
	Gain     int64    `json:"gain_ns"` // median over the seeds
	Low      int64    `json:"gain_low_ns"`
	High     int64    `json:"gain_high_ns"`
	Pairs    int      `json:"pairs"`
	Error    float64  `json:"replay_error"` // of the base, on the recorded number of threads
	Valid    bool     `json:"valid"`        // the base repeats the run
	Warnings []string `json:"warnings,omitempty"`
}

// Try simulates a recorded run with and without changes, in pairs with the same
// choices of victims, and says what is gained. This is what proofs of findings on
// OpenMP runs are to call. threads 0: as many as were recorded.
func Try(run *trace.Run, ask Ask, threads, pairs int) (*Outcome, error) {
	p, err := Read(run)
	if err != nil {
		return nil, err
	}
	o := Options{Threads: p.Threads, Runtime: ask.Runtime, Costs: Fit(run, p), Seed: ask.Seed}
	if ask.Costs != nil {
		o.Costs = *ask.Costs
	}
	changed := o
	q, err := p.With(ask.Changes, &changed)
	if err != nil {
		return nil, err
	}
	if threads > 0 {
		changed.Threads = threads
	}
	out := &Outcome{Warnings: p.Warnings, Pairs: max(pairs, 1)}
	gains := make([]int64, out.Pairs)
	for i := range gains {
		o.Seed, changed.Seed = ask.Seed+uint64(i), ask.Seed+uint64(i)
		base, err := Simulate(p, o)
		if err != nil {
			return nil, err
		}
		with, err := Simulate(q, changed)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			out.Base, out.Changed = base, with
		}
		gains[i] = base.Makespan - with.Makespan
	}
	slices.Sort(gains)
	n := len(gains)
	out.Gain, out.Low, out.High = gains[n/2], gains[n/10], gains[n-1-n/10]
	out.Error = float64(out.Base.Makespan-p.Recorded) / float64(p.Recorded)
	out.Valid = out.Error <= MaxError && out.Error >= -MaxError
	return out, nil
}
