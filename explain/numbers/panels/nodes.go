package panels

import (
	"fmt"

	"dagscope/explain/aggregate"
	"dagscope/explain/bound"
	"dagscope/explain/kind"
	"dagscope/explain/numbers"
	"dagscope/explain/progression"
	"dagscope/explain/schedule"
	"dagscope/explain/utilization"
	"dagscope/internal/interval"
	"dagscope/trace"
)

// Numbers on many nodes and workers (docs/design/methods.md, Imbalance and
// Progression).

var nodeNumbers = []Numbers{
	{
		ID: "nodes", Title: "Nodes",
		Doc: "What each node did: its tasks, the time of its workers, when its last task ended, and the area bound of its own " +
			"tasks on its own workers. Nodes without tasks are listed.",
		Needs: []string{"task.start"},
		Reads: Joined(utilization.NodeNeeds, bound.ModelNeeds, bound.DistributionNeeds, []string{"resource.name"}),
		Takes: taking("durations", "used-workers", "starvz", "count-generation"),
		Columns: []numbers.Column{{Name: "node", Doc: "rank"}, {Name: "workers", Doc: "number of workers"},
			{Name: "tasks", Doc: "number of tasks"},
			{Name: "busy", Unit: "ns", Doc: "of its workers together"},
			{Name: "idle_share", Doc: "mean idle share of its workers over the makespan"},
			{Name: "start", Unit: "ns", Doc: "of its first task, since zero"},
			{Name: "end", Unit: "ns", Doc: "of its last task, since zero"}, {Name: "abe", Unit: "ns", Doc: "area bound"},
			{Name: "gap_share", Doc: "part of the time up to its end that the bound does not need"}},
		Compute: nodeSummaryNumbers,
	},
	{
		ID: "progression", Title: "Progression of nodes",
		Doc: "How far each node was with its own tasks at 20 equal steps from zero to the makespan, or steps of a given length, " +
			"and with which nodes it was together: modal clusters of a Gaussian kernel density. A task weighs 1/Σ(1/T) over the " +
			"workers of the node that can run it (weights arch), over those that ran such a task, each with its mean (worker, as " +
			"StarVZ), or 1 (count). Area bounds of what was done up to an instant are sums of those of the steps.",
		Needs: []string{"task.start"},
		Reads: progression.Needs,
		Takes: taking("step", "bandwidth", "sheather-jones", "weights", "used-workers", "count-generation"),
		Columns: []numbers.Column{{Name: "time", Unit: "ns", Doc: "instant, since zero"}, {Name: "node", Doc: "rank"},
			{Name: "progress", Doc: "share of its work that had ended, 0 to 1"},
			{Name: "cluster", Doc: "number of its cluster at that instant, 0 the slowest"},
			{Name: "cluster_nodes", Doc: "nodes in that cluster"},
			{Name: "cluster_progress", Doc: "mean of these"}, {Name: "bandwidth", Doc: "of the density at that instant"},
			{Name: "run_progress", Doc: "all nodes as one"},
			{Name: "cumulative_abe", Unit: "ns", Doc: "sum of the area bounds of the steps so far"},
			{Name: "abe", Unit: "ns", Doc: "area bound of the run"}},
		Compute: progressionNumbers,
	},
	{
		ID: "utilization", Title: "Utilisation",
		Doc: "The share of each slice (a 200th of the window, zero to the makespan, unless a step is given) in which each worker " +
			"ran tasks of the application. Workers that ran nothing are listed.",
		Needs: []string{"task.start"},
		Reads: Joined(utilization.SliceNeeds, []string{"resource.name"}),
		Takes: taking("from", "to", "step", "starvz", "count-generation"),
		Columns: []numbers.Column{workerColumn, nodeColumn, archColumn, fromColumn, untilColumn,
			{Name: "share", Doc: "used part of the slice, 0 to 1"}},
		Compute: utilizationNumbers,
	},
	{
		ID: "imbalance", Title: "Imbalance",
		Doc: "How evenly the workers were used in each slice (a 100th of the window, zero to the makespan, unless a step is " +
			"given), with all workers alike (plain), by their speed on one kind of tasks (power), and against the area bound of " +
			"what was done in the slice (area).",
		Needs: []string{"task.start"},
		Reads: Joined(utilization.SliceNeeds, []string{"resource.name"}),
		Takes: taking("from", "to", "step", "kind", "starvz", "count-generation"),
		Columns: []numbers.Column{{Name: "weights", Doc: "plain, power or area"}, fromColumn, untilColumn,
			{Name: "percentage", Doc: "0 all workers are used alike, 1 one does everything; none where nothing ran"},
			{Name: "time", Doc: "use of the most used worker beyond the mean (area: beyond the bound), as a share of the slice"},
			{Name: "deviation", Doc: "standard deviation of the utilisation"},
			{Name: "mean", Doc: "mean utilisation by the weights (area: the bound as a share of the slice)"}},
		Compute: imbalanceNumbers,
	},
	{
		ID: "resourceusage", Title: "Resource usage",
		Doc: "How many workers ran tasks of each kind, as the mean of each slice (0.1 % of the window, zero to the makespan, " +
			"unless a step is given). The sum over the kinds is the number of active workers.",
		Needs: []string{"task.start"},
		Reads: Joined(kind.Needs, schedule.Needs, []string{"resource.name"}),
		Takes: taking("from", "to", "step", "full-step", "used-workers", "count-generation"),
		Columns: []numbers.Column{kindColumn, fromColumn, untilColumn, {Name: "workers", Doc: "mean number that ran the kind"},
			{Name: "share", Doc: "of all workers; with used-workers of those that ran a task"}},
		Compute: usageNumbers,
	},
}

var NothingRan = &Missing{"no task of the application ran in this run"}

func nodeSummaryNumbers(run *trace.Run, s *Settings) ([]any, error) {
	n, err := utilization.ByNode(run, utilization.NodeOptions{Generation: s.Generation, Bound: s.areaBound()})
	if err != nil {
		return nil, err
	}
	ran := false
	gap := make([]float64, n.Len())
	for i := range gap {
		gap[i], ran = n.Gap(i), ran || n.Tasks[i] > 0
	}
	if !ran {
		return nil, NothingRan
	}
	return []any{Each(n.Node, rank), n.Workers, n.Tasks, n.Busy, n.Idle, n.Start, n.End, n.ABE, gap}, nil
}

// progressionOf computes the progression that settings ask for.
func progressionOf(run *trace.Run, s *Settings) (*progression.Result, error) {
	o := progression.Options{Bandwidth: s.Bandwidth, SheatherJones: s.SheatherJones, Weights: s.Weights, Generation: s.Generation, UsedWorkers: s.UsedWorkers}
	if end := schedule.Makespan(run); s.Step > 0 {
		o.Steps = int(max(1, (end+s.Step/2)/s.Step))
		if o.Steps > maxInstants {
			return nil, tooFine("cut %v ms into steps of %v ms: found %d, want at most %d", ms(end), ms(s.Step), o.Steps, maxInstants)
		}
	}
	r, err := progression.Compute(run, o)
	if err == nil && len(r.Node) == 0 {
		return nil, NothingRan
	}
	return r, err
}

// maxInstants bounds the clusterings that a small step makes.
const maxInstants = 10_000

func progressionNumbers(run *trace.Run, s *Settings) ([]any, error) {
	r, err := progressionOf(run, s)
	if err != nil {
		return nil, err
	}
	return ProgressionColumns(r), nil
}

func ProgressionColumns(r *progression.Result) []any {
	var time []int64
	var node, cluster, size []int32
	var progress, mean, bandwidth, global, sum, abe []float64
	cumulative := r.Cumulative()
	for t := range r.Time {
		for i, n := range r.Node {
			c := r.Cluster[t][i]
			time, node, progress = append(time, r.Time[t]), append(node, rank(n)), append(progress, r.Progress[t][i])
			cluster, size, mean = append(cluster, c), append(size, r.Size[t][c]), append(mean, r.Mean[t][c])
			bandwidth, global = append(bandwidth, r.Bandwidth[t]), append(global, r.Global[t])
			sum, abe = append(sum, cumulative[t]), append(abe, r.ABE)
		}
	}
	return []any{time, node, progress, cluster, size, mean, bandwidth, global, sum, abe}
}

// Part is the step that cuts a window into so many slices.
func Part(n int64) func(from, to int64) int64 {
	return func(from, to int64) int64 { return max(1, (to-from+n-1)/n) }
}

func utilizationNumbers(run *trace.Run, s *Settings) ([]any, error) {
	cut, err := s.slices(run, Part(UtilizationSlices))
	if err != nil {
		return nil, err
	}
	if err := insideOnly(run, cut.From, cut.To); err != nil {
		return nil, err
	}
	if err := s.workerCells(run, cut); err != nil {
		return nil, err
	}
	u := utilization.BySlice(run, cut, utilization.SliceOptions{Generation: s.Generation, StarVZ: s.StarVZ})
	if len(u.Worker) == 0 {
		return nil, &Missing{"no worker is known in this run"}
	}
	var who []int32
	var start, end []int64
	var share []float64
	for i, w := range u.Worker {
		for k, v := range u.Share[i] {
			from, to := cut.Bounds(k)
			who, start, end, share = append(who, w), append(start, from), append(end, to), append(share, v)
		}
	}
	return []any{pick(&run.Resource.Name, who), pickRanks(run, who), pick(&run.Resource.Arch, who), start, end, share}, nil
}

// ImbalanceOf computes the metrics of some weights; power without a kind that
// ran has none.
func ImbalanceOf(run *trace.Run, cut interval.Slices, o utilization.SliceOptions, weights ImbalanceWeights, kindName string) (*utilization.Metrics, error) {
	switch weights {
	case AreaImbalance:
		u := utilization.BySliceForAreas(run, cut, o)
		areas, err := u.Areas(run, o)
		if err != nil {
			return nil, err
		}
		return u.Area(areas, o), nil
	case PowerImbalance:
		k, err := PowerKind(run, o, kindName)
		if err != nil {
			return nil, err
		}
		u := utilization.BySlice(run, cut, o)
		return u.Weighted(utilization.Powers(run, u.Worker, k, o)), nil
	}
	return utilization.BySlice(run, cut, o).Plain(), nil
}

// PowerKind finds the kind whose durations stand for the power of workers.
func PowerKind(run *trace.Run, o utilization.SliceOptions, name string) (int32, error) {
	k := utilization.PowerKind(run, o)
	if name != "" {
		k = run.Task.Kind.Find(name)
	}
	if k < 0 {
		return k, &Missing{fmt.Sprintf("no task of kind %q ran in this run, by which the power of workers could be told", name)}
	}
	return k, nil
}

func imbalanceNumbers(run *trace.Run, s *Settings) ([]any, error) {
	cut, err := s.slices(run, Part(ImbalanceSlices))
	if err != nil {
		return nil, err
	}
	if err := insideOnly(run, cut.From, cut.To); err != nil {
		return nil, err
	}
	if len(kind.Workers(run)) == 0 {
		return nil, &Missing{"no worker is known in this run"}
	}
	if err := s.workerCells(run, cut); err != nil {
		return nil, err
	}
	var weights trace.Strings
	var start, end []int64
	var percent, time, sd, mean []float64
	for _, w := range AllImbalanceWeights() {
		m, err := ImbalanceOf(run, cut, utilization.SliceOptions{Generation: s.Generation, StarVZ: s.StarVZ}, w, s.Kind)
		if err != nil {
			return nil, err
		}
		for k := range m.Mean {
			from, to := cut.Bounds(k)
			weights.Append(string(w))
			start, end = append(start, from), append(end, to)
		}
		percent, time, sd, mean = append(percent, m.Percent...), append(time, m.Time...), append(sd, m.SD...), append(mean, m.Mean...)
	}
	return []any{&weights, start, end, percent, time, sd, mean}, nil
}

func usageNumbers(run *trace.Run, s *Settings) ([]any, error) {
	cut, err := s.slices(run, perMille)
	if err != nil {
		return nil, err
	}
	if err := insideOnly(run, cut.From, cut.To); err != nil {
		return nil, err
	}
	usage := aggregate.FixedSlices(run, cut, s.Generation).ByKind(usableWorkers(run, s))
	if usage.Workers == 0 {
		return nil, &Missing{"no worker is known in this run"}
	}
	var start, end []int64
	var number, share []float64
	for i, busy := range usage.Busy {
		from, to := cut.Bounds(int(usage.Slice[i]))
		start, end = append(start, from), append(end, to)
		number = append(number, float64(busy)/cut.Over(int(usage.Slice[i]), s.divisor()))
		share = append(share, number[i]/float64(usage.Workers))
	}
	return []any{entries(&run.Task.Kind, usage.Kind), start, end, number, share}, nil
}

// usableWorkers is the number of workers, or of those that ran a task.
func usableWorkers(run *trace.Run, s *Settings) int {
	if !s.UsedWorkers {
		return len(kind.Workers(run))
	}
	used, counts := map[int32]bool{}, kind.Options{Generation: s.Generation}
	for i, w := range run.Task.Worker {
		if counts.Counts(&run.Task, i) {
			used[w] = true
		}
	}
	return len(used)
}

// Slices of the whole run unless a step is given.
const (
	UtilizationSlices = 200
	ImbalanceSlices   = 100
)
