package progress

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/progress"
	"dagscope/explain/schedule"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	core.Register(core.Drawing(core.Panel{
		ID: "iterations", Time: true,
		Doc: "A row for each outer iteration, the first at the top: grey from its first start to its last end, the curves " +
			"along these are its borders (Garcia Pinto 2018, section 5.2.1). Inside, its tasks as shares of each pixel's time, coloured by kind; " +
			"where several run at once, their mix. The wider the shape, the more iterations are open at once. Figures of a window have the iterations that touch it. Options: each " +
			"node by itself; curves where a share of an iteration's tasks have begun.",
		Open: openIterations,
	}))
}

// iterationView draws iterations as bands from top to bottom.
type iterationView struct {
	run     *trace.Run
	options core.Iterations
	facets  []facet // one, or one for each node
	of      []int32 // facet of a node, None if it is not shown
	first   int32   // least iteration
	count   int32   // from it to the greatest
	class   *core.Classes
	kinds   []scene.LegendEntry
	without int64           // tasks of no iteration
	index   *iterationIndex // nil to go through the tasks
}

// facet are the iterations of a node, or of all.
type facet struct {
	label      string
	iteration  []int32
	start, end []int64
	middle     [][]int64 // by share asked for, then by iteration
}

func openIterations(run *trace.Run, o *core.Options) (core.View, error) {
	v := &iterationView{run: run, options: o.Iterations}
	borders := progress.Borders(run, progress.Options{ByNode: v.options.ByNode})
	v.first, v.count = math.MaxInt32, 0
	last := int32(-1)
	for i, iteration := range borders.Iteration {
		if !o.ShowsNode(borders.Node[i]) {
			continue
		}
		if iteration < 0 {
			v.without += borders.Tasks[i]
			continue
		}
		v.first, last = min(v.first, iteration), max(last, iteration)
		v.border(borders, i)
	}
	if last < 0 {
		return nil, &panels.Missing{Why: "no task of this run belongs to an iteration: the application does not tell them"}
	}
	v.count = last - v.first + 1
	colors := o.Colors
	if colors == nil {
		colors = core.TaskColors([]*trace.Run{run}, false)
	}
	v.class = core.NewClasses(run.Task.Kind.Dict, colors, o)
	v.kinds = v.Legend(colors)
	v.findMiddles()
	if o.Base != nil && !v.options.HideTasks { // many windows will be drawn
		v.index = v.newIterationIndex()
	}
	return v, nil
}

// border adds an iteration to the facet of its node; rows come by node.
func (v *iterationView) border(b *progress.Iterations, i int) {
	node := b.Node[i]
	label := ""
	if node >= 0 {
		label = fmt.Sprintf("node %d", node)
	}
	if n := len(v.facets); n == 0 || v.facets[n-1].label != label {
		v.facets = append(v.facets, facet{label: label})
		for int(node) >= len(v.of) {
			v.of = append(v.of, trace.None)
		}
		if node >= 0 {
			v.of[node] = int32(n)
		}
	}
	f := &v.facets[len(v.facets)-1]
	f.iteration = append(f.iteration, b.Iteration[i])
	f.start, f.end = append(f.start, b.Start[i]), append(f.end, b.End[i])
}

// facetOf is the facet of a task, -1 for a node that is not shown.
func (v *iterationView) facetOf(task int) int32 {
	if !v.options.ByNode {
		return 0
	}
	node := progress.NodeOf(v.run, task)
	if node < 0 || int(node) >= len(v.of) {
		return trace.None
	}
	return v.of[node]
}

// each visits the counted tasks that belong to a shown iteration.
func (v *iterationView) each(visit func(task int, facet int32)) {
	v.between(0, len(v.run.Task.Iteration), visit)
}

// between visits those of the rows [from, to).
func (v *iterationView) between(from, to int, visit func(task int, facet int32)) {
	keep := schedule.Keep(v.run, false)
	for i := from; i < to; i++ {
		if v.run.Task.Iteration[i] < 0 || !keep(i) {
			continue
		}
		if f := v.facetOf(i); f >= 0 {
			visit(i, f)
		}
	}
}

// findMiddles finds for each iteration when the asked shares of its tasks had
// begun: the middle of the task that is at that place in order of start.
func (v *iterationView) findMiddles() {
	if len(v.options.Middle) == 0 {
		return
	}
	t := &v.run.Task
	tasks := make([][]int32, int(v.count)*len(v.facets))
	v.each(func(i int, f int32) {
		at := f*v.count + t.Iteration[i] - v.first
		tasks[at] = append(tasks[at], int32(i))
	})
	for f := range v.facets {
		one := &v.facets[f]
		one.middle = make([][]int64, len(v.options.Middle))
		for _, iteration := range one.iteration {
			rows := tasks[int32(f)*v.count+iteration-v.first]
			slices.SortFunc(rows, func(a, b int32) int { return int(min(max(t.Start[a]-t.Start[b], -1), 1)) })
			for m, share := range v.options.Middle {
				row := rows[min(max(int(share*float64(len(rows))), 0), len(rows)-1)]
				one.middle[m] = append(one.middle[m], (t.Start[row]+t.End[row])/2)
			}
		}
	}
}

// Legend lists the kinds by name.
func (v *iterationView) Legend(colors core.Colors) []scene.LegendEntry {
	if v.options.HideTasks {
		return nil
	}
	t := &v.run.Task
	seen := make([]bool, len(t.Kind.Dict))
	v.each(func(i int, _ int32) {
		if k := t.Kind.Index[i]; k >= 0 {
			seen[k] = true
		}
	})
	var legend []scene.LegendEntry
	others := 0
	for k, name := range t.Kind.Dict {
		switch _, known := colors[name]; {
		case seen[k] && v.class.Hidden[k]:
			legend = append(legend, scene.LegendEntry{Label: name, Kind: name, Detail: "hidden", Color: scene.Lane})
		case seen[k] && known:
			legend = append(legend, scene.LegendEntry{Label: name, Kind: name, Color: v.class.Palette[v.class.Of[k]]})
		case seen[k]:
			others++
		}
	}
	slices.SortFunc(legend, func(a, b scene.LegendEntry) int { return core.CompareNatural(a.Label, b.Label) })
	if others > 0 {
		legend = append(legend, scene.LegendEntry{Label: words.PluralThin(others, "other kind", "other kinds"), Color: core.OtherColor})
	}
	return legend
}

// Data returns the borders of the iterations.
func (v *iterationView) Data(q core.Query) numbers.Table {
	s := core.WholeRun()
	s.ByNode = v.options.ByNode
	return core.NumbersOf("iterations", v.run, s, q)
}

var _ core.Reader = (*iterationView)(nil)

// At lists the iterations that are open.
func (v *iterationView) At(t int64) []core.Reading {
	var out []core.Reading
	for i := range v.facets {
		f := &v.facets[i]
		var open []int
		for k, iteration := range f.iteration {
			if f.start[k] <= t && t < f.end[k] {
				open = append(open, int(iteration))
			}
		}
		label := f.label
		if label == "" {
			label = "open"
		}
		out = append(out, core.Reading{Label: label, Value: cmp.Or(strings.Join(words.Ranges(open), ", "), "none"), Unit: "iterations"})
	}
	return out
}
