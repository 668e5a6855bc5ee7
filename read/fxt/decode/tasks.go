package decode

import (
	"math"

	"dagscope/trace"
)

// tasks is what is known of the tasks of a rank beside the columns of Task,
// which have a row per job in the order in which the trace first names them.
type tasks struct {
	row                       dense // by job
	more                      []moreTask
	access                    accessColumns
	pred                      pairs // (row, job that it waits for)
	endDep                    pairs // (row, job that its end waits for)
	modes                     table // bits to ModeNames
	names                     addresses
	counters                  table   // PAPI numbers to entries of Papi.Event
	name, model, file, layout words   // of Task's columns
	kind                      []int32 // of a state, by entry of Task.Name's dictionary
	params                    []int32 // by entry of Task.Parameters' dictionary: in Extended's
	numa                      numaNames
}

// moreTask is a row of what Task has no column for.
type moreTask struct {
	kind     uint8  // of task: bits below
	excluded bool   // the program does not want it seen
	shown    bool   // the graph has it whatever its kind
	detailed bool   // its row of Extended is complete
	extended int32  // row
	handles  int32  // how many it accesses
	written  uint64 // the first handle that it writes, 0: none
	color    uint32 // 0xRRGGBB, 0: none
	located  bool   // NUMA nodes of some of its data are known
}

// Bits of a task's kind.
const (
	taskInternal = 1 << iota // StarPU's own
	taskAcquire              // stands for the program's access to data
)

func (t *tasks) init(r *rank) {
	t.names = addresses{text: &r.out.Task.HandleNames}
	c := &r.out.Task
	t.name, t.model, t.file, t.layout = words{text: &c.Name}, words{text: &c.Model}, words{text: &c.File}, words{text: &c.Parameters}
	r.out.Task.Control.Dict = []string{""}
	for _, keys := range []*trace.Keys{&r.out.Task.Job, &r.out.Extended.Job, &r.out.Edge.From, &r.out.Edge.To, &r.out.Papi.Job} {
		keys.Encode([]byte(r.prefix + "0"))
	}
}

// maxJob bounds the job ids that a code of trace.Keys holds as a number.
const maxJob = 1<<40 - 1

// code is the code of a job's name in a column of Keys whose first prefix is
// the rank's.
func (r *rank) code(keys *trace.Keys, job uint64) int64 {
	if job < maxJob {
		return int64(job) // the prefix has number 0
	}
	return keys.Encode([]byte(r.prefix + decimal(job)))
}

// task returns the row of a job, a new one if the trace names it first here.
func (r *rank) task(job uint64) int32 {
	if row := r.tasks.row.get(job); row >= 0 {
		return row
	}
	row := r.appendTask(job)
	r.tasks.row.put(job, row)
	return row
}

// appendTask adds a row of which nothing but the job is known. Control records
// are rows of their own that no job finds.
func (r *rank) appendTask(job uint64) int32 {
	c := &r.out.Task
	row := int32(len(c.Line))
	if len(r.tasks.more) == cap(r.tasks.more) {
		r.growTasks()
	}
	c.Control.AppendIndex(0)
	c.Job.AppendCode(r.code(&c.Job, job))
	for _, texts := range []*trace.Strings{&c.Name, &c.Model, &c.File, &c.Parameters, &c.Numa} {
		texts.AppendIndex(trace.None)
	}
	c.Line = append(c.Line, -1)
	c.Order = append(c.Order, trace.None)
	c.Priority = append(c.Priority, 0)
	c.Tag = append(c.Tag, 0)
	c.Worker = append(c.Worker, trace.None)
	c.MemoryNode = append(c.MemoryNode, trace.None)
	c.Rank = append(c.Rank, r.number)
	c.Submit, c.Ready = append(c.Submit, trace.NoTime), append(c.Ready, trace.NoTime)
	c.Start, c.End = append(c.Start, trace.NoTime), append(c.End, trace.NoTime)
	c.Footprint = append(c.Footprint, 0)
	c.GFlop = append(c.GFlop, math.NaN())
	c.Iteration, c.Subiteration = append(c.Iteration, -1), append(c.Subiteration, -1)
	r.tasks.more = append(r.tasks.more, moreTask{extended: trace.None})
	return row
}

func taskSubmit(r *rank, a *args) {
	row, c := r.task(a.v[0]), &r.out.Task
	c.Submit[row] = r.now
	c.Iteration[row], c.Subiteration[row] = level(a.int(1)), level(a.int(2))
	c.Order[row] = order(a.v[3])
	c.Priority[row] = a.int(4)
	r.tasks.more[row].kind = uint8(a.v[5])
}

// level is a number of an iteration, −1 for none and for what is no such.
func level(v int64) int32 {
	if v < -1 || v > math.MaxInt32 {
		return -1
	}
	return int32(v)
}

// order is a rank of submission, None for 0 and for what is no such.
func order(v uint64) int32 {
	if v == 0 || v > math.MaxInt32 {
		return trace.None
	}
	return int32(v)
}

// taskName keeps the first name of a task.
func taskName(r *rank, a *args) {
	names, row := &r.out.Task.Name, r.task(a.v[0])
	if names.Index[row] == trace.None {
		names.Index[row] = r.tasks.name.index(givenName(a, 1))
	}
	r.drawTask(row)
}

func modelName(r *rank, a *args) {
	c := &r.out.Task
	c.Model.Index[r.task(a.v[0])] = r.tasks.model.index(a.text())
}

func taskLine(r *rank, a *args) {
	c, row := &r.out.Task, r.task(a.v[0])
	c.File.Index[row] = r.tasks.file.index(a.text())
	if c.File.Index[row] != trace.None {
		c.Line[row] = a.small(1)
	}
}

func taskColor(r *rank, a *args) { r.tasks.more[r.task(a.v[0])].color = uint32(a.v[1]) & 0xffffff }

func taskExcluded(r *rank, a *args) { r.tasks.more[r.task(a.v[0])].excluded = a.v[1] != 0 }

// controlWontUse is the program's word that it will not need a handle soon.
func controlWontUse(r *rank, a *args) {
	c := &r.out.Task
	row := r.appendTask(a.v[2])
	c.Control.Index[row] = c.Control.Intern("WontUse")
	c.Submit[row], c.Order[row] = r.now, order(a.v[1])
	c.Priority[row] = trace.NoTime
	r.addAccess(row, a.v[0], noMode, 0)
}

var taskBindings = []binding{
	{"TASK_SUBMIT", []string{"job", "iteration?", "subiteration?", "order?", "prio?", "tasktype?"}, "task", taskSubmit},
	{"TASK_NAME", []string{"job", "named?"}, "task", taskName},
	{"MODEL_NAME", []string{"job"}, "task", modelName},
	{"TASK_LINE", []string{"job", "line"}, "task", taskLine},
	{"TASK_COLOR", []string{"job", "color"}, "definition", taskColor},
	{"TASK_EXCLUDE_FROM_DAG", []string{"job", "excluded"}, "definition", taskExcluded},
	{"START_CODELET_BODY", []string{"job", "context", "worker", "node?", "named?"}, "task", startBody},
	{"END_CODELET_BODY", []string{"job", "worker", "thread"}, "task", endBody},
	{"CODELET_DATA", []string{"worker"}, "task", bodyData},
	{"CODELET_DATA_HANDLE", []string{"job", "handle", "bytes", "mode"}, "access", taskHandle},
	{"CODELET_DATA_HANDLE_NUMA_ACCESS", []string{"job", "index", "numa"}, "access", taskNuma},
	{"CODELET_DETAILS", []string{"context", "bytes", "hash", "kflops", "tag", "worker", "job"}, "task", bodyDetails},
	{"DATA_WONT_USE", []string{"handle", "order", "job"}, "event", controlWontUse},
	{"PAPI_TASK_EVENT_VALUE", []string{"papievent", "job", "value"}, "counter", papiValue},
}
