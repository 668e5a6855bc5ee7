package states

import (
	"fmt"
	"math"
	"slices"

	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/schedule"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	core.Register(core.Drawing(core.Panel{
		ID: "mpistates", Time: true, Rows: true,
		Doc: "What the communication thread of each node does, of nested states the innermost. What is narrower than a pixel is " +
			"shown as stacked shares of time; polling, which is waiting, is pale. Marks: where the first task of the node begins and where its last " +
			"one ends. Of many nodes those with consecutive ranks share a row, which shows their mean and the range of these marks; " +
			"those that stand out, by when they begin or end or by how long their thread works, have rows of their own above all others.",
		Reads: func(*core.Options) []string {
			return panels.Joined(panels.TaskTimes, kit.FlushColumns, schedule.Needs, []string{"state.type", "task.kind", "resource", "segment"})
		},
		Open: openMPIStates,
	}))
}

// mpiStates are the states of communication threads.
type mpiStates struct {
	*stateView
	marks []kit.NodeSpans // of each lane
	spans kit.NodeSpans   // of all
	apart []kit.Extreme   // lanes that stand out, the first ones
}

func openMPIStates(run *trace.Run, o *core.Options) (core.View, error) {
	lanes, apart := commLanes(run, o)
	if len(lanes.Lanes) == 0 {
		if !slices.Contains(run.Resource.Level.Dict, trace.LevelComm) || !commStates(run) {
			return nil, panels.NoThreads(run)
		}
		return nil, &panels.Missing{Why: "no communication thread is selected"}
	}
	v, err := openStatesOf(run, lanes, o)
	if err != nil {
		return nil, err
	}
	m := &mpiStates{stateView: v, apart: apart, marks: make([]kit.NodeSpans, len(lanes.Lanes))}
	all := kit.SpansOfNodes(run)
	for l := range lanes.Lanes {
		for _, r := range lanes.Lanes[l].Resources {
			if k := all.Of(run.Resource.Node[r]); k >= 0 {
				m.marks[l].Add(&all, k)
				m.spans.Add(&all, k)
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
func standingOut(run *trace.Run, lanes []kit.Lane) []kit.Extreme {
	busy, spans := working(run), kit.SpansOfNodes(run)
	of := func(why string, number func(l *kit.Lane) float64) kit.Measure {
		m := kit.Measure{Why: why}
		for i := range lanes {
			m.Value = append(m.Value, number(&lanes[i]))
		}
		return m
	}
	at := func(times []int64, sign float64) func(l *kit.Lane) float64 {
		return func(l *kit.Lane) float64 {
			if k := spans.Of(l.Node); k >= 0 {
				return sign * float64(times[k])
			}
			return math.NaN()
		}
	}
	return kit.Extremes(float64(schedule.Makespan(run)),
		of("works most", func(l *kit.Lane) float64 { return busy[l.Resources[0]] }),
		of("begins last", at(spans.Start, 1)), of("begins first", at(spans.Start, -1)),
		of("ends last", at(spans.End, 1)), of("ends first", at(spans.End, -1)))
}

func commStates(run *trace.Run) bool {
	return slices.ContainsFunc(run.State.Resource, func(r int32) bool { return run.Resource.Level.At(int(r)) == trace.LevelComm })
}

// commLanes makes a lane of each communication thread with states, or of so
// many of nodes with consecutive ranks that there are not too many rows. Those
// that stand out among many come first, by themselves.
func commLanes(run *trace.Run, o *core.Options) (*kit.Lanes, []kit.Extreme) {
	part := *o
	part.Rows.Group = core.NoGroup
	marked := make([]bool, len(run.Resource.Parent))
	for i, r := range run.State.Resource {
		if run.State.End[i] > run.State.Start[i] && run.Resource.Level.At(int(r)) == trace.LevelComm {
			marked[r] = true
		}
	}
	set := kit.LanesOf(run, &part, marked)
	var first []kit.Extreme
	if len(set.Lanes) > kit.NamedNodes {
		first = standingOut(run, set.Lanes)
	}
	var above, rest []kit.Lane
	for i, l := range set.Lanes {
		if !slices.ContainsFunc(first, func(e kit.Extreme) bool { return e.At == i }) {
			rest = append(rest, l)
		}
	}
	for _, e := range first {
		l := set.Lanes[e.At]
		l.Group, l.Apart = "stands out", true
		above = append(above, l)
	}
	if per := (len(rest) + 2*kit.MostBands - 1) / (2 * kit.MostBands); per > 1 {
		rest = sharedLanes(rest, per)
	}
	set.Lanes = append(above, rest...)
	for i := range set.Lanes {
		l := &set.Lanes[i]
		nodes := panels.Each(l.Resources, func(r int32) int32 { return run.Resource.Node[r] })
		l.Label, l.Block = kit.RanksLabel(nodes), "nodes"
		if len(l.Resources) > 1 {
			l.Name = l.Label
		}
		if i < len(first) {
			l.Label += ", " + first[i].Because()
			l.Block = l.Label
		}
	}
	set.Finish(len(run.Resource.Parent))
	set.Nodes = false // groups have no names
	return set, first
}

// sharedLanes brings so many lanes together in each.
func sharedLanes(lanes []kit.Lane, per int) (out []kit.Lane) {
	for some := range slices.Chunk(lanes, per) {
		first := some[0]
		first.Resources = nil
		for _, l := range some {
			first.Resources = append(first.Resources, l.Resources...)
		}
		out = append(out, first)
	}
	return out
}

// Draw draws a window of the states.
func (v *mpiStates) Draw(q core.Query) scene.Panel {
	p := v.stateView.Draw(q)
	p.ID = "mpistates"
	p.Layers = append(p.Layers, v.spanMarks(v.gantt.Lanes.Place(v.height(q))))
	if q.Body {
		return p
	}
	add := func(text string) {
		if p.Note != "" && text != "" {
			p.Note += "; "
		}
		p.Note += text
	}
	add(v.spans.Words())
	lanes := v.gantt.Lanes.Lanes
	if n := len(lanes[min(len(v.apart), len(lanes)-1)].Resources); n > 1 {
		add(fmt.Sprintf("a row is the mean of %d nodes", n))
		if len(v.apart) > 0 {
			add("nodes with rows of their own are not in the means")
		}
	}
	if len(v.spans.Node) > 0 {
		p.Legend = append(slices.Clone(p.Legend), scene.LegendEntry{Label: "first and last task", Color: spanColor, Swatch: scene.Stroke})
	}
	return p
}

// spanColor is that of the marks of first and last tasks, among all states.
var spanColor = scene.RGB(0xb2182b)

// spanMarks draws where the first task of each node begins and its last one ends;
// of several nodes the range, with a mark at the median.
func (v *mpiStates) spanMarks(r *kit.Rows) scene.Layer {
	ticks := scene.Rects{Palette: []scene.Color{spanColor}, MinWidth: 2.2}
	ranges := scene.Rects{Palette: []scene.Color{spanColor}, MinWidth: 1}
	for l := range v.marks {
		m := &v.marks[l]
		if len(m.Node) == 0 {
			continue
		}
		for _, at := range [][]int64{m.Start, m.End} {
			sorted := slices.Sorted(slices.Values(at))
			low, median, high := sorted[0], sorted[len(sorted)/2], sorted[len(sorted)-1]
			y, h := r.Y[l], r.H[l]
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
func (v *mpiStates) Data(q core.Query) numbers.Table {
	return core.NumbersOf("mpistates", v.run, core.WholeRun(), q)
}
