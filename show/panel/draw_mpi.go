package panel

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"dagscope/explain/comm"
	"dagscope/explain/numbers"
	"dagscope/explain/progress"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/internal/words"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	register(drawing(Panel{
		ID: "mpibandwidth", Time: true,
		Doc: "Rate at which messages enter (upwards) and leave (downwards) each node, all on one scale. Heights are time averages " +
			"of each pixel; at the right, the amounts in the window. Of many nodes those with consecutive ranks share a row, " +
			"which shows their mean.",
		Open: openMPIBandwidth,
	}))
	register(drawing(Panel{
		ID: "mpiconcurrent", Time: true,
		Doc: "Messages under way to each node (upwards) and from it (downwards): posted by the sender and not yet received. " +
			"Heights are time averages of each pixel; at the right, the means over the window. Of many nodes those with " +
			"consecutive ranks share a row, which shows their mean.",
		Open: openMPIConcurrent,
	}))
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

func openMPIBandwidth(run *trace.Run, o *Options) (View, error) {
	of := o.MPIBandwidth
	flows, _, err := mpiFlows(run, of.Source)
	if err != nil {
		return nil, err
	}
	s := wholeRun()
	s.Source, s.Total = of.Source, of.Total
	v := newBands("mpibandwidth", run, of, s, "MB/s")
	if v.bands = nodeBands(notNegative(flows), o, of.Total); len(v.bands) == 0 {
		return nil, &Missing{"no node with messages is selected"}
	}
	v.legend = inAndOut(v)
	if !o.Tight {
		v.totals = func(in, out float64) string { return words.BytesFine(in*1e6) + " / " + words.BytesFine(out*1e6) }
		v.heading = "in / out"
		if len(v.bands[0].resources) > 1 && !of.Total {
			v.totals = nil // of means: sums are in the note
		}
	}
	v.note = flowsNote(run, flows, of.Source, "messages") + sharedNote(v.bands, of.Total)
	return v, nil
}

func inAndOut(v *bandsView) []scene.LegendEntry {
	return []scene.LegendEntry{{Label: "in", Color: v.colors[0]}, {Label: "out", Color: v.colors[1]}}
}

// sharedNote says what rows of several nodes show.
func sharedNote(bands []band, total bool) string {
	if total || len(bands[0].resources) <= 1 {
		return ""
	}
	return fmt.Sprintf("; a row is the mean of %d nodes", len(bands[0].resources))
}

func openMPIConcurrent(run *trace.Run, o *Options) (View, error) {
	of := o.MPIConcurrent
	flows, l, err := concurrentFlows(run)
	if err != nil {
		return nil, err
	}
	s := wholeRun()
	s.Total = of.Total
	v := newBands("mpiconcurrent", run, of, s, "messages")
	if v.bands = nodeBands(flows, o, of.Total); len(v.bands) == 0 {
		return nil, &Missing{"no node with messages is selected"}
	}
	v.legend = inAndOut(v)
	if !o.Tight {
		v.means = func(in, out float64) string {
			return fewDigits(in) + " / " + fewDigits(out)
		}
		v.heading = "mean in / out"
	}
	v.note = words.PluralThin(len(l.Row), "message", "messages") + backwardNote(l) + sharedNote(v.bands, of.Total)
	return v, nil
}

// fewDigits writes a mean number, small ones by their first digits.
func fewDigits(v float64) string {
	if v > 0 && v < 0.1 {
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
	return words.Number(v, 2)
}

// backwardNote says how many messages are under way at no time.
func backwardNote(l *comm.List) string {
	d := l.Delays()
	if d.Backward == 0 {
		return ""
	}
	return fmt.Sprintf("; %s to end before %s, so clocks differ by %s at least: not shown",
		words.PluralThin(int(d.Backward), "seems", "seem"), words.Agree(d.Backward, "it starts", "they start"),
		words.Duration(d.LeastClockDeviation))
}

// nodeBands makes a row of each selected node, or of so many with consecutive
// ranks that there are not too many rows; total makes one of all.
func nodeBands(flows []flow, o *Options, total bool) []band {
	of := map[int32]*[2][]interval.Steps{}
	resource := map[int32]int32{}
	for _, f := range flows {
		for i := range f.series {
			s := &f.series[i]
			if !o.showsNode(s.Node) || s.Node < 0 {
				continue
			}
			if of[s.Node] == nil {
				of[s.Node] = &[2][]interval.Steps{}
				resource[s.Node] = s.Resource
			}
			side := 0
			if f.direction == "out" {
				side = 1
			}
			of[s.Node][side] = append(of[s.Node][side], s.Steps)
		}
	}
	nodes := slices.Sorted(maps.Keys(of))
	if len(nodes) == 0 {
		return nil
	}
	each := (len(nodes) + mostBands - 1) / mostBands
	if total {
		each = len(nodes)
	}
	var bands []band
	for some := range slices.Chunk(nodes, each) {
		bands = append(bands, bandOfNodes(some, of, resource, total))
	}
	return bands
}

// bandOfNodes is the mean of some nodes, or their sum.
func bandOfNodes(nodes []int32, of map[int32]*[2][]interval.Steps, resource map[int32]int32, total bool) band {
	b := band{label: ranksLabel(nodes), node: nodes[0]}
	if total {
		b.label, b.node = "all nodes", trace.None
	}
	var sides [2][]interval.Steps
	for _, n := range nodes {
		b.resources = append(b.resources, resource[n])
		for side := range sides {
			sides[side] = append(sides[side], of[n][side]...)
		}
	}
	var out [2]*compact
	for side := range sides {
		out[side] = &compact{}
		if len(sides[side]) == 0 {
			continue
		}
		sum := sumSteps(sides[side])
		if n := float64(len(nodes)); n > 1 && !total {
			sum = interval.Steps{Time: sum.Time, Value: each(sum.Value, func(v float64) float64 { return v / n })}
		}
		out[side] = newCompact(sum)
	}
	b.up, b.down = out[:1], out[1:]
	return b
}

// ranksLabel names nodes with consecutive ranks.
func ranksLabel(nodes []int32) string {
	first, last := nodes[0], nodes[len(nodes)-1]
	if first == last {
		return nodeLabel(&progress.Series{Node: first})
	}
	return fmt.Sprintf("nodes %d–%d", first, last)
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
