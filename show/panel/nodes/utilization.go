package nodes

import (
	"fmt"
	"math"

	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/schedule"
	"dagscope/explain/utilization"
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
	options  core.Utilization
	lanes    *kit.Lanes
	covers   []*interval.Cover // by resource, nil where there is none
	step     int64
	makespan int64
	folded   bool
}

func openUtilization(run *trace.Run, o *core.Options) (core.View, error) {
	v := &utilizationView{run: run, options: o.Utilization, lanes: kit.WorkerLanes(run, o), makespan: schedule.Makespan(run)}
	if len(v.lanes.Lanes) == 0 {
		return nil, &panels.Missing{Why: "no worker is selected"}
	}
	if v.makespan <= 0 {
		return nil, panels.NothingRan
	}
	if v.folded = o.SpaceTime.Fold || len(v.lanes.Lanes) > kit.FoldBeyond && !o.SpaceTime.NoFold; v.folded {
		v.lanes = v.lanes.Fold()
	}
	if v.step = v.options.Step; v.step <= 0 {
		v.step = panels.Part(panels.UtilizationSlices)(0, v.makespan)
	}
	busy := utilization.NewBusy(run, utilization.SliceOptions{Lanes: o.Base.Laid()})
	v.covers = make([]*interval.Cover, len(run.Resource.Parent))
	for i, w := range busy.Worker {
		v.covers[w] = &busy.Cover[i]
	}
	return v, nil
}

// heatLevels are the colours of utilisation: grey for none at all, then from
// hardly any to all of a step.
var heatLevels = heatScale(40)

func heatScale(levels int) []scene.Color {
	out := []scene.Color{scene.Lane}
	for i := range levels {
		out = append(out, core.HeatColor.Mix(scene.White, 0.85*(1-float64(i)/float64(levels-1))))
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
func (v *utilizationView) cut(q core.Query) interval.Slices {
	least := kit.Narrowest(kit.NewGrid(q.T0, q.T1, q.Width))
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
func (v *utilizationView) use(l *kit.Lane, s interval.Slices) []float64 {
	sum := make([]float64, s.Len())
	for _, r := range l.Resources {
		if v.covers[r] == nil {
			continue
		}
		cursor := v.covers[r].Cursor()
		before := cursor.Until(s.From)
		for k := range sum {
			_, to := s.Bounds(k)
			until := cursor.Until(to)
			sum[k] += float64(until-before) / s.Over(k, interval.ExistingPart) / float64(len(l.Resources))
			before = until
		}
	}
	return sum
}

// Draw draws a window.
func (v *utilizationView) Draw(q core.Query) scene.Panel {
	r := v.lanes.Place(q.Height)
	s := v.cut(q)
	cells := make([]scene.Rects, len(v.lanes.Lanes))
	parallel.For(len(cells), func(i int) {
		v.Row(&cells[i], v.use(&v.lanes.Lanes[i], s), s, r.Y[i], r.H[i])
	})
	back, all := scene.Rects{Palette: heatLevels[:1], Edges: scene.Crisp}, scene.Rects{Palette: heatLevels, Edges: scene.Abut}
	for i := range cells {
		back.Add(float64(q.T0), float64(q.T1), r.Y[i], r.H[i], 0)
		c := &cells[i]
		all.X0, all.X1 = append(all.X0, c.X0...), append(all.X1, c.X1...)
		all.Y, all.H, all.Color = append(all.Y, c.Y...), append(all.H, c.H...), append(all.Color, c.Color...)
	}
	p := scene.Panel{ID: "utilization", Height: float64(r.Height), Layers: []scene.Layer{{Name: "use", Rects: []scene.Rects{back, all}}}}
	if q.Body {
		return p
	}
	p.Left = []scene.Layer{v.lanes.LeftLabels(r)}
	p.Right = []scene.Layer{v.lanes.IdleLabels(r, v.shares(q), "used")}
	p.Legend, p.Note = heatLegend(), v.note(s)
	if why := panels.OutsideRun(v.run, q.T0, q.T1); why != "" {
		p.Note = why
	}
	return p
}

// Row adds the cells of a row, neighbours of one level as one; where nothing ran
// there is none.
func (v *utilizationView) Row(c *scene.Rects, use []float64, s interval.Slices, y, h float32) {
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
func (v *utilizationView) shares(q core.Query) []float64 {
	ran := kit.RanIn(v.makespan, q)
	out := make([]float64, len(v.lanes.Lanes))
	whole := interval.Slices{From: ran.From, To: ran.To, Step: max(1, ran.To-ran.From)}
	for i := range out {
		out[i] = math.NaN()
		if use := v.use(&v.lanes.Lanes[i], whole); len(use) > 0 {
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
	if v.folded || v.lanes.Several() {
		note += "; rows of several workers are their mean"
	}
	return note
}

// Rows are workers, or groups of them.
func (v *utilizationView) Rows(height float64) []core.Row {
	g := kit.Gantt{Lanes: v.lanes, Tracks: make([][]*core.Track, len(v.lanes.Lanes))}
	return g.Live(v.lanes.Place(height))
}

// At reads the step around an instant.
func (v *utilizationView) At(t int64) []core.Reading {
	s := v.cut(core.Query{T0: t, T1: t + 1, Width: 1})
	if s.Len() == 0 {
		return nil
	}
	type use struct{ sum, workers float64 }
	of := map[string]*use{}
	var archs []string
	for i := range v.lanes.Lanes {
		l := &v.lanes.Lanes[i]
		if of[l.Arch] == nil {
			of[l.Arch], archs = &use{}, append(archs, l.Arch)
		}
		of[l.Arch].sum += v.use(l, s)[0] * float64(len(l.Resources))
		of[l.Arch].workers += float64(len(l.Resources))
	}
	var out []core.Reading
	for _, arch := range archs {
		out = append(out, kit.Reading(kit.ArchName(arch)+" used", 100*of[arch].sum/of[arch].workers, "%", kit.ArchColor(arch)))
	}
	return out
}

// Data returns the utilisation of every worker in the steps that are drawn.
func (v *utilizationView) Data(q core.Query) numbers.Table {
	cut := v.cut(q)
	s := core.WholeRun()
	s.Step, s.StarVZ = cut.Step, v.options.StarVZ
	if cut.Len() > 0 {
		q.T0, q.T1 = cut.From, cut.To
	}
	return core.NumbersOf("utilization", v.run, s, q)
}

var (
	_ core.Reader = (*utilizationView)(nil)
	_ core.Rowed  = (*utilizationView)(nil)
)
