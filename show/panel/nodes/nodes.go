package nodes

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dagscope/explain/bound"
	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/schedule"
	"dagscope/explain/utilization"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	core.Register(core.Drawing(core.Panel{
		ID: "nodes",
		Doc: "A row for each node: the full bar is the area bound of its own tasks on its own workers, the pale bar goes on to " +
			"the end of its last task. A long pale bar is time in which the node waited for others or used its workers badly, " +
			"a long full bar work that it has more of than others. The low bar before them is the time before its first task. The dashed line is the area bound of all nodes together: with " +
			"any distribution of work. Where the owner of data decides which node runs a task, the longest full bar is the " +
			"bound of this distribution, and the note says what it costs. " +
			"Nodes come by rank, or those that come least near their bounds first. Of more than 24 nodes those that stand out, by when they begin or " +
			"end or by their work, come above all others, with what it is.",
		Open: openNodes,
	}))
}

// nodesView draws the summary of nodes.
type nodesView struct {
	run      *trace.Run
	options  core.NodeSummary
	summary  *utilization.Nodes
	order    []int
	abe      float64 // of the run
	owners   bool    // the owner of data decides where tasks run
	makespan int64
	end      float64 // right edge of the axis
	tight    bool
}

func openNodes(run *trace.Run, o *core.Options) (core.View, error) {
	v := &nodesView{run: run, options: o.Summary, makespan: schedule.Makespan(run), tight: o.Tight}
	how := bound.Options{Duration: v.options.Durations, UsedWorkers: v.options.UsedWorkers}
	s, err := utilization.ByNode(run, utilization.NodeOptions{Bound: how})
	if err != nil {
		return nil, err
	}
	v.summary = s
	ran := false
	for i, node := range s.Node {
		if o.ShowsNode(node) {
			v.order, ran = append(v.order, i), ran || s.Tasks[i] > 0
			v.end = max(v.end, float64(s.End[i]), s.ABE[i])
		}
	}
	if !ran {
		return nil, panels.NothingRan
	}
	all, err := bound.Areas(run, how, false)
	if err == nil && len(all) > 0 && len(s.Node) > 1 {
		v.abe = all[0].Time
	}
	v.owners = bound.OwnersDecide(run, how)
	v.end = max(v.end, v.abe, 1)
	v.sort()
	return v, err
}

// Align gives the axes of several runs one end, so that bars of equal time are
// equally long.
func (v *nodesView) Align(others []core.View) {
	for _, other := range others {
		if other, ok := other.(*nodesView); ok {
			v.end = max(v.end, other.end)
		}
	}
}

func (v *nodesView) sort() {
	s := v.summary
	slices.SortStableFunc(v.order, func(a, b int) int {
		switch v.options.Order {
		case core.NodesByGap:
			return cmp.Compare(s.Gap(b), s.Gap(a))
		case core.NodesByEnd:
			return cmp.Compare(s.End[b], s.End[a])
		}
		return 0
	})
}

// mostNodesHeight is the natural height of the bodies of many nodes.
const mostNodesHeight = 620

// extremes are the nodes that stand out.
func (v *nodesView) extremes() []kit.Extreme {
	s := v.summary
	of := func(why string, number func(i int) float64) kit.Measure {
		m := kit.Measure{Why: why}
		for _, i := range v.order {
			x := math.NaN()
			if s.Tasks[i] > 0 {
				x = number(i)
			}
			m.Value = append(m.Value, x)
		}
		return m
	}
	return kit.Extremes(float64(v.makespan),
		of("begins last", func(i int) float64 { return float64(s.Start[i]) }),
		of("begins first", func(i int) float64 { return -float64(s.Start[i]) }),
		of("ends last", func(i int) float64 { return float64(s.End[i]) }),
		of("ends first", func(i int) float64 { return -float64(s.End[i]) }),
		of("most work", func(i int) float64 { return s.ABE[i] }),
		of("least work", func(i int) float64 { return -s.ABE[i] }))
}

// Draw draws the whole run: the axis is its own.
func (v *nodesView) Draw(q core.Query) scene.Panel {
	var rows, above []kit.BarRow
	for _, i := range v.order {
		rows = append(rows, v.Row(i))
	}
	var top []kit.Extreme
	if len(rows) > kit.NamedNodes {
		top = v.extremes()
	}
	for _, e := range top {
		above = append(above, rows[e.At])
	}
	if float64(len(rows))*9 > mostNodesHeight && q.Height <= 0 {
		q.Height = mostNodesHeight
	}
	p := scene.Panel{ID: "nodes", Legend: v.Legend(), Note: v.note() + kit.WholeRunNote(v.makespan, q)}
	down := float32(0)
	heading := "tasks from – to, bound / to"
	if room := len(above)*(kit.ExtremePitch+2) + kit.ExtremesGap; len(above) > 0 && (q.Height <= 0 || q.Height > float64(room)+kit.LeastBelow) {
		b := kit.NewBarRows(above, core.Query{Width: q.Width}, kit.ExtremePitch, v.tight)
		p.Layers = v.bars(b.Rows, 0, panels.Each(top, func(e kit.Extreme) int { return v.order[e.At] }))
		p.Layers = append(p.Layers, v.reasons(b.Rows, top))
		p.Left, p.Right = b.Margins(heading)
		down, heading = b.Rows.Height+kit.ExtremesGap, ""
		if q.Height > 0 {
			q.Height -= float64(down)
		}
	}
	b := kit.NewBarRows(rows, q, kit.BarPitch, v.tight)
	if down > 0 && b.Rows.Pitch < kit.LeastValues {
		clear(b.Text) // they would not be of the rows that are named
	}
	p.Height = float64(down + b.Rows.Height)
	p.Layers = append(p.Layers, v.bars(b.Rows, down, v.order)...)
	left, right := b.Margins(heading)
	p.Left, p.Right = append(p.Left, lower(left, down)...), append(p.Right, lower(right, down)...)
	if v.abe > 0 {
		p.Layers = append(p.Layers, scene.Layer{Name: "bound", Lines: []scene.Line{{X: []float64{v.abe, v.abe}, Y: []float32{0, float32(p.Height)}, Color: scene.Ink, Width: 1.2, Dash: []float32{5, 3}}}})
	}
	ticks, unit := scene.TimeTicks(0, v.end, float64(q.Width), 11)
	p.X = &scene.Axis{Min: 0, Max: v.end * 1.01, Label: "time [" + unit + "]", Ticks: ticks}
	return p
}

// reasons writes on the rows of nodes that stand out what they stand out by.
func (v *nodesView) reasons(r *kit.Rows, top []kit.Extreme) scene.Layer {
	l := scene.Layer{Name: "reasons"}
	for row, e := range top {
		l.Texts = append(l.Texts, scene.Text{X: v.end, Y: r.Y[row] + r.H[row]/2, S: e.Because(), Size: 9, Color: scene.Ink, Anchor: scene.End, Halo: true})
	}
	return l
}

// lower moves texts down.
func lower(layers []scene.Layer, by float32) []scene.Layer {
	for _, l := range layers {
		for i := range l.Texts {
			l.Texts[i].Y += by
		}
	}
	return layers
}

func (v *nodesView) Row(i int) kit.BarRow {
	s := v.summary
	name := fmt.Sprintf("node %d", s.Node[i])
	if s.Node[i] < 0 {
		name = "workers"
	}
	if s.Tasks[i] == 0 {
		return kit.BarRow{Label: name, Right: "ran nothing"}
	}
	return kit.BarRow{Label: name, Right: fmt.Sprintf("%s – %s, %s", words.Duration(s.Start[i]), words.Duration(s.End[i]), words.PercentFine(1-s.Gap(i)))}
}

// beforeBar is the time before the first task of a node, the lower part of its row.
var beforeBar = scene.RGB(0xd55e00)

const beforeHeight = 0.4

// bars draws some nodes, so far down.
func (v *nodesView) bars(r *kit.Rows, down float32, nodes []int) []scene.Layer {
	back := scene.Rects{Palette: []scene.Color{scene.Lane}, Edges: scene.Crisp}
	bars := scene.Rects{Palette: []scene.Color{core.BoundBar, core.BoundBar.Mix(scene.White, 0.7)}, Edges: scene.Abut}
	before := scene.Rects{Palette: []scene.Color{beforeBar}, Edges: scene.Crisp}
	if r.Pitch < 5 {
		before.Edges = scene.Abut
	}
	for row, i := range nodes {
		y, h := r.Y[row]+down, r.H[row]
		back.Add(0, v.end*1.01, y, h, 0)
		if v.summary.Tasks[i] == 0 {
			continue
		}
		bars.Add(0, v.summary.ABE[i], y, h, 0)
		if end := float64(v.summary.End[i]); end > v.summary.ABE[i] {
			bars.Add(v.summary.ABE[i], end, y, h, 1)
		}
		if start := float64(v.summary.Start[i]); start > 0 {
			before.Add(0, start, y+h*(1-beforeHeight), h*beforeHeight, 0)
		}
	}
	return []scene.Layer{{Name: "rows", Rects: []scene.Rects{back}}, {Name: "nodes", Rects: []scene.Rects{bars, before}}}
}

func (v *nodesView) Legend() []scene.LegendEntry {
	out := []scene.LegendEntry{{Label: "area bound", Color: core.BoundBar}, {Label: "to the end of the last task", Color: core.BoundBar.Mix(scene.White, 0.7)}}
	if slices.ContainsFunc(v.order, func(i int) bool { return v.summary.Tasks[i] > 0 && v.summary.Start[i] > 0 }) {
		out = append(out, scene.LegendEntry{Label: "before the first task", Color: beforeBar})
	}
	if v.abe > 0 {
		out = append(out, scene.LegendEntry{Label: "ABE with any distribution", Detail: words.Duration(v.abe), Color: scene.Ink, Swatch: scene.Stroke, Dash: []float32{5, 3}})
	}
	return out
}

// note sums the nodes up.
func (v *nodesView) note() string {
	s := v.summary
	least, most := math.Inf(1), 0.0
	idle := 0
	for _, i := range v.order {
		if s.Tasks[i] == 0 {
			idle++
			continue
		}
		least, most = min(least, s.ABE[i]), max(most, s.ABE[i])
	}
	note := fmt.Sprintf("area bounds from %s to %s; makespan %s", words.Duration(least), words.Duration(most), words.Duration(v.makespan))
	if least > 0 && most > least {
		note += fmt.Sprintf("; the node with most work has %s times that of the node with least", kit.Number(most/least))
	}
	if v.owners && most > v.abe && v.abe > 0 {
		note += fmt.Sprintf("; lower bound with this distribution of data %s, with any %s: it costs %s", words.Duration(most), words.Duration(v.abe), words.Duration(most-v.abe))
	}
	all, spans := kit.NodeSpans{Node: s.Node, Start: s.Start, End: s.End}, kit.NodeSpans{}
	for _, i := range v.order {
		if s.Tasks[i] > 0 {
			spans.Add(&all, i)
		}
	}
	if text := spans.Words(); text != "" {
		note += "; " + text
	}
	if idle > 0 {
		note += "; " + words.PluralThin(idle, "node", "nodes") + " ran nothing"
	}
	return note
}

// Data returns the summary of the whole run.
func (v *nodesView) Data(core.Query) numbers.Table {
	s := core.WholeRun()
	s.Durations, s.UsedWorkers = v.options.Durations, v.options.UsedWorkers
	n, err := panels.Find("nodes")
	if err != nil {
		panic(err) // registered in this package
	}
	t, err := n.Table(v.run, &s)
	if err != nil {
		panic("panel: summary of nodes of a view that was opened: " + err.Error())
	}
	return t
}
