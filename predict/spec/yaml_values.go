package spec

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"go.yaml.in/yaml/v4"

	"dagscope/predict/platform"
)

// Size is a number of bytes from 1, with a unit: "500MiB". Without one nobody
// knows what is meant: StarPU's variables are in MiB.
type Size int64

// UnmarshalYAML reads a size.
func (s *Size) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return errors.New("found keys or a list, want a size such as 500MiB")
	}
	if _, err := strconv.ParseFloat(n.Value, 64); err == nil {
		return fmt.Errorf("found %s without a unit, want a size such as %sMiB", n.Value, n.Value)
	}
	v, err := platform.ParseSize(n.Value)
	if err == nil && v < 1 {
		err = fmt.Errorf("found %s, want more than nothing", n.Value)
	}
	*s = Size(v)
	return err
}

// Bytes is a number of bytes from 0, with a unit or without.
type Bytes int64

// UnmarshalYAML reads a number of bytes.
func (b *Bytes) UnmarshalYAML(n *yaml.Node) error {
	v, err := platform.ParseSize(n.Value)
	if n.Kind != yaml.ScalarNode {
		err = errors.New("found keys or a list, want bytes such as 8MB")
	}
	*b = Bytes(v)
	return err
}

// Number is a whole number from 1; 0 where it is not given.
type Number int

// UnmarshalYAML reads a number.
func (k *Number) UnmarshalYAML(n *yaml.Node) error {
	v, err := strconv.Atoi(n.Value)
	if err != nil || v < 1 || n.Kind != yaml.ScalarNode {
		return fmt.Errorf("found %q, want a whole number from 1", n.Value)
	}
	*k = Number(v)
	return nil
}

// Positive is a number above 0; 0 where it is not given.
type Positive float64

// UnmarshalYAML reads a number.
func (p *Positive) UnmarshalYAML(n *yaml.Node) error {
	v, err := strconv.ParseFloat(n.Value, 64)
	if err != nil || !(v > 0) || math.IsInf(v, 0) || n.Kind != yaml.ScalarNode {
		return fmt.Errorf("found %q, want a number above 0", n.Value)
	}
	*p = Positive(v)
	return nil
}

// Noise is a coefficient of variation, from 0 (none).
type Noise float64

// mostNoise is the largest coefficient of variation: with more, few tasks take
// nearly all of the time.
const mostNoise = 10

// UnmarshalYAML reads a number.
func (c *Noise) UnmarshalYAML(n *yaml.Node) error {
	v, err := strconv.ParseFloat(n.Value, 64)
	if err == nil {
		err = Noise(v).Check()
	}
	if err != nil || n.Kind != yaml.ScalarNode {
		return fmt.Errorf("found %q, want a coefficient of variation from 0 to %d, such as 0.05 for 5 %%", n.Value, mostNoise)
	}
	*c = Noise(v)
	return nil
}

// Check reports what is no coefficient of variation.
func (c Noise) Check() error {
	if !(c >= 0 && c <= mostNoise) {
		return fmt.Errorf("found %g, want a coefficient of variation from 0 to %d, such as 0.05 for 5 %%", float64(c), mostNoise)
	}
	return nil
}

// Duration is a time above 0 with a unit: "1ms".
type Duration time.Duration

// UnmarshalYAML reads a duration.
func (d *Duration) UnmarshalYAML(n *yaml.Node) error {
	v, err := time.ParseDuration(n.Value)
	if err != nil || v <= 0 || n.Kind != yaml.ScalarNode {
		return fmt.Errorf("found %q, want a time above 0 with a unit such as 1ms", n.Value)
	}
	*d = Duration(v)
	return nil
}

// ByArch is a duration by architecture, or one for all ("").
type ByArch map[string]Duration

// UnmarshalYAML reads a duration, or a mapping of architectures to durations.
func (b *ByArch) UnmarshalYAML(n *yaml.Node) error {
	*b = ByArch{}
	if n.Kind != yaml.MappingNode {
		var all Duration
		err := all.UnmarshalYAML(n)
		(*b)[""] = all
		return err
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		var d Duration
		if err := d.UnmarshalYAML(n.Content[i+1]); err != nil {
			return err
		}
		(*b)[n.Content[i].Value] = d
	}
	return nil
}

// on is the duration on an architecture, 0 if it cannot run there.
func (b ByArch) on(arch string) int64 {
	if d, ok := b[arch]; ok {
		return int64(d)
	}
	return int64(b[""])
}

// Priorities say which priorities tasks have: those of the application
// ("chameleon", "recorded"), "none", those that follow from the longest way to
// the end, in time ("bottom-level") or in tasks ("depth"), or a number for each kind.
type Priorities struct {
	Rule string
	Kind map[string]int32
}

// Rules for priorities.
const (
	chameleon   = "chameleon"
	recorded    = "recorded"
	none        = "none"
	bottomLevel = "bottom-level"
	depth       = "depth"
)

// UnmarshalYAML reads a rule, or a mapping of kinds to numbers.
func (p *Priorities) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.MappingNode {
		p.Rule = ""
		return n.Decode(&p.Kind)
	}
	switch p.Rule, p.Kind = n.Value, nil; n.Value {
	case chameleon, recorded, none, bottomLevel, depth:
		return nil
	}
	return fmt.Errorf("found priorities %q, want chameleon, recorded, none, bottom-level, depth, or a number for each kind", n.Value)
}
