package openmp

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"dagscope/trace"
)

// Names of what the reader of OpenMP events makes.
const (
	kindInitial  = "initial task"
	kindImplicit = "implicit task"
	typeOpenMP   = "OpenMP"

	eventParallel = "parallel begin"
	eventGroup    = "taskgroup begin"
)

// action is where a task meets the runtime.
type action struct {
	time int64
	end  int64 // of a wait
	task int32
	arg  int32
	op   op
}

// reading makes a program of a run.
type reading struct {
	*Program
	run     *trace.Run
	pieceAt []int32 // by task: its first segment; nil without segments
	region  []int32 // by task: region that it runs in, -1 outside
	actions []action
}

// Read makes a program of a recording.
func Read(run *trace.Run) (*Program, error) {
	n := len(run.Task.Start)
	r := &reading{run: run, Program: &Program{
		parent: make([]int32, n), level: make([]int32, n), kind: make([]int32, n), flags: make([]uint8, n), preds: make([]int32, n),
		Kinds: run.Task.Kind.Dict, root: trace.None,
	}}
	if err := r.tasks(); err != nil {
		return nil, fmt.Errorf("read an OpenMP program out of a recording: %w", err)
	}
	r.pieces()
	r.regionsOf()
	r.creations()
	r.waits()
	r.yields()
	r.events()
	r.locked()
	r.looped()
	r.dependences()
	r.cut()
	return r.Program, nil
}

// tasks finds the root and what kind of task each is.
func (r *reading) tasks() error {
	t := &r.run.Task
	if t.Parent == nil {
		return errors.New("found no task that says who created it, want a recording of dagscope record, or OMPT events")
	}
	longest, roots := int64(-1), 0
	for i := range t.Start {
		r.parent[i], r.kind[i] = t.Parent[i], t.Kind.Index[i]
		if p := t.Parent[i]; p != trace.None {
			r.level[i] = r.level[p] + 1
		}
		if !t.Internal[i] {
			continue
		}
		r.flags[i] = implicit
		if t.Kind.At(i) != kindInitial || t.Start[i] == trace.NoTime {
			continue
		}
		roots++
		if d := r.end(int32(i)) - t.Start[i]; d > longest {
			longest, r.root = d, int32(i)
		}
	}
	switch {
	case r.root == trace.None:
		return errors.New("found no initial task, want the events of an OpenMP program from its beginning (not --ring)")
	case r.processes() > 1:
		return fmt.Errorf("found %d processes, want one: import one of them", r.processes())
	case roots > 1:
		r.warn("%d further threads of the program's own are left out", roots-1)
	}
	r.Recorded = longest
	return nil
}

func (r *reading) warn(format string, a ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, a...))
}

func (r *reading) processes() (n int) {
	for i := range r.run.Resource.Parent {
		if r.run.Resource.Level.At(i) == trace.LevelNode {
			n++
		}
	}
	return n
}

// end of a task; one that never ended ends with the recording.
func (r *reading) end(task int32) int64 {
	if e := r.run.Task.End[task]; e != trace.NoTime {
		return e
	}
	return r.run.Meta.Horizon
}

// pieces finds the segments of each task.
func (r *reading) pieces() {
	s := &r.run.Segment
	r.pieceAt = make([]int32, len(r.parent)+1)
	for _, task := range s.Task {
		r.pieceAt[task+1]++
	}
	for i := range r.parent {
		r.pieceAt[i+1] += r.pieceAt[i]
	}
}

// piece is the i-th piece of a task, and whether there is one.
func (r *reading) piece(task int32, i int) (start, end int64, ok bool) {
	from, to := r.pieceAt[task], r.pieceAt[task+1]
	if from == to {
		start, end = r.run.Task.Start[task], r.end(task)
		return start, end, i == 0 && start != trace.NoTime
	}
	if k := from + int32(i); k < to {
		return r.run.Segment.Start[k], r.run.Segment.End[k], true
	}
	return 0, 0, false
}

// regionsOf finds the parallel regions: who began them, and their members.
func (r *reading) regionsOf() {
	ev, t := &r.run.Event, &r.run.Task
	begins := map[int32][]int64{}
	for i := range ev.Time {
		if ev.Kind.At(i) == eventParallel && ev.Task != nil && ev.Task[i] != trace.None {
			begins[ev.Task[i]] = append(begins[ev.Task[i]], ev.Time[i])
		}
	}
	type key struct {
		task int32
		nth  int
	}
	of := map[key]int32{}
	r.region = make([]int32, len(r.parent))
	for i := range r.parent {
		r.region[i] = -1
		p := r.parent[i]
		if p == trace.None {
			continue
		}
		if r.flags[i]&implicit == 0 || t.Kind.At(i) != kindImplicit {
			r.region[i] = r.region[p]
			continue
		}
		at := sort.Search(len(begins[p]), func(k int) bool { return begins[p][k] > t.Start[i] }) - 1
		if at < 0 || t.Start[i] == trace.NoTime {
			continue
		}
		g, ok := of[key{p, at}]
		if !ok {
			g = int32(len(r.regions))
			of[key{p, at}] = g
			r.regions = append(r.regions, region{shadow: -1, begin: begins[p][at]})
			r.actions = append(r.actions, action{task: p, time: begins[p][at], op: opParallel, arg: g})
		}
		r.regions[g].members = append(r.regions[g].members, int32(i))
		r.region[i] = g
	}
	r.Threads = 1
	for i := range r.regions {
		m := r.regions[i].members
		slices.SortStableFunc(m, func(a, b int32) int { return cmp.Compare(t.Worker[a], t.Worker[b]) })
		if len(m) > 1 && r.region[r.parent[m[0]]] >= 0 {
			r.warn("nested parallel regions run on the thread that begins them, one member after the other")
		}
		if r.region[r.parent[m[0]]] < 0 {
			r.Threads = max(r.Threads, len(m))
		}
	}
	for i := range r.regions {
		r.regions[i].scales = len(r.regions[i].members) == r.Threads
	}
	slices.Sort(r.Warnings)
	r.Warnings = slices.Compact(r.Warnings)
}

// creations are where tasks create others.
func (r *reading) creations() {
	t := &r.run.Task
	never := 0
	for i := range r.parent {
		c := int32(i)
		p := r.parent[i]
		if r.flags[i]&implicit != 0 || p == trace.None {
			continue
		}
		if t.Start[i] == trace.NoTime || t.Submit[i] == trace.NoTime {
			never++
			continue
		}
		a := action{task: p, time: t.Submit[i], op: opCreate, arg: c}
		if r.undeferred(p, c) {
			a.op = opUndeferred
		}
		r.actions = append(r.actions, a)
	}
	if never > 0 {
		r.warn("%d tasks that never ran on a thread of the program are left out", never)
	}
}

// undeferred reports whether a task was one that its creator waits for. In a team
// of one thread that is so of all, and says nothing of others.
func (r *reading) undeferred(p, c int32) bool {
	if g := r.region[p]; g >= 0 && len(r.regions[g].members) == 1 {
		return false
	}
	from, to := int(r.pieceAt[p]), int(r.pieceAt[p+1])
	submit := r.run.Task.Submit[c]
	i := from + sort.Search(to-from, func(k int) bool { return r.run.Segment.End[from+k] >= submit })
	if i == to || r.run.Segment.End[i] != submit {
		return false
	}
	return (i+1 == to || r.run.Segment.Start[i+1] >= r.end(c)) && !r.preempted(p, submit)
}

// preempted reports whether a task was ready to go on from a time on.
func (r *reading) preempted(task int32, from int64) bool {
	ph := &r.run.Phase
	lo := sort.Search(len(ph.Task), func(k int) bool { return ph.Task[k] > task || ph.Task[k] == task && ph.Start[k] >= from })
	return lo < len(ph.Task) && ph.Task[lo] == task && ph.Start[lo] == from && ph.Kind.At(lo) == trace.PhaseReady
}

// waits are where tasks wait for others, and barriers.
func (r *reading) waits() {
	s := &r.run.State
	kinds := make([]op, len(s.Kind.Dict))
	for i, k := range s.Kind.Dict {
		switch {
		case k == "taskwait" || k == "taskwait depend":
			kinds[i] = opTaskwait
		case k == "taskgroup":
			kinds[i] = opGroupEnd
		case strings.HasPrefix(k, "barrier") && k != "barrier after parallel", strings.HasSuffix(k, " barrier"):
			kinds[i] = opBarrier
		}
	}
	depend := false
	for i := range s.Start {
		k := kinds[max(s.Kind.Index[i], 0)]
		if k == opEnd || s.Type.At(i) != typeOpenMP || s.Task == nil || s.Task[i] == trace.None {
			continue
		}
		task := s.Task[i]
		depend = depend || s.Kind.At(i) == "taskwait depend"
		if k == opBarrier && (r.flags[task]&implicit == 0 || s.End[i] >= r.end(task)) {
			continue // at the end of the region, where all meet anyway
		}
		r.actions = append(r.actions, action{task: task, time: s.Start[i], end: s.End[i], op: k})
	}
	if depend {
		r.warn("taskwaits with dependences wait for all children")
	}
}

// yields are where a task let others go first, other than because they were too many.
func (r *reading) yields() {
	ph, t := &r.run.Phase, &r.run.Task
	for i := range ph.Task {
		task := ph.Task[i]
		if ph.Kind.At(i) == trace.PhaseReady && ph.Start[i] > t.Start[task] && t.Start[task] != trace.NoTime {
			r.actions = append(r.actions, action{task: task, time: ph.Start[i], end: ph.End[i], op: opYield})
		}
	}
}

func (r *reading) events() {
	ev := &r.run.Event
	for i := range ev.Time {
		if ev.Kind.At(i) == eventGroup && ev.Task != nil && ev.Task[i] != trace.None {
			r.actions = append(r.actions, action{task: ev.Task[i], time: ev.Time[i], op: opGroup})
		}
	}
}

// dependences are the edges between tasks that ran, and what tasks hold in turns.
func (r *reading) dependences() {
	d, t, a := &r.run.Dep, &r.run.Task, &r.run.Access
	r.succAt = make([]int32, len(r.parent)+1)
	counts := func(k int) bool {
		from, to := d.From[k], d.To[k]
		return from != trace.None && t.Start[from] != trace.NoTime && t.Start[to] != trace.NoTime && r.flags[from]&implicit == 0 && r.flags[to]&implicit == 0
	}
	for k := range d.To {
		if counts(k) {
			r.succAt[d.From[k]+1]++
			r.preds[d.To[k]]++
		}
	}
	for i := range r.parent {
		r.succAt[i+1] += r.succAt[i]
	}
	next := slices.Clone(r.succAt)
	r.succ = make([]int32, r.succAt[len(r.parent)])
	for k := range d.To {
		if counts(k) {
			r.succ[next[d.From[k]]] = d.To[k]
			next[d.From[k]]++
		}
	}
	if len(a.Task) == 0 {
		return
	}
	r.handles, r.exclAt = len(r.run.Handle.Key.Index), make([]int32, len(r.parent)+1)
	for i, task := range a.Task {
		if a.Mode.At(i) == "RWC" {
			r.excl = append(r.excl, a.Handle[i])
			r.exclAt[task+1]++
		}
	}
	for i := range r.parent {
		r.exclAt[i+1] += r.exclAt[i]
	}
}

// cut divides what each task ran into steps.
func (r *reading) cut() {
	sort.SliceStable(r.actions, func(i, j int) bool {
		a, b := &r.actions[i], &r.actions[j]
		return a.task < b.task || a.task == b.task && (a.time < b.time || a.time == b.time && a.order() < b.order())
	})
	r.first = make([]int32, 0, len(r.parent)+1)
	r.steps = make([]step, 0, len(r.actions)+len(r.parent))
	k := 0
	for i := range r.parent {
		r.first = append(r.first, int32(len(r.steps)))
		from := k
		for k < len(r.actions) && r.actions[k].task == int32(i) {
			k++
		}
		r.cutTask(int32(i), r.actions[from:k])
	}
	r.actions = nil
	for g := range r.regions {
		r.shadow(g)
	}
	r.first = append(r.first, int32(len(r.steps)))
	if r.exclAt != nil {
		r.exclAt = append(r.exclAt, slices.Repeat(r.exclAt[len(r.exclAt)-1:], len(r.parent)+1-len(r.exclAt))...)
	}
	r.succAt = append(r.succAt, slices.Repeat(r.succAt[len(r.succAt)-1:], len(r.parent)+1-len(r.succAt))...)
}

// order of actions at one time.
func (a *action) order() int {
	switch a.op {
	case opGroup:
		return 0
	case opCreate, opUndeferred:
		return 1
	case opYield:
		return 2
	}
	return 3
}

func (r *reading) cutTask(task int32, actions []action) {
	piece, work := 0, int64(0)
	start, end, ok := r.piece(task, 0)
	// until adds what the task ran before a time.
	until := func(time int64) {
		for ok && start < time {
			work += min(end, time) - start
			if end > time {
				start = time
				return
			}
			piece++
			start, end, ok = r.piece(task, piece)
		}
	}
	for i := range actions {
		a := &actions[i]
		until(a.time)
		if a.op == opYield && i > 0 && r.throttled(&actions[i-1], a) {
			continue
		}
		r.steps = append(r.steps, step{work: work, op: a.op, arg: a.arg})
		if a.op == opLock || a.op == opLoop {
			until(a.end) // is the lock's wait, or the loop's work
		}
		work = 0
	}
	for ok {
		until(end + 1)
	}
	r.steps = append(r.steps, step{work: work, op: opEnd})
}

// throttled reports whether a task let a new one go first because too many waited.
func (r *reading) throttled(before, a *action) bool {
	if before.op != opCreate {
		return false
	}
	start := r.run.Task.Start[before.arg]
	return start >= a.time && start < a.end && r.run.Task.Worker[before.arg] == r.run.Task.Worker[a.task]
}

// shadow makes the steps of members that the recording's team did not have: they
// meet the others at barriers and share the loops.
func (r *reading) shadow(g int) {
	region := &r.regions[g]
	first := region.members[0]
	region.shadow = int32(len(r.parent))
	r.parent = append(r.parent, r.parent[first])
	r.level = append(r.level, r.level[first])
	r.kind = append(r.kind, r.kind[first])
	r.flags = append(r.flags, implicit)
	r.preds = append(r.preds, 0)
	r.first = append(r.first, int32(len(r.steps)))
	end := int32(len(r.steps))
	if int(first)+1 < len(r.first) {
		end = r.first[first+1]
	}
	for _, s := range r.steps[r.first[first]:end] {
		if s.op == opBarrier || s.op == opLoop || s.op == opEnd {
			r.steps = append(r.steps, step{op: s.op, arg: s.arg})
		}
	}
}
