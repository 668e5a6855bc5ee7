package panels

import (
	"cmp"
	"slices"

	"dagscope/explain/chain"
	"dagscope/explain/depend"
	"dagscope/explain/kind"
	"dagscope/explain/numbers"
	"dagscope/explain/outlier"
	"dagscope/trace"
)

var taskNumbers = []Numbers{
	{
		ID: "kinds", Title: "Kinds of tasks",
		Doc: "Statistics of the durations of tasks of each kind on each architecture. With a window, of the tasks that start " +
			"in it. Quantiles interpolate linearly between order statistics (type 7).",
		Needs: []string{"task.start"},
		Reads: kind.Needs,
		Takes: taking("from", "to", "by-node", "count-generation"),
		Columns: []numbers.Column{kindColumn, archColumn, nodeColumn, {Name: "count", Doc: "number of tasks"},
			{Name: "total", Unit: "ns", Doc: "sum of durations"},
			{Name: "mean", Unit: "ns", Doc: "mean duration"},
			{Name: "sd", Unit: "ns", Doc: "standard deviation (n − 1), none for a single task"},
			{Name: "min", Unit: "ns", Doc: "shortest"},
			{Name: "q25", Unit: "ns", Doc: "first quartile"}, {Name: "median", Unit: "ns", Doc: "median"},
			{Name: "q75", Unit: "ns", Doc: "third quartile"},
			{Name: "p95", Unit: "ns", Doc: "95 % quantile"}, {Name: "max", Unit: "ns", Doc: "longest"}},
		Compute: kindNumbers,
	},
	{
		ID: "sequence", Title: "Durations over time",
		Doc: "Each task with its place in the order of submission, when it started and how long it worked. With a window, of the " +
			"tasks that start in it.",
		Needs: []string{"task.start"},
		Reads: Joined(kind.Needs, []string{"task.key", "task.order", "resource.name"}),
		Takes: taking("from", "to", "count-generation"),
		Columns: []numbers.Column{keyColumn, kindColumn, archColumn, workerColumn, nodeColumn,
			{Name: "order", Doc: "in which it was submitted on its node, none for tasks of the runtime"}, startColumn,
			{Name: "duration", Unit: "ns", Doc: "time it worked"}},
		Compute: sequenceNumbers,
	},
	{
		ID: "outliers", Title: "Outliers",
		Doc: "Tasks that took unusually long or short for their kind and architecture, in submission order. Judged among all " +
			"tasks of the run; listed when they overlap the window.",
		Needs: []string{"task.start"},
		Reads: Joined(outlier.Needs, []string{"task.key", "resource.name"}),
		Takes: taking("from", "to", "outliers", "outliers-by-node", "count-generation"),
		Columns: []numbers.Column{keyColumn, kindColumn, archColumn, workerColumn, nodeColumn, startColumn, endColumn,
			{Name: "duration", Unit: "ns", Doc: "time it worked"}, {Name: "side", Doc: "long or short"},
			{Name: "bound", Unit: "ns", Doc: "what is usual ends there"},
			{Name: "method", Doc: "how its group was judged"}},
		Compute: outlierNumbers,
	},
	{
		ID: "lastpath", Title: "Last path",
		Doc: "From the task that ended last backwards, each time to what it depends on that ended last: the chain that held " +
			"up the end. Messages between nodes are part of it.",
		Needs: []string{"task.start"},
		Reads: Joined(depend.Needs, []string{"task.key", "task.kind", "task.worker", "transfer.key", "transfer.kind", "resource.name",
			"resource.node", "transfer.to"}),
		Columns: []numbers.Column{{Name: "step", Doc: "0 for the last task"}, {Name: "key", Doc: "job id, or name of the message"},
			{Name: "what", Doc: "task or transfer"},
			kindColumn, {Name: "place", Doc: "worker, or where the message arrives"}, nodeColumn, startColumn, endColumn,
			{Name: "release", Unit: "ns", Doc: "from the end of the step it depends on to its start; negative where clocks disagree"}},
		Compute: pathNumbers,
	},
	{
		ID: "delays", Title: "Delays",
		Doc: "What tasks and workers waited for, summed by worker and kind: of the task its time from ready to start, divided as the " +
			"critical chain is if it ended there, so that each part has a class, or the mark of a task that was in the way; of the " +
			"worker its time without work before tasks of the kind, divided as in the numbers idle. The parts add up.",
		Needs: []string{"task.start"},
		Reads: Joined(chain.Needs, chain.More, []string{"resource.name"}),
		Columns: []numbers.Column{workerColumn, nodeColumn, archColumn, kindColumn, {Name: "tasks", Doc: "number of tasks"},
			{Name: "known", Doc: "of these, tasks whose ready time is known: those in the rows of tasks"},
			{Name: "of", Doc: "task or worker: which of them waited"},
			{Name: "cause", Doc: "class or mark (panel chain)"},
			{Name: "time", Unit: "ns", Doc: "sum"}},
		Compute: delayNumbers,
	},
}

func kindNumbers(run *trace.Run, s *Settings) ([]any, error) {
	from, to, err := s.all()
	if err != nil {
		return nil, err
	}
	k := kind.Compute(startingIn(run, from, to), kind.Options{Generation: s.Generation, ByNode: s.ByNode})
	return []any{entries(&run.Task.Kind, k.Kind), entries(&run.Resource.Arch, k.Arch), Each(k.Node, rank), k.Count, k.Total, k.Mean, k.SD,
		k.Min, k.Q25, k.Median, k.Q75, k.P95, k.Max}, nil
}

// sequenceNumbers lists tasks by start.
func sequenceNumbers(run *trace.Run, s *Settings) ([]any, error) {
	from, to, err := s.all()
	if err != nil {
		return nil, err
	}
	t, counted := &run.Task, kind.Options{Generation: s.Generation}
	var rows []int32
	for i, start := range t.Start {
		if start >= from && start < to && counted.Counts(t, i) {
			rows = append(rows, int32(i))
		}
	}
	slices.SortStableFunc(rows, func(a, b int32) int { return cmp.Compare(t.Start[a], t.Start[b]) })
	key := &trace.Keys{Prefix: t.Key.Prefix}
	archs, workers := &trace.Strings{}, &trace.Strings{}
	var kinds, nodes, order []int32
	var start, duration []int64
	durations := kind.Durations(run)
	for _, i := range rows {
		w := t.Worker[i]
		key.Code, kinds = append(key.Code, t.Key.Code[i]), append(kinds, t.Kind.Index[i])
		archs.Append(run.Resource.Arch.At(int(w)))
		workers.Append(run.Resource.Name.At(int(w)))
		nodes, order = append(nodes, run.Resource.Node[w]), append(order, t.Order[i])
		start, duration = append(start, t.Start[i]), append(duration, durations[i])
	}
	return []any{key, entries(&t.Kind, kinds), archs, workers, Each(nodes, rank), Each(order, rank), start, duration}, nil
}

// startingIn is the run with only the tasks that start in a window: the others
// did not run.
func startingIn(run *trace.Run, from, to int64) *trace.Run {
	part := *run
	part.Task.Start = slices.Clone(run.Task.Start)
	for i, t := range part.Task.Start {
		if t < from || t >= to {
			part.Task.Start[i] = trace.NoTime
		}
	}
	return &part
}

func outlierNumbers(run *trace.Run, s *Settings) ([]any, error) {
	from, to, err := s.all()
	if err != nil {
		return nil, err
	}
	t := &run.Task
	found := outlier.Compute(run, outlier.Options{Generation: s.Generation, ByNode: s.OutliersByNode, Method: s.OutlierMethod, Factor: s.OutlierFactor})
	durations := kind.Durations(run)
	var rows, groups []int32
	var side, method trace.Strings
	var bound []float64
	for i, row := range found.Task {
		if t.Start[row] >= to || t.End[row] <= from {
			continue
		}
		rows, groups, bound = append(rows, row), append(groups, found.Group[i]), append(bound, found.Bound[i])
		side.Append(map[outlier.Side]string{outlier.Short: "short", outlier.Long: "long"}[found.Side[i]])
		method.Append(string(found.Groups.Method[found.Group[i]]))
	}
	workers := At(t.Worker, rows)
	return []any{&trace.Keys{Prefix: t.Key.Prefix, Code: At(t.Key.Code, rows)}, pick(&t.Kind, rows),
		entries(&run.Resource.Arch, At(found.Groups.Arch, groups)), pick(&run.Resource.Name, workers), pickRanks(run, workers),
		At(t.Start, rows), At(t.End, rows), At(durations, rows), &side, bound, &method}, nil
}

// needGraph refuses runs of which no dependency is known: nothing could be
// told from what no task waited for.
func needGraph(run *trace.Run) error {
	if len(run.Dep.To) == 0 {
		return &Missing{"the run has no task graph (of StarPU: dag.dot beside the trace)"}
	}
	return nil
}

func pathNumbers(run *trace.Run, _ *Settings) ([]any, error) {
	if err := needGraph(run); err != nil {
		return nil, err
	}
	last := depend.Find(run)
	var step, place []int32
	var key, what, kinds trace.Strings
	var start, end, release []int64
	for i, node := range last.LastPath() {
		step = append(step, int32(i))
		key.Append(last.Key(node))
		start, end, release = append(start, last.Start(node)), append(end, last.End(node)), append(release, last.Release(node))
		if row, ok := last.Transfer(node); ok {
			what.Append("transfer")
			kinds.Append(run.Transfer.Kind.At(int(row)))
			place = append(place, run.Transfer.To[row])
			continue
		}
		what.Append("task")
		kinds.Append(run.Task.Kind.At(int(node)))
		place = append(place, run.Task.Worker[node])
	}
	if len(step) == 0 {
		return nil, &Missing{"no task of the application ran in this run"}
	}
	return []any{step, &key, &what, &kinds, pick(&run.Resource.Name, place), pickRanks(run, place), start, end, release}, nil
}

func delayNumbers(run *trace.Run, _ *Settings) ([]any, error) {
	d := chain.New(run, chain.Options{}).Delays()
	var row []int32
	var of, cause trace.Strings
	var ns []int64
	for i := range d.Worker {
		for _, side := range []struct {
			of   string
			sums *chain.Sums
		}{{"task", &d.Delay[i]}, {"worker", &d.Gap[i]}} {
			for _, c := range chain.Causes() {
				if side.sums[c] == 0 {
					continue
				}
				row, ns = append(row, int32(i)), append(ns, side.sums[c])
				of.Append(side.of)
				cause.Append(c.String())
			}
		}
	}
	if len(d.Worker) == 0 {
		return nil, &Missing{"no task of the application ran in this run"}
	}
	worker := At(d.Worker, row)
	return []any{pick(&run.Resource.Name, worker), pickRanks(run, worker), pick(&run.Resource.Arch, worker), entries(&run.Task.Kind, At(d.Kind, row)),
		At(d.Tasks, row), At(d.Known, row), &of, &cause, ns}, nil
}
