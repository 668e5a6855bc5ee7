package progress

import (
	"math"
	"runtime"

	"dagscope/internal/parallel"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
)

// Bands of iterations. Where there are more iterations than there is height,
// neighbours share a band; the shares of a pixel then are of the tasks of all
// of them.
const (
	naturalIterations = 200 // height of a panel of one facet
	tallestIteration  = 14
	lowestIteration   = 2
	facetIterations   = 90 // height of each of several facets
	facetGap          = 5
)

// bandLayout places the bands of the facets.
type bandLayout struct {
	first  int32   // iteration of the first band
	count  int32   // iterations
	per    int32   // iterations in a band
	bands  int32   // of a facet
	pitch  float64 // of a band
	facet  float64 // pitch of a facet
	height float64
}

// shown are the iterations from the first to the last that touch a window, all
// where its place must not depend on the window, or none does.
func (v *iterationView) shown(q core.Query) (first, count int32) {
	if q.Steady {
		return v.first, v.count
	}
	first, last := v.first+v.count, v.first-1
	for f := range v.facets {
		one := &v.facets[f]
		for i, iteration := range one.iteration {
			if one.start[i] < q.T1 && one.end[i] > q.T0 {
				first, last = min(first, iteration), max(last, iteration)
			}
		}
	}
	if last < first {
		return v.first, v.count
	}
	return first, last - first + 1
}

func (v *iterationView) layout(q core.Query) bandLayout {
	first, count := v.shown(q)
	n, facets := float64(count), float64(len(v.facets))
	natural := min(float64(naturalIterations), n*tallestIteration) + 2*facetGap
	if facets > 1 {
		natural = facets * (min(facetIterations, n*tallestIteration) + facetGap)
	}
	l := bandLayout{first: first, count: count, height: kit.HeightOr(q, natural)}
	l.facet = (l.height - facetGap) / facets
	room := max(l.facet-facetGap, lowestIteration)
	l.per = int32(max(1, math.Ceil(n*lowestIteration/room)))
	l.bands = (count + l.per - 1) / l.per
	l.pitch = room / float64(l.bands)
	return l
}

// Y is the upper edge of a band.
func (l *bandLayout) Y(facet, band int32) float64 {
	return facetGap + float64(facet)*l.facet + float64(band)*l.pitch
}

// Middle is the middle line of an iteration within its facet.
func (l *bandLayout) Middle(facet int32, iteration int32) float32 {
	return float32(l.Y(facet, 0) + l.pitch*(float64(iteration)+0.5)/float64(l.per))
}

// gap is the room below each band; low bands have none, which would be stripes.
func (l *bandLayout) gap() float64 {
	if l.pitch < 3 {
		return 0
	}
	return min(1, l.pitch*0.15)
}

// iterationDrawing draws the tasks of all bands.
type iterationDrawing struct {
	view *iterationView
	bandLayout
	bins []*kit.Bins // by facet and band
}

// Draw draws a window of the iterations.
func (v *iterationView) Draw(q core.Query) scene.Panel {
	d := iterationDrawing{view: v, bandLayout: v.layout(q)}
	p := scene.Panel{ID: "iterations", YLabel: "iteration", Height: d.height, Legend: v.kinds,
		Left: []scene.Layer{d.Labels()}, Layers: []scene.Layer{d.extents()}}
	if !v.options.HideTasks && !q.Beside {
		p.Layers = append(p.Layers, d.tasks(kit.NewGrid(q.T0, q.T1, q.Width)))
	}
	p.Layers = append(p.Layers, d.borders(), d.middles())
	if d.per > 1 {
		p.Note = words.PluralThin(int(d.per), "iteration", "iterations") + " share a row"
	}
	if v.without > 0 {
		if p.Note != "" {
			p.Note += "; "
		}
		p.Note += words.PluralThin(int(v.without), "task belongs", "tasks belong") + " to no iteration"
	}
	return p
}

// has reports whether an iteration is among those shown.
func (l *bandLayout) has(iteration int32) bool {
	return iteration >= l.first && iteration < l.first+l.count
}

// extents are the iterations from first start to last end.
func (d *iterationDrawing) extents() scene.Layer {
	r := scene.Rects{Palette: []scene.Color{scene.Lane}, Edges: scene.Crisp, MinWidth: 1}
	for f := range d.view.facets {
		one := &d.view.facets[f]
		var start, end []int64
		var at []int32
		for i, iteration := range one.iteration {
			if !d.has(iteration) {
				continue
			}
			band := (iteration - d.first) / d.per
			if n := len(at); n > 0 && at[n-1] == band {
				start[n-1], end[n-1] = min(start[n-1], one.start[i]), max(end[n-1], one.end[i])
				continue
			}
			at, start, end = append(at, band), append(start, one.start[i]), append(end, one.end[i])
		}
		for i, band := range at {
			r.Add(float64(start[i]), float64(end[i]), float32(d.Y(int32(f), band)), float32(d.pitch-d.gap()), 0)
		}
	}
	return scene.Layer{Name: "iterations", Rects: []scene.Rects{r}}
}

// tasks draws the shares of the columns of each band.
func (d *iterationDrawing) tasks(g *kit.Grid) scene.Layer {
	if d.view.index != nil {
		d.bins = d.tallyIndexed(d.view.index, g)
	} else {
		d.tallyAll(g)
	}
	shares := scene.Rects{Palette: d.view.class.Palette, Edges: scene.Abut}
	for at, b := range d.bins {
		if b != nil {
			y := d.Y(int32(at)/d.bands, int32(at)%d.bands)
			b.StackAll(&shares, float32(y), float32(d.pitch-d.gap()))
		}
	}
	return scene.Layer{Name: "tasks", Rects: []scene.Rects{shares}}
}

// tallyAll counts every task of the window in the bins of its band. Parts of
// the task table are counted side by side, each in bins of its own.
func (d *iterationDrawing) tallyAll(g *kit.Grid) {
	const least = 1 << 17 // tasks that are worth a goroutine
	n := len(d.view.run.Task.Start)
	parts := make([][]*kit.Bins, max(1, min(n/least, runtime.GOMAXPROCS(0))))
	parallel.For(len(parts), func(i int) {
		parts[i] = d.tally(g, n*i/len(parts), n*(i+1)/len(parts))
	})
	d.bins = parts[0]
	for _, part := range parts[1:] {
		d.merge(part)
	}
}

// tally counts the tasks of rows [from, to).
func (d *iterationDrawing) tally(g *kit.Grid, from, to int) []*kit.Bins {
	of := make([]*kit.Bins, len(d.view.facets)*int(d.bands))
	t := &d.view.run.Task
	d.view.between(from, to, func(i int, f int32) {
		k := t.Kind.Index[i]
		if k < 0 || d.view.class.Hidden[k] || t.Start[i] >= g.T1 || t.End[i] <= g.T0 {
			return
		}
		if !d.has(t.Iteration[i]) {
			return
		}
		at := f*d.bands + (t.Iteration[i]-d.first)/d.per
		if of[at] == nil {
			of[at] = kit.NewBins(g, len(d.view.class.Palette))
		}
		of[at].Add(t.Start[i], t.End[i], d.view.class.Of[k])
	})
	return of
}

// merge adds the counts of another part.
func (d *iterationDrawing) merge(part []*kit.Bins) {
	for at, b := range part {
		switch {
		case b == nil:
		case d.bins[at] == nil:
			d.bins[at] = b
		default:
			for _, class := range b.Used {
				for k, ns := range b.Busy[class] {
					d.bins[at].Row(class)[k] += ns
				}
			}
		}
	}
}

// borders are the curves along the starts and the ends.
func (d *iterationDrawing) borders() scene.Layer {
	l := scene.Layer{Name: "borders"}
	if d.view.options.HideBorders {
		return l
	}
	for f := range d.view.facets {
		for _, times := range [][]int64{d.view.facets[f].start, d.view.facets[f].end} {
			l.Lines = append(l.Lines, d.curve(int32(f), times, scene.Ink, nil))
		}
	}
	return l
}

func (d *iterationDrawing) curve(f int32, times []int64, color scene.Color, dash []float32) scene.Line {
	line := scene.Line{Color: color, Width: 1.1, Dash: dash}
	for i, at := range times {
		if one := d.view.facets[f].iteration[i]; one < d.first-1 || one > d.first+d.count {
			continue // neighbours of those shown are where the curve leaves the body
		}
		line.X = append(line.X, float64(at))
		line.Y = append(line.Y, d.Middle(f, d.view.facets[f].iteration[i]-d.first))
	}
	return line
}

// middles are the curves where shares of the tasks had begun.
func (d *iterationDrawing) middles() scene.Layer {
	l := scene.Layer{Name: "middles"}
	for f := range d.view.facets {
		for _, times := range d.view.facets[f].middle {
			l.Lines = append(l.Lines, d.curve(int32(f), times, scene.Ink, []float32{4, 2}))
		}
	}
	return l
}

// Labels number the iterations and name the facets.
func (d *iterationDrawing) Labels() scene.Layer {
	l := scene.Layer{Name: "ticks", Unit: scene.Pixels}
	widest := 0.0
	perIteration := d.pitch / float64(d.per)
	for f := range d.view.facets {
		for _, t := range scene.YTicks(float64(d.first), float64(d.first+d.count-1), perIteration*float64(max(d.count-1, 1)), 22) {
			if t.At != math.Trunc(t.At) {
				continue
			}
			l.Texts = append(l.Texts, scene.Text{X: -kit.LabelAway, Y: d.Middle(int32(f), int32(t.At)-d.first), S: t.Label,
				Size: kit.TickSize, Color: scene.Soft, Anchor: scene.End})
			widest = max(widest, scene.TextWidth(t.Label, kit.TickSize, false))
		}
	}
	if len(d.view.facets) > 1 {
		d.facetLabels(&l, -kit.LabelAway-math.Ceil(widest)-kit.BracketGap)
	}
	return l
}

func (d *iterationDrawing) facetLabels(l *scene.Layer, x float64) {
	s, r := &kit.Lanes{}, &kit.Rows{}
	for f := range d.view.facets {
		s.Lanes = append(s.Lanes, kit.Lane{Group: d.view.facets[f].label})
		r.Y, r.H = append(r.Y, float32(d.Y(int32(f), 0))), append(r.H, float32(d.pitch*float64(d.bands)))
	}
	s.Brackets(l, r, x)
}
