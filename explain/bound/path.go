package bound

import (
	"math"

	"dagscope/trace"
)

// Path is a longest path of the task graph.
type Path struct {
	Time      float64 // ns, the sum of what is on it
	Tasks     []int32 // counted tasks, first to last
	Transfers []int32 // communications passed, if they count
}

// fixed turns durations in ns into integers that keep fractions of a
// nanosecond and cannot overflow when all tasks are added up: v·2^shift.
type fixed struct{ shift int }

// newFixed fits a graph whose tasks weigh at most total ns altogether.
func newFixed(total float64) fixed {
	shift := 20
	for shift > 0 && math.Ldexp(total+1, shift) > math.MaxInt64/4 {
		shift--
	}
	return fixed{shift}
}

// floor rounds down: a sum of floors never exceeds the sum of the durations.
func (f fixed) floor(ns float64) int64 { return int64(math.Ldexp(ns, f.shift)) }

func (f fixed) ns(v int64) float64 { return math.Ldexp(float64(v), -f.shift) }

// weights gives every task the duration of its kind (or class), 0 where there
// is none.
func weights(class []int32, perClass []float64) (w []int64, f fixed) {
	return weightsBeside(class, perClass, 0)
}

// weightsBeside is weights where other things on paths take some ns altogether.
func weightsBeside(class []int32, perClass []float64, others float64) (w []int64, f fixed) {
	count := make([]float64, len(perClass))
	for _, c := range class {
		if c >= 0 {
			count[c]++
		}
	}
	total := others
	for c, n := range count {
		if n > 0 {
			total += n * perClass[c]
		}
	}
	f = newFixed(total)
	scaled := make([]int64, len(perClass))
	for c, d := range perClass {
		if count[c] > 0 {
			scaled[c] = f.floor(d)
		}
	}
	w = make([]int64, len(class))
	for i, c := range class {
		if c >= 0 {
			w[i] = scaled[c]
		}
	}
	return w, f
}

// fastestPath is the critical path estimation (CPE): each task weighs the
// fastest mean of its kind.
func (g *graph) fastestPath(c *Costs) Path {
	fastest := c.Fastest()
	w, _ := weights(g.kind, fastest)
	return Path{Tasks: g.counted(g.LongestPath(g.order, w).Nodes)}.add(g.kind, fastest)
}

// counted leaves out what weighs nothing.
func (g *graph) counted(nodes []int32) []int32 {
	var tasks []int32
	for _, v := range nodes {
		if g.kind[v] >= 0 {
			tasks = append(tasks, v)
		}
	}
	return tasks
}

// add computes a path's time without the rounding of fixed point: tasks per
// class times its duration.
func (p Path) add(class []int32, perClass []float64) Path {
	count := make([]float64, len(perClass))
	for _, v := range p.Tasks {
		count[class[v]]++
	}
	p.Time = 0
	for c, n := range count {
		if n > 0 {
			p.Time += n * perClass[c]
		}
	}
	return p
}

// observedPath is CPB: each task weighs what it took, and each communication
// too if that is asked for.
func (g *graph) observedPath(run *trace.Run, o Options, duration []int64) Path {
	w := make([]int64, g.Len())
	for i, k := range g.kind {
		if k >= 0 {
			w[i] = duration[i]
		}
	}
	var edges []int64
	if o.Communications && g.via != nil {
		edges = transferTimes(run)
	}
	longest := g.LongestPathEdges(g.order, w, edges)
	p := Path{Time: float64(longest.Length), Tasks: g.counted(longest.Nodes)}
	if edges != nil {
		for _, e := range longest.Edges {
			if g.via[e] >= 0 {
				p.Transfers = append(p.Transfers, g.via[e])
			}
		}
	}
	return p
}

// transferTimes is the duration of each edge's transfer, 0 where there is none
// or it is not known.
func transferTimes(run *trace.Run) []int64 {
	t := &run.Transfer
	times := make([]int64, len(run.Dep.Via))
	for i, v := range run.Dep.Via {
		if v >= 0 && t.Start[v] != trace.NoTime && t.End[v] != trace.NoTime {
			times[i] = max(0, t.End[v]-t.Start[v])
		}
	}
	return times
}
