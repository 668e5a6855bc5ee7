package whatif

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dagscope/internal/yamlform"
	"dagscope/predict/platform"
	"dagscope/predict/spec"
	"dagscope/trace"
)

// Key is a key of changes that specs do not have: it changes the recording that is
// simulated, or the simulation once it is made.
type Key struct {
	Name, Value, What string

	run func(b *Base, run *trace.Run, value string) (*trace.Run, error)
	sim func(sim *spec.Simulation, value string) error
}

// Keys are all of them.
func Keys() []Key {
	return []Key{
		{Name: "run.worker", Value: "NAME", What: "tasks of this worker take as long as those of its peers", run: (*Base).asPeerWorkers},
		{Name: "run.node", Value: "N", What: "tasks of this node take as long as those of the others", run: (*Base).asPeerNodes},
		{Name: "run.outliers", Value: "median or {kinds: […], archs: […], workers: […], nodes: […]}", What: "outliers, of these only, take the median of their group", run: (*Base).withoutOutliers},
		{Name: "run.window", Value: "{from: 10ms, to: 20ms, workers: […], nodes: […]}", What: "tasks that began in it take what their group takes outside of it", run: (*Base).outsideWindow},
		{Name: "run.inflation", Value: "none or {kinds: […]}", What: "tasks, of these kinds only, take what their group takes while few workers are active", run: (*Base).notInflated},
		{Name: "run.locks", Value: "free", What: "tasks take no time to get locks", run: (*Base).lockFree},
		{Name: "run.expectations", Value: "right", What: "the scheduler decides, and expects what tasks took: against the recorded schedule", run: (*Base).rightly},
		{Name: "machine.unlimited", Value: "NAME or all", What: "this memory, or all, without limit", sim: unlimited},
		{Name: "machine.contention", Value: "none", What: "transfers do not share links", sim: uncontended},
	}
}

// rightExpectations is the key of [Models]: it has the scheduler decide where else the
// recorded schedule would be repeated.
const rightExpectations = "run.expectations=right"

// rightly leaves the run as it is: simulated schedulers expect what tasks took.
func (b *Base) rightly(run *trace.Run, value string) (*trace.Run, error) {
	if value != "right" {
		return nil, fmt.Errorf("found %q, want right", value)
	}
	return run, nil
}

// edits are the keys of a change sorted by whom they are for.
type edits struct {
	spec []string
	run  []func(*Base, *trace.Run) (*trace.Run, error)
	sim  []func(*spec.Simulation) error
}

// sortKeys finds out whom keys are for.
func sortKeys(set []string) (e edits, _ error) {
	for _, assignment := range set {
		name, value, _ := strings.Cut(assignment, "=")
		prefix, _, _ := strings.Cut(name, ".")
		if prefix != "run" && prefix != "machine" {
			e.spec = append(e.spec, assignment)
			continue
		}
		all := Keys()
		i := slices.IndexFunc(all, func(k Key) bool { return k.Name == name })
		if i < 0 {
			var known []string
			for _, k := range all {
				known = append(known, k.Name)
			}
			return e, fmt.Errorf("read %s: found no such key, want one of simulate --set, or %s", assignment, strings.Join(known, ", "))
		}
		wrap := func(err error) error {
			if err == nil {
				return nil
			}
			return fmt.Errorf("read %s: %w", assignment, err)
		}
		if change := all[i].run; change != nil {
			e.run = append(e.run, func(b *Base, run *trace.Run) (*trace.Run, error) {
				changed, err := change(b, run, value)
				return changed, wrap(err)
			})
		}
		if change := all[i].sim; change != nil {
			e.sim = append(e.sim, func(sim *spec.Simulation) error { return wrap(change(sim, value)) })
		}
	}
	return e, nil
}

// changed is a simulation of the run with some keys.
func (b *Base) changed(scheduler string, set []string) (*spec.Simulation, error) {
	e, err := sortKeys(set)
	if err != nil {
		return nil, err
	}
	run := b.Run
	for _, edit := range e.run {
		if run, err = edit(b, run); err != nil {
			return nil, err
		}
	}
	sim, err := b.build(scheduler, e.spec, run)
	for _, edit := range e.sim {
		if err == nil {
			err = edit(sim)
		}
	}
	return sim, err
}

// unlimited takes the limit off memories.
func unlimited(sim *spec.Simulation, value string) error {
	m := sim.Machine.Clone()
	found := false
	for i := range m.Memories {
		if mem := &m.Memories[i]; value == "all" || mem.Name == value || nodeless(mem.Name) == value {
			found = true
			mem.Capacity = 0
		}
	}
	if !found {
		var known []string
		for i := range m.Memories {
			known = append(known, m.Memories[i].Name)
		}
		return fmt.Errorf("found no memory %q, want all or one of %s", value, strings.Join(known, ", "))
	}
	sim.Machine = m
	return nil
}

// uncontended gives each transfer its links to itself.
func uncontended(sim *spec.Simulation, value string) error {
	if value != "none" {
		return fmt.Errorf("found %q, want none", value)
	}
	m := sim.Machine.Clone()
	for i := range m.Links {
		m.Links[i].Fat = true
	}
	sim.Machine = m
	return nil
}

// nodeless is a name without the number of its node.
func nodeless(name string) string {
	if node, rest, found := strings.Cut(name, "_"); found && node != "" && strings.Trim(node, "0123456789") == "" {
		return rest
	}
	return name
}

// part is what of a run a key is about: what is not given is all.
type part struct {
	Nodes   []int32       `yaml:"nodes"`
	Workers []string      `yaml:"workers"`
	Kinds   []string      `yaml:"kinds"`
	Archs   []string      `yaml:"archs"`
	From    spec.Duration `yaml:"from"`
	To      spec.Duration `yaml:"to"`
}

// parsePart reads one; all is the word for everything.
func parsePart(value, all string) (p part, _ error) {
	if value == all {
		return p, nil
	}
	if !strings.HasPrefix(value, "{") {
		return p, fmt.Errorf("found %q, want %s, or {kinds: […], workers: […], nodes: […]}", value, all)
	}
	if err := yamlform.Decode("the value", []byte(value), &p); err != nil {
		return p, err
	}
	if p.To < p.From {
		return p, errors.New("found a window that ends before it begins")
	}
	return p, nil
}

// has reports whether a task is one of the part; its window is another matter.
func (p *part) has(run *trace.Run, row int32) bool {
	t, re := &run.Task, &run.Resource
	w := t.Worker[row]
	return (p.Kinds == nil || slices.Contains(p.Kinds, t.Kind.At(int(row)))) &&
		(p.Archs == nil || slices.Contains(p.Archs, re.Arch.At(int(w)))) &&
		(p.Nodes == nil || slices.Contains(p.Nodes, max(re.Node[w], 0))) &&
		(p.Workers == nil || slices.Contains(p.Workers, re.Name.At(int(w))))
}

// value writes a part as [parsePart] reads it.
func (w *Where) value(all string) string {
	var keys []string
	list := func(key string, all []string) {
		if len(all) == 0 {
			return
		}
		quoted := make([]string, len(all))
		for i, name := range all {
			quoted[i] = strconv.Quote(name)
		}
		keys = append(keys, key+": ["+strings.Join(quoted, ", ")+"]")
	}
	var nodes []string
	for _, n := range w.Nodes {
		nodes = append(nodes, strconv.Itoa(int(n)))
	}
	if len(nodes) > 0 {
		keys = append(keys, "nodes: ["+strings.Join(nodes, ", ")+"]")
	}
	list("workers", w.Workers)
	list("kinds", w.Kinds)
	list("archs", w.Archs)
	if len(w.Window) == 2 {
		keys = append(keys, fmt.Sprintf("from: %dns, to: %dns", max(1, w.Window[0]), max(1, w.Window[1])))
	}
	if keys == nil {
		return all
	}
	return "{" + strings.Join(keys, ", ") + "}"
}

// isGPU reports whether a memory is a device's.
func isGPU(m *platform.Memory) bool { return m.Kind == platform.GPU }
