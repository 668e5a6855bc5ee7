package assemble

import (
	"fmt"
	"slices"

	"dagscope/trace"
)

// clockTolerance is how far apart two accounts of one instant may be: CSV files
// and some records are rounded to the microsecond.
const clockTolerance = 1000 // ns

// doubts counts the records that contradict the trace.
type doubts struct {
	records             int
	kind, worker, times int
	first               string // what the first of them says
}

// compare sets the record of a traced task against the trace, which wins.
func (a *assembler) compare(row int32, rec int) {
	d, c, t := &a.doubts, &a.out.Task, &a.in.Task
	kind, worker, times := a.otherKind(row, rec), a.otherWorker(row, rec), a.otherTimes(row, rec)
	if !kind && !worker && !times {
		return
	}
	d.records++
	d.kind, d.worker, d.times = d.kind+one(kind), d.worker+one(worker), d.times+one(times)
	if d.first == "" {
		d.first = fmt.Sprintf("task %s is %s on worker %d from %s to %s by its record, %s on %s from %s to %s by the states",
			c.Key.At(int(row)), t.Name.At(rec), t.Worker[rec], milliseconds(t.Start[rec]), milliseconds(t.End[rec]), c.Kind.At(int(row)),
			a.out.Resource.Name.At(int(c.Worker[row])), milliseconds(c.Start[row]), milliseconds(c.End[row]))
	}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

func milliseconds(ns int64) string {
	if ns == trace.NoTime {
		return "an unknown time"
	}
	return fmt.Sprintf("%g ms", float64(ns)/1e6)
}

// otherKind: the record names another kernel. (A task may have a name of its
// own beside that of its model; a trace shows either.)
func (a *assembler) otherKind(row int32, rec int) bool {
	t, kind := &a.in.Task, a.out.Task.Kind.At(int(row))
	name, model := t.Name.At(rec), t.Model.At(rec)
	return name != "" && name != kind && model != kind
}

// otherWorker: the record names a worker on which no piece of the task ran.
func (a *assembler) otherWorker(row int32, rec int) bool {
	w, ok := a.rank.worker[a.out.Task.Node[row]][a.in.Task.Worker[rec]]
	if !ok || w == a.out.Task.Worker[row] {
		return false
	}
	return !slices.Contains(a.workersOf[row], w)
}

// otherTimes: the record's times are others than those of the trace; of a task
// in pieces, outside of them.
func (a *assembler) otherTimes(row int32, rec int) bool {
	c, start, end := &a.out.Task, a.in.Task.Start[rec], a.in.Task.End[rec]
	if start == trace.NoTime || end == trace.NoTime {
		return false
	}
	early, late := c.Start[row]-start, end-c.End[row]
	if len(a.workersOf[row]) > 0 {
		return early > clockTolerance || late > clockTolerance
	}
	return max(early, -early) > clockTolerance || max(late, -late) > clockTolerance
}

func (a *assembler) logDoubts() {
	d := &a.doubts
	a.log(trace.Warning, "record-disagrees", fmt.Sprintf("records of tasks contradict the states of workers, which win (%d in the kind, %d in the worker, %d in times by more than %d ns), first: %s",
		d.kind, d.worker, d.times, clockTolerance, d.first), d.records)
}

// finishOpen takes the ends of tasks that the end of the trace cut off from
// their records, where these know the same start and a later end.
func (a *assembler) finishOpen() {
	open := map[int32]bool{}
	for _, row := range a.in.Unfinished {
		if a.isTask[row] {
			open[a.taskOfExt[a.in.State.Extended[row]]] = true
		}
	}
	a.log(trace.Warning, "unfinished-task", "a task had not ended when the trace did: it ends there, or where its record says", len(open))
	if len(open) == 0 {
		return
	}
	recode := a.jobCodes(&a.in.Task.Job)
	c, t := &a.out.Task, &a.in.Task
	for rec, job := range t.Job.Code {
		row := a.task.get(recode(job))
		if row == trace.None || !open[row] || t.Control.At(rec) != "" || len(a.workersOf[row]) > 0 || t.Start[rec] == trace.NoTime {
			continue
		}
		if d := t.Start[rec] - c.Start[row]; max(d, -d) <= clockTolerance && t.End[rec] > c.End[row] {
			c.End[row] = t.End[rec]
		}
	}
}

// countEarlyStarts notes tasks that started before a predecessor had ended.
// That is for analyses to judge: the graph may name what a scheduler did not
// wait for.
func (a *assembler) countEarlyStarts() {
	d, t := &a.out.Dep, &a.out.Task
	early := make([]bool, len(t.Start))
	n := 0
	for e, to := range d.To {
		from := d.From[e]
		if from == trace.None || d.Via[e] != trace.None || early[to] || t.Start[to] == trace.NoTime || t.End[from] == trace.NoTime {
			continue
		}
		if t.End[from]-t.Start[to] > clockTolerance {
			early[to] = true
			n++
		}
	}
	a.log(trace.Info, "starts-before-predecessor", fmt.Sprintf("a task started more than %d ns before a predecessor ended", clockTolerance), n)
}
