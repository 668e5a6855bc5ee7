package campaign

import (
	"fmt"
	"math"
	"slices"

	"dagscope/explain/bound"
	"dagscope/predict/platform"
	"dagscope/predict/spec"
	"dagscope/predict/workload"
)

// limits are lower bounds of what can be simulated, whoever schedules: they
// ignore transfers, memory and the runtime's own costs.
type limits struct{ area, path float64 } // ns

// limitsOf bounds a simulation from its task graph and durations alone, in time
// linear in the graph: it needs no trace. Definitions are those of the report
// (docs/design/methods.md, Bounds) with the durations of the models instead of
// means.
func limitsOf(b *spec.Simulation) (limits, error) {
	w := newWork(b)
	l := limits{}
	var err error
	if l.area, err = w.area(nil); err != nil {
		return l, err
	}
	for n := range int32(b.Machine.Nodes()) {
		if b.Graph.Node == nil || b.Machine.Nodes() == 1 {
			break
		}
		own, err := w.area(&n)
		if err != nil {
			return l, err
		}
		l.area = max(l.area, own)
	}
	l.path, err = w.longest()
	return l, err
}

// work says how long tasks take on types of workers.
type work struct {
	b     *spec.Simulation
	types []platform.Type
}

func newWork(b *spec.Simulation) *work { return &work{b, b.Machine.Types()} }

// on is how long a task takes on a type of workers, ns, +Inf where it cannot run.
func (w *work) on(task int, kind int) float64 {
	if ns, can := w.b.Duration(task, kind, w.types[kind].Arch); can {
		return ns
	}
	return math.Inf(1)
}

// alike tells whether all tasks of a class take as long.
func (w *work) alike() bool { return w.b.Graph.Duration == nil && w.b.Graph.Factor == nil }

// mostClasses is how many classes of tasks are told apart in the linear program;
// beyond, those of a kind are one.
const mostClasses = 100

// area is the area bound (docs/design/methods.md, Bounds) of all tasks on all
// workers, or of those of a node, in ns.
func (w *work) area(node *int32) (float64, error) {
	class, n := w.classes()
	total := make([][]float64, n) // [class][type] ns, of all its tasks
	for i := range total {
		total[i] = make([]float64, len(w.types))
	}
	has, merged := make([]bool, n), n < len(class)
	fill := w.filler()
	for task := range w.b.Graph.Class {
		if !w.b.Graph.HasWork(task) || node != nil && w.b.Graph.Node[task] != *node {
			continue
		}
		c := class[w.b.Graph.Class[task]]
		has[c] = true
		row := fill(task)
		for k, ns := range row {
			if merged && math.IsInf(ns, 1) {
				ns = slices.Min(row) // others of its kind may run there: a lower bound must not forbid it
			}
			total[c][k] += ns
		}
	}
	costs := w.costs(total, node)
	count := make([]float64, n)
	for i := range count {
		if has[i] {
			count[i] = 1
		}
	}
	a, err := costs.Area(count)
	if err != nil {
		return 0, err
	}
	return a.Time, nil
}

// filler returns a function that says how long a task takes on each type.
func (w *work) filler() func(task int) []float64 {
	row := make([]float64, len(w.types))
	known := make([][]float64, len(w.b.Graph.Classes))
	return func(task int) []float64 {
		c := w.b.Graph.Class[task]
		if w.alike() && known[c] != nil {
			return known[c]
		}
		for k := range row {
			row[k] = w.on(task, k)
		}
		if w.alike() {
			known[c] = slices.Clone(row)
		}
		return row
	}
}

// classes numbers the classes of the program: those of the graph, or its kinds
// where there are too many.
func (w *work) classes() (class []int, n int) {
	g := w.b.Graph
	class = make([]int, len(g.Classes))
	if len(class) <= mostClasses {
		for i := range class {
			class[i] = i
		}
		return class, len(class)
	}
	number := make(map[string]int)
	for i, c := range g.Classes {
		if _, known := number[c.Kind]; !known {
			number[c.Kind] = len(number)
		}
		class[i] = number[c.Kind]
	}
	return class, len(number)
}

// costs states the program: types of workers for which all durations are equal
// are one.
func (w *work) costs(total [][]float64, node *int32) *bound.Costs {
	c := &bound.Costs{Kind: make([]int32, len(total)), Duration: make([][]float64, len(total))}
	workers := make([]int, len(w.types))
	for _, worker := range w.b.Machine.Workers {
		workers[worker.Type]++
	}
	merged := make(map[string]int)
	for k, t := range w.types {
		if workers[k] == 0 || node != nil && t.Node != *node {
			continue
		}
		column := make([]float64, len(total))
		for i := range total {
			column[i] = total[i][k]
		}
		name := fmt.Sprint(column)
		r, known := merged[name]
		if !known {
			r = len(c.Workers)
			merged[name] = r
			c.Workers, c.Arch = append(c.Workers, 0), append(c.Arch, int32(r))
			for i := range total {
				c.Duration[i] = append(c.Duration[i], column[i])
			}
		}
		c.Workers[r] += workers[k]
	}
	return c
}

// longest is the length of the longest path through the graph, each task where
// it is fastest among the workers that it may run on, in ns.
func (w *work) longest() (float64, error) {
	deps, err := workload.Infer(w.b.Graph)
	if err != nil {
		return 0, fmt.Errorf("find critical path: %w", err)
	}
	order, err := deps.Topological()
	if err != nil {
		return 0, fmt.Errorf("find critical path: %w", err)
	}
	end, last := make([]float64, deps.Nodes()), 0.0
	fastest := w.fastest()
	for _, v := range order {
		if int(v) < w.b.Graph.Tasks() && w.b.Graph.HasWork(int(v)) {
			end[v] += fastest(int(v))
		}
		for _, s := range deps.Succs(v) {
			end[s] = max(end[s], end[v])
		}
		last = max(last, end[v])
	}
	return last, nil
}

// fastest returns a function that says how long a task takes where it is
// fastest.
func (w *work) fastest() func(task int) float64 {
	fill, node := w.filler(), w.b.Graph.Node
	several := node != nil && w.b.Machine.Nodes() > 1
	return func(task int) float64 {
		least := math.Inf(1)
		for k, ns := range fill(task) {
			if !several || w.types[k].Node == node[task] {
				least = min(least, ns)
			}
		}
		return least
	}
}
