package progress

import (
	"fmt"

	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/progress"
	"dagscope/explain/schedule"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	core.Register(core.Drawing(core.Panel{
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
	settings panels.Settings
	gantt    kit.Gantt
	lanes    []string // what lacked on them
	lack     lackRows // slices of the rows of spans, none where several nodes are one row
	step     int64
	source   panels.Origin
	nodes    int
}

func openLack(run *trace.Run, o *core.Options) (core.View, error) {
	v := &lackView{run: run, settings: core.WholeRun()}
	v.settings.Source, v.settings.Step, v.settings.Threshold = o.LackReady.Source, o.LackReady.Step, o.LackReady.Threshold
	lack, source, err := lackOf(run, &v.settings)
	if err != nil {
		return nil, err
	}
	v.source, v.step = source, v.settings.Step
	if v.step <= 0 {
		v.step = progress.LackStep
	}
	lack = lack.Of(o)
	nodes := nodesShown(run, o)
	if v.nodes = len(nodes); v.nodes == 0 {
		return nil, &panels.Missing{Why: "no node is selected"}
	}
	if v.nodes > mostLackRows {
		v.together(lack)
	} else {
		v.byNode(lack, nodes)
	}
	v.gantt.Palette, v.gantt.Full, v.gantt.Normal = lackColors, lackColors, true
	return v, nil
}

// lackOf finds the slices as their numbers do.
func lackOf(run *trace.Run, s *panels.Settings) (lackRows, panels.Origin, error) {
	data, err := panels.LackNumbers(run, s)
	if err != nil {
		return lackRows{}, "", err
	}
	rows := lackRows{data[1].([]int32), data[2].([]int64), data[3].([]int64), data[4].([]float64), data[5].([]float64)}
	source := panels.Best
	if texts := data[0].(*trace.Strings); texts.Len() > 0 {
		source = panels.Origin(texts.At(0))
	}
	return rows, source, nil
}

// lackRows are the columns of the numbers.
type lackRows struct {
	node             []int32
	start, end       []int64
	ready, threshold []float64
}

// Of keeps the selected nodes.
func (l *lackRows) Of(o *core.Options) lackRows {
	var kept lackRows
	for i, node := range l.node {
		if o.ShowsNode(node) {
			kept.node, kept.start, kept.end = append(kept.node, node), append(kept.start, l.start[i]), append(kept.end, l.end[i])
			kept.ready, kept.threshold = append(kept.ready, l.ready[i]), append(kept.threshold, l.threshold[i])
		}
	}
	return kept
}

// nodesShown are the selected nodes that have workers.
func nodesShown(run *trace.Run, o *core.Options) (nodes []int32) {
	of, seen := progress.WorkersPerNode(run), map[int32]bool{}
	for _, node := range run.Resource.Node {
		if !seen[node] && of(node) > 0 && o.ShowsNode(node) {
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
	b := kit.NewSpanBuilder(len(l.node))
	for i, node := range l.node {
		if at, ok := lane[node]; ok {
			b.Add(at, l.start[i], l.end[i], lackLevel(1-l.ready[i]/l.threshold[i]), int32(i))
		}
	}
	v.lack = l
	v.Finish(b)
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
	b := kit.NewSpanBuilder(len(count))
	for start, n := range count {
		b.Add(0, start, end[start], lackLevel(float64(n)/float64(v.nodes)), int32(n))
	}
	v.lanes = []string{fmt.Sprintf("%d nodes", v.nodes)}
	v.Finish(b)
}

// lackLevel is the class of a share above 0.
func lackLevel(share float64) uint8 {
	return uint8(min(max(int(share*float64(len(lackColors))), 0), len(lackColors)-1))
}

func (v *lackView) Finish(b *kit.SpanBuilder) {
	set := &kit.Lanes{}
	for _, name := range v.lanes {
		set.Lanes = append(set.Lanes, kit.Lane{Label: name, Name: name, Arch: kit.PlacesBlock, Block: kit.PlacesBlock})
	}
	v.gantt.Lanes, v.gantt.Spans = set, b.Build(len(v.lanes))
}

const (
	tallestLack = 18
	lackRoom    = 8 // above and below the rows
)

// Place places the rows on a height, 0 for the natural one.
func (v *lackView) Place(height float64) *kit.Rows {
	if height <= 0 {
		height = float64(len(v.lanes))*tallestLack + lackRoom
	}
	return v.gantt.Lanes.Place(height)
}

// Draw draws a window.
func (v *lackView) Draw(q core.Query) scene.Panel {
	r := v.Place(q.Height)
	layers, _ := v.gantt.Draw(q, r)
	if q.Body {
		return scene.Panel{ID: "lackready", Height: float64(r.Height), Layers: layers}
	}
	p := scene.Panel{ID: "lackready", Height: float64(r.Height), Layers: layers, Legend: v.Legend(), Note: v.note(q)}
	if panels.SeveralNodes(v.run) {
		p.Left = []scene.Layer{v.gantt.Lanes.LeftLabels(r)}
	}
	return p
}

func (v *lackView) Legend() []scene.LegendEntry {
	last := len(lackColors) - 1
	if v.nodes > mostLackRows {
		return []scene.LegendEntry{{Label: "few nodes lack ready tasks", Color: lackColors[0]},
			{Label: "half", Color: lackColors[last/2]}, {Label: "all", Color: lackColors[last]}}
	}
	return []scene.LegendEntry{{Label: "few ready tasks are lacking", Color: lackColors[0]},
		{Label: "half", Color: lackColors[last/2]}, {Label: "all: none is ready", Color: lackColors[last]}}
}

// note says how much of the window lacks tasks, a mean over the rows.
func (v *lackView) note(q core.Query) string {
	lacking := int64(0)
	for l := range v.lanes {
		lo, hi := v.gantt.Spans.Within(l, q.T0, q.T1)
		for i := lo; i < hi; i++ {
			lacking += min(v.gantt.Spans.End[i], q.T1) - max(v.gantt.Spans.Start[i], q.T0)
		}
	}
	what := "lacking"
	if v.nodes > 1 && v.nodes <= mostLackRows {
		what = "per node lacking"
	} else if v.nodes > 1 {
		what = "with some node lacking"
	}
	return fmt.Sprintf("%s %s, in slices of %s; %s", words.Duration(float64(lacking)/float64(len(v.lanes))), what,
		words.Duration(v.step), kit.SourceNote(v.source, "ready times of tasks"))
}

// Data returns the slices of the window, as far as it lies between zero and the
// makespan: outside no node lacks tasks because there are none.
func (v *lackView) Data(q core.Query) numbers.Table {
	q.T0, q.T1 = max(q.T0, 0), min(q.T1, schedule.Makespan(v.run))
	return core.NumbersOf("lackready", v.run, v.settings, q)
}

var _ core.Reader = (*lackView)(nil)

// At reads the slices that lack ready tasks around an instant.
func (v *lackView) At(t int64) []core.Reading {
	var out []core.Reading
	for l, name := range v.lanes {
		r := core.Reading{Label: name, Value: "enough", Unit: "ready tasks"}
		v.gantt.Covering(l, t, func(p kit.Piece) {
			r.Color = lackColors[p.Class]
			if len(v.lack.ready) > 0 {
				r.Value = kit.Exactly(v.lack.ready[p.Row]) + " of " + kit.Exactly(v.lack.threshold[p.Row])
				return
			}
			r.Value, r.Unit = "lacking on "+words.CountThin(int(p.Row)), "nodes"
		})
		out = append(out, r)
	}
	return out
}

// Rows are nodes, or all of them.
func (v *lackView) Rows(height float64) []core.Row { return v.gantt.Live(v.Place(height)) }
