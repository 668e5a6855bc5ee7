package utilization

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"dagscope/explain/bound"
	"dagscope/explain/kind"
	"dagscope/internal/interval"
	"dagscope/internal/lp"
	"dagscope/internal/parallel"
	"dagscope/internal/stat"
	"dagscope/trace"
)

// Areas are the area bounds of what was done in each slice, ns; NaN where
// nothing was.
//
// A task counts by the share of its time that lies in the slice. A kind on an
// architecture takes there what it took per task in this very slice, where it
// ran, else the mean of the run: so the work of the slice is exactly what the
// workers did in it, and the bound is at most what the most used worker did.
type Areas struct {
	All     []float64 // with all workers
	Without []float64 // with one worker less, of the architecture of the most used one; at most the slice
}

// parts are what was done in a slice, by kind and architecture.
type parts struct {
	busy  []float64 // ns
	tasks []float64 // fractions of tasks
	means []float64 // ns, NaN for what StarVZ does not know
}

// Areas computes the bounds of the slices of a utilisation. The error is a
// linear program that could not be certified.
func (u *Shares) Areas(run *trace.Run, o SliceOptions) (*Areas, error) {
	a := &areas{run: run, o: o, u: u, kinds: len(run.Task.Kind.Dict), archs: len(run.Resource.Arch.Dict) + 1}
	a.countWorkers()
	a.cut()
	n := u.Slices.Len()
	out := &Areas{make([]float64, n), make([]float64, n)}
	err := parallel.Try(n, func(k int) (err error) {
		if out.All[k], out.Without[k], err = a.bounds(k); err != nil {
			return fmt.Errorf("compute area bound of slice %d: %w", k, err)
		}
		return nil
	})
	return out, err
}

// areas gathers what the programs of slices are made of. Cells are
// [kind][architecture+1].
type areas struct {
	run          *trace.Run
	o            SliceOptions
	u            *Shares
	kinds, archs int
	workers      []int // by architecture+1
	slice        []parts
	mean         []float64 // of the run
}

func (a *areas) cell(kind, arch int32) int { return int(kind)*a.archs + int(arch) + 1 }

func (a *areas) countWorkers() {
	a.workers = make([]int, a.archs)
	for _, w := range a.u.Worker {
		a.workers[a.run.Resource.Arch.Index[w]+1]++
	}
}

// cut divides the tasks by slices.
func (a *areas) cut() {
	t, s := &a.run.Task, a.u.Slices
	duration, counts := kind.Durations(a.run), a.o.counts(a.run)
	a.slice = make([]parts, s.Len())
	for k := range a.slice {
		a.slice[k].busy, a.slice[k].tasks = make([]float64, a.kinds*a.archs), make([]float64, a.kinds*a.archs)
	}
	total, n := make([]float64, a.kinds*a.archs), make([]float64, a.kinds*a.archs)
	sample := make([][][]float64, s.Len()) // durations of StarVZ
	for i, start := range t.Start {
		if !counts(i) || duration[i] <= 0 || a.o.StarVZ && start <= 0 {
			continue
		}
		if _, ok := slices.BinarySearch(a.u.Worker, t.Worker[i]); !ok {
			continue
		}
		c := a.cell(t.Kind.Index[i], a.run.Resource.Arch.Index[t.Worker[i]])
		total[c], n[c] = total[c]+float64(duration[i]), n[c]+1
		whole := float64(duration[i]) / float64(t.End[i]-start) // a suspended task works part of its time
		eachSlice(s, start, t.End[i], func(k int, length int64) {
			p := &a.slice[k]
			p.busy[c] += float64(length) * whole
			p.tasks[c] += float64(length) * whole / float64(duration[i])
			if a.o.StarVZ {
				if sample[k] == nil {
					sample[k] = make([][]float64, a.kinds*a.archs)
				}
				sample[k][c] = append(sample[k][c], float64(duration[i]))
			}
		})
	}
	a.mean = divide(total, n)
	for k := range a.slice {
		a.slice[k].means = divide(a.slice[k].busy, a.slice[k].tasks)
		if a.o.StarVZ {
			a.slice[k].means = usual(sample[k], a.kinds*a.archs)
		}
	}
}

// eachSlice visits the slices that a span lies in, with the length there.
func eachSlice(s interval.Slices, start, end int64, visit func(slice int, length int64)) {
	start, end = max(start, s.From), min(end, s.To)
	for start < end {
		k := s.At(start)
		_, to := s.Bounds(k)
		visit(k, min(to, end)-start)
		start = to
	}
}

// divide is NaN where there is nothing.
func divide(sum, n []float64) []float64 {
	mean := make([]float64, len(sum))
	for i := range mean {
		mean[i] = sum[i] / n[i]
	}
	return mean
}

// usual are the means of the durations without outliers, NaN where there are
// none.
func usual(sample [][]float64, cells int) []float64 {
	mean := make([]float64, cells)
	for c := range mean {
		mean[c] = math.NaN()
		if sample == nil || len(sample[c]) == 0 {
			continue
		}
		var q [2]float64
		stat.Quantiles(slices.Clone(sample[c]), []float64{0.25, 0.75}, q[:])
		kept := slices.DeleteFunc(sample[c], func(d float64) bool { return d > q[1]+1.5*(q[1]-q[0]) })
		mean[c] = stat.Sum(kept) / float64(len(kept))
	}
	return mean
}

// bounds solves the programs of a slice.
func (a *areas) bounds(k int) (all, without float64, err error) {
	length := a.u.Slices.Over(k, interval.Divisor(a.o.StarVZ))
	busiest, ok := a.busiest(k)
	if !ok {
		return math.NaN(), math.NaN(), nil
	}
	if all, err = a.bound(k, a.workers); err != nil {
		return all, all, err
	}
	fewer := slices.Clone(a.workers)
	fewer[busiest]--
	if without, err = a.bound(k, fewer); errors.Is(err, lp.ErrInfeasible) {
		without, err = length, nil // no other worker could do its tasks
	}
	return min(all, length), min(without, length), err
}

// busiest is the architecture of the most used worker, the first of several.
func (a *areas) busiest(k int) (arch int, ok bool) {
	most := 0.0
	for i, w := range a.u.Worker {
		if share := a.u.Share[i][k]; share > most {
			most, arch, ok = share, int(a.run.Resource.Arch.Index[w])+1, true
		}
	}
	return arch, ok && stat.Sum(a.slice[k].tasks) > 0
}

// bound is the area bound of a slice on so many workers of each architecture.
func (a *areas) bound(k int, workers []int) (float64, error) {
	c := bound.Costs{}
	var column []int
	for arch, n := range workers {
		if n > 0 {
			c.Arch, c.Workers, column = append(c.Arch, int32(arch-1)), append(c.Workers, n), append(column, arch)
		}
	}
	var count []float64
	for kind := range a.kinds {
		row := a.slice[k].tasks[kind*a.archs : (kind+1)*a.archs]
		if n := stat.Sum(row); n > 0 {
			c.Kind, count = append(c.Kind, int32(kind)), append(count, n)
			c.Duration = append(c.Duration, a.durations(k, kind, column))
		}
	}
	if len(c.Arch) == 0 {
		return math.NaN(), lp.ErrInfeasible
	}
	s, err := c.Area(count)
	if err != nil {
		return math.NaN(), err
	}
	return s.Time, nil
}

// durations of a kind on some architectures, +Inf where it cannot run.
func (a *areas) durations(k, kind int, archs []int) []float64 {
	row := make([]float64, len(archs))
	for i, arch := range archs {
		c := kind*a.archs + arch
		if row[i] = a.slice[k].means[c]; math.IsNaN(row[i]) && !a.o.StarVZ {
			row[i] = a.mean[c]
		}
		if math.IsNaN(row[i]) {
			row[i] = math.Inf(1)
		}
	}
	return row
}

// Area sets the utilisation against the bounds: with the most used worker at m
// and the bound at a share b of the slice the time is m−b, the percentage
// (m−b)/m times what the bound loses by one worker less. Both are kept between
// 0 and 1.
func (u *Shares) Area(a *Areas, o SliceOptions) *Metrics {
	m := newMetrics(u.Slices.Len())
	column := make([]float64, len(u.Worker))
	for k := range m.Mean {
		most := 0.0
		for i := range column {
			column[i] = u.Share[i][k]
			most = max(most, column[i])
		}
		m.SD[k] = deviation(column)
		m.Mean[k] = a.All[k] / u.Slices.Over(k, interval.Divisor(o.StarVZ))
		m.Time[k], m.Percent[k] = clamp(most-m.Mean[k]), clamp((most-m.Mean[k])/most*a.Without[k]/a.All[k])
	}
	return m
}

// clamp keeps NaN.
func clamp(v float64) float64 {
	if math.IsNaN(v) {
		return v
	}
	return max(0, min(1, v))
}
