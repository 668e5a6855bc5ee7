package assemble

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"dagscope/internal/text"
	"dagscope/trace"
)

// taskRow is the record of a task being read. Byte slices are the reader's and
// hold until the record ends.
type taskRow struct {
	control, job, name, model, file []byte
	parameters, numa                []byte
	line, order, worker, memory     int32
	rank, iteration, subiteration   int32
	priority                        int64
	submit, ready, start, end       int64
	tag                             uint64
	footprint                       uint32
	gflop                           float64
	dependsOn                       []int64
	endDependsOn                    []byte
	handles, modes, sizes           []int64
}

func (t *taskRow) clear() {
	*t = taskRow{line: -1, order: trace.None, worker: trace.None, memory: trace.None, rank: -1,
		iteration: -1, subiteration: -1, priority: trace.NoTime, submit: trace.NoTime, ready: trace.NoTime,
		start: trace.NoTime, end: trace.NoTime, gflop: math.NaN(), dependsOn: t.dependsOn[:0],
		handles: t.handles[:0], modes: t.modes[:0], sizes: t.sizes[:0]}
}

// TaskRows takes the records of tasks.rec or the rows of rec.tasks.csv
// (StarPU 1.3, 1.4 and the next layout; src/debug/traces/starpu_fxt.c).
func (p *Parts) TaskRows(file string) *Rows {
	t := new(taskRow)
	c := &p.Task
	r := newRows(p, file, []field{
		{key: "Control", wanted: "a name", set: bindText(&t.control)},
		{key: "Name", wanted: "a name", set: bindText(&t.name)},
		{key: "Model", wanted: "a name", set: bindText(&t.model)},
		{key: "File", wanted: "a path", set: bindText(&t.file)},
		{key: "Line", wanted: "a line number", set: bindInt32(&t.line)},
		{key: "JobId", wanted: "a job id", set: bindText(&t.job)},
		{key: "SubmitOrder", wanted: "a number from 0 on", set: bindCount(&t.order)},
		{key: "Priority", wanted: "an integer", set: bindInt64(&t.priority)},
		{key: "DependsOn", wanted: "job ids", set: t.setJobs(c)},
		{key: "DepLabels"},
		{key: "Tag", wanted: "a hexadecimal number", set: bindHex(&t.tag)},
		{key: "WorkerId", wanted: "a worker id", set: bindInt32(&t.worker)},
		{key: "MemoryNode", wanted: "a memory node", set: bindInt32(&t.memory)},
		{key: "SubmitTime", wanted: "decimal milliseconds", set: bindMillis(&t.submit)},
		{key: "ReadyTime", wanted: "decimal milliseconds", set: bindMillis(&t.ready)},
		{key: "StartTime", wanted: "decimal milliseconds", set: bindMillis(&t.start)},
		{key: "EndTime", wanted: "decimal milliseconds", set: bindMillis(&t.end)},
		{key: "Footprint", wanted: "a hexadecimal number of 32 bits", set: bindHex32(&t.footprint)},
		{key: "GFlop", wanted: "a decimal number", set: bindFloat(&t.gflop)},
		{key: "Iteration", wanted: "one or more integers", set: t.setIteration},
		{key: "Parameters", wanted: "a layout", set: bindText(&t.parameters)},
		{key: "Handles", wanted: "hexadecimal addresses", set: t.setHandles(c)},
		{key: "Modes", wanted: "access modes", set: t.setModes(c)},
		{key: "Sizes", wanted: "numbers of bytes", set: t.setSizes},
		{key: "NumaNodes", wanted: "numbers", set: bindText(&t.numa)},
		{key: "MPIRank", wanted: "a rank", set: bindRank(&t.rank)},
		{key: "EndDependencies", wanted: "job ids", set: bindText(&t.endDependsOn)},
		// Recursive tasks ("bubbles", 1.4 and next): no table holds nesting.
		{key: "Bubble"}, {key: "ParentBubble"},
		{key: "RecursiveTask"}, {key: "Level"}, {key: "ParentRecursiveTask"},
		{key: "EstimatedTime"}, // of starpu_tasks_rec_complete
	})
	r.clear = t.clear
	r.finish = func(line int64) (Destination, *reject) { return t.append(p, file, line) }
	t.clear()
	return r
}

// setJobs keeps the codes that the names will have in the Job column.
func (t *taskRow) setJobs(c *TaskRecords) func([]byte) bool {
	return func(v []byte) bool {
		t.dependsOn = t.dependsOn[:0]
		return words(v, func(w []byte) bool {
			t.dependsOn = append(t.dependsOn, c.Job.Encode(w))
			return true
		})
	}
}

func (t *taskRow) setHandles(c *TaskRecords) func([]byte) bool {
	return func(v []byte) bool {
		t.handles = t.handles[:0]
		return words(v, func(w []byte) bool {
			t.handles = append(t.handles, int64(c.HandleNames.InternBytes(w)))
			return true
		})
	}
}

// setModes splits at single blanks: StarPU prints an access without any mode
// as nothing.
func (t *taskRow) setModes(c *TaskRecords) func([]byte) bool {
	return func(v []byte) bool {
		t.modes = t.modes[:0]
		for len(v) > 0 {
			word, rest, more := bytes.Cut(v, []byte(" "))
			t.modes = append(t.modes, int64(c.ModeNames.InternBytes(word)))
			if !more {
				break
			}
			v = rest
		}
		return true
	}
}

func (t *taskRow) setSizes(v []byte) bool {
	t.sizes = t.sizes[:0]
	return words(v, func(w []byte) bool {
		n, ok := text.Int(w)
		if !ok {
			n = -1
		}
		t.sizes = append(t.sizes, n)
		return ok
	})
}

// setIteration takes the outer and the inner iteration; StarPU can print four
// levels, of which the model has two.
func (t *taskRow) setIteration(v []byte) bool {
	level := 0
	return words(v, func(w []byte) bool {
		n, ok := text.Int(w)
		ok = ok && n >= -1 && n <= math.MaxInt32
		if ok && level == 0 {
			t.iteration = int32(n)
		} else if ok && level == 1 {
			t.subiteration = int32(n)
		}
		level++
		return ok
	})
}

// append adds the record to the columns.
func (t *taskRow) append(p *Parts, file string, line int64) (Destination, *reject) {
	to := Destination{"task record", "task"}
	if len(t.control) > 0 {
		to = Destination{"Control record", "event"}
	}
	if len(t.job) == 0 {
		return Destination{Record: "record without JobId"},
			&reject{"record-without-job", "found a record without JobId, wanted one: left out"}
	}
	if t.start == trace.NoTime && t.end != trace.NoTime {
		t.start = 0 // StarPU leaves out times that are exactly 0
		p.Log.Add(trace.Info, file, line, "start-time-zero", "found EndTime without StartTime: StarPU leaves out times that are 0")
	}
	if t.start != trace.NoTime && t.end != trace.NoTime && t.end < t.start {
		p.Log.Add(trace.Warning, file, line, "record-ends-first",
			fmt.Sprintf("found EndTime %s before StartTime %s, wanted it after: both left out", milliseconds(t.end), milliseconds(t.start)))
		t.start, t.end = trace.NoTime, trace.NoTime
	}
	t.align(p, file, line)
	c := &p.Task
	c.Control.AppendIndex(c.Control.InternBytes(t.control))
	t.appendJobs(c)
	appendText(&c.Name, t.name)
	appendText(&c.Model, t.model)
	appendText(&c.File, t.file)
	appendText(&c.Parameters, t.parameters)
	appendText(&c.Numa, t.numa)
	c.Line = append(c.Line, t.line)
	c.Order = append(c.Order, t.order)
	c.Priority = append(c.Priority, t.priority)
	c.Tag = append(c.Tag, t.tag)
	c.Worker = append(c.Worker, t.worker)
	c.MemoryNode = append(c.MemoryNode, t.memory)
	c.Rank = append(c.Rank, t.rank)
	c.Submit = append(c.Submit, t.submit)
	c.Ready = append(c.Ready, t.ready)
	c.Start = append(c.Start, t.start)
	c.End = append(c.End, t.end)
	c.Footprint = append(c.Footprint, t.footprint)
	c.GFlop = append(c.GFlop, t.gflop)
	c.Iteration = append(c.Iteration, t.iteration)
	c.Subiteration = append(c.Subiteration, t.subiteration)
	c.Handles.Append(t.handles...)
	c.Modes.Append(t.modes...)
	c.Sizes.Append(t.sizes...)
	if t.end != trace.NoTime {
		p.Horizon = max(p.Horizon, t.end)
	}
	return to, nil
}

// align makes the lists of handles equally long: modes and sizes may be absent
// (Control records), not different.
func (t *taskRow) align(p *Parts, file string, line int64) {
	for _, l := range []*[]int64{&t.modes, &t.sizes} {
		if n := len(*l); n != 0 && n != len(t.handles) {
			p.Log.Add(trace.Warning, file, line, "ragged-handles",
				"found "+strconv.Itoa(n)+" modes or sizes for "+strconv.Itoa(len(t.handles))+" handles, wanted as many: left out")
			*l = (*l)[:0]
		}
	}
}

// appendJobs writes the job ids. Control records and end dependencies name jobs
// without the rank that all else has ("0_5" is job 5 of rank 0): they get it.
func (t *taskRow) appendJobs(c *TaskRecords) {
	var prefix []byte
	if i := bytes.IndexByte(t.job, '_'); i > 0 {
		prefix = t.job[:i+1]
	} else if len(t.control) > 0 && t.rank >= 0 {
		prefix = append(strconv.AppendInt(nil, int64(t.rank), 10), '_')
		t.job = append(bytes.Clone(prefix), t.job...)
	}
	c.Job.Append(t.job)
	c.DependsOn.Append(t.dependsOn...)
	var jobs []int64
	words(t.endDependsOn, func(w []byte) bool {
		if len(prefix) > 0 && bytes.IndexByte(w, '_') < 0 {
			w = append(bytes.Clone(prefix), w...)
		}
		jobs = append(jobs, c.Job.Encode(w))
		return true
	})
	c.EndDependsOn.Append(jobs...)
}

// appendText adds a row of text, None for an empty one.
func appendText(c *trace.Strings, b []byte) {
	if len(b) == 0 {
		c.AppendIndex(trace.None)
		return
	}
	c.AppendIndex(c.InternBytes(b))
}
