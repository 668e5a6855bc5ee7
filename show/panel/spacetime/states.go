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
	v.stateKinds = v.stateEntries(class, palette)
	v.legend = v.stateLegendIn(core.Query{T0: math.MinInt64, T1: math.MaxInt64})
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

// stateEntry is the entry of the legend for some states.
type stateEntry struct {
	scene.LegendEntry
	kinds []int // of these
}

// stateEntries lists the states that are drawn anywhere, by name; those beyond
// the palette are one entry.
func (v *spaceTime) stateEntries(class []uint8, palette []scene.Color) (entries []stateEntry) {
	var other stateEntry
	kinds := v.run.State.Kind.Dict
	for k, n := range v.countStates(core.Query{T0: math.MinInt64, T1: math.MaxInt64}) {
		switch {
		case n == 0:
		case palette[class[k]] == core.OtherColor:
			other.kinds = append(other.kinds, k)
		default:
			entries = append(entries, stateEntry{scene.LegendEntry{Label: kinds[k], Color: palette[class[k]]}, []int{k}})
		}
	}
	slices.SortFunc(entries, func(a, b stateEntry) int { return core.CompareNatural(a.Label, b.Label) })
	if n := len(other.kinds); n > 0 {
		other.Label, other.Color = words.PluralThin(n, "other kind", "other kinds"), core.OtherColor
		entries = append(entries, other)
	}
	return entries
}

// countStates counts the states of each kind of which something is drawn in a
// window.
func (v *spaceTime) countStates(q core.Query) []int {
	count := make([]int, len(v.run.State.Kind.Dict))
	s := v.gantt.Sorted()
	for l := range s.Lanes() {
		lo, hi := s.Within(l, q.T0, q.T1)
		var rows []int32 // nested states cut those around them into several pieces
		for i := lo; i < hi; i++ {
			if s.Start[i] < q.T1 && s.End[i] > q.T0 {
				rows = append(rows, s.Row[i])
			}
		}
		slices.Sort(rows)
		for _, row := range slices.Compact(rows) {
			count[v.run.State.Kind.Index[row]]++
		}
	}
	return count
}

// stateLegendIn is the legend with the counts of a window.
func (v *spaceTime) stateLegendIn(q core.Query) []scene.LegendEntry {
	count := v.countStates(q)
	legend := make([]scene.LegendEntry, len(v.stateKinds))
	for i, e := range v.stateKinds {
		n := 0
		for _, k := range e.kinds {
			n += count[k]
		}
		legend[i] = e.LegendEntry
		legend[i].Detail = words.CountThin(n)
	}
	return legend
}
