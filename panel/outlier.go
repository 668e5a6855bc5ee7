package panel

import (
	"dagscope/stat"
	"dagscope/trace"
)

// tukeyOutliers marks the tasks that took long for their kind and architecture:
// d > Q3 + 1.5·IQR, quantiles of type 7 (thesis eq. 5.1 made strict, METHODS
// 2). Generation and internal tasks are never outliers. One bool per task.
//
// It is the default of a drawing; a caller that knows better (irregular
// kernels) passes its own in [Options].
func tukeyOutliers(run *trace.Run) []bool {
	t := &run.Task
	group, groups := taskGroups(run)
	durations := make([][]int64, groups)
	for i, g := range group {
		if g >= 0 {
			durations[g] = append(durations[g], t.End[i]-t.Start[i])
		}
	}
	limit := make([]float64, groups)
	for g, d := range durations {
		var q [2]float64
		stat.Quantiles(d, []float64{0.25, 0.75}, q[:])
		limit[g] = q[1] + 1.5*(q[1]-q[0])
	}
	out := make([]bool, len(group))
	for i, g := range group {
		out[i] = g >= 0 && float64(t.End[i]-t.Start[i]) > limit[g]
	}
	return out
}

// taskGroups numbers the pairs of kind and architecture and gives each counted
// task its pair, None to the others.
func taskGroups(run *trace.Run) (group []int32, groups int) {
	t := &run.Task
	arch := run.Resource.Arch.Index
	kinds := int32(len(t.Kind.Dict) + 1)
	number := make(map[int32]int32)
	group = make([]int32, t.Kind.Len())
	for i := range group {
		group[i] = trace.None
		if !ran(t, i) || t.Generation[i] {
			continue
		}
		pair := (arch[t.Worker[i]]+1)*kinds + t.Kind.Index[i] + 1
		g, ok := number[pair]
		if !ok {
			g = int32(len(number))
			number[pair] = g
		}
		group[i] = g
	}
	return group, len(number)
}
