package assemble

import (
	"math"
	"strings"

	"dagscope/trace"
)

// unknownKind is the kind of a task that only the graph names.
const unknownKind = "(unknown)"

// addTasks joins the two accounts of each task: the states of the trace, which
// say where and when it ran, and the records, which say what it is. Either may
// lack some.
func (a *assembler) addTasks() {
	a.task = newKeyIndex(&a.jobs)
	a.spelled = a.out.Task.Key.Recode(&a.jobs)
	a.addTraced()
	traced := len(a.out.Task.Start)
	a.tracedTasks = traced
	a.learnWorkers()
	a.finishOpen()
	seen := a.addRecorded()
	if len(a.in.Task.Priority) > 0 {
		missing := 0
		for _, s := range seen[:traced] {
			if !s {
				missing++
			}
		}
		a.log(trace.Warning, "task-without-record", "a task of the trace has no record: submission and data unknown", missing)
	}
}

// jobCodes returns a function that gives jobs the spelling of the index. With
// ten ranks and more StarPU writes rank 0 as "00_5" in one file and as "0_5" in
// another.
func (a *assembler) jobCodes(from *trace.Keys) func(int64) int64 {
	return a.jobs.RecodeAs(from, plainRank)
}

// plainRank strips the padding of a rank: "00_" and "0_" are the same.
func plainRank(prefix string) string {
	head, rest, found := strings.Cut(prefix, "_")
	if !found || len(head) < 2 || strings.Trim(head, "0123456789") != "" {
		return prefix
	}
	head = strings.TrimLeft(head[:len(head)-1], "0") + head[len(head)-1:]
	return head + "_" + rest
}

// addTraced makes a task of each worker state that carries a job id; a job
// with several spans gets segments.
func (a *assembler) addTraced() {
	s, e := &a.in.State, &a.in.Extended
	recode, printed := a.jobCodes(&e.Job), a.out.Task.Key.Recode(&e.Job)
	a.taskOfExt = make([]int32, len(e.Order))
	for i := range a.taskOfExt {
		a.taskOfExt[i] = trace.None
	}
	a.findTasks()
	a.growTasks(count(a.isTask))
	texts := a.tracedTexts()
	var first []int32 // by task: its first row
	var further []piece
	for row, ext := range s.Extended {
		if !a.isTask[row] {
			continue
		}
		job := recode(e.Job.Code[ext])
		if old := a.task.get(job); old != trace.None {
			further = append(further, piece{old, int32(row)})
			a.taskOfExt[ext] = old
			continue
		}
		task := a.appendTraced(texts, row, ext, job)
		a.out.Task.Key.Code[task] = printed(e.Job.Code[ext])
		a.taskOfExt[ext] = task
		first = append(first, int32(row))
	}
	a.addPieces(first, further)
	for ext, row := range a.taskOfExt {
		if row == trace.None { // states of contexts and driver threads name tasks too
			a.taskOfExt[ext] = a.task.get(recode(e.Job.Code[ext]))
		}
	}
}

// findTasks reports for each row of State whether it is the execution of a task.
func (a *assembler) findTasks() {
	s := &a.in.State
	kinds := make([]bool, len(s.Kind.Dict))
	for i, kind := range s.Kind.Dict {
		kinds[i] = IsTask(WorkerState, kind)
	}
	level := &a.out.Resource.Level
	workers, typ := level.Find(trace.LevelWorker), s.Type.Find(WorkerState)
	a.isTask = make([]bool, len(s.Start))
	elsewhere, named := 0, 0
	for row, ext := range s.Extended {
		if ext == trace.None || s.Type.Index[row] != typ {
			continue
		}
		if !kinds[s.Kind.Index[row]] {
			if s.Kind.At(row) != wrapper {
				named++
			}
			continue
		}
		if level.Index[a.resource[s.Container[row]]] == workers {
			a.isTask[row] = true
		} else {
			elsewhere++
		}
	}
	a.log(trace.Warning, "task-named-as-state", "a state with a job has the name of one of the runtime's states (a codelet named \"Idle\"?): kept as state, not counted as a task", named)
	a.log(trace.Warning, "task-outside-worker", "a task ran on something that is no worker: kept as state", elsewhere)
}

// tracedTexts are the texts of the trace that tasks take over.
type tracedTexts struct{ kind, parameters, numa *textMap }

func (a *assembler) tracedTexts() tracedTexts {
	c, e := &a.out.Task, &a.in.Extended
	return tracedTexts{
		kind:       mapTexts(&a.in.State.Kind, c.Kind.Intern),
		parameters: mapTexts(&e.Parameters, optional(&c.Parameters)),
		numa:       mapTexts(&e.Numa, optional(&c.Numa)),
	}
}

func (a *assembler) appendTraced(texts tracedTexts, row int, ext int32, job int64) int32 {
	s, e := &a.in.State, &a.in.Extended
	worker := a.resource[s.Container[row]]
	t := a.appendTask(job, texts.kind.at(row))
	c := &a.out.Task
	c.Worker[t], c.Start[t], c.End[t] = worker, s.Start[row], s.End[row]
	c.Order[t] = e.Order[ext]
	c.Priority[t] = a.priority(e.Priority[ext])
	c.Iteration[t] = e.Iteration[ext]
	c.Subiteration[t] = e.Subiteration[ext]
	c.Node[t] = max(a.out.Resource.Node[worker], 0)
	c.Tag[t], c.Footprint[t] = e.Tag[ext], e.Footprint[ext]
	c.GFlop[t] = e.GFlop[ext]
	c.X[t], c.Y[t] = e.X[ext], e.Y[ext]
	c.Bytes[t] = size(e.Bytes[ext])
	c.Parameters.Index[t], c.Numa.Index[t] = texts.parameters.at(int(ext)), texts.numa.at(int(ext))
	return t
}

// growTasks makes room for n more tasks.
func (a *assembler) growTasks(n int) {
	c := &a.out.Task
	trace.Reserve(n, &c.Start, &c.End, &c.Submit, &c.Ready, &c.Bytes, &c.Key.Code)
	trace.Reserve(n, &c.Worker, &c.Order, &c.Priority, &c.Iteration, &c.Subiteration, &c.Node, &c.X, &c.Y, &c.Line, &c.MemoryNode)
	trace.Reserve(n, &c.Kind.Index, &c.Parameters.Index, &c.Model.Index, &c.File.Index, &c.Numa.Index)
	trace.Reserve(n, &c.Generation, &c.Internal)
	trace.Reserve(n, &c.Tag)
	trace.Reserve(n, &c.Footprint)
	trace.Reserve(n, &c.GFlop)
}

func count(flags []bool) (n int) {
	for _, f := range flags {
		n += one(f)
	}
	return n
}

// appendTask adds a task of which nothing is known but its job and kind, an
// index of the column's texts.
func (a *assembler) appendTask(job int64, kind int32) int32 {
	c := &a.out.Task
	row := int32(len(c.Start))
	c.Key.AppendCode(a.spelled(job))
	c.Kind.AppendIndex(kind)
	c.Worker = append(c.Worker, trace.None)
	c.Start, c.End = append(c.Start, trace.NoTime), append(c.End, trace.NoTime)
	c.Submit, c.Ready = append(c.Submit, trace.NoTime), append(c.Ready, trace.NoTime)
	c.Order, c.Priority = append(c.Order, trace.None), append(c.Priority, 0)
	c.Iteration, c.Subiteration = append(c.Iteration, -1), append(c.Subiteration, -1)
	c.Generation, c.Internal = append(c.Generation, false), append(c.Internal, false)
	c.Node = append(c.Node, 0)
	c.Tag = append(c.Tag, 0)
	c.Footprint = append(c.Footprint, 0)
	c.GFlop = append(c.GFlop, math.NaN())
	c.X, c.Y = append(c.X, trace.NoInt), append(c.Y, trace.NoInt)
	c.Bytes = append(c.Bytes, trace.NoSize)
	c.Line = append(c.Line, trace.None)
	c.MemoryNode = append(c.MemoryNode, trace.None)
	for _, texts := range []*trace.Strings{&c.Parameters, &c.Model, &c.File, &c.Numa} {
		texts.AppendIndex(trace.None)
	}
	if job != trace.NoKey {
		a.task.put(job, row)
	}
	return row
}

// priority brings the raw number into 32 bits.
func (a *assembler) priority(v int64) int32 {
	if v == trace.NoTime {
		return 0
	}
	if v <= math.MinInt32 || v > math.MaxInt32 { // the smallest stands for "unknown"
		a.log(trace.Warning, "priority-range", "a priority is not from -2147483647 to 2147483647: the nearest was taken", 1)
		return int32(max(math.MinInt32+1, min(v, math.MaxInt32)))
	}
	return int32(v)
}

// addRecorded merges the records of tasks.rec; seen marks which tasks have one.
func (a *assembler) addRecorded() (seen []bool) {
	t := &a.in.Task
	seen = make([]bool, len(a.out.Task.Start))
	recode, printed := a.jobCodes(&t.Job), a.out.Task.Key.Recode(&t.Job)
	a.growTasks(len(t.Job.Code) - len(seen))
	ac := &a.out.Access
	trace.Reserve(len(t.Handles.Values), &ac.Task, &ac.Handle, &ac.Mode.Index)
	trace.Reserve(len(t.Handles.Values), &ac.Bytes)
	texts := a.recordedTexts()
	var never, onlyRecorded, twice int
	for rec, job := range t.Job.Code {
		if t.Control.At(rec) != "" {
			continue // an order to the runtime, not a task: see addControls
		}
		code := recode(job)
		row := a.task.get(code)
		if row != trace.None && int(row) < len(seen) && seen[row] {
			twice++
			continue
		}
		if row == trace.None {
			row = a.appendTask(code, a.out.Task.Kind.Intern(recordKind(t.Name.At(rec), t.Model.At(rec))))
			a.out.Task.Key.Code[row] = printed(job)
			seen = append(seen, false)
		}
		seen[row] = true
		a.mergeRecord(texts, row, rec)
		switch {
		case a.out.Task.Internal[row]:
		case a.out.Task.Start[row] == trace.NoTime:
			never++
		case a.taskIsOnlyRecorded(row):
			onlyRecorded++
		}
		a.addAccesses(texts.access, row, rec)
	}
	a.logDoubts()
	a.log(trace.Warning, "task-never-ran", "a task has no execution in the trace: in the graph, not counted", never)
	a.log(trace.Info, "task-only-in-records", "a task is missing in the trace: its times come from its record", onlyRecorded)
	a.log(trace.Warning, "repeated-record", "a job has two records: the first is kept", twice)
	return seen
}

// recordKind names a task that has no codelet name.
func recordKind(name, model string) string {
	switch {
	case name != "":
		return name
	case model != "":
		return model
	}
	return unknownKind
}

// taskIsOnlyRecorded holds for tasks whose times were taken from the record.
func (a *assembler) taskIsOnlyRecorded(row int32) bool { return int(row) >= a.tracedTasks }

// mergeRecord fills what the trace does not say; where both speak, the trace
// wins (it is what analyses of the trace alone see).
func (a *assembler) mergeRecord(texts recordedTexts, row int32, rec int) {
	c, t := &a.out.Task, &a.in.Task
	traced := c.Start[row] != trace.NoTime
	if t.Rank[rec] >= 0 {
		c.Node[row] = t.Rank[rec]
	}
	c.Submit[row] = t.Submit[rec]
	c.Ready[row] = t.Ready[rec]
	if c.Order[row] == trace.None {
		c.Order[row] = t.Order[rec]
	}
	if t.Priority[rec] != trace.NoTime {
		c.Priority[row] = a.priority(t.Priority[rec])
	}
	if c.Iteration[row] == -1 {
		c.Iteration[row], c.Subiteration[row] = t.Iteration[rec], t.Subiteration[rec]
	}
	if traced {
		a.compare(row, rec)
	} else {
		a.mergeExecution(row, rec)
		c.Tag[row], c.Footprint[row] = t.Tag[rec], t.Footprint[rec]
	}
	if math.IsNaN(c.GFlop[row]) {
		c.GFlop[row] = t.GFlop[rec]
	}
	c.MemoryNode[row], c.Line[row] = t.MemoryNode[rec], t.Line[rec]
	c.Model.Index[row], c.File.Index[row] = texts.model.at(rec), texts.file.at(rec)
	if c.Parameters.Index[row] == trace.None {
		c.Parameters.Index[row] = texts.parameters.at(rec)
	}
	if c.Numa.Index[row] == trace.None {
		c.Numa.Index[row] = texts.numa.at(rec)
	}
}

// recordedTexts are the texts of records that tasks take over.
type recordedTexts struct {
	model, file, parameters, numa *textMap
	access                        accessTexts
}

func (a *assembler) recordedTexts() recordedTexts {
	c, t := &a.out.Task, &a.in.Task
	joined := func(c *trace.Strings) func(string) int32 { // as the trace writes lists
		return func(s string) int32 { return internText(c, strings.ReplaceAll(s, " ", "_")) }
	}
	return recordedTexts{
		model: mapTexts(&t.Model, optional(&c.Model)), file: mapTexts(&t.File, optional(&c.File)),
		parameters: mapTexts(&t.Parameters, joined(&c.Parameters)), numa: mapTexts(&t.Numa, joined(&c.Numa)),
		access: a.accessTexts(),
	}
}

// mergeExecution takes worker and times from a record; a task without either
// is the runtime's own unless it has a codelet of the application.
func (a *assembler) mergeExecution(row int32, rec int) {
	c, t := &a.out.Task, &a.in.Task
	start, end := t.Start[rec], t.End[rec]
	if start == trace.NoTime && end != trace.NoTime {
		start = 0 // StarPU omits times that are exactly 0
	}
	worker := a.workerOf(c.Node[row], t.Worker[rec])
	if start != trace.NoTime && end >= start && worker != trace.None {
		c.Worker[row], c.Start[row], c.End[row] = worker, start, end
		return
	}
	name := t.Name.At(rec)
	if t.Worker[rec] == trace.None && start == trace.NoTime && internalName(name) {
		c.Internal[row] = true
		return
	}
	if start != trace.NoTime && worker == trace.None {
		a.log(trace.Error, "unknown-worker", "a record names a worker that the trace does not have: the task counts as not executed", 1)
	}
}

// internalName tells the runtime's own tasks: data acquire and release,
// unregistration, synchronisation; they have StarPU's names or none.
func internalName(name string) bool {
	return name == "" || strings.HasPrefix(name, "_starpu_") || strings.HasPrefix(name, "starpu_")
}

// workerOf finds a worker by the runtime's number; without a trace that names
// it, it is made up as the records mention it.
func (a *assembler) workerOf(rank, id int32) int32 {
	if id < 0 {
		return trace.None
	}
	if w, ok := a.rank.worker[rank][id]; ok {
		return w
	}
	if a.haveContainers && !a.toInvent[rank] {
		return trace.None
	}
	return a.inventWorker(rank, id)
}

// pruneTaskColumns drops optional columns that say nothing.
func (a *assembler) pruneTaskColumns() {
	c := &a.out.Task
	pruneInts(&c.Subiteration, -1)
	pruneInts(&c.X, trace.NoInt)
	pruneInts(&c.Y, trace.NoInt)
	pruneInts(&c.Line, trace.None)
	pruneInts(&c.MemoryNode, trace.None)
	if !anyOther(c.Node, 0) {
		c.Node = nil
	}
	if !anyOther(c.Tag, 0) {
		c.Tag = nil
	}
	if !anyOther(c.Footprint, 0) {
		c.Footprint = nil
	}
	if !anyOther(c.Bytes, trace.NoSize) {
		c.Bytes = nil
	}
	known := false
	for _, v := range c.GFlop {
		known = known || !math.IsNaN(v)
	}
	if !known {
		c.GFlop = nil
	}
	for _, texts := range []*trace.Strings{&c.Parameters, &c.Model, &c.File, &c.Numa} {
		if !anyOther(texts.Index, trace.None) {
			*texts = trace.Strings{}
		}
	}
}

func pruneInts(c *[]int32, absent int32) {
	if !anyOther(*c, absent) {
		*c = nil
	}
}

func anyOther[T comparable](values []T, absent T) bool {
	for _, v := range values {
		if v != absent {
			return true
		}
	}
	return false
}
