package kind

import (
	"math"

	"dagscope/internal/stat"
	"dagscope/trace"
)

// Statistics are the durations of each group, in ns. Rows are those of
// [Groups].
type Statistics struct {
	Kind, Arch, Node []int32 // see Groups
	Count            []int64
	Total            []int64   // sum
	Mean, SD         []float64 // SD is NaN for a single task
	Min, Max         []int64
	Q25, Median      []float64 // quantiles of type 7
	Q75, P95         []float64
}

// Len is the number of groups.
func (s *Statistics) Len() int { return len(s.Kind) }

// Compute summarises the durations of each group.
func Compute(run *trace.Run, o Options) *Statistics {
	return Group(run, o).Statistics(Durations(run))
}

// Statistics summarises a duration per task row.
func (g *Groups) Statistics(duration []int64) *Statistics {
	s := &Statistics{Kind: g.Kind, Arch: g.Arch, Node: g.Node}
	var quantiles [4]float64
	for _, d := range g.Gather(duration) {
		m := stat.Summarize(d)
		stat.Quantiles(d, []float64{0.25, 0.5, 0.75, 0.95}, quantiles[:])
		s.Count = append(s.Count, int64(m.N))
		s.Total = append(s.Total, int64(math.Round(m.Sum)))
		s.Mean, s.SD = append(s.Mean, m.Mean), append(s.SD, m.SD)
		s.Min, s.Max = append(s.Min, int64(m.Min)), append(s.Max, int64(m.Max))
		s.Q25, s.Median = append(s.Q25, quantiles[0]), append(s.Median, quantiles[1])
		s.Q75, s.P95 = append(s.Q75, quantiles[2]), append(s.P95, quantiles[3])
	}
	return s
}

// Gather copies a column of the tasks table group by group, for statistics
// that reorder.
func (g *Groups) Gather(column []int64) [][]int64 {
	all := make([]int64, len(g.Task))
	for i, row := range g.Task {
		all[i] = column[row]
	}
	parts := make([][]int64, g.Len())
	for k := range parts {
		parts[k] = all[g.At[k]:g.At[k+1]]
	}
	return parts
}

// ArchName returns the name of an architecture index of Groups or Statistics.
func ArchName(run *trace.Run, arch int32) string {
	if arch < 0 {
		return ""
	}
	return run.Resource.Arch.Dict[arch]
}
