package panels

import (
	"math"

	"dagscope/explain/bound"
	"dagscope/explain/breakdown"
	"dagscope/explain/numbers"
	"dagscope/explain/schedule"
	"dagscope/explain/utilization"
	"dagscope/internal/interval"
	"dagscope/trace"
)

var workerNumbers = []Numbers{
	{
		ID: "workers", Title: "Workers",
		Doc: "How much of the makespan each worker did not work, by both definitions: what no task covers, and what the " +
			"runtime's own states Idle and Sleeping cover. Workers that ran nothing are listed.",
		Needs: []string{"task.start"},
		Reads: Joined(utilization.WorkerNeeds, []string{"resource.name"}),
		Takes: taking("count-generation"),
		Columns: []numbers.Column{workerColumn, nodeColumn, archColumn, {Name: "tasks", Doc: "number of tasks"},
			{Name: "busy", Unit: "ns", Doc: "time that tasks cover"},
			{Name: "idle_share", Doc: "part of the makespan that no task covers"},
			{Name: "runtime_idle_share", Doc: "part in the states Idle and Sleeping; none where states were not traced"}},
		Compute: idleNumbers,
	},
	{
		ID: "breakdown", Title: "Time breakdown",
		Doc: "The time of each worker in the window (zero to the makespan unless given; of OpenMP programs the whole recording): " +
			"work, idleness (no task was ready) and overhead (one was ready, yet the worker ran none); the three add up exactly. Of " +
			"the work, what the runtime's own (implicit) tasks did. Of the overhead, what remains when only " +
			"tasks count that the worker's architecture can run, and when these must belong to its node too. Slices if a step is given.",
		Needs: []string{"task.start"},
		Reads: Joined(breakdown.Needs, []string{"resource.name"}),
		Takes: taking("from", "to", "step", "by-node", "total", "count-generation", "waiting-ready"),
		Columns: []numbers.Column{{Name: "worker", Doc: "name of the worker as traced; none for sums"}, nodeColumn,
			{Name: "arch", Doc: "its architecture; none for sums"},
			fromColumn, untilColumn, {Name: "work", Unit: "ns", Doc: "some task ran"},
			{Name: "idleness", Unit: "ns", Doc: "nothing ran, nothing was ready"},
			{Name: "overhead", Unit: "ns", Doc: "nothing ran though a task was ready"},
			{Name: "overhead_arch", Unit: "ns", Doc: "… that the worker's architecture can run"},
			{Name: "overhead_local", Unit: "ns", Doc: "… and that belongs to its node"},
			{Name: "class", Doc: "idleness and overhead, each low (L) or high (H, at least a tenth)"},
			{Name: "work_implicit", Unit: "ns", Doc: "of the work, what only the runtime's own tasks did"},
			{Name: "waiting_ready", Doc: "whether tasks that wait for others which are done count as ready: on or off"}},
		Compute: breakdownNumbers,
	},
	{
		ID: "states", Title: "Runtime states",
		Doc: "What resources did besides running tasks, as traced, resource by resource: the states that overlap the window. " +
			"States may be nested.",
		Needs: []string{"state.start"},
		Reads: []string{"state.resource", "state.type", "state.kind", "state.start", "state.end", "state.depth", "resource.name",
			"resource.node", "resource.level", "task.start", "task.kind"},
		Takes: taking("from", "to"),
		Columns: []numbers.Column{{Name: "resource", Doc: "where, as traced"}, nodeColumn,
			{Name: "level", Doc: "worker, thread, memory-manager, comm, …"},
			{Name: "type", Doc: "state type as traced"}, {Name: "state", Doc: "state"}, startColumn, endColumn,
			{Name: "depth", Doc: "nesting, 0 outermost"}},
		Compute: stateNumbers,
	},
	{
		ID: "abe", Title: "Area bound",
		Doc: "The area bound (ABE) and its solution: how many tasks of each kind each architecture should get, and got. " +
			"Other solutions may be as good. By node, each node with its own tasks.",
		Needs: []string{"task.start"},
		Reads: Joined(bound.Needs, bound.ModelNeeds),
		Takes: taking("by-node", "durations", "used-workers", "starvz", "count-generation"),
		Columns: []numbers.Column{nodeColumn, {Name: "abe", Unit: "ns", Doc: "area bound"}, archColumn, kindColumn,
			{Name: "duration", Unit: "ns", Doc: "that stands for the kind there"},
			{Name: "ideal", Doc: "tasks in the solution, may be a fraction"}, {Name: "actual", Doc: "tasks that ran there"}},
		Compute: AreaNumbers,
	},
}

func idleNumbers(run *trace.Run, s *Settings) ([]any, error) {
	w := utilization.ByWorker(run, utilization.WorkerOptions{Generation: s.Generation})
	if w.To <= w.From {
		return nil, &Missing{"no task of the application ran in this run"}
	}
	share, runtime := make([]float64, len(w.Worker)), make([]float64, len(w.Worker))
	for i := range w.Worker {
		share[i] = w.Share(i)
		var ok bool
		if runtime[i], ok = w.RuntimeShare(i); !ok {
			runtime[i] = math.NaN()
		}
	}
	return []any{pick(&run.Resource.Name, w.Worker), pickRanks(run, w.Worker), pick(&run.Resource.Arch, w.Worker),
		w.Tasks, w.Busy, share, runtime}, nil
}

func stateNumbers(run *trace.Run, s *Settings) ([]any, error) {
	from, to, err := s.all()
	if err != nil {
		return nil, err
	}
	st := &run.State
	var rows []int32
	for i, start := range st.Start {
		if start < to && (st.End[i] > from || start >= from) {
			rows = append(rows, int32(i))
		}
	}
	where := At(st.Resource, rows)
	return []any{pick(&run.Resource.Name, where), pickRanks(run, where), pick(&run.Resource.Level, where), pick(&st.Type, rows),
		pick(&st.Kind, rows), At(st.Start, rows), At(st.End, rows), At(st.Depth, rows)}, nil
}

// areaBound is how area bounds are made. Those of StarVZ know only workers that
// ran a task, and of a node only the kinds that ran there on an architecture.
func (s *Settings) areaBound() bound.Options {
	return bound.Options{Duration: s.Durations, Sources: s.Sources, UsedWorkers: s.UsedWorkers || s.StarVZ, LocalPairs: s.StarVZ}
}

func AreaNumbers(run *trace.Run, s *Settings) ([]any, error) {
	o := s.areaBound()
	o.Generation = s.Generation
	areas, err := bound.Areas(run, o, s.ByNode)
	if err != nil {
		return nil, err
	}
	var node, arch, kind []int32
	var abe, duration, ideal []float64
	var actual []int64
	for _, a := range areas {
		for i := range a.Kind {
			node, abe = append(node, rank(a.Node)), append(abe, a.Time)
			arch, kind = append(arch, a.Arch[i]), append(kind, a.Kind[i])
			duration, ideal, actual = append(duration, a.Mean[i]), append(ideal, a.Ideal[i]), append(actual, a.Actual[i])
		}
	}
	if len(node) == 0 {
		return nil, &Missing{"no task of the application ran in this run"}
	}
	return []any{node, abe, entries(&run.Resource.Arch, arch), entries(&run.Task.Kind, kind), duration, ideal, actual}, nil
}

func breakdownNumbers(run *trace.Run, s *Settings) ([]any, error) {
	if run.Meta.Lifetimes && s.From == trace.NoTime && s.To == trace.NoTime {
		whole := *s
		whole.From, whole.To = breakdown.Recording(run)
		s = &whole
	}
	cut, err := s.slices(run, whole)
	if err != nil {
		return nil, err
	}
	if err := s.workerCells(run, cut); err != nil {
		return nil, err
	}
	b := breakdown.Compute(run, breakdown.Options{From: cut.From, To: cut.To, Step: cut.Step, Generation: s.Generation,
		WaitingNotReady: s.Waiting == WaitingNotReady})
	if b.Unknown > 0 && b.Unknown == CountedTasks(run, s.Generation) {
		return nil, &Missing{"the run does not tell when any task was ready: idleness and overhead cannot be told apart"}
	}
	group, workers := groupWorkers(run, b.Workers, s)
	sums := newBreakdownSums(len(workers), cut)
	sums.waiting = s.Waiting
	for i := range b.Workers {
		for w := range cut.Len() {
			sums.Add(b, i*cut.Len()+w, group[i]*cut.Len()+w)
		}
	}
	return sums.Columns(run, workers), nil
}

func CountedTasks(run *trace.Run, generation bool) (n int64) {
	keep := schedule.Keep(run, generation)
	for i := range run.Task.Start {
		if keep(i) {
			n++
		}
	}
	return n
}

// groupWorkers says which workers are summed: for each its group, and for each
// group the worker (or none) and node that stand for it.
func groupWorkers(run *trace.Run, workers []int32, s *Settings) (group []int, groups []place) {
	known := map[place]int{}
	for _, w := range workers {
		p := place{w, rank(run.Resource.Node[w])}
		switch {
		case s.Total:
			p = place{trace.None, trace.NoInt}
		case s.ByNode:
			p.worker = trace.None
		}
		if _, ok := known[p]; !ok {
			known[p] = len(groups)
			groups = append(groups, p)
		}
		group = append(group, known[p])
	}
	return group, groups
}

type place struct{ worker, node int32 }

// breakdownSums are the parts of each group in each slice.
type breakdownSums struct {
	cut                 interval.Slices
	parts               []breakdown.Parts
	ableOver, localOver []int64
	waiting             Waiting
}

func newBreakdownSums(groups int, cut interval.Slices) breakdownSums {
	n := groups * cut.Len()
	return breakdownSums{cut: cut, parts: make([]breakdown.Parts, n), ableOver: make([]int64, n), localOver: make([]int64, n)}
}

func (b *breakdownSums) Add(from *breakdown.Result, cell, to int) {
	global := from.Cell[breakdown.Global][cell]
	p := &b.parts[to]
	p.Work, p.Idleness, p.Overhead = p.Work+global.Work, p.Idleness+global.Idleness, p.Overhead+global.Overhead
	p.Implicit += global.Implicit
	b.ableOver[to] += from.Cell[breakdown.ByArch][cell].Overhead
	b.localOver[to] += from.Cell[breakdown.Local][cell].Overhead
}

func (b *breakdownSums) Columns(run *trace.Run, groups []place) []any {
	var workers, nodes []int32
	var start, end []int64
	var class, waiting trace.Strings
	for g, p := range groups {
		for w := range b.cut.Len() {
			from, to := b.cut.Bounds(w)
			workers, nodes = append(workers, p.worker), append(nodes, p.node)
			start, end = append(start, from), append(end, to)
			waiting.Append(b.waiting.word())
			class.Append(string(b.parts[g*b.cut.Len()+w].Classify(breakdown.DefaultThresholds)))
		}
	}
	part := func(f func(breakdown.Parts) int64) []int64 { return Each(b.parts, f) }
	return []any{pick(&run.Resource.Name, workers), nodes, pick(&run.Resource.Arch, workers), start, end,
		part(func(p breakdown.Parts) int64 { return p.Work }), part(func(p breakdown.Parts) int64 { return p.Idleness }),
		part(func(p breakdown.Parts) int64 { return p.Overhead }), b.ableOver, b.localOver, &class,
		part(func(p breakdown.Parts) int64 { return p.Implicit }), &waiting}
}
