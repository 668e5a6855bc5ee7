package assemble

import (
	"fmt"
	"strings"
	"testing"

	"dagscope/trace"
)

// explained is the text of a log entry.
func explained(run *trace.Run, code string) string {
	for i := range run.Log.Count {
		if run.Log.Code.At(i) == code {
			return run.Log.Message.At(i)
		}
	}
	return ""
}

func TestRecordsThatContradictTheTrace(t *testing.T) {
	trace := "JobId: 1; Name: GEMM; Model: GEMM; WorkerId: 0; StartTime: 1; EndTime: 2"
	for _, c := range []struct {
		record, want string
	}{
		{trace, ""},
		{"JobId: 1; Name: mine; Model: GEMM; WorkerId: 0; StartTime: 1.001; EndTime: 1.999", ""}, // a µs is nothing
		{"JobId: 1; WorkerId: 7", ""}, // a worker that the trace does not have is no contradiction
		{strings.ReplaceAll(trace, "GEMM", "SYRK"), "(1 in the kind, 0 in the worker, 0 in times"},
		{strings.ReplaceAll(trace, "WorkerId: 0", "WorkerId: 1"), "(0 in the kind, 1 in the worker, 0 in times"},
		{strings.ReplaceAll(trace, "EndTime: 2", "EndTime: 2.0011"), "(0 in the kind, 0 in the worker, 1 in times"},
		{strings.ReplaceAll(trace, "StartTime: 1", "StartTime: 0.9"), "first: task 1 is GEMM on worker 0 from 0.9 ms to 2 ms by its record, GEMM on CPU0 from 1 ms to 2 ms by the states"},
	} {
		p := machine()
		p.task("CPU0", "GEMM", 1*ms, 2*ms, "1")
		p.task("CPU0", "GEMM", 2*ms, 3*ms, "2")
		p.tasks(c.record, strings.ReplaceAll(trace, "1", "2")+"; EndTime: 3")
		run := p.run(t)
		want(t, "the trace wins", describe(run, "1"), fmt.Sprintf("1 GEMM CPU0 %d-%d", 1*ms, 2*ms))
		if got := explained(run, "record-disagrees"); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: found %q, wanted %q", c.record, got, c.want)
		}
	}
}

// TestRecordsOfTasksInPieces name one of the workers and lie within the pieces.
func TestRecordsOfTasksInPieces(t *testing.T) {
	for record, n := range map[string]int64{
		"WorkerId: 1; StartTime: 1; EndTime: 2":     0,
		"WorkerId: 0; StartTime: 1.2; EndTime: 1.7": 0,
		"WorkerId: 1; StartTime: 1; EndTime: 2.1":   1,
	} {
		p := machine()
		p.task("CPU0", "GEMM", 1*ms, 2*ms, "1")
		p.task("CPU1", "GEMM", 1*ms, 2*ms, "1")
		p.tasks("JobId: 1; Name: GEMM; " + record)
		logged(t, p.run(t), "record-disagrees", n)
	}
}

func TestTasksThatNeverEnded(t *testing.T) {
	p := machine()
	for i, job := range []string{"1", "2"} {
		p.task([]string{"CPU0", "CPU1"}[i], "GEMM", 1*ms, 4*ms, job)
		p.Unfinished = append(p.Unfinished, int32(len(p.State.Start)-1))
	}
	p.tasks("JobId: 1; Name: GEMM; WorkerId: 0; StartTime: 1; EndTime: 9")
	run := p.run(t)
	want(t, "with a record", describe(run, "1"), fmt.Sprintf("1 GEMM CPU0 %d-%d", 1*ms, 9*ms))
	want(t, "without one", describe(run, "2"), fmt.Sprintf("2 GEMM CPU1 %d-%d", 1*ms, 4*ms))
	logged(t, run, "unfinished-task", 2)
	logged(t, run, "record-disagrees", 0)
}

func TestRecordsThatEndFirst(t *testing.T) {
	p := machine()
	p.task("CPU0", "GEMM", 1*ms, 2*ms, "1")
	p.tasks("JobId: 1; Name: GEMM; WorkerId: 0; StartTime: 9; EndTime: 5", "JobId: 2; Name: GEMM; WorkerId: 0; StartTime: 9; EndTime: 8.5")
	run := p.run(t)
	logged(t, run, "record-ends-first", 2)
	logged(t, run, "record-disagrees", 0)
	want(t, "without a trace", describe(run, "2"), "2 GEMM")
}

func TestStartsBeforePredecessor(t *testing.T) {
	p := machine()
	p.task("CPU0", "A", 1*ms, 2*ms, "1")
	p.task("CPU1", "B", 2*ms-1000, 3*ms, "2") // rounding
	p.task("CPU0", "C", 2*ms, 4*ms, "3")
	p.edges("1 2", "2 3", "1 3")
	run := p.run(t)
	logged(t, run, "starts-before-predecessor", 1)
}

func TestTasksNamedLikeStates(t *testing.T) {
	p := machine()
	p.task("CPU0", "Idle", 1*ms, 2*ms, "1")
	p.task("CPU0", wrapper, 2*ms, 3*ms, "2") // StarPU's own: nothing to say
	p.task("CPU0", "GEMM", 3*ms, 4*ms, "3")
	run := p.run(t)
	logged(t, run, "task-named-as-state", 1)
	if n := len(run.Task.Start); n != 1 {
		t.Errorf("found %d tasks, wanted 1", n)
	}
}

// TestSmallestPriority: the smallest integer stands for "unknown" in the model.
func TestSmallestPriority(t *testing.T) {
	p := machine()
	p.task("CPU0", "GEMM", 1*ms, 2*ms, "1")
	p.Extended.Priority[0] = -1 << 31
	run := p.run(t)
	if got := run.Task.Priority[0]; got != -1<<31+1 {
		t.Errorf("found priority %d, wanted the smallest that is a number", got)
	}
	logged(t, run, "priority-range", 1)
}

// TestPiecesOnTwoNodes are two accounts of different runs put together.
func TestPiecesOnTwoNodes(t *testing.T) {
	p := ranks(2, 1)
	p.task("0_CPU0", "GEMM", 1*ms, 2*ms, "1")
	p.task("1_CPU0", "GEMM", 1*ms, 2*ms, "1")
	run := p.run(t)
	logged(t, run, "task-in-two-places", 1)
	if n := len(run.Segment.Task); n != 0 {
		t.Errorf("found %d segments, wanted none", n)
	}
}
