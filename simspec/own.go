package simspec

import (
	"cmp"
	"math"

	"dagscope/perfmodel"
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
//
// A simulated run knows how long its classes take everywhere.
func (t *table) own(from *source) error {
	first := t.g.Tasks() - len(from.rows) // tasks before were put in front
	kept, err := from.kernels()
	if err != nil {
		return err
	}
	means, durations := make(map[measured]*mean), t.g.Duration
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
	t.keep(kept)
	t.fill(means)
	if t.g.Duration, t.g.Factor = nil, nil; from.run.Meta.Environment[EnvDurations] == asExpected {
		return nil
	}
	t.g.Duration = durations
	t.factors(from, first, func(at measured) float64 {
		if kept != nil {
			if ns, ok := kept.Duration(task(&t.g.Classes[at.class]), platform.Type{Arch: at.arch, Device: at.dev}); ok {
				return ns
			}
		}
		return float64(means[at].ns())
	})
	t.g.Duration = nil
	return nil
}

// kernels are what a simulated run knows of its kernels, nil for others.
func (f *source) kernels() (*perfmodel.Set, error) {
	p := f.run.Meta.Platform
	if p == nil || p.Models == "" {
		return nil, nil
	}
	return perfmodel.ParseYAML("models of the run", []byte(p.Models))
}

// keep takes over what a simulated run knows of its kernels.
func (t *table) keep(kept *perfmodel.Set) {
	for c := range t.d {
		for k, on := range t.types {
			if kept == nil || t.d[c][k] > 0 || !t.used[c] {
				continue
			}
			if ns, ok := kept.Duration(task(&t.g.Classes[c]), on); ok {
				t.d[c][k] = ns
			}
		}
	}
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
func (t *table) factors(from *source, first int, usual func(measured) float64) {
	const rounding = 1 // ns, of recorded durations
	t.g.Factor = make([]float64, t.g.Tasks())
	for i := range t.g.Factor {
		t.g.Factor[i] = 1
	}
	for i, row := range from.rows {
		at := from.worker(row)
		at.class = t.g.Class[first+i]
		ns := float64(t.g.Duration[first+i])
		if u := usual(at); u > 0 && math.Abs(ns-u) > rounding {
			t.g.Factor[first+i] = ns / u
		}
	}
}

// Kernels are models of how long each class of tasks takes on each type of
// worker: what a run keeps, so that it can be simulated again exactly. They hold
// for workers of pace 1; nodes have the same.
func (b *Simulation) Kernels() (*perfmodel.Set, error) {
	type name struct {
		kind string
		on   platform.Type
	}
	var models []perfmodel.Model
	model, known := make(map[name]int), make(map[[2]int]bool)
	for k, on := range b.Machine.Types() {
		pace := cmp.Or(on.Pace, 1)
		on.Node, on.Pace = 0, 0
		for c, class := range b.Graph.Classes {
			if !b.runs(c, int32(k), on.Arch) {
				continue
			}
			at := name{class.Kind, on}
			i, made := model[at]
			if !made {
				i = len(models)
				model[at] = i
				models = append(models, perfmodel.Model{Kind: class.Kind, Arch: on.Arch, Device: on.Device, Method: perfmodel.History})
			}
			if !known[[2]int{i, c}] {
				known[[2]int{i, c}] = true
				models[i].History = append(models[i].History, perfmodel.Entry{Footprint: class.Footprint, Bytes: class.Bytes, GFlop: class.GFlop, Mean: b.Durations[c][k] * pace, Count: 1})
			}
		}
	}
	return perfmodel.NewSet(models)
}
