package spec

import (
	"fmt"
	"math"
	"slices"

	"dagscope/predict/perfmodel"
	"dagscope/predict/platform"
	"dagscope/predict/workload"
)

// measured is a kind of worker in a recorded run.
type measured struct {
	arch string
	dev  int32
}

// meanTimes are means of durations by class and kind of worker: lists by
// class, since where each task has parameters of its own there are as many
// classes as tasks, and nearly all ran on one worker.
type meanTimes struct {
	kinds map[measured]int32
	at    []int32 // by class: where its list begins
	kind  []int32 // ascending in each list
	mean  []mean
}

// number numbers kinds of workers.
func (m *meanTimes) number(at measured) int32 {
	k, known := m.kinds[at]
	if !known {
		k = int32(len(m.kinds))
		m.kinds[at] = k
	}
	return k
}

// ns is the mean rounded, at least 1; 0 of none.
func (m *meanTimes) ns(class int32, at measured) int64 {
	kind, known := m.kinds[at]
	if !known {
		return 0
	}
	from, to := m.at[class], m.at[class+1]
	k, found := slices.BinarySearch(m.kind[from:to], kind)
	if !found {
		return 0
	}
	return m.mean[int(from)+k].ns()
}

// means sums the durations of a run's tasks up, by device and by architecture.
func (t *table) means(from *recording, first int) *meanTimes {
	m := &meanTimes{kinds: make(map[measured]int32), at: make([]int32, 1, len(t.g.Classes)+1)}
	kinds := m.kindsOf(from)
	sums := make([]mean, len(m.kinds))
	var touched []int32
	tasks, at := t.byClass(first)
	for class := range t.g.Classes {
		for _, i := range tasks[at[class]:at[class+1]] {
			for _, kind := range kinds[from.run.Task.Worker[from.rows[i]]] {
				if sums[kind].count == 0 {
					touched = append(touched, kind)
				}
				sums[kind].add(t.g.Duration[first+int(i)])
			}
		}
		slices.Sort(touched)
		for _, kind := range touched {
			m.kind, m.mean = append(m.kind, kind), append(m.mean, sums[kind])
			sums[kind] = mean{}
		}
		touched = touched[:0]
		m.at = append(m.at, int32(len(m.kind)))
	}
	return m
}

// kindsOf is, by worker, its own kind and that of all of its architecture.
func (m *meanTimes) kindsOf(from *recording) map[int32][2]int32 {
	kinds := make(map[int32][2]int32)
	for _, row := range from.rows {
		w := from.run.Task.Worker[row]
		if _, known := kinds[w]; !known {
			at := from.worker(row)
			kinds[w] = [2]int32{m.number(at), m.number(measured{at.arch, anyDevice})}
		}
	}
	return kinds
}

// byClass are the tasks with work from one on, counted from it, class by class,
// and where the classes begin.
func (t *table) byClass(first int) (tasks, at []int32) {
	at = make([]int32, len(t.g.Classes)+2)
	for i, c := range t.g.Class[first:] {
		if t.g.HasWork(first + i) {
			at[c+2]++
		}
	}
	for c := range t.g.Classes {
		at[c+2] += at[c+1]
	}
	tasks = make([]int32, at[len(at)-1])
	for i, c := range t.g.Class[first:] {
		if t.g.HasWork(first + i) {
			tasks[at[c+1]] = int32(i)
			at[c+1]++
		}
	}
	return tasks, at
}

// anyDevice is the number for all devices of an architecture.
const anyDevice int32 = -1

// mean sums durations.
type mean struct {
	sum   float64
	count int64
}

func (m *mean) add(ns int64) {
	m.sum += float64(ns)
	m.count++
}

// ns is the mean rounded, at least 1; 0 of none.
func (m mean) ns() int64 {
	if m.count == 0 {
		return 0
	}
	return max(1, int64(math.Round(m.sum/float64(m.count))))
}

// fromRun fills in the means of recorded tasks by class and device (by class and
// architecture where a device ran none), and returns by what factor each task
// differs from that of the worker that it ran on, nil for none.
//
// A simulated run knows how long its classes take everywhere, and its factors.
func (t *table) fromRun(from *recording) (factor []float64, err error) {
	first := t.g.Tasks() - len(from.rows) // tasks before were put in front
	kept, err := from.kernels()
	if err != nil {
		return nil, err
	}
	means := t.means(from, first)
	t.keep(kept)
	t.fill(means)
	switch {
	case from.run.Meta.Environment[EnvDurations] == asExpected:
		return nil, nil
	case from.run.Task.Factor != nil:
		return t.kept(from, first)
	}
	return t.factors(from, first, func(class int32, at measured) float64 {
		if kept != nil {
			if ns, ok := kept.Duration(task(&t.g.Classes[class]), platform.Type{Arch: at.arch, Device: at.dev}); ok {
				return ns
			}
		}
		return float64(means.ns(class, at))
	}), nil
}

// kept are the factors that tasks had in a simulated run. Durations say them less
// exactly: on devices, tasks begin when their kernel is queued, or end then. What an
// experiment changed of durations changes them.
func (t *table) kept(from *recording, first int) ([]float64, error) {
	const most = 1e9
	factor := slices.Repeat([]float64{1}, t.g.Tasks())
	for i, row := range from.rows {
		f := from.run.Task.Factor[row]
		if !(f > 0 && f <= most) {
			return nil, fmt.Errorf("read task %s of the run: found factor %g, want one above 0 and up to %g", from.run.Task.Key.At(int(row)), f, most)
		}
		if by, other := from.scale[row]; other {
			f *= by
		}
		factor[first+i] = f
	}
	return factor, nil
}

// kernels are what a simulated run knows of its kernels, nil for others.
func (f *recording) kernels() (*perfmodel.Set, error) {
	p := f.run.Meta.Platform
	if p == nil || p.Models == "" {
		return nil, nil
	}
	return perfmodel.ParseYAML("models of the run", []byte(p.Models))
}

// keep takes over what a simulated run knows of its kernels.
func (t *table) keep(kept *perfmodel.Set) {
	for c := range t.ns {
		for k, on := range t.types {
			if kept == nil || t.ns[c][k] > 0 || !t.used[c] {
				continue
			}
			if ns, ok := kept.Duration(task(&t.g.Classes[c]), on); ok {
				t.ns[c][k] = ns
			}
		}
	}
}

// worker is what ran a task; CPUs are identical.
func (f *recording) worker(row int32) measured {
	w := f.run.Task.Worker[row]
	if w == workload.None {
		return measured{}
	}
	arch, dev := typeOf(&f.run.Resource, w)
	return measured{arch: arch, dev: dev}
}

// fill takes the means over to the types of the machine.
func (t *table) fill(means *meanTimes) {
	for c := range t.ns {
		for k, on := range t.types {
			if t.ns[c][k] > 0 {
				continue
			}
			at := measured{on.Arch, on.Device}
			if on.Arch == platform.CPU {
				at.dev = 0
			}
			if t.ns[c][k] = float64(means.ns(int32(c), at)); t.ns[c][k] == 0 {
				at.dev = anyDevice
				t.ns[c][k] = float64(means.ns(int32(c), at))
			}
		}
	}
}

// factors are how tasks differ from what was usual where they ran.
func (t *table) factors(from *recording, first int, usual func(class int32, at measured) float64) []float64 {
	const rounding = 1 // ns, of recorded durations
	factor := slices.Repeat([]float64{1}, t.g.Tasks())
	for i, row := range from.rows {
		at := from.worker(row)
		ns := float64(t.g.Duration[first+i])
		if u := usual(t.g.Class[first+i], at); u > 0 && math.Abs(ns-u) > rounding {
			factor[first+i] = ns / u
		}
	}
	return factor
}
