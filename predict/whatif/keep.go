package whatif

import (
	"fmt"
	"strings"

	"dagscope/internal/words"
	"dagscope/trace"
)

// EnvChange is what of the run it is made of is different in a run that what-if has
// kept, in its environment.
const EnvChange = "whatif"

// Describe notes in the run of a simulated change what was changed, and how long the
// same simulation takes unchanged.
func (b *Base) Describe(run *trace.Run, c Change) {
	base := b.Makespan
	if scheduler, _ := b.schedule(&c); scheduler == recordedSchedule {
		base = b.Pinned.Makespan
	}
	text := c.Title
	if keys := strings.Join(c.Set, " "); keys != c.Title {
		text += " (" + keys + ")"
	}
	if run.Meta.Environment == nil {
		run.Meta.Environment = make(map[string]string)
	}
	run.Meta.Environment[EnvChange] = fmt.Sprintf("%s, simulated; without the change the simulation takes %s", text, words.InMS(base))
}

// Store keeps outcomes with a run, instead of what it had of the same experiments.
// Changes that could not be tried are no outcomes.
func (b *Base) Store(run *trace.Run, outcomes []Outcome) {
	old, tried := run.Gain, map[string]bool{}
	for _, o := range outcomes {
		tried[o.ID] = true
	}
	run.Gain = trace.Gains{}
	g := &run.Gain
	for i := range old.Gain {
		if !tried[old.Experiment.At(i)] {
			addGain(g, old.Experiment.At(i), old.Title.At(i), old.Keys.At(i), old.Kind.At(i), old.Arch.At(i), old.SpeedUp[i], old.Base[i], old.Gain[i], old.Low[i], old.High[i], old.Pairs[i])
		}
	}
	for _, o := range outcomes {
		if o.Failed != "" {
			continue
		}
		base := b.Makespan
		if o.Pinned {
			base = b.Pinned.Makespan
		}
		addGain(g, o.ID, o.Title, strings.Join(o.Set, " "), strings.Join(o.Where.Kinds, " "), strings.Join(o.Where.Archs, " "), o.SpeedUp, base, o.Gain, o.Low, o.High, int32(o.Pairs))
	}
}

func addGain(g *trace.Gains, experiment, title, keys, kind, arch string, speedUp float64, base, gain, low, high int64, pairs int32) {
	g.Experiment.Append(experiment)
	g.Title.Append(title)
	g.Keys.Append(keys)
	g.Kind.Append(kind)
	g.Arch.Append(arch)
	g.SpeedUp, g.Base, g.Gain = append(g.SpeedUp, speedUp), append(g.Base, base), append(g.Gain, gain)
	g.Low, g.High, g.Pairs = append(g.Low, low), append(g.High, high), append(g.Pairs, pairs)
}
