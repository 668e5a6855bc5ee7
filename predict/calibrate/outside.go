package calibrate

import (
	"dagscope/predict/perfmodel"
	"dagscope/predict/platform"
	"dagscope/predict/workload/sparse"
)

// Needed is what a program asks of the model of a kernel.
type Needed struct {
	Kind    string
	Tasks   int
	Unknown int     // tasks whose duration no model tells
	Time    float64 // ns, of all tasks one after the other
	Outside int     // tasks outside of what the model was fitted to
	Beyond  float64 // ns, of those
	Ranges  []NeededRange
}

// NeededRange is a variable that tasks have beyond what was measured.
type NeededRange struct {
	Name             string
	Measured, Wanted [2]float64 // from, to
	Tasks            int
}

// NeededBy compares what a program's tasks ask of models with what these were
// fitted to: beyond it they are extrapolated.
func NeededBy(p *sparse.Program, set *perfmodel.Set) []Needed {
	out := make([]Needed, len(sparse.KindNames))
	on := platform.Type{Arch: platform.CPU}
	models := make([]*perfmodel.Model, len(out))
	tell := make([]func(*perfmodel.Task) (float64, bool), len(out))
	for k, name := range sparse.KindNames {
		out[k].Kind, tell[k] = name, set.Teller(name, on)
		for i := range set.Models {
			if m := &set.Models[i]; m.Kind == name && m.Arch == on.Arch && m.Regression != nil {
				models[k] = m
				out[k].Ranges = rangesOf(m)
			}
		}
	}
	var parameters []float64
	for task := range int32(len(p.Front)) {
		k := p.Kind(task)
		parameters = p.Parameters(task, parameters[:0])
		out[k].add(&perfmodel.Task{Parameters: parameters, GFlop: float64(p.Flops(task)) / 1e9}, tell[k], models[k])
	}
	return out
}

func rangesOf(m *perfmodel.Model) (out []NeededRange) {
	for _, r := range m.Regression.Ranges {
		name := perfmodel.Product{{Of: r.Of, Exponent: 1}}.Named(m.Regression.Parameters)
		out = append(out, NeededRange{Name: name, Measured: [2]float64{r.Min, r.Max}, Wanted: [2]float64{r.Min, r.Max}})
	}
	return out
}

func (n *Needed) add(t *perfmodel.Task, tell func(*perfmodel.Task) (float64, bool), m *perfmodel.Model) {
	n.Tasks++
	ns, ok := tell(t)
	if !ok {
		n.Unknown++
		return
	}
	n.Time += ns
	if m == nil || m.Regression.Outside(t) == "" {
		return
	}
	n.Outside++
	n.Beyond += ns
	for i, r := range m.Regression.Ranges {
		v, w := t.GFlop, &n.Ranges[i]
		if j := int(r.Of - perfmodel.Parameter); j >= 0 && j < len(t.Parameters) {
			v = t.Parameters[j]
		}
		if v < r.Min || v > r.Max {
			w.Tasks++
			w.Wanted[0], w.Wanted[1] = min(w.Wanted[0], v), max(w.Wanted[1], v)
		}
	}
}
