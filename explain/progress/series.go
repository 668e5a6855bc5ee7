package progress

import (
	"slices"

	"dagscope/internal/interval"
	"dagscope/trace"
)

// Names of the counters, those of StarPU first, then StarVZ's.
var (
	ReadyMetric        = []string{"Number of Ready Tasks", "Ready"}
	SubmittedMetric    = []string{"Number of Submitted Uncompleted Tasks", "Submitted"}
	UsedMemoryMetric   = []string{"Used (MB)"}
	GFlopsMetric       = []string{"GFlop/s", "GFlops"}
	TotalGFlopsMetric  = []string{"Total GFlop/s"}
	BandwidthInMetric  = []string{"Bandwidth In (MB/s)", "B. In (MB/s)"}
	BandwidthOutMetric = []string{"Bandwidth Out (MB/s)", "B. Out (MB/s)"}
)

// Series is one quantity in one place over time.
type Series struct {
	Metric   string
	Node     int32 // rank, trace.None above nodes
	Resource int32 // where it was measured, trace.None for a whole node
	interval.Steps
}

// Counters returns the counters of the given names, one series for each place,
// in the order of the sample table. They share its columns, which they must
// not change. A counter is 0 before its first sample.
func Counters(run *trace.Run, names []string) (series []Series) {
	s := &run.Sample
	for from := 0; from < len(s.Time); {
		metric, resource := s.Metric.Index[from], s.Resource[from]
		to := from + 1
		for to < len(s.Time) && s.Metric.Index[to] == metric && s.Resource[to] == resource {
			to++
		}
		if name := s.Metric.At(from); slices.Contains(names, name) {
			node := trace.None
			if resource >= 0 {
				node = run.Resource.Node[resource]
			}
			series = append(series, Series{name, node, resource, interval.Steps{Time: s.Time[from:to], Value: s.Value[from:to]}})
		}
		from = to
	}
	return series
}

// ByNode sums series of one metric that belong to the same node, in the order
// of nodes.
func ByNode(series []Series) (sums []Series) {
	parts := map[int32][]interval.Steps{}
	for _, s := range series {
		if parts[s.Node] == nil {
			sums = append(sums, Series{Metric: s.Metric, Node: s.Node, Resource: trace.None})
		}
		parts[s.Node] = append(parts[s.Node], s.Steps)
	}
	slices.SortFunc(sums, func(a, b Series) int { return int(a.Node - b.Node) })
	for i := range sums {
		if of := parts[sums[i].Node]; len(of) == 1 {
			sums[i].Steps = of[0] // shared, as Counters are
		} else {
			sums[i].Steps = interval.Sum(of...)
		}
	}
	return sums
}

// Sliced are the means of series over slices, as columns, series by series.
type Sliced struct {
	Metric     trace.Strings
	Node       []int32
	Resource   []int32
	Start, End []int64 // ns
	Value      []float64
}

// Slice averages each series over each slice.
func Slice(series []Series, s interval.Slices, d interval.Divisor) *Sliced {
	var out Sliced
	for _, one := range series {
		metric := out.Metric.Intern(one.Metric)
		for i, mean := range interval.Average(one.Steps, s, d) {
			from, to := s.Bounds(i)
			out.Metric.AppendIndex(metric)
			out.Node, out.Resource = append(out.Node, one.Node), append(out.Resource, one.Resource)
			out.Start, out.End = append(out.Start, from), append(out.End, to)
			out.Value = append(out.Value, mean)
		}
	}
	return &out
}
