package calibrate

import (
	"fmt"
	"math"
	"slices"

	"dagscope/internal/stat"
	"dagscope/predict/perfmodel"
)

// The problem: tasks that share caches, memory bandwidth and page tables take
// longer while others run. A model that was fitted to kernels that ran alone
// does not know.
//
// The approach: of tasks that ran beside others, the measured time divided by
// that of the model is a piecewise linear function of the number of workers
// that were busy meanwhile, fitted by least squares on hat functions, each task
// counting by its expected time, so that the sum of times comes out right. The
// factor of a task that runs alone is 1 by definition.
//
// What it does not do: tell which kernels ran beside it.

// Contention is how much longer a kernel takes beside others.
type Contention struct {
	Points  []ContentionPoint // by busy workers, ascending; the first one is 1 worker
	Alone   float64           // what tasks that ran alone in these runs took of what the model expects; NaN if none did
	Samples int
	From    []string
}

// ContentionPoint is a corner of the curve.
type ContentionPoint struct {
	Busy      int32
	Factor    float64
	StdErr    float64 // NaN where it is given
	Low, High float64 // of the interval
	Share     float64 // measurements nearby, counting those between two corners in parts
}

const (
	leastNearby = 5       // measurements at a corner
	mostBusy    = 1 << 20 // workers, as models have them
)

// FitContention fits the factor to measurements beside others. It needs the
// number of busy workers of each.
func (f *Fit) FitContention(s *Samples, o Options) error {
	ratio, expected, busy := f.beside(s)
	if len(ratio) == 0 {
		return fmt.Errorf("fit contention of %s: found no measurement with busy workers and the variables of its model, want tasks with worker, start and end, or a column busy", s.Kind)
	}
	level := o.Level
	if level == 0 {
		level = 0.95
	}
	c := &Contention{Samples: len(ratio), From: s.From, Alone: math.NaN()}
	corners := cornersOf(busy)
	c.Points = []ContentionPoint{{Busy: 1, Factor: 1, StdErr: math.NaN(), Low: 1, High: 1}}
	if len(corners) > 1 {
		c.fit(corners, ratio, expected, busy, level)
	}
	c.alone(ratio, expected, busy)
	f.Contention = c
	f.Model.Contention = nil
	for _, p := range c.Points {
		f.Model.Contention = append(f.Model.Contention, perfmodel.Load{Busy: p.Busy, Factor: min(max(p.Factor, 0.01), 1000)})
	}
	f.warnContention()
	return nil
}

// beside are measured by expected time, expected time and busy workers of the
// measurements that have all of them.
func (f *Fit) beside(s *Samples) (ratio, expected, busy []float64) {
	if s.Busy == nil {
		return nil, nil, nil
	}
	for i, t := range s.tasks(&f.Model) {
		ns, ok := f.Model.Duration(&t)
		if !ok || math.IsNaN(s.Busy[i]) || f.Model.Regression != nil && ns <= f.Model.Regression.Floor {
			continue // a duration of the floor is no expectation
		}
		ratio, expected, busy = append(ratio, s.Time[i]/ns), append(expected, ns), append(busy, min(max(1, s.Busy[i]), mostBusy))
	}
	return ratio, expected, busy
}

// tasks are the measurements as a model sees tasks.
func (s *Samples) tasks(m *perfmodel.Model) []perfmodel.Task {
	var names []string
	if m.Regression != nil {
		names = m.Regression.Parameters
	}
	columns := make([][]float64, len(names))
	for j, name := range names {
		columns[j] = s.param(name)
	}
	out := make([]perfmodel.Task, s.Len())
	for i := range out {
		out[i] = perfmodel.Task{Kind: s.Kind, Parameters: make([]float64, len(names))}
		for j, c := range columns {
			out[i].Parameters[j] = c[i]
		}
		if s.GFlop != nil && !math.IsNaN(s.GFlop[i]) {
			out[i].GFlop = s.GFlop[i]
		}
	}
	return out
}

// cornersOf are the numbers of busy workers at which a curve may bend: all
// small ones, then ever fewer, as far as there are measurements near them.
func cornersOf(busy []float64) []int32 {
	most := int32(math.Ceil(slices.Max(busy) - 1e-6))
	var corners []int32
	for b := int32(1); b < most; b = max(b+1, b*4/3) {
		corners = append(corners, b)
	}
	if most > 1 {
		corners = append(corners, most)
	} else {
		corners = []int32{1}
	}
	for {
		near := make([]float64, len(corners))
		hats(corners, busy, func(_, k int, share float64) { near[k] += share })
		least := -1
		for k := 1; k < len(corners); k++ {
			if near[k] < leastNearby && (least < 0 || near[k] < near[least]) {
				least = k
			}
		}
		if least < 0 {
			return corners
		}
		corners = slices.Delete(corners, least, least+1)
	}
}

// hats gives each measurement's share in the corners beside it.
func hats(corners []int32, busy []float64, give func(i, k int, share float64)) {
	for i, b := range busy {
		k, _ := slices.BinarySearchFunc(corners, b, func(c int32, b float64) int { return compare(float64(c), b) })
		switch {
		case k == 0:
			give(i, 0, 1)
		case k == len(corners):
			give(i, k-1, 1)
		default:
			low, high := float64(corners[k-1]), float64(corners[k])
			share := (b - low) / (high - low)
			give(i, k-1, 1-share)
			give(i, k, share)
		}
	}
}

// fit finds the factors beyond the first corner, whose factor is 1.
func (c *Contention) fit(corners []int32, ratio, expected, busy []float64, level float64) {
	columns := make([][]float64, len(corners)-1)
	for k := range columns {
		columns[k] = make([]float64, len(busy))
	}
	near := make([]float64, len(corners))
	y := slices.Clone(ratio)
	hats(corners, busy, func(i, k int, share float64) {
		if near[k] += share; k == 0 {
			y[i] -= share
			return
		}
		columns[k-1][i] = share
	})
	c.Points[0].Share = near[0]
	fit, err := stat.Regress(columns, false, y, expected)
	if err != nil {
		return // corners that cannot be distinguished: no curve
	}
	for k, corner := range corners[1:] {
		low, high := fit.Confidence(k, level)
		c.Points = append(c.Points, ContentionPoint{Busy: corner, Factor: fit.Coef[k], StdErr: fit.StdErr[k], Low: low, High: high, Share: near[k+1]})
	}
}

// alone compares tasks that ran (nearly) alone with the model: their factor
// should be 1.
func (c *Contention) alone(ratio, expected, busy []float64) {
	time, wanted, n := 0.0, 0.0, 0
	for i, b := range busy {
		if b < 1.1 {
			time, wanted, n = time+ratio[i]*expected[i], wanted+expected[i], n+1
		}
	}
	if n >= leastNearby {
		c.Alone = time / wanted
	}
}

// warnContention says where the curve is not to be believed.
func (f *Fit) warnContention() {
	c := f.Contention
	if math.Abs(c.Alone-1) > 0.1 {
		f.warn(WarnContention, "tasks that ran alone in the parallel runs took %.2f of what the model expects: the machine was not the same", c.Alone)
	}
	if len(c.Points) == 1 {
		f.warn(WarnContention, "too few measurements beside others: no factor")
	}
	for _, p := range c.Points[1:] {
		switch {
		case !(p.Factor > 0):
			f.warn(WarnContention, "the factor at %d busy workers is %.3g: not sure", p.Busy, p.Factor)
		case !(p.StdErr < 0.2*p.Factor):
			f.warn(WarnContention, "the factor at %d busy workers is %.3g ± %.2g: not sure", p.Busy, p.Factor, p.StdErr)
		}
	}
}
