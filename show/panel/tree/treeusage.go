package tree

import (
	"cmp"
	"fmt"
	"slices"

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
		ID: "treeusage", Time: true,
		Doc: "How the work on an elimination tree shares the machine over time, in up to four parts: by tree node (colours " +
			"are used again once a node has ended; they tell neighbours apart and mean nothing else), by depth in the tree " +
			"(dark at the root), the number of nodes in memory, and the memory that they hold, that of whole subtrees on top. " +
			"Heights are time averages of each pixel, of the first two in percent of all workers.",
		Reads: func(*core.Options) []string { return panels.TreeReads },
		Open:  openTreeUsage,
	}))
}

const (
	treePartHeight = 90
	mostRecycled   = 48
)

// treeUsageView stacks loads and draws curves.
type treeUsageView struct {
	run    *trace.Run
	set    core.TreeUsage
	parts  []string
	nodes  []layerCurve
	depth  []layerCurve
	active []layerCurve
	memory []layerCurve // of nodes, of whole subtrees
	held   layerCurve   // memory of both
	source tree.MemorySource
	count  int // workers
}

// layerCurve is a curve in a part of the panel.
type layerCurve struct {
	label string
	color scene.Color
	steps *kit.Compact
	most  float64
}

func openTreeUsage(run *trace.Run, o *core.Options) (core.View, error) {
	t, err := panels.TreeOf(run)
	if err != nil {
		return nil, err
	}
	v := &treeUsageView{run: run, set: o.TreeUsage, count: max(t.Workers, 1)}
	v.nodes, v.depth = recycled(t), depths(t)
	full, pruned := t.Active()
	v.active = notEmptyCurves(newLayerCurve("nodes", kit.SeriesColors[0], full), newLayerCurve("whole subtrees", kit.SeriesColors[3], pruned))
	v.addMemory(t)
	for _, part := range core.TreeParts {
		wanted := len(o.TreeUsage.Parts) == 0 || slices.Contains(o.TreeUsage.Parts, part)
		if wanted && (part != "memory" || v.memory != nil) {
			v.parts = append(v.parts, part)
		}
	}
	if len(v.parts) == 0 {
		return nil, &panels.Missing{Why: "the memory of tree nodes is not known in this run: neither the solver declares it nor do handles have sizes"}
	}
	return v, nil
}

// addMemory tells the memory of whole subtrees from that of other nodes, in the
// colours that their numbers have.
func (v *treeUsageView) addMemory(t *tree.Tree) {
	all, full, pruned, source := t.MemoryCurve()
	if v.source = source; source == tree.NoMemory {
		return
	}
	v.held = newLayerCurve("memory", scene.None, all)
	v.memory = notEmptyCurves(newLayerCurve("memory of nodes", kit.SeriesColors[0], full), newLayerCurve("memory of whole subtrees", kit.SeriesColors[3], pruned))
}

func newLayerCurve(label string, color scene.Color, f interval.Steps) layerCurve {
	most := 0.0
	for _, x := range f.Value {
		most = max(most, x)
	}
	return layerCurve{label, color, kit.NewCompact(f), most}
}

func notEmptyCurves(all ...layerCurve) []layerCurve {
	return slices.DeleteFunc(all, func(c layerCurve) bool { return c.most == 0 })
}

// recycled gives each node a colour that no node has that is computed on at the
// same time: the first free one when it begins, free again when it ends, as in
// StarVZ. Nodes of one colour do not overlap, and are one curve; only where more than
// mostRecycled are computed on at once, some share a colour.
func recycled(t *tree.Tree) []layerCurve {
	type life struct {
		node     int32
		from, to int64
	}
	var lives []life
	for node := range t.Compute {
		if s := &t.Compute[node]; s.Len() > 0 {
			lives = append(lives, life{int32(node), s.Start[0], slices.Max(s.End)})
		}
	}
	slices.SortFunc(lives, func(a, b life) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.node, b.node)) })
	var until []int64 // of each colour
	var nodes [][]int32
	for _, l := range lives {
		c := slices.IndexFunc(until, func(end int64) bool { return end <= l.from })
		switch {
		case c < 0 && len(until) == mostRecycled:
			c = slices.Index(until, slices.Min(until))
		case c < 0:
			c = len(until)
			until, nodes = append(until, 0), append(nodes, nil)
		}
		until[c], nodes[c] = max(until[c], l.to), append(nodes[c], l.node)
	}
	out := make([]layerCurve, len(nodes))
	parallel.For(len(nodes), func(c int) { out[c] = newLayerCurve("", recycledColor(c), t.Load(nodes[c])) })
	return out
}

// recycledColor goes through the colours of series, paler each time round.
func recycledColor(c int) scene.Color {
	n := len(kit.SeriesColors)
	return kit.SeriesColors[c%n].Mix(scene.White, 0.25+0.2*float64(c/n%3))
}

// depths are the loads by depth, the root darkest.
func depths(t *tree.Tree) (out []layerCurve) {
	for d, f := range t.LoadByDepth() {
		out = append(out, newLayerCurve(fmt.Sprintf("depth %d", d), scene.None, f))
	}
	out = notEmptyCurves(out...)
	colors := kit.SequentialColors(len(out) + 1)
	for i := range out {
		out[i].color = colors[len(out)-i]
	}
	return out
}

// Draw draws a window of all parts.
func (v *treeUsageView) Draw(q core.Query) scene.Panel {
	p := scene.Panel{ID: "treeusage", Height: kit.HeightOr(q, treePartHeight*float64(len(v.parts)))}
	share := p.Height / float64(len(v.parts))
	g := kit.NewGrid(q.T0, q.T1, q.Width)
	for i, part := range v.parts {
		d := treePart{view: v, q: q, grid: g, down: float32(share * float64(i)), height: share - 3}
		p.Layers = append(p.Layers, d.Draw(part)...)
		if !q.Body {
			p.Left = append(p.Left, d.axis.Labels(d.down), d.name(part, share))
			p.Legend = append(p.Legend, d.legend...)
		}
	}
	if !q.Body {
		p.Note = v.note()
	}
	return p
}

func (v *treeUsageView) note() string {
	note := fmt.Sprintf("computing tasks only, in %% of %s", words.PluralThin(v.count, "worker", "workers"))
	if slices.Contains(v.parts, "memory") {
		note += "; memory: " + string(v.source)
	}
	return note
}

// treePart draws one part.
type treePart struct {
	view   *treeUsageView
	q      core.Query
	grid   *kit.Grid
	down   float32
	height float64
	axis   kit.YAxis
	legend []scene.LegendEntry
}

func (d *treePart) Draw(part string) []scene.Layer {
	switch part {
	case "nodes":
		return d.stack(d.view.nodes, false)
	case "depth":
		return d.stack(d.view.depth, true)
	case "active":
		return d.curves(d.view.active)
	}
	return d.stackMemory()
}

// held stacks the memory of nodes and of whole subtrees.
func (d *treePart) stackMemory() []scene.Layer {
	d.axis = kit.NewAxis(0, d.view.held.most, d.height, "MB")
	s := kit.Stack{Grid: d.grid, Axis: d.axis, Down: d.down}
	for i := range d.view.memory {
		c := &d.view.memory[i]
		s.Parts = append(s.Parts, kit.Stacked{Label: c.label, Detail: "most " + kit.Amount(c.most, "MB"), Color: c.color, Mean: d.mean(c)})
	}
	d.legend = s.Legend()
	return []scene.Layer{d.grids(), s.Areas(true)}
}

// mean are the columns of a curve, or the slices that were asked for.
func (d *treePart) mean(c *layerCurve) []float64 {
	f := c.steps
	if d.view.set.Step > kit.Narrowest(d.grid) {
		f = f.Sliced(d.view.set.Step, d.q.T0, d.q.T1)
	}
	return f.Reduce(d.grid).Mean
}

// stack draws loads on top of each other, in % of all workers.
func (d *treePart) stack(all []layerCurve, named bool) []scene.Layer {
	d.axis = kit.NewAxis(0, 100, d.height, "%")
	s := kit.Stack{Grid: d.grid, Axis: d.axis, Down: d.down, Parts: make([]kit.Stacked, len(all))}
	parallel.For(len(all), func(i int) {
		mean := d.mean(&all[i])
		for k := range mean {
			mean[k] *= 100 / float64(d.view.count)
		}
		s.Parts[i] = kit.Stacked{Label: all[i].label, Color: all[i].color, Mean: mean}
	})
	if named {
		d.legend = s.Legend()
	}
	return []scene.Layer{d.grids(), s.Areas(true)}
}

// grids are the lines of the axis, where the part lies.
func (d *treePart) grids() scene.Layer {
	l := d.axis.Grid(d.q)
	for i := range l.Lines {
		for k := range l.Lines[i].Y {
			l.Lines[i].Y[k] += d.down
		}
	}
	return l
}

// curves draws means over each other.
func (d *treePart) curves(all []layerCurve) []scene.Layer {
	most := 0.0
	for i := range all {
		most = max(most, all[i].most)
	}
	d.axis = kit.NewAxis(0, most, d.height, "")
	l := scene.Layer{Name: "curves"}
	for i := range all {
		s := kit.Shown{Curve: kit.Curve{Color: all[i].color}, Reduced: kit.Reduced{Mean: d.mean(&all[i])}}
		line := s.Line(d.grid, &d.axis)
		for k := range line.Y {
			line.Y[k] += d.down
		}
		l.Lines = append(l.Lines, line)
		d.legend = append(d.legend, scene.LegendEntry{Label: all[i].label, Detail: "most " + kit.Amount(all[i].most, ""), Color: all[i].color, Swatch: scene.Stroke})
	}
	return []scene.Layer{d.grids(), l}
}

var treePartNames = map[string]string{"nodes": "by node", "depth": "by depth", "active": "nodes", "memory": "MB"}

// name stands left of the axis, turned.
func (d *treePart) name(part string, height float64) scene.Layer {
	if height < 40 { // names of neighbours would meet
		return scene.Layer{Name: "parts", Unit: scene.Pixels}
	}
	return scene.Layer{Name: "parts", Unit: scene.Pixels, Texts: []scene.Text{{X: -46, Y: d.down + float32(height/2), S: treePartNames[part],
		Size: 10, Color: scene.Ink, Anchor: scene.Middle, Rotate: 90}}}
}

// At reads the parts at an instant; of nodes only what all compute together.
func (v *treeUsageView) At(t int64) (out []core.Reading) {
	sum := 0.0
	for i := range v.nodes {
		sum += kit.SlicedAt(v.nodes[i].steps, t, v.set.Step)
	}
	for _, part := range v.parts {
		switch part {
		case "nodes":
			out = append(out, kit.Reading("all tree nodes", 100*sum/float64(v.count), "%", scene.None))
		case "depth":
			for i := range v.depth {
				c := &v.depth[i]
				out = append(out, kit.Reading(c.label, 100*kit.SlicedAt(c.steps, t, v.set.Step)/float64(v.count), "%", c.color))
			}
		case "active":
			for i := range v.active {
				out = append(out, kit.Reading("active "+v.active[i].label, kit.SlicedAt(v.active[i].steps, t, v.set.Step), "", v.active[i].color))
			}
		case "memory":
			for i := range v.memory {
				out = append(out, kit.Reading(v.memory[i].label, kit.SlicedAt(v.memory[i].steps, t, v.set.Step), "MB", v.memory[i].color))
			}
		}
	}
	return out
}

var _ core.Reader = (*treeUsageView)(nil)

// Data returns the load of each tree node in the slices of the window, those
// of a pixel unless they were asked for.
func (v *treeUsageView) Data(q core.Query) numbers.Table {
	s := core.WholeRun()
	s.Step = max(v.set.Step, kit.Narrowest(kit.NewGrid(q.T0, q.T1, q.Width)))
	q.T0, q.T1 = max(q.T0, 0), min(q.T1, schedule.Makespan(v.run))
	return core.NumbersOf("treeusage", v.run, s, q)
}
