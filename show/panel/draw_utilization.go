package panel

import (
	"fmt"
	"math"

	"dagscope/explain/numbers"
	"dagscope/explain/schedule"
	"dagscope/explain/utilization"
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/internal/words"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	register(drawing(Panel{
		ID: "utilization", Time: true, Rows: true,
		Doc: "How much each worker was used in each step: the darker the more of the step it ran tasks. Steps are a 200th of " +
			"the makespan unless set, and at least a pixel wide. Vertical stripes are moments in which all workers lack work, " +
			"horizontal ones workers that get too little of it. The bars at the right are the use of the whole window. Workers " +
			"beyond 600 are drawn as the mean of those of a node and architecture.",
		Open: openUtilization,
	}))
}

// utilizationView draws a heat map.
type utilizationView struct {
	run      *trace.Run
	options  Utilization
	lanes    *laneSet
	covers   []*interval.Cover // by resource, nil where there is none
	step     int64
	makespan int64
	folded   bool
}

func openUtilization(run *trace.Run, o *Options) (View, error) {
	v := &utilizationView{run: run, options: o.Utilization, lanes: workerLanes(run, o), makespan: schedule.Makespan(run)}
	if len(v.lanes.lanes) == 0 {
		return nil, &Missing{"no worker is selected"}
	}
	if v.makespan <= 0 {
		return nil, nothingRan
	}
	if v.folded = o.SpaceTime.Fold || len(v.lanes.lanes) > foldBeyond && !o.SpaceTime.NoFold; v.folded {
		v.lanes = v.lanes.fold()
	}
	if v.step = v.options.Step; v.step <= 0 {
		v.step = part(utilizationSlices)(0, v.makespan)
	}
	busy := utilization.NewBusy(run, utilization.SliceOptions{Lanes: o.Base.laid()})
	v.covers = make([]*interval.Cover, len(run.Resource.Parent))
	for i, w := range busy.Worker {
		v.covers[w] = &busy.Cover[i]
	}
	return v, nil
}

// laid are the lanes of a base, nil without one.
func (b *Base) laid() *schedule.Lanes {
	if b == nil {
		return nil
	}
	return b.Lanes
}

// heatColor is what a step that is used throughout has; less is a tint of it, so
// that themes keep the order.
var heatColor = scene.RGB(0x08408a)

// heatLevels are the colours of utilisation: grey for none at all, then from
// hardly any to all of a step.
var heatLevels = heatScale(40)

func heatScale(levels int) []scene.Color {
	out := []scene.Color{scene.Lane}
	for i := range levels {
		out = append(out, heatColor.Mix(scene.White, 0.85*(1-float64(i)/float64(levels-1))))
	}
	return out
}

func heatLevel(share float64) uint8 {
	if share <= 0 {
		return 0
	}
	levels := len(heatLevels) - 1
	return uint8(1 + min(int(share*float64(levels)), levels-1))
}

// cut is the step of a drawing: the one asked for, or the smallest multiple of
// it that is a pixel wide.
func (v *utilizationView) cut(q Query) interval.Slices {
	least := narrowest(newGrid(q.T0, q.T1, q.Width))
	s := interval.Slices{Step: v.step * max(1, (least+v.step-1)/v.step)}
	from, to := max(q.T0, 0), min(q.T1, v.makespan)
	if from >= to {
		return s
	}
	// Slices count from zero; the last ends with the run.
	s.From, s.To = from/s.Step*s.Step, min((to+s.Step-1)/s.Step*s.Step, v.makespan)
	return s
}

// use is the mean use of the workers of a lane in each slice.
func (v *utilizationView) use(l *lane, s interval.Slices) []float64 {
	sum := make([]float64, s.Len())
	for _, r := range l.resources {
		if v.covers[r] == nil {
			continue
		}
		cursor := v.covers[r].Cursor()
		before := cursor.Until(s.From)
		for k := range sum {
			_, to := s.Bounds(k)
			until := cursor.Until(to)
			sum[k] += float64(until-before) / s.Over(k, interval.ExistingPart) / float64(len(l.resources))
			before = until
		}
	}
	return sum
}

// Draw draws a window.
func (v *utilizationView) Draw(q Query) scene.Panel {
	r := v.lanes.place(q.Height)
	s := v.cut(q)
	cells := make([]scene.Rects, len(v.lanes.lanes))
	parallel.For(len(cells), func(i int) {
		v.row(&cells[i], v.use(&v.lanes.lanes[i], s), s, r.y[i], r.h[i])
	})
	back, all := scene.Rects{Palette: heatLevels[:1], Edges: scene.Crisp}, scene.Rects{Palette: heatLevels, Edges: scene.Abut}
	for i := range cells {
		back.Add(float64(q.T0), float64(q.T1), r.y[i], r.h[i], 0)
		c := &cells[i]
		all.X0, all.X1 = append(all.X0, c.X0...), append(all.X1, c.X1...)
		all.Y, all.H, all.Color = append(all.Y, c.Y...), append(all.H, c.H...), append(all.Color, c.Color...)
	}
	p := scene.Panel{ID: "utilization", Height: float64(r.height), Layers: []scene.Layer{{Name: "use", Rects: []scene.Rects{back, all}}}}
	if q.Body {
		return p
	}
	p.Left = []scene.Layer{v.lanes.leftLabels(r)}
	p.Right = []scene.Layer{v.lanes.idleLabels(r, v.shares(q), "used")}
	p.Legend, p.Note = heatLegend(), v.note(s)
	if why := outsideRun(v.run, q.T0, q.T1); why != "" {
		p.Note = why
	}
	return p
}

// row adds the cells of a row, neighbours of one level as one; where nothing ran
// there is none.
func (v *utilizationView) row(c *scene.Rects, use []float64, s interval.Slices, y, h float32) {
	for k := 0; k < len(use); {
		level, from := heatLevel(use[k]), k
		for k < len(use) && heatLevel(use[k]) == level {
			k++
		}
		if level == 0 {
			continue
		}
		x0, _ := s.Bounds(from)
		_, x1 := s.Bounds(k - 1)
		c.Add(float64(x0), float64(x1), y, h, level)
	}
}

// shares are the use of each lane over the part of the window in which the run
// ran.
func (v *utilizationView) shares(q Query) []float64 {
	ran := ranIn(v.makespan, q)
	out := make([]float64, len(v.lanes.lanes))
	whole := interval.Slices{From: ran.from, To: ran.to, Step: max(1, ran.to-ran.from)}
	for i := range out {
		out[i] = math.NaN()
		if use := v.use(&v.lanes.lanes[i], whole); len(use) > 0 {
			out[i] = use[0]
		}
	}
	return out
}

func heatLegend() []scene.LegendEntry {
	legend := []scene.LegendEntry{{Label: "unused", Color: heatLevels[0]}}
	for _, p := range []float64{0.01, 0.25, 0.5, 0.75, 1} {
		label := fmt.Sprintf("%.0f %%", 100*p)
		if p == 0.01 {
			label = "hardly"
		}
		legend = append(legend, scene.LegendEntry{Label: label, Color: heatLevels[heatLevel(p)]})
	}
	return legend
}

func (v *utilizationView) note(s interval.Slices) string {
	note := "steps of " + words.Duration(s.Step)
	if s.Step > v.step {
		note += ", a pixel: those of " + words.Duration(v.step) + " are narrower"
	}
	if v.folded || v.lanes.several() {
		note += "; rows of several workers are their mean"
	}
	return note
}

// Rows are workers, or groups of them.
func (v *utilizationView) Rows(height float64) []Row {
	g := gantt{lanes: v.lanes, tracks: make([][]*track, len(v.lanes.lanes))}
	return g.live(v.lanes.place(height))
}

// At reads the step around an instant.
func (v *utilizationView) At(t int64) []Reading {
	s := v.cut(Query{T0: t, T1: t + 1, Width: 1})
	if s.Len() == 0 {
		return nil
	}
	type use struct{ sum, workers float64 }
	of := map[string]*use{}
	var archs []string
	for i := range v.lanes.lanes {
		l := &v.lanes.lanes[i]
		if of[l.arch] == nil {
			of[l.arch], archs = &use{}, append(archs, l.arch)
		}
		of[l.arch].sum += v.use(l, s)[0] * float64(len(l.resources))
		of[l.arch].workers += float64(len(l.resources))
	}
	var out []Reading
	for _, arch := range archs {
		out = append(out, reading(archName(arch)+" used", 100*of[arch].sum/of[arch].workers, "%", archColor(arch)))
	}
	return out
}

// Data returns the utilisation of every worker in the steps that are drawn.
func (v *utilizationView) Data(q Query) numbers.Table {
	cut := v.cut(q)
	s := wholeRun()
	s.Step, s.StarVZ = cut.Step, v.options.StarVZ
	if cut.Len() > 0 {
		q.T0, q.T1 = cut.From, cut.To
	}
	return numbersOf("utilization", v.run, s, q)
}

var (
	_ Reader = (*utilizationView)(nil)
	_ Rowed  = (*utilizationView)(nil)
)
