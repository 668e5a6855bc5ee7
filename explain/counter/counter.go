// Package counter answers: what did the hardware count while tasks ran, and do
// slow tasks count more of it?
//
// The problem: a counter of a task (instructions, cache misses) means little by
// itself; it does beside those of other tasks of the kind, and beside durations.
//
// The approach: the counted tasks are grouped by counter, kind and
// architecture; each group has its order statistics, its sum by time worked,
// and the rank correlation with durations (Spearman), which outliers do not
// decide.
//
// What it does not do: judge single tasks, or relate counters to each other.
package counter

import (
	"cmp"
	"math"
	"slices"

	"dagscope/explain/kind"
	"dagscope/internal/stat"
	"dagscope/trace"
)

// Needs names the columns that this package reads.
var Needs = append([]string{"counter.task", "counter.event", "counter.value"}, kind.Needs...)

// Group are the tasks of a kind on an architecture that have a counter. Task,
// Value and Duration are of equal length, in submission order.
type Group struct {
	Event      string
	Kind, Arch int32 // as in kind.Groups
	Task       []int32
	Value      []int64
	Duration   []int64 // ns
}

// Events lists the counters of a run, those with most rows first.
func Events(run *trace.Run) []string {
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

// Values is the counter of each task, NaN for those without. Where a task has
// several values of one counter they are added.
func Values(run *trace.Run, event string) []float64 {
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

// Groups returns the groups of a counter, by kind and architecture.
func Groups(run *trace.Run, event string, o kind.Options) []Group {
	values, durations := Values(run, event), kind.Durations(run)
	tasks := kind.Group(run, o)
	var out []Group
	for k := range tasks.Len() {
		g := Group{Event: event, Kind: tasks.Kind[k], Arch: tasks.Arch[k]}
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

// Statistics of a group.
type Statistics struct {
	Total            float64
	Mean             float64
	Min, Q25, Median float64
	Q75, Max         float64
	PerSecond        float64 // total by time worked
	Correlation      float64 // Spearman's, with durations; NaN where either does not vary
}

// Statistics computes what describes the group; quantiles are of type 7.
func (g *Group) Statistics() Statistics {
	var s Statistics
	time := 0.0
	for i, v := range g.Value {
		s.Total += float64(v)
		time += float64(g.Duration[i])
	}
	s.Mean, s.PerSecond = s.Total/float64(len(g.Value)), s.Total/(time/1e9)
	var q [5]float64
	stat.Quantiles(slices.Clone(g.Value), []float64{0, 0.25, 0.5, 0.75, 1}, q[:])
	s.Min, s.Q25, s.Median, s.Q75, s.Max = q[0], q[1], q[2], q[3], q[4]
	s.Correlation = correlation(ranks(g.Value), ranks(g.Duration))
	return s
}

// ranks are the places of values in ascending order, equal ones their mean.
func ranks(values []int64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	out := make([]float64, len(values))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && values[order[j]] == values[order[i]] {
			j++
		}
		for k := i; k < j; k++ {
			out[order[k]] = float64(i+j-1) / 2
		}
		i = j
	}
	return out
}

// correlation is Pearson's of two columns.
func correlation(x, y []float64) float64 {
	mx, my := mean(x), mean(y)
	var xy, xx, yy float64
	for i := range x {
		xy += (x[i] - mx) * (y[i] - my)
		xx += (x[i] - mx) * (x[i] - mx)
		yy += (y[i] - my) * (y[i] - my)
	}
	if xx == 0 || yy == 0 {
		return math.NaN()
	}
	return xy / math.Sqrt(xx*yy)
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
