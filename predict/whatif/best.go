package whatif

import (
	"context"
	"slices"
	"strings"
)

// Step is a round of [Base.Best]: what was tried on top of what had been found, and
// what was taken.
type Step struct {
	Taken *Outcome  `json:"taken,omitempty"` // the combination so far; nil: nothing gains
	Tried []Outcome `json:"tried"`           // combinations, by gain
}

// worthwhile is the share of the makespan that a further change has to gain.
const worthwhile = 0.005

// Best searches combinations of changes greedily: it begins with the change that
// gains most and adds, round by round, the one with which the run gains most, all
// of them simulated together, until none gains another half percent, or the time is
// over. That is not the best of all combinations: two changes of which neither gains
// alone are never tried together.
func (b *Base) Best(ctx context.Context, changes []Change, o Trial) (steps []Step, _ error) {
	if o.Budget > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Budget)
		defer cancel()
		o.Budget = 0
	}
	var taken []Change
	gained, left := 0.0, changes
	for ctx.Err() == nil && len(left) > 0 {
		tried := make([]Change, len(left))
		for i, c := range left {
			parts := append(slices.Clone(taken), c)
			tried[i] = Together(parts...)
			tried[i].parts = parts
		}
		outcomes, err := b.Try(ctx, tried, o)
		if err != nil {
			return steps, err
		}
		steps = append(steps, Step{Tried: outcomes})
		best := slices.IndexFunc(outcomes, func(x Outcome) bool { return x.Failed == "" && x.Distinct() })
		if best < 0 || outcomes[best].Share < gained+worthwhile {
			return steps, nil
		}
		steps[len(steps)-1].Taken = &outcomes[best]
		gained, taken = outcomes[best].Share, outcomes[best].parts
		last := taken[len(taken)-1]
		left = slices.DeleteFunc(slices.Clone(left), func(c Change) bool { return excludes(c, last) })
	}
	return steps, nil
}

// excludes reports whether two changes are of the same key: one would undo the
// other.
func excludes(c, d Change) bool {
	keys := func(c Change) (all []string) {
		for _, s := range c.Set {
			key, _, _ := strings.Cut(s, "=")
			all = append(all, key)
		}
		return all
	}
	if c.ID == Scheduler && d.ID == Scheduler {
		return true
	}
	return slices.ContainsFunc(keys(c), func(key string) bool {
		return !strings.HasPrefix(key, "run.") && slices.Contains(keys(d), key)
	}) || slices.Equal(c.Set, d.Set)
}
