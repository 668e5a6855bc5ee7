package perfmodel

import (
	"cmp"
	"fmt"
	"slices"

	"dagscope/internal/stat"
	"dagscope/predict/platform"
)

// Task is what a model may need to know of a task.
type Task struct {
	Kind       string
	Footprint  uint32 // of the layouts of its data, 0 if unknown
	Bytes      int64  // sum of the sizes of its data, 0 if unknown
	GFlop      float64
	Parameters []float64 // p1, p2, … of regressions: by default [LayoutParameters]
	Names      []string  // of the parameters; nil: they are in the order of the model's
}

// Any is the device of models that hold for all devices of an architecture.
const Any int32 = -1

// Method is how a model tells a duration.
type Method string

// Methods.
const (
	Mean      Method = "mean"       // of all tasks of the kind
	History   Method = "history"    // mean of the tasks with equal data
	Linear    Method = "regression" // a sum of products of powers of what is known of the task
	Sample    Method = "sample"     // drawn from the durations of tasks with equal data
	NonLinear Method = "power"      // a product of powers, fitted in logarithms
)

// Model tells the durations of one kind on an architecture or a device.
type Model struct {
	Kind   string
	Arch   string // as platform names architectures
	Device int32  // Any, or the device's number; CPUs are device 0 or Any
	Impl   int32  // implementation: the shortest of several is taken
	Method Method

	Mean, Deviation float64 // ns, of all tasks; 0 if unknown
	Count           int64   // tasks that it was made of, 0 if unknown
	History         []Entry // by footprint, then bytes
	// LeastCount is how often a history entry must have been measured for a
	// task outside the range of the regression.
	LeastCount int64
	Regression *Regression // of Linear and NonLinear
	Contention []Load      // by busy workers, ascending; nil: tasks do not slow each other down
	Fit        *Fit        // how it was fitted; nil for models that were read
}

// Entry is what was measured of tasks with equal data.
type Entry struct {
	Footprint       uint32 // 0 where the tasks have none: then bytes tell them apart
	Bytes           int64
	GFlop           float64
	Mean, Deviation float64 // ns
	Count           int64
	Sample          []float64 // means of groups of tasks of equal number, ascending, ns; nil if unknown
}

// Set is a collection of models.
type Set struct {
	Models []Model // sorted by kind, architecture, device, implementation

	index map[place][]int32
}

type place struct {
	kind, arch string
	device     int32
}

// NewSet sorts and indexes models. Two models of one implementation on one
// device are an error.
func NewSet(models []Model) (*Set, error) {
	s := &Set{Models: models, index: map[place][]int32{}}
	slices.SortStableFunc(s.Models, compareModels)
	for i := range s.Models {
		m := &s.Models[i]
		if i > 0 && compareModels(s.Models[i-1], *m) == 0 {
			return nil, fmt.Errorf("join models: found two of %s on %s (implementation %d), want one", m.Kind, deviceName(m.Arch, m.Device), m.Impl)
		}
		slices.SortStableFunc(m.History, compareEntries)
		p := place{m.Kind, m.Arch, m.Device}
		s.index[p] = append(s.index[p], int32(i))
	}
	return s, nil
}

func compareModels(a, b Model) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Arch, b.Arch), cmp.Compare(a.Device, b.Device), cmp.Compare(a.Impl, b.Impl))
}

func compareEntries(a, b Entry) int {
	return cmp.Or(cmp.Compare(a.Footprint, b.Footprint), cmp.Compare(a.Bytes, b.Bytes))
}

// deviceName is how messages name the place of a model.
func deviceName(arch string, device int32) string {
	if device == Any {
		return arch
	}
	return fmt.Sprintf("%s %d", arch, device)
}

// Kinds are the kinds that there are models of, sorted.
func (s *Set) Kinds() []string {
	var kinds []string
	for i := range s.Models {
		kinds = append(kinds, s.Models[i].Kind)
	}
	return slices.Compact(kinds)
}

// on are the models of a kind on a type of worker: those of its device, else
// those of its architecture.
func (s *Set) on(kind string, t platform.Type) []int32 {
	if own, ok := s.index[place{kind, t.Arch, t.Device}]; ok {
		return own
	}
	return s.index[place{kind, t.Arch, Any}]
}

// Duration is the expected duration of a task on a type of worker, ns, above 0;
// of several implementations that of the fastest. It is false where no model
// tells it: the task cannot run there.
func (s *Set) Duration(t Task, on platform.Type) (ns float64, ok bool) {
	return s.shortest(t, on, (*Model).Duration)
}

// Draw is a duration that a task may have: the expected one, but of models of
// method [Sample] one of those that were measured. Equal seeds and numbers of
// tasks give equal durations, in whatever order they are asked for.
func (s *Set) Draw(t Task, on platform.Type, seed, number uint64) (ns float64, ok bool) {
	return s.shortest(t, on, func(m *Model, t *Task) (float64, bool) { return m.draw(t, stat.Mix(seed, number)) })
}

// Random tells whether Draw differs from Duration for a kind.
func (s *Set) Random(kind string) bool {
	return slices.ContainsFunc(s.Models, func(m Model) bool { return m.Kind == kind && m.Method == Sample })
}

// Teller is [Set.Duration] of one kind on one type of worker, for many tasks.
func (s *Set) Teller(kind string, on platform.Type) func(*Task) (ns float64, ok bool) {
	models := s.on(kind, on)
	return func(t *Task) (least float64, found bool) {
		for _, i := range models {
			if ns, ok := s.Models[i].Duration(t); ok && (!found || ns < least) {
				least, found = ns, true
			}
		}
		return least, found
	}
}

func (s *Set) shortest(t Task, on platform.Type, duration func(*Model, *Task) (float64, bool)) (least float64, found bool) {
	for _, i := range s.on(t.Kind, on) {
		if ns, ok := duration(&s.Models[i], &t); ok && (!found || ns < least) {
			least, found = ns, true
		}
	}
	return least, found
}

// shortestDuration of a task, ns: models that would tell less tell this, so
// that no task takes no time or less than none.
const shortestDuration = 1

// Duration is the expected duration of a task, ns.
func (m *Model) Duration(t *Task) (ns float64, ok bool) {
	switch m.Method {
	case Mean:
		ns, ok = m.Mean, m.Count > 0 || m.Mean > 0
	case History, Sample:
		if e := m.entry(t); e != nil {
			ns, ok = e.Mean, e.Count > 0
		}
	default:
		ns, ok = m.regress(t)
	}
	return max(ns, shortestDuration), ok
}

// regress asks the regression, and outside of its range the history.
func (m *Model) regress(t *Task) (ns float64, ok bool) {
	if m.Regression != nil {
		if ns, ok = m.Regression.At(t); ok {
			return ns, true
		}
	}
	if e := m.entry(t); e != nil && e.Count >= m.LeastCount {
		return e.Mean, e.Count > 0
	}
	return 0, false
}

// entry is what was measured of tasks with the same data, nil if nothing was.
func (m *Model) entry(t *Task) *Entry {
	i, ok := slices.BinarySearchFunc(m.History, t.Footprint, func(e Entry, f uint32) int { return cmp.Compare(e.Footprint, f) })
	if ok && t.Footprint != 0 {
		return &m.History[i]
	}
	i, ok = slices.BinarySearchFunc(m.History, t.Bytes, func(e Entry, b int64) int {
		return cmp.Or(cmp.Compare(e.Footprint, 0), cmp.Compare(e.Bytes, b))
	})
	if !ok {
		return nil
	}
	return &m.History[i]
}

// Has reports whether there is a model of a kind for a type of worker.
func (s *Set) Has(kind string, on platform.Type) bool { return len(s.on(kind, on)) > 0 }

// Explain says why the duration of a task is not known on a type of worker, or
// not to be trusted; "" if there is nothing to say.
func (s *Set) Explain(t Task, on platform.Type) string {
	models := s.on(t.Kind, on)
	if len(models) == 0 {
		return fmt.Sprintf("no model of %s on %s", t.Kind, deviceName(on.Arch, on.Device))
	}
	m := &s.Models[models[0]]
	_, known := m.Duration(&t)
	if m.Regression != nil {
		if outside := m.Regression.Outside(&t); outside != "" {
			return fmt.Sprintf("%s on %s: %s", t.Kind, deviceName(on.Arch, on.Device), outside)
		}
	}
	if !known {
		return fmt.Sprintf("%s was never measured on %s with data of footprint %08x (%d bytes)", t.Kind, deviceName(on.Arch, on.Device), t.Footprint, t.Bytes)
	}
	return ""
}
