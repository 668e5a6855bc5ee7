package breakdown

import (
	"slices"

	"dagscope/explain/depend"
	"dagscope/explain/kind"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/trace"
)

// Scope says which ready tasks make the idle time of a worker overhead.
type Scope int

const (
	Global Scope = iota // any ready task: the paper's definition
	ByArch              // one of a kind that the worker's architecture can run
	Local               // such a task of the worker's own node
	scopes
)

// waits are the intervals in which counted tasks were ready and not running,
// in order of start.
type waits struct {
	spans   interval.Spans
	task    []int32
	unknown int64 // counted tasks whose ready time could not be told
}

// findWaits lists [ready, start) of every counted task, and when any task was
// ready later. A ready time that was not recorded is the later of submission
// and last dependency's end.
func findWaits(run *trace.Run, o Options) waits {
	keep := schedule.Keep(run, o.Generation)
	var last *depend.Last
	if missesReady(run, keep) {
		last = depend.Find(run)
	}
	w := waitsOf(run, keep, last, 0, len(run.Task.Start))
	w.addPhases(run, o, 0, len(run.Phase.Task))
	return w.sorted()
}

// addPhases adds the phases, of rows [from, to), in which only a thread is
// missing, whoever's task it is.
func (w *waits) addPhases(run *trace.Run, o Options, from, to int) {
	p := &run.Phase
	ready, resumable := p.Kind.Find(trace.PhaseReady), p.Kind.Find(trace.PhaseResumable)
	if o.WaitingNotReady {
		resumable = ready
	}
	for i := from; i < to; i++ {
		k, task := p.Kind.Index[i], p.Task[i]
		if k < 0 || k != ready && k != resumable || p.Start[i] >= p.End[i] || run.Task.Generation[task] && !o.Generation {
			continue
		}
		w.spans.Add(p.Start[i], p.End[i])
		w.task = append(w.task, task)
	}
}

// missesReady tells whether ready times have to be derived.
func missesReady(run *trace.Run, keep func(int) bool) bool {
	for i, ready := range run.Task.Ready {
		if ready == trace.NoTime && keep(i) {
			return true
		}
	}
	return false
}

// waitsOf are those of the tasks of rows [from, to), in their order.
func waitsOf(run *trace.Run, keep func(int) bool, last *depend.Last, from, to int) (w waits) {
	t := &run.Task
	for i := from; i < to; i++ {
		if !keep(i) {
			continue
		}
		ready := t.Ready[i]
		if ready == trace.NoTime {
			ready = derived(run, last, i)
		}
		if ready == trace.NoTime {
			w.unknown++
		} else if ready < t.Start[i] {
			w.spans.Add(ready, t.Start[i])
			w.task = append(w.task, int32(i))
		}
	}
	return w
}

func (w waits) sorted() waits {
	s := waits{unknown: w.unknown, task: make([]int32, len(w.task))}
	s.spans.Start, s.spans.End = make([]int64, len(w.task)), make([]int64, len(w.task))
	for i, k := range interval.Order(w.spans.Start) {
		s.task[i], s.spans.Start[i], s.spans.End[i] = w.task[k], w.spans.Start[k], w.spans.End[k]
	}
	return s
}

// cover is when any task was ready for which able is true.
func (w waits) cover(able func(task int32) bool) interval.Cover {
	var union interval.Spans
	for i, v := range w.task {
		if able(v) {
			union.Extend(w.spans.Start[i], w.spans.End[i])
		}
	}
	return interval.NewCover(union)
}

func derived(run *trace.Run, last *depend.Last, i int) int64 {
	ready := run.Task.Submit[i]
	if v := last.Of[i]; v != trace.None {
		ready = max(ready, last.End(v))
	}
	return ready
}

// covers are, for each class of workers of a scope, when a task was ready that
// a worker of the class could run.
type covers struct {
	of    []int32 // class by resource row
	ready []interval.Cover
}

// coverGlobal has one class.
func coverGlobal(run *trace.Run, w waits) covers {
	every := func(int32) bool { return true }
	return covers{make([]int32, len(run.Resource.Parent)), []interval.Cover{w.cover(every)}}
}

// coverTypes has a class for each type of worker; with local, only tasks of
// the type's node count for it.
func coverTypes(run *trace.Run, w waits, types schedule.Types, can canRun, local bool) covers {
	c := covers{types.Of, make([]interval.Cover, len(types.Type))}
	kind := run.Task.Kind.Index
	for k, ty := range types.Type {
		able := can[ty.Arch]
		c.ready[k] = w.cover(func(v int32) bool {
			return kind[v] >= 0 && able[kind[v]] && (!local || nodeOf(run, v) == ty.Node)
		})
	}
	return c
}

// coverArchs merges the nodes of [coverTypes] by sharing the covers of equal
// architectures.
func coverArchs(run *trace.Run, w waits, types schedule.Types, can canRun) covers {
	archs := schedule.Types{Of: slices.Clone(types.Of)}
	for k, ty := range types.Type {
		i := slices.IndexFunc(archs.Type, func(t schedule.Type) bool { return t.Arch == ty.Arch })
		if i < 0 {
			i = len(archs.Type)
			archs.Type = append(archs.Type, schedule.Type{Arch: ty.Arch})
		}
		for r, of := range types.Of {
			if of == int32(k) {
				archs.Of[r] = int32(i)
			}
		}
	}
	return coverTypes(run, w, archs, can, false)
}

// severalNodes tells whether [Local] differs from [ByArch].
func severalNodes(types schedule.Types) bool {
	return slices.ContainsFunc(types.Type, func(t schedule.Type) bool { return t.Node != types.Type[0].Node })
}

func nodeOf(run *trace.Run, task int32) int32 {
	if run.Task.Node != nil {
		return run.Task.Node[task]
	}
	if w := run.Task.Worker[task]; w >= 0 {
		return run.Resource.Node[w]
	}
	return trace.None
}

// canRun tells by architecture which kinds (dictionary index) it can run.
type canRun map[string][]bool

// CanRun is a pair that the user says is possible.
type CanRun struct{ Kind, Arch string }

// findCanRun takes a kind to run on an architecture if it was seen there on any
// node, if a performance model of its tasks has measurements there, or if the
// user says so (docs/design/methods.md, Time).
func findCanRun(run *trace.Run, archs []string, said []CanRun) canRun {
	can := canRun{}
	for _, a := range archs {
		can[a] = make([]bool, len(run.Task.Kind.Dict))
	}
	byArch := make([][]bool, len(run.Resource.Parent))
	for r := range byArch {
		byArch[r] = can[run.Resource.Arch.At(r)]
	}
	for i, w := range run.Task.Worker {
		if k := run.Task.Kind.Index[i]; w >= 0 && k >= 0 && byArch[w] != nil && run.Task.Start[i] != trace.NoTime {
			byArch[w][k] = true
		}
	}
	can.addModels(run)
	for _, s := range said {
		if k := run.Task.Kind.Find(s.Kind); k >= 0 && can[s.Arch] != nil {
			can[s.Arch][k] = true
		}
	}
	return can
}

// addModels adds what performance models know. A model belongs to the kinds of
// the tasks that name it.
func (can canRun) addModels(run *trace.Run) {
	t, m := &run.Task, &run.Model
	if t.Model.Index == nil {
		return
	}
	archs := map[string][]string{} // by symbol
	for i, n := range m.Count {
		if n > 0 {
			archs[m.Symbol.At(i)] = append(archs[m.Symbol.At(i)], m.Arch.At(i))
		}
	}
	done := map[[2]int32]bool{}
	pair := [2]int32{-1, -1}
	for i, k := range t.Kind.Index {
		next := [2]int32{k, t.Model.Index[i]}
		if next == pair || k < 0 || next[1] < 0 {
			continue
		}
		if pair = next; done[pair] {
			continue
		}
		done[pair] = true
		for _, a := range archs[t.Model.Dict[pair[1]]] {
			if can[a] != nil {
				can[a][k] = true
			}
		}
	}
}

// ReadyByType is, for each type of worker (node and architecture), when a counted
// task of its node was ready that it can run; of is the type of each resource,
// [trace.None] for those that are no workers. Of the options Generation,
// WaitingNotReady and CanRun make a difference.
func ReadyByType(run *trace.Run, o Options) (ready []interval.Spans, of []int32) {
	types := schedule.GroupTypes(run, kind.Workers(run))
	c := coverTypes(run, findWaits(run, o), types, findCanRun(run, run.Resource.Arch.Dict, o.CanRun), true)
	ready = make([]interval.Spans, len(c.ready))
	for i := range c.ready {
		ready[i] = c.ready[i].Spans()
	}
	return ready, types.Of
}
