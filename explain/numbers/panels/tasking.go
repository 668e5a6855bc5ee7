package panels

import (
	"dagscope/explain/numbers"
	"dagscope/explain/tasking"
	"dagscope/internal/interval"
	"dagscope/trace"
)

var taskingNumbers = []Numbers{{
	ID: "parallelism", Title: "Parallelism",
	Doc: "How many tasks the program offers at once and how many ran. Curve possible: the tasks that would work at each instant " +
		"if none ever had to wait for a worker, from the start of the program to its span, the longest chain of work (Cilkview's " +
		"parallelism profile); curve observed: the pieces of tasks that ran at each instant of the run. Both hold all the work, " +
		"that of implicit tasks included. Means over a thousandth of the span and of the run.",
	Needs: []string{"task.start"},
	Reads: tasking.Needs,
	Takes: taking("raw", "count-generation"),
	Columns: []numbers.Column{{Name: "curve", Doc: "possible or observed"},
		{Name: "start", Unit: "ns", Doc: "since the start of the program on unlimited workers, or of the run"},
		{Name: "end", Unit: "ns", Doc: "until when"}, {Name: "tasks", Doc: "mean number of tasks at work"}},
	Compute: parallelismNumbers,
}}

// parallelismSlices are the rows of each curve.
const parallelismSlices = 1000

func parallelismNumbers(run *trace.Run, s *Settings) ([]any, error) {
	o := tasking.Options{Generation: s.Generation}
	curves := []interval.Steps{tasking.FindSpan(run, o).Profile(), tasking.Observed(run, o)}
	if len(curves[0].Time) == 0 {
		return nil, &Missing{"no task ran in this run"}
	}
	var name trace.Strings
	var start, end []int64
	var tasks []float64
	for i, f := range curves {
		if !s.Raw {
			f = averaged(f)
		}
		for k := range len(f.Time) - 1 {
			name.Append([]string{"possible", "observed"}[i])
			start, end, tasks = append(start, f.Time[k]), append(end, f.Time[k+1]), append(tasks, f.Value[k])
		}
	}
	return []any{&name, start, end, tasks}, nil
}

// averaged are the means of a step function over slices of its length.
func averaged(f interval.Steps) interval.Steps {
	first, last := f.Time[0], f.Time[len(f.Time)-1]
	cut := interval.Slices{From: first, To: last, Step: max(1, (last-first+parallelismSlices-1)/parallelismSlices)}
	mean := interval.Average(f, cut, interval.ExistingPart)
	var out interval.Steps
	for k, v := range mean {
		from, _ := cut.Bounds(k)
		out.Time, out.Value = append(out.Time, from), append(out.Value, v)
	}
	out.Time, out.Value = append(out.Time, last), append(out.Value, 0)
	return out
}
