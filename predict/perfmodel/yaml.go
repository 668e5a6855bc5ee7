package perfmodel

import (
	"errors"
	"fmt"

	"dagscope/internal/yamlform"
)

// The project's own form of models, docs/models.md: what calibrate writes.

type yamlSet struct {
	Models []yamlModel `yaml:"models"`
}

type yamlModel struct {
	Kind           string          `yaml:"kind"`
	Arch           string          `yaml:"arch"`
	Device         *int32          `yaml:"device,omitempty"` // every one by default
	Implementation int32           `yaml:"implementation,omitempty"`
	Method         Method          `yaml:"method,omitempty"` // by default what is there
	Mean           duration        `yaml:"mean,omitempty"`
	Deviation      duration        `yaml:"deviation,omitempty"`
	Count          int64           `yaml:"count,omitempty"`
	LeastCount     int64           `yaml:"least_count,omitempty"`
	History        []yamlEntry     `yaml:"history,omitempty"`
	Regression     *yamlRegression `yaml:"regression,omitempty"`
	Contention     []yamlLoad      `yaml:"contention,omitempty"`
	Fit            *yamlFit        `yaml:"fit,omitempty"`
}

type yamlEntry struct {
	Footprint footprint  `yaml:"footprint,omitempty"`
	Bytes     int64      `yaml:"bytes,omitempty"`
	GFlop     float64    `yaml:"gflop,omitempty"`
	Mean      duration   `yaml:"mean"`
	Deviation duration   `yaml:"deviation,omitempty"`
	Count     int64      `yaml:"count,omitempty"`
	Sample    []duration `yaml:"sample,omitempty,flow"`
}

type yamlRegression struct {
	Parameters []string    `yaml:"parameters,omitempty,flow"` // names of p1, p2, …
	Terms      []yamlTerm  `yaml:"terms"`
	Ranges     []yamlRange `yaml:"ranges,omitempty"`
	Strict     bool        `yaml:"strict,omitempty"`
	Floor      duration    `yaml:"floor,omitempty"`
}

type yamlLoad struct {
	Busy   int32   `yaml:"busy"`
	Factor float64 `yaml:"factor"`
}

type yamlTerm struct {
	Coefficient float64 `yaml:"coefficient"` // ns
	Of          string  `yaml:"of"`
}

type yamlRange struct {
	Of  string  `yaml:"of"`
	Min float64 `yaml:"min"`
	Max float64 `yaml:"max"`
}

// yamlFit is for people: what calibrate found of the fit.
type yamlFit struct {
	Tasks    int      `yaml:"tasks"`
	Rejected int      `yaml:"rejected,omitempty"`
	AdjR2    float64  `yaml:"adjusted_r2,omitempty"`
	RelError float64  `yaml:"relative_error"`
	Warnings []string `yaml:"warnings,omitempty"`
}

// ReadYAML reads models in the project's own form (docs/models.md).
func ReadYAML(file string) (*Set, error) {
	text, err := readBounded(file)
	if err != nil {
		return nil, fmt.Errorf("read models: %w", err)
	}
	return ParseYAML(file, text)
}

// ParseYAML reads the text of a file.
func ParseYAML(file string, text []byte) (*Set, error) {
	var y yamlSet
	if err := yamlform.Decode(file, text, &y); err != nil {
		return nil, err
	}
	lines := yamlform.NewLines(file, text)
	var models []Model
	for i := range y.Models {
		m, err := y.Models[i].model()
		if err != nil {
			return nil, lines.Error(err, "models", i)
		}
		models = append(models, m)
	}
	s, err := NewSet(models)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	return s, nil
}

func (y *yamlModel) model() (Model, error) {
	m := Model{
		Kind: y.Kind, Arch: y.Arch, Device: Any, Impl: y.Implementation, Method: y.Method,
		Mean: float64(y.Mean), Deviation: float64(y.Deviation), Count: y.Count, LeastCount: y.LeastCount,
	}
	if y.Kind == "" || y.Arch == "" {
		return m, errors.New("found a model without kind or arch, want both")
	}
	if y.Device != nil {
		if m.Device = *y.Device; m.Device < 0 {
			return m, fmt.Errorf("found device %d, want a number from 0", m.Device)
		}
	}
	for _, e := range y.History {
		m.History = append(m.History, e.entry())
	}
	if y.Regression != nil {
		var err error
		if m.Regression, err = y.Regression.regression(); err != nil {
			return m, err
		}
	}
	for _, l := range y.Contention {
		m.Contention = append(m.Contention, Load(l))
	}
	if err := checkContention(m.Contention); err != nil {
		return m, err
	}
	if err := m.complete(); err != nil {
		return m, err
	}
	if m.Method == Sample && m.Contention != nil {
		return m, errSampleContention
	}
	return m, nil
}

func (y *yamlEntry) entry() Entry {
	e := Entry{Footprint: uint32(y.Footprint), Bytes: y.Bytes, GFlop: y.GFlop, Mean: float64(y.Mean), Deviation: float64(y.Deviation), Count: max(y.Count, 1)}
	for _, d := range y.Sample {
		e.Sample = append(e.Sample, float64(d))
	}
	return e
}

// complete finds the method of a model that names none, and wants what the
// method needs.
func (m *Model) complete() error {
	if m.Method == "" {
		switch {
		case m.Regression != nil:
			m.Method = Linear
		case len(m.History) > 0:
			m.Method = History
		default:
			m.Method = Mean
		}
	}
	missing := ""
	switch m.Method {
	case Mean:
		if m.Mean <= 0 {
			missing = "mean"
		}
	case History, Sample:
		if len(m.History) == 0 {
			missing = "history"
		}
	case Linear, NonLinear:
		if m.Regression == nil {
			missing = "regression"
		}
	default:
		return fmt.Errorf("found method %q, want one of %v", m.Method, Methods)
	}
	if missing != "" {
		return fmt.Errorf("found no %s of %s on %s, want one for method %s", missing, m.Kind, m.Arch, m.Method)
	}
	return nil
}

func (y *yamlRegression) regression() (*Regression, error) {
	r := &Regression{Parameters: y.Parameters, Strict: y.Strict, Floor: float64(y.Floor)}
	if err := CheckNames(y.Parameters); err != nil {
		return nil, err
	}
	for _, t := range y.Terms {
		var p Product
		var err error
		if t.Of != "1" {
			p, err = parseProduct(t.Of, y.Parameters)
		}
		if err == nil && !finite(t.Coefficient) {
			err = fmt.Errorf("found coefficient %g, want a number", t.Coefficient)
		}
		if err != nil {
			return nil, err
		}
		r.Terms = append(r.Terms, Term{t.Coefficient, p})
	}
	for _, g := range y.Ranges {
		v, err := parseVariable(g.Of, y.Parameters)
		if err != nil {
			return nil, err
		}
		if !(g.Min <= g.Max) {
			return nil, fmt.Errorf("found %s from %g to %g, want a range", g.Of, g.Min, g.Max)
		}
		r.Ranges = append(r.Ranges, Range{v, g.Min, g.Max})
	}
	if len(r.Terms) == 0 {
		return nil, errors.New("found a regression without terms, want one")
	}
	return r, nil
}
