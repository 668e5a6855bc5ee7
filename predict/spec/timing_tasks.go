package spec

import (
	"dagscope/predict/perfmodel"
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

// timingOfTasks is that of sparse factorizations, whose models have the duration
// of each task by its own parameters. What the spec changes of kinds holds for
// each of their tasks in proportion.
func (s *Spec) timingOfTasks(e engine, m *platform.Machine, p program, t *table) (*timing, error) {
	out := &timing{}
	byTask := make([][]int64, len(t.types))
	for k, on := range t.types {
		var doubts []string
		byTask[k], doubts = t.ofTasks(p.factorization.program, k, on)
		out.warnings = append(out.warnings, doubts...)
	}
	before := cloned(t.ns)
	if err := t.fromSpec(); err != nil {
		return nil, err
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	if err := t.scale(); err != nil {
		return nil, err
	}
	if err := t.onlyCPUs(); err != nil {
		return nil, err
	}
	only, err := s.onlyDevices(p.graph)
	if err != nil {
		return nil, err
	}
	if e.plain { // which knows durations only
		t.notOnCPUs(only)
	}
	t.rescale(byTask, before)
	slowdown := t.contention(len(m.Workers))
	out.byClass = t.ns
	if e.plain {
		out.byTask, out.each, out.slowdown = byTask, byTask[0], slowdown
		return out, nil
	}
	if slowdown != nil {
		out.warnings = append(out.warnings, "the models say how much tasks disturb each other (contention), which the exact engine does not know: tasks are as long as alone")
	}
	out.factor = t.factorsOf(byTask[0])
	out.onlyDevices = only
	return out, t.addOverhead()
}

// ofTasks is how long each task takes on a type of worker, in ns, and what is
// not to be trusted of it; the table gets the means of the kinds.
func (t *table) ofTasks(p *sparse.Program, k int, on platform.Type) (ns []int64, doubts []string) {
	ns = make([]int64, t.g.Tasks())
	if t.models == nil {
		return ns, nil
	}
	kinds := make([]*kindModel, len(t.g.Classes))
	for c := range kinds {
		kinds[c] = newKindModel(t.models, t.g.Classes[c].Kind, on)
		kinds[c].name(parameterNames[c])
	}
	var buffer [8]float64
	for i := range int32(len(ns)) {
		m := kinds[t.g.Class[i]]
		m.task.GFlop = float64(p.Flops(i)) / 1e9
		m.take(p.Parameters(i, buffer[:0]))
		ns[i] = m.duration()
	}
	for c, m := range kinds {
		if m.count > 0 {
			t.ns[c][k] = m.sum / float64(m.count)
		}
		doubts = append(doubts, m.doubts()...)
	}
	return ns, doubts
}

// cloned copies the durations of classes.
func cloned(d starpu.Durations) starpu.Durations {
	out := make(starpu.Durations, len(d))
	for c := range d {
		out[c] = append([]float64(nil), d[c]...)
	}
	return out
}

// rescale applies to tasks what was done to the means of their kinds.
func (t *table) rescale(byTask [][]int64, before starpu.Durations) {
	for k, ns := range byTask {
		for i, c := range t.g.Class {
			switch was, is := before[c][k], t.ns[c][k]; {
			case was == is:
			case is == 0:
				ns[i] = 0
			case was == 0 || t.s.Models.Durations != nil && t.s.fixed(&t.g.Classes[c]):
				ns[i] = max(1, int64(is+0.5))
			default:
				ns[i] = max(1, int64(float64(ns[i])*is/was+0.5))
			}
		}
	}
}

// contention is how much tasks slow down by class and number of busy workers,
// as the models say; nil if they do not.
func (t *table) contention(workers int) [][]float64 {
	if t.models == nil {
		return nil
	}
	slowdown, slowed := make([][]float64, len(t.g.Classes)), false
	for c := range slowdown {
		curve := t.models.Contention(t.g.Classes[c].Kind, t.types[0])
		for busy := 1; curve != nil && busy <= workers; busy++ {
			slowdown[c] = append(slowdown[c], perfmodel.Slowdown(curve, busy))
			slowed = slowed || slowdown[c][busy-1] != 1
		}
	}
	if !slowed {
		return nil
	}
	return slowdown
}

// factorsOf are by what factors tasks differ from their class, on the workers of
// the first type, on which they take ns.
func (t *table) factorsOf(ns []int64) []float64 {
	factor := make([]float64, len(ns))
	for i, c := range t.g.Class {
		factor[i] = 1
		if mean := t.ns[c][0]; mean > 0 {
			factor[i] = float64(ns[i]) / mean
		}
	}
	return factor
}
