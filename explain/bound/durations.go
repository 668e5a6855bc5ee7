package bound

import (
	"math"
	"slices"

	"dagscope/internal/stat"
	"dagscope/trace"
)

// of summarises the observed durations of one kind on one architecture; it may
// reorder them.
func (d Duration) of(observed []int64) float64 {
	if d == Median {
		return stat.Quantile(observed, 0.5)
	}
	return stat.Sum(observed) / float64(len(observed))
}

// layoutKey is what tasks of a kind have in common that take as long: the
// performance model that they refer to and the layout of their data.
type layoutKey struct {
	symbol    string
	footprint uint32
}

// layouts counts the tasks of each kind by model and layout; nil where the run
// has neither.
func (c *Costs) layouts(run *trace.Run, observed []observation) []map[layoutKey]int64 {
	t := &run.Task
	if len(t.Footprint) == 0 {
		return nil
	}
	layouts := make([]map[layoutKey]int64, len(c.Kind))
	for _, g := range observed {
		k := c.kindAt[g.kind]
		if layouts[k] == nil {
			layouts[k] = map[layoutKey]int64{}
		}
		countLayouts(layouts[k], t, g.tasks)
	}
	return layouts
}

// countLayouts counts tasks by model and footprint. Tasks of one kind are
// nearly all alike, so that the map is touched at changes only.
func countLayouts(count map[layoutKey]int64, t *trace.Tasks, tasks []int32) {
	symbol := func(task int32) int32 {
		if t.Model.Index == nil {
			return trace.None
		}
		return t.Model.Index[task]
	}
	for from := 0; from < len(tasks); {
		of, footprint := symbol(tasks[from]), t.Footprint[tasks[from]]
		to := from
		for to < len(tasks) && symbol(tasks[to]) == of && t.Footprint[tasks[to]] == footprint {
			to++
		}
		key := layoutKey{footprint: footprint}
		if of >= 0 {
			key.symbol = t.Model.Dict[of]
		}
		count[key] += int64(to - from)
		from = to
	}
}

// weighted is the mean duration over a kind's tasks of what each layout takes,
// NaN if one is not known.
func weighted(layouts map[layoutKey]int64, mean func(layoutKey) (float64, bool)) float64 {
	n, parts := 0.0, make([]float64, 0, len(layouts))
	for key, count := range layouts {
		m, ok := mean(key)
		if !ok {
			return math.NaN()
		}
		n += float64(count)
		parts = append(parts, float64(count)*m)
	}
	slices.Sort(parts) // the order of the map must not change a digit
	return stat.Sum(parts) / n
}
