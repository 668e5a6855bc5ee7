package panels

import (
	"dagscope/explain/numbers"
	"dagscope/explain/progress"
	"dagscope/trace"
)

var progressNumbers = []Numbers{
	{
		ID: "iterations", Title: "Iterations",
		Doc: "Outer iterations as the application numbers them: first start and last end of their tasks. An iteration is " +
			"listed when it overlaps the window. Tasks of no iteration are iteration -1.",
		Needs: []string{"task.start"},
		Reads: Joined(TaskTimes, []string{"task.iteration"}),
		Takes: taking("from", "to", "by-node", "count-generation"),
		Columns: []numbers.Column{nodeColumn, {Name: "iteration", Doc: "number of the iteration, -1 for none"}, startColumn, endColumn,
			{Name: "tasks", Doc: "number of tasks"}},
		Compute: iterationNumbers,
	},
	{
		ID: "lackready", Title: "Lack of ready tasks",
		Doc: "Slices (10 ms unless a step is given) of the window, zero to the makespan unless given, whose mean number of " +
			"ready tasks on a node is below a threshold, by default the node's number of workers: the node could not be kept busy.",
		Reads: Joined(TaskTimes, sampleColumns, []string{"task.ready"}),
		Takes: taking("from", "to", "step", "full-step", "source", "threshold"),
		Columns: []numbers.Column{sourceColumn, nodeColumn, fromColumn, untilColumn, {Name: "ready", Doc: "mean number of ready tasks"},
			{Name: "threshold", Doc: "that it is below"}},
		Compute: LackNumbers,
	},
}

func iterationNumbers(run *trace.Run, s *Settings) ([]any, error) {
	from, to, err := s.all()
	if err != nil {
		return nil, err
	}
	b := progress.Borders(run, progress.Options{ByNode: s.ByNode, Generation: s.Generation})
	known := false
	var rows []int32
	for i, iteration := range b.Iteration {
		known = known || iteration >= 0
		if b.Start[i] < to && b.End[i] > from {
			rows = append(rows, int32(i))
		}
	}
	if !known {
		return nil, &Missing{"no task of this run belongs to an iteration: the application does not tell them"}
	}
	return []any{Each(At(b.Node, rows), rank), At(b.Iteration, rows), At(b.Start, rows), At(b.End, rows), At(b.Tasks, rows)}, nil
}

func LackNumbers(run *trace.Run, s *Settings) ([]any, error) {
	c := Curves{progress.ReadyMetric, progress.Ready, run.Task.Ready, "ready times of tasks"}
	series, source, err := c.Pick(run, s.Source)
	if err != nil {
		return nil, err
	}
	cut, err := s.slices(run, fixed(progress.LackStep))
	if err != nil {
		return nil, err
	}
	threshold := progress.WorkersPerNode(run)
	if s.Threshold > 0 {
		threshold = func(int32) float64 { return s.Threshold }
	}
	l := progress.LackReady(series, cut, s.divisor(), threshold)
	return []any{constant(string(source), len(l.Node)), Each(l.Node, rank), l.Start, l.End, l.Ready, l.Threshold}, nil
}
