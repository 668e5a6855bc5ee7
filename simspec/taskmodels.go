package simspec

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"

	"dagscope/perfmodel"
	"dagscope/platform"
	"dagscope/sim"
	"dagscope/sim/plain"
	"dagscope/workload/sparse"
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
	t := &table{s: s, g: g, types: e.types, d: make(sim.Durations, len(g.Classes)), used: used(g)}
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
func means(d sim.Durations) sim.Durations {
	out := make(sim.Durations, len(d))
	for c := range d {
		out[c] = append([]float64(nil), d[c]...)
	}
	return out
}

// rescale applies to tasks what was done to the means of their kinds.
func (e *evaluation) rescale(before, after sim.Durations) {
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

// contend takes over how much tasks disturb each other.
func (e *evaluation) contend(models *perfmodel.Set) {
	if models == nil || e.b.Plain == nil {
		return
	}
	workers := len(e.b.Machine.Workers)
	slowdown, any := make([][]float64, len(e.b.Graph.Classes)), false
	for c := range slowdown {
		curve := models.Contention(e.b.Graph.Classes[c].Kind, e.types[0])
		for busy := 1; curve != nil && busy <= workers; busy++ {
			slowdown[c] = append(slowdown[c], perfmodel.Slowdown(curve, busy))
			any = true
		}
	}
	if any {
		e.b.Plain.Options.Slowdown = slowdown
	}
}

// kindModel tells durations of the tasks of a kind on a type of worker, and
// notes which lie outside of what the model was fitted to.
type kindModel struct {
	set   *perfmodel.Set
	on    platform.Type
	model *perfmodel.Model // the only one; nil: none or several
	task  perfmodel.Task   // being asked for

	sum     float64 // ns
	count   int64
	outside []outside // by range of the model

	order   []int // of the program's parameters, where the model has another
	ordered []float64
}

// outside is how far a variable of tasks goes beyond a range.
type outside struct {
	min, max float64
	count    int64
}

func newKindModel(s *perfmodel.Set, kind string, on platform.Type) *kindModel {
	m := &kindModel{set: s, on: on, task: perfmodel.Task{Kind: kind}}
	found := 0
	for i := range s.Models {
		if x := &s.Models[i]; x.Kind == kind && x.Arch == on.Arch && (x.Device == perfmodel.Any || x.Device == on.Device) {
			m.model = x
			found++
		}
	}
	if found != 1 {
		m.model = nil
	} else if r := m.model.Regression; r != nil {
		m.outside = make([]outside, len(r.Ranges))
		for i := range m.outside {
			m.outside[i] = outside{math.Inf(1), math.Inf(-1), 0}
		}
	}
	return m
}

// name says what the program's parameters are called: the model may have them in
// another order.
func (m *kindModel) name(names []string) {
	m.task.Names = names
	if m.model == nil || m.model.Regression == nil || m.model.Regression.Parameters == nil || slices.Equal(names, m.model.Regression.Parameters) {
		return
	}
	m.task.Names = m.model.Regression.Parameters
	for _, name := range m.task.Names {
		m.order = append(m.order, slices.Index(names, name))
	}
	m.ordered = make([]float64, len(m.order))
}

// take sets the parameters of the task that is being asked for.
func (m *kindModel) take(parameters []float64) {
	if m.order == nil {
		m.task.Parameters = parameters
		return
	}
	for i, at := range m.order {
		if m.ordered[i] = math.NaN(); at >= 0 {
			m.ordered[i] = parameters[at]
		}
	}
	m.task.Parameters = m.ordered
}

// duration of the task that is being asked for, ns; 0 if it cannot run.
func (m *kindModel) duration() int64 {
	var ns float64
	var ok bool
	if m.model != nil {
		ns, ok = m.model.Duration(&m.task)
	} else {
		ns, ok = m.set.Duration(m.task, m.on)
	}
	if !ok || !(ns < 1<<50) {
		return 0
	}
	for i := range m.outside {
		m.note(&m.outside[i], m.model.Regression.Ranges[i])
	}
	ns = max(1, ns)
	m.sum += ns
	m.count++
	return int64(ns + 0.5)
}

// note looks whether a variable lies in its range.
func (m *kindModel) note(o *outside, r perfmodel.Range) {
	v, ok := m.value(r.Of)
	if !ok {
		return
	}
	const rounding = 1e-9 // ranges are read from text
	if v < r.Min*(1-rounding) || v > r.Max*(1+rounding) {
		o.count++
	}
	o.min, o.max = min(o.min, v), max(o.max, v)
}

// value of a variable of the task that is being asked for.
func (m *kindModel) value(v perfmodel.Variable) (float64, bool) {
	if v == perfmodel.GFlop {
		return m.task.GFlop, true
	}
	at := int(v - perfmodel.Parameter)
	if at < 0 || at >= len(m.task.Parameters) {
		return 0, false
	}
	return m.task.Parameters[at], m.task.Parameters[at] == m.task.Parameters[at]
}

// doubts are warnings of durations that are extrapolated.
func (m *kindModel) doubts() (all []string) {
	for i, o := range m.outside {
		if o.count == 0 {
			continue
		}
		r := m.model.Regression
		g, name := r.Ranges[i], r.Ranges[i].Of.String()
		if at := int(g.Of - perfmodel.Parameter); at >= 0 && at < len(r.Parameters) {
			name = r.Parameters[at]
		}
		found := fmt.Sprintf("%.4g to %.4g", o.min, o.max)
		if o.min == o.max {
			found = fmt.Sprintf("%.4g", o.min)
		}
		all = append(all, fmt.Sprintf("%s on %s: %s is %s, fitted from %.4g to %.4g: %d of %d tasks are extrapolated",
			m.task.Kind, m.on.Arch, name, found, g.Min, g.Max, o.count, m.count))
	}
	return all
}

// details are what a trace shows of the tasks of a factorization.
func details(p *sparse.Program) plain.Details {
	d := plain.Details{Parameters: func(task int32, to []byte) []byte {
		var buffer [8]float64
		for i, v := range p.Parameters(task, buffer[:0]) {
			if i > 0 {
				to = append(to, ' ')
			}
			to = append(to, parameterNames[p.Kind(task)][i]...)
			to = append(to, '=')
			to = strconv.AppendFloat(to, v, 'f', -1, 64)
		}
		return to
	}}
	n := int32(len(p.Fronts))
	d.TreeKey, d.TreeParent = make([]int64, n), make([]int32, n)
	for f, front := range p.Fronts { // children come first there, parents here
		row := n - 1 - int32(f)
		d.TreeKey[row], d.TreeParent[row] = int64(f)+1, -1
		if front.Parent >= 0 {
			d.TreeParent[row] = n - 1 - front.Parent
		}
	}
	d.TreeNode = make([]int32, p.Graph.Tasks())
	for i, f := range p.Front {
		d.TreeNode[i] = n - 1 - f
	}
	d.GFlops = func(task int32) float64 { return float64(p.Flops(task)) / 1e9 }
	return d
}
