package spec

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Rates are numbers above 0 by architecture, or one for all ("").
type Rates map[string]float64

// UnmarshalYAML reads a number, or numbers by architecture, which add to what
// was there.
func (r *Rates) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		v, err := parseRate(n)
		*r = Rates{"": v}
		return err
	}
	if *r == nil {
		*r = make(Rates)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		v, err := parseRate(n.Content[i+1])
		if err != nil {
			return err
		}
		(*r)[n.Content[i].Value] = v
	}
	return nil
}

func parseRate(n *yaml.Node) (float64, error) {
	v, err := strconv.ParseFloat(n.Value, 64)
	if n.Kind != yaml.ScalarNode || err != nil || !(v > 0) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("found %q, want a number above 0", n.Value)
	}
	return v, nil
}

// on is the number of an architecture, 1 if there is none.
func (r Rates) on(arch string) float64 {
	if v, own := r[arch]; own {
		return v
	}
	if v, all := r[""]; all {
		return v
	}
	return 1
}

// Scales are what durations of kinds are multiplied with: 0.8 for a kernel that
// takes a fifth less time.
type Scales map[string]Rates

// UnmarshalYAML reads a number for each kind, or numbers by architecture, which
// add to what was there.
func (s *Scales) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("found %q, want a number for kinds, such as {gemm: 0.8}", n.Value)
	}
	if *s == nil {
		*s = make(Scales)
	}
	seen := make(map[string]string)
	for i := 0; i+1 < len(n.Content); i += 2 {
		kind := n.Content[i].Value
		if other, twice := seen[strings.ToLower(kind)]; twice {
			return fmt.Errorf("found %s twice, as %s too, want each kind once", kind, other)
		}
		seen[strings.ToLower(kind)] = kind
		by := s.take(kind)
		if err := by.UnmarshalYAML(n.Content[i+1]); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
		(*s)[kind] = by
	}
	return nil
}

// take takes out what there is of a kind, whatever the case of its letters.
func (s Scales) take(kind string) Rates {
	for known, by := range s {
		if strings.EqualFold(known, kind) {
			delete(s, known)
			return by
		}
	}
	return nil
}
