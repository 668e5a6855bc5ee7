package selection

import (
	"cmp"
	"slices"

	"dagscope/explain/chain"
	"dagscope/explain/depend"
	"dagscope/explain/kind"
	"dagscope/trace"
)

// naive answers by going through every worker instant by instant and through
// all tasks, as the definitions say it.
type naive struct {
	run  *trace.Run
	last *depend.Last
	why  *chain.Index
}

type span struct {
	task, worker int32
	start, end   int64
}

// spans are the pieces of counted tasks; first tells which piece a task begins with.
func (n *naive) spans() (all []span, first []bool) {
	return n.spansOf(kind.Options{}.Counts)
}

// inputs are those of tasks that generate the input.
func (n *naive) inputs() (all []span) {
	all, _ = n.spansOf(func(t *trace.Tasks, i int) bool {
		return t.Generation[i] && kind.Options{Generation: true}.Counts(t, i)
	})
	return all
}

// cut is an area within the time from zero to the last end of a task; tasks
// that generate the input may begin earlier.
func (n *naive) cut(a Area) Area {
	spans, _ := n.spans()
	from, to := int64(0), int64(0)
	for _, s := range append(spans, n.inputs()...) {
		from, to = min(from, s.start), max(to, s.end)
	}
	a.T0, a.T1 = min(max(a.T0, from), to), max(min(a.T1, to), from)
	return a
}

func (n *naive) spansOf(counts func(*trace.Tasks, int) bool) (all []span, first []bool) {
	t, s := &n.run.Task, &n.run.Segment
	for i := range t.Start {
		if !counts(t, i) {
			continue
		}
		before := len(all)
		for k, v := range s.Task {
			if int(v) == i {
				all = append(all, span{v, s.Worker[k], s.Start[k], s.End[k]})
			}
		}
		if len(all) == before {
			all = append(all, span{int32(i), t.Worker[i], t.Start[i], t.End[i]})
		}
		for k := before; k < len(all); k++ {
			first = append(first, k == before)
		}
	}
	return all, first
}

// chooses tells whether an area chooses a task.
func (n *naive) chooses(a Area, v int32) bool {
	d := kind.Durations(n.run)[v]
	return (a.Kinds == nil || slices.Contains(a.Kinds, n.run.Task.Kind.At(int(v)))) && d >= a.Min && (a.Max == 0 || d <= a.Max)
}

// tasks are those that touch an area, in the order of submission.
func (n *naive) tasks(a Area) (rows []int32) {
	spans, _ := n.spans()
	for _, s := range spans {
		begins, lasts := a.T0 <= s.start && s.start < a.T1, s.start < a.T1 && a.T0 < s.end
		if a.T0 < a.T1 && (begins || lasts) && slices.Contains(a.Workers, s.worker) && n.chooses(a, s.task) {
			rows = append(rows, s.task)
		}
	}
	return slices.Compact(rows)
}

// idle goes through the instants of an area.
func (n *naive) idle(a Area) (idle Idle, b Breakdown, in Input) {
	idle.Classes = []Class{}
	a = n.cut(a)
	spans, _ := n.spans()
	inputs := n.inputs()
	in.Kinds = []string{}
	for _, w := range a.Workers {
		for _, s := range inputs {
			if s.worker == w && s.start < a.T1 && s.end > a.T0 {
				in.Kinds = append(in.Kinds, n.run.Task.Kind.At(int(s.task)))
			}
		}
		for at := a.T0; at < a.T1; at++ {
			during := func(s span) bool { return s.worker == w && s.start <= at && at < s.end }
			if slices.ContainsFunc(spans, during) {
				b.Work++
				continue
			}
			if slices.ContainsFunc(inputs, during) {
				in.Total++
				continue
			}
			idle.Total++
			n.put(&idle, w, at, spans)
			if n.ready(at) {
				b.Overhead++
			} else {
				b.Idleness++
			}
		}
	}
	wall := (a.T1 - a.T0) * int64(len(a.Workers))
	order := func(c Class) chain.Class { class, _ := chain.FindClass(c.Class); return class }
	slices.SortFunc(idle.Classes, func(a, b Class) int { return cmp.Compare(order(a), order(b)) })
	slices.Sort(in.Kinds)
	in.Kinds = slices.Compact(in.Kinds)
	idle.Share, in.Share = share(idle.Total, wall), share(in.Total, wall)
	return idle, b, in
}

// put adds an instant without work to where it belongs.
func (n *naive) put(idle *Idle, w int32, at int64, spans []span) {
	begun, used, later := at >= 0, false, false
	for _, s := range spans {
		if s.worker == w {
			used, begun, later = true, begun || s.start <= at, later || s.start > at
		}
	}
	switch {
	case !used:
		idle.Unused++
		return
	case !later:
		idle.After++
		return
	case !begun:
		idle.Before++
		return
	}
	if n.why == nil {
		n.why = chain.New(n.run, chain.Options{})
	}
	name := ""
	n.why.Gaps(w, func(_ int32, p chain.Part) {
		if p.From <= at && at < p.To {
			name = p.Class.String()
		}
	})
	if i := slices.IndexFunc(idle.Classes, func(c Class) bool { return c.Class == name }); i >= 0 {
		idle.Classes[i].Time++
	} else {
		idle.Classes = append(idle.Classes, Class{name, 1})
	}
}

// ready tells whether a counted task was ready and not running.
func (n *naive) ready(at int64) bool {
	t := &n.run.Task
	for i, start := range t.Start {
		ready := t.Ready[i]
		if ready == trace.NoTime {
			if ready = t.Submit[i]; n.last.Of[i] >= 0 {
				ready = max(ready, n.last.End(n.last.Of[i]))
			}
		}
		if start != trace.NoTime && t.Counted(i) && ready != trace.NoTime && ready <= at && at < start {
			return true
		}
	}
	return false
}

// kinds groups the tasks of an area.
func (n *naive) kinds(a Area) (kinds []Kind) {
	spans, _ := n.spans()
	cut := n.cut(a)
	counted, whole, wall := map[int32]bool{}, kind.Durations(n.run), (cut.T1-cut.T0)*int64(len(a.Workers))
	for _, s := range spans {
		if !slices.Contains(n.tasks(Area{T0: a.T0, T1: a.T1, Workers: []int32{s.worker}, Kinds: a.Kinds, Min: a.Min, Max: a.Max}), s.task) ||
			!slices.Contains(a.Workers, s.worker) || !(s.start < a.T1 && (s.end > a.T0 || s.start >= a.T0)) {
			continue
		}
		name, arch := n.run.Task.Kind.At(int(s.task)), n.run.Resource.Arch.At(int(s.worker))
		i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Kind == name && k.Arch == arch })
		if i < 0 {
			i = len(kinds)
			kinds = append(kinds, Kind{Kind: name, Arch: arch})
		}
		k := &kinds[i]
		k.Busy += min(a.T1, s.end) - max(a.T0, s.start)
		if !counted[s.task] {
			counted[s.task] = true
			k.Count++
			k.Mean += float64(whole[s.task])
		}
	}
	for i := range kinds {
		kinds[i].Share = share(kinds[i].Busy, wall)
		kinds[i].Mean /= max(1, float64(kinds[i].Count))
	}
	kinds = slices.DeleteFunc(kinds, func(k Kind) bool { return k.Count == 0 && k.Busy == 0 })
	slices.SortFunc(kinds, func(a, b Kind) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Arch, b.Arch)) })
	return kinds
}

// states sums the states of the workers in an area.
func (n *naive) states(a Area) map[string]int64 {
	a = n.cut(a)
	s, sums := &n.run.State, map[string]int64{}
	for _, w := range a.Workers {
		of := w
		if up := n.run.Resource.Parent[w]; !slices.Contains(s.Resource, w) && up >= 0 && n.run.Resource.Level.At(int(up)) == trace.LevelThread {
			of = up
		}
		for i, r := range s.Resource {
			if length := min(a.T1, s.End[i]) - max(a.T0, s.Start[i]); r == of && length > 0 {
				sums[s.Kind.At(i)] += length
			}
		}
	}
	return sums
}

// histogram counts durations of the tasks that start inside.
func (n *naive) histogram(a Area, edges []float64) Histogram {
	h := Histogram{Edges: edges, Kinds: []string{}, Counts: [][]int64{}}
	whole, by := kind.Durations(n.run), map[string][]int64{}
	spans, first := n.spans()
	for i, s := range spans {
		if first[i] && a.T0 <= s.start && s.start < a.T1 && slices.Contains(a.Workers, s.worker) && n.chooses(a, s.task) {
			name := n.run.Task.Kind.At(int(s.task))
			if by[name] == nil {
				by[name] = make([]int64, len(edges)-1)
				h.Kinds = append(h.Kinds, name)
			}
			bin := 0
			for k := range len(edges) - 1 {
				if float64(whole[s.task]) >= edges[k] {
					bin = k
				}
			}
			by[name][bin]++
		}
	}
	slices.Sort(h.Kinds)
	for _, name := range h.Kinds {
		h.Counts = append(h.Counts, by[name])
	}
	return h
}
