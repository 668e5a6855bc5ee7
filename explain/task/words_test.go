package task

import (
	"slices"
	"strings"
	"testing"

	"dagscope/explain/depend"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// The sentences about runs made by hand. Rows and times of Tiny are drawn in
// package tracetest.
func TestWords(t *testing.T) {
	const row5 = 5 // SYRK 6: ready at 100 with TRSM 3, Scheduling until 110
	for _, c := range []struct {
		name   string
		change func(run *trace.Run)
		row    int32
		want   []string
	}{
		{"first task", nil, 0, []string{
			"Depends on nothing that the run recorded.",
			"Enabled by its submission at -20 ns.",
			"It waited 20 ns from ready to start: 20 ns unexplained.",
			"It was the last dependency of TRSM 3 on CPU0, which started as soon as it had ended."}},
		{"transfer", nil, 1, []string{
			"Started 10 ns after its last input (POTRF 1 on CPU0) had arrived.",
			"Enabled by fetch com_3 of A 0 0, 400 B, RAM → CUDA0, began at 40 ns, arrived at 50 ns.",
			"It waited 10 ns from ready to start: 10 ns transfer.",
			"10 ns transfer (data on its way, as fast as the link allows): fetch com_3 of A 0 0, 400 B, RAM → CUDA0, began at 40 ns, arrived at 50 ns.",
			"It was the last dependency of SYRK 4 on CUDA0_0, which started as soon as it had ended."}},
		{"state", nil, row5, []string{
			"Started 10 ns after its last input (TRSM 3 on CPU0) had arrived.",
			"Enabled by the end of TRSM 3 on CPU0 at 100 ns.",
			"It waited 10 ns from ready to start: 10 ns runtime.",
			"10 ns runtime (the runtime at work): Scheduling on CPU0.",
			"Nothing that the run recorded depends on it."}},
		{"busy, state and nothing", func(run *trace.Run) {
			run.Task.Ready[row5] = 60
			run.State.End[len(run.State.End)-1] = 106
		}, row5, []string{
			"Started 10 ns after its last input (TRSM 3 on CPU0) had arrived, though it counted as ready 40 ns earlier.",
			"It waited 50 ns from ready to start: 40 ns execute, 6 ns runtime, 4 ns unexplained.",
			"40 ns execute (another task ran that had to end first): TRSM 3 on CPU0.",
			"6 ns runtime (the runtime at work): Scheduling on CPU0.",
			"Nothing that the run recorded depends on it."}},
		{"dependency", func(run *trace.Run) {
			run.Task.Ready[row5] = 60
			run.Task.Worker[row5] = 8
		}, row5, []string{
			"Enabled by fetch com_4 of A 2 0, 400 B, RAM → CUDA0, began at 100 ns, arrived at 110 ns.",
			"It waited 50 ns from ready to start: 40 ns execute, 10 ns transfer."}},
		{"never ran", func(run *trace.Run) {
			run.Task.Start[5], run.Task.End[5], run.Task.Worker[5] = trace.NoTime, trace.NoTime, trace.None
		}, row5, []string{
			"Never ran: the trace has no execution of it.",
			"Its last input (TRSM 3 on CPU0) arrived at 100 ns."}},
		{"ready unknown", func(run *trace.Run) { run.Task.Ready[row5] = trace.NoTime }, row5, []string{
			"When it was ready is not known; the delay counts from its last input.",
			"It waited 10 ns after its last input had arrived: 10 ns runtime."}},
		{"nothing known", func(run *trace.Run) { run.Task.Ready[0] = trace.NoTime }, 0, []string{
			"When it could start is not known, so neither is what delayed it."}},
		{"ready after the start", func(run *trace.Run) { run.Task.Ready[row5] = 115 }, row5, []string{
			"By the trace it was ready only 5 ns after its start: the clocks disagree, and there is no delay to divide."}},
		{"started before its input", func(run *trace.Run) { run.Task.Start[row5], run.Task.Ready[row5] = 97, 97 }, row5, []string{
			"Started 3 ns before its last input (TRSM 3 on CPU0) had arrived: clocks disagree, or the edge does not hold it back."}},
		{"submitted late", func(run *trace.Run) { run.Task.Submit[row5], run.Task.Ready[row5] = 104, 104 }, row5, []string{
			"Started 10 ns after its last input (TRSM 3 on CPU0) had arrived, 6 ns after it was ready.",
			"It was submitted only 4 ns after its last input had arrived: the program was behind."}},
		{"generation", func(run *trace.Run) { run.Task.Generation[0] = true }, 0, []string{"Prepares the input; statistics leave it out."}},
		{"suspended", func(run *trace.Run) {
			run.Segment = trace.Segments{Task: []int32{2, 2}, Worker: []int32{10, 10}, Start: []int64{40, 80}, End: []int64{60, 100}}
		}, 2, []string{"Ran in 2 pieces on CPU0, suspended for 20 ns of 60 ns."}},
		{"parallel", func(run *trace.Run) {
			run.Segment = trace.Segments{Task: []int32{2, 2}, Worker: []int32{10, 8}, Start: []int64{40, 40}, End: []int64{100, 100}}
		}, 2, []string{"A parallel task: ran on 2 workers, CPU0, CUDA0_0."}},
		{"elsewhere", func(run *trace.Run) { // the GPU as a CPU: free in [90, 110), half of what SYRK 6 takes
			run.Resource.Arch.Index[8] = run.Resource.Arch.Index[10]
			run.Task.Start[row5], run.Task.Ready[row5] = 105, 90
		}, row5, []string{"It could have started elsewhere: CUDA0_0, the other cpu worker of its node, was without a task all that time."}},
		{"message", func(run *trace.Run) {
			run.Dep.Via = []int32{-1, -1, -1, -1, -1, 3} // com_3 as a message of which TRSM 3 tells nothing
			run.Transfer.Kind.Index[3] = run.Transfer.Kind.Intern(trace.TransferMPI)
		}, row5, []string{"Started 60 ns after its last input (message com_3 of A 0 0, 400 B from MEMMANAGER0 to MEMMANAGER1, sent by TRSM 3 on CPU0) had arrived, 10 ns after it was ready."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := tracetest.Tiny()
			if c.change != nil {
				c.change(run)
			}
			got := task(t, explained(t, run, Options{}), c.row, 0, 0).Words
			for _, want := range c.want {
				if !slices.Contains(got, want) {
					t.Errorf("%q\nis missing in\n%s", want, strings.Join(got, "\n"))
				}
			}
			if c.change == nil && !slices.Equal(got, c.want) {
				t.Errorf("words\n%s", strings.Join(got, "\n"))
			}
		})
	}
}

// Attributes of GEMM 472 of a real run, read off its files.
func TestAttributes(t *testing.T) {
	run := bundled(t, "sg-mirage-n12-dmdas")
	x := explained(t, run, Options{})
	row := run.Task.Key.Find("472")
	got := map[string]string{}
	for _, a := range task(t, x, row, 0, 0).Attributes {
		got[a.Name] = a.Value + a.Unit
		if a.Doc == "" {
			t.Errorf("attribute %s says nothing", a.Name)
		}
	}
	for name, want := range map[string]string{
		"kind": "GEMM", "worker": "CUDA2_0", "start": "347000155ns", "priority": "-3", "iteration": "5", "tag": "0x40000005000b0006",
		"gflop": "1.769472GFlop", "x": "11", "y": "6", "bytes": "11059200bytes", "model": "chol_model_gemm",
		"data 1": "R subA 11 5, 3.69 MB", "data 3": "RW subA 11 6, 3.69 MB", "subiteration": "", "generation": "",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
}

func TestHowEdgesWait(t *testing.T) {
	x := explained(t, tracetest.Tiny(), Options{})
	a := task(t, x, 4, 0, 0)
	if len(a.Predecessors) != 2 || a.Predecessors[0].Key != "3" || !a.Predecessors[0].Last || a.Predecessors[1].Last ||
		a.Predecessors[0].How != "data A 2 0" || a.Predecessors[1].How != "data A 1 0" || *a.Predecessors[1].Slack != 40 {
		t.Errorf("predecessors %+v", a.Predecessors)
	}
	mpi := bundled(t, "nativempi-np2-n8-lws")
	edges := task(t, explained(t, mpi, Options{}), mpi.Task.Key.Find("0_91"), 0, 0).Predecessors
	if len(edges) != 1 || edges[0].How != "task, for mpicom_6" || !edges[0].Last || edges[0].Slack != nil {
		t.Errorf("predecessors %+v", edges)
	}
}

func TestRefusesWhatIsNoTask(t *testing.T) {
	x := explained(t, tracetest.Tiny(), Options{})
	for _, row := range []int32{-1, 6} {
		if _, err := x.Task(row, 1, 1); err == nil || !strings.Contains(err.Error(), "of 6 tasks") {
			t.Errorf("row %d: %v", row, err)
		}
	}
	if _, err := New(tracetest.Tiny(), Options{Outlier: make([]bool, 3)}); err == nil {
		t.Error("outliers of another run are taken")
	}
}

// Among tasks that take as long none is the shortest.
func TestEffortOfTasksThatAreAlike(t *testing.T) {
	run := tracetest.Fork(5, 3)
	x, err := New(run, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for v := range run.Task.Start {
		d, _ := x.Task(int32(v), 0, 0)
		for _, s := range d.Words {
			if strings.HasPrefix(s, "Took") && !strings.Contains(s, ", about the median of ") {
				t.Errorf("task %d: %q", v, s)
			}
		}
	}
	run.Task.End[2]--
	if x, err = New(run, Options{}); err != nil {
		t.Fatal(err)
	}
	if d, _ := x.Task(2, 0, 0); !slices.ContainsFunc(d.Words, func(s string) bool { return strings.Contains(s, ", the shortest of ") }) {
		t.Errorf("words %q", d.Words)
	}
}

// Of the predecessors, the last dependency is first, then whose data came last.
func TestPredecessorsComeLatestFirst(t *testing.T) {
	run := tracetest.Random(4, 300)
	run.Dep.Via = nil
	x, several := explained(t, run, Options{}), 0
	for v := range run.Task.Start {
		all := task(t, x, int32(v), 0, 0).Predecessors
		for i := 2; i < len(all); i++ {
			several++
			if *all[i-1].Slack > *all[i].Slack {
				t.Fatalf("task %d: predecessors %d and %d ended %d and %d ns before it began", v, i-1, i, *all[i-1].Slack, *all[i].Slack)
			}
		}
	}
	if several == 0 {
		t.Error("no task has three predecessors")
	}
}

// A task that began before its input had ended waited only until it began.
func TestDelayEndsWithTheStart(t *testing.T) {
	whole, several := tracetest.Random(4, 60), 0
	last := depend.Find(whole)
	for v, of := range last.Of {
		if of < 0 {
			continue
		}
		run := tracetest.Random(4, 60)
		run.Dep.Via = nil
		run.Transfer = trace.Transfers{}
		run.State = trace.States{}
		end := run.Task.End[of]
		run.Task.Start[v], run.Task.Ready[v] = end-10, end-30
		d := task(t, explained(t, run, Options{Last: last}), int32(v), 0, 0).Delay
		sum := int64(0)
		if d != nil {
			for _, c := range d.Causes {
				sum += c.NS
			}
		}
		if d == nil || d.Total != 20 || sum != 20 {
			t.Errorf("task %d: delay %+v, want 20 ns", v, d)
		}
		several++
	}
	if several < 10 {
		t.Errorf("found %d tasks with a last dependency", several)
	}
}
