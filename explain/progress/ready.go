package progress

import (
	"dagscope/internal/interval"
	"dagscope/trace"
)

// Ready counts from the tasks themselves how many were ready and not yet
// running, per node: the reconstruction of the runtime's counter. Tasks that
// generate the input count as the runtime counts them; tasks whose ready time
// is not known do not.
func Ready(run *trace.Run) []Series {
	return concurrency("ready", ReadySpans(run))
}

// ReadySpans are the intervals that [Ready] counts, by node.
func ReadySpans(run *trace.Run) []interval.Spans {
	return between(run, run.Task.Ready, run.Task.Start)
}

// Submitted counts from the tasks themselves how many were submitted and not
// yet ended, per node.
func Submitted(run *trace.Run) []Series {
	return concurrency("submitted", SubmittedSpans(run))
}

// SubmittedSpans are the intervals that [Submitted] counts, by node.
func SubmittedSpans(run *trace.Run) []interval.Spans {
	return between(run, run.Task.Submit, run.Task.End)
}

// between are the intervals between two times of tasks, by node.
func between(run *trace.Run, from, to []int64) []interval.Spans {
	spans := make([]interval.Spans, nodes(run))
	each := func(visit func(task int, node int32)) {
		for i := range from {
			if run.Task.Internal[i] || from[i] == trace.NoTime || to[i] == trace.NoTime {
				continue
			}
			if node := NodeOf(run, i); node >= 0 {
				visit(i, node)
			}
		}
	}
	count := make([]int, len(spans))
	each(func(_ int, node int32) { count[node]++ })
	for node, n := range count {
		spans[node] = interval.Spans{Start: make([]int64, 0, n), End: make([]int64, 0, n)}
	}
	each(func(i int, node int32) { spans[node].Add(from[i], to[i]) })
	return spans
}

// concurrency counts the intervals of each node.
func concurrency(metric string, spans []interval.Spans) []Series {
	series := make([]Series, len(spans))
	for node, s := range spans {
		series[node] = Series{metric, int32(node), trace.None, interval.Concurrency(s)}
	}
	return series
}

// nodes is the number of ranks.
func nodes(run *trace.Run) (n int32) {
	for _, r := range run.Resource.Node {
		n = max(n, r+1)
	}
	for _, r := range run.Task.Node {
		n = max(n, r+1)
	}
	return n
}

// Lack are the slices in which a node had too few ready tasks, as columns, by
// node and slice.
type Lack struct {
	Node       []int32
	Start, End []int64   // ns, of the slice
	Ready      []float64 // mean number of ready tasks
	Threshold  []float64 // that it is below
}

// LackStep is the default slice of [LackReady], 10 ms.
const LackStep = 10_000_000

// LackReady finds the slices whose mean number of ready tasks on a node is
// below the node's threshold (docs/design/methods.md, Progress); see
// [WorkersPerNode] for the usual one. ready are counters or the reconstruction;
// those of a node are summed.
func LackReady(ready []Series, s interval.Slices, d interval.Divisor, threshold func(node int32) float64) *Lack {
	var l Lack
	for _, one := range ByNode(ready) {
		limit := threshold(one.Node)
		for i, mean := range interval.Average(one.Steps, s, d) {
			if mean < limit {
				from, to := s.Bounds(i)
				l.Node = append(l.Node, one.Node)
				l.Start, l.End = append(l.Start, from), append(l.End, to)
				l.Ready, l.Threshold = append(l.Ready, mean), append(l.Threshold, limit)
			}
		}
	}
	return &l
}

// WorkersPerNode is the default threshold: a node lacks tasks when fewer are
// ready than it has workers.
func WorkersPerNode(run *trace.Run) func(node int32) float64 {
	count := make([]int, nodes(run))
	for r, node := range run.Resource.Node {
		if node >= 0 && run.Resource.Level.At(r) == trace.LevelWorker {
			count[node]++
		}
	}
	return func(node int32) float64 {
		if node < 0 || int(node) >= len(count) {
			return 0
		}
		return float64(count[node])
	}
}
