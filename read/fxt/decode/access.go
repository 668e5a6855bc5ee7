package decode

import (
	"strings"

	"dagscope/trace"
)

// accessColumns are the accesses of tasks to data, in the order of the trace.
type accessColumns struct {
	row    []int32
	handle []int32 // in Task.HandleNames
	mode   []int32 // in Task.ModeNames; noMode for Control records
	bytes  []int64
	numa   []int64 // bits of NUMA nodes, −1 unknown; nil if never told
}

const noMode int32 = -2

// pairs are lists of jobs by task row, before they are put together.
type pairs struct {
	row []int32
	job []int64 // codes in Task.Job
}

// Bits of an access mode.
const (
	modeRead    = 1 << 0
	modeWrite   = 1 << 1
	modeScratch = 1 << 2
	modeRedux   = 1 << 3
	modeCommute = 1 << 4
	modeMPI     = 1 << 7
)

// modeName writes an access mode as StarPU's converter does.
func modeName(bits uint64) string {
	var s strings.Builder
	for _, m := range []struct {
		bit  uint64
		name string
	}{{modeRead, "R"}, {modeWrite, "W"}, {modeScratch, "S"}, {modeRedux, "X"}, {modeMPI, "X-mpi"}, {modeCommute, "C"}} {
		if bits&m.bit != 0 {
			s.WriteString(m.name)
		}
	}
	return s.String()
}

// mode is the entry of ModeNames for the bits of an access mode.
func (r *rank) mode(bits uint64) int32 {
	m := r.tasks.modes.get(bits)
	if m < 0 {
		m = r.out.Task.ModeNames.Intern(modeName(bits))
		if r.tasks.modes.n < 1<<12 { // there are some twenty
			r.tasks.modes.put(bits, m)
		}
	}
	return m
}

func (r *rank) addAccess(row int32, handle uint64, mode int32, size int64) {
	c := &r.tasks.access
	if len(c.row) == cap(c.row) {
		r.growAccesses()
	}
	c.row = append(c.row, row)
	c.handle = append(c.handle, r.tasks.names.index(handle))
	c.mode = append(c.mode, mode)
	c.bytes = append(c.bytes, size)
	if c.numa != nil {
		c.numa = append(c.numa, -1)
	}
}

func taskHandle(r *rank, a *args) {
	row := r.task(a.v[0])
	t := &r.tasks.more[row]
	if t.written == 0 && a.v[3]&modeWrite != 0 {
		t.written = a.v[1]
	}
	t.handles++
	r.addAccess(row, a.v[1], r.mode(a.v[3]), int64(a.v[2])) // a size has no sign
}

// taskNuma tells on which NUMA nodes a datum lies; the data of the task was
// told shortly before.
func taskNuma(r *rank, a *args) {
	row := r.task(a.v[0])
	c, t := &r.tasks.access, &r.tasks.more[row]
	if a.v[1] >= uint64(t.handles) {
		r.bad("NUMA nodes of datum %d of a task, want one of its %d", a.v[1], t.handles)
		return
	}
	if c.numa == nil {
		c.numa = make([]int64, len(c.row))
		for i := range c.numa {
			c.numa[i] = -1
		}
	}
	for i, n := len(c.row)-1, uint64(t.handles)-1; i >= 0 && i >= len(c.row)-maxBack; i-- {
		if c.row[i] != row {
			continue
		}
		if n == a.v[1] {
			c.numa[i] = a.int(2)
			t.located = t.located || a.int(2) != -1
			return
		}
		n--
	}
}

// maxBack is how far back the data of a task is looked for.
const maxBack = 1 << 12

// finishTasks puts the lists of the tasks together and leaves out those that
// the program does not want seen.
func (r *rank) finishTasks() {
	c, t := &r.out.Task, &r.tasks
	for row := range t.more {
		r.checkTimes(row)
	}
	keep := t.kept()
	n := len(t.more)
	handles := order32(t.access.row, n)
	r.finishNuma(handles)
	c.Handles = gather(handles, func(i int32) int64 { return int64(t.access.handle[i]) })
	c.Modes = gatherSome(handles, func(i int32) (int64, bool) { return int64(t.access.mode[i]), t.access.mode[i] != noMode })
	c.Sizes = gatherSome(handles, func(i int32) (int64, bool) { return t.access.bytes[i], t.access.mode[i] != noMode })
	c.DependsOn = gather(order32(t.pred.row, n), func(i int32) int64 { return t.pred.job[i] })
	c.EndDependsOn = gather(order32(t.endDep.row, n), func(i int32) int64 { return t.endDep.job[i] })
	if keep != nil {
		r.keepTasks(keep)
	}
	r.tasks = tasks{}
}

// checkTimes leaves out times that cannot be.
func (r *rank) checkTimes(row int) {
	c := &r.out.Task
	if c.Start[row] == trace.NoTime {
		c.End[row] = trace.NoTime
	}
	if c.End[row] != trace.NoTime && c.End[row] < c.Start[row] {
		r.log(trace.Warning, "record-ends-first", "found a task that ends %d ns before it starts: both left out", c.Start[row]-c.End[row])
		c.Start[row], c.End[row] = trace.NoTime, trace.NoTime
	}
}
