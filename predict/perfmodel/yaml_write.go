package perfmodel

import "go.yaml.in/yaml/v4"

// YAML is the set in the project's own form, which ReadYAML reads.
func (s *Set) YAML() ([]byte, error) {
	y := yamlSet{Models: make([]yamlModel, len(s.Models))}
	for i := range s.Models {
		y.Models[i] = s.Models[i].yaml()
	}
	return yaml.Dump(&y)
}

func (m *Model) yaml() yamlModel {
	y := yamlModel{
		Kind: m.Kind, Arch: m.Arch, Implementation: m.Impl, Method: m.Method,
		Mean: duration(m.Mean), Deviation: duration(m.Deviation), Count: m.Count, LeastCount: m.LeastCount,
	}
	if m.Device != Any {
		y.Device = &m.Device
	}
	for _, e := range m.History {
		entry := yamlEntry{footprint(e.Footprint), e.Bytes, e.GFlop, duration(e.Mean), duration(e.Deviation), e.Count, nil}
		for _, d := range e.Sample {
			entry.Sample = append(entry.Sample, duration(d))
		}
		y.History = append(y.History, entry)
	}
	if r := m.Regression; r != nil {
		y.Regression = r.yaml()
	}
	for _, l := range m.Contention {
		y.Contention = append(y.Contention, yamlLoad(l))
	}
	if f := m.Fit; f != nil {
		y.Fit = &yamlFit{Tasks: f.Tasks, Rejected: f.Rejected, RelError: f.RelError}
		if finite(f.AdjR2) {
			y.Fit.AdjR2 = f.AdjR2
		}
		for _, w := range f.Warnings {
			y.Fit.Warnings = append(y.Fit.Warnings, w.Code+": "+w.Text)
		}
	}
	return y
}

func (r *Regression) yaml() *yamlRegression {
	y := &yamlRegression{Parameters: r.Parameters, Strict: r.Strict, Floor: duration(r.Floor)}
	for _, t := range r.Terms {
		y.Terms = append(y.Terms, yamlTerm{t.Coef, t.Of.Named(r.Parameters)})
	}
	for _, g := range r.Ranges {
		y.Ranges = append(y.Ranges, yamlRange{g.Of.name(r.Parameters), g.Min, g.Max})
	}
	return y
}
