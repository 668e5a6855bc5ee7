package decode_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/read/assemble"
	"dagscope/read/fxt/decode"
	"dagscope/read/fxt/layout"
	"dagscope/trace"
)

// body writes the execution of a task on a worker of machine, ending so many ns
// after it began.
func (s *script) body(job, worker, long int) {
	s.add("START_EXECUTING", 100+worker, job)
	s.add("START_CODELET_BODY", job, 0, worker, worker)
	s.add("CODELET_DATA_HANDLE", job, 0xabc0, 400, 1)
	s.add("CODELET_DATA", worker, "M10x10x4")
	s.add("CODELET_DATA_HANDLE", job, 0xabc8, 800, 3)
	s.add("CODELET_DATA", worker, "M20x10x4")
	s.add("CODELET_DATA_HANDLE", job, 0xabd0, 40, 2)
	s.add("CODELET_DATA", worker, "V10x4")
	s.add("CODELET_DETAILS", 0, 1200, 0xff82dda0, 2500000, 0x30002, worker, job)
	s.now += uint64(long)
	s.add("END_CODELET_BODY", job, 1200, 0xff82dda0, worker, 100+worker, "cpu0")
	s.add("END_EXECUTING", 100+worker, job)
}

// row is the row of a job's record, by its name.
func row(t *testing.T, p *assemble.Parts, job string) int {
	t.Helper()
	r := p.Task.Job.Find(job)
	if r < 0 {
		t.Fatalf("found no record of job %s", job)
	}
	return int(r)
}

// jobs names the jobs of a list of codes.
func jobs(p *assemble.Parts, codes []int64) string {
	var names []string
	for _, c := range codes {
		names = append(names, string(p.Task.Job.AppendTo(nil, c)))
	}
	return strings.Join(names, " ")
}

// A task has what its events say, in its record and in its states.
func TestTask(t *testing.T) {
	s := newScript(t, "1.4")
	s.machine(2)
	s.add("DATA_COORDINATES", 0xabc8, 2, 7, 9)
	s.add("DATA_COORDINATES", 0xabd0, 2, 8, 8) // written too, but later
	s.at(500).add("TASK_SUBMIT", 12, 3, -1, 5, -4, 0, 1)
	s.add("TASK_COLOR", 12, 0xc000)
	s.add("TASK_NAME", 12, 1, "GEMM")
	s.add("MODEL_NAME", 12, 1, "gemm_model")
	s.add("TASK_LINE", 12, 42, "chol.c")
	s.at(1000)
	s.body(12, 1, 50)
	p := decodeScripts(t, s)
	c, r := &p.Task, row(t, p, "12")
	got := fmt.Sprint(c.Name.At(r), c.Model.At(r), c.File.At(r), c.Line[r], c.Order[r], c.Priority[r], c.Tag[r], c.Worker[r],
		c.MemoryNode[r], c.Rank[r], c.Submit[r], c.Start[r], c.End[r], c.Footprint[r], c.GFlop[r], c.Iteration[r], c.Subiteration[r],
		c.Parameters.At(r), c.Numa.At(r))
	want := fmt.Sprint("GEMM", "gemm_model", "chol.c", int32(42), int32(5), int64(-4), uint64(0x30002), int32(1),
		int32(1), int32(-1), int64(500), int64(1001), int64(1059), uint32(0xff82dda0), 2.5, int32(3), int32(-1),
		"M10x10x4 M20x10x4 V10x4", "-1 -1 -1")
	if got != want {
		t.Errorf("found record %s, want %s", got, want)
	}
	var accesses []string
	for i, h := range c.Handles.At(r) {
		accesses = append(accesses, fmt.Sprint(c.HandleNames.Dict[h], c.ModeNames.Dict[c.Modes.At(r)[i]], c.Sizes.At(r)[i]))
	}
	if got, want := strings.Join(accesses, ","), fmt.Sprint("abc0", "R", 400)+","+fmt.Sprint("abc8", "RW", 800)+","+fmt.Sprint("abd0", "W", 40); got != want {
		t.Errorf("found accesses %s, want %s", got, want)
	}
	if got, want := spansOf(p, "w1"), "Idle 3 1001 0\nGEMM 1001 1059 0\nIdle 1059 1060 0\n"; !strings.HasSuffix(got, want[strings.IndexByte(want, '\n')+1:]) {
		t.Errorf("found states of the worker\n%swant at the end\n%s", got, want)
	}
	e := &p.Extended
	for i, x := range p.State.Extended {
		if x == trace.None {
			continue
		}
		got := fmt.Sprint(p.State.Kind.At(i), e.Job.At(int(x)), e.Order[x], e.Priority[x], e.Bytes[x], e.Parameters.At(int(x)), e.X[x], e.Y[x], e.GFlop[x], e.Numa.At(int(x)))
		if !strings.HasSuffix(got, fmt.Sprint("12", int32(5), int64(-4), int64(1200), "M10x10x4_M20x10x4_V10x4", int32(7), int32(9), 2.5, "-1_-1_-1")) {
			t.Errorf("found state %s", got)
		}
	}
	if p.Colors["GEMM"] != "#00c000" {
		t.Errorf("found colour %s", p.Colors["GEMM"])
	}
}

// The library's own tasks wait for others by their records, not in the graph,
// unless the graph showed them before.
func TestDependencies(t *testing.T) {
	s := newScript(t, "1.4")
	s.machine(1)
	for job := 1; job <= 5; job++ {
		kind := 0
		if job == 2 || job == 5 {
			kind = 1
		}
		s.add("TASK_SUBMIT", job, -1, -1, job, 0, kind, 1)
	}
	s.add("TASK_DEPS", 1, 2, 1, 1, "task")
	s.add("TASK_DEPS", 2, 3, 0, 1, "ghost")
	s.add("TASK_DEPS", 1, 3, 0, 1, "task")
	s.add("TASK_DEPS", 5, 3, 0, 1, "task")
	s.add("TASK_DEPS", 4, 1, 1, 1, "task") // said to be the library's own when the graph has it already
	s.add("TASK_END_DEP", 3, 4)
	s.add("TAG", 0x1a, 4)
	s.add("TAG_DEPS", 0x1a, 0x2b)
	p := decodeScripts(t, s)
	for job, want := range map[string]string{"1": "4", "2": "1", "3": "2 1 5", "4": ""} {
		if got := jobs(p, p.Task.DependsOn.At(row(t, p, job))); got != want {
			t.Errorf("job %s waits for %q, want %q", job, got, want)
		}
	}
	if got := jobs(p, p.Task.EndDependsOn.At(row(t, p, "4"))); got != "3" {
		t.Errorf("the end of job 4 waits for %q, want 3", got)
	}
	var edges []string
	for i := range p.Edge.From.Code {
		edges = append(edges, p.Edge.From.At(i)+">"+p.Edge.To.At(i))
	}
	if got := strings.Join(edges, " "); got != "1>3 4>1 tag_2b>4" {
		t.Errorf("found edges %s, want 1>3 4>1 tag_2b>4", got)
	}
}

// A parallel task runs on several workers; only one of them tells the details.
func TestParallelTask(t *testing.T) {
	s := newScript(t, "1.4")
	s.machine(2)
	s.add("TASK_SUBMIT", 1, -1, -1, 1, 0, 0, 1)
	s.add("TASK_NAME", 1, 1, "PAR")
	s.at(100).add("START_CODELET_BODY", 1, 0, 0, 0)
	s.add("START_CODELET_BODY", 1, 0, 1, 1)
	s.add("CODELET_DETAILS", 0, 0, 0, 0, 0, 0, 1)
	s.at(150).add("END_CODELET_BODY", 1, 0, 0, 0, 100, "")
	s.add("END_CODELET_BODY", 1, 0, 0, 1, 101, "")
	p := decodeScripts(t, s)
	for _, w := range []string{"w0 PAR 100 150", "w1 PAR 101 151"} {
		alias, span, _ := strings.Cut(w, " ")
		if got := spansOf(p, alias); !strings.Contains(got, span+" 0\n") {
			t.Errorf("found states of %s\n%swant %s", alias, got, span)
		}
	}
	if got := len(p.Extended.Order); got != 1 {
		t.Errorf("found %d states with further fields, want 1", got)
	}
	if r := row(t, p, "1"); !math.IsNaN(p.Task.GFlop[r]) || p.Task.Parameters.At(r) != "nodata" {
		t.Errorf("found GFlop %v and parameters %s, want none and nodata", p.Task.GFlop[r], p.Task.Parameters.At(r))
	}
}

// Where all workers of a parallel task tell details, each state has its own.
func TestDetailsOfEach(t *testing.T) {
	s := newScript(t, "1.4")
	s.machine(2)
	s.add("TASK_NAME", 1, 1, "PAR")
	for w := range 2 {
		s.add("START_CODELET_BODY", 1, 0, w, w)
		s.add("CODELET_DETAILS", 0, 100+w, 0, 0, 0, w, 1)
	}
	p := decodeScripts(t, s)
	if e := p.Extended.Bytes; !slices.Equal(e, []int64{100, 101}) {
		t.Errorf("found sizes %v, want 100 and 101", e)
	}
	for i, x := range p.State.Extended {
		if x >= 0 && p.Container.Alias.At(int(p.State.Container[i])) != fmt.Sprintf("w%d", x) {
			t.Errorf("the details of w%d are at %s", x, p.Container.Alias.At(int(p.State.Container[i])))
		}
	}
}

// What the program does not want seen has no record, and the lists of the
// others stay theirs.
func TestExcluded(t *testing.T) {
	s := newScript(t, "1.4")
	s.machine(1)
	for job := 1; job <= 3; job++ {
		s.add("TASK_SUBMIT", job, -1, -1, job, 0, 0, 1)
		s.add("TASK_NAME", job, 1, fmt.Sprintf("T%d", job))
	}
	s.add("TASK_EXCLUDE_FROM_DAG", 2, 1)
	s.add("TASK_DEPS", 2, 3, 0, 0)
	s.add("DATA_WONT_USE", 0xbeef0, 4, 9, 1)
	s.body(2, 0, 10)
	s.body(3, 0, 10)
	p := decodeScripts(t, s)
	if p.Task.Job.Find("2") != trace.None {
		t.Error("found a record of the excluded job 2")
	}
	if got := jobs(p, p.Task.DependsOn.At(row(t, p, "3"))); got != "2" {
		t.Errorf("job 3 waits for %q, want 2", got)
	}
	c, r := &p.Task, row(t, p, "9")
	if got := c.HandleNames.Dict[c.Handles.At(r)[0]]; c.Control.At(r) != "WontUse" || got != "beef0" || len(c.Modes.At(r)) != 0 {
		t.Errorf("found control %q of %s with modes %v, want WontUse of beef0 without", c.Control.At(r), got, c.Modes.At(r))
	}
	if got := len(c.Handles.At(row(t, p, "3"))); got != 3 {
		t.Errorf("job 3 uses %d data, want 3", got)
	}
}

// NUMA nodes are told datum by datum, after the data.
func TestNuma(t *testing.T) {
	s := newScript(t, "1.4")
	s.machine(1)
	s.add("TASK_SUBMIT", 1, -1, -1, 1, 0, 0, 1)
	s.add("START_CODELET_BODY", 1, 0, 0, 0)
	s.add("CODELET_DATA_HANDLE", 1, 0xabc0, 400, 1)
	s.add("CODELET_DATA_HANDLE", 1, 0xabc8, 400, 2)
	s.add("CODELET_DATA_HANDLE_NUMA_ACCESS", 1, 1, 5)
	s.add("CODELET_DATA_HANDLE_NUMA_ACCESS", 1, 7, 5) // of no datum
	s.add("CODELET_DETAILS", 0, 0, 0, 0, 0, 0, 1)
	p := decodeScripts(t, s)
	if got := p.Task.Numa.At(row(t, p, "1")); got != "-1 0,2" {
		t.Errorf("found NUMA nodes %q, want -1 0,2", got)
	}
	if got := p.Extended.Numa.At(0); got != "-1_0,2" {
		t.Errorf("found NUMA nodes %q, want -1_0,2", got)
	}
}

// States of a scheduling context lie beside those of the worker.
func TestContext(t *testing.T) {
	s := newScript(t, "1.4")
	s.machine(1)
	s.add("TASK_NAME", 1, 1, "A")
	s.at(50).add("START_CODELET_BODY", 1, 3, 0, 0)
	s.add("CODELET_DETAILS", 3, 0, 0, 0, 0, 0, 1)
	s.at(90).add("END_CODELET_BODY", 1, 0, 0, 0, 100, "")
	p := decodeScripts(t, s)
	var got []string
	for i := range p.State.Start {
		if typ := p.State.Type.At(i); typ == "InCtx3" {
			got = append(got, fmt.Sprint(p.State.Kind.At(i), p.State.Start[i], p.State.End[i], p.State.Extended[i]))
		}
	}
	if want := fmt.Sprint("A", 50, 90, 0); len(got) != 1 || got[0] != want {
		t.Errorf("found %q, want %q", got, want)
	}
}

// While the program has switched tracing off, workers have no new states; an
// application's thread that becomes a worker's driver has states of both kinds.
func TestThreads(t *testing.T) {
	s := newScript(t, "1.4")
	s.add("NEW_MEM_NODE", 0, 1)
	s.at(10).add("TASK_SUBMIT_START", 500)
	s.at(20).add("TASK_SUBMIT_END", 500)
	s.at(30).add("WORKER_INIT_START", 0x100, 0, 0, 0, 0, 0, 500)
	s.at(40).add("WORKER_INIT_START", 0x100, 1, 1, 0, 1, 1, 501) // one with its thread
	s.at(50).add("WORKER_INIT_END", 501, 1)
	s.at(60).add("FUT_KEYCHANGE", 1, 0)
	s.at(70).add("WORKER_SLEEP_START", 501)
	s.at(72).add("START_CODELET_BODY", 1, 0, 1, 0)
	s.at(74).add("END_CODELET_BODY", 1, 0, 0, 1, 501, "")
	s.at(80).add("FUT_KEYCHANGE", 0x7fff, 0)
	s.at(82).add("TASK_NAME", 2, 1, "A")
	s.at(85).add("START_CODELET_BODY", 2, 0, 1, 0)
	s.at(88).add("END_CODELET_BODY", 2, 0, 0, 1, 501, "")
	s.at(90).add("WORKER_SLEEP_START", 501)
	s.at(100).add("WORKER_DEINIT_END", 0x100, 501)
	s.at(120).add("EVENT", "later")
	p := decodeScripts(t, s)
	for alias, want := range map[string]string{
		"t500": "Submitting task 10 20 0\nInitializing 30 120 0\n",
		"w1":   "Initializing 40 50 0\nOverhead 50 50 0\nIdle 50 85 0\nA 85 88 0\nOverhead 88 90 0\nSleeping 90 100 0\n",
		"t501": "",
	} {
		if got := spansOf(p, alias); sortLines(got) != sortLines(want) {
			t.Errorf("found states of %s\n%swant\n%s", alias, got, want)
		}
	}
}

func sortLines(s string) string {
	lines := strings.Split(s, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// Events that a version does not have, or with too few words, are counted.
func TestOddEvents(t *testing.T) {
	s := newScript(t, "1.4")
	s.machine(1)
	s.add("WORKER_SLEEP_START")
	s.add("WORKER_SLEEP_START", 100, 7)
	odd := s.events[len(s.events)-1]
	odd.Code = 0x51ff
	s.events = append(s.events, odd, odd)
	p := decodeScripts(t, s)
	var got []string
	for i, n := range p.Log.Count {
		got = append(got, fmt.Sprint(p.Log.Severity.At(i), " ", p.Log.Code.At(i), " ", n))
	}
	want := []string{"warning bad-event 1", "info longer-event 1", "info unknown-event-0x51ff 2"}
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("found log %q, want %q", got, w)
		}
	}
	total := int64(0)
	for _, n := range p.Account.Lines {
		total += n
	}
	if total != int64(len(s.events)) {
		t.Errorf("the account has %d events, want %d", total, len(s.events))
	}
}

// A version that is asked for is taken; one that is not there is an error.
func TestVersionAskedFor(t *testing.T) {
	for _, v := range layout.Versions() {
		s := newScript(t, v.Name)
		s.machine(1)
		if p := decodeScripts(t, s); !strings.HasPrefix(p.Environment["events of StarPU"], v.Name+" (") {
			t.Errorf("StarPU %s: found %q", v.Name, p.Environment["events of StarPU"])
		}
	}
	paths := []string{testenv.Repo("testdata/starpu/native-chol-tiny/fxt/prof_file_root_0.zst")}
	if _, err := decode.Read(paths, decode.Options{Version: "0.9"}); err == nil || !strings.Contains(err.Error(), "1.4") {
		t.Errorf("found %v, want an error that names the versions there are", err)
	}
}

// Hardware counters have PAPI's names, those of the machine their numbers.
func TestCounters(t *testing.T) {
	s := newScript(t, "1.4")
	for _, code := range []int64{0x80000000, 0x80000032, 0x8000003b, 0x80000066, 0x8000006b, 0x40000012, 0x8000006c, 0x80000032} {
		s.add("PAPI_TASK_EVENT_VALUE", code, 4, code+1)
	}
	p := decodeScripts(t, s)
	var names []string
	for i := range p.Papi.Value {
		names = append(names, p.Papi.Event.At(i))
		if p.Papi.Job.At(i) != "4" {
			t.Errorf("found job %s, want 4", p.Papi.Job.At(i))
		}
	}
	want := "PAPI_L1_DCM PAPI_TOT_INS PAPI_TOT_CYC PAPI_FP_OPS PAPI_REF_CYC PAPI 0x40000012 PAPI 0x8000006c PAPI_TOT_INS"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("found counters %s, want %s", got, want)
	}
}
