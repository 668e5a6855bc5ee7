package panel

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dagscope/explain/numbers"
	"dagscope/explain/outlier"
	"dagscope/predict/perfmodel"
	"dagscope/trace"
)

// irregularNumbers are those of irregular kernels and of hardware counters.
var irregularNumbers = []Numbers{
	{
		ID: "models", Title: "Duration against work",
		Doc: "Regressions of the durations of tasks on their work, one row for each kind and architecture where work differs, " +
			"two where a mixture finds two behaviours: log-log unless another is asked for by --outliers. Coefficients are in " +
			"the scales of the method: of logarithms of ns and GFlop, or ns and ns a GFlop. Equal to StarVZ's fits of sparse QR.",
		Needs: []string{"task.start"},
		Reads: modelReads,
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
		Reads: modelReads,
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
		Reads: residualReads,
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
