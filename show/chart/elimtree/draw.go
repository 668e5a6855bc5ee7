package elimtree

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"dagscope/internal/words"
	"dagscope/show/scene"
)

// Options of [Draw].
type Options struct {
	Title  string
	Width  float64 // of the page, pixels; 0: 960
	Unit   string  // of work: "GFlop", "s"
	Facts  []string
	Theme  *scene.Theme
	Recipe []scene.Field
}

// Colours of what is not cut up.
var (
	taskColor   = scene.RGB(0xd95f02)
	insideColor = scene.RGB(0xf4c49a)
	edgeColor   = scene.RGB(0xb8c4cc)
)

const (
	levels    = 200  // colours of work
	range10   = 5.0  // decades of work that colours tell apart
	labels    = 24   // nodes that may be labelled
	labelFont = 10.0 // pixels
	frame     = 1.5  // between a node and the frame of its layer
	clearance = 2.0  // between a node and a label's light box
)

// Draw makes a figure of a tree of fronts, the root on top. The area of a
// node grows with its work (its side with the cube root), and its shade with
// the logarithm. In trees of many nodes those inside of tasks are left out.
func Draw(nodes []Node, o Options) (*scene.Page, error) {
	f := &scene.Figure{Title: o.Title, Width: cmp.Or(o.Width, 960), Recipe: o.Recipe, Theme: o.Theme}
	f.Panels = []scene.Panel{{ID: "elimtree", Title: "Tree of fronts", Facts: o.Facts, X: &scene.Axis{Min: 0, Max: 1}}}
	l, err := place(nodes, f.BodyWidth())
	if err != nil {
		return nil, err
	}
	p := &f.Panels[0]
	p.Height = l.height
	p.Layers = []scene.Layer{
		{Name: "edges", Unit: scene.Pixels, Arrows: []scene.Arrows{l.edges()}},
		{Name: "fronts", Unit: scene.Pixels, Rects: l.fronts()},
		{Name: "layer", Unit: scene.Pixels, Lines: l.layer()},
		{Name: "names", Unit: scene.Pixels, Texts: l.names(f.BodyWidth(), o.Unit)},
	}
	p.Legend = l.legend(o.Unit)
	if l.hidden > 0 {
		p.Note = words.Count(l.hidden) + " fronts inside of subtrees are not drawn"
	}
	page, err := scene.Compose(f)
	if err != nil {
		return nil, fmt.Errorf("draw tree: %w", err)
	}
	return page, nil
}

// edges go from nodes to their parents.
func (l *layout) edges() scene.Arrows {
	a := scene.Arrows{Color: edgeColor, Width: 0.8}
	if len(l.order) > fewNodes {
		a.Width = 0.4
	}
	for _, v := range l.order {
		if p := l.nodes[v].Parent; p >= 0 {
			a.X0, a.Y0 = append(a.X0, l.x[v]), append(a.Y0, float32(l.y[v]))
			a.X1, a.Y1 = append(a.X1, l.x[p]), append(a.Y1, float32(l.y[p]))
		}
	}
	return a
}

// fronts are squares, those with little work below those with much.
func (l *layout) fronts() []scene.Rects {
	r := scene.Rects{Palette: append(slices.Clone(scene.Sequential(levels)), taskColor, insideColor)}
	order := slices.Clone(l.order)
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(l.side[a], l.side[b]) })
	for _, v := range order {
		s := l.side[v]
		r.Add(l.x[v]-s/2, l.x[v]+s/2, float32(l.y[v]-s/2), float32(s), l.color(v))
	}
	return []scene.Rects{r}
}

// color is the place of a node's colour in the palette.
func (l *layout) color(v int32) uint8 {
	switch l.nodes[v].State {
	case Task:
		return levels
	case Inside:
		return levels + 1
	}
	return shade(l.nodes[v].Work / l.most)
}

// shade is the level of a share of the most work, by its logarithm.
func shade(share float64) uint8 {
	if !(share > 0) {
		return 0
	}
	return uint8(max(0, min(1, 1+math.Log10(share)/range10)) * (levels - 1))
}

// layer frames the nodes at which the tree is pruned.
func (l *layout) layer() (frames []scene.Line) {
	for _, v := range l.order {
		if !l.nodes[v].Layer {
			continue
		}
		s := l.side[v]/2 + frame
		x0, x1, y0, y1 := l.x[v]-s, l.x[v]+s, float32(l.y[v]-s), float32(l.y[v]+s)
		frames = append(frames, scene.Line{X: []float64{x0, x1, x1, x0, x0}, Y: []float32{y0, y0, y1, y1, y0}, Color: scene.Ink, Width: 1})
	}
	return frames
}

// names labels the nodes with most work, as far as there is room beside them.
func (l *layout) names(width float64, unit string) (texts []scene.Text) {
	order := slices.Clone(l.order)
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(l.nodes[b].Work, l.nodes[a].Work) })
	taken := l.boxes()
	for _, v := range order[:min(labels, len(order))] {
		s := cmp.Or(l.nodes[v].Name, strconv.Itoa(int(v)+1))
		if l.nodes[v].Work > 0 {
			s += ": " + amount(l.nodes[v].Work, unit)
		}
		for _, anchor := range []scene.Anchor{scene.Start, scene.End} {
			x, box := l.beside(v, scene.TextWidth(s, labelFont, false), anchor)
			if box.X0 < 0 || box.X1 > width || slices.ContainsFunc(taken, func(t scene.Rectangle) bool { return meet(t, box) }) {
				continue
			}
			taken = append(taken, box)
			texts = append(texts, scene.Text{X: x, Y: float32(l.y[v]), S: s, Size: labelFont, Color: scene.Ink, Anchor: anchor, Halo: true})
			break
		}
	}
	return texts
}

// beside is where a label right (Start) or left (End) of a node is anchored,
// and the box that it fills.
func (l *layout) beside(v int32, wide float64, anchor scene.Anchor) (x float64, box scene.Rectangle) {
	gap := l.side[v]/2 + 4
	box = scene.Rectangle{X0: l.x[v] + gap, X1: l.x[v] + gap + wide, Y0: l.y[v] - labelFont/2, Y1: l.y[v] + labelFont/2}
	if anchor == scene.Start {
		return box.X0, box
	}
	box.X0, box.X1 = l.x[v]-gap-wide, l.x[v]-gap
	return box.X1, box
}

// amount is work with three digits, more only before the point.
func amount(work float64, unit string) string {
	return words.Amount(work, 3) + " " + unit
}

// boxes are the squares that labels do not cover: all of them, with the layer's
// frames.
func (l *layout) boxes() (boxes []scene.Rectangle) {
	for _, v := range l.order {
		s := l.side[v]/2 + clearance
		if l.nodes[v].Layer {
			s += frame
		}
		boxes = append(boxes, scene.Rectangle{X0: l.x[v] - s, X1: l.x[v] + s, Y0: l.y[v] - s, Y1: l.y[v] + s})
	}
	return boxes
}

func meet(a, b scene.Rectangle) bool {
	return a.X0 < b.X1 && b.X0 < a.X1 && a.Y0 < b.Y1 && b.Y0 < a.Y1
}

// legend explains what there is.
func (l *layout) legend(unit string) (entries []scene.LegendEntry) {
	var state [3]bool
	layer := false
	for _, v := range l.order {
		state[l.nodes[v].State] = true
		layer = layer || l.nodes[v].Layer
	}
	if colors := scene.Sequential(levels); state[Cut] && l.most > 0 {
		for _, share := range []float64{1, 1e-2, 1e-4} {
			entries = append(entries, scene.LegendEntry{Label: amount(l.most*share, unit), Color: colors[shade(share)]})
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
