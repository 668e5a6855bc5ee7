package compare

import (
	"cmp"
	"math"
	"slices"

	"dagscope/explain/kind"
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/internal/stat"
)

// Distribution compares how long the tasks of a kind took on an architecture
// that both runs have them on (Stanisic 2015, Figure 8). Quantiles are of type
// 7.
type Distribution struct {
	Kind string `json:"kind"`
	Arch string `json:"arch"`
	A    Spread `json:"a"`
	B    Spread `json:"b"`
	// Distance is that of Kolmogorov and Smirnov: the greatest difference between
	// the shares of tasks that took no longer than some time. 0: the same
	// distribution; 1: every task of one run took longer than all of the other.
	Distance float64 `json:"distance"`
	// Shift is the mean of |quantile of B − quantile of A| over all quantiles, as a
	// share of the mean of both means: how far durations have to be moved to become
	// the others (the Wasserstein distance).
	Shift float64 `json:"shift_share"`
}

// Spread is a distribution of durations in ns.
type Spread struct {
	Count  int64 `json:"count"`
	Mean   int64 `json:"mean_ns"`
	P5     int64 `json:"p5_ns"`
	Q1     int64 `json:"q1_ns"`
	Median int64 `json:"median_ns"`
	Q3     int64 `json:"q3_ns"`
	P95    int64 `json:"p95_ns"`
}

// distributions sets the durations of both runs side by side, those with most
// work first.
func (c *comparison) distributions() {
	b := make(map[[2]string]int)
	for k := range c.b.kinds.Len() {
		b[[2]string{c.b.Run.Task.Kind.Dict[c.b.kinds.Kind[k]], kind.ArchName(c.b.Run, c.b.kinds.Arch[k])}] = k
	}
	var pairs [][2]int
	for k := range c.a.kinds.Len() {
		if l, ok := b[[2]string{c.a.Run.Task.Kind.Dict[c.a.kinds.Kind[k]], kind.ArchName(c.a.Run, c.a.kinds.Arch[k])}]; ok {
			pairs = append(pairs, [2]int{k, l})
		}
	}
	all := make([]Distribution, len(pairs))
	work := make([]int64, len(pairs))
	x, y := c.a.groups.Gather(c.a.duration), c.b.groups.Gather(c.b.duration)
	parallel.For(len(pairs), func(i int) {
		k, l := pairs[i][0], pairs[i][1]
		all[i] = distribution(interval.Sorted(x[k]), interval.Sorted(y[l]))
		all[i].Kind, all[i].Arch = c.a.Run.Task.Kind.Dict[c.a.kinds.Kind[k]], kind.ArchName(c.a.Run, c.a.kinds.Arch[k])
		work[i] = c.a.kinds.Total[k] + c.b.kinds.Total[l]
	})
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(work[j], work[i]), cmp.Compare(all[i].Kind, all[j].Kind), cmp.Compare(all[i].Arch, all[j].Arch))
	})
	c.r.Distributions = []Distribution{}
	for _, i := range order {
		c.r.Distributions = append(c.r.Distributions, all[i])
	}
}

// distribution compares sorted durations.
func distribution(a, b []int64) Distribution {
	return Distribution{A: spreadOf(a), B: spreadOf(b), Distance: kolmogorov(a, b), Shift: wasserstein(a, b)}
}

func spreadOf(sorted []int64) Spread {
	at := func(p float64) int64 { return int64(math.Round(stat.SortedQuantile(sorted, p))) }
	mean := stat.Sum(sorted) / float64(len(sorted))
	return Spread{Count: int64(len(sorted)), Mean: int64(math.Round(mean)), P5: at(0.05), Q1: at(0.25), Median: at(0.5), Q3: at(0.75), P95: at(0.95)}
}

// kolmogorov is the two-sample statistic of Kolmogorov and Smirnov of sorted
// values.
func kolmogorov(a, b []int64) float64 {
	i, j, distance := 0, 0, 0.0
	for i < len(a) && j < len(b) {
		at := min(a[i], b[j])
		for i < len(a) && a[i] == at {
			i++
		}
		for j < len(b) && b[j] == at {
			j++
		}
		distance = max(distance, math.Abs(float64(i)/float64(len(a))-float64(j)/float64(len(b))))
	}
	return distance
}

// wasserstein is the area between the cumulated shares of sorted values, over
// the mean of their means.
func wasserstein(a, b []int64) float64 {
	i, j, area := 0, 0, 0.0
	last := min(a[0], b[0])
	for i < len(a) || j < len(b) {
		at := int64(math.MaxInt64)
		if i < len(a) {
			at = a[i]
		}
		if j < len(b) {
			at = min(at, b[j])
		}
		area += math.Abs(float64(i)/float64(len(a))-float64(j)/float64(len(b))) * float64(at-last)
		for last = at; i < len(a) && a[i] == at; i++ {
		}
		for j < len(b) && b[j] == at {
			j++
		}
	}
	mean := (stat.Sum(a)/float64(len(a)) + stat.Sum(b)/float64(len(b))) / 2
	if mean <= 0 {
		return 0
	}
	return area / mean
}
