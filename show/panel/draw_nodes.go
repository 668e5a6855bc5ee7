package panel

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"dagscope/explain/bound"
	"dagscope/explain/numbers"
	"dagscope/explain/schedule"
	"dagscope/explain/utilization"
	"dagscope/internal/words"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	register(drawing(Panel{
		ID: "nodes",
		Doc: "A row for each node: the full bar is the area bound of its own tasks on its own workers, the pale bar goes on to " +
			"the end of its last task. A long pale bar is time in which the node waited for others or used its workers badly, " +
			"a long full bar work that it has more of than others. The dashed line is the area bound of all nodes together: with " +
			"any distribution of work. Where the owner of data decides which node runs a task, the longest full bar is the " +
			"bound of this distribution, and the note says what it costs. " +
			"Nodes come by rank, or those that come least near their bounds first.",
		Open: openNodes,
	}))
}

// nodesView draws the summary of nodes.
type nodesView struct {
	run      *trace.Run
	options  NodeSummary
	summary  *utilization.Nodes
	order    []int
	abe      float64 // of the run
	owners   bool    // the owner of data decides where tasks run
	makespan int64
	end      float64 // right edge of the axis
	tight    bool
}

func openNodes(run *trace.Run, o *Options) (View, error) {
	v := &nodesView{run: run, options: o.Summary, makespan: schedule.Makespan(run), tight: o.Tight}
	how := bound.Options{Duration: v.options.Durations, UsedWorkers: v.options.UsedWorkers}
	s, err := utilization.ByNode(run, utilization.NodeOptions{Bound: how})
	if err != nil {
		return nil, err
	}
	v.summary = s
	ran := false
	for i, node := range s.Node {
		if o.showsNode(node) {
			v.order, ran = append(v.order, i), ran || s.Tasks[i] > 0
			v.end = max(v.end, float64(s.End[i]), s.ABE[i])
		}
	}
	if !ran {
		return nil, nothingRan
	}
	all, err := bound.Areas(run, how, false)
	if none := (*bound.NoModels)(nil); errors.As(err, &none) {
		return nil, &Missing{none.Error()}
	}
	if err == nil && len(all) > 0 && len(s.Node) > 1 {
		v.abe = all[0].Time
	}
	v.owners = bound.OwnersDecide(run, how)
	v.end = max(v.end, v.abe, 1)
	v.sort()
	return v, err
}

// align gives the axes of several runs one end, so that bars of equal time are
// equally long.
func (v *nodesView) align(others []View) {
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
		case NodesByGap:
			return cmp.Compare(s.Gap(b), s.Gap(a))
		case NodesByEnd:
			return cmp.Compare(s.End[b], s.End[a])
		}
		return 0
	})
}

var boundBar = scene.RGB(0x4477aa)

// mostNodesHeight is the natural height of the bodies of many nodes.
const mostNodesHeight = 620

// Draw draws the whole run: the axis is its own.
func (v *nodesView) Draw(q Query) scene.Panel {
	var rows []barRow
	for _, i := range v.order {
		rows = append(rows, v.row(i))
	}
	if float64(len(rows))*9 > mostNodesHeight && q.Height <= 0 {
		q.Height = mostNodesHeight
	}
	b := newBarRows(rows, q, barPitch, v.tight)
	p := scene.Panel{ID: "nodes", Height: float64(b.rows.height), Layers: v.bars(b.rows), Legend: v.legend(), Note: v.note() + wholeRunNote(v.makespan, q)}
	ticks, unit := scene.TimeTicks(0, v.end, float64(q.Width), 11)
	p.X = &scene.Axis{Min: 0, Max: v.end * 1.01, Label: "time [" + unit + "]", Ticks: ticks}
	p.Left, p.Right = b.margins("bound / end")
	return p
}

func (v *nodesView) row(i int) barRow {
	s := v.summary
	name := fmt.Sprintf("node %d", s.Node[i])
	if s.Node[i] < 0 {
		name = "workers"
	}
	if s.Tasks[i] == 0 {
		return barRow{label: name, right: "ran nothing"}
	}
	return barRow{label: name, right: fmt.Sprintf("%s / %s (%s)", words.Duration(s.ABE[i]), words.Duration(s.End[i]), words.PercentFine(1-s.Gap(i)))}
}

func (v *nodesView) bars(r *rows) []scene.Layer {
	back := scene.Rects{Palette: []scene.Color{scene.Lane}, Edges: scene.Crisp}
	bars := scene.Rects{Palette: []scene.Color{boundBar, boundBar.Mix(scene.White, 0.7)}, Edges: scene.Abut}
	for row, i := range v.order {
		y, h := r.y[row], r.h[row]
		back.Add(0, v.end*1.01, y, h, 0)
		if v.summary.Tasks[i] == 0 {
			continue
		}
		bars.Add(0, v.summary.ABE[i], y, h, 0)
		if end := float64(v.summary.End[i]); end > v.summary.ABE[i] {
			bars.Add(v.summary.ABE[i], end, y, h, 1)
		}
	}
	layers := []scene.Layer{{Name: "rows", Rects: []scene.Rects{back}}, {Name: "nodes", Rects: []scene.Rects{bars}}}
	if v.abe > 0 {
		layers = append(layers, scene.Layer{Name: "bound", Lines: []scene.Line{{X: []float64{v.abe, v.abe}, Y: []float32{0, r.height}, Color: scene.Ink, Width: 1.2, Dash: []float32{5, 3}}}})
	}
	return layers
}

func (v *nodesView) legend() []scene.LegendEntry {
	out := []scene.LegendEntry{{Label: "area bound", Color: boundBar}, {Label: "to the end of the last task", Color: boundBar.Mix(scene.White, 0.7)}}
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
		note += fmt.Sprintf("; the node with most work has %s times that of the node with least", number(most/least))
	}
	if v.owners && most > v.abe && v.abe > 0 {
		note += fmt.Sprintf("; lower bound with this distribution of data %s, with any %s: it costs %s", words.Duration(most), words.Duration(v.abe), words.Duration(most-v.abe))
	}
	if idle > 0 {
		note += "; " + words.PluralThin(idle, "node", "nodes") + " ran nothing"
	}
	return note
}

// Data returns the summary of the whole run.
func (v *nodesView) Data(Query) numbers.Table {
	s := wholeRun()
	s.Durations, s.UsedWorkers = v.options.Durations, v.options.UsedWorkers
	n, err := FindNumbers("nodes")
	if err != nil {
		panic(err) // registered in this package
	}
	t, err := n.Table(v.run, &s)
	if err != nil {
		panic("panel: summary of nodes of a view that was opened: " + err.Error())
	}
	return t
}
