package openmp

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// oracle simulates one or two threads tick by tick: nothing is woken, every thread
// looks at everything all the time. With two threads no choice is left to chance.
type oracle struct {
	p       *Program
	o       Options
	threads [2]oracleThread
	n       int
	created []bool
	started []bool
	ended   []bool
	group   []int // by task, innermost taskgroup that it was created in
	groups  []int // the one around
	held    map[int32]int
	waiting map[int32][]int // threads that wait for a lock
	queue   []int32         // libgomp: in the order in which they became ready
	next    map[int32]int64
	free    map[int32]int64
	at      []bool // members at the barrier
	gone    []bool // members at the end
	inside  bool
	made    bool // the second thread
	now     int64
}

type oracleThread struct {
	stack []*oracleFrame
	deque []int32
	busy  int64
}

type oracleFrame struct {
	task   int32
	step   int32
	phase  int // 0: work to do, 1: its operation, 2: waits
	waited bool
	group  int
	member int
	lock   bool // got
}

func (s *oracle) top(t int) *oracleFrame { return s.threads[t].stack[len(s.threads[t].stack)-1] }

func (s *oracle) openChildren(task int32, direct bool, group int) bool {
	for c := range s.p.parent {
		if !s.created[c] || s.ended[c] || s.p.flags[c]&implicit != 0 {
			continue
		}
		if direct && s.p.parent[c] == task || group >= 0 && s.group[c] == group {
			return true
		}
	}
	return false
}

func (s *oracle) predecessorsEnded(c int32) bool {
	for q := range s.p.parent {
		if slices.Contains(s.p.succ[s.p.succAt[q]:s.p.succAt[q+1]], c) && !s.ended[q] {
			return false
		}
	}
	return true
}

// descendant by naming all ancestors.
func (s *oracle) descendant(c, of int32) bool {
	for q := s.p.parent[c]; q >= 0; q = s.p.parent[q] {
		if q == of {
			return true
		}
	}
	return false
}

func (s *oracle) may(t int, c int32) bool {
	for i := len(s.threads[t].stack) - 1; i >= 0; i-- {
		f := s.threads[t].stack[i]
		if s.p.flags[c]&untied != 0 {
			return true
		}
		if s.p.flags[f.task]&untied != 0 {
			continue
		}
		if s.p.flags[f.task]&implicit != 0 && !(f.phase == 2 && s.p.steps[f.step].op == opTaskwait) {
			return true
		}
		return s.descendant(c, f.task)
	}
	return true
}

func (s *oracle) take(t int) (int32, bool) {
	if s.o.Runtime == GCC {
		return s.takeShared(t), false
	}
	if d := s.threads[t].deque; len(d) > 0 && s.may(t, d[len(d)-1]) {
		s.threads[t].deque = d[:len(d)-1]
		return d[len(d)-1], false
	}
	if s.n == 2 {
		d := s.threads[1-t].deque
		for i, c := range d {
			if s.may(t, c) {
				s.threads[1-t].deque = slices.Delete(slices.Clone(d), i, i+1)
				return c, true
			}
		}
	}
	return -1, false
}

func (s *oracle) takeShared(t int) int32 {
	f := s.top(t)
	found := -1
	for i, c := range s.queue {
		if !s.may(t, c) {
			continue
		}
		switch s.p.steps[f.step].op {
		case opTaskwait:
			if s.p.parent[c] == f.task {
				found = i // the youngest
			}
			continue
		case opGroupEnd:
			if s.group[c] != f.group {
				continue
			}
		}
		found = i
		break
	}
	if found < 0 {
		return -1
	}
	c := s.queue[found]
	s.queue = slices.Delete(s.queue, found, found+1)
	return c
}

func (s *oracle) start(t int, c int32, cost int64) {
	s.started[c] = true
	s.threads[t].stack = append(s.threads[t].stack, &oracleFrame{task: c, step: s.p.first[c], group: s.group[c], member: -1})
	s.threads[t].busy = s.now + cost
}

func (s *oracle) ready(t int, c int32) {
	if s.o.Runtime == GCC {
		s.queue = append(s.queue, c)
	} else {
		s.threads[t].deque = append(s.threads[t].deque, c)
	}
}

// turn lets a thread do one thing; false if there is nothing that it can do now.
func (s *oracle) turn(t int) bool {
	th := &s.threads[t]
	if th.busy > s.now || len(th.stack) == 0 {
		return false
	}
	f := s.top(t)
	st := &s.p.steps[f.step]
	c := &s.o.Costs
	onward := func() {
		f.step, f.phase, f.waited, f.lock = f.step+1, 0, false, false
	}
	resume := func() {
		if f.waited {
			th.busy = s.now + c.Resume
		}
		onward()
	}
	search := func() bool {
		if st.op != opYield {
			f.waited = true
		}
		task, stolen := s.take(t)
		if task < 0 {
			return false
		}
		cost := c.Dispatch
		if stolen {
			cost = c.Steal
		}
		if s.p.preds[task] > 0 || s.p.succAt[task] < s.p.succAt[task+1] {
			cost += c.Release
		}
		s.start(t, task, cost)
		return true
	}
	if f.phase == 0 {
		f.phase, th.busy = 1, s.now+st.work
		return true
	}
	switch st.op {
	case opNothing:
		onward()
	case opCreate:
		s.created[st.arg], s.group[st.arg] = true, f.group
		onward()
		if s.predecessorsEnded(st.arg) {
			if s.n == 1 || !s.inside {
				s.start(t, st.arg, c.Inline)
			} else {
				s.ready(t, st.arg)
			}
		}
	case opUndeferred:
		if f.phase == 1 {
			s.created[st.arg], s.group[st.arg], f.phase = true, f.group, 2
		}
		if !s.predecessorsEnded(st.arg) {
			return search()
		}
		waited := f.waited
		onward()
		s.start(t, st.arg, c.Inline)
		if waited {
			th.busy += c.Resume
		}
	case opTaskwait:
		f.phase = 2
		if s.openChildren(f.task, true, -1) {
			return search()
		}
		resume()
	case opGroup:
		s.groups = append(s.groups, f.group)
		f.group = len(s.groups) - 1
		onward()
	case opGroupEnd:
		f.phase = 2
		if s.openChildren(-1, false, f.group) {
			return search()
		}
		f.group = s.groups[f.group]
		resume()
	case opYield:
		f.phase = 2
		if !search() {
			onward()
		}
	case opParallel:
		s.inside = s.n > 1
		r := &s.p.regions[st.arg]
		onward()
		s.at, s.gone = make([]bool, s.n), make([]bool, s.n)
		for i := range s.n {
			task := r.shadow
			if i < len(r.members) {
				task = r.members[i]
			}
			s.threads[i].stack = append(s.threads[i].stack, &oracleFrame{task: task, step: s.p.first[task], group: -1, member: i})
			if s.n > 1 {
				s.threads[i].busy = s.now + c.Fork
				if i > 0 && !s.made {
					s.threads[i].busy += c.Start
				}
			}
		}
		if s.n > 1 {
			th.busy = s.now + c.Fork
			if !s.made {
				th.busy += c.Start
			}
			s.made = true
		}
	case opBarrier:
		f.phase = 2
		s.at[f.member] = true
		return s.meet(t) || search()
	case opLoop:
		return s.loop(t, f, st, onward)
	case opLock:
		return s.lock(t, f, st, onward)
	case opUnlock:
		delete(s.held, st.arg)
		if w := s.waiting[st.arg]; len(w) > 0 {
			s.waiting[st.arg] = w[1:]
			s.held[st.arg] = w[0]
			s.threads[w[0]].busy = s.now + c.Lock
			s.top(w[0]).lock = true
		}
		onward()
	case opEnd:
		if f.task == s.p.root {
			s.ended[f.task] = true
			return false
		}
		if s.p.flags[f.task]&implicit != 0 {
			f.phase = 2
			s.gone[f.member] = true
			return s.meet(t) || search()
		}
		s.end(t, f.task)
	}
	return true
}

func (s *oracle) end(t int, task int32) {
	th := &s.threads[t]
	th.stack = th.stack[:len(th.stack)-1]
	s.ended[task] = true
	for _, next := range s.p.succ[s.p.succAt[task]:s.p.succAt[task+1]] {
		if s.created[next] && !s.undeferred(next) && s.predecessorsEnded(next) {
			s.ready(t, next)
		}
	}
	if s.inside {
		s.meet(t)
	}
}

func (s *oracle) undeferred(c int32) bool {
	return slices.ContainsFunc(s.p.steps, func(x step) bool { return x.op == opUndeferred && x.arg == c })
}

// meet ends the barrier or the region if all are there.
func (s *oracle) meet(int) bool {
	all := true
	for i := range s.n {
		if !s.at[i] && !s.gone[i] {
			return false
		}
		all = all && s.gone[i]
	}
	for c := range s.p.parent {
		if s.created[c] && !s.ended[c] && s.p.flags[c]&implicit == 0 {
			return false
		}
	}
	for i := range s.n {
		th := &s.threads[i]
		if all {
			th.stack = th.stack[:len(th.stack)-1]
			s.inside = false
		} else if s.at[i] {
			f := s.top(i)
			f.step, f.phase, f.waited = f.step+1, 0, false
			s.at[i] = false
		} else {
			continue
		}
		th.busy = s.now + s.o.Costs.Barrier
	}
	return true
}

func (s *oracle) loop(t int, f *oracleFrame, st *step, onward func()) bool {
	l := &s.p.loops[st.arg]
	th := &s.threads[t]
	until := func(i int64) (ns int64) { // iteration by iteration
		for k := range i {
			ns += l.before(k+1) - l.before(k)
		}
		return ns
	}
	if l.Schedule == Static {
		mine := int64(0)
		for i := range l.n {
			owner := int64(0)
			if l.Chunk > 0 {
				owner = i / l.Chunk % int64(s.n)
			} else {
				size, more := l.n/int64(s.n), l.n%int64(s.n)
				if owner = 0; s.n == 2 && i >= size+min(more, 1) {
					owner = 1
				}
			}
			if owner == int64(f.member) {
				mine += until(i+1) - until(i)
			}
		}
		th.busy = s.now + mine
		onward()
		return true
	}
	next := s.next[st.arg]
	if next >= l.n {
		onward()
		return true
	}
	size := max(l.Chunk, 1)
	if l.Schedule == Guided {
		size = max(size, (l.n-next)/int64(2*s.n))
	}
	size = min(size, l.n-next)
	s.next[st.arg] = next + size
	s.free[st.arg] = max(s.free[st.arg], s.now) + s.o.Costs.Chunk
	th.busy = s.free[st.arg] + until(next+size) - until(next)
	return true
}

func (s *oracle) lock(t int, f *oracleFrame, st *step, onward func()) bool {
	if f.lock {
		onward()
		return true
	}
	if f.phase == 2 {
		return false
	}
	if _, taken := s.held[st.arg]; taken {
		s.waiting[st.arg] = append(s.waiting[st.arg], t)
		f.phase = 2
		return false
	}
	s.held[st.arg] = t
	onward()
	return true
}

func (s *oracle) run() int64 {
	n := len(s.p.parent)
	s.n = s.o.Threads
	s.created, s.started, s.ended, s.group = make([]bool, n), make([]bool, n), make([]bool, n), make([]int, n)
	s.held, s.waiting, s.next, s.free = map[int32]int{}, map[int32][]int{}, map[int32]int64{}, map[int32]int64{}
	s.threads[0].stack = []*oracleFrame{{task: s.p.root, step: s.p.first[s.p.root], group: -1, member: -1}}
	for ; s.now < 1<<20; s.now++ {
		for t := 0; t < s.n; t++ {
			if s.turn(t) {
				t = -1 // the first thread that can do something is next
			}
			if s.ended[s.p.root] {
				return s.now
			}
		}
	}
	return -1
}

// builder makes programs.
type builder struct {
	t      *rapid.T
	p      *Program
	body   [][]step
	budget int
}

func (b *builder) task(parent int32, flags uint8) int32 {
	id := int32(len(b.p.parent))
	b.p.parent = append(b.p.parent, parent)
	b.p.flags = append(b.p.flags, flags)
	b.p.preds, b.p.kind = append(b.p.preds, 0), append(b.p.kind, 0)
	level := int32(0)
	if parent >= 0 {
		level = b.p.level[parent] + 1
	}
	b.p.level = append(b.p.level, level)
	b.body = append(b.body, nil)
	return id
}

func (b *builder) add(task int32, o op, arg int32) {
	b.body[task] = append(b.body[task], step{work: int64(rapid.IntRange(0, 12).Draw(b.t, "work")), op: o, arg: arg})
}

func (b *builder) fill(task int32, depth int, edges *[][2]int32) {
	depth0 := 0
	var siblings []int32
	for range rapid.IntRange(0, 5).Draw(b.t, "steps") {
		switch rapid.IntRange(0, 9).Draw(b.t, "op") {
		case 0, 1, 2, 3, 4:
			if b.budget == 0 || depth == 0 {
				continue
			}
			b.budget--
			var flags uint8
			if rapid.IntRange(0, 4).Draw(b.t, "untied") == 0 {
				flags = untied
			}
			c := b.task(task, flags)
			b.fill(c, depth-1, edges)
			for _, q := range siblings {
				if rapid.IntRange(0, 3).Draw(b.t, "depends") == 0 {
					*edges = append(*edges, [2]int32{q, c})
					b.p.preds[c]++
				}
			}
			siblings = append(siblings, c)
			o := opCreate
			if rapid.IntRange(0, 7).Draw(b.t, "undeferred") == 0 {
				o = opUndeferred
			}
			b.add(task, o, c)
		case 5, 6:
			b.add(task, opTaskwait, 0)
		case 7:
			if depth0 == 0 {
				b.add(task, opGroup, 0)
				depth0++
			} else {
				b.add(task, opGroupEnd, 0)
				depth0--
			}
		case 8:
			l := int32(rapid.IntRange(0, b.p.locks-1).Draw(b.t, "lock"))
			b.add(task, opLock, l)
			b.add(task, opUnlock, l)
		case 9:
			b.add(task, opYield, 0)
		}
	}
	for ; depth0 > 0; depth0-- {
		b.add(task, opGroupEnd, 0)
	}
}

// draw makes a program with one region or two, each with one or two members that
// meet the same loops and barriers.
func draw(t *rapid.T) *Program {
	b := &builder{t: t, p: &Program{locks: 2, Kinds: []string{"task"}}, budget: 14}
	var edges [][2]int32
	b.p.root = b.task(-1, implicit)
	for r := range rapid.IntRange(1, 2).Draw(t, "regions") {
		g := region{scales: true}
		for range rapid.IntRange(1, 2).Draw(t, "members") {
			g.members = append(g.members, b.task(b.p.root, implicit))
		}
		g.shadow = b.task(b.p.root, implicit)
		for range rapid.IntRange(1, 3).Draw(t, "phases") {
			loop := int32(-1)
			if rapid.Bool().Draw(t, "loop") {
				loop = int32(len(b.p.loops))
				b.p.loops = append(b.p.loops, drawLoop(t))
			}
			for _, m := range append(slices.Clone(g.members), g.shadow) {
				if m != g.shadow {
					b.fill(m, 3, &edges)
				}
				if loop >= 0 {
					b.body[m] = append(b.body[m], step{op: opLoop, arg: loop})
				}
				b.body[m] = append(b.body[m], step{op: opBarrier})
			}
		}
		b.p.regions = append(b.p.regions, g)
		b.add(b.p.root, opParallel, int32(r))
	}
	for i, body := range b.body {
		last := int64(rapid.IntRange(0, 12).Draw(t, "last"))
		if slices.ContainsFunc(b.p.regions, func(g region) bool { return g.shadow == int32(i) }) {
			last = 0
		}
		b.p.first = append(b.p.first, int32(len(b.p.steps)))
		b.p.steps = append(append(b.p.steps, body...), step{work: last, op: opEnd})
	}
	b.p.first = append(b.p.first, int32(len(b.p.steps)))
	for q := range b.p.parent {
		b.p.succAt = append(b.p.succAt, int32(len(b.p.succ)))
		for _, e := range edges {
			if e[0] == int32(q) {
				b.p.succ = append(b.p.succ, e[1])
			}
		}
	}
	b.p.succAt = append(b.p.succAt, int32(len(b.p.succ)))
	return b.p
}

func drawLoop(t *rapid.T) Loop {
	l := Loop{Schedule: rapid.SampledFrom([]string{Static, Dynamic, Guided}).Draw(t, "schedule"), Chunk: int64(rapid.IntRange(0, 3).Draw(t, "chunk"))}
	for range rapid.IntRange(1, 3).Draw(t, "parts") {
		l.first, l.until = append(l.first, l.n), append(l.until, l.work)
		l.n += int64(rapid.IntRange(1, 5).Draw(t, "iterations"))
		l.work += int64(rapid.IntRange(0, 40).Draw(t, "work of loop"))
	}
	return l
}

func drawCosts(t *rapid.T) Costs {
	cost := func(name string) int64 { return int64(rapid.IntRange(0, 5).Draw(t, name)) }
	return Costs{Inline: cost("inline"), Dispatch: cost("dispatch"), Steal: cost("steal"), Release: cost("release"), Resume: cost("resume"),
		Barrier: cost("barrier"), Fork: cost("fork"), Start: cost("start"), Chunk: cost("chunk"), Lock: cost("lock")}
}

func TestTwoThreadsAreThoseOfTheOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := draw(t)
		o := Options{Threads: rapid.IntRange(1, 2).Draw(t, "threads"), Costs: drawCosts(t), Runtime: rapid.SampledFrom([]string{LLVM, GCC}).Draw(t, "runtime")}
		if o.Threads == 1 {
			for i := range p.regions {
				if len(p.regions[i].members) > 1 {
					t.Skip("members that take turns on one thread are tested by themselves")
				}
			}
		}
		want := (&oracle{p: p, o: o}).run()
		got, err := Simulate(p, o)
		if want < 0 {
			if err == nil {
				t.Fatalf("found makespan %d, want an error: the program does not end", got.Makespan)
			}
			return
		}
		if err != nil || got.Makespan != want {
			t.Fatalf("found makespan %d (%v), want %d\n%+v\n%s", got.Makespan, err, want, o, p.describe())
		}
	})
}

func TestBoundsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := draw(t)
		o := Options{Threads: rapid.IntRange(1, 40).Draw(t, "threads"), Costs: drawCosts(t), Seed: rapid.Uint64().Draw(t, "seed"),
			Runtime: rapid.SampledFrom([]string{LLVM, GCC}).Draw(t, "runtime")}
		r, err := Simulate(p, o)
		if err != nil {
			t.Skip(err)
		}
		again, _ := Simulate(p, o)
		if again != r {
			t.Fatalf("found %+v, then %+v, want the same twice", r, again)
		}
		if span := p.Span(); r.Makespan < span || r.Makespan*int64(o.Threads) < p.Work() {
			t.Fatalf("found makespan %d on %d threads, want at least the span %d and work %d over threads\n%s", r.Makespan, o.Threads, span, p.Work(), p.describe())
		}
		if n := p.Tasks(); r.Started != int64(n) {
			t.Fatalf("found %d tasks started, want %d", r.Started, n)
		}
		if r.Idle < 0 {
			t.Fatalf("found %+v, want parts that add up", r)
		}
	})
}

func (p *Program) describe() (text string) {
	for i := range p.parent {
		text += fmt.Sprintf("task %d of %d flags %d preds %d next %v: ", i, p.parent[i], p.flags[i], p.preds[i], p.succ[p.succAt[i]:p.succAt[i+1]])
		for _, s := range p.steps[p.first[i]:p.first[i+1]] {
			text += fmt.Sprintf("%d:%d(%d) ", s.work, s.op, s.arg)
		}
		text += "\n"
	}
	return text
}
