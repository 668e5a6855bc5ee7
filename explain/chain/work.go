package chain

import (
	"math"
	"slices"

	"dagscope/explain/outlier"
	"dagscope/internal/stat"
	"dagscope/trace"
)

// leastExplained is the R² from which durations are taken to follow work.
const leastExplained = 0.5

// byWork is what tasks of a kind are expected to take on an architecture where
// work differs from task to task: a power of their work, scaled so that the
// tasks together take what they took.
type byWork struct {
	fit   *stat.Fit
	scale float64
}

func (b byWork) at(gflop float64) float64 { return b.scale * math.Exp(b.fit.Predict(math.Log(gflop))) }

// fitWork replaces the means of kinds whose layouts do not repeat by regressions
// of duration on work, where the application declares it and they explain half of
// the variance on every architecture that ran the kind.
func (m *means) fitWork(irregular []bool) {
	t := &m.run.Task
	if len(t.GFlop) == 0 || !slices.Contains(irregular, true) {
		return
	}
	models, _ := outlier.Models(m.run, outlier.Options{Method: outlier.LogLog, Generation: true})
	work := make([]byWork, len(m.mean))
	for _, model := range models {
		if !irregular[model.Kind] || model.Arch < 0 || model.Unknown > 0 || model.Lines[0].R2 < leastExplained {
			continue
		}
		b := byWork{model.Lines[0].Fit, 1}
		took, expected := 0.0, 0.0
		for i, gflop := range model.Work {
			took += float64(model.Duration[i])
			expected += b.at(gflop)
		}
		if b.scale = took / expected; b.scale > 0 && !math.IsInf(b.scale, 1) {
			work[int(m.group[model.Task[0]])*m.archs+int(model.Arch)+1] = b
		}
	}
	for g := range len(m.mean) / m.archs {
		from, to := g*m.archs, (g+1)*m.archs
		for i := from; i < to; i++ {
			if m.mean[i] > 0 && work[i].fit == nil { // a mean and a regression are not comparable
				clear(work[from:to])
				break
			}
		}
	}
	m.work = work
}

// Basis says what the expected durations of a kind's tasks are.
type Basis string

// Bases of expected durations.
const (
	GroupMean  Basis = "group"      // the mean of the tasks with the same layout of data
	Regression Basis = "regression" // on work
	KindMean   Basis = "kind"       // the mean of the kind, although layouts of data differ
)

// Bases are those of the kinds that ran, by name; kinds of which a run says
// nothing of the layout are of [GroupMean].
func (x *Index) Bases() map[string]Basis {
	m, t := &x.means, &x.run.Task
	bases := map[string]Basis{}
	for v, g := range m.group {
		if g == trace.None {
			continue
		}
		k := t.Kind.Index[v]
		name := t.Kind.Dict[k]
		if bases[name] != "" {
			continue
		}
		switch {
		case !m.irregular[k]:
			bases[name] = GroupMean
		case m.work != nil && slices.ContainsFunc(m.work[int(g)*m.archs:int(g+1)*m.archs], func(b byWork) bool { return b.fit != nil }):
			bases[name] = Regression
		default:
			bases[name] = KindMean
		}
	}
	return bases
}
