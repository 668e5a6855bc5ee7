package outlier

import (
	"dagscope/explain/kind"
	"dagscope/internal/stat"
	"dagscope/trace"
)

// Model is the regression of the durations of a group on the work of its tasks,
// with the tasks that it is made of: what is looked at to judge the method.
// Slices of tasks are of equal length, in submission order.
type Model struct {
	Kind, Arch, Node int32 // as in kind.Groups
	Method           Method
	Lines            []Line // one, of a mixture up to two

	Task     []int32 // rows of run.Task whose work is known
	Work     []float64
	Duration []int64 // ns
	Line     []uint8 // of each task
	Side     []Side

	Unknown int // tasks of the group whose work is not known
}

// Line is a fitted line in the scales of its method.
type Line struct {
	*stat.Fit
	model    model
	interval func(x, weight float64) (fit, lower, upper float64)
}

// At is the expected duration for an amount of work, and the interval in which
// a new one is expected at the level that was asked for, ns. Bounds may be
// negative where the method is linear.
func (l *Line) At(work float64) (fit, lower, upper float64) {
	fit, lower, upper = l.interval(l.model.x(work), l.model.weight(work))
	return l.model.back(fit), l.model.back(lower), l.model.back(upper)
}

// P is the two-sided p-value of the slope: small where duration depends on work.
func (l *Line) P() float64 { return l.Fit.P[1] }

// Models fits every group of tasks by one method, [LogLog] unless another
// regression is asked for. Groups are left out in which no line can be fitted,
// because work is not known or does not differ; left is their number.
func Models(run *trace.Run, o Options) (models []Model, left int) {
	if o.Method == "" || o.Method == Auto || o.Method == IQR {
		o.Method = LogLog
	}
	if o.Level == 0 {
		o.Level = 0.95
	}
	groups := kind.Group(run, kind.Options{Generation: o.Generation, ByNode: o.ByNode})
	durations := groups.Gather(kind.Durations(run))
	for k := range groups.Len() {
		g := &group{o: o, tasks: groups.Tasks(k), duration: durations[k]}
		g.readWork(run.Task.GFlop)
		j := g.judge(o.Method)
		if len(j.fits) == 0 {
			left++
			continue
		}
		m := g.described(j)
		m.Kind, m.Arch, m.Node = groups.Kind[k], groups.Arch[k], groups.Node[k]
		models = append(models, m)
	}
	return models, left
}

// described is what a judge goes by.
func (g *group) described(j judge) Model {
	scales := models[LogLog]
	if s, ok := models[j.method]; ok {
		scales = s
	}
	m := Model{Method: j.method}
	for _, fit := range j.fits {
		m.Lines = append(m.Lines, Line{fit, scales, fit.LineInterval(g.o.Level)})
	}
	for i, task := range g.tasks {
		if !g.usable(i) {
			m.Unknown++
			continue
		}
		side, _ := j.side(i)
		m.Task, m.Work, m.Duration = append(m.Task, task), append(m.Work, g.work[i]), append(m.Duration, g.duration[i])
		m.Side = append(m.Side, side)
		line := uint8(0)
		if j.label != nil {
			line = j.label[i]
		}
		m.Line = append(m.Line, line)
	}
	return m
}
