package utilization

import (
	"math"

	"dagscope/explain/kind"
	"dagscope/internal/stat"
	"dagscope/trace"
)

// Metrics of each slice; NaN where they do not exist: the percentage where no
// worker was used at all.
type Metrics struct {
	Percent []float64 // how far from even: 0 all are used alike, 1 one does everything
	Time    []float64 // use of the most used worker beyond the mean, as a share of the slice
	SD      []float64 // standard deviation of the utilisation
	Mean    []float64 // weighed mean of the utilisation; for area metrics what the bound needs
}

func newMetrics(slices int) *Metrics {
	all := make([]float64, 4*slices)
	return &Metrics{all[:slices:slices], all[slices : 2*slices : 2*slices], all[2*slices : 3*slices : 3*slices], all[3*slices:]}
}

// Plain takes all workers for alike: with maximum m, mean a and n workers the
// percentage is (m−a)/m · n/(n−1), the time m−a (imbalance percentage and time
// of DeRose 2007).
func (u *Shares) Plain() *Metrics {
	power := make([]float64, len(u.Worker))
	for i := range power {
		power[i] = 1
	}
	return u.Weighted(power)
}

// Weighted weighs workers by their power p, in any unit: the mean is
// N = Σ u·p / P with P = Σ p, the time m−N, the percentage
// (m−N)/m · P/(P−p of the most used worker), which is 1 when that one does
// everything. Of workers that are used alike the strongest counts.
func (u *Shares) Weighted(power []float64) *Metrics {
	m := newMetrics(u.Slices.Len())
	column, total := make([]float64, len(u.Worker)), stat.Sum(power)
	for k := range m.Mean {
		most, strongest, mean := 0.0, 0.0, 0.0
		for i := range column {
			share := u.Share[i][k]
			column[i] = share
			mean += share * power[i]
			if share > most || share == most && power[i] > strongest {
				most, strongest = share, power[i]
			}
		}
		if total > 0 {
			mean /= total
		}
		m.Mean[k], m.Time[k], m.SD[k] = mean, most-mean, deviation(column)
		m.Percent[k] = uneven(most, mean, total, strongest)
	}
	return m
}

// uneven is the percentage; a worker that is all there is cannot be unbalanced.
func uneven(most, mean, total, strongest float64) float64 {
	switch {
	case most == 0:
		return math.NaN()
	case total <= strongest:
		return 0
	}
	return (most - mean) / most * total / (total - strongest)
}

// deviation is the standard deviation, 0 of a single worker.
func deviation(shares []float64) float64 {
	if len(shares) < 2 {
		return 0
	}
	return stat.Summarize(shares).SD
}

// Powers are the speeds of the workers on a kind of tasks, in tasks/ns: of each
// worker by its own tasks, of one that ran none by those of its architecture, 0
// where this ran none either.
func Powers(run *trace.Run, workers []int32, kindIndex int32, o SliceOptions) []float64 {
	own, arch := newSums(len(run.Resource.Parent)), newSums(len(run.Resource.Arch.Dict)+1)
	duration, counts := kind.Durations(run), o.counts(run)
	for i, w := range run.Task.Worker {
		if counts(i) && run.Task.Kind.Index[i] == kindIndex {
			own.add(int(w), duration[i])
			arch.add(int(run.Resource.Arch.Index[w])+1, duration[i])
		}
	}
	power := make([]float64, len(workers))
	for i, w := range workers {
		if power[i] = own.rate(int(w)); power[i] == 0 {
			power[i] = arch.rate(int(run.Resource.Arch.Index[w]) + 1)
		}
	}
	return power
}

// sums are total durations and numbers of tasks.
type sums struct{ total, n []int64 }

func newSums(n int) sums { return sums{make([]int64, n), make([]int64, n)} }

func (s sums) add(i int, duration int64) {
	s.total[i] += duration
	s.n[i]++
}

// rate is the inverse of the mean, 0 of nothing.
func (s sums) rate(i int) float64 {
	if s.total[i] <= 0 {
		return 0
	}
	return float64(s.n[i]) / float64(s.total[i])
}

// PowerKind chooses the kind whose durations stand for the power of workers: of
// those that ran on the most workers' architectures the one with most work;
// trace.None in a run without counted tasks.
func PowerKind(run *trace.Run, o SliceOptions) int32 {
	groups := kind.Group(run, kind.Options{Generation: o.Generation})
	workers := map[int32]int{}
	for _, w := range kind.Workers(run) {
		workers[run.Resource.Arch.Index[w]]++
	}
	reach, work := map[int32]int{}, map[int32]float64{}
	best := trace.None
	for g, d := range groups.Gather(kind.Durations(run)) {
		k := groups.Kind[g]
		reach[k] += workers[groups.Arch[g]]
		work[k] += stat.Sum(d)
	}
	for _, k := range groups.Kind {
		if best < 0 || reach[k] > reach[best] || reach[k] == reach[best] && work[k] > work[best] {
			best = k
		}
	}
	return best
}
