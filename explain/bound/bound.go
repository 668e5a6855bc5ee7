// Package bound answers: how fast could this run have been? It computes lower
// bounds of the makespan (docs/design/methods.md, Bounds; Garcia Pinto 2018,
// sections 5.1.3 and 5.2.3; head–tail and mixed bounds after Agullo 2015a) and
// proves each linear program.
//
// The problem: the area bound ignores dependencies and the critical path
// ignores that there are few workers; on small graphs both are loose. The
// head–tail bound applies the area bound to what cannot start before x and
// leaves at least y to do after it; the mixed bound puts the longest paths into
// the area program.
//
// The approach: tasks of a kind are alike (they take the kind's mean duration
// on an architecture), so programs count tasks of a kind rather than decide on
// each. Levels and tails of all tasks are two sweeps over the graph; after
// that only counts per (level, tail, kind) matter.
//
// A bound holds for the placements whose durations are known. Pairs of kind and
// architecture that never ran, and that neither other runs nor models of the
// host know, are listed: with any of them, all bounds are conditional
// ([Result.Unknown]). Where the owner of data decides which node runs a task,
// the bound of that distribution is another, greater one than that over all
// nodes ([Distribution]).
//
// What it does not do: account for transfers within a node and for memory, or
// bound runs whose kinds have wildly varying durations (sparse kernels) as if
// each task's duration were known. With means a bound can exceed one observed
// makespan; it is reported as it is.
package bound

import (
	"fmt"
	"slices"

	"dagscope/explain/kind"
	"dagscope/internal/dag"
	"dagscope/trace"
)

// Needs names the columns that this package reads. [ModelNeeds] come on top
// for durations from performance models, [CommNeeds] for communications.
var Needs = append([]string{"dep.from", "dep.to"}, kind.Needs...)

// ModelNeeds names the columns read besides Needs for [Model] durations, and to
// know of models what never ran.
var ModelNeeds = []string{
	"task.model", "task.footprint", "model.symbol", "model.host", "model.arch", "model.device", "model.cores", "model.impl", "model.footprint", "model.mean", "model.count",
	"importlog.code",
}

// SourceNeeds names the columns read of Options.Sources and Options.Pool.
var SourceNeeds = append([]string{"task.footprint"}, kind.Needs...)

// CommNeeds names the columns read besides Needs for Options.Communications.
var CommNeeds = []string{"dep.via", "transfer.start", "transfer.end"}

// Options choose what is computed. The zero value follows
// docs/design/methods.md, Bounds.
type Options struct {
	Generation bool     // count tasks that prepare the input
	Duration   Duration // what durations stand for a kind
	Allow      []Pair   // pairs that can run though never observed
	// Sources are runs from which pairs that were never observed here take their
	// durations; Pool are runs of the same tasks on the same machine, this one
	// among them, whose durations count together. See [Poolable].
	Sources, Pool  []*trace.Run
	UsedWorkers    bool // N_r counts only workers that ran a task, as StarVZ does
	LocalPairs     bool // per node: forbid pairs not observed on that node, as StarVZ does
	Communications bool // CPB passes communications with their durations

	Levels int // thresholds per axis of the head–tail bound, default by the size of the run
	Paths  int // most paths of the mixed bound, default by the size of the graph
}

func (o Options) counts(t *trace.Tasks, i int) bool {
	return kind.Options{Generation: o.Generation}.Counts(t, i)
}

// Result holds all bounds. Times are ns.
type Result struct {
	Makespan int64 // latest end minus earliest start of counted tasks
	Tasks    int64 // counted

	Area     Area
	PerNode  []Area // by rank; one entry on one node
	CPE      Path   // longest path, each task at its fastest mean
	CPB      Path   // longest path of observed durations: this execution's chain, not a bound of others
	HeadTail HeadTail
	Mixed    Mixed
	Best     Best

	// Unknown are the pairs of kind and architecture whose durations nobody
	// knows, by kind: with any, the bounds hold for schedules that keep to the
	// others.
	Unknown []Placement
	// WithModels are the bounds when pairs that never ran may take the durations
	// of the performance models of the run's host; nil where these know none.
	WithModels *WithModels
	// Distribution is the bound of the distribution of data over nodes; nil
	// unless the owner of data decides where tasks run.
	Distribution *Distribution
	// Span is the longest chain of work inside the makespan, with what creates
	// tasks and waits for them, ns, where a caller knows it (package tasking); else 0.
	Span float64
}

// Placement is a kind on an architecture that has workers.
type Placement struct{ Kind, Arch int32 } // indexes into run.Task.Kind.Dict and run.Resource.Arch.Dict

// WithModels are bounds with the durations that only models know.
type WithModels struct {
	Host     string // whose models these are, "" if they do not say
	Pairs    []Placement
	Area     float64 // ns, as the next
	CPE      float64
	HeadTail float64
	Mixed    float64
	Best     Best
}

// Lower is the greatest lower bound over all placements whose durations are
// known, with any distribution of data: the span, where tasks create tasks, if it
// exceeds what the graph and the work give.
func (r *Result) Lower() Best {
	lower := r.Best
	if r.WithModels != nil {
		lower = r.WithModels.Best
	}
	if r.Span > lower.Time {
		return Best{Name: "span", Time: r.Span}
	}
	return lower
}

// Conditional reports whether the bounds hold only for the placements that were
// seen.
func (r *Result) Conditional() bool { return len(r.Unknown) > 0 }

// Best is the greatest of the lower bounds that hold for any schedule of the
// run's tasks on all its workers.
type Best struct {
	Name string  // "abe", "cpe", "head_tail" or "mixed"; of [Result.Lower] also "span"
	Time float64 // ns
}

// Area is the area bound (ABE) of the run or of one node, with its solution:
// row i says how many tasks of a kind an architecture should get and got.
type Area struct {
	Node   int32   // rank, trace.None for all nodes pooled
	Time   float64 // ns
	Dual   float64 // ns, the proof's value
	Kind   []int32 // index into run.Task.Kind.Dict
	Arch   []int32 // index into run.Resource.Arch.Dict
	Mean   []float64
	Ideal  []float64
	Actual []int64
}

// Compute computes every bound of a run. Errors: a cyclic graph (a
// *[dag.CycleError]) or a linear program that could not be certified.
func Compute(run *trace.Run, o Options) (*Result, error) {
	s, err := newSweeps(run, o)
	if err != nil {
		return nil, err
	}
	res := s.res
	if res.PerNode, err = perNode(run, o, s.duration, s.costs, res.Area); err != nil {
		return nil, err
	}
	if res.HeadTail, err = s.graph.headTail(s.costs, o.Levels); err != nil {
		return nil, err
	}
	if res.Mixed, err = s.graph.mixed(s.costs, res.CPE.Tasks, o.Paths); err != nil {
		return nil, err
	}
	// The mixed program contains the area program: less is rounding.
	res.Mixed.Time = max(res.Mixed.Time, res.Area.Time)
	res.Best = best(res)
	if w := res.WithModels; w != nil {
		if err := w.tighten(s, o); err != nil {
			return nil, err
		}
	}
	res.Distribution, err = distribute(run, o, s)
	return res, err
}

// tighten adds the bounds that take longer.
func (w *WithModels) tighten(s *sweeps, o Options) error {
	headTail, err := s.graph.headTail(s.known, o.Levels)
	if err != nil {
		return err
	}
	mixed, err := s.graph.mixed(s.known, s.graph.fastestPath(s.known).Tasks, o.Paths)
	w.HeadTail, w.Mixed = headTail.Time, max(mixed.Time, w.Area)
	w.Best = greatest(w.Area, w.CPE, w.HeadTail, w.Mixed)
	return err
}

func best(r *Result) Best { return greatest(r.Area.Time, r.CPE.Time, r.HeadTail.Time, r.Mixed.Time) }

func greatest(area, cpe, headTail, mixed float64) Best {
	b := Best{"abe", area}
	for _, c := range []Best{{"cpe", cpe}, {"head_tail", headTail}, {"mixed", mixed}} {
		// A bound that contains another must be better by more than rounding to
		// be called the best.
		if c.Time > b.Time*(1+1e-9) {
			b = c
		}
	}
	return b
}

func makespan(run *trace.Run, o Options) (span, tasks int64) {
	t := &run.Task
	first, last := trace.NoTime, trace.NoTime
	for i, start := range t.Start {
		if !o.counts(t, i) {
			continue
		}
		if tasks++; tasks == 1 {
			first, last = start, t.End[i]
		}
		first, last = min(first, start), max(last, t.End[i])
	}
	return last - first, tasks
}

// area solves the area program for the observed counts.
func (c *Costs) area(node int32) (Area, error) {
	a := Area{Node: node}
	s, err := c.Area(c.Total())
	if err != nil {
		return a, err
	}
	a.Time, a.Dual = s.Time, s.Dual
	for k := range c.Kind {
		for r := range c.Arch {
			if s.Tasks[k][r] == 0 && c.Count[k][r] == 0 {
				continue
			}
			a.Kind, a.Arch = append(a.Kind, c.Kind[k]), append(a.Arch, c.Arch[r])
			a.Mean = append(a.Mean, c.Duration[k][r])
			a.Ideal, a.Actual = append(a.Ideal, s.Tasks[k][r]), append(a.Actual, c.Count[k][r])
		}
	}
	return a, nil
}

// perNode computes the area bound of each node for the tasks it ran: what
// balancing within the nodes could reach. On one node that is the global one.
func perNode(run *trace.Run, o Options, duration []int64, all *Costs, global Area) ([]Area, error) {
	workers := kind.Workers(run)
	var nodes []int32
	for _, w := range workers {
		nodes = append(nodes, run.Resource.Node[w])
	}
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	if len(nodes) == 1 {
		global.Node = nodes[0]
		return []Area{global}, nil
	}
	observed := observe(run, o, duration, true)
	var areas []Area
	for _, node := range nodes {
		c, err := nodeCosts(run, o, observed, node, workers, all)
		if err != nil {
			return nil, err
		}
		a, err := c.area(node)
		if err != nil {
			return nil, fmt.Errorf("node %d: %w", node, err)
		}
		areas = append(areas, a)
	}
	return areas, nil
}

// graph is the run's task graph with what bounds need of its tasks.
type graph struct {
	*dag.Graph
	order []int32
	kind  []int32 // dense kind of each task, trace.None for tasks that weigh nothing
	kinds []int32 // dictionary index of each dense kind
	via   []int32 // transfer of each edge row, nil without communications
}

func newGraph(run *trace.Run, o Options, c *Costs) (*graph, error) {
	g := &graph{Graph: dag.Build(len(run.Task.Start), run.Dep.From, run.Dep.To), kinds: c.Kind, via: run.Dep.Via}
	var err error
	if g.order, err = g.Topological(); err != nil {
		return nil, fmt.Errorf("order task graph: %w", err)
	}
	g.kind = make([]int32, g.Len())
	for i := range g.kind {
		g.kind[i] = trace.None
		if k := run.Task.Kind.Index[i]; k >= 0 && o.counts(&run.Task, i) {
			g.kind[i] = c.kindAt[k]
		}
	}
	return g, nil
}
