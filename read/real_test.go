package read_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/read"
	"dagscope/trace"
)

// TestRealRuns imports every run of the reference data: no line is lost, the
// tasks are as many as the run's description says, of each kind and on each
// worker, and as many as the runtime's own count of events.
func TestRealRuns(t *testing.T) {
	dirs := testenv.References(t, "data/starpu/*/tasks.rec*")
	if len(dirs) < 25 && testenv.Required(testenv.ReferenceData) {
		t.Fatalf("found %d runs, wanted 25 and more", len(dirs))
	}
	for _, path := range dirs {
		dir := filepath.Dir(path)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			slowFile(t, path)
			run := importRun(t, dir, read.Options{Generation: "none"})
			checkConservation(t, run)
			checkDescription(t, run, dir, decompressed(t, path))
			checkEventCounts(t, run, dir)
			checkWorkerStats(t, run, dir)
			// Where transfers take no time StarPU prints bandwidths of "inf".
			if n := run.Log.Total(trace.Error); n > 0 && !strings.HasSuffix(dir, "-nocost") {
				t.Errorf("the import log has %d errors", n)
			}
		})
	}
}

// slowFile leaves runs with large records to the slow tests.
func slowFile(t *testing.T, path string) {
	t.Helper()
	if info, err := os.Stat(path); err != nil || info.Size() > 150<<10 {
		testenv.Slow(t)
	}
}

// checkConservation wants each line of each source accounted for once, and the
// lines that went to tables of one row a line as rows there.
func checkConservation(t *testing.T, run *trace.Run) {
	t.Helper()
	if why := unbalanced(run); why != "" {
		t.Error(why)
	}
	lines := map[string]int{}
	for i, n := range run.Account.Lines {
		lines[run.Account.Table.At(i)] += int(n)
	}
	if got := len(run.Sample.Time); got != lines["sample"] {
		t.Errorf("%d samples of %d lines", got, lines["sample"])
	}
	if got := len(run.Dep.To); lines["dep"] > 0 && got < lines["dep"]/2 {
		t.Errorf("%d dependencies of %d lines", got, lines["dep"])
	}
}

var (
	executed = regexp.MustCompile(`tasks executed: (\d+) \(([^)]*)\); records in tasks.rec incl. internal/control: (\d+)`)
	starved  = regexp.MustCompile(`(?m)^(CUDA|CPU|OpenCL) (\S+).*\n\t(\d+) task\(s\)`)
)

// checkDescription compares with "tasks executed: 20 (GEMM=4 …); records …".
func checkDescription(t *testing.T, run *trace.Run, dir string, records []byte) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	said := executed.FindSubmatch(text)
	if said == nil {
		t.Fatal("the description does not say how many tasks were executed")
	}
	kinds, total := map[string]int{}, 0
	for i := range run.Task.Start {
		if run.Task.Counted(i) {
			kinds[run.Task.Kind.At(i)]++
			total++
		}
	}
	if total != number(t, said[1]) {
		t.Errorf("%d tasks, wanted %s", total, said[1])
	}
	for _, word := range strings.Fields(string(said[2])) {
		kind, count, _ := strings.Cut(word, "=")
		if kinds[kind] != number(t, []byte(count)) {
			t.Errorf("%d tasks of kind %s, wanted %s", kinds[kind], kind, count)
		}
	}
	fromGraph := 0
	for i, n := range run.Log.Count {
		if strings.HasPrefix(run.Log.Code.At(i), "graph-only-") {
			fromGraph += int(n)
		}
	}
	controls := bytes.Count(records, []byte("\nControl: "))
	if bytes.HasPrefix(records, []byte("Control: ")) {
		controls++
	}
	if got, want := len(run.Task.Start)-fromGraph+controls, number(t, said[3]); got != want {
		t.Errorf("%d task rows, %d of them from the graph alone, and %d Control records, wanted %d records", len(run.Task.Start), fromGraph, controls, want)
	}
}

func number(t *testing.T, b []byte) int {
	t.Helper()
	n, err := strconv.Atoi(string(b))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// startCodeletBody and the like are event codes of the raw trace
// (data/starpu/formats) that occur once per task or push.
const (
	startCodeletBody = "0x5102"
	jobPush          = "0x5104"
)

// checkEventCounts compares with the number of raw events that
// starpu_fxt_tool counted.
func checkEventCounts(t *testing.T, run *trace.Run, dir string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "number_events.data"))
	if err != nil {
		return // written for some runs only
	}
	count := map[string]int{}
	for _, line := range strings.Split(string(text), "\n") {
		if words := strings.Fields(line); len(words) == 2 && strings.HasPrefix(line, "0x") {
			count[words[0]] = number(t, []byte(words[1]))
		}
	}
	ran := 0
	for i, start := range run.Task.Start {
		if start != trace.NoTime && !run.Task.Internal[i] {
			ran++
		}
	}
	if ran != count[startCodeletBody] {
		t.Errorf("%d tasks ran, the raw trace has %d starts", ran, count[startCodeletBody])
	}
	pushes := 0
	push := run.Event.Kind.Find("Task Push")
	for _, kind := range run.Event.Kind.Index {
		if kind == push {
			pushes++
		}
	}
	if pushes != count[jobPush] {
		t.Errorf("%d pushes, the raw trace has %d", pushes, count[jobPush])
	}
}

// checkWorkerStats compares with what the runtime itself counted per worker.
func checkWorkerStats(t *testing.T, run *trace.Run, dir string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "worker_stats.txt"))
	if err != nil {
		return // written for single nodes only
	}
	tasks := map[string]int{}
	for i, w := range run.Task.Worker {
		if run.Task.Counted(i) {
			tasks[run.Resource.Name.At(int(w))]++
		}
	}
	found := starved.FindAllSubmatch(text, -1)
	if len(found) == 0 {
		t.Error("worker_stats.txt names no worker")
	}
	for _, m := range found {
		name := string(m[1]) + strings.ReplaceAll(string(m[2]), ".", "_")
		if tasks[name] != number(t, m[3]) {
			t.Errorf("%d tasks on %s, the runtime counted %s", tasks[name], name, m[3])
		}
	}
}

// TestStarVZSummaries compares zero, makespan, tasks and the sum of their
// durations with what StarVZ computed of the same runs.
func TestStarVZSummaries(t *testing.T) {
	for golden, source := range map[string]string{
		"sg-mirage-n12-dmdas": "starpu/sg-mirage-n12-dmdas", "sg-mirage-n60-dmdas": "starpu/sg-mirage-n60-dmdas",
		"sgmpi-np4-n20-dmdas": "starvz/sgmpi-np4-n20-dmdas/raw", "lu_trace": "starvz/lu_trace/raw", "qr_trace": "starvz/qr_trace/raw",
	} {
		t.Run(golden, func(t *testing.T) {
			if golden == "sg-mirage-n60-dmdas" || golden == "qr_trace" {
				testenv.Slow(t)
			}
			var want struct {
				Summary struct {
					Zero, Makespan, Tasks, Resources, Nodes float64
					SumTask                                 float64 `json:"sum_task_ms"`
				}
			}
			text, err := os.ReadFile(testenv.Reference(t, "data/starvz", golden, "golden.json"))
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text, &want); err != nil {
				t.Fatal(err)
			}
			run := importRun(t, testenv.Reference(t, "data", source), read.Options{})
			checkConservation(t, run)
			tasks, end, sum := 0, int64(0), int64(0)
			for i := range run.Task.Start {
				if run.Task.Counted(i) {
					end = max(end, run.Task.End[i])
				}
				if run.Task.Start[i] != trace.NoTime && !run.Task.Internal[i] && !strings.Contains(run.Task.Kind.At(i), "analysis") {
					// StarVZ counts the tasks that generate a matrix, not those that analyse it.
					tasks++
					sum += run.Task.End[i] - run.Task.Start[i]
				}
			}
			same(t, "zero", float64(run.Meta.Origin)/1e6, want.Summary.Zero)
			same(t, "makespan", float64(end)/1e6, want.Summary.Makespan)
			same(t, "tasks", float64(tasks), want.Summary.Tasks)
			same(t, "sum of durations", float64(sum)/1e6, want.Summary.SumTask)
		})
	}
}

func same(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-6*max(1, math.Abs(want)) {
		t.Errorf("%s is %v, wanted %v", what, got, want)
	}
}
