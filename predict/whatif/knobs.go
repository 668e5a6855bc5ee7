package whatif

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"dagscope/internal/words"
	"dagscope/predict/starpu"
)

// Knob is something of a run that may be turned to another value, with the values
// that make sense for this run. It is a choice, or a number.
type Knob struct {
	ID    string
	Title string
	// Choices are the values of a choice; the first one is the run as it was. Nil: a
	// number, in [Min, Max].
	Choices       []string
	Now, Min, Max float64
	Whole         bool   // the number is one
	Unit          string // of the number

	changes []Change // of Choices[1:]
	number  func(value float64) Change
}

// choices are knobs with the changes of one experiment each, or several.
var choices = []struct {
	id, title string
	of        []string
}{
	{Scheduler, "Scheduler", []string{Scheduler}},
	{Priorities, "Priorities", []string{Priorities}},
	{Placement, "Where kinds run", []string{Placement}},
	{Link, "Links", []string{Transfers, Link, Contention}},
	{Memory, "Memory", []string{Memory}},
	{Prefetch, "Prefetch", []string{Prefetch}},
	{Distribution, "Distribution of data", []string{Distribution}},
	{Cache, "Messages", []string{Cache, Posting}},
	{Submission, "Submission", []string{Submission, Window, Sync}},
	{SlowWorker, "Slow workers and nodes", []string{SlowWorker, SlowNode, Outliers}},
}

// Bounds of numbers.
const (
	mostTimes    = 8   // devices and CPUs, of what there are
	mostFaster   = 100 // times, of a kind
	mostKinds    = 8   // that have a knob: those with the most work
	leastForKnob = 0.02
)

// Knobs are what may be turned on the run.
func (b *Base) Knobs() (all []Knob) {
	for _, c := range choices {
		k := Knob{ID: c.id, Title: c.title, Choices: []string{"as it was"}}
		if c.id == Scheduler {
			k.Choices[0] = b.Scheduler
		}
		for _, id := range c.of {
			found, err := b.Find(id, Where{})
			if err != nil {
				continue
			}
			for _, change := range found {
				k.changes = append(k.changes, change)
				k.Choices = append(k.Choices, strings.TrimPrefix(change.Title, "scheduler "))
			}
		}
		if k.changes != nil {
			all = append(all, k)
		}
	}
	all = append(all, b.counts()...)
	return append(all, b.speeds()...)
}

// counts are the devices and CPUs of each node, and the depth of the pipeline.
func (b *Base) counts() (all []Knob) {
	gpus, cpus := perNode(b.sim.Machine)
	each := ""
	if b.sim.Machine.Nodes() > 1 {
		each = " of each node"
	}
	number := func(id, title, one, key, experiment string, now, least, most int) {
		all = append(all, Knob{ID: id, Title: title, Now: float64(now), Min: float64(least), Max: float64(most), Whole: true, number: func(v float64) Change {
			return Change{ID: experiment, Title: fmt.Sprintf("%s instead of %d", words.Plural(int(v), one), now), Set: []string{fmt.Sprintf("%s=%.0f", key, v)}, Believed: experiment == Workers}
		}})
	}
	least := func(others int) int {
		if others > 0 {
			return 0
		}
		return 1
	}
	if gpus > 0 && b.sim.Plain == nil {
		number("gpus", "GPUs"+each, "GPU", "platform.gpus", Workers, gpus, least(cpus), mostTimes*gpus)
	}
	if cpus > 0 {
		number("cpus", "CPUs"+each, "CPU", "platform.cpus", Workers, cpus, least(gpus), mostTimes*cpus)
	}
	if gpus > 0 && b.sim.Plain == nil {
		number(Pipeline, "tasks in the pipeline of a device", "task", "options.pipeline", Pipeline, max(1, b.sim.Options.Pipeline), 1, starpu.MaxPipeline)
	}
	return all
}

// speeds are how fast kinds are on architectures.
func (b *Base) speeds() (all []Knob) {
	works, total := b.works()
	slices.SortStableFunc(works, func(x, y work) int { return cmp.Compare(y.ns, x.ns) })
	for _, w := range works[:min(mostKinds, len(works))] {
		if w.ns < leastForKnob*total {
			break
		}
		title := w.kind
		if w.arch != "" {
			title += " on " + w.arch
		}
		all = append(all, Knob{ID: "speed " + title, Title: "speed of " + title, Unit: "×", Now: 1, Min: 1 / float64(mostFaster), Max: mostFaster, number: func(v float64) Change {
			c := faster(w.kind, w.arch, math.Round(1e6/v)/1e6)
			c.ID, c.Believed = Kernel, true
			c.Title = fmt.Sprintf("%s %s times as fast", title, strconv.FormatFloat(v, 'g', 4, 64))
			return c
		}})
	}
	return all
}

// Turn is the change that knobs make which are turned to these values, by the
// knobs' ids: the index of a choice, or the number. Knobs that stay where they were
// need not be named.
func (b *Base) Turn(values map[string]float64) (Change, error) {
	knobs := b.Knobs()
	for id := range values {
		if !slices.ContainsFunc(knobs, func(k Knob) bool { return k.ID == id }) {
			return Change{}, fmt.Errorf("turn knob: found %q, want one that this run has", id)
		}
	}
	var parts []Change
	for _, k := range knobs {
		v, turned := values[k.ID]
		switch {
		case !turned:
		case k.Choices != nil:
			i := int(v)
			if float64(i) != v || i < 0 || i >= len(k.Choices) {
				return Change{}, fmt.Errorf("turn knob %s: found choice %v, want a number from 0 to %d", k.ID, v, len(k.Choices)-1)
			}
			if i > 0 {
				parts = append(parts, k.changes[i-1])
			}
		case !(v >= k.Min && v <= k.Max) || k.Whole && v != math.Trunc(v): // no number either
			whole := "a number"
			if k.Whole {
				whole = "a whole number"
			}
			return Change{}, fmt.Errorf("turn knob %s: found %v, want %s from %v to %v", k.ID, v, whole, k.Min, k.Max)
		case v != k.Now:
			parts = append(parts, k.number(v))
		}
	}
	if parts == nil {
		return Change{}, fmt.Errorf("turn knobs: found none that is turned, want a change")
	}
	return Together(parts...), nil
}
