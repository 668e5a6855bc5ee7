package panel

import (
	"fmt"

	"dagscope/explain/numbers"
	"dagscope/explain/progress"
	"dagscope/explain/schedule"
	"dagscope/internal/words"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	register(drawing(Panel{
		ID: "lackready", Time: true,
		Doc: "When nodes could not be kept busy: slices (10 ms unless set) whose mean number of ready tasks on a node was " +
			"below its number of workers (Garcia Pinto 2018, chapter 6; StarVZ's lackready). A row for each node, the darker the more were " +
			"lacking; with many nodes one row, the darker the more nodes lacked tasks. What is narrower than a pixel is " +
			"shown as stacked shares of time.",
		Open: openLack,
	}))
}

const mostLackRows = 16 // nodes that have a row each

// lackColors go from little lacking to everything: Brewer's "OrRd".
var lackColors = []scene.Color{scene.RGB(0xfdd49e), scene.RGB(0xfdbb84), scene.RGB(0xfc8d59), scene.RGB(0xe34a33), scene.RGB(0xb30000)}

// lackView draws slices as spans on lanes.
type lackView struct {
	run      *trace.Run
	settings Settings
	gantt    gantt
	lanes    []string // what lacked on them
	lack     lackRows // slices of the rows of spans, none where several nodes are one row
	step     int64
	source   Origin
	nodes    int
}

func openLack(run *trace.Run, o *Options) (View, error) {
	v := &lackView{run: run, settings: wholeRun()}
	v.settings.Source, v.settings.Step, v.settings.Threshold = o.LackReady.Source, o.LackReady.Step, o.LackReady.Threshold
	lack, source, err := lackOf(run, &v.settings)
	if err != nil {
		return nil, err
	}
	v.source, v.step = source, v.settings.Step
	if v.step <= 0 {
		v.step = progress.LackStep
	}
	lack = lack.of(o)
	nodes := nodesShown(run, o)
	if v.nodes = len(nodes); v.nodes == 0 {
		return nil, &Missing{"no node is selected"}
	}
	if v.nodes > mostLackRows {
		v.together(lack)
	} else {
		v.byNode(lack, nodes)
	}
	v.gantt.palette, v.gantt.full, v.gantt.normal = lackColors, lackColors, true
	return v, nil
}

// lackOf finds the slices as their numbers do.
func lackOf(run *trace.Run, s *Settings) (lackRows, Origin, error) {
	data, err := lackNumbers(run, s)
	if err != nil {
		return lackRows{}, "", err
	}
	rows := lackRows{data[1].([]int32), data[2].([]int64), data[3].([]int64), data[4].([]float64), data[5].([]float64)}
	source := Best
	if texts := data[0].(*trace.Strings); texts.Len() > 0 {
		source = Origin(texts.At(0))
	}
	return rows, source, nil
}

// lackRows are the columns of the numbers.
type lackRows struct {
	node             []int32
	start, end       []int64
	ready, threshold []float64
}

// of keeps the selected nodes.
func (l *lackRows) of(o *Options) lackRows {
	var kept lackRows
	for i, node := range l.node {
		if o.showsNode(node) {
			kept.node, kept.start, kept.end = append(kept.node, node), append(kept.start, l.start[i]), append(kept.end, l.end[i])
			kept.ready, kept.threshold = append(kept.ready, l.ready[i]), append(kept.threshold, l.threshold[i])
		}
	}
	return kept
}

// nodesShown are the selected nodes that have workers.
func nodesShown(run *trace.Run, o *Options) (nodes []int32) {
	of, seen := progress.WorkersPerNode(run), map[int32]bool{}
	for _, node := range run.Resource.Node {
		if !seen[node] && of(node) > 0 && o.showsNode(node) {
			nodes = append(nodes, node)
		}
		seen[node] = true
	}
	return nodes
}

// byNode makes a row of each node; its level is what share of the threshold is
// lacking.
func (v *lackView) byNode(l lackRows, nodes []int32) {
	lane := map[int32]int32{}
	for i, node := range nodes {
		lane[node] = int32(i)
		v.lanes = append(v.lanes, fmt.Sprintf("node %d", node))
	}
	b := newSpanBuilder(len(l.node))
	for i, node := range l.node {
		if at, ok := lane[node]; ok {
			b.add(at, l.start[i], l.end[i], lackLevel(1-l.ready[i]/l.threshold[i]), int32(i))
		}
	}
	v.lack = l
	v.finish(b)
}

// together makes one row of many nodes; its level is what share of them lacks
// tasks.
func (v *lackView) together(l lackRows) {
	count := map[int64]int{}
	end := map[int64]int64{}
	for i, start := range l.start {
		count[start]++
		end[start] = l.end[i]
	}
	b := newSpanBuilder(len(count))
	for start, n := range count {
		b.add(0, start, end[start], lackLevel(float64(n)/float64(v.nodes)), int32(n))
	}
	v.lanes = []string{fmt.Sprintf("%d nodes", v.nodes)}
	v.finish(b)
}

// lackLevel is the class of a share above 0.
func lackLevel(share float64) uint8 {
	return uint8(min(max(int(share*float64(len(lackColors))), 0), len(lackColors)-1))
}

func (v *lackView) finish(b *spanBuilder) {
	set := &laneSet{}
	for _, name := range v.lanes {
		set.lanes = append(set.lanes, lane{label: name, name: name, arch: placesBlock, block: placesBlock})
	}
	v.gantt.lanes, v.gantt.spans = set, b.build(len(v.lanes))
}

const (
	tallestLack = 18
	lackRoom    = 8 // above and below the rows
)

// place places the rows on a height, 0 for the natural one.
func (v *lackView) place(height float64) *rows {
	if height <= 0 {
		height = float64(len(v.lanes))*tallestLack + lackRoom
	}
	return v.gantt.lanes.place(height)
}

// Draw draws a window.
func (v *lackView) Draw(q Query) scene.Panel {
	r := v.place(q.Height)
	layers, _ := v.gantt.draw(q, r)
	if q.Body {
		return scene.Panel{ID: "lackready", Height: float64(r.height), Layers: layers}
	}
	p := scene.Panel{ID: "lackready", Height: float64(r.height), Layers: layers, Legend: v.legend(), Note: v.note(q)}
	if severalNodes(v.run) {
		p.Left = []scene.Layer{v.gantt.lanes.leftLabels(r)}
	}
	return p
}

func (v *lackView) legend() []scene.LegendEntry {
	last := len(lackColors) - 1
	if v.nodes > mostLackRows {
		return []scene.LegendEntry{{Label: "few nodes lack ready tasks", Color: lackColors[0]},
			{Label: "half", Color: lackColors[last/2]}, {Label: "all", Color: lackColors[last]}}
	}
	return []scene.LegendEntry{{Label: "few ready tasks are lacking", Color: lackColors[0]},
		{Label: "half", Color: lackColors[last/2]}, {Label: "all: none is ready", Color: lackColors[last]}}
}

// note says how much of the window lacks tasks, a mean over the rows.
func (v *lackView) note(q Query) string {
	lacking := int64(0)
	for l := range v.lanes {
		lo, hi := v.gantt.spans.within(l, q.T0, q.T1)
		for i := lo; i < hi; i++ {
			lacking += min(v.gantt.spans.end[i], q.T1) - max(v.gantt.spans.start[i], q.T0)
		}
	}
	what := "lacking"
	if v.nodes > 1 && v.nodes <= mostLackRows {
		what = "per node lacking"
	} else if v.nodes > 1 {
		what = "with some node lacking"
	}
	return fmt.Sprintf("%s %s, in slices of %s; %s", words.Duration(float64(lacking)/float64(len(v.lanes))), what,
		words.Duration(v.step), sourceNote(v.source, "ready times of tasks"))
}

// Data returns the slices of the window, as far as it lies between zero and the
// makespan: outside no node lacks tasks because there are none.
func (v *lackView) Data(q Query) numbers.Table {
	q.T0, q.T1 = max(q.T0, 0), min(q.T1, schedule.Makespan(v.run))
	return numbersOf("lackready", v.run, v.settings, q)
}

var _ Reader = (*lackView)(nil)
