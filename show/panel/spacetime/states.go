package spacetime

import (
	"math"
	"slices"

	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
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
	lanes := kit.LanesOf(run, v.options, marked)
	lanes.Collapse(v.options)
	colors := v.options.Colors
	if colors == nil || !kit.AnyColor(colors, run.State.Kind.Dict) {
		colors = kit.StateColors(run)
	}
	class, palette := kit.StateClasses(run.State.Kind.Dict, colors)
	v.gantt.Lanes, v.gantt.Palette, v.gantt.Full, v.gantt.Normal = lanes, palette, palette, true
	v.gantt.Kind = kit.NamesByClass(run.State.Kind.Dict, class, len(palette))
	v.gantt.Spans = innermost(run, lanes, class)
	v.pieces = v.gantt.Spans.Len()
	v.legend = v.stateLegend(class, palette)
}

// innermost cuts nested states so that at each instant only the innermost
// remains. States are sorted by resource, type and start; a stack of open
// states per resource and type suffices.
func innermost(run *trace.Run, lanes *kit.Lanes, class []uint8) *kit.Spans {
	s := &run.State
	var b kit.SpanBuilder
	var open []int32
	at := int64(0) // up to where the innermost open state has been written
	emit := func(i int32, to int64) {
		if to > at && s.Kind.Index[i] >= 0 {
			b.AddShown(lanes.Of[s.Resource[i]], at, to, class[s.Kind.Index[i]], i)
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
	return b.Build(len(lanes.Lanes))
}

func (v *spaceTime) stateLegend(class []uint8, palette []scene.Color) []scene.LegendEntry {
	s := &v.run.State
	count := make([]int, len(s.Kind.Dict))
	rows := slices.Clone(v.gantt.Spans.Row)
	slices.Sort(rows)
	for _, row := range slices.Compact(rows) {
		count[s.Kind.Index[row]]++
	}
	var legend []scene.LegendEntry
	other, others := 0, 0
	for k, n := range count {
		switch {
		case n == 0:
		case palette[class[k]] == core.OtherColor:
			other, others = other+n, others+1
		default:
			legend = append(legend, scene.LegendEntry{Label: s.Kind.Dict[k], Detail: words.CountThin(n), Color: palette[class[k]]})
		}
	}
	slices.SortFunc(legend, func(a, b scene.LegendEntry) int { return core.CompareNatural(a.Label, b.Label) })
	if others > 0 {
		legend = append(legend, scene.LegendEntry{Label: words.PluralThin(others, "other kind", "other kinds"), Detail: words.CountThin(other), Color: core.OtherColor})
	}
	return legend
}
