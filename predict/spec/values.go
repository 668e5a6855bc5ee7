package spec

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"dagscope/predict/platform"
	"dagscope/predict/starpu"
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
// the end ("bottom-level"), or a number for each kind.
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
)

// UnmarshalYAML reads a rule, or a mapping of kinds to numbers.
func (p *Priorities) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.MappingNode {
		p.Rule = ""
		return n.Decode(&p.Kind)
	}
	switch p.Rule, p.Kind = n.Value, nil; n.Value {
	case chameleon, recorded, none, bottomLevel:
		return nil
	}
	return fmt.Errorf("found priorities %q, want chameleon, recorded, none, bottom-level, or a number for each kind", n.Value)
}

// Costs say which operations of the runtime take time: a base, and what differs
// from it.
type Costs struct {
	Zero   bool // the base is that nothing does
	Single map[string]Cost
}

// Cost is whether an operation takes the time that StarPU measured, or how long
// it takes.
type Cost struct {
	On   bool
	Time time.Duration // 0: as measured
}

// costs are the names of costs, and what they are of the simulator's.
var costs = map[string]func(c, usual *starpu.Costs, v Cost){
	"transfer": func(c, _ *starpu.Costs, v Cost) { c.Transfer = v.On },
	"cuda_malloc": func(c, usual *starpu.Costs, v Cost) {
		c.Malloc, c.Free, c.Pin = v.of(usual.Malloc), v.of(usual.Free), v.of(usual.Pin)
	},
	"cuda_queue":     func(c, usual *starpu.Costs, v Cost) { c.Queue = v.of(usual.Queue) },
	"task_submit":    func(c, usual *starpu.Costs, v Cost) { c.Submit = v.of(usual.Submit) },
	"task_push":      func(c, usual *starpu.Costs, v Cost) { c.Push = v.of(usual.Push) },
	"fetching_input": func(c, usual *starpu.Costs, v Cost) { c.Fetch = v.of(usual.Fetch) },
	"sched":          func(*starpu.Costs, *starpu.Costs, Cost) {},
}

// of is the cost in ns.
func (v Cost) of(usual float64) float64 {
	switch {
	case !v.On:
		return 0
	case v.Time > 0:
		return float64(v.Time)
	}
	return usual
}

// timed are the costs whose time can be given.
var timed = map[string]bool{"cuda_queue": true, "task_submit": true, "task_push": true, "fetching_input": true}

// UnmarshalYAML reads "default", "zero", or a mapping of names.
func (c *Costs) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		c.Single = nil
		return c.base(n.Value)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if err := c.set(n.Content[i].Value, n.Content[i+1].Value); err != nil {
			return err
		}
	}
	return nil
}

func (c *Costs) base(name string) error {
	switch name {
	case "default":
		c.Zero = false
	case "zero":
		c.Zero = true
	default:
		return fmt.Errorf("found costs %q, want default, zero or names of costs", name)
	}
	return nil
}

func (c *Costs) set(name, value string) error {
	if name == "base" {
		return c.base(value)
	}
	if costs[name] == nil {
		return fmt.Errorf("found unknown cost %q, want base, %s", name, list(costs))
	}
	v, err := parseCost(name, value)
	if err != nil {
		return err
	}
	if c.Single == nil {
		c.Single = make(map[string]Cost)
	}
	c.Single[name] = v
	return nil
}

func parseCost(name, value string) (Cost, error) {
	if on, err := strconv.ParseBool(strings.ToLower(value)); err == nil {
		if on && name == "sched" {
			return Cost{}, errors.New("found cost sched on, want it off: it is the time that the scheduler itself takes, which differs from run to run")
		}
		return Cost{On: on}, nil
	}
	if d, err := time.ParseDuration(value); err == nil && d > 0 && timed[name] {
		return Cost{On: true, Time: d}, nil
	}
	want := "0 or 1"
	if timed[name] {
		want = "0, 1 or a time such as 2us"
	}
	return Cost{}, fmt.Errorf("found cost %s of %q, want %s", name, value, want)
}

// of are the simulator's costs.
func (c Costs) of() starpu.Costs {
	usual := starpu.DefaultCosts()
	out := usual
	if c.Zero {
		out = starpu.Costs{}
	}
	for name, v := range c.Single {
		costs[name](&out, &usual, v)
	}
	return out
}
