package panel

import (
	"fmt"
	"math"
	"slices"

	"dagscope/explain/numbers"
	"dagscope/explain/schedule"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	register(drawing(Panel{
		ID: "mpistates", Time: true, Rows: true,
		Doc: "What the communication thread of each node does, of nested states the innermost. What is narrower than a pixel is " +
			"shown as stacked shares of time; polling, which is waiting, is pale. Marks: where the first task of the node begins and where its last " +
			"one ends. Of many nodes those with consecutive ranks share a row, which shows their mean and the range of these marks; " +
			"those that stand out, by when they begin or end or by how long their thread works, have rows of their own above all others.",
		Reads: func(*Options) []string {
			return joined(taskTimes, flushColumns, schedule.Needs, []string{"state.type", "task.kind", "resource", "segment"})
		},
		Open: openMPIStates,
	}))
}

// mpiStates are the states of communication threads.
type mpiStates struct {
	*stateView
	marks []nodeSpans // of each lane
	spans nodeSpans   // of all
	apart []extreme   // lanes that stand out, the first ones
}

func openMPIStates(run *trace.Run, o *Options) (View, error) {
	lanes, apart := commLanes(run, o)
	if len(lanes.lanes) == 0 {
		if !slices.Contains(run.Resource.Level.Dict, trace.LevelComm) || !commStates(run) {
			return nil, noThreads(run)
		}
		return nil, &Missing{"no communication thread is selected"}
	}
	v, err := openStatesOf(run, lanes, o)
	if err != nil {
		return nil, err
	}
	m := &mpiStates{stateView: v, apart: apart, marks: make([]nodeSpans, len(lanes.lanes))}
	all := spansOfNodes(run)
	for l := range lanes.lanes {
		for _, r := range lanes.lanes[l].resources {
			if k := all.of(run.Resource.Node[r]); k >= 0 {
				m.marks[l].add(&all, k)
				m.spans.add(&all, k)
			}
		}
	}
	return m, nil
}

// working is how long each communication thread does anything but wait.
func working(run *trace.Run) []float64 {
	busy := make([]float64, len(run.Resource.Parent))
	s := &run.State
	for i, r := range s.Resource {
		if kind := s.Kind.At(i); run.Resource.Level.At(int(r)) == trace.LevelComm && !slices.Contains(waitingStates, kind) && s.End[i] > s.Start[i] {
			busy[r] += float64(s.End[i] - s.Start[i])
		}
	}
	return busy
}

// waitingStates are those in which a communication thread has nothing to do.
var waitingStates = []string{"Polling", "Sleeping", "Idle"}

// standingOut are the lanes of threads, or nodes, that stand out.
func standingOut(run *trace.Run, lanes []lane) []extreme {
	busy, spans := working(run), spansOfNodes(run)
	of := func(why string, number func(l *lane) float64) measure {
		m := measure{why: why}
		for i := range lanes {
			m.value = append(m.value, number(&lanes[i]))
		}
		return m
	}
	at := func(times []int64, sign float64) func(l *lane) float64 {
		return func(l *lane) float64 {
			if k := spans.of(l.node); k >= 0 {
				return sign * float64(times[k])
			}
			return math.NaN()
		}
	}
	return extremes(float64(schedule.Makespan(run)),
		of("works most", func(l *lane) float64 { return busy[l.resources[0]] }),
		of("begins last", at(spans.start, 1)), of("begins first", at(spans.start, -1)),
		of("ends last", at(spans.end, 1)), of("ends first", at(spans.end, -1)))
}

func commStates(run *trace.Run) bool {
	return slices.ContainsFunc(run.State.Resource, func(r int32) bool { return run.Resource.Level.At(int(r)) == trace.LevelComm })
}

// commLanes makes a lane of each communication thread with states, or of so
// many of nodes with consecutive ranks that there are not too many rows. Those
// that stand out among many come first, by themselves.
func commLanes(run *trace.Run, o *Options) (*laneSet, []extreme) {
	part := *o
	part.Rows.Group = NoGroup
	marked := make([]bool, len(run.Resource.Parent))
	for i, r := range run.State.Resource {
		if run.State.End[i] > run.State.Start[i] && run.Resource.Level.At(int(r)) == trace.LevelComm {
			marked[r] = true
		}
	}
	set := lanesOf(run, &part, marked)
	var first []extreme
	if len(set.lanes) > namedNodes {
		first = standingOut(run, set.lanes)
	}
	var above, rest []lane
	for i, l := range set.lanes {
		if !slices.ContainsFunc(first, func(e extreme) bool { return e.at == i }) {
			rest = append(rest, l)
		}
	}
	for _, e := range first {
		l := set.lanes[e.at]
		l.group, l.apart = "stands out", true
		above = append(above, l)
	}
	if per := (len(rest) + 2*mostBands - 1) / (2 * mostBands); per > 1 {
		rest = sharedLanes(rest, per)
	}
	set.lanes = append(above, rest...)
	for i := range set.lanes {
		l := &set.lanes[i]
		nodes := each(l.resources, func(r int32) int32 { return run.Resource.Node[r] })
		l.label, l.block = ranksLabel(nodes), "nodes"
		if len(l.resources) > 1 {
			l.name = l.label
		}
		if i < len(first) {
			l.label += ", " + first[i].because()
			l.block = l.label
		}
	}
	set.finish(len(run.Resource.Parent))
	set.nodes = false // groups have no names
	return set, first
}

// sharedLanes brings so many lanes together in each.
func sharedLanes(lanes []lane, per int) (out []lane) {
	for some := range slices.Chunk(lanes, per) {
		first := some[0]
		first.resources = nil
		for _, l := range some {
			first.resources = append(first.resources, l.resources...)
		}
		out = append(out, first)
	}
	return out
}

// Draw draws a window of the states.
func (v *mpiStates) Draw(q Query) scene.Panel {
	p := v.stateView.Draw(q)
	p.ID = "mpistates"
	p.Layers = append(p.Layers, v.spanMarks(v.gantt.lanes.place(v.height(q))))
	if q.Body {
		return p
	}
	add := func(text string) {
		if p.Note != "" && text != "" {
			p.Note += "; "
		}
		p.Note += text
	}
	add(v.spans.words())
	lanes := v.gantt.lanes.lanes
	if n := len(lanes[min(len(v.apart), len(lanes)-1)].resources); n > 1 {
		add(fmt.Sprintf("a row is the mean of %d nodes", n))
		if len(v.apart) > 0 {
			add("nodes with rows of their own are not in the means")
		}
	}
	if len(v.spans.node) > 0 {
		p.Legend = append(slices.Clone(p.Legend), scene.LegendEntry{Label: "first and last task", Color: spanColor, Swatch: scene.Stroke})
	}
	return p
}

// spanColor is that of the marks of first and last tasks, among all states.
var spanColor = scene.RGB(0xb2182b)

// spanMarks draws where the first task of each node begins and its last one ends;
// of several nodes the range, with a mark at the median.
func (v *mpiStates) spanMarks(r *rows) scene.Layer {
	ticks := scene.Rects{Palette: []scene.Color{spanColor}, MinWidth: 2.2}
	ranges := scene.Rects{Palette: []scene.Color{spanColor}, MinWidth: 1}
	for l := range v.marks {
		m := &v.marks[l]
		if len(m.node) == 0 {
			continue
		}
		for _, at := range [][]int64{m.start, m.end} {
			sorted := slices.Sorted(slices.Values(at))
			low, median, high := sorted[0], sorted[len(sorted)/2], sorted[len(sorted)-1]
			y, h := r.y[l], r.h[l]
			ticks.Add(float64(median), float64(median), y, h, 0)
			if low < high {
				thick := min(2, h/2)
				ranges.Add(float64(low), float64(high), y+h/2-thick/2, thick, 0)
			}
		}
	}
	return scene.Layer{Name: "first and last tasks", Rects: []scene.Rects{ranges, ticks}}
}

// Data returns the states of the window.
func (v *mpiStates) Data(q Query) numbers.Table { return numbersOf("mpistates", v.run, wholeRun(), q) }
