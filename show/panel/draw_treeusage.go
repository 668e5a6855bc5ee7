package panel

import (
	"cmp"
	"fmt"
	"slices"

	"dagscope/explain/numbers"
	"dagscope/explain/schedule"
	"dagscope/explain/tree"
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/internal/words"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	register(drawing(Panel{
		ID: "treeusage", Time: true,
		Doc: "How the work on an elimination tree shares the machine over time, in up to four parts: by tree node (colours " +
			"are used again once a node has ended; they tell neighbours apart and mean nothing else), by depth in the tree " +
			"(dark at the root), the number of nodes in memory, and the memory that they hold, that of whole subtrees on top. " +
			"Heights are time averages of each pixel, of the first two in percent of all workers.",
		Reads: func(*Options) []string { return treeReads },
		Open:  openTreeUsage,
	}))
}

// TreeUsage are the options of the panel of the usage of the tree.
type TreeUsage struct {
	Parts []string // what is drawn, nil for all that the run has; see [TreeParts]
	Step  int64    // ns: means over slices this long, 0 for each pixel
}

// TreeParts are the parts of the panel.
var TreeParts = []string{"nodes", "depth", "active", "memory"}

const (
	treePartHeight = 90
	mostRecycled   = 48
)

// treeUsageView stacks loads and draws curves.
type treeUsageView struct {
	run    *trace.Run
	set    TreeUsage
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
	steps *compact
	most  float64
}

func openTreeUsage(run *trace.Run, o *Options) (View, error) {
	t, err := treeOf(run)
	if err != nil {
		return nil, err
	}
	v := &treeUsageView{run: run, set: o.TreeUsage, count: max(t.Workers, 1)}
	v.nodes, v.depth = recycled(t), depths(t)
	full, pruned := t.Active()
	v.active = notEmptyCurves(newLayerCurve("nodes", seriesColors[0], full), newLayerCurve("whole subtrees", seriesColors[3], pruned))
	v.addMemory(t)
	for _, part := range TreeParts {
		wanted := len(o.TreeUsage.Parts) == 0 || slices.Contains(o.TreeUsage.Parts, part)
		if wanted && (part != "memory" || v.memory != nil) {
			v.parts = append(v.parts, part)
		}
	}
	if len(v.parts) == 0 {
		return nil, &Missing{"the memory of tree nodes is not known in this run: neither the solver declares it nor do handles have sizes"}
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
	v.memory = notEmptyCurves(newLayerCurve("memory of nodes", seriesColors[0], full), newLayerCurve("memory of whole subtrees", seriesColors[3], pruned))
}

func newLayerCurve(label string, color scene.Color, f interval.Steps) layerCurve {
	most := 0.0
	for _, x := range f.Value {
		most = max(most, x)
	}
	return layerCurve{label, color, newCompact(f), most}
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
	n := len(seriesColors)
	return seriesColors[c%n].Mix(scene.White, 0.25+0.2*float64(c/n%3))
}

// depths are the loads by depth, the root darkest.
func depths(t *tree.Tree) (out []layerCurve) {
	for d, f := range t.LoadByDepth() {
		out = append(out, newLayerCurve(fmt.Sprintf("depth %d", d), scene.None, f))
	}
	out = notEmptyCurves(out...)
	colors := sequentialColors(len(out) + 1)
	for i := range out {
		out[i].color = colors[len(out)-i]
	}
	return out
}

// Draw draws a window of all parts.
func (v *treeUsageView) Draw(q Query) scene.Panel {
	p := scene.Panel{ID: "treeusage", Height: heightOr(q, treePartHeight*float64(len(v.parts)))}
	share := p.Height / float64(len(v.parts))
	g := newGrid(q.T0, q.T1, q.Width)
	for i, part := range v.parts {
		d := treePart{view: v, q: q, grid: g, down: float32(share * float64(i)), height: share - 3}
		p.Layers = append(p.Layers, d.draw(part)...)
		if !q.Body {
			p.Left = append(p.Left, d.axis.labels(d.down), d.name(part, share))
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
	q      Query
	grid   *grid
	down   float32
	height float64
	axis   yAxis
	legend []scene.LegendEntry
}

func (d *treePart) draw(part string) []scene.Layer {
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
	d.axis = newAxis(0, d.view.held.most, d.height, "MB")
	s := stackDrawing{grid: d.grid, axis: d.axis, down: d.down}
	for i := range d.view.memory {
		c := &d.view.memory[i]
		s.parts = append(s.parts, stacked{label: c.label, detail: "most " + amount(c.most, "MB"), color: c.color, mean: d.mean(c)})
	}
	d.legend = s.legend()
	return []scene.Layer{d.grids(), s.areas(true)}
}

// mean are the columns of a curve, or the slices that were asked for.
func (d *treePart) mean(c *layerCurve) []float64 {
	f := c.steps
	if d.view.set.Step > narrowest(d.grid) {
		f = f.sliced(d.view.set.Step, d.q.T0, d.q.T1)
	}
	return f.reduce(d.grid).mean
}

// stack draws loads on top of each other, in % of all workers.
func (d *treePart) stack(all []layerCurve, named bool) []scene.Layer {
	d.axis = newAxis(0, 100, d.height, "%")
	s := stackDrawing{grid: d.grid, axis: d.axis, down: d.down, parts: make([]stacked, len(all))}
	parallel.For(len(all), func(i int) {
		mean := d.mean(&all[i])
		for k := range mean {
			mean[k] *= 100 / float64(d.view.count)
		}
		s.parts[i] = stacked{label: all[i].label, color: all[i].color, mean: mean}
	})
	if named {
		d.legend = s.legend()
	}
	return []scene.Layer{d.grids(), s.areas(true)}
}

// grids are the lines of the axis, where the part lies.
func (d *treePart) grids() scene.Layer {
	l := d.axis.grid(d.q)
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
	d.axis = newAxis(0, most, d.height, "")
	l := scene.Layer{Name: "curves"}
	for i := range all {
		s := shown{curve: curve{color: all[i].color}, reduced: reduced{mean: d.mean(&all[i])}}
		line := s.line(d.grid, &d.axis)
		for k := range line.Y {
			line.Y[k] += d.down
		}
		l.Lines = append(l.Lines, line)
		d.legend = append(d.legend, scene.LegendEntry{Label: all[i].label, Detail: "most " + amount(all[i].most, ""), Color: all[i].color, Swatch: scene.Stroke})
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
func (v *treeUsageView) At(t int64) (out []Reading) {
	sum := 0.0
	for i := range v.nodes {
		sum += slicedAt(v.nodes[i].steps, t, v.set.Step)
	}
	for _, part := range v.parts {
		switch part {
		case "nodes":
			out = append(out, reading("all tree nodes", 100*sum/float64(v.count), "%", scene.None))
		case "depth":
			for i := range v.depth {
				c := &v.depth[i]
				out = append(out, reading(c.label, 100*slicedAt(c.steps, t, v.set.Step)/float64(v.count), "%", c.color))
			}
		case "active":
			for i := range v.active {
				out = append(out, reading("active "+v.active[i].label, slicedAt(v.active[i].steps, t, v.set.Step), "", v.active[i].color))
			}
		case "memory":
			for i := range v.memory {
				out = append(out, reading(v.memory[i].label, slicedAt(v.memory[i].steps, t, v.set.Step), "MB", v.memory[i].color))
			}
		}
	}
	return out
}

var _ Reader = (*treeUsageView)(nil)

// Data returns the load of each tree node in the slices of the window, those
// of a pixel unless they were asked for.
func (v *treeUsageView) Data(q Query) numbers.Table {
	s := wholeRun()
	s.Step = max(v.set.Step, narrowest(newGrid(q.T0, q.T1, q.Width)))
	q.T0, q.T1 = max(q.T0, 0), min(q.T1, schedule.Makespan(v.run))
	return numbersOf("treeusage", v.run, s, q)
}
