package spec

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"

	"dagscope/internal/yamlform"
	"dagscope/predict/starpu/policy"
)

// What a run keeps of the spec that it was simulated from, so that simulating it
// again without options gives the same run: costs and options in the words of the
// spec. What the machine, the durations and the tasks of the run show is not among
// them: limits of memory, links, kinds that only some workers run, priorities.

// keptKeys are costs and options of a simulated run.
type keptKeys struct {
	Costs   Costs       `yaml:"costs"`
	Options keptOptions `yaml:"options"`
}

// keptOptions are those options of a spec that a run keeps.
type keptOptions struct {
	Prefetch    *bool    `yaml:"prefetch"`
	Pipeline    *int     `yaml:"pipeline"`
	Overhead    float64  `yaml:"overhead_us"`
	MemoryLimit Positive `yaml:"memory_limit"`
	Submissions bool     `yaml:"submissions"`
	MPI         MPI      `yaml:"mpi"`
}

// keptText is what a run keeps of costs and options; "" if all are usual.
func (s *Spec) keptText(e engine) (string, error) {
	out, o := make(map[string]any), s.Options
	if costs := s.Costs.keys(); len(costs) > 0 {
		out["costs"] = costs
	}
	options := o.MPI.keys()
	if len(options) > 0 {
		options = map[string]any{"mpi": options}
	}
	if o.Prefetch != nil {
		options["prefetch"] = *o.Prefetch
	}
	if o.Pipeline != nil {
		options["pipeline"] = *o.Pipeline
	}
	if e.plain { // on the exact engine, durations include the overhead
		if o.Overhead > 0 {
			options["overhead_us"] = o.Overhead
		}
		if o.MemoryLimit > 0 {
			options["memory_limit"] = float64(o.MemoryLimit)
		}
		if o.Submissions {
			options["submissions"] = true
		}
	}
	if len(options) > 0 {
		out["options"] = options
	}
	if len(out) == 0 {
		return "", nil
	}
	text, err := json.Marshal(out) // which is YAML, too
	if err != nil {
		return "", fmt.Errorf("write down options: %w", err)
	}
	return string(text), nil
}

// keys are costs as a spec has them.
func (c *Costs) keys() map[string]any {
	out := make(map[string]any)
	if c.Zero {
		out["base"] = "zero"
	}
	for name, v := range c.Single {
		switch {
		case v.Time > 0:
			out[name] = v.Time.String()
		default:
			out[name] = v.On
		}
	}
	return out
}

// keys are options as a spec has them.
func (m *MPI) keys() map[string]any {
	out := make(map[string]any)
	if m.EagerLimit != nil {
		out["eager_limit"] = int64(*m.EagerLimit)
	}
	if m.MaxRequests != nil {
		out["max_requests"] = *m.MaxRequests
	}
	if m.MaxReady > 0 {
		out["max_ready"] = int(m.MaxReady)
	}
	for name, v := range map[string]*bool{"priorities": m.Priorities, "cooperative": m.Cooperative, "cache": m.Cache, "factors": m.Factors} {
		if v != nil {
			out[name] = *v
		}
	}
	return out
}

// inheriting is the spec with costs and options of the simulated run whose task
// graph it takes, where it says nothing of its own.
func (s *Spec) inheriting(runs recordedRuns, e engine) (*Spec, error) {
	if runs.graph == nil {
		return s, nil
	}
	const where = "options of the run"
	var kept keptKeys
	if text := runs.graph.Meta.Environment[EnvOptions]; text != "" {
		if err := yamlform.Decode(where, []byte(text), &kept); err != nil {
			return nil, err
		}
	}
	own := *s
	own.Costs, own.flags = kept.Costs.changed(s.Costs), nil
	o, k := &own.Options, &kept.Options
	take := func(given bool, take func(), path ...string) {
		if !given {
			take()
			own.flags = append(own.flags, flag{path, where}) // to blame, if it is wrong
		}
	}
	take(o.Prefetch != nil || k.Prefetch == nil, func() { o.Prefetch = k.Prefetch }, "options", "prefetch")
	take(o.Pipeline != nil || k.Pipeline == nil, func() { o.Pipeline = k.Pipeline }, "options", "pipeline")
	// A schedule that is repeated has it in its delays.
	take(s.gives("options", "overhead_us") || k.Overhead == 0 || o.Pinned && !e.plain, func() { o.Overhead = k.Overhead }, "options", "overhead_us")
	take(len(k.MPI.keys()) == 0, func() { o.MPI = k.MPI.changed(o.MPI) }, "options", "mpi")
	if e.plain {
		take(o.MemoryLimit != 0 || k.MemoryLimit == 0, func() { o.MemoryLimit = k.MemoryLimit }, "options", "memory_limit")
		take(s.gives("options", "submissions") || !k.Submissions, func() { o.Submissions = true }, "options", "submissions")
	}
	own.flags = append(own.flags, s.flags...)
	return &own, nil
}

// changed are costs with what others say of them: all, if these have a base.
func (c Costs) changed(by Costs) Costs {
	if by.Based {
		return by
	}
	out := Costs{Zero: c.Zero, Based: c.Based, Single: make(map[string]Cost)}
	maps.Copy(out.Single, c.Single)
	maps.Copy(out.Single, by.Single)
	return out
}

// changed are options with what others say of them.
func (m MPI) changed(by MPI) MPI {
	return MPI{
		EagerLimit: cmp.Or(by.EagerLimit, m.EagerLimit), MaxRequests: cmp.Or(by.MaxRequests, m.MaxRequests), MaxReady: cmp.Or(by.MaxReady, m.MaxReady),
		Priorities: cmp.Or(by.Priorities, m.Priorities), Cooperative: cmp.Or(by.Cooperative, m.Cooperative),
		Cache: cmp.Or(by.Cache, m.Cache), Factors: cmp.Or(by.Factors, m.Factors),
	}
}

// keptMemory is what heteroprio remembered when a run was simulated; nil: nothing.
func keptMemory(from *recording) (*policy.Memory, error) {
	if from == nil || from.run.Meta.Environment[EnvMemory] == "" {
		return nil, nil
	}
	m := new(policy.Memory)
	if err := json.Unmarshal([]byte(from.run.Meta.Environment[EnvMemory]), m); err != nil {
		return nil, fmt.Errorf("read heteroprio's memory of the run: %w", err)
	}
	return m, nil
}
