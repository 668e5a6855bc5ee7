package nodes

import (
	"cmp"
	"fmt"
	"slices"

	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/progression"
	"dagscope/explain/schedule"
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
		ID: "progression", Time: true,
		Doc: "How far nodes are with their work, and which keep pace with each other (Nesi 2023). At each step nodes " +
			"with nearly the same progress are a cluster, a point; lines lead to where its nodes are at the next step, the " +
			"thicker the more nodes. Blue is where most nodes are, red what is behind them, green what is ahead; the smaller " +
			"parts of a cluster that splits are labelled with their nodes. Grey curves are the single nodes. The dashed line " +
			"is the area bound of the run, the dotted curve when the progress could have been reached by the area bounds of " +
			"the steps: where all nodes lie right of it, all are late.",
		Open: openProgression,
	}))
}

// progressionView draws the clusters of nodes.
type progressionView struct {
	run      *trace.Run
	options  core.Progression
	r        *progression.Result
	bound    []float64 // cumulative, of each instant
	branches []progression.Branch
	flow     [][]progression.Flow // from each instant to the next, the thickest first
	most     []int32              // largest cluster of each instant
	makespan int64
}

func openProgression(run *trace.Run, o *core.Options) (core.View, error) {
	v := &progressionView{run: run, options: o.Progression, makespan: schedule.Makespan(run)}
	p := &v.options
	r, err := progression.Compute(run, progression.Options{Steps: p.Steps, Bandwidth: p.Bandwidth, SheatherJones: p.SheatherJones,
		Weights: p.Weights, Nodes: o.Nodes, NoBounds: p.HideBounds})
	if err != nil {
		return nil, err
	}
	if len(r.Node) == 0 {
		return nil, &panels.Missing{Why: "no task of the application ran on a node that is shown"}
	}
	v.r, v.bound, v.branches = r, r.Cumulative(), r.Branches()
	slices.SortStableFunc(v.branches, func(a, b progression.Branch) int { return cmp.Compare(b.Apart, a.Apart) })
	for s := range r.Time {
		most := 0
		for c, n := range r.Size[s] {
			if n >= r.Size[s][most] {
				most = c
			}
		}
		v.most = append(v.most, int32(most))
	}
	v.flow = make([][]progression.Flow, len(r.Time)-1)
	parallel.For(len(v.flow), func(s int) {
		v.flow[s] = r.Flows(s)
		slices.SortStableFunc(v.flow[s], func(a, b progression.Flow) int { return len(b.Nodes) - len(a.Nodes) })
	})
	return v, nil
}

const (
	progressionHeight = 260
	thickest          = 8   // width of the line of all nodes, pixels
	mostNodeCurves    = 100 // in the background
	clusterPoint      = 5
)

// Colours of clusters by where they are beside the largest.
var (
	withMost = scene.RGB(0x0077bb)
	behind   = scene.RGB(0xcc3311)
	ahead    = scene.RGB(0x009988)
)

// ColorOf is the colour of a cluster of an instant.
func (v *progressionView) ColorOf(s int, cluster int32) scene.Color {
	switch c := cmp.Compare(cluster, v.most[s]); {
	case c < 0:
		return behind
	case c > 0:
		return ahead
	}
	return withMost
}

// Draw draws a window. Steps that begin or end inside are drawn whole: what lies
// outside is clipped.
func (v *progressionView) Draw(q core.Query) scene.Panel {
	height := kit.HeightOr(q, progressionHeight)
	axis := kit.NewAxis(0, 100, height, "%")
	at := func(p float64) float32 { return axis.Y(100 * p) }
	from, to := v.steps(q)
	labels, left := v.Labels(q, height, at)
	p := scene.Panel{ID: "progression", Height: height, Layers: []scene.Layer{axis.Grid(q), v.nodes(from, to, at), v.flows(from, to, at),
		v.points(from, to, at), v.Bounds(q, at), labels}}
	if q.Body {
		return p
	}
	p.YLabel, p.Left, p.Legend = "progress [%]", []scene.Layer{axis.Labels(0)}, v.Legend()
	p.Note = v.note(left)
	if v.r.ABE > 0 {
		p.Marks = []scene.Mark{{X: v.r.ABE, Label: "ABE " + words.Duration(v.r.ABE), Color: scene.Ink, Dash: []float32{5, 3}}}
	}
	return p
}

// steps are the instants [from, to] that a window needs.
func (v *progressionView) steps(q core.Query) (from, to int) {
	from = max(0, interval.FirstAfter(v.r.Time, q.T0)-1)
	to = min(len(v.r.Time)-1, interval.FirstAfter(v.r.Time, q.T1))
	return from, max(from, to)
}

// nodes are the curves of single nodes and, where not all have one, the range
// that they fill.
func (v *progressionView) nodes(from, to int, at func(float64) float32) scene.Layer {
	l := scene.Layer{Name: "nodes"}
	if v.options.HideNodes || len(v.r.Node) < 2 {
		return l
	}
	every := (len(v.r.Node) + mostNodeCurves - 1) / mostNodeCurves
	if every > 1 {
		area := scene.Area{Color: kit.Faint(scene.Soft, 0x18)}
		for s := from; s <= to; s++ {
			area.X = append(area.X, float64(v.r.Time[s]))
			area.Y0, area.Y1 = append(area.Y0, at(slices.Max(v.r.Progress[s]))), append(area.Y1, at(slices.Min(v.r.Progress[s])))
		}
		l.Areas = append(l.Areas, area)
	}
	alpha := uint8(max(0x20, 0x80-2*len(v.r.Node)))
	for i := 0; i < len(v.r.Node); i += every {
		line := scene.Line{Color: kit.Faint(scene.Soft, alpha), Width: 0.8}
		for s := from; s <= to; s++ {
			line.X, line.Y = append(line.X, float64(v.r.Time[s])), append(line.Y, at(v.r.Progress[s][i]))
		}
		l.Lines = append(l.Lines, line)
	}
	return l
}

// flows are the lines between clusters, the thickest below.
func (v *progressionView) flows(from, to int, at func(float64) float32) scene.Layer {
	l := scene.Layer{Name: "flows"}
	for s := from; s < to; s++ {
		for _, f := range v.flow[s] {
			l.Lines = append(l.Lines, scene.Line{X: []float64{float64(v.r.Time[s]), float64(v.r.Time[s+1])},
				Y:     []float32{at(v.r.Mean[s][f.From]), at(v.r.Mean[s+1][f.To])},
				Color: v.ColorOf(s+1, f.To).Mix(scene.White, 0.25), Width: v.width(len(f.Nodes))})
		}
	}
	return l
}

// width is that of the line of so many nodes.
func (v *progressionView) width(nodes int) float32 {
	if len(v.r.Node) == 1 {
		return 2
	}
	return 1 + (thickest-1)*float32(nodes)/float32(len(v.r.Node))
}

func (v *progressionView) points(from, to int, at func(float64) float32) scene.Layer {
	points := scene.Rects{Palette: []scene.Color{withMost, behind, ahead}, MinWidth: clusterPoint, Edges: scene.Blend}
	for s := from; s <= to; s++ {
		for c, mean := range v.r.Mean[s] {
			x := float64(v.r.Time[s])
			points.Add(x, x, at(mean)-clusterPoint/2.0, clusterPoint, uint8(slices.Index(points.Palette, v.ColorOf(s, int32(c)))))
		}
	}
	return scene.Layer{Name: "clusters", Rects: []scene.Rects{points}}
}

// Bounds is the progress over the sum of the bounds of the steps so far.
func (v *progressionView) Bounds(q core.Query, at func(float64) float32) scene.Layer {
	l := scene.Layer{Name: "bounds"}
	if v.options.HideBounds {
		return l
	}
	line := scene.Line{Color: scene.Ink, Width: 1.2, Dash: []float32{1.5, 2.5}}
	points := scene.Rects{Palette: []scene.Color{scene.Ink}, MinWidth: 3.5, Edges: scene.Blend}
	for s, t := range v.bound {
		y := at(v.r.Global[s])
		line.X, line.Y = append(line.X, t), append(line.Y, y)
		if t >= float64(q.T0) && t < float64(q.T1) {
			points.Add(t, t, y-1.75, 3.5, 0)
		}
	}
	l.Lines, l.Rects = []scene.Line{line}, []scene.Rects{points}
	return l
}

func (v *progressionView) Legend() []scene.LegendEntry {
	out := []scene.LegendEntry{{Label: "most nodes", Color: withMost, Swatch: scene.Stroke}}
	isBehind, isAhead := false, false
	for s := range v.r.Time {
		isBehind = isBehind || v.most[s] > 0
		isAhead = isAhead || int(v.most[s]) < len(v.r.Size[s])-1
	}
	if isBehind {
		out = append(out, scene.LegendEntry{Label: "behind them", Color: behind, Swatch: scene.Stroke})
	}
	if isAhead {
		out = append(out, scene.LegendEntry{Label: "ahead", Color: ahead, Swatch: scene.Stroke})
	}
	if !v.options.HideBounds {
		out = append(out, scene.LegendEntry{Label: "area bounds of the steps", Color: scene.Ink, Swatch: scene.Stroke, Dash: []float32{1.5, 2.5}})
	}
	return out
}

// note says what was computed, and what was left out.
func (v *progressionView) note(left int) string {
	most := 0
	for _, size := range v.r.Size {
		most = max(most, len(size))
	}
	note := fmt.Sprintf("%s, at most %s; %s, bandwidth %s", words.PluralThin(len(v.r.Node), "node", "nodes"), words.PluralThin(most, "cluster", "clusters"),
		words.PluralThin(len(v.r.Time)-1, "step", "steps"), v.bandwidth())
	if len(v.r.Without) > 0 {
		note += fmt.Sprintf("; %s ran nothing", words.PluralThin(len(v.r.Without), "node", "nodes"))
	}
	if left > 0 {
		note += fmt.Sprintf("; %s left out for lack of room", words.PluralThin(left, "label of a branch is", "labels of branches are"))
	}
	if len(v.r.Node) > mostNodeCurves && !v.options.HideNodes {
		note += "; grey: some of the nodes, and the range of all"
	}
	return note
}

func (v *progressionView) bandwidth() string {
	least, most := slices.Min(v.r.Bandwidth), slices.Max(v.r.Bandwidth)
	if least == most {
		return kit.Number(most)
	}
	return fmt.Sprintf("%s to %s (Sheather–Jones)", kit.Number(least), kit.Number(most))
}

// Data returns the progression of all nodes at all instants.
func (v *progressionView) Data(core.Query) numbers.Table {
	n, err := panels.Find("progression")
	if err != nil {
		panic(err) // registered in this package
	}
	return numbers.Table{Columns: n.Columns, Data: panels.ProgressionColumns(v.r)}
}

// At lists the clusters around an instant, the fastest first.
func (v *progressionView) At(t int64) []core.Reading {
	s := min(max(interval.FirstAfter(v.r.Time, t)-1, 0), len(v.r.Time)-1)
	var out []core.Reading
	for c := int32(len(v.r.Size[s])) - 1; c >= 0; c-- {
		if len(out) == mostReadings {
			out = append(out, core.Reading{Label: "…", Value: words.CountThin(int(c) + 1), Unit: "more clusters"})
			break
		}
		var places []int32
		for i, of := range v.r.Cluster[s] {
			if of == c {
				places = append(places, int32(i))
			}
		}
		out = append(out, core.Reading{Label: v.names(places), Value: kit.Exactly(100 * v.r.Mean[s][c]), Unit: "%", Color: v.ColorOf(s, c)})
	}
	return out
}

const mostReadings = 12

var _ core.Reader = (*progressionView)(nil)
