package kind

import (
	"cmp"
	"math"
	"slices"

	"dagscope/internal/stat"
	"dagscope/trace"
)

// CounterNeeds names the columns that functions of counters read.
var CounterNeeds = append([]string{"counter.task", "counter.event", "counter.value"}, Needs...)

// CounterGroup is the tasks of a kind on an architecture that have a hardware
// counter. Task, Value and Duration are of equal length, in submission order.
//
// A counter of a task (instructions, cache misses) means little by itself; it
// does compared with those of other tasks of the kind, and with durations.
type CounterGroup struct {
	Event      string
	Kind, Arch int32 // as in Groups
	Task       []int32
	Value      []int64
	Duration   []int64 // ns
}

// Counters lists the counters of a run, those with most rows first.
func Counters(run *trace.Run) []string {
	rows := make([]int, len(run.Counter.Event.Dict))
	for _, e := range run.Counter.Event.Index {
		if e >= 0 {
			rows[e]++
		}
	}
	order := make([]int, 0, len(rows))
	for e, n := range rows {
		if n > 0 {
			order = append(order, e)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rows[b], rows[a]) })
	out := make([]string, len(order))
	for i, e := range order {
		out[i] = run.Counter.Event.Dict[e]
	}
	return out
}

// CounterValues is the counter of each task, NaN for those without. Where a task has
// several values of one counter they are added.
func CounterValues(run *trace.Run, event string) []float64 {
	out := make([]float64, len(run.Task.Start))
	for i := range out {
		out[i] = math.NaN()
	}
	e := run.Counter.Event.Find(event)
	for i, task := range run.Counter.Task {
		if run.Counter.Event.Index[i] != e || e < 0 {
			continue
		}
		if math.IsNaN(out[task]) {
			out[task] = 0
		}
		out[task] += float64(run.Counter.Value[i])
	}
	return out
}

// CounterGroups returns the groups of a counter, by kind and architecture.
func CounterGroups(run *trace.Run, event string, o Options) []CounterGroup {
	values, durations := CounterValues(run, event), Durations(run)
	tasks := Group(run, o)
	var out []CounterGroup
	for k := range tasks.Len() {
		g := CounterGroup{Event: event, Kind: tasks.Kind[k], Arch: tasks.Arch[k]}
		for _, task := range tasks.Tasks(k) {
			if !math.IsNaN(values[task]) {
				g.Task, g.Value = append(g.Task, task), append(g.Value, int64(values[task]))
				g.Duration = append(g.Duration, durations[task])
			}
		}
		if len(g.Task) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// CounterStatistics describe a group.
type CounterStatistics struct {
	Total            float64
	Mean             float64
	Min, Q25, Median float64
	Q75, Max         float64
	PerSecond        float64 // total by time worked
	Correlation      float64 // Spearman's, with durations, which outliers do not decide; NaN where either does not vary
}

// Statistics computes what describes the group; quantiles are of type 7.
func (g *CounterGroup) Statistics() CounterStatistics {
	var s CounterStatistics
	time := 0.0
	for i, v := range g.Value {
		s.Total += float64(v)
		time += float64(g.Duration[i])
	}
	s.Mean, s.PerSecond = s.Total/float64(len(g.Value)), s.Total/(time/1e9)
	var q [5]float64
	stat.Quantiles(slices.Clone(g.Value), []float64{0, 0.25, 0.5, 0.75, 1}, q[:])
	s.Min, s.Q25, s.Median, s.Q75, s.Max = q[0], q[1], q[2], q[3], q[4]
	s.Correlation = stat.Spearman(g.Value, g.Duration)
	return s
}
