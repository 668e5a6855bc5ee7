package simspec

import (
	"math"

	"dagscope/platform"
	"dagscope/workload"
)

// measured is a kind of worker in a recorded run.
type measured struct {
	class int32
	arch  string
	dev   int32
}

// anyDevice stands for all devices of an architecture.
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
func (m *mean) ns() int64 {
	if m == nil || m.count == 0 {
		return 0
	}
	return max(1, int64(math.Round(m.sum/float64(m.count))))
}

// own fills in the means of recorded tasks by class and device (by class and
// architecture where a device ran none), and by what factor each task differs
// from that of the worker that it ran on.
func (t *table) own(from *source) {
	first := t.g.Tasks() - len(from.rows) // tasks before were put in front
	means := make(map[measured]*mean)
	for i, row := range from.rows {
		at := from.worker(row)
		at.class = t.g.Class[first+i]
		for _, dev := range []int32{at.dev, anyDevice} {
			at.dev = dev
			if means[at] == nil {
				means[at] = new(mean)
			}
			if !t.isSync(first + i) {
				means[at].add(t.g.Duration[first+i])
			}
		}
	}
	t.fill(means)
	t.factors(from, first, means)
	t.g.Duration = nil
}

func (t *table) isSync(task int) bool { return t.g.Sync != nil && t.g.Sync[task] }

// worker is what ran a task, CPUs being all alike.
func (f *source) worker(row int32) measured {
	w := f.run.Task.Worker[row]
	if w == workload.None {
		return measured{}
	}
	arch, dev := typeOf(&f.run.Resource, w)
	return measured{arch: arch, dev: dev}
}

// fill takes the means over to the types of the machine.
func (t *table) fill(means map[measured]*mean) {
	for c := range t.d {
		for k, on := range t.types {
			if t.d[c][k] > 0 {
				continue
			}
			at := measured{int32(c), on.Arch, on.Device}
			if on.Arch == platform.CPU {
				at.dev = 0
			}
			if t.d[c][k] = float64(means[at].ns()); t.d[c][k] == 0 {
				at.dev = anyDevice
				t.d[c][k] = float64(means[at].ns())
			}
		}
	}
}

// factors says how tasks differ from what was usual where they ran.
func (t *table) factors(from *source, first int, means map[measured]*mean) {
	t.g.Factor = make([]float64, t.g.Tasks())
	for i := range t.g.Factor {
		t.g.Factor[i] = 1
	}
	for i, row := range from.rows {
		at := from.worker(row)
		at.class = t.g.Class[first+i]
		if usual := means[at].ns(); usual > 0 {
			t.g.Factor[first+i] = float64(t.g.Duration[first+i]) / float64(usual)
		}
	}
}
