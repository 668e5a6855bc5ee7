package chain

import (
	"dagscope/explain/kind"
	"dagscope/internal/interval"
	"dagscope/trace"
)

// marked emits [from, p.at) of a piece that kept the worker of piece p.next busy
// while that was ready.
func (w *walker) marked(p position, from int64) {
	next := w.lanes.Task[p.next]
	mark := Capacity
	if w.lanes.Start[p.row] >= p.since && w.tail != nil && w.tail[w.lanes.Task[p.row]] < w.tail[next] {
		mark = Order
	}
	elsewhere := &w.elsewhere
	elsewhere.Start, elsewhere.End = elsewhere.Start[:0], elsewhere.End[:0]
	w.idleElsewhere(next, w.worker[p.next], from, p.at, elsewhere)
	if elsewhere.Len() < 32 {
		elsewhere.Unite()
	} else {
		*elsewhere = interval.Union(*elsewhere)
	}
	to := p.at
	put := func(from int64, m Mark) {
		w.put(Part{From: from, To: to, Class: Execute, Mark: m, Piece: p.row, Transfer: trace.None, Memory: trace.None, Resource: w.worker[p.row]})
		to = min(to, from)
	}
	for i := elsewhere.Len() - 1; i >= 0; i-- {
		put(elsewhere.End[i], mark)
		put(elsewhere.Start[i], Placement)
	}
	put(from, mark)
}

// idleElsewhere adds when, in a window, another worker of the node was idle on which
// task v would have ended earlier than it did. Data that v reads is taken to be
// moved there, at the best bandwidth that was seen.
func (x *Index) idleElsewhere(v, worker int32, from, to int64, idle *interval.Spans) {
	end, arch := x.run.Task.End[v], &x.run.Resource.Arch
	if arch.At(int(worker)) == "" {
		return // who can run what is not known
	}
	for _, w := range x.mates[worker] {
		if w == worker || arch.At(int(w)) == "" {
			continue
		}
		took, ok := x.means.on(v, w)
		if !ok {
			continue
		}
		last := min(to, end-int64(took)-x.fetch(v, worker, w))
		if from < last {
			x.idleWithin(w, from, last, idle)
		}
	}
}

// fetch is how long it takes to move what v reads from where worker a has it to
// where worker b does, ns.
func (x *Index) fetch(v, a, b int32) int64 {
	from, to := x.memory[a], x.memory[b]
	if from == to || from < 0 || to < 0 {
		return 0
	}
	bw := x.bandwidth[[2]int32{from, to}]
	if bw <= 0 {
		return 0
	}
	bytes := int64(0)
	for i := x.access[v]; i < x.access[v+1]; i++ {
		if h := x.run.Access.Handle[i]; h >= 0 {
			bytes += max(0, x.run.Handle.Bytes[h])
		}
	}
	return int64(float64(bytes) / bw)
}

// idleWithin adds when a worker ran nothing inside a window.
func (x *Index) idleWithin(w int32, from, to int64, idle *interval.Spans) {
	first, end := x.lanes.Of(w)
	i := first + int32(interval.FirstAfter(x.lanes.Start[first:end], from))
	at := from
	if i > first {
		if at = from; x.lanes.End[i-1] > from {
			at = x.lanes.End[i-1]
		}
	}
	for ; i < end && x.lanes.Start[i] < to; i++ {
		idle.Add(at, min(to, x.lanes.Start[i]))
		at = max(at, x.lanes.End[i])
	}
	idle.Add(at, to)
}

// means are mean durations of groups of tasks, those of a kind and a layout of
// data, by architecture. Where layouts do not repeat the group is the kind, and
// what a task is expected to take follows its work if durations do.
type means struct {
	run   *trace.Run
	group []int32   // by task, trace.None for those that do not count
	archs int       // entries of the dictionary of architectures, and one for none
	mean  []float64 // [group*archs + architecture + 1], 0 where none of the group ran
	work  []byWork  // the same where durations follow work, else nil

	irregular []bool // by kind: layouts do not repeat
}

// repeats is how many tasks a layout must have, in the mean, for layouts to be
// groups of their own.
const repeats = 4

func newMeans(run *trace.Run, duration []int64) means {
	t := &run.Task
	m := means{run: run, group: make([]int32, len(t.Start)), archs: len(run.Resource.Arch.Dict) + 1}
	tasks, layouts := countLayouts(run)
	m.irregular = make([]bool, len(tasks))
	for k, n := range tasks {
		m.irregular[k] = n < repeats*layouts[k]
	}
	type key struct {
		kind      int32
		footprint uint32
	}
	number := map[key]int32{}
	last, lastGroup := key{-2, 0}, int32(0)
	var sum []float64
	var count []int64
	for v := range t.Start {
		m.group[v] = trace.None
		k := t.Kind.Index[v]
		if k < 0 || t.Worker[v] < 0 || !(kind.Options{Generation: true}).Counts(t, v) {
			continue
		}
		at := key{kind: k}
		if len(t.Footprint) > 0 && !m.irregular[k] {
			at.footprint = t.Footprint[v]
		}
		if at != last {
			g, ok := number[at]
			if !ok {
				g = int32(len(number))
				number[at] = g
				sum, count = append(sum, make([]float64, m.archs)...), append(count, make([]int64, m.archs)...)
			}
			last, lastGroup = at, g
		}
		m.group[v] = lastGroup
		i := int(lastGroup)*m.archs + int(run.Resource.Arch.Index[t.Worker[v]]) + 1
		sum[i] += float64(duration[v])
		count[i]++
	}
	for i, n := range count {
		if n > 0 {
			sum[i] /= float64(n)
		}
	}
	m.mean = sum
	m.fitWork(m.irregular)
	return m
}

// countLayouts counts the tasks of each kind and their different layouts.
func countLayouts(run *trace.Run) (tasks, layouts []int) {
	t := &run.Task
	tasks, layouts = make([]int, len(t.Kind.Dict)), make([]int, len(t.Kind.Dict))
	if len(t.Footprint) == 0 {
		return tasks, layouts
	}
	type key struct {
		kind      int32
		footprint uint32
	}
	seen := map[key]bool{}
	last := key{-2, 0}
	for v, k := range t.Kind.Index {
		if k < 0 {
			continue
		}
		tasks[k]++
		at := key{k, t.Footprint[v]}
		if at == last || seen[at] {
			continue
		}
		last, seen[at] = at, true
		layouts[k]++
	}
	return tasks, layouts
}

// on is the mean duration of the group of v on the architecture of a worker, ns.
func (m *means) on(v, worker int32) (ns float64, ok bool) {
	g := m.group[v]
	if g == trace.None {
		return 0, false
	}
	ns = m.expected(v, int(g)*m.archs+int(m.run.Resource.Arch.Index[worker])+1)
	return ns, ns > 0
}

// expected is what a task takes by entry i of the tables.
func (m *means) expected(v int32, i int) float64 {
	if m.work != nil && m.work[i].fit != nil {
		if gflop := m.run.Task.GFlop[v]; gflop > 0 {
			return m.work[i].at(gflop)
		}
	}
	return m.mean[i]
}

// of is that on a worker and on the fastest architecture.
func (m *means) of(v, worker int32) (here, fastest float64, ok bool) {
	if here, ok = m.on(v, worker); !ok {
		return 0, 0, false
	}
	fastest = here
	g := int(m.group[v]) * m.archs
	for i := g; i < g+m.archs; i++ {
		if m.mean[i] > 0 {
			fastest = min(fastest, m.expected(v, i))
		}
	}
	return here, fastest, true
}
