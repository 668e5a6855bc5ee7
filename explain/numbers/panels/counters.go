package panels

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dagscope/explain/kind"
	"dagscope/explain/numbers"
	"dagscope/trace"
)

var CounterReads = Joined(kind.CounterNeeds, ModelReads)

// ChosenCounter is the counter that was asked for, and the others of the run.
func ChosenCounter(run *trace.Run, wanted string) (event string, others []string, err error) {
	events := kind.Counters(run)
	if len(events) == 0 {
		return "", nil, &Missing{"not in this run: hardware counters (counter.value): StarPU writes papi.rec when it was built with PAPI and " +
			"STARPU_PROFILING=1 STARPU_PROF_PAPI_EVENTS names counters, for example PAPI_TOT_INS,PAPI_L3_TCM"}
	}
	event = cmp.Or(wanted, events[0])
	if !slices.Contains(events, event) {
		return "", nil, &Missing{fmt.Sprintf("the run has no counter %q, but %s", event, strings.Join(events, ", "))}
	}
	return event, slices.DeleteFunc(events, func(e string) bool { return e == event }), nil
}

var counterNumbers = []Numbers{{
	ID: "counters", Title: "Hardware counters",
	Doc: "Statistics of each hardware counter over the tasks of each kind and architecture. With a window, of the tasks that " +
		"start in it. Quantiles interpolate linearly between order statistics (type 7); the correlation with durations is of ranks.",
	Needs: []string{"task.start"},
	Reads: CounterReads,
	Takes: taking("from", "to", "count-generation"),
	Columns: []numbers.Column{{Name: "counter", Doc: "as traced"}, kindColumn, archColumn,
		{Name: "tasks", Doc: "number of tasks that have it"},
		{Name: "total", Doc: "sum"}, {Name: "mean", Doc: "mean"}, {Name: "min", Doc: "least"}, {Name: "q25", Doc: "first quartile"},
		{Name: "median", Doc: "median"},
		{Name: "q75", Doc: "third quartile"}, {Name: "max", Doc: "greatest"}, {Name: "per_second", Doc: "total by the seconds worked"},
		{Name: "correlation", Doc: "Spearman's, with durations; none where either does not vary"}},
	Compute: counterRows,
}}

func counterRows(run *trace.Run, s *Settings) ([]any, error) {
	from, to, err := s.all()
	if err != nil {
		return nil, err
	}
	if _, _, err := ChosenCounter(run, ""); err != nil {
		return nil, err
	}
	part := startingIn(run, from, to)
	events, kinds, archs := &trace.Strings{}, &trace.Strings{Dict: run.Task.Kind.Dict}, &trace.Strings{Dict: run.Resource.Arch.Dict}
	var n []int64
	columns := make([][]float64, 9)
	for _, event := range kind.Counters(run) {
		for _, g := range kind.CounterGroups(part, event, kind.Options{Generation: s.Generation}) {
			events.Append(event)
			kinds.AppendIndex(g.Kind)
			archs.AppendIndex(g.Arch)
			n = append(n, int64(len(g.Task)))
			st := g.Statistics()
			for c, v := range []float64{st.Total, st.Mean, st.Min, st.Q25, st.Median, st.Q75, st.Max, st.PerSecond, st.Correlation} {
				columns[c] = append(columns[c], v)
			}
		}
	}
	out := []any{events, kinds, archs, n}
	for _, c := range columns {
		out = append(out, c)
	}
	return out, nil
}
