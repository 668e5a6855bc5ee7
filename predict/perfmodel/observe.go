package perfmodel

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"dagscope/explain/kind"
	"dagscope/predict/platform"
	"dagscope/trace"
)

// FitNeeds names the columns that [FitModels] reads.
var FitNeeds = append(slices.Clone(kind.Needs), "resource.name", "task.footprint", "task.bytes", "task.gflop", "task.parameters")

// observations are the tasks that one model is fitted to: columns by task.
// Columns that the run does not have are nil.
type observations struct {
	kind, arch string
	device     int32
	duration   []int64
	footprint  []uint32
	bytes      []int64
	gflop      []float64
	layout     []int32     // into parameters
	parameters [][]float64 // of each layout
	names      []string    // of the parameters, nil if they have none
}

// observe groups the tasks of runs by kind and architecture, and by device if
// asked. Tasks that generate the input count like others; tasks that do not
// run, and the runtime's own, do not.
func observe(runs []*trace.Run, byDevice bool) []*observations {
	type place struct {
		kind, arch string
		device     int32
	}
	seen := map[place]*observations{}
	var all []*observations
	for _, run := range runs {
		c := newColumns(run)
		groups := kind.Group(run, kind.Options{Generation: true})
		for k := range groups.Len() {
			p := place{run.Task.Kind.Dict[groups.Kind[k]], ArchOf(kind.ArchName(run, groups.Arch[k])), Any}
			for device, tasks := range c.split(groups.Tasks(k), p.arch, byDevice) {
				p.device = int32(device) - 1
				if len(tasks) == 0 {
					continue
				}
				if seen[p] == nil {
					seen[p] = &observations{kind: p.kind, arch: p.arch, device: p.device}
					all = append(all, seen[p])
				}
				c.add(seen[p], tasks)
			}
		}
	}
	return all
}

// ArchOf is what models call an architecture as runs name it: workers of which
// nothing is known are CPUs.
func ArchOf(name string) string { return cmp.Or(strings.ToLower(name), platform.CPU) }

// columns are what a run knows of its tasks.
type columns struct {
	run        *trace.Run
	duration   []int64
	device     []int32     // of each resource
	parameters [][]float64 // of each layout
	names      [][]string  // of those, nil where they have none
	footprint  []uint32    // of each layout
}

func newColumns(run *trace.Run) *columns {
	c := &columns{run: run, duration: kind.Durations(run), device: make([]int32, run.Resource.Name.Len())}
	for w := range c.device {
		c.device[w] = deviceOf(run.Resource.Name.At(w))
	}
	for _, layout := range run.Task.Parameters.Dict {
		names, _ := NamedParameters(layout)
		c.parameters, c.names = append(c.parameters, LayoutParameters(layout)), append(c.names, names)
		footprint, _ := LayoutFootprint(layout)
		c.footprint = append(c.footprint, footprint)
	}
	return c
}

// mostDevices is a bound on the numbers of devices in names of workers.
const mostDevices = 1 << 10

// deviceOf reads the number of a device in a worker's name: 2 of "0_CUDA2_0".
// Without one it is 0.
func deviceOf(name string) int32 {
	at := strings.IndexFunc(name, func(r rune) bool { return r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' })
	if at < 0 {
		return 0
	}
	name = strings.TrimLeft(name[at:], "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz ")
	digits := len(name) - len(strings.TrimLeft(name, "0123456789"))
	n, err := strconv.Atoi(name[:digits])
	if err != nil || n >= mostDevices {
		return 0
	}
	return int32(n)
}

// split gives the tasks of each device, whose number is one less than the
// position; those of all devices are at 0. CPUs are alike.
func (c *columns) split(tasks []int32, arch string, byDevice bool) [][]int32 {
	if !byDevice || arch == platform.CPU {
		return [][]int32{tasks}
	}
	parts := make([][]int32, 1)
	for _, t := range tasks {
		at := int(c.device[c.run.Task.Worker[t]]) + 1
		for len(parts) <= at {
			parts = append(parts, nil)
		}
		parts[at] = append(parts[at], t)
	}
	return parts
}

// add appends tasks. Where one run has a column and another has not, its tasks
// have zeros.
func (c *columns) add(o *observations, tasks []int32) {
	t, before := &c.run.Task, len(o.duration)
	o.duration = slices.Grow(o.duration, len(tasks))
	for _, i := range tasks {
		o.duration = append(o.duration, c.duration[i])
	}
	o.bytes = gather(o.bytes, t.Bytes, tasks, before)
	o.gflop = gather(o.gflop, t.GFlop, tasks, before)
	o.footprint = gather(o.footprint, c.footprints(tasks), nil, before)
	if t.Parameters.Len() > 0 {
		first := int32(len(o.parameters))
		o.nameBy(c, tasks)
		for k, values := range c.parameters {
			o.parameters = append(o.parameters, reorder(values, c.names[k], o.names))
		}
		for len(o.layout) < before {
			o.layout = append(o.layout, -1)
		}
		for _, i := range tasks {
			at := t.Parameters.Index[i]
			if at >= 0 {
				at += first
			}
			o.layout = append(o.layout, at)
		}
	}
}

// nameBy takes the names of the first task's parameters, in whose order those
// of all others are.
func (o *observations) nameBy(c *columns, tasks []int32) {
	for _, i := range tasks {
		if at := c.run.Task.Parameters.Index[i]; o.names == nil && at >= 0 {
			o.names = c.names[at]
		}
	}
}

// footprints are those that the runtime told, else those of the layouts; nil
// without either.
func (c *columns) footprints(tasks []int32) []uint32 {
	t := &c.run.Task
	if len(t.Footprint) == 0 && t.Parameters.Len() == 0 {
		return nil
	}
	out := make([]uint32, len(tasks))
	for k, i := range tasks {
		switch {
		case len(t.Footprint) > 0:
			out[k] = t.Footprint[i]
		case t.Parameters.Index[i] >= 0:
			out[k] = c.footprint[t.Parameters.Index[i]]
		}
	}
	return out
}

// gather appends the tasks of a column (all for nil tasks) after zeros up to a
// length.
func gather[T any](to, column []T, tasks []int32, length int) []T {
	if len(column) == 0 {
		return to
	}
	for len(to) < length {
		var zero T
		to = append(to, zero)
	}
	if tasks == nil {
		return append(to, column...)
	}
	for _, i := range tasks {
		to = append(to, column[i])
	}
	return to
}

// task is what is known of observation i.
func (o *observations) task(i int) Task {
	t := Task{Kind: o.kind, Footprint: at(o.footprint, i), Bytes: at(o.bytes, i), GFlop: at(o.gflop, i)}
	if i < len(o.layout) && o.layout[i] >= 0 {
		t.Parameters = o.parameters[o.layout[i]]
	}
	return t
}

// at is an entry of a column that may be too short.
func at[T any](column []T, i int) (v T) {
	if i < len(column) {
		v = column[i]
	}
	return v
}

// column is a variable of all observations, NaN where it is not known.
func (o *observations) column(p Product) []float64 {
	x := make([]float64, len(o.duration))
	for i := range x {
		t := o.task(i)
		v, ok := p.at(&t)
		if !ok || math.IsInf(v, 0) {
			v = math.NaN()
		}
		x[i] = v
	}
	return x
}
