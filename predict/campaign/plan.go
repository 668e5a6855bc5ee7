package campaign

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"dagscope/internal/regular"
	"dagscope/predict/spec"
)

// Plan is what a campaign simulates.
type Plan struct {
	Format  int               `json:"format"`
	Version string            `json:"version"` // of the program that simulates
	Spec    string            `json:"spec"`    // file, absolute; "" for a recorded run alone
	SHA256  string            `json:"spec_sha256"`
	From    string            `json:"from,omitempty"` // run whose task graph is simulated instead, absolute
	Set     []string          `json:"set,omitempty"`  // of all points
	Keys    []string          `json:"keys"`
	Inputs  map[string]string `json:"inputs,omitempty"` // what the spec and the points name, with fingerprints
	Keep    bool              `json:"keep_runs,omitempty"`
	Points  [][]string        `json:"points"` // values by point, then by key
	Jobs    []string          `json:"submitted,omitempty"`

	text []byte
}

// format is the version of campaign.json.
const format = 1

// NewPlan plans a campaign: each of its values must be one that the spec takes.
// Spec is a file, from a run or "" ([spec.Spec.Replay]).
func NewPlan(version, spec, from string, set []string, axes *Axes) (*Plan, error) {
	p := &Plan{Format: format, Version: version, Set: set}
	var err error
	if spec != "" {
		if p.Spec, err = filepath.Abs(spec); err != nil {
			return nil, fmt.Errorf("find %s: %w", spec, err)
		}
	}
	if from != "" {
		if p.From, err = filepath.Abs(from); err != nil {
			return nil, fmt.Errorf("find %s: %w", from, err)
		}
	}
	if err := p.read(); err != nil {
		return nil, err
	}
	all, err := axes.points()
	if err != nil {
		return nil, err
	}
	p.Keys, p.Points = all.keys, all.rows
	return p, p.check()
}

// Again plans the same for the spec as it is now, and this program.
func (p *Plan) Again(version string) (*Plan, error) {
	q := &Plan{Format: format, Version: version, Spec: p.Spec, From: p.From, Set: p.Set, Keys: p.Keys, Keep: p.Keep, Points: p.Points}
	if err := q.read(); err != nil {
		return nil, err
	}
	return q, q.check()
}

// read reads the spec as it is now.
func (p *Plan) read() error {
	if p.Spec == "" {
		return nil
	}
	text, err := regular.Read(p.Spec, regular.Text)
	if err != nil {
		return fmt.Errorf("read spec: %w", err)
	}
	sum := sha256.Sum256(text)
	p.text, p.SHA256 = text, hex.EncodeToString(sum[:])
	return nil
}

// check tries every value of every key once, and notes what they name.
func (p *Plan) check() error {
	base, err := p.spec(nil)
	if err != nil {
		return err
	}
	found := newInputs(p.dir())
	found.add(base)
	for k, key := range p.Keys {
		for _, v := range distinct(p.Points, k) {
			s, err := p.spec(nil)
			if err != nil {
				return err
			}
			if err := s.Set(key + "=" + v); err != nil {
				return err
			}
			found.add(s)
		}
	}
	p.Inputs = found.files
	return found.err
}

// dir is what paths of the spec are relative to.
func (p *Plan) dir() string {
	if p.Spec == "" {
		return "."
	}
	return filepath.Dir(p.Spec)
}

// spec is what a point simulates; without values, what all points start from.
func (p *Plan) spec(values []string) (*spec.Spec, error) {
	s := spec.OfRun(p.From)
	if p.Spec != "" {
		var err error
		if s, err = spec.Parse(p.Spec, p.text); err != nil {
			return nil, err
		}
		if p.From != "" {
			s.Replay(p.From)
		}
	}
	for _, assignment := range p.Set {
		if err := s.Set(assignment); err != nil {
			return nil, err
		}
	}
	for k, v := range values {
		if err := s.Set(p.Keys[k] + "=" + v); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// distinct lists the values of a key in the order in which they come.
func distinct(rows [][]string, key int) (all []string) {
	seen := make(map[string]bool)
	for _, row := range rows {
		if !seen[row[key]] {
			seen[row[key]] = true
			all = append(all, row[key])
		}
	}
	return all
}

// differs says what keeps the results of a plan from standing in one table with
// those of another, "" for nothing. Points may differ.
func (p *Plan) differs(old *Plan) string {
	switch {
	case p.Format != old.Format:
		return fmt.Sprintf("it has format %d, this program writes %d", old.Format, p.Format)
	case p.Version != old.Version:
		return fmt.Sprintf("its runs are of %s, this is %s", old.Version, p.Version)
	case p.SHA256 != old.SHA256 || p.From != old.From:
		return fmt.Sprintf("its runs are of another spec (%s as it was)", filepath.Base(old.source()))
	case !slices.Equal(p.Set, old.Set):
		return fmt.Sprintf("its runs are with --set %q, these with %q", old.Set, p.Set)
	case !slices.Equal(p.Keys, old.Keys):
		return fmt.Sprintf("its parameters are %q, these %q", old.Keys, p.Keys)
	}
	for _, path := range slices.Sorted(maps.Keys(old.Inputs)) {
		if now, named := p.Inputs[path]; named && now != old.Inputs[path] {
			return fmt.Sprintf("%s has changed since", path)
		}
	}
	return ""
}

// source is the spec, or the run that stands for it.
func (p *Plan) source() string {
	if p.Spec != "" {
		return p.Spec
	}
	return p.From
}

// join adds the points of an earlier plan that this one does not have.
func (p *Plan) join(old *Plan) {
	have := make(map[string]bool)
	for _, row := range p.Points {
		have[identity(row)] = true
	}
	for _, row := range old.Points {
		if !have[identity(row)] {
			p.Points = append(p.Points, row)
		}
	}
	for path, sum := range old.Inputs {
		if p.Inputs == nil {
			p.Inputs = make(map[string]string)
		}
		if _, named := p.Inputs[path]; !named {
			p.Inputs[path] = sum
		}
	}
}

// parsePlan reads campaign.json.
func parsePlan(file string) (*Plan, error) {
	text, err := regular.Read(file, 1<<30)
	if err != nil {
		return nil, fmt.Errorf("read campaign: %w", err)
	}
	p := new(Plan)
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	if p.Format != format {
		return nil, fmt.Errorf("read %s: found format %d, want %d", file, p.Format, format)
	}
	for i, row := range p.Points {
		if len(row) != len(p.Keys) {
			return nil, fmt.Errorf("read %s: found %d values of point %d, want %d", file, len(row), i, len(p.Keys))
		}
	}
	return p, nil
}
