package perfmodel

import (
	"cmp"
	"math"
	"slices"

	"dagscope/internal/stat"
)

// summarize takes the mean and deviation of all durations.
func (f *fitter) summarize() {
	m := stat.Summarize(f.duration)
	f.m.Fit.Observed, f.m.Fit.Deviation = m.Mean, zeroNaN(m.SD)
	f.m.Mean, f.m.Deviation, f.m.Count = m.Mean, zeroNaN(m.SD), int64(m.N)
	f.m.Fit.Tasks = m.N
}

// zeroNaN is the deviation of a single value.
func zeroNaN(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

// mean is the mean of all tasks.
func (f *fitter) mean() {
	f.m.Method = Mean
	if !f.o.Reject {
		return
	}
	sorted := slices.Sorted(slices.Values(f.duration))
	kept := usual(sorted)
	m := stat.Summarize(kept)
	f.m.Mean, f.m.Deviation, f.m.Count = m.Mean, zeroNaN(m.SD), int64(m.N)
	f.m.Fit.Tasks, f.m.Fit.Rejected = m.N, len(sorted)-m.N
}

// usual are the values that lie within 1.5 times the distance of the quartiles
// from them (docs/design/methods.md, Outliers), of values in ascending order.
func usual(sorted []int64) []int64 {
	q1, q3 := stat.SortedQuantile(sorted, 0.25), stat.SortedQuantile(sorted, 0.75)
	low, high := q1-1.5*(q3-q1), q3+1.5*(q3-q1)
	from, _ := slices.BinarySearchFunc(sorted, low, func(v int64, t float64) int { return cmp.Compare(float64(v), t) })
	to, _ := slices.BinarySearchFunc(sorted, high, func(v int64, t float64) int {
		if float64(v) <= t {
			return -1
		}
		return 1
	})
	return sorted[from:to]
}

// history is the mean of tasks with equal data. Runs that know no data of
// their tasks have one entry for all.
func (f *fitter) history() {
	if len(f.footprint) == 0 && len(f.bytes) == 0 && f.o.Method == History {
		f.warn(WarnFallback, "the run knows no data of tasks: mean of all")
		f.mean()
		return
	}
	f.m.Method = f.o.Method
	f.m.Fit.Tasks = 0
	for _, rows := range f.byData() {
		f.addEntry(rows)
	}
	slices.SortStableFunc(f.m.History, compareEntries)
}

// byData are the observations of tasks with equal data, in order of their
// first: equal footprints, else equal bytes.
func (f *fitter) byData() [][]int32 {
	group := map[uint64]int32{}
	of := make([]int32, len(f.duration))
	var counts []int
	for i := range of {
		key := uint64(at(f.bytes, i))
		if footprint := at(f.footprint, i); footprint != 0 {
			key = 1<<63 | uint64(footprint)
		}
		g, ok := group[key]
		if !ok {
			g = int32(len(counts))
			group[key], counts = g, append(counts, 0)
		}
		of[i] = g
		counts[g]++
	}
	groups := make([][]int32, len(counts))
	for g, n := range counts {
		groups[g] = make([]int32, 0, n)
	}
	for i, g := range of {
		groups[g] = append(groups[g], int32(i))
	}
	return groups
}

// addEntry adds the entry of tasks with equal data.
func (f *fitter) addEntry(rows []int32) {
	sorted := make([]int64, len(rows))
	for k, i := range rows {
		sorted[k] = f.duration[i]
	}
	slices.Sort(sorted)
	kept := sorted
	if f.o.Reject {
		kept = usual(sorted)
	}
	m := stat.Summarize(kept)
	first := f.task(int(rows[0]))
	e := Entry{Footprint: first.Footprint, Bytes: first.Bytes, GFlop: first.GFlop, Mean: m.Mean, Deviation: zeroNaN(m.SD), Count: int64(m.N)}
	if f.o.Method == Sample {
		e.Sample = grouped(kept)
	}
	f.m.History = append(f.m.History, e)
	f.m.Fit.Tasks += m.N
	f.m.Fit.Rejected += len(sorted) - m.N
}
