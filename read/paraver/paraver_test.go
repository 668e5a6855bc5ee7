package paraver

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/internal/budget"
	"dagscope/internal/testenv"
	"dagscope/internal/text"
	"dagscope/read/format"
	"dagscope/trace"
)

const nosvLabels = `STATES_COLOR
0   {  0,   0,   0}

EVENT_TYPE
0 10         nOS-V task ID of the RUNNING thread
VALUES

EVENT_TYPE
0 11         nOS-V task type of the RUNNING thread
VALUES
1423278814 main
1894259209 potrf
280212491 trsm

EVENT_TYPE
0 15         nOS-V task body ID of the RUNNING thread
VALUES

EVENT_TYPE
0 13         nOS-V subsystem of the RUNNING thread
VALUES
11   Task: In body
`

const nosvRows = "LEVEL NODE SIZE 1\nh\n\nLEVEL THREAD SIZE 3\n CPU 0.0\n CPU 0.1\nvCPU 0.*\n"

// nosvTrace has task 2, which is paused and goes on elsewhere, task 3, whose
// instant of five records is as ovni writes it, and the runtime's main.
const nosvTrace = `#Paraver (19/01/38 at 03:14):00000000000000001000_ns:0:1:1(3:1)
2:0:1:1:3:0:10:1
2:0:1:1:3:0:11:1423278814
2:0:1:1:3:0:15:1
2:0:1:1:1:100:13:11
2:0:1:1:1:100:15:1
2:0:1:1:1:100:10:2
2:0:1:1:1:100:11:1894259209
2:0:1:1:1:200:10:0
2:0:1:1:1:200:11:0
2:0:1:1:1:200:13:0
2:0:1:1:2:300:10:2
2:0:1:1:2:300:11:1894259209
2:0:1:1:2:300:15:1
2:0:1:1:2:350:15:1
2:0:1:1:2:350:10:3
2:0:1:1:2:350:11:280212491
2:0:1:1:2:500:10:0
`

func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

//go:embed testdata/extrae/trace.pcf
var extraeLabels string

// extraeTrace has task 2 inside task 1, creation links, a message and counters.
//
//go:embed testdata/extrae/trace.prv
var extraeTrace string

func nosv() map[string]string {
	return map[string]string{"cpu.prv": nosvTrace, "cpu.pcf": nosvLabels, "cpu.row": nosvRows}
}

func extrae() map[string]string {
	return map[string]string{"trace.prv": extraeTrace, "trace.pcf": extraeLabels}
}

func readDirectory(t testing.TB, dir string) *trace.Run {
	t.Helper()
	run, err := Format().Read(&format.Input{Paths: []string{dir}}, format.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Validate(); err != nil {
		t.Fatal(err)
	}
	if why := unaccounted(run); why != "" {
		t.Error(why)
	}
	return run
}

func unaccounted(run *trace.Run) string {
	for _, s := range run.Meta.Sources {
		n := int64(0)
		for i, lines := range run.Account.Lines {
			if run.Account.Source.At(i) == filepath.Base(s.Path) {
				n += lines
			}
		}
		if n != s.Lines {
			return fmt.Sprintf("%s: found %d lines in the account, want %d", s.Path, n, s.Lines)
		}
	}
	return ""
}

// tasksOf lists the tasks and pieces as text.
func tasksOf(run *trace.Run) (all []string) {
	k := &run.Task
	for i := range k.Start {
		s := fmt.Sprintf("%s %s on %s %d-%d", k.Key.At(i), k.Kind.At(i), run.Resource.Name.At(int(k.Worker[i])), k.Start[i]+run.Meta.Origin, k.End[i]+run.Meta.Origin)
		for j, of := range run.Segment.Task {
			if int(of) == i {
				s += fmt.Sprintf(" [%s %d-%d]", run.Resource.Name.At(int(run.Segment.Worker[j])), run.Segment.Start[j]+run.Meta.Origin, run.Segment.End[j]+run.Meta.Origin)
			}
		}
		all = append(all, s)
	}
	return all
}

func wantTasks(t *testing.T, run *trace.Run, want ...string) {
	t.Helper()
	if got := strings.Join(tasksOf(run), "\n"); got != strings.Join(want, "\n") {
		t.Errorf("found tasks\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

func logged(run *trace.Run, code string) (n int64) {
	for i := range run.Log.Count {
		if run.Log.Code.At(i) == code {
			n += run.Log.Count[i]
		}
	}
	return n
}

func TestNOSV(t *testing.T) {
	run := readDirectory(t, write(t, nosv()))
	wantTasks(t, run,
		"2 potrf on CPU 0.0 100-350 [CPU 0.0 100-200] [CPU 0.1 300-350]",
		"3 trsm on CPU 0.1 350-500")
	// The runtime's main ran on no CPU: it is a state, and its row no worker.
	level := map[string]string{}
	for i := range run.Resource.Parent {
		level[run.Resource.Name.At(i)] = run.Resource.Level.At(i)
	}
	if level["vCPU 0.*"] != trace.LevelThread || level["CPU 0.0"] != trace.LevelWorker {
		t.Errorf("found levels %v, want the virtual CPU a thread and CPUs workers", level)
	}
	var states []string
	for i := range run.State.Start {
		states = append(states, fmt.Sprintf("%s %s %s %d-%d", run.Resource.Name.At(int(run.State.Resource[i])), run.State.Type.At(i), run.State.Kind.At(i), run.State.Start[i]+run.Meta.Origin, run.State.End[i]+run.Meta.Origin))
	}
	if got, want := strings.Join(states, "; "), "CPU 0.0 nOS-V subsystem of the RUNNING thread Task: In body 100-200; vCPU 0.* Task of the runtime main 0-500"; got != want {
		t.Errorf("found states %s, want %s", got, want)
	}
	if logged(run, "unfinished-task") != 1 || len(run.Dep.From) != 0 {
		t.Errorf("found %d unfinished tasks and %d dependencies, want 1 and 0", logged(run, "unfinished-task"), len(run.Dep.From))
	}
}

func TestExtrae(t *testing.T) {
	run := readDirectory(t, write(t, extrae()))
	wantTasks(t, run,
		"0_1 chol.c:7 on THREAD 1.1.2 3000-8000 [THREAD 1.1.2 3000-4000] [THREAD 1.1.2 5000-8000]",
		"0_2 chol.c:7 main._omp_fn.2 on THREAD 1.1.2 4000-5000",
		"1_1 chol.c:7 on THREAD 1.2.1 6000-9000")
	if run.Task.File.At(0) != "/src/chol.c" || run.Task.Line[0] != 7 || run.Task.Model.At(0) != "main._omp_fn.1" {
		t.Errorf("found %s:%d %s, want /src/chol.c:7 main._omp_fn.1", run.Task.File.At(0), run.Task.Line[0], run.Task.Model.At(0))
	}
	x := &run.Transfer
	if len(x.Start) != 1 || x.Kind.At(0) != trace.TransferMPI || x.Bytes[0] != 4096 || x.Tag[0] != 11 || x.Start[0]+run.Meta.Origin != 5000 || x.End[0]+run.Meta.Origin != 7000 {
		t.Errorf("found transfers %+v, want one message of 4096 bytes with tag 11 from 5 to 7 µs: links of creation are none", x)
	}
	created := map[string]int64{}
	for i, task := range run.Event.Task {
		if task >= 0 {
			created[run.Task.Key.At(int(task))] = run.Event.Time[i] + run.Meta.Origin
		}
	}
	if len(created) != 2 || created["0_1"] != 0 || created["0_2"] != 1000 {
		t.Errorf("found creations %v, want tasks 0_1 at 0 and 0_2 at 1000", created)
	}
	if n := len(run.Sample.Time); n != 2 {
		t.Errorf("found %d samples, want 2", n)
	}
}

// TestGeneric reads a trace of which no label is known.
func TestGeneric(t *testing.T) {
	files := extrae()
	files["trace.pcf"] = "STATES\n1 Running\nEVENT_TYPE\n9 42000050 Instructions\nEVENT_TYPE\n9 77 Phase of work\nVALUES\n3 three\n"
	run := readDirectory(t, write(t, files))
	if len(run.Task.Start) != 0 || len(run.Transfer.Start) != 2 || len(run.State.Start) == 0 || len(run.Event.Time) == 0 || run.Meta.Environment["paraver dialect"] != "generic" {
		t.Errorf("found %d tasks, %d transfers, %d states, %d events, want none, 2, and some", len(run.Task.Start), len(run.Transfer.Start), len(run.State.Start), len(run.Event.Time))
	}
}

func TestDamage(t *testing.T) {
	for _, c := range []struct {
		name, damage string
		code         string
	}{
		{"letters", "2:0:1:1:1:x00:10:0\n", "damaged-line"},
		{"odd pairs", "2:0:1:1:1:600:10\n", "damaged-line"},
		{"no pair", "2:0:1:1:1:600\n", "damaged-line"},
		{"thread 0", "2:0:1:1:0:600:10:1\n", "damaged-line"},
		{"end before start", "1:0:1:1:1:600:500:1\n", "damaged-line"},
		{"another record", "9:1:1\n", "damaged-line"},
		{"time", "2:0:1:1:1:9223372036854775807:10:1\n", "damaged-line"},
		{"backwards", "2:0:1:1:1:50:10:0\n", "time-backwards"},
		{"late message", "3:0:1:1:1:9:9:0:1:1:2:8:8:1:1\n", "received-before-sent"},
		{"no line end", "2:0:1:1:1:600:10:0", "no-line-end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := nosv()
			files["cpu.prv"] += c.damage
			run := readDirectory(t, write(t, files))
			if logged(run, c.code) != 1 {
				t.Errorf("found %d entries %s in the log, want 1", logged(run, c.code), c.code)
			}
			if len(run.Task.Start) != 2 {
				t.Errorf("found %d tasks, want 2", len(run.Task.Start))
			}
		})
	}
	for _, head := range []string{"#Paraver\n", "#Paraver (1):x_ns:0:1:1(1:1)\n", "#Paraver (1):5_h:0:1:1(1:1)\n"} {
		dir := write(t, map[string]string{"a.prv": head + "1:1:1:1:1:1:2:3\n"})
		if _, err := Format().Read(&format.Input{Paths: []string{dir}}, format.Options{}); err == nil || !strings.Contains(err.Error(), "line 1: found") {
			t.Errorf("%q: found error %v, want one that names line 1", head, err)
		}
	}
	if _, err := Format().Read(&format.Input{Paths: []string{write(t, map[string]string{"a.prv": nosvTrace, "b.prv": nosvTrace})}}, format.Options{}); err == nil || !strings.Contains(err.Error(), "found 2 Paraver traces, wanted one") {
		t.Errorf("found error %v, want one about two traces", err)
	}
}

// FuzzParaver reads any trace and labels: a run that is valid and of which every
// line is accounted for, or an error.
//
//fuzz:class file
func FuzzParaver(f *testing.F) {
	f.Add(nosvTrace, nosvLabels)
	f.Add(extraeTrace, extraeLabels)
	f.Add(extraeTrace, "")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, prv, pcf string) {
		budget.Watch(t)
		for name, content := range map[string]string{"a.prv": prv, "a.pcf": pcf, "a.row": nosvRows} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		run, err := Read(filepath.Join(dir, "a.prv"), format.Options{})
		if err != nil {
			if !strings.Contains(err.Error(), "a.p") {
				t.Errorf("error %q names no file", err)
			}
			return
		}
		if err := run.Validate(); err != nil {
			t.Error(err)
		}
		if why := unaccounted(run); why != "" {
			t.Error(why)
		}
	})
}

// sums are count and total time of the tasks of a kind.
type sums struct {
	Count    int   `json:"count"`
	IDs      int   `json:"distinct_task_ids"`
	Segments int   `json:"segments"`
	Sum      int64 `json:"sum_ns"`
}

// TestFacts compares real traces with what other programs computed of them.
func TestFacts(t *testing.T) {
	for _, path := range testenv.References(t, "data/formats/paraver/*/facts.json") {
		dir := filepath.Dir(path)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			var want struct {
				Header   string
				Records  map[string]int
				Types    map[string]int  `json:"event_records_by_type"`
				Kinds    map[string]sums `json:"per_kind"`
				States   map[int64]sums
				Segments int
				Makespan int64 `json:"makespan_ns"`
				Kernels  int64 `json:"makespan_kernels_ns"`
				First    int64 `json:"first_kernel_start_ns"`
				Executed int
				IDs      int            `json:"task_ids_on_execution"`
				Created  map[string]int `json:"instantiated"`
				Threads  map[string]int `json:"per_thread"`
				Rows     map[string]struct {
					Segments int
					Busy     int64 `json:"busy_ns"`
				} `json:"per_row_kernels"`
			}
			content, err := os.ReadFile(path)
			if err == nil {
				err = json.Unmarshal(content, &want)
			}
			if err != nil {
				t.Fatal(err)
			}
			run := readDirectory(t, dir)
			got, pieces := map[string]sums{}, 0
			first, last := int64(1)<<62, int64(-1)<<62
			worker := map[string]sums{}
			add := func(kind string, w int32, ns int64) {
				s := got[kind]
				s.Segments, s.Sum = s.Segments+1, s.Sum+ns
				got[kind] = s
				pieces++
			}
			k := &run.Task
			created := map[string]int{}
			for i := range k.Start {
				kind := k.Kind.At(i)
				if want.Executed > 0 {
					kind = k.Model.At(i) + "  @ " + kind
				}
				s := got[kind]
				s.Count, s.IDs = s.Count+1, s.IDs+1
				got[kind] = s
				alone := true
				for j, of := range run.Segment.Task {
					if int(of) == i {
						alone = false
						add(kind, run.Segment.Worker[j], run.Segment.End[j]-run.Segment.Start[j])
					}
				}
				if alone {
					add(kind, k.Worker[i], k.End[i]-k.Start[i])
				}
				if k.Counted(i) {
					first, last = min(first, k.Start[i]), max(last, k.End[i])
					row := fmt.Sprint(run.Resource.Index[k.Worker[i]] + 1)
					w := worker[row]
					w.Segments, w.Sum = w.Segments+1, w.Sum+k.End[i]-k.Start[i]
					worker[row] = w
				}
			}
			states, of := 0, map[string]sums{}
			for i := range run.State.Start {
				kind, ns := run.State.Kind.At(i), run.State.End[i]-run.State.Start[i]
				switch run.State.Type.At(i) {
				case "Task of the runtime":
					s := got[kind]
					s.IDs = max(s.IDs, 1)
					got[kind] = s
					add(kind, trace.None, ns)
				case stateType:
					s := of[kind]
					s.Count, s.Sum = s.Count+1, s.Sum+ns
					of[kind] = s
					states++
				}
			}
			for i, task := range run.Event.Task {
				if task >= 0 {
					created[k.Model.At(int(task))+" "]++
					if run.Event.Time[i] > k.Start[task] {
						t.Errorf("task %s was created after its start", k.Key.At(int(task)))
					}
				}
			}
			for kind, w := range want.Kinds {
				g := got[kind]
				if want.Executed > 0 {
					g.IDs, g.Segments = 0, 0
				} else {
					g.Count = 0
				}
				if g != w {
					t.Errorf("%s: found %+v, want %+v", kind, g, w)
				}
			}
			if len(got) != len(want.Kinds) {
				t.Errorf("found kinds %v, want %v", got, want.Kinds)
			}
			if want.Executed > 0 && (len(k.Start) != want.Executed || k.Key.Code == nil || states != want.Records["state"] || len(run.Transfer.Start) != 0 || logged(run, "task-again") != 0 || want.IDs != len(k.Start)) {
				t.Errorf("found %d tasks, %d states, %d transfers, want %d, %d and none", len(k.Start), states, len(run.Transfer.Start), want.Executed, want.Records["state"])
			}
			if want.Segments > 0 && (pieces != want.Segments || first+run.Meta.Origin != want.First) {
				t.Errorf("found %d pieces from %d, want %d from %d", pieces, first+run.Meta.Origin, want.Segments, want.First)
			}
			if makespan := last - first; makespan != max(want.Makespan, want.Kernels) {
				t.Errorf("found a makespan of %d ns, want %d", makespan, max(want.Makespan, want.Kernels))
			}
			for row, w := range want.Rows {
				if g := worker[row]; g.Segments != w.Segments || g.Sum != w.Busy {
					t.Errorf("row %s: found %+v, want %+v", row, g, w)
				}
			}
			for row, n := range want.Threads {
				if g := worker[row]; g.Segments != n {
					t.Errorf("thread %s: found %+v, want %d tasks", row, g, n)
				}
			}
			if fmt.Sprint(created) != fmt.Sprint(want.Created) && want.Executed > 0 {
				t.Errorf("found creations %v, want %v", created, want.Created)
			}
			names := map[int64]string{1: "Running", 2: "Not created", 5: "Synchronization", 7: "Scheduling and Fork/Join", 12: "I/O", 15: "Others"}
			for state, w := range want.States {
				if g := of[names[state]]; g != w {
					t.Errorf("state %d: found %+v, want %+v", state, g, w)
				}
			}
			if n := run.Log.Total(trace.Warning) + run.Log.Total(trace.Error); n > 0 {
				t.Errorf("found %d warnings and errors, want none", n)
			}
			prv, _ := find(&format.Input{Paths: []string{dir}})
			if got := typesOf(t, prv); fmt.Sprint(got) != fmt.Sprint(want.Types) {
				t.Errorf("found events by type %v, want %v", got, want.Types)
			}
		})
	}
}

// typesOf counts the pairs of events of a file by type with the reader's own
// parser.
func typesOf(t *testing.T, path string) map[string]int {
	t.Helper()
	f, err := text.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for line := range strings.Lines(string(all)) {
		if !strings.HasPrefix(line, "2:") {
			continue
		}
		var head [5]int64
		rest, ok := numbers([]byte(strings.TrimSpace(line[2:])), head[:])
		if !ok || !pairs(rest) {
			t.Fatalf("cannot read %q", line)
		}
		for len(rest) > 0 {
			var typ int64
			typ, rest, _ = next(rest)
			_, rest, _ = next(rest)
			count[fmt.Sprint(typ)]++
		}
	}
	return count
}

// BenchmarkRead reads a trace of Extrae's kind with a million records. It reports
// records per second of wall time; with GOMAXPROCS=1 that is CPU time.
func BenchmarkRead(b *testing.B) {
	var out strings.Builder
	out.WriteString("#Paraver (22/11/2026 at 10:22):10_ns:1(8):1:1(8:1),0\n")
	records := 0
	for i := range 200_000 {
		at, thread := int64(i)*100, i%8+1
		fmt.Fprintf(&out, "1:1:1:1:%d:%d:%d:7\n", thread, at, at+10)
		fmt.Fprintf(&out, "2:1:1:1:%d:%d:60000024:3:60000124:3:60000028:%d\n", thread, at, i+1)
		fmt.Fprintf(&out, "2:1:1:1:%d:%d:60000024:0:60000124:0\n", thread, at+10)
		fmt.Fprintf(&out, "2:1:1:1:%d:%d:60000023:%d:60000123:3:60000028:%d\n", thread, at+20, i%2+3, i+1)
		fmt.Fprintf(&out, "2:1:1:1:%d:%d:60000023:0:60000123:0\n", thread, at+90)
		records += 5
	}
	dir := write(b, map[string]string{"trace.prv": out.String(), "trace.pcf": extraeLabels})
	b.SetBytes(int64(out.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(filepath.Join(dir, "trace.prv"), format.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(records*b.N)/b.Elapsed().Seconds(), "records/s")
}
