package spec

import (
	"fmt"
	"math"
	"slices"

	"dagscope/predict/perfmodel"
	"dagscope/predict/platform"
)

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
