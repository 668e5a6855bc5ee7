package chart

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"dagscope/internal/words"
	"dagscope/show/scene"
)

// ElimTree draws the tree of fronts of a sparse factorization, the root on top:
// which fronts are assembled into which, how much work each is, and where the
// tree is pruned. The area of a front grows with its work (its side with the cube
// root), its shade with the logarithm.
type ElimTree struct {
	Fronts []Front
	Unit   string // of work: "GFlop", "s"
	Facts  []string
}

// Front is a node of the tree.
type Front struct {
	Name   string  // "": its number, from 1
	Parent int32   // -1: a root
	Work   float64 // of itself, ≥ 0, in the unit of the tree
	State  FrontState
	Layer  bool // of the layer at which the tree is pruned
}

// FrontState is how a front is factorized.
type FrontState uint8

// States of fronts.
const (
	Cut    FrontState = iota // in tasks of its own
	Task                     // with all below it in one task
	Inside                   // inside of such a task
)

// Colours of fronts that are not cut into tasks.
var (
	taskColor   = scene.RGB(0xd95f02)
	insideColor = scene.RGB(0xf4c49a)
	edgeColor   = scene.RGB(0xb8c4cc)
)

const (
	workColors  = 200 // colours of work
	workDecades = 5.0 // of work that colours distinguish
	maxLabels   = 24  // fronts that may be labelled
	layerGap    = 1.5 // between a front and the outline of its layer
	labelGap    = 2.0 // between a front and a label's light box
)

// Draw makes a figure of the tree. Of trees with many fronts those inside of
// tasks are left out.
func (t *ElimTree) Draw(o Options) (*scene.Page, error) {
	f := o.figure()
	f.Width = cmp.Or(o.Width, 960)
	f.Panels = []scene.Panel{{ID: "elimtree", Title: "Tree of fronts", Facts: t.Facts, X: &scene.Axis{Min: 0, Max: 1}}}
	l, err := layOut(t.Fronts, f.BodyWidth())
	if err != nil {
		return nil, err
	}
	p := &f.Panels[0]
	p.Height = l.height
	p.Layers = []scene.Layer{
		{Name: "edges", Unit: scene.Pixels, Arrows: []scene.Arrows{l.edges()}},
		{Name: "fronts", Unit: scene.Pixels, Rects: l.squares()},
		{Name: "layer", Unit: scene.Pixels, Lines: l.layer()},
		{Name: "names", Unit: scene.Pixels, Texts: l.names(f.BodyWidth(), t.Unit)},
	}
	p.Legend = l.legend(t.Unit)
	if l.hidden > 0 {
		p.Note = words.Count(l.hidden) + " fronts inside of subtrees are not drawn"
	}
	return compose(f, "tree")
}

// edges go from fronts to their parents.
func (l *treeLayout) edges() scene.Arrows {
	a := scene.Arrows{Color: edgeColor, Width: 0.8}
	if len(l.order) > manyFronts {
		a.Width = 0.4
	}
	for _, v := range l.order {
		if p := l.fronts[v].Parent; p >= 0 {
			a.X0, a.Y0 = append(a.X0, l.x[v]), append(a.Y0, float32(l.y[v]))
			a.X1, a.Y1 = append(a.X1, l.x[p]), append(a.Y1, float32(l.y[p]))
		}
	}
	return a
}

// squares are the fronts, those with little work below those with much.
func (l *treeLayout) squares() []scene.Rects {
	r := scene.Rects{Palette: append(slices.Clone(scene.Sequential(workColors)), taskColor, insideColor)}
	order := slices.Clone(l.order)
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(l.side[a], l.side[b]) })
	for _, v := range order {
		s := l.side[v]
		r.Add(l.x[v]-s/2, l.x[v]+s/2, float32(l.y[v]-s/2), float32(s), l.color(v))
	}
	return []scene.Rects{r}
}

// color is the index of a front's colour in the palette.
func (l *treeLayout) color(v int32) uint8 {
	switch l.fronts[v].State {
	case Task:
		return workColors
	case Inside:
		return workColors + 1
	}
	return workColor(l.fronts[v].Work / l.maxWork)
}

// workColor is the colour of a share of the max work, by its logarithm.
func workColor(share float64) uint8 {
	if !(share > 0) {
		return 0
	}
	return uint8(max(0, min(1, 1+math.Log10(share)/workDecades)) * (workColors - 1))
}

// layer outlines the fronts at which the tree is pruned.
func (l *treeLayout) layer() (lines []scene.Line) {
	for _, v := range l.order {
		if !l.fronts[v].Layer {
			continue
		}
		s := l.side[v]/2 + layerGap
		lines = append(lines, outline(l.x[v]-s, l.x[v]+s, float32(l.y[v]-s), float32(l.y[v]+s), scene.Ink, 1))
	}
	return lines
}

// names labels the fronts with most work, as far as there is room next to them.
func (l *treeLayout) names(width float64, unit string) (texts []scene.Text) {
	order := slices.Clone(l.order)
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(l.fronts[b].Work, l.fronts[a].Work) })
	taken := l.boxes()
	for _, v := range order[:min(maxLabels, len(order))] {
		s := cmp.Or(l.fronts[v].Name, strconv.Itoa(int(v)+1))
		if l.fronts[v].Work > 0 {
			s += ": " + writeWork(l.fronts[v].Work, unit)
		}
		for _, anchor := range []scene.Anchor{scene.Start, scene.End} {
			x, box := l.labelBox(v, scene.TextWidth(s, labelFont, false), anchor)
			if box.X0 < 0 || box.X1 > width || slices.ContainsFunc(taken, func(t scene.Rectangle) bool { return overlap(t, box) }) {
				continue
			}
			taken = append(taken, box)
			texts = append(texts, scene.Text{X: x, Y: float32(l.y[v]), S: s, Size: labelFont, Color: scene.Ink, Anchor: anchor, Halo: true})
			break
		}
	}
	return texts
}

// labelBox is where a label right (Start) or left (End) of a front is anchored,
// and the box that it fills.
func (l *treeLayout) labelBox(v int32, wide float64, anchor scene.Anchor) (x float64, box scene.Rectangle) {
	gap := l.side[v]/2 + 4
	box = scene.Rectangle{X0: l.x[v] + gap, X1: l.x[v] + gap + wide, Y0: l.y[v] - labelFont/2, Y1: l.y[v] + labelFont/2}
	if anchor == scene.Start {
		return box.X0, box
	}
	box.X0, box.X1 = l.x[v]-gap-wide, l.x[v]-gap
	return box.X1, box
}

// writeWork writes work with three digits, more only before the point.
func writeWork(work float64, unit string) string { return words.Amount(work, 3) + " " + unit }

// boxes are the squares that labels do not cover: all of them, with the outlines
// of the layer.
func (l *treeLayout) boxes() (boxes []scene.Rectangle) {
	for _, v := range l.order {
		s := l.side[v]/2 + labelGap
		if l.fronts[v].Layer {
			s += layerGap
		}
		boxes = append(boxes, scene.Rectangle{X0: l.x[v] - s, X1: l.x[v] + s, Y0: l.y[v] - s, Y1: l.y[v] + s})
	}
	return boxes
}

func overlap(a, b scene.Rectangle) bool {
	return a.X0 < b.X1 && b.X0 < a.X1 && a.Y0 < b.Y1 && b.Y0 < a.Y1
}

// legend explains what there is.
func (l *treeLayout) legend(unit string) (entries []scene.LegendEntry) {
	var state [3]bool
	layer := false
	for _, v := range l.order {
		state[l.fronts[v].State] = true
		layer = layer || l.fronts[v].Layer
	}
	if colors := scene.Sequential(workColors); state[Cut] && l.maxWork > 0 {
		for _, share := range []float64{1, 1e-2, 1e-4} {
			entries = append(entries, scene.LegendEntry{Label: writeWork(l.maxWork*share, unit), Color: colors[workColor(share)]})
		}
		entries[0].Label = "front cut into tasks: " + entries[0].Label
	}
	if state[Task] {
		entries = append(entries, scene.LegendEntry{Label: "front of a subtree that is one task", Color: taskColor})
	}
	if state[Inside] {
		entries = append(entries, scene.LegendEntry{Label: "inside of such a subtree", Color: insideColor})
	}
	if layer {
		entries = append(entries, scene.LegendEntry{Label: "layer at which the tree is pruned", Color: scene.Ink, Swatch: scene.Stroke})
	}
	return entries
}
