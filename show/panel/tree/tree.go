package tree

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"dagscope/explain/index"
	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/schedule"
	"dagscope/explain/tree"
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	core.Register(core.Drawing(core.Panel{
		ID: "tree", Time: true,
		Doc: "The elimination tree of a sparse factorization over time, a row for each node, children above their parents. " +
			"Colours are the load of the node: the share of all workers that compute on it in each slice; the lower half of " +
			"a row are the subtrees of small nodes below it, each done by one task. The grey line lasts from the first to the " +
			"last task of the node, the strip below it is what makes, fills and cleans the node. Lines go from where a " +
			"node begins to where its parent begins (blue-green) and from where it ends to where its parent ends (orange).",
		Reads: func(*core.Options) []string { return panels.TreeReads },
		Open:  openTree,
	}))
}

// Colours of the parts of the tree that are not load.
var (
	beginEdgeColor = scene.RGB(0x1b9e77)
	endEdgeColor   = scene.RGB(0xd95f02)
	assemblyColor  = scene.RGB(0x7f7f7f)
	lifeColor      = scene.RGB(0xb8c4cc)
	longColor      = scene.RGB(0xcc1144)
)

const (
	treeLevels    = 20
	tallestNode   = 14 // pixels
	leastTreeRow  = 2.5
	treeRowLabels = 9 // pixels of a row that has a label
)

// treeView draws the tree.
type treeView struct {
	run      *trace.Run
	tree     *tree.Tree
	set      core.TreeOptions
	shown    *tree.Rows
	row      []int32 // first to last row that is shown
	cut      interval.Slices
	own      *tree.Usage // of the nodes of a row that are not pruned
	pruned   *tree.Usage
	assembly []interval.Spans // by row, sorted and apart
	long     []bool
	makespan int64
}

func openTree(run *trace.Run, o *core.Options) (core.View, error) {
	t, err := panels.TreeOf(run)
	if err != nil {
		return nil, err
	}
	v := &treeView{run: run, tree: t, set: o.Tree, makespan: schedule.Makespan(run)}
	v.shown = t.Rows(o.Tree.Order, int32(o.Tree.Depth))
	from, to, _ := panels.Extent(run)
	v.cut = interval.Slices{From: from - from%max(o.Tree.Step, 1), To: to, Step: cmp.Or(o.Tree.Step, (to-from)/400+1)}
	v.own, v.pruned = v.usage(false), v.usage(true)
	v.Choose()
	v.openAssembly()
	if !o.Tree.HideOutliers {
		if v.long = o.Outlier; v.long == nil && o.Base != nil {
			v.long = o.Base.Outlier
		}
		if v.long == nil {
			v.long = index.Outliers(run)
		}
	}
	return v, nil
}

// usage is the load of the rows by their nodes, or by the pruned subtrees.
func (v *treeView) usage(pruned bool) *tree.Usage {
	part := *v.shown
	part.Of = slices.Clone(v.shown.Of)
	for node := range part.Of {
		if v.tree.Pruned[node] != pruned {
			part.Of[node] = -1
		}
	}
	return v.tree.ByRow(&part, v.cut, interval.ExistingPart)
}

// Choose takes the rows that are shown.
func (v *treeView) Choose() {
	n := float64(len(v.shown.Node))
	to := v.set.To
	if to <= v.set.From {
		to = 100
	}
	for row := range v.shown.Node {
		if at := 100 * (float64(row) + 0.5) / n; at >= v.set.From && at <= to {
			v.row = append(v.row, int32(row))
		}
	}
}

// openAssembly lays out, for each row, the tasks that do not compute.
func (v *treeView) openAssembly() {
	v.assembly = make([]interval.Spans, len(v.shown.Node))
	spans := make([]interval.Spans, len(v.shown.Node))
	for node, row := range v.shown.Of {
		if row >= 0 {
			rest := &v.tree.Rest[node]
			for i := range rest.Start {
				spans[row].Add(rest.Start[i], rest.End[i])
			}
		}
	}
	parallel.For(len(spans), func(row int) {
		var merged interval.Spans
		for _, k := range interval.Order(spans[row].Start) {
			merged.Extend(spans[row].Start[k], spans[row].End[k])
		}
		v.assembly[row] = merged
	})
}

// pitch is the height of a row in a body, 0 for the natural height.
func (v *treeView) pitch(height float64) (body, pitch float64) {
	n := float64(max(len(v.row), 1))
	if height <= 0 {
		height = n*min(max(600/n, leastTreeRow), tallestNode) + 8
	}
	return height, (height - 8) / n
}

// top is the upper edge of each shown row, by row; -1 for others.
func (v *treeView) tops(pitch float64) []float32 {
	y := make([]float32, len(v.shown.Node))
	for i := range y {
		y[i] = -1
	}
	for k, row := range v.row {
		y[row] = float32(4 + pitch*float64(k))
	}
	return y
}

// Draw draws a window.
func (v *treeView) Draw(q core.Query) scene.Panel {
	height, pitch := v.pitch(q.Height)
	d := treeDrawing{view: v, q: q, y: v.tops(pitch), h: float32(pitch) * 0.9}
	p := scene.Panel{ID: "tree", Height: height, Layers: []scene.Layer{d.lives(), d.loads(), d.rest(), d.Edges(), d.outliers()}}
	if q.Body {
		return p
	}
	p.Left, p.Legend, p.Note, p.YLabel = []scene.Layer{d.Labels(pitch)}, v.Legend(), v.note(), "tree nodes"
	return p
}

func (v *treeView) Legend() []scene.LegendEntry {
	out := kit.SequentialLegend(kit.SequentialColors(treeLevels), 5, func(share float64) string { return strconv.Itoa(int(100*share)) + " %" })
	out[0].Label = "load 0 %"
	if !v.set.HideAssembly {
		out = append(out, scene.LegendEntry{Label: "made, filled, cleaned", Color: assemblyColor})
	}
	if !v.set.HideEdges {
		out = append(out, scene.LegendEntry{Label: "to the begin of the parent", Color: beginEdgeColor, Swatch: scene.Stroke},
			scene.LegendEntry{Label: "to its end", Color: endEdgeColor, Swatch: scene.Stroke})
	}
	if v.long != nil {
		out = append(out, scene.LegendEntry{Label: "outlier", Color: longColor})
	}
	return out
}

func (v *treeView) note() string {
	pruned, with := 0, 0
	for i, n := range v.tree.Tasks {
		if n > 0 {
			with++
			if v.tree.Pruned[i] {
				pruned++
			}
		}
	}
	return fmt.Sprintf("%s in the tree, %s with tasks, %s of these whole subtrees; load of %s in slices of %s", words.PluralThin(len(v.tree.Depth), "node", "nodes"),
		words.CountThin(with), words.CountThin(pruned), words.PluralThin(v.tree.Workers, "worker", "workers"), words.Duration(v.cut.Step))
}

// treeDrawing draws one window.
type treeDrawing struct {
	view *treeView
	q    core.Query
	y    []float32 // by row, -1 for those that are not shown
	h    float32
}

// lives are when nodes were worked on.
func (d *treeDrawing) lives() scene.Layer {
	r := scene.Rects{Palette: []scene.Color{lifeColor}, MinWidth: 1}
	for _, row := range d.view.row {
		if from, to, ok := d.view.life(row); ok && from < d.q.T1 && to > d.q.T0 {
			r.Add(float64(max(from, d.q.T0)), float64(min(to, d.q.T1)), d.y[row]+d.h*0.45, max(d.h*0.1, 0.6), 0)
		}
	}
	return scene.Layer{Name: "lives", Rects: []scene.Rects{r}}
}

// life is when the node of a row was worked on; ok is false where it has no
// tasks of its own.
func (v *treeView) life(row int32) (from, to int64, ok bool) {
	node := v.shown.Node[row]
	return v.tree.Start[node], v.tree.End[node], v.tree.Tasks[node] > 0
}

// loads are the slices of each row.
func (d *treeDrawing) loads() scene.Layer {
	r := scene.Rects{Palette: kit.SequentialColors(treeLevels), Edges: scene.Abut}
	if !d.view.set.HideLoad {
		d.slices(&r, d.view.own, 0, 1)
	}
	if !d.view.set.HidePruned {
		d.slices(&r, d.view.pruned, 0.5, 1)
	}
	return scene.Layer{Name: "load", Rects: []scene.Rects{r}}
}

// slices draws what lies in the window in a part of the rows; neighbours of one
// colour are one rectangle.
func (d *treeDrawing) slices(r *scene.Rects, u *tree.Usage, from, to float32) {
	last := -1
	for i, row := range u.Of {
		a, b := d.view.cut.Bounds(int(u.Slice[i]))
		if d.y[row] < 0 || b <= d.q.T0 || a >= d.q.T1 || u.Busy[i] <= 0 {
			continue
		}
		y, h, level := d.y[row]+d.h*from, d.h*(to-from), kit.LevelOf(u.Share[i], treeLevels)
		x0, x1 := float64(max(a, d.q.T0)), float64(min(b, d.q.T1))
		if n := r.Len() - 1; n == last && n >= 0 && r.X1[n] == x0 && r.Y[n] == y && r.Color[n] == level {
			r.X1[n] = x1
			continue
		}
		r.Add(x0, x1, y, h, level)
		last = r.Len() - 1
	}
}

// rest are the tasks that make, fill and clean nodes, a strip at the bottom;
// what is narrower than a pixel is shown by its share as height.
func (d *treeDrawing) rest() scene.Layer {
	r := scene.Rects{Palette: []scene.Color{assemblyColor}, Edges: scene.Abut}
	if d.view.set.HideAssembly {
		return scene.Layer{Name: "assembly"}
	}
	g := kit.NewGrid(d.q.T0, d.q.T1, d.q.Width)
	busy, strip := make([]int64, g.Columns()), d.h*0.3
	for _, row := range d.view.row {
		if !columnsBusy(&d.view.assembly[row], g, busy) {
			continue
		}
		var run kit.StackedRun
		for k := range g.Columns() {
			h := strip * float32(busy[k]) / float32(g.Edges[k+1]-g.Edges[k])
			run.Next(&r, g, k, d.y[row]+d.h-h, h, 0)
		}
		run.Next(&r, g, g.Columns(), 0, 0, 0)
	}
	return scene.Layer{Name: "assembly", Rects: []scene.Rects{r}}
}

// columnsBusy is how long intervals, sorted and apart, last in each column; it
// is false where none is in any.
func columnsBusy(s *interval.Spans, g *kit.Grid, busy []int64) (some bool) {
	clear(busy)
	first, _ := slices.BinarySearch(s.End, g.T0+1)
	for i := first; i < s.Len() && s.Start[i] < g.T1; i++ {
		at, end := max(s.Start[i], g.T0), min(s.End[i], g.T1)
		for k := g.Column(at); at < end; k++ {
			to := min(end, g.Edges[k+1])
			busy[k] += to - at
			at, some = to, true
		}
	}
	return some
}

// Edges join nodes with their parents.
func (d *treeDrawing) Edges() scene.Layer {
	begins := scene.Arrows{Color: beginEdgeColor, Width: 0.8}
	ends := scene.Arrows{Color: endEdgeColor, Width: 0.8}
	if d.view.set.HideEdges {
		return scene.Layer{Name: "edges"}
	}
	for _, row := range d.view.row {
		up := d.view.shown.Up[row]
		if up < 0 || d.y[up] < 0 {
			continue
		}
		from, to, ok1 := d.view.life(row)
		parentFrom, parentTo, ok2 := d.view.life(up)
		if !ok1 || !ok2 {
			continue
		}
		y0, y1 := d.y[row]+d.h/2, d.y[up]+d.h/2
		d.edge(&begins, from, parentFrom, y0, y1)
		d.edge(&ends, to, parentTo, y0, y1)
	}
	return scene.Layer{Name: "edges", Arrows: []scene.Arrows{begins, ends}}
}

func (d *treeDrawing) edge(a *scene.Arrows, from, to int64, y0, y1 float32) {
	if max(from, to) < d.q.T0 || min(from, to) > d.q.T1 {
		return
	}
	a.X0, a.X1 = append(a.X0, float64(from)), append(a.X1, float64(to))
	a.Y0, a.Y1 = append(a.Y0, y0), append(a.Y1, y1)
}

// outliers mark tasks that took unusually long.
func (d *treeDrawing) outliers() scene.Layer {
	r := scene.Rects{Palette: []scene.Color{longColor}, MinWidth: 3}
	if d.view.long == nil {
		return scene.Layer{Name: "outliers"}
	}
	size := max(min(d.h, 4), 2)
	for node, row := range d.view.shown.Of {
		if row < 0 || d.y[row] < 0 {
			continue
		}
		spans := &d.view.tree.Compute[node]
		for i, task := range d.view.tree.ComputeTasks(int32(node)) {
			if start := spans.Start[i]; d.view.long[task] && start >= d.q.T0 && start < d.q.T1 {
				r.Add(float64(start), float64(start), d.y[row]+(d.h-size)/2, size, 0)
			}
		}
	}
	return scene.Layer{Name: "outliers", Rects: []scene.Rects{r}}
}

func (d *treeDrawing) Labels(pitch float64) scene.Layer {
	l := scene.Layer{Name: "rows", Unit: scene.Pixels}
	every := 1 + int(treeRowLabels/pitch)
	for k := 0; k < len(d.view.row); k += every {
		row := d.view.row[len(d.view.row)-1-k]
		l.Texts = append(l.Texts, scene.Text{X: -kit.LabelAway, Y: d.y[row] + d.h/2, S: strconv.FormatInt(d.view.tree.Key(d.view.shown.Node[row]), 10),
			Size: float32(min(treeRowLabels, max(pitch, 8))), Color: scene.Soft, Anchor: scene.End})
	}
	return l
}

// Pick finds the task that runs on the node at a place.
func (v *treeView) Pick(q core.Query, t int64, y float64, _ int64) (core.Hit, bool) {
	_, pitch := v.pitch(q.Height)
	k := int((y - 4) / pitch)
	if y < 4 || k >= len(v.row) {
		return core.Hit{}, false
	}
	row := v.row[k]
	for node, of := range v.shown.Of {
		if of != row {
			continue
		}
		if task := v.tree.At(int32(node), t); task >= 0 {
			return core.Hit{Table: core.HitTask, Row: task, Label: v.run.Task.Kind.At(int(task)), Start: v.run.Task.Start[task], End: v.run.Task.End[task],
				Resource: v.run.Task.Worker[task], RowName: fmt.Sprintf("tree node %d", v.tree.Key(int32(node)))}, true
		}
	}
	return core.Hit{}, false
}

var _ core.Picker = (*treeView)(nil)

// Data returns the nodes on which something ran in the window.
func (v *treeView) Data(q core.Query) numbers.Table {
	return core.NumbersOf("tree", v.run, core.WholeRun(), q)
}
