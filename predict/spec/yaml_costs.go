package spec

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"dagscope/predict/starpu"
)

// Costs say which operations of the runtime take time: a base, and what differs
// from it.
type Costs struct {
	Zero   bool // the base is that nothing does
	Based  bool // the base is given
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
	c.Based = true
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
