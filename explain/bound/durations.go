package bound

import (
	"math"
	"slices"

	"dagscope/explain/kind"
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

// modelKey names an entry of a performance model that tasks refer to.
type modelKey struct {
	symbol, arch string
	footprint    uint32
}

// useModels replaces durations by those of the performance models and allows
// the pairs that only they know. A kind's duration is the mean over its tasks
// of the model's mean for each task's data layout; an architecture on which
// one of the layouts is not known is left as observed.
func (c *Costs) useModels(run *trace.Run, observed []observation) {
	t := &run.Task
	if len(t.Model.Index) == 0 || len(t.Footprint) == 0 {
		return
	}
	means := modelMeans(&run.Model)
	layouts := make([]map[modelKey]int64, len(c.Kind))
	for _, g := range observed {
		k := c.kindAt[g.kind]
		if layouts[k] == nil {
			layouts[k] = map[modelKey]int64{}
		}
		countLayouts(layouts[k], t, g.tasks)
	}
	for k := range c.Kind {
		for r, arch := range c.Arch {
			if d := weighted(layouts[k], means, kind.ArchName(run, arch)); !math.IsNaN(d) {
				c.Duration[k][r] = d
			}
		}
	}
}

// countLayouts counts tasks by model and footprint. Tasks of one kind are
// nearly all alike, so that the map is touched at changes only.
func countLayouts(count map[modelKey]int64, t *trace.Tasks, tasks []int32) {
	for from := 0; from < len(tasks); {
		symbol, footprint := t.Model.Index[tasks[from]], t.Footprint[tasks[from]]
		to := from
		for to < len(tasks) && t.Model.Index[tasks[to]] == symbol && t.Footprint[tasks[to]] == footprint {
			to++
		}
		count[modelKey{symbol: t.Model.At(int(tasks[from])), footprint: footprint}] += int64(to - from)
		from = to
	}
}

// modelMeans takes for each symbol, architecture and footprint the entry with
// the most measurements (devices and implementations may differ).
func modelMeans(m *trace.Models) map[modelKey]float64 {
	best := map[modelKey]int64{}
	mean := map[modelKey]float64{}
	for i := range m.Mean {
		key := modelKey{m.Symbol.At(i), m.Arch.At(i), m.Footprint[i]}
		if m.Count[i] > best[key] && m.Mean[i] >= 0 {
			best[key], mean[key] = m.Count[i], m.Mean[i]
		}
	}
	return mean
}

// weighted is the mean model duration on an architecture, NaN if a layout is
// not known there.
func weighted(layouts map[modelKey]int64, mean map[modelKey]float64, arch string) float64 {
	n, parts := 0.0, make([]float64, 0, len(layouts))
	for key, count := range layouts {
		key.arch = arch
		m, ok := mean[key]
		if !ok {
			return math.NaN()
		}
		n += float64(count)
		parts = append(parts, float64(count)*m)
	}
	slices.Sort(parts) // the order of the map must not change a digit
	return stat.Sum(parts) / n
}
