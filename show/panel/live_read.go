package panel

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"dagscope/internal/words"
	"dagscope/show/scene"
)

// Readings are of instants: the step functions themselves, not what a pixel
// shows of them.

// exactly writes a number: whole ones as they are, others with six digits.
func exactly(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return words.CountThin(int(v))
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// reading is a value with its unit.
func reading(label string, v float64, unit string, color scene.Color) Reading {
	return Reading{Label: label, Value: exactly(v), Unit: unit, Color: color}
}

// At reads the curves, of many their mean and range.
func (v *curveView) At(t int64) []Reading {
	var out []Reading
	unit := v.unit
	if unit == "" {
		unit = v.label
	}
	values := make([]float64, len(v.curves))
	sum := 0.0
	for i := range v.curves {
		c := &v.curves[i]
		values[i] = slicedAt(c.steps, t, v.options.Step)
		sum += values[i]
		out = append(out, reading(c.label, values[i], unit, c.color))
	}
	if len(out) <= mostCurves {
		return out
	}
	return []Reading{reading(fmt.Sprintf("mean of %d %s", len(values), v.many), sum/float64(len(values)), unit, seriesColors[0]),
		reading("least", slices.Min(values), unit, scene.None), reading("most", slices.Max(values), unit, scene.None)}
}

// slicedAt is the value at an instant, or the mean of its slice where slices
// were asked for.
func slicedAt(c *compact, t, step int64) float64 {
	if step <= 0 {
		return c.at(t)
	}
	return c.sliced(step, t, t+1).at(t)
}

// At reads the rate of each architecture and of all.
func (v *gflopsView) At(t int64) []Reading {
	var out []Reading
	sum := 0.0
	for a, f := range v.rates {
		rate := slicedAt(f, t, v.options.Step)
		sum += rate
		out = append(out, reading(archName(v.archs[a]), rate, "GFlop/s", archColor(v.archs[a])))
	}
	if len(out) > 1 {
		out = append(out, reading("all", sum, "GFlop/s", scene.None))
	}
	return out
}

// At reads what flows at each place.
func (v *bandsView) At(t int64) []Reading {
	var out []Reading
	for i := range v.bands {
		b := &v.bands[i]
		label := b.label
		if b.group != "" {
			label = b.group + " " + label
		}
		for side, curves := range [][]*compact{b.up, b.down} {
			if curves == nil {
				continue
			}
			sum := 0.0
			for _, f := range curves {
				sum += slicedAt(f, t, v.step)
			}
			what := label
			if b.down != nil {
				what += [...]string{" in", " out"}[side]
			}
			out = append(out, reading(what, sum, v.unit, v.colors[side]))
		}
	}
	return out
}

// At reads how many workers do what.
func (v *breakdownView) At(t int64) []Reading {
	var out []Reading
	for _, facet := range v.facets {
		work, over, workers := 0.0, 0.0, 0.0
		for _, c := range facet {
			work, over, workers = work+c.work.at(t), over+c.overheadAt(t), workers+c.thereAt(t)
		}
		prefix := ""
		if len(v.facets) > 1 {
			prefix = archName(facet[0].arch) + " "
		}
		out = append(out, reading(prefix+"work", work, "workers", workColor), reading(prefix+"overhead", over, "workers", overheadColor),
			reading(prefix+"idleness", max(0, workers-work-over), "workers", idleColor))
	}
	return out
}

// At reads the slices that lack ready tasks around an instant.
func (v *lackView) At(t int64) []Reading {
	var out []Reading
	for l, name := range v.lanes {
		r := Reading{Label: name, Value: "enough", Unit: "ready tasks"}
		v.gantt.covering(l, t, func(p shownPiece) {
			r.Color = lackColors[p.class]
			if len(v.lack.ready) > 0 {
				r.Value = exactly(v.lack.ready[p.row]) + " of " + exactly(v.lack.threshold[p.row])
				return
			}
			r.Value, r.Unit = "lacking on "+words.CountThin(int(p.row)), "nodes"
		})
		out = append(out, r)
	}
	return out
}

// At counts the workers of each architecture that run a task; of states, the
// resources in each.
func (v *spaceTime) At(t int64) []Reading {
	if v.states {
		return v.gantt.statesAt(t, v.run.State.Kind.At)
	}
	busy, all := map[string]int{}, map[string]int{}
	var archs []string
	seen := map[int32]bool{}
	for l := range v.gantt.lanes.lanes {
		one := &v.gantt.lanes.lanes[l]
		if _, ok := all[one.arch]; !ok {
			archs = append(archs, one.arch)
		}
		all[one.arch] += len(one.resources)
		clear(seen)
		v.gantt.covering(l, t, func(p shownPiece) {
			seen[v.workerOf(l, p.row, p.start)] = true
		})
		busy[one.arch] += len(seen)
	}
	slices.SortFunc(archs, compareArchs)
	var out []Reading
	for _, arch := range archs {
		out = append(out, Reading{Label: archName(arch), Value: fmt.Sprintf("%s of %s busy, %s idle", words.CountThin(busy[arch]), words.CountThin(all[arch]), words.CountThin(all[arch]-busy[arch])),
			Unit: "workers", Color: archColor(arch)})
	}
	return out
}

// At counts the rows in each state.
func (v *stateView) At(t int64) []Reading {
	return v.gantt.statesAt(t, func(row int) string {
		if row < 0 {
			return runningName
		}
		return v.run.State.Kind.At(row)
	})
}

// statesAt counts pieces at an instant by name, the most frequent first.
func (g *gantt) statesAt(t int64, name func(row int) string) []Reading {
	count := map[string]int{}
	color := map[string]scene.Color{}
	for l := range g.lanes.lanes {
		g.covering(l, t, func(p shownPiece) {
			n := name(int(p.row))
			count[n]++
			color[n] = g.palette[p.class]
		})
	}
	var names []string
	for n := range count {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b string) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return compareNatural(a, b)
	})
	var out []Reading
	for _, n := range names {
		out = append(out, reading(n, float64(count[n]), "rows", color[n]))
	}
	return out
}

// At lists the iterations that are open.
func (v *iterationView) At(t int64) []Reading {
	var out []Reading
	for i := range v.facets {
		f := &v.facets[i]
		var open []int
		for k, iteration := range f.iteration {
			if f.start[k] <= t && t < f.end[k] {
				open = append(open, int(iteration))
			}
		}
		label := f.label
		if label == "" {
			label = "open"
		}
		out = append(out, Reading{Label: label, Value: cmp.Or(strings.Join(words.Ranges(open), ", "), "none"), Unit: "iterations"})
	}
	return out
}
