package panels

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dagscope/explain/kind"
	"dagscope/explain/numbers"
	"dagscope/explain/outlier"
	"dagscope/internal/stat"
	"dagscope/predict/perfmodel"
	"dagscope/trace"
)

var ModelReads = Joined(outlier.Needs, []string{"task.bytes", "task.key", "resource.name"})

// Regressions fits durations to work, or to the bytes that tasks touch; a [Missing]
// says why there are no lines. left is the number of groups without.
func Regressions(run *trace.Run, method outlier.Method, byBytes bool) (models []outlier.Model, left int, err error) {
	if byBytes {
		part := *run
		part.Task.GFlop = Each(run.Task.Bytes, func(b int64) float64 { return float64(b) })
		run = &part
	}
	if len(run.Task.GFlop) == 0 {
		return nil, 0, &Missing{workMissing(byBytes)}
	}
	models, left = outlier.Models(run, outlier.Options{Method: method})
	if len(models) == 0 {
		return nil, 0, &Missing{"no kind of tasks does work that differs from task to task (task.gflop): the kinds panel shows durations of equal work"}
	}
	return models, left, nil
}

func workMissing(bytes bool) string {
	if bytes {
		return "not in this run: the bytes that tasks touch (task.bytes): they are in the sizes of tasks.rec"
	}
	return "not in this run: the work of tasks (task.gflop): an application of StarPU declares it with STARPU_FLOPS when it submits a task"
}

// FitMethod is how a model is fitted.
type FitMethod = perfmodel.Method

// FitMethods are the ways to fit models, the usual one first.
var FitMethods = []string{string(perfmodel.Linear), string(perfmodel.Mean), string(perfmodel.History), string(perfmodel.NonLinear)}

// CheckFormula reports whether the terms of a regression can be read.
func CheckFormula(formula string) error {
	if formula == "" {
		return nil
	}
	return perfmodel.CheckFormula(formula)
}

var ResidualReads = Joined(perfmodel.FitNeeds, []string{"task.key"})

// fitModels fits the models that calibrate would, and says what they expect of
// each task.
func fitModels(run *trace.Run, method FitMethod, formula string) (*perfmodel.Set, []float64, error) {
	models, err := perfmodel.FitModels([]*trace.Run{run}, perfmodel.FitOptions{Method: cmp.Or(method, perfmodel.Linear), Formula: formula})
	if err != nil {
		return nil, nil, &Missing{err.Error()}
	}
	return models, models.Fitted(run), nil
}

// Residual is a group of tasks with what a model expects of each, which is its Work.
type Residual struct {
	outlier.Model
	Ratio []float64 // of each task: its duration divided by what is expected
	Fit   *perfmodel.Model
}

// Residuals are the groups of tasks with what is expected of each. Tasks
// without a positive duration or expectation have no residual.
func Residuals(run *trace.Run, method FitMethod, formula string) ([]Residual, error) {
	models, expected, err := fitModels(run, method, formula)
	if err != nil {
		return nil, err
	}
	groups := kind.Group(run, kind.Options{Generation: true})
	durations := groups.Gather(kind.Durations(run))
	var facets []Residual
	for k := range groups.Len() {
		f := Residual{Model: outlier.Model{Kind: groups.Kind[k], Arch: groups.Arch[k], Node: trace.None}}
		for i, task := range groups.Tasks(k) {
			if d, e := durations[k][i], expected[task]; d > 0 && e > 0 {
				f.Task, f.Work, f.Duration = append(f.Task, task), append(f.Work, e), append(f.Duration, d)
			}
		}
		if len(f.Task) == 0 {
			continue
		}
		f.judge()
		f.Fit = modelOf(models, run.Task.Kind.Dict[f.Kind], perfmodel.ArchOf(kind.ArchName(run, f.Arch)))
		facets = append(facets, f)
	}
	if len(facets) == 0 {
		return nil, &Missing{"no task of the run has a duration that a model expects"}
	}
	return facets, nil
}

// modelOf is the model of a kind on an architecture, which was fitted to the
// tasks that ask for it.
func modelOf(s *perfmodel.Set, name, arch string) *perfmodel.Model {
	return &s.Models[slices.IndexFunc(s.Models, func(m perfmodel.Model) bool { return m.Kind == name && m.Arch == arch })]
}

// judge judges tasks by the quartiles of how long they took of what was expected
// (docs/design/methods.md, Outliers).
func (f *Residual) judge() {
	ratio := make([]float64, len(f.Task))
	for i, d := range f.Duration {
		ratio[i] = float64(d) / f.Work[i]
	}
	q := make([]float64, 2)
	stat.Quantiles(slices.Clone(ratio), []float64{0.25, 0.75}, q)
	reach := 1.5 * (q[1] - q[0])
	f.Side = make([]outlier.Side, len(ratio))
	for i, r := range ratio {
		switch {
		case r > q[1]+reach:
			f.Side[i] = outlier.Long
		case r < q[0]-reach:
			f.Side[i] = outlier.Short
		}
	}
	f.Ratio = ratio
}

// irregularNumbers are those of irregular kernels and of hardware counters.
var irregularNumbers = []Numbers{
	{
		ID: "models", Title: "Duration against work",
		Doc: "Regressions of the durations of tasks on their work, one row for each kind and architecture where work differs, " +
			"two where a mixture finds two behaviours: log-log unless another is asked for by --outliers. Coefficients are in " +
			"the scales of the method: of logarithms of ns and GFlop, or ns and ns a GFlop. Equal to StarVZ's fits of sparse QR.",
		Needs: []string{"task.start"},
		Reads: ModelReads,
		Takes: taking("outliers", "by-bytes"),
		Columns: []numbers.Column{kindColumn, archColumn, {Name: "method", Doc: "how the line was fitted"},
			{Name: "line", Doc: "1, or 2 for the upper of two"},
			{Name: "tasks", Doc: "number of tasks that the line goes through"}, {Name: "intercept", Doc: "in the scales of the method"},
			{Name: "slope", Doc: "in the scales of the method: an exponent for log-log"},
			{Name: "slope_error", Doc: "standard error of the slope"},
			{Name: "p", Doc: "p-value of the slope: how likely it would be by chance if work made no difference"},
			{Name: "sigma", Doc: "standard deviation of the residuals"}, {Name: "df", Doc: "degrees of freedom"},
			{Name: "r2", Doc: "share of variance explained"},
			{Name: "adjusted_r2", Doc: "corrected for the number of coefficients"},
			{Name: "outliers", Doc: "tasks above the 95 % prediction interval"}},
		Compute: modelNumbers,
	},
	{
		ID: "modelpoints", Title: "Tasks of the regressions",
		Doc: "The tasks behind the regressions, each with the duration that is expected of its work and the interval in which " +
			"95 % of new tasks would be. With a window, of the tasks that start in it; lines are fitted to all.",
		Needs: []string{"task.start"},
		Reads: ModelReads,
		Takes: taking("from", "to", "outliers", "by-bytes"),
		Columns: []numbers.Column{keyColumn, kindColumn, archColumn, {Name: "line", Doc: "1, or 2 for the upper of two"},
			{Name: "work", Doc: "GFlop, or bytes"}, {Name: "duration", Unit: "ns", Doc: "time it worked"},
			{Name: "fit", Unit: "ns", Doc: "expected duration"},
			{Name: "lower", Unit: "ns", Doc: "lower end of the interval"}, {Name: "upper", Unit: "ns", Doc: "upper end of the interval"},
			{Name: "side", Doc: "long, short or usual"}},
		Compute: modelPointNumbers,
	},
	{
		ID: "residuals", Title: "What models expect of tasks",
		Doc: "The duration of each task and what a model expects of it that is fitted to the run as `dagscope calibrate` fits it, " +
			"by kind and architecture: what the panel models draws of observed durations and residuals. With a window, of the " +
			"tasks that start in it; models are fitted to all. Generation counts.",
		Needs: []string{"task.start"},
		Reads: ResidualReads,
		Takes: taking("from", "to", "fit", "formula"),
		Columns: []numbers.Column{keyColumn, kindColumn, archColumn, {Name: "method", Doc: "how the model was fitted"},
			{Name: "duration", Unit: "ns", Doc: "time it worked"},
			{Name: "expected", Unit: "ns", Doc: "expected duration"}, {Name: "ratio", Doc: "duration divided by what was expected"},
			{Name: "side", Doc: "long or short where the ratio lies beyond the quartiles of its group by 1.5 times their distance, else usual"}},
		Compute: residualNumbers,
	},
}

// residualNumbers lists the tasks of the panel's facets.
func residualNumbers(run *trace.Run, s *Settings) ([]any, error) {
	from, to, err := s.all()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(FitMethods, string(cmp.Or(s.Fit, perfmodel.Linear))) {
		return nil, fmt.Errorf("fit models: found method %q, want one of %s", s.Fit, strings.Join(FitMethods, ", "))
	}
	if err := CheckFormula(s.Formula); err != nil {
		return nil, err
	}
	groups, err := Residuals(run, s.Fit, s.Formula)
	if err != nil {
		return nil, err
	}
	key := &trace.Keys{Prefix: run.Task.Key.Prefix}
	kinds, archs := &trace.Strings{Dict: run.Task.Kind.Dict}, &trace.Strings{Dict: run.Resource.Arch.Dict}
	methods, sides := &trace.Strings{}, &trace.Strings{}
	var duration []int64
	var expected, ratio []float64
	for k := range groups {
		f := &groups[k]
		for i, task := range f.Task {
			if start := run.Task.Start[task]; start < from || start >= to {
				continue
			}
			key.Code = append(key.Code, run.Task.Key.Code[task])
			kinds.AppendIndex(f.Kind)
			archs.AppendIndex(f.Arch)
			methods.Append(string(f.Fit.Method))
			sides.Append(sideNames[f.Side[i]])
			duration, expected, ratio = append(duration, f.Duration[i]), append(expected, f.Work[i]), append(ratio, f.Ratio[i])
		}
	}
	return []any{key, kinds, archs, methods, duration, expected, ratio, sides}, nil
}

// lineMethod is how lines are fitted: methods that judge by quartiles have none.
func (s *Settings) lineMethod() outlier.Method {
	if s.OutlierMethod == outlier.Auto || s.OutlierMethod == outlier.IQR {
		return ""
	}
	return s.OutlierMethod
}

func modelNumbers(run *trace.Run, s *Settings) ([]any, error) {
	models, _, err := Regressions(run, s.lineMethod(), s.ByBytes)
	if err != nil {
		return nil, err
	}
	kinds, archs, methods := &trace.Strings{Dict: run.Task.Kind.Dict}, &trace.Strings{Dict: run.Resource.Arch.Dict}, &trace.Strings{}
	var line []int32
	var n, df, outliers []int64
	columns := make([][]float64, 7)
	for _, m := range models {
		long := make([]int64, len(m.Lines))
		for i, side := range m.Side {
			if side == outlier.Long {
				long[m.Line[i]]++
			}
		}
		for k := range m.Lines {
			l := &m.Lines[k]
			kinds.AppendIndex(m.Kind)
			archs.AppendIndex(m.Arch)
			methods.Append(string(m.Method))
			line, n, df, outliers = append(line, int32(k+1)), append(n, int64(l.N)), append(df, int64(l.DF)), append(outliers, long[k])
			for c, v := range []float64{l.Coef[0], l.Coef[1], l.StdErr[1], l.P(), l.Sigma, l.R2, l.AdjR2} {
				columns[c] = append(columns[c], v)
			}
		}
	}
	return []any{kinds, archs, methods, line, n, columns[0], columns[1], columns[2], columns[3], columns[4], df, columns[5], columns[6], outliers}, nil
}

func modelPointNumbers(run *trace.Run, s *Settings) ([]any, error) {
	from, to, err := s.all()
	if err != nil {
		return nil, err
	}
	models, _, err := Regressions(run, s.lineMethod(), s.ByBytes)
	if err != nil {
		return nil, err
	}
	key := &trace.Keys{Prefix: run.Task.Key.Prefix}
	kinds, archs, sides := &trace.Strings{Dict: run.Task.Kind.Dict}, &trace.Strings{Dict: run.Resource.Arch.Dict}, &trace.Strings{}
	var line []int32
	var duration []int64
	var work, fit, lower, upper []float64
	for _, m := range models {
		for i, task := range m.Task {
			if start := run.Task.Start[task]; start < from || start >= to {
				continue
			}
			a, b, c := m.Lines[m.Line[i]].At(m.Work[i])
			key.Code = append(key.Code, run.Task.Key.Code[task])
			kinds.AppendIndex(m.Kind)
			archs.AppendIndex(m.Arch)
			sides.Append(sideNames[m.Side[i]])
			line, duration, work = append(line, int32(m.Line[i])+1), append(duration, m.Duration[i]), append(work, m.Work[i])
			fit, lower, upper = append(fit, a), append(lower, b), append(upper, c)
		}
	}
	return []any{key, kinds, archs, line, work, duration, fit, lower, upper, sides}, nil
}

var sideNames = map[outlier.Side]string{outlier.Short: "short", outlier.Usual: "usual", outlier.Long: "long"}
