package sparse

import (
	"math/rand/v2"
	"testing"

	"dagscope/predict/workload"
)

// TestOrderOfTasks checks that tasks wait for what the algorithm needs, found
// from what they do instead of from their accesses.
func TestOrderOfTasks(t *testing.T) {
	forSeeds(t, 150, func(t *testing.T, random *rand.Rand) {
		_, a, _ := drawAnalysis(t, random)
		p, err := a.Program(1 + random.IntN(9))
		if err != nil {
			t.Fatal(err)
		}
		o := newOrderCheck(t, p)
		for task := range int32(p.Graph.Tasks()) {
			o.task(task)
		}
	})
}

// place is what a task works on: its kind, front, panel and block column.
type place struct{ kind, front, i, j int32 }

type orderCheck struct {
	*Program
	t      *testing.T
	before [][]uint64
	at     map[place]int32
}

func newOrderCheck(t *testing.T, p *Program) *orderCheck {
	deps, err := workload.Infer(p.Graph)
	if err != nil {
		t.Fatal(err)
	}
	order, err := deps.Topological()
	if err != nil {
		t.Fatal(err)
	}
	o := &orderCheck{Program: p, t: t, before: make([][]uint64, deps.Nodes()), at: map[place]int32{}}
	for _, v := range order {
		o.before[v] = reach(o.before, v, deps.Preds(v), p.Graph.Tasks())
	}
	for task := range int32(p.Graph.Tasks()) {
		o.at[place{p.Kind(task), p.Front[task], p.I[task], p.J[task]}] = task
	}
	return o
}

// after wants a task after another, if there is one there.
func (o *orderCheck) after(task int32, first place) {
	o.t.Helper()
	if u, ok := o.at[first]; ok && o.before[task][u/64]>>(u%64)&1 == 0 {
		o.t.Errorf("task %d (%s of front %d) does not wait for %d (%s of front %d)", task, KindNames[o.Kind(task)], o.Front[task], u, KindNames[first.kind], first.front)
	}
}

func (o *orderCheck) task(task int32) {
	f, i, j := o.Front[task], o.I[task], o.J[task]
	switch o.Kind(task) {
	case Activate:
		for c := range o.Fronts {
			if o.Fronts[c].Parent == f {
				o.after(task, place{DoSubtree, int32(c), 0, 0})
				o.after(task, place{Activate, int32(c), 0, 0})
			}
		}
	case Panel:
		o.after(task, place{Activate, f, 0, 0})
		o.after(task, place{Update, f, i - 1, i})
		o.assembled(task, i)
	case Update:
		o.after(task, place{Panel, f, i, 1})
		o.after(task, place{Update, f, i - 1, j})
		o.assembled(task, j)
	case Assemble:
		o.after(task, place{Activate, o.Fronts[f].Parent, 0, 0})
		o.after(task, place{Panel, f, j, 1})
		for k := int32(1); k < j; k++ {
			o.after(task, place{Update, f, k, j})
		}
	case Deactivate:
		o.all(task, f)
	}
}

// assembled wants a task on block column j of its front after all that is
// assembled into it.
func (o *orderCheck) assembled(task, j int32) {
	f := o.Front[task]
	width := o.cut(f).width
	into := map[int32]bool{}
	for k, column := range o.FrontColumns(f) {
		if int32(k)/width+1 == j {
			into[column] = true
		}
	}
	for c := range int32(len(o.Fronts)) {
		if o.Fronts[c].Parent != f || o.Small[c] != 0 {
			continue
		}
		for k, column := range o.FrontColumns(c) {
			if int32(k) >= o.Fronts[c].Pivots && into[column] {
				o.after(task, place{Assemble, c, 1, int32(k)/o.cut(c).width + 1})
			}
		}
	}
}

// all wants a task after all other tasks of a front, and its data released.
func (o *orderCheck) all(task, f int32) {
	for at := range o.at {
		if at.front == f && at.kind != Deactivate {
			o.after(task, at)
		}
	}
	if p := o.Fronts[f].Parent; p != none {
		o.after(task, place{Activate, p, 0, 0})
	}
}
