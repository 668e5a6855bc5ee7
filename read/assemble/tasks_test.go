package assemble

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestTasksOfTraceAndRecords(t *testing.T) {
	p := machine()
	p.task("CPU0", "GEMM", 10, 20, "1")
	p.task("CPU1", "TRSM", 12, 30, "2")
	p.tasks(
		"JobId: 2; Name: trsm_codelet; SubmitOrder: 1; SubmitTime: 0.000005; WorkerId: 0; StartTime: 0.000013; EndTime: 0.000029; Priority: 7",
		"JobId: 3; Name: SYRK; SubmitOrder: 2; WorkerId: 1; StartTime: 0.000030; EndTime: 0.000040",
		"JobId: 4; Name: POTRF; SubmitOrder: 3",
		"JobId: 5; Name: _starpu_data_acquire_cb_pre",
		"JobId: 6",
		"JobId: 7; Name: SYRK; WorkerId: 9; StartTime: 0.000030; EndTime: 0.000040",
		"JobId: 2; Name: again",
	)
	run := p.run(t)
	want(t, "only in the trace", describe(run, "1"), "1 GEMM CPU0 10-20")
	want(t, "in both, the trace wins", describe(run, "2"), "2 TRSM CPU1 12-30")
	want(t, "only in the records", describe(run, "3"), "3 SYRK CPU1 30-40")
	want(t, "never ran", describe(run, "4"), "4 POTRF")
	want(t, "acquire", describe(run, "5"), "5 _starpu_data_acquire_cb_pre internal")
	want(t, "nameless", describe(run, "6"), "6 (unknown) internal")
	want(t, "on a worker that is not", describe(run, "7"), "7 SYRK")
	row := run.Task.Key.Find("2")
	want(t, "what records add", fmt.Sprint(run.Task.Submit[row]+run.Meta.Origin, run.Task.Priority[row], run.Task.Order[row]), "5 7 1")
	for code, n := range map[string]int64{"task-without-record": 1, "task-only-in-records": 1, "task-never-ran": 2,
		"repeated-record": 1, "unknown-worker": 1} {
		logged(t, run, code, n)
	}
}

func TestTasksRunOnWorkersOnly(t *testing.T) {
	p := machine()
	p.container("program", "T0", "Thread", "t1")
	p.task("T0", "GEMM", 5, 9, "1")
	p.task("CPU0", "Executing", 5, 9, "2") // with a job, but the runtime's own
	p.state("CPU0", "InCtx1", "GEMM", 10, 12, "3")
	p.task("CPU0", "GEMM", 10, 12, "3")
	run := p.run(t)
	if n := len(run.Task.Start); n != 1 {
		t.Errorf("found %d tasks, wanted 1", n)
	}
	logged(t, run, "task-outside-worker", 1)
	if row := slices.Index(run.State.Type.Index, run.State.Type.Find("InCtx1")); run.State.Task[row] != 0 {
		t.Error("the state of a context does not name its task")
	}
}

func TestTagsAndNodesOfTheGraphAlone(t *testing.T) {
	p := machine()
	p.task("CPU0", "GEMM", 10, 20, "1")
	p.task("CPU0", "GEMM", 30, 40, "2")
	p.task("CPU0", "GEMM", 50, 60, "3")
	e := p.EdgeRows()
	chain := func(names ...string) bool {
		var b [][]byte
		for _, n := range names {
			b = append(b, []byte(n))
		}
		return e.Chain(b)
	}
	if !chain("tag_7", "task_1", "tag_7") {
		t.Error("a tie is not recognised")
	}
	chain("tag_7", "task_2") // 1 before 2
	chain("task_2", "tag_9") // a tag that no task has
	chain("tag_9", "task_3")
	chain("task_3", "task_3")
	chain("task_1", "task_88")
	e.Close()
	run := p.run(t)
	var deps []string
	for i, to := range run.Dep.To {
		deps = append(deps, run.Task.Key.At(int(run.Dep.From[i]))+">"+run.Task.Key.At(int(to)))
	}
	slices.Sort(deps)
	want(t, "edges", strings.Join(deps, " "), "1>2 1>88 2>tag_9 tag_9>3")
	want(t, "tag", describe(run, "tag_9"), "tag_9 tag internal")
	want(t, "unknown", describe(run, "88"), "88 (unknown) internal")
	logged(t, run, "self-dependency", 1)
}

func TestDependenciesOfRecords(t *testing.T) {
	p := machine()
	p.task("CPU0", "GEMM", 10, 20, "1")
	p.task("CPU0", "GEMM", 30, 40, "2")
	p.task("CPU0", "GEMM", 50, 60, "3")
	p.tasks("JobId: 1", "JobId: 2; DependsOn: 1 2", "JobId: 3; DependsOn: 1 2 99")
	p.edges("1 2", "1 2", "2 3")
	run := p.run(t)
	if n := len(run.Dep.To); n != 4 { // 1>2, 2>3, and of the records 1>3, 99>3
		t.Errorf("found %d edges, wanted 4", n)
	}
	logged(t, run, "duplicate-dependency", 1)
	logged(t, run, "dependency-only-in-records", 2)
}
