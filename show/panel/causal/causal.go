package causal

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	core.Register(core.Drawing(core.Panel{
		ID: "causal",
		Doc: "What the run would gain (vertical, share of the makespan) if the tasks of a kind took so much less time on an " +
			"architecture (horizontal): the causal profile of Coz (Curtsinger 2015), but simulated under the scheduler, transfers and memory of the run. " +
			"The band is the 10–90 % interval of the simulated pairs. A line that stays level is a kernel that is not worth its tuning; one that " +
			"falls below 0, one that makes the scheduler decide worse. Run `dagscope whatif RUN --only causal --keep` first.",
		Open: openCausal,
	}))
}

// causalView draws stored gains.
type causalView struct {
	run    *trace.Run
	curves []causalCurve
	low    float64
	high   float64
	pairs  [2]int32 // fewest and most
	base   int64
}

// causalCurve is a kind on an architecture, by speed-up.
type causalCurve struct {
	label  string
	kind   string
	color  scene.Color
	points []causalPoint
}

type causalPoint struct{ speedUp, gain, low, high float64 }

// mostCausalCurves are those with the largest gains.
const mostCausalCurves = 8

func openCausal(run *trace.Run, o *core.Options) (core.View, error) {
	v := &causalView{run: run, pairs: [2]int32{math.MaxInt32, 0}}
	g, at := &run.Gain, map[string]int{}
	for i := range g.Gain {
		if g.Experiment.At(i) != panels.CausalExperiment || g.Base[i] <= 0 || o.Hides(g.Kind.At(i)) {
			continue
		}
		label := g.Kind.At(i)
		if arch := g.Arch.At(i); arch != "" {
			label += " on " + kit.ArchName(arch)
		}
		k, known := at[label]
		if !known {
			k = len(v.curves)
			at[label] = k
			v.curves = append(v.curves, causalCurve{label: label, kind: g.Kind.At(i), points: []causalPoint{{}}})
		}
		base := float64(g.Base[i])
		v.base = g.Base[i]
		v.curves[k].points = append(v.curves[k].points, causalPoint{g.SpeedUp[i], float64(g.Gain[i]) / base, float64(g.Low[i]) / base, float64(g.High[i]) / base})
		v.pairs = [2]int32{min(v.pairs[0], g.Pairs[i]), max(v.pairs[1], g.Pairs[i])}
	}
	if len(v.curves) == 0 {
		return nil, panels.ErrNoProfile
	}
	last := func(c causalCurve) float64 { return c.points[len(c.points)-1].gain }
	for _, c := range v.curves {
		slices.SortFunc(c.points, func(a, b causalPoint) int { return cmp.Compare(a.speedUp, b.speedUp) })
	}
	slices.SortStableFunc(v.curves, func(a, b causalCurve) int { return cmp.Compare(last(b), last(a)) })
	v.curves = v.curves[:min(len(v.curves), mostCausalCurves)]
	for i := range v.curves {
		v.curves[i].color = kit.SeriesColors[i%len(kit.SeriesColors)]
		for _, p := range v.curves[i].points {
			v.low, v.high = min(v.low, p.gain, p.low), max(v.high, p.gain, p.high)
		}
	}
	return v, nil
}

const causalHeight = 260

// Draw draws the profile; it is of the whole run whatever the window.
func (v *causalView) Draw(q core.Query) scene.Panel {
	height := kit.HeightOr(q, causalHeight)
	axis := kit.NewAxis(100*v.low, 100*max(v.high, 0.01), height, "%")
	y := func(share float64) float32 { return axis.Y(100 * share) }
	p := scene.Panel{ID: "causal", Height: height, X: kit.ShareAxis(q.Width, "speed-up of the tasks: share of their time that is saved")}
	bands, lines, points := scene.Layer{Name: "intervals"}, scene.Layer{Name: "gains"}, scene.Layer{Name: "points"}
	zero := scene.Layer{Name: "zero", Lines: []scene.Line{{X: []float64{0, 1}, Y: []float32{y(0), y(0)}, Color: scene.Soft, Width: 1}}}
	for i, c := range v.curves {
		band, line := scene.Area{Color: kit.Faint(c.color, kit.SpreadAlpha)}, scene.Line{Color: c.color, Width: 1.6}
		dots := scene.Rects{Palette: []scene.Color{c.color}, MinWidth: 4}
		for _, x := range c.points {
			band.X, band.Y0, band.Y1 = append(band.X, x.speedUp), append(band.Y0, y(x.high)), append(band.Y1, y(x.low))
			line.X, line.Y = append(line.X, x.speedUp), append(line.Y, y(x.gain))
			if x.speedUp > 0 {
				dots.Add(x.speedUp, x.speedUp, y(x.gain)-2, 4, 0)
			}
		}
		bands.Areas, lines.Lines, points.Rects = append(bands.Areas, band), append(lines.Lines, line), append(points.Rects, dots)
		p.Legend = append(p.Legend, scene.LegendEntry{Label: v.curves[i].label, Color: c.color, Swatch: scene.Stroke})
	}
	grid := axis.Grid(q)
	for i := range grid.Lines { // over the axis of the panel, not over time
		grid.Lines[i].X = []float64{0, 1}
	}
	p.Layers = []scene.Layer{grid, zero, bands, lines, points}
	if q.Body {
		p.Legend = nil
		return p
	}
	p.YLabel, p.Left = "gain [% of the makespan]", []scene.Layer{axis.Labels(0)}
	pairs := fmt.Sprintf("%d to %d pairs", v.pairs[0], v.pairs[1])
	if v.pairs[0] == v.pairs[1] {
		pairs = words.Plural(int(v.pairs[0]), "pair")
	}
	p.Note = fmt.Sprintf("simulated makespan %s; %s of simulations a point", words.Duration(v.base), pairs)
	return p
}

// Data returns the stored profile.
func (v *causalView) Data(core.Query) numbers.Table {
	n, err := panels.Find("causal")
	if err != nil {
		panic(err) // registered in this package
	}
	t, err := n.Table(v.run, &panels.Settings{})
	if err != nil {
		panic("panel: causal profile of a view that was opened: " + err.Error())
	}
	return t
}
