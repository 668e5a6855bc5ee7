package assemble

import (
	"strconv"

	"dagscope/trace"
)

// Event types of StarPU whose value names a job or a handle.
const (
	taskPush = "Task Push"
	taskPop  = "Task Pop"
)

// requestCreated is an event type of StarPU whose size is a priority.
const requestCreated = "Request Created"

// addSamples takes over the counters.
func (a *assembler) addSamples() {
	s := &a.in.Sample
	for i, c := range s.Container {
		s.Container[i] = a.resource[c]
	}
	a.out.Sample = trace.Samples{Metric: s.Metric, Resource: s.Container, Time: s.Time, Value: s.Value}
	a.in.Sample = Samples{}
}

// addEvents takes over the instants and finds the tasks and handles they name.
func (a *assembler) addEvents() {
	e := &a.in.Event
	for i, c := range e.Container {
		e.Container[i] = a.resource[c]
	}
	request := e.Type.Find(requestCreated)
	for i, b := range e.Bytes {
		switch {
		case e.Type.Index[i] == request && request != trace.None:
			e.Bytes[i] = int64(int32(b)) // a priority; StarPU's converter prints it without its sign
		case b == -1:
			e.Bytes[i] = trace.NoSize
		}
	}
	for i, c := range e.Peer {
		e.Peer[i] = a.at(c)
	}
	ev := &a.out.Event
	*ev = trace.Events{
		Kind: e.Type, Resource: e.Container, Time: e.Time, Value: e.Value, Info: e.Info, Bytes: e.Bytes, Peer: e.Peer,
	}
	ev.Task = a.eventTasks()
	ev.Handle = a.eventHandles()
	a.addControls()
	a.addScheduling()
	a.in.Event = Events{}
	a.pruneEvents()
}

// eventTasks resolves the job of each push and pop.
func (a *assembler) eventTasks() []int32 {
	ev := &a.out.Event
	push, pop := ev.Kind.Find(taskPush), ev.Kind.Find(taskPop)
	tasks := filled(len(ev.Time), trace.None)
	jobs := newRowCache(len(ev.Value.Dict), func(rank, text int32) int32 { return a.findJob(rank, ev.Value.Dict[text]) })
	for i, kind := range ev.Kind.Index {
		if v := ev.Value.Index[i]; v >= 0 && kind >= 0 && (kind == push || kind == pop) {
			tasks[i] = jobs.get(a.rankOf(ev.Resource[i]), v)
		}
	}
	return tasks
}

// findJob finds a task by job id; events of MPI runs leave out the rank that
// all other files put before it.
func (a *assembler) findJob(rank int32, job string) int32 {
	keys := &a.jobs
	for _, name := range []string{job, strconv.Itoa(int(rank)) + "_" + job} {
		if code, ok := keys.Lookup(name); ok {
			if row := a.task.get(code); row != trace.None {
				return row
			}
		}
	}
	return trace.None
}

// handleEvents are the event types whose value is a handle.
var handleEvents = map[string]bool{
	"data registration": true, "data unregistration": true, "data state invalid": true, "data state shared": true,
	"data state owner": true, "data wont use": true,
}

// eventHandles resolves the handle of each event that names one.
func (a *assembler) eventHandles() []int32 {
	ev, e := &a.out.Event, &a.in.Event
	byValue := make([]bool, len(ev.Kind.Dict))
	for i, kind := range ev.Kind.Dict {
		byValue[i] = handleEvents[kind]
	}
	handles := filled(len(ev.Time), trace.None)
	values, named := a.handleCache(ev.Value.Dict), a.handleCache(e.Handle.Dict)
	for i, kind := range ev.Kind.Index {
		cache, text := named, trace.None
		if kind >= 0 && byValue[kind] {
			cache, text = values, ev.Value.Index[i]
		} else if i < len(e.Handle.Index) {
			text = e.Handle.Index[i]
		}
		if text >= 0 {
			handles[i] = cache.get(a.rankOf(ev.Resource[i]), text)
		}
	}
	return handles
}

// handleCache finds the handles whose addresses are in a dictionary.
func (a *assembler) handleCache(dict []string) *rowCache {
	return newRowCache(len(dict), func(rank, text int32) int32 {
		if hexAddress(dict[text]) {
			return a.needHandle(rank, dict[text])
		}
		return trace.None
	})
}

// addEvent appends an event that stands in another file than the trace.
func (a *assembler) addEvent(kind string, resource int32, time int64, value string, task, handle int32) {
	ev := &a.out.Event
	ev.Kind.Append(kind)
	ev.Resource = append(ev.Resource, resource)
	ev.Time = append(ev.Time, time)
	ev.Value.AppendIndex(internText(&ev.Value, value))
	ev.Task = append(ev.Task, task)
	ev.Handle = append(ev.Handle, handle)
	ev.Info.AppendIndex(trace.None)
	ev.Bytes = append(ev.Bytes, trace.NoSize)
	ev.Peer = append(ev.Peer, trace.None)
}

// addControls keeps the orders to the runtime that tasks.rec records, an event
// for each handle: they are part of what the application asked for.
func (a *assembler) addControls() {
	t := &a.in.Task
	lost := 0
	for rec := range t.Rank {
		if t.Control.At(rec) == "" {
			continue
		}
		rank := max(t.Rank[rec], 0)
		node, ok := a.nodeOf(rank)
		if !ok || t.Submit[rec] == trace.NoTime {
			lost++
			continue
		}
		kind := t.Control.At(rec) + " submitted"
		for _, h := range t.Handles.At(rec) {
			name := t.HandleNames.Dict[h]
			a.addEvent(kind, node, t.Submit[rec], name, trace.None, a.needHandle(rank, name))
		}
	}
	a.log(trace.Warning, "control-without-place", "a Control record has no SubmitTime, or a rank that the trace does not have: left out", lost)
	a.in.Task = TaskRecords{}
}

// addScheduling adds pushes and pops of sched_tasks.rec where the trace does
// not have them.
func (a *assembler) addScheduling() {
	s := &a.in.Sched
	ev := &a.out.Event
	if ev.Kind.Find(taskPush) != trace.None {
		a.log(trace.Info, "scheduling-in-both", "a push or pop of sched_tasks.rec is in the trace too: kept once", len(s.Time))
		a.account(schedulingRecord, "log")
		a.in.Sched = SchedRecords{}
		return
	}
	recode := a.jobCodes(&s.Job)
	lost := 0
	for i, push := range s.Push {
		kind := taskPop
		if push {
			kind = taskPush
		}
		code := recode(s.Job.Code[i])
		task := a.task.get(code)
		rank := int32(0)
		if task != trace.None {
			rank = a.out.Task.Node[task]
		}
		node, ok := a.nodeOf(rank)
		if !ok {
			lost++
			continue
		}
		a.addEvent(kind, node, s.Time[i], s.Job.At(i), task, trace.None)
	}
	a.log(trace.Warning, "scheduling-without-place", "a push or pop of sched_tasks.rec is of a rank that the trace does not have: left out", lost)
	a.in.Sched = SchedRecords{}
}

// pruneEvents drops optional columns that say nothing.
func (a *assembler) pruneEvents() {
	ev := &a.out.Event
	pruneInts(&ev.Task, trace.None)
	pruneInts(&ev.Handle, trace.None)
	pruneInts(&ev.Peer, trace.None)
	if !anyOther(ev.Bytes, trace.NoSize) {
		ev.Bytes = nil
	}
	if !anyOther(ev.Info.Index, trace.None) {
		ev.Info = trace.Strings{}
	}
}

// addCounters takes over the hardware counters.
func (a *assembler) addCounters() {
	p := &a.in.Papi
	recode := a.jobCodes(&p.Job)
	c := &a.out.Counter
	lost := 0
	for i, job := range p.Job.Code {
		task := a.task.get(recode(job))
		if task == trace.None {
			lost++
			continue
		}
		c.Task = append(c.Task, task)
		c.Event.Append(p.Event.At(i))
		c.Value = append(c.Value, p.Value[i])
	}
	a.log(trace.Warning, "counter-without-task", "a hardware counter is of a job that nothing else tells of: left out", lost)
	a.in.Papi = PapiRecords{}
}
