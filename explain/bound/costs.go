package bound

import (
	"fmt"
	"math"
	"slices"

	"dagscope/explain/kind"
	"dagscope/trace"
)

// Duration says which duration of a kind on an architecture the bounds use.
type Duration int

// Durations.
const (
	Mean   Duration = iota // observed mean
	Median                 // observed median
	Model                  // the runtime's performance models of the run's host, the observed mean where they know nothing
)

// Pair lets a kind run on an architecture where it was never observed.
type Pair struct {
	Kind, Arch string
	Duration   float64 // ns
}

// Costs are what bounds are made of: how long each kind takes on each
// architecture and how many workers there are. Kinds and architectures are
// numbered densely here; Kind and Arch lead back to the run.
type Costs struct {
	Kind     []int32     // index into run.Task.Kind.Dict
	Arch     []int32     // index into run.Resource.Arch.Dict, trace.None for workers without
	Workers  []int       // of each architecture
	Duration [][]float64 // [kind][architecture] ns, +Inf where the kind cannot run
	Count    [][]int64   // [kind][architecture] tasks observed

	kindAt, archAt []int32 // dense number of a dictionary index (arch: index+1), trace.None if it has none
}

// Total is the number of tasks of each kind.
func (c *Costs) Total() []float64 {
	total := make([]float64, len(c.Kind))
	for k, row := range c.Count {
		for _, n := range row {
			total[k] += float64(n)
		}
	}
	return total
}

// Fastest is the shortest duration of each kind over the architectures, ns.
func (c *Costs) Fastest() []float64 {
	fastest := make([]float64, len(c.Kind))
	for k, row := range c.Duration {
		fastest[k] = math.Inf(1)
		for _, d := range row {
			fastest[k] = min(fastest[k], d)
		}
	}
	return fastest
}

// NewCosts gathers the costs of a whole run, all nodes pooled.
func NewCosts(run *trace.Run, o Options) (*Costs, error) {
	return newCosts(run, o, observe(run, o, kind.Durations(run), false), kind.Workers(run))
}

// observation is a group of tasks of one kind on one architecture.
type observation struct {
	kind, arch, node int32
	tasks            []int32 // of the run
	durations        []int64 // of these, and of those of pooled runs; may be reordered
}

// observe gathers the counted tasks by kind and architecture, and by node if
// asked, with the durations of the runs that are pooled with this one.
func observe(run *trace.Run, o Options, duration []int64, byNode bool) []observation {
	g := kind.Group(run, kind.Options{Generation: o.Generation, ByNode: byNode})
	all := make([]observation, g.Len())
	for k, d := range g.Gather(duration) {
		all[k] = observation{g.Kind[k], g.Arch[k], g.Node[k], g.Tasks(k), slices.Clip(d)}
	}
	if o.Pool == nil {
		return all
	}
	at := make(map[[3]int32]int, len(all))
	for i, g := range all {
		at[[3]int32{g.kind, g.arch, g.node}] = i
	}
	for _, other := range o.Pool {
		if other == run {
			continue
		}
		t := newTranslation(run, other)
		theirs := kind.Group(other, kind.Options{Generation: o.Generation, ByNode: byNode})
		for k, d := range theirs.Gather(kind.Durations(other)) {
			key := [3]int32{t.kind[theirs.Kind[k]], t.archOf(theirs.Arch[k]), theirs.Node[k]}
			if key[0] < 0 || key[1] == unknownArch {
				continue
			}
			i, ok := at[key]
			if !ok {
				i = len(all)
				at[key] = i
				all = append(all, observation{kind: key[0], arch: key[1], node: key[2]})
			}
			all[i].durations = append(all[i].durations, d...)
		}
	}
	return all
}

func newCosts(run *trace.Run, o Options, observed []observation, workers []int32) (*Costs, error) {
	c := &Costs{kindAt: absent(len(run.Task.Kind.Dict)), archAt: absent(len(run.Resource.Arch.Dict) + 1)}
	c.addWorkers(run, o, workers)
	for _, g := range observed {
		k, r := c.addKind(g.kind), c.archAt[g.arch+1]
		if r < 0 {
			continue // a pooled run had it run where none of these workers is
		}
		c.Count[k][r] += int64(len(g.tasks))
		c.Duration[k][r] = o.Duration.of(g.durations)
	}
	if o.Duration == Model || len(o.Sources) > 0 {
		layouts := c.layouts(run, observed)
		if o.Duration == Model {
			if err := c.useModels(run, layouts, everywhere); err != nil {
				return nil, err
			}
		}
		c.useSources(run, o, layouts)
	}
	if err := c.allow(run, o.Allow); err != nil {
		return nil, err
	}
	return c, nil
}

// nodeCosts gathers the costs of one node: its workers and the durations
// observed there, those of the whole run for pairs observed elsewhere only.
func nodeCosts(run *trace.Run, o Options, observed []observation, node int32, workers []int32, all *Costs) (*Costs, error) {
	var here []observation
	for _, g := range observed {
		if g.node == node {
			here = append(here, g)
		}
	}
	var its []int32
	for _, w := range workers {
		if run.Resource.Node[w] == node {
			its = append(its, w)
		}
	}
	c, err := newCosts(run, o, here, its)
	if err != nil || o.LocalPairs {
		return c, err
	}
	for k, row := range c.Duration {
		global := all.Duration[all.kindAt[c.Kind[k]]]
		for r := range row {
			if math.IsInf(row[r], 1) {
				row[r] = global[all.archAt[c.Arch[r]+1]]
			}
		}
	}
	return c, nil
}

func absent(n int) []int32 {
	a := make([]int32, n)
	for i := range a {
		a[i] = trace.None
	}
	return a
}

// addWorkers counts the workers of each architecture: all of them, or as
// StarVZ does only those that ran a counted task.
func (c *Costs) addWorkers(run *trace.Run, o Options, workers []int32) {
	var used []bool
	if o.UsedWorkers {
		used = make([]bool, len(run.Resource.Parent))
		for i, w := range run.Task.Worker {
			if w >= 0 && o.counts(&run.Task, i) {
				used[w] = true
			}
		}
	}
	for _, w := range workers {
		if used != nil && !used[w] {
			continue
		}
		arch := run.Resource.Arch.Index[w]
		if c.archAt[arch+1] < 0 {
			c.archAt[arch+1] = int32(len(c.Arch))
			c.Arch = append(c.Arch, arch)
			c.Workers = append(c.Workers, 0)
		}
		c.Workers[c.archAt[arch+1]]++
	}
}

// addKind returns the dense number of a kind.
func (c *Costs) addKind(k int32) int32 {
	if c.kindAt[k] >= 0 {
		return c.kindAt[k]
	}
	c.kindAt[k] = int32(len(c.Kind))
	c.Kind = append(c.Kind, k)
	c.Count = append(c.Count, make([]int64, len(c.Arch)))
	row := make([]float64, len(c.Arch))
	for r := range row {
		row[r] = math.Inf(1)
	}
	c.Duration = append(c.Duration, row)
	return c.kindAt[k]
}

// allow adds the pairs that the user vouches for, unless they were observed.
func (c *Costs) allow(run *trace.Run, pairs []Pair) error {
	for _, p := range pairs {
		if !(p.Duration >= 0) || math.IsInf(p.Duration, 1) {
			return fmt.Errorf("allow %s on %s: duration is %v ns", p.Kind, p.Arch, p.Duration)
		}
		k, r := run.Task.Kind.Find(p.Kind), run.Resource.Arch.Find(p.Arch)
		if k < 0 || c.kindAt[k] < 0 || c.archAt[r+1] < 0 {
			continue // nothing of the kind to run, or nothing to run it on
		}
		d := &c.Duration[c.kindAt[k]][c.archAt[r+1]]
		if math.IsInf(*d, 1) {
			*d = p.Duration
		}
	}
	return nil
}
