package spec

import (
	"math"
	"runtime"

	"dagscope/predict/perfmodel"
	"dagscope/predict/plain"
	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/workload/sparse"
)

// parameterNames are those of the tasks of a factorization, by kind.
var parameterNames = [...][]string{
	sparse.DoSubtree:  {"fronts", "zeros", "coefficients"},
	sparse.Activate:   {"zeros", "coefficients"},
	sparse.Assemble:   {"coefficients"},
	sparse.Panel:      {"MB", "NB", "BK"},
	sparse.Update:     {"MB", "NB", "BK"},
	sparse.Deactivate: {"released"},
}

// sparse makes the program of a sparse factorization, and how long its tasks
// take by their own parameters.
func (s *Spec) sparse(b *Simulation, load Loader) error {
	p, err := s.program(b)
	if err != nil {
		return err
	}
	if p.Graph.Tasks() > manyTasks {
		runtime.GC() // what the analysis left behind
	}
	if b.Graph, err = s.changed(p.Graph); err != nil {
		return err
	}
	e := &evaluation{s: s, b: b, p: p, types: b.Machine.Types()}
	if err := e.run(load); err != nil {
		return err
	}
	b.Graph.X, b.Graph.Y = p.I, p.J
	if b.Plain != nil {
		b.Plain.Options.Base = p.Peak - plain.SequentialPeak(b.Graph)
		b.Plain.Options.Durations = e.durations
		b.Plain.Details = details(p)
	}
	return nil
}

// manyTasks are so many that what is not needed any more is worth collecting.
const manyTasks = 1 << 20

// evaluation asks models for the durations of all tasks of a program.
type evaluation struct {
	s         *Spec
	b         *Simulation
	p         *sparse.Program
	types     []platform.Type
	durations [][]int64 // by type of worker, by task
}

func (e *evaluation) run(load Loader) error {
	s, g := e.s, e.b.Graph
	t := &table{s: s, g: g, types: e.types, d: make(starpu.Durations, len(g.Classes)), used: used(g)}
	e.operations()
	var err error
	if t.models, err = s.models(g, nil, load); err != nil {
		return s.wrap(err, "models")
	}
	for c := range t.d {
		t.d[c] = make([]float64, len(e.types))
	}
	for k, on := range e.types {
		e.durations = append(e.durations, e.on(t, k, on))
	}
	before := means(t.d)
	if err := t.given(); err != nil {
		return err
	}
	if err := t.check(); err != nil {
		return err
	}
	if err := t.scaled(); err != nil {
		return err
	}
	if err := t.constrain(); err != nil {
		return err
	}
	e.rescale(before, t.d)
	e.b.Durations = t.d
	e.contend(t.models)
	g.Duration = e.durations[0]
	return nil
}

// operations sets the mean of those of each kind.
func (e *evaluation) operations() {
	g := e.b.Graph
	sum, count := make([]float64, len(g.Classes)), make([]float64, len(g.Classes))
	for i, c := range g.Class {
		sum[c] += float64(e.p.Flops(int32(i))) / 1e9
		count[c]++
	}
	for c := range sum {
		g.Classes[c].GFlop = sum[c] / math.Max(count[c], 1)
	}
}

// on is how long each task takes on a type of worker, in ns; t gets the means of
// the kinds.
func (e *evaluation) on(t *table, k int, on platform.Type) []int64 {
	out := make([]int64, e.b.Graph.Tasks())
	if t.models == nil {
		return out
	}
	kinds := make([]*kindModel, len(e.b.Graph.Classes))
	for c := range kinds {
		kinds[c] = newKindModel(t.models, e.b.Graph.Classes[c].Kind, on)
		kinds[c].name(parameterNames[c])
	}
	var buffer [8]float64
	for i := range int32(len(out)) {
		m := kinds[e.b.Graph.Class[i]]
		m.task.GFlop = float64(e.p.Flops(i)) / 1e9
		m.take(e.p.Parameters(i, buffer[:0]))
		out[i] = m.duration()
	}
	for c, m := range kinds {
		if m.count > 0 {
			t.d[c][k] = m.sum / float64(m.count)
		}
		e.b.Warnings = append(e.b.Warnings, m.doubts()...)
	}
	return out
}

// means copies the durations of classes.
func means(d starpu.Durations) starpu.Durations {
	out := make(starpu.Durations, len(d))
	for c := range d {
		out[c] = append([]float64(nil), d[c]...)
	}
	return out
}

// rescale applies to tasks what was done to the means of their kinds.
func (e *evaluation) rescale(before, after starpu.Durations) {
	for k := range e.durations {
		for i, c := range e.b.Graph.Class {
			switch was, is := before[c][k], after[c][k]; {
			case was == is:
			case is == 0:
				e.durations[k][i] = 0
			case was == 0 || e.s.Models.Durations != nil && e.given(c):
				e.durations[k][i] = max(1, int64(is+0.5))
			default:
				e.durations[k][i] = max(1, int64(float64(e.durations[k][i])*is/was+0.5))
			}
		}
	}
}

// given tells whether the spec says one duration for all tasks of a kind.
func (e *evaluation) given(class int32) bool {
	t := table{s: e.s}
	return t.fixed(&e.b.Graph.Classes[class])
}

// contend takes over how much tasks disturb each other; the exact engine does
// not know it.
func (e *evaluation) contend(models *perfmodel.Set) {
	if models == nil {
		return
	}
	workers := len(e.b.Machine.Workers)
	slowdown, disturbed := make([][]float64, len(e.b.Graph.Classes)), false
	for c := range slowdown {
		curve := models.Contention(e.b.Graph.Classes[c].Kind, e.types[0])
		for busy := 1; curve != nil && busy <= workers; busy++ {
			slowdown[c] = append(slowdown[c], perfmodel.Slowdown(curve, busy))
			disturbed = disturbed || slowdown[c][busy-1] != 1
		}
	}
	switch {
	case !disturbed:
	case e.b.Plain == nil:
		e.b.Warnings = append(e.b.Warnings, "the models say how much tasks disturb each other (contention), which the exact engine does not know: tasks are as long as alone")
	default:
		e.b.Plain.Options.Slowdown = slowdown
	}
}
