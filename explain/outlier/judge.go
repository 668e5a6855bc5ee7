package outlier

import (
	"math"
	"slices"

	"dagscope/internal/stat"
)

// What makes work evidence for Auto: it is known for nearly all tasks of the
// group, it differs between them, and it explains most of the durations.
const (
	minTasks     = 10
	minKnown     = 0.9
	minVariation = 0.1 // coefficient of variation of GFlop
	minExplained = 0.5 // R² of the log-log regression
)

// clock is the resolution of a trace, ns: a task must pass a fitted bound by
// more than half of it, so that the rounding of a perfect fit is no outlier.
const clock = 1.0

// group is what is judged together. Slices have an entry per task.
type group struct {
	o        Options
	tasks    []int32
	duration []int64
	work     []float64 // GFlop; nil when no task has any
	known    int       // tasks with work
}

// judge tells the side of each task of a group and the bound it passed.
type judge struct {
	method       Method
	fits         []*stat.Fit
	lower, upper float64 // NaN where they depend on work
	side         func(i int) (Side, float64)
	label        []uint8 // of each task the line that judges it; nil for the only one
}

// readWork gathers the work of the group's tasks.
func (g *group) readWork(gflop []float64) {
	if len(gflop) == 0 {
		return
	}
	g.work = make([]float64, len(g.tasks))
	for i, task := range g.tasks {
		g.work[i] = gflop[task]
		if g.usable(i) {
			g.known++
		}
	}
}

// usable tells whether a task can take part in a regression.
func (g *group) usable(i int) bool {
	return g.work[i] > 0 && !math.IsInf(g.work[i], 1) && g.duration[i] > 0
}

// judge applies a method; where a regression cannot be fitted, quartiles.
func (g *group) judge(m Method) judge {
	switch m {
	case LogLog, Linear, Weighted, TwoThirds:
		if j, ok := g.regression(models[m], m); ok {
			return j
		}
	case Mixture:
		if j, ok := g.mixture(); ok {
			return j
		}
	case Auto, "":
		if !g.workVaries() {
			break
		}
		if j, ok := g.regression(models[LogLog], LogLog); ok && j.fits[0].R2 >= minExplained {
			return j
		}
	}
	return g.quartiles()
}

func (g *group) workVaries() bool {
	if g.known < minTasks || float64(g.known) < minKnown*float64(len(g.tasks)) {
		return false
	}
	var known []float64
	for i, w := range g.work {
		if g.usable(i) {
			known = append(known, w)
		}
	}
	m := stat.Summarize(known)
	return m.SD > minVariation*m.Mean
}

// visible moves limits so far away from what is usual that what passes them can be seen.
func (g *group) visible(usual, lower, upper float64) (float64, float64) {
	return min(lower, usual/g.o.Factor), max(upper, usual*g.o.Factor)
}

// quartiles is equation 5.1 of Garcia Pinto 2018, strictly, beyond the visible factor.
func (g *group) quartiles() judge {
	d, q := slices.Clone(g.duration), [3]float64{}
	stat.Quantiles(d, []float64{0.25, 0.5, 0.75}, q[:])
	reach := 1.5 * (q[2] - q[0])
	lower, upper := g.visible(q[1], q[0]-reach, q[2]+reach)
	return judge{method: IQR, lower: lower, upper: upper, side: func(i int) (Side, float64) {
		switch d := float64(g.duration[i]); {
		case d > upper:
			return Long, upper
		case d < lower:
			return Short, lower
		}
		return Usual, 0
	}}
}

// model is a regression of duration on work in transformed scales.
type model struct {
	x      func(gflop float64) float64
	y      func(duration float64) float64
	back   func(y float64) float64 // inverse of y
	weight func(gflop float64) float64
}

func same(v float64) float64 { return v }
func one(float64) float64    { return 1 }

var models = map[Method]model{
	LogLog:    {math.Log, math.Log, math.Exp, one},
	Linear:    {same, same, same, one},
	Weighted:  {same, same, same, func(g float64) float64 { return 1 / g }},
	TwoThirds: {func(g float64) float64 { return math.Pow(g, 2.0/3) }, same, same, one},
}

// points are the usable tasks in a model's scales.
func (g *group) points(m model) (x, y, weight []float64) {
	for i, w := range g.work {
		if g.usable(i) {
			x, y = append(x, m.x(w)), append(y, m.y(float64(g.duration[i])))
			weight = append(weight, m.weight(w))
		}
	}
	return x, y, weight
}

// regression judges by the prediction interval; tasks whose work is not known
// are not judged.
func (g *group) regression(m model, method Method) (judge, bool) {
	if g.known == 0 {
		return judge{}, false
	}
	x, y, weight := g.points(m)
	fit, err := stat.Regress([][]float64{x}, true, y, weight)
	if err != nil || fit.DF < 1 {
		return judge{}, false // too few or too equal: no line
	}
	interval := fit.LineInterval(g.o.Level)
	return judge{method: method, fits: []*stat.Fit{fit}, lower: math.NaN(), upper: math.NaN(), side: func(i int) (Side, float64) {
		if !g.usable(i) {
			return Usual, 0
		}
		fitted, lower, upper := interval(m.x(g.work[i]), m.weight(g.work[i]))
		lower, upper = g.visible(m.back(fitted), m.back(lower), m.back(upper))
		return compare(float64(g.duration[i]), lower, upper)
	}}, true
}

func compare(d, lower, upper float64) (Side, float64) {
	switch {
	case d > upper+clock/2:
		return Long, upper
	case d < lower-clock/2:
		return Short, lower
	}
	return Usual, 0
}

// mixture judges a task by the line it most likely belongs to. Long is also
// what falls between the lines: below its own interval, but above the other's.
func (g *group) mixture() (judge, bool) {
	if g.known < minTasks {
		return judge{}, false
	}
	m := models[LogLog]
	x, y, _ := g.points(m)
	mix, err := stat.FitMixture(x, y, stat.MixtureOptions{Seed: g.o.Seed})
	if err != nil || mix.Fit[0].DF < 1 {
		return judge{}, false
	}
	label := g.spread(mix.Label)
	var interval []func(x, w float64) (fit, lower, upper float64)
	for _, f := range mix.Fit {
		interval = append(interval, f.LineInterval(g.o.Level))
	}
	return judge{method: Mixture, fits: mix.Fit, lower: math.NaN(), upper: math.NaN(), label: label, side: func(i int) (Side, float64) {
		if !g.usable(i) {
			return Usual, 0
		}
		d, x := float64(g.duration[i]), m.x(g.work[i])
		fitted, lower, upper := interval[label[i]](x, 1)
		lower, upper = g.visible(math.Exp(fitted), math.Exp(lower), math.Exp(upper))
		side, bound := compare(d, lower, upper)
		if side != Short || len(interval) < 2 {
			return side, bound
		}
		fitted, lower, upper = interval[1-label[i]](x, 1)
		if _, upper = g.visible(math.Exp(fitted), math.Exp(lower), math.Exp(upper)); d > upper+clock/2 {
			return Long, upper
		}
		return side, bound
	}}, true
}

// spread gives each task of the group the label of its point.
func (g *group) spread(labels []uint8) []uint8 {
	all, next := make([]uint8, len(g.tasks)), 0
	for i := range all {
		if g.usable(i) {
			all[i] = labels[next]
			next++
		}
	}
	return all
}
