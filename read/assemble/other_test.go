package assemble

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"dagscope/trace"
)

func TestMessages(t *testing.T) {
	p := ranks(3, 1)
	p.task("0_CPU0", "A", 10, 20, "0_1")
	p.task("0_CPU0", "B", 20, 25, "0_2")
	p.task("1_CPU0", "C", 50, 60, "1_1")
	p.task("1_CPU0", "D", 60, 61, "1_2")
	p.link("0_mpict", "1_mpict", 26, 40, 5, "mpicom_0")
	p.edges("0_1 mpi_5_0", "0_2 mpi_5_0", "mpi_5_0 1_1", "mpi_5_0 1_2", "0_1 mpi_6_3", "mpi_5_0 mpi_6_3", "mpicom_9 1_2")
	p.comms(
		"Src: 0; Dst: 1; Tag: 5; SendTime: 0.000026; RecvTime: 0.000040; SendJobId: 0_2; RecvJobId: 1_1; Size: 8; SendHandle: aa10",
		"Src: 0; Dst: 2; Tag: 8; SendTime: 0.000030; RecvTime: 0.000045; Size: 16",
		"Dst: 2; Tag: 8",
	)
	run := p.run(t)
	var deps []string
	for i, to := range run.Dep.To {
		from := "?"
		if f := run.Dep.From[i]; f != trace.None {
			from = run.Task.Key.At(int(f))
		}
		deps = append(deps, from+">"+run.Task.Key.At(int(to))+" via "+run.Transfer.Key.At(int(run.Dep.Via[i])))
	}
	slices.Sort(deps)
	want(t, "edges", strings.Join(deps, ", "), "0_1>1_1 via mpicom_0, 0_1>1_2 via mpicom_0, 0_2>1_1 via mpicom_0, 0_2>1_2 via mpicom_0, ?>1_2 via mpicom_9")
	row := run.Transfer.Key.Find("mpicom_0")
	want(t, "send task", run.Task.Key.At(int(run.Transfer.SendTask[row])), "0_2")
	want(t, "receive task", run.Task.Key.At(int(run.Transfer.RecvTask[row])), "1_1")
	want(t, "handle", run.Handle.Key.At(int(run.Transfer.Handle[row])), "aa10")
	if n := len(run.Transfer.Start); n != 4 { // mpicom_0, that of comms.rec alone, two of the graph alone
		t.Errorf("found %d transfers, wanted 4", n)
	}
	if ready := run.Task.Ready[run.Task.Key.Find("1_1")] + run.Meta.Origin; ready != 40 {
		t.Errorf("the receiver is ready at %d, wanted 40, when the message arrived", ready)
	}
	for code, n := range map[string]int64{"message-to-message": 1, "message-only-in-graph": 2, "message-without-link": 1,
		"message-without-successor": 1, "record-without-ranks": 1} {
		logged(t, run, code, n)
	}
}

func TestCommunicationsWithoutTrace(t *testing.T) {
	p := newSmall()
	p.tasks("JobId: 0_1; Name: A; WorkerId: 0; StartTime: 0.00001; EndTime: 0.00002; MPIRank: 0",
		"JobId: 1_1; Name: B; WorkerId: 3; StartTime: 0.00005; EndTime: 0.00006; MPIRank: 1")
	p.comms("Src: 0; Dst: 1; Tag: 5; SendTime: 0.000021; RecvTime: 0.00004; SendJobId: 0_1; RecvJobId: 1_1; Size: 8")
	run := p.run(t)
	want(t, "invented worker", describe(run, "1_1"), "1_1 B 1_worker3 50-60")
	if from := run.Transfer.From[0]; run.Resource.Name.At(int(from)) != "0_mpict" {
		t.Errorf("the message is sent by %s", run.Resource.Name.At(int(from)))
	}
}

// TestForeignRanks: records of other ranks beside the trace of one node.
func TestForeignRanks(t *testing.T) {
	p := machine()
	p.task("CPU0", "GEMM", 10, 20, "1")
	p.comms("Src: 0; Dst: 1; Tag: 5; SendTime: 0.000021; RecvTime: 0.00004; Size: 8")
	p.tasks("Control: WontUse; JobId: 7; SubmitTime: 0.00001; Handles: abcd; MPIRank: 3", "JobId: 3_5; Name: X; MPIRank: 3")
	run := p.run(t)
	logged(t, run, "message-of-other-run", 1)
	logged(t, run, "control-without-place", 1)
	if n := len(run.Transfer.Start) + len(run.Event.Time); n != 0 {
		t.Errorf("found %d transfers and events, wanted none", n)
	}
}

func TestRanksThatCannotBe(t *testing.T) {
	p := ranks(1, 1)
	p.task("0_CPU0", "A", 10, 20, "0_1")
	p.comms("Src: 1000000000; Dst: 0; Tag: 5; SendTime: 0.000021; RecvTime: 0.00004; Size: 8")
	p.tasks("JobId: 99999999_4; MPIRank: 99999999; Name: B")
	run := p.run(t)
	for _, nodes := range [][]int32{run.Resource.Node, run.Task.Node} {
		for _, node := range nodes {
			if node > 0 {
				t.Errorf("found rank %d, wanted 0 only", node)
			}
		}
	}
	logged(t, run, "bad-value-Src", 1)
	logged(t, run, "bad-value-MPIRank", 1)
}

func TestPaddedRanks(t *testing.T) {
	p := ranks(11, 2) // 00_CPU0 … 10_CPU0
	p.task("00_CPU0", "A", 10, 20, "00_5")
	p.task("10_CPU0", "B", 30, 40, "10_5")
	p.tasks("JobId: 0_5; SubmitOrder: 3; SubmitTime: 0.000004; MPIRank: 0", "JobId: 10_5; DependsOn: 0_5; MPIRank: 10")
	run := p.run(t)
	if n := len(run.Task.Start); n != 2 {
		t.Fatalf("found %d tasks, wanted 2: padded ranks are the same", n)
	}
	want(t, "the record's submission", fmt.Sprint(run.Task.Submit[0]+run.Meta.Origin), "4")
	if len(run.Dep.To) != 1 || run.Dep.From[0] != 0 || run.Dep.To[0] != 1 {
		t.Errorf("found edges %v to %v", run.Dep.From, run.Dep.To)
	}
}

func TestReady(t *testing.T) {
	build := func(push bool, edges ...string) *trace.Run {
		p := machine()
		p.task("CPU0", "A", 10, 20, "1")
		p.task("CPU0", "B", 30, 40, "2")
		if push {
			p.event("program", "Task Push", 26, "2")
			p.event("program", "Task Push", 24, "2")
			p.event("program", "Task Push", 24, "none")
		}
		p.tasks("JobId: 1; SubmitTime: 0.000007", "JobId: 2; SubmitTime: 0.000008", "JobId: 9; Name: _starpu_x; DependsOn: 1")
		p.edges(edges...)
		return p.run(t)
	}
	ready := func(run *trace.Run, job string) int64 {
		return run.Task.Ready[run.Task.Key.Find(job)] + run.Meta.Origin
	}
	if got := ready(build(true, "1 2"), "2"); got != 24 {
		t.Errorf("found %d, wanted the first push, 24", got)
	}
	if got := ready(build(false, "1 2"), "2"); got != 20 {
		t.Errorf("found %d, wanted the end of the predecessor, 20", got)
	}
	if got := ready(build(false, "9 2"), "2"); got != 20 {
		t.Errorf("found %d, wanted 20 through the internal task", got)
	}
	if got := ready(build(false), "2"); got != 8 {
		t.Errorf("found %d, wanted the submission, 8", got)
	}
	cyclic := build(false, "1 2", "2 1")
	logged(t, cyclic, "cyclic-graph", 1)
	if got := cyclic.Task.Ready[cyclic.Task.Key.Find("2")]; got != trace.NoTime {
		t.Errorf("found ready %d in a cycle, wanted none", got)
	}
}

func TestHandles(t *testing.T) {
	p := ranks(2, 1)
	p.task("0_CPU0", "A", 10, 20, "0_1")
	p.task("1_CPU0", "A", 10, 20, "1_1")
	rows := p.DataRows("data.rec")
	p.record(rows, "Handle: aa00; MPIRank: 0; Size: 8; Coordinates: 3 4; Name: first")
	p.record(rows, "Handle: aa00; MPIRank: 0; Size: 16; Name: second")
	p.record(rows, "Handle: aa00; MPIRank: 1; Size: 32; Name: other")
	p.record(rows, "Size: 4")
	rows.Close()
	p.tasks("JobId: 0_1; MPIRank: 0; Handles: aa00 0 bb00; Modes: R W RW; Sizes: 16 8 8",
		"JobId: 1_1; MPIRank: 1; Handles: aa00; Modes: R W")
	run := p.run(t)
	var uses []string
	a := &run.Access
	for i, task := range a.Task {
		h := int(a.Handle[i])
		uses = append(uses, fmt.Sprintf("%s %s(%s) %s", run.Task.Key.At(int(task)), run.Handle.Key.At(h), run.Handle.Name.At(h), a.Mode.At(i)))
	}
	want(t, "accesses", strings.Join(uses, ", "), "0_1 aa00(second) R, 0_1 bb00() RW, 1_1 aa00(other) ")
	want(t, "coordinates", fmt.Sprint(run.Handle.X[0], run.Handle.Y[0]), "3 4")
	for code, n := range map[string]int64{"address-used-again": 1, "handle-without-record": 1, "access-without-handle": 1,
		"record-without-handle": 1, "ragged-handles": 1} {
		logged(t, run, code, n)
	}
}

func TestControlRecords(t *testing.T) {
	p := machine()
	p.task("CPU0", "A", 10, 20, "1")
	p.tasks("Control: WontUse; JobId: 5; SubmitTime: 0.000015; Handles: aa00 bb00; MPIRank: -1", "Control: WontUse; JobId: 6; Handles: aa00")
	run := p.run(t)
	if n := len(run.Event.Time); n != 2 || run.Event.Kind.At(0) != "WontUse submitted" || run.Event.Handle[1] == trace.None {
		t.Errorf("found %d events of kind %q, wanted one per handle", n, run.Event.Kind.At(0))
	}
	if len(run.Task.Start) != 1 {
		t.Errorf("found %d tasks, wanted 1: Control records are none", len(run.Task.Start))
	}
	logged(t, run, "control-without-place", 1)
	a := &run.Account
	want(t, "account", a.Record.At(0)+" to "+a.Table.At(0), "Control record to event")
}

func TestSchedulingRecords(t *testing.T) {
	for _, traced := range []bool{false, true} {
		p := machine()
		p.task("CPU0", "A", 10, 20, "1")
		if traced {
			p.event("program", "Task Push", 6, "1")
		}
		rows := p.SchedRows("sched_tasks.rec")
		p.record(rows, "Type: push; Time: 0.000005; JobId: 1")
		p.record(rows, "Type: pop; Time: 0.000008; JobId: 1")
		rows.Close()
		run := p.run(t)
		events, table, code := 2, "event", ""
		if traced { // what the trace has wins
			events, table, code = 1, "log", "scheduling-in-both"
		}
		if n := len(run.Event.Time); n != events {
			t.Errorf("found %d events, wanted %d", n, events)
		}
		want(t, "account", run.Account.Table.At(0), table)
		if code != "" {
			logged(t, run, code, 2)
		}
	}
}

func TestPrioritiesOutOfRange(t *testing.T) {
	p := machine()
	p.task("CPU0", "A", 10, 20, "1")
	p.task("CPU0", "A", 20, 30, "2")
	p.tasks("JobId: 1; Priority: 99999999999; SubmitOrder: -4", "JobId: 2; Priority: -99999999999; SubmitOrder: 1e3")
	run := p.run(t)
	want(t, "priorities", fmt.Sprint(run.Task.Priority[0], run.Task.Priority[1]), fmt.Sprint(math.MaxInt32, math.MinInt32+1))
	logged(t, run, "priority-range", 2)
	logged(t, run, "bad-value-SubmitOrder", 2)
}

func TestContainersOutOfPlace(t *testing.T) {
	p := newSmall()
	p.container("", "0_program", "Program", "0_p")
	p.container("", "1_program", "Program", "1_p") // two roots
	p.container("0_program", "1_CPU0", "Worker", "1_w0")
	p.container("0_program", "all", "MPI Program", "r") // the whole run inside of a node
	p.container("all", "0_CPU1", "Worker", "0_w1")
	p.container("1_program", "1_CPU9", "Worker", "1_w9") // a ghost
	p.container("1_program", "1_CPU8", "Worker", "1_w8") // named by records only
	p.state("1_CPU0", WorkerState, "Idle", 0, 9, "")
	p.state("0_CPU1", WorkerState, "Idle", 0, 9, "")
	p.tasks("JobId: 1_4; Name: A; WorkerId: 8; StartTime: 0.00001; EndTime: 0.00002; MPIRank: 1")
	run := p.run(t)
	place := func(name string) string {
		r := &run.Resource
		for i := range r.Parent {
			if r.Name.At(i) == name {
				return fmt.Sprintf("%s %d", r.Level.At(i), r.Node[i])
			}
		}
		return "none"
	}
	for name, wanted := range map[string]string{"1_CPU0": "worker 0", "root": "cluster -1", "all": "other 0", "1_CPU9": "other 1", "1_CPU8": "worker 1", "0_CPU1": "worker 0"} {
		want(t, name, place(name), wanted)
	}
	want(t, "task of a worker without states", describe(run, "1_4"), "1_4 A 1_CPU8 10-20")
	for code, n := range map[string]int64{"rank-of-other-node": 1, "cluster-in-node": 1, "worker-without-states": 1} {
		logged(t, run, code, n)
	}
}

// TestRanksThatTakeTurns: a million events of two ranks by turns on a
// dictionary of a hundred thousand values must not take their product.
func TestRanksThatTakeTurns(t *testing.T) {
	p := ranks(2, 1)
	for i := range 100_000 {
		p.event([]string{"0_program", "1_program"}[i%2], "Task Push", int64(i), fmt.Sprint(i))
		p.event([]string{"1_program", "0_program"}[i%2], "data registration", int64(i), fmt.Sprintf("%x", 0xa0000+i))
	}
	run := p.run(t)
	if n := len(run.Handle.Node); n != 100_000 {
		t.Errorf("found %d handles, wanted 100000", n)
	}
}
