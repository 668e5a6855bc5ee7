package panel

import (
	"maps"
	"math"
	"slices"

	"dagscope/internal/words"
	"dagscope/show/scene"
	"dagscope/trace"
)

// openStates fills the lanes with states: what a trace without tasks has. A
// lane is a resource; of nested states the innermost is drawn.
func (v *spaceTime) openStates() {
	run := v.run
	v.states = true
	marked := make([]bool, len(run.Resource.Parent))
	for _, r := range run.State.Resource {
		marked[r] = true
	}
	lanes := lanesOf(run, v.options, marked)
	lanes.collapse(v.options)
	colors := v.options.Colors
	if colors == nil || !anyColor(colors, run.State.Kind.Dict) {
		colors = stateColors(run)
	}
	class, palette := stateClasses(run.State.Kind.Dict, colors)
	v.gantt.lanes, v.gantt.palette, v.gantt.full, v.gantt.normal = lanes, palette, palette, true
	v.gantt.kind = namesByClass(run.State.Kind.Dict, class, len(palette))
	v.gantt.spans = innermost(run, lanes, class)
	v.pieces = v.gantt.spans.len()
	v.legend = v.stateLegend(class, palette)
}

// idleColors are pale: states in which a resource does nothing should recede.
var idleColors = Colors{
	"Idle":              scene.RGB(0xf3dfae),
	"Sleeping":          scene.RGB(0xd8d5e4),
	"Waiting all tasks": scene.RGB(0xdfd3c8),
	"Waiting task":      scene.RGB(0xe3d9cf),
}

// stateColors assigns the palette to the states that took most time, pale
// colours to idle ones.
func stateColors(run *trace.Run) Colors {
	total := stateTime(run)
	for name := range idleColors {
		delete(total, name)
	}
	colors := assign(total)
	maps.Copy(colors, idleColors)
	return colors
}

func anyColor(c Colors, kinds []string) bool {
	return slices.ContainsFunc(kinds, func(k string) bool { _, ok := c[k]; return ok })
}

func stateTime(run *trace.Run) map[string]int64 {
	total := make(map[string]int64)
	s := &run.State
	for i := range s.Start {
		total[s.Kind.At(i)] += s.End[i] - s.Start[i]
	}
	return total
}

// stateClasses gives each colour a class.
func stateClasses(kinds []string, colors Colors) (class []uint8, palette []scene.Color) {
	class = make([]uint8, len(kinds))
	for k, kind := range kinds {
		c := colors.Of(kind)
		at := slices.Index(palette, c)
		if at < 0 && len(palette) < 256 {
			at = len(palette)
			palette = append(palette, c)
		}
		class[k] = uint8(max(at, 0))
	}
	return class, palette
}

func namesByClass(kinds []string, class []uint8, n int) []string {
	names, used := make([]string, n), make([]int, n)
	for k, kind := range kinds {
		names[class[k]] = kind
		used[class[k]]++
	}
	for c := range names {
		if used[c] > 1 {
			names[c] = ""
		}
	}
	return names
}

// innermost cuts nested states so that at each instant only the innermost
// remains. States are sorted by resource, type and start; a stack of open
// states per resource and type suffices.
func innermost(run *trace.Run, lanes *laneSet, class []uint8) *spans {
	s := &run.State
	var b spanBuilder
	var open []int32
	at := int64(0) // up to where the innermost open state has been written
	emit := func(i int32, to int64) {
		if to > at && s.Kind.Index[i] >= 0 {
			b.addShown(lanes.of[s.Resource[i]], at, to, class[s.Kind.Index[i]], i)
		}
		at = max(at, to)
	}
	finish := func(before int64) {
		for len(open) > 0 && s.End[open[len(open)-1]] <= before {
			emit(open[len(open)-1], s.End[open[len(open)-1]])
			open = open[:len(open)-1]
		}
	}
	const forever = math.MaxInt64
	for i := range s.Start {
		if i > 0 && (s.Resource[i] != s.Resource[i-1] || s.Type.Index[i] != s.Type.Index[i-1]) {
			finish(forever)
			open = open[:0]
		}
		finish(s.Start[i])
		if len(open) > 0 {
			emit(open[len(open)-1], s.Start[i])
		}
		at = s.Start[i]
		open = append(open, int32(i))
	}
	finish(forever)
	return b.build(len(lanes.lanes))
}

func (v *spaceTime) stateLegend(class []uint8, palette []scene.Color) []scene.LegendEntry {
	s := &v.run.State
	count := make([]int, len(s.Kind.Dict))
	rows := slices.Clone(v.gantt.spans.row)
	slices.Sort(rows)
	for _, row := range slices.Compact(rows) {
		count[s.Kind.Index[row]]++
	}
	var legend []scene.LegendEntry
	other, others := 0, 0
	for k, n := range count {
		switch {
		case n == 0:
		case palette[class[k]] == otherColor:
			other, others = other+n, others+1
		default:
			legend = append(legend, scene.LegendEntry{Label: s.Kind.Dict[k], Detail: words.CountThin(n), Color: palette[class[k]]})
		}
	}
	slices.SortFunc(legend, func(a, b scene.LegendEntry) int { return compareNatural(a.Label, b.Label) })
	if others > 0 {
		legend = append(legend, scene.LegendEntry{Label: words.PluralThin(others, "other kind", "other kinds"), Detail: words.CountThin(other), Color: otherColor})
	}
	return legend
}
