package perfmodel

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// duration is ns, written with a unit.
type duration float64

func (d *duration) UnmarshalYAML(n *yaml.Node) error {
	v, err := parseDuration(n.Value)
	*d = duration(v)
	return err
}

func (d duration) MarshalYAML() (any, error) { return formatDuration(float64(d)), nil }

var durationUnits = []struct {
	name string
	ns   float64
}{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}

// parseDuration reads a duration from 0 with a unit, ns.
func parseDuration(s string) (float64, error) {
	for _, u := range durationUnits {
		number, ok := strings.CutSuffix(strings.TrimSpace(s), u.name)
		if !ok {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil {
			continue // the s of 3ms
		}
		if v *= u.ns; !(v >= 0) || v > 1e18 {
			break
		}
		return v, nil
	}
	return 0, fmt.Errorf("found %.40q, want a duration such as 2.8ms", s)
}

// formatDuration writes a duration in the largest unit that loses nothing.
func formatDuration(ns float64) string {
	for i := len(durationUnits) - 1; i > 0; i-- {
		u := durationUnits[i]
		if s := strconv.FormatFloat(ns/u.ns, 'f', -1, 64); ns >= u.ns && len(s) < 12 {
			if v, _ := strconv.ParseFloat(s, 64); v*u.ns == ns {
				return s + u.name
			}
		}
	}
	return strconv.FormatFloat(ns, 'f', -1, 64) + "ns"
}

// footprint is written as StarPU does, 8 hexadecimal digits.
type footprint uint32

func (f *footprint) UnmarshalYAML(n *yaml.Node) error {
	v, err := strconv.ParseUint(strings.TrimPrefix(n.Value, "0x"), 16, 32)
	if err != nil {
		return fmt.Errorf("found footprint %.40q, want 8 hexadecimal digits", n.Value)
	}
	*f = footprint(v)
	return nil
}

func (f footprint) MarshalYAML() (any, error) {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.SingleQuotedStyle, Value: fmt.Sprintf("%08x", uint32(f))}, nil
}
