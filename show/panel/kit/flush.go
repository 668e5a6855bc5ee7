package kit

import (
	"slices"
	"strings"

	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/scene"
	"dagscope/trace"
)

// While the tracer writes its full buffer to disk the program waits: what runs
// around it takes longer than it would. FxT says so by a pair of events
// (fxt_start_flush and fxt_stop_flush, as StarVZ reads them); other tracers by a
// state. Panels mark these times, because they are no property of the program.

// FlushColumns are what finding flushes reads.
var FlushColumns = []string{"event.kind", "event.value", "event.resource", "event.time", "state.kind", "state.resource", "state.start", "state.end",
	"resource.node"}

// Flush is a time in which the trace was written.
type Flush struct {
	start, end int64
	Node       int32 // None if the trace does not tell
}

// Flushes finds when the trace was flushed, in order of start. One that never
// ends lasts as long as the recording.
func Flushes(run *trace.Run) []Flush {
	found := append(flushEvents(run), flushStates(run)...)
	slices.SortStableFunc(found, func(a, b Flush) int { return int(min(max(a.start-b.start, -1), 1)) })
	return found
}

// flushEvents pairs the events that start and stop a flush on each resource.
func flushEvents(run *trace.Run) (found []Flush) {
	e := &run.Event
	starts := [2][]bool{Containing(e.Kind.Dict, "start_flush"), Containing(e.Value.Dict, "start_flush")}
	stops := [2][]bool{Containing(e.Kind.Dict, "stop_flush"), Containing(e.Value.Dict, "stop_flush")}
	open := map[int32]int64{}
	for i := range e.Time {
		names := [2]int32{textAt(&e.Kind, i), textAt(&e.Value, i)}
		is := func(marked [2][]bool) bool {
			return names[0] >= 0 && marked[0][names[0]] || names[1] >= 0 && marked[1][names[1]]
		}
		r := e.Resource[i]
		switch {
		case is(starts):
			open[r] = e.Time[i]
		case is(stops):
			if start, ok := open[r]; ok {
				found = append(found, Flush{start, e.Time[i], flushNode(run, r)})
				delete(open, r)
			}
		}
	}
	for r, start := range open {
		found = append(found, Flush{start, max(start, run.Meta.Horizon), flushNode(run, r)})
	}
	return found
}

// textAt is the dictionary index of a text, None where the column has none.
func textAt(s *trace.Strings, i int) int32 {
	if i >= len(s.Index) {
		return trace.None
	}
	return s.Index[i]
}

// flushStates are states of that name.
func flushStates(run *trace.Run) (found []Flush) {
	s := &run.State
	marked := Containing(s.Kind.Dict, "flush")
	if !slices.Contains(marked, true) {
		return nil
	}
	for i, k := range s.Kind.Index {
		if k >= 0 && marked[k] && s.End[i] > s.Start[i] {
			found = append(found, Flush{s.Start[i], s.End[i], flushNode(run, s.Resource[i])})
		}
	}
	return found
}

// Containing marks the texts that contain a word, in any case.
func Containing(dict []string, word string) []bool {
	marked := make([]bool, len(dict))
	for i, s := range dict {
		marked[i] = strings.Contains(strings.ToLower(s), word)
	}
	return marked
}

func flushNode(run *trace.Run, r int32) int32 {
	if r < 0 {
		return trace.None
	}
	return run.Resource.Node[r]
}

var (
	flushColor = scene.RGB(0xb2182b)
	flushName  = "trace flush"
)

// FlushLayer marks flushes over the rows of their nodes, or over all.
func FlushLayer(all []Flush, set *Lanes, r *Rows, height float32) scene.Layer {
	rects := scene.Rects{Palette: []scene.Color{Faint(flushColor, 0x30)}, Hatch: flushColor, MinWidth: 2}
	for _, f := range all {
		y, bottom := float32(0), height
		if f.Node != trace.None && set.Nodes {
			y, bottom = nodeRows(set, r, f.Node)
		}
		if bottom > y {
			rects.Add(float64(f.start), float64(f.end), y, bottom-y, 0)
		}
	}
	return scene.Layer{Name: "flush", Rects: []scene.Rects{rects}}
}

// nodeRows is from where to where the rows of a node reach; nothing where it
// is not shown.
func nodeRows(set *Lanes, r *Rows, node int32) (top, bottom float32) {
	first := true
	for i := range set.Lanes {
		if set.Lanes[i].Node != node {
			continue
		}
		if first {
			top, bottom, first = r.Y[i], r.Y[i]+r.H[i], false
		}
		top, bottom = min(top, r.Y[i]), max(bottom, r.Y[i]+r.H[i])
	}
	return top, bottom
}

// FlushEntry explains the marks, with how many there are in a window and the time
// of it that they take.
func FlushEntry(all []Flush, q core.Query) scene.LegendEntry {
	n, sum := 0, int64(0)
	for _, f := range all {
		if f.start < q.T1 && f.end >= q.T0 {
			n, sum = n+1, sum+min(f.end, q.T1)-max(f.start, q.T0)
		}
	}
	return scene.LegendEntry{Label: flushName, Detail: words.CountThin(n) + " ×, " + words.Duration(sum),
		Color: Faint(flushColor, 0x30), Hatch: flushColor}
}
