package ovni

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/budget"
	"dagscope/internal/testenv"
	"dagscope/internal/text"
	"dagscope/read/format"
	"dagscope/trace"
)

// stream builds a stream.obs.
type stream struct{ bytes.Buffer }

func newStream() *stream {
	s := &stream{}
	s.WriteString("ovni\x01\x00\x00\x00")
	return s
}

// add adds an event with 32-bit numbers for a payload.
func (s *stream) add(at uint64, code string, numbers ...int32) *stream {
	flags := byte(0)
	if len(numbers) > 0 {
		flags = byte(4*len(numbers) - 1)
	}
	s.WriteByte(flags)
	s.WriteString(code)
	binary.Write(s, binary.LittleEndian, at) // a buffer takes everything
	for _, n := range numbers {
		binary.Write(s, binary.LittleEndian, n)
	}
	return s
}

// typ adds a type of tasks, whose label makes it a jumbo event.
func (s *stream) typ(at uint64, code string, id uint32, label string) *stream {
	s.WriteByte(jumbo)
	s.WriteString(code)
	binary.Write(s, binary.LittleEndian, at)
	binary.Write(s, binary.LittleEndian, uint32(4+len(label)+1))
	binary.Write(s, binary.LittleEndian, id)
	s.WriteString(label + "\x00")
	return s
}

func metadata(loom string, pid, tid, cpus int) string {
	var list []string
	for i := range cpus {
		list = append(list, fmt.Sprintf(`{"index": %d, "phyid": %d}`, i, i+10))
	}
	return fmt.Sprintf(`{"version": 3, "ovni": {"tid": %d, "pid": %d, "loom": %q, "loom_cpus": [%s], "finished": 1}}`, tid, pid, loom, strings.Join(list, ","))
}

func write(t testing.TB, root, loom string, pid, tid, cpus int, s *stream) {
	t.Helper()
	dir := filepath.Join(root, "loom."+loom, fmt.Sprintf("proc.%d", pid), fmt.Sprintf("thread.%d", tid))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"stream.json": []byte(metadata(loom, pid, tid, cpus)), "stream.obs": s.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// small is a run of two threads: task 2 is paused and goes on on another CPU, to
// which the other thread moves its thread; task 3 runs inside of task 2. Between
// OU[ and OU] are events of the kernel that lie out of order.
func small(t testing.TB) string {
	root := t.TempDir()
	write(t, root, "n.1", 5, 5, 2, newStream().
		add(0, "OHx", -1, -1, 0, 0).typ(1, "VYc", 1, "main").typ(2, "VYc", 2, "potrf").typ(3, "VYc", 3, "trsm").
		add(4, "VTc", 1, 1).add(5, "VTx", 1, 0).add(6, "VTc", 2, 2).add(7, "VTc", 3, 3).add(8, "VTp", 1, 0).
		add(350, "OAr", 1, 6).add(800, "VTr", 1, 0).add(900, "VTe", 1, 0).add(1000, "OHe"))
	write(t, root, "n.1", 5, 6, 0, newStream().
		add(10, "OHx", 0, 5, 0, 0).add(20, "VHw").add(30, "VSh").add(90, "VSf").add(100, "VTx", 2, 0).
		add(200, "VTp", 2, 0).add(210, "OHp").add(400, "OU[").add(250, "KCO").add(240, "KCI").add(401, "OU]").
		add(500, "OHr").add(510, "VTr", 2, 0).add(600, "VTx", 3, 0).add(650, "VTe", 3, 0).add(700, "VTe", 2, 0).
		add(710, "VHW").add(720, "OHe"))
	return root
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
	return run
}

func tasksOf(run *trace.Run) string {
	var all []string
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
	return strings.Join(all, "\n")
}

func wantTasks(t *testing.T, run *trace.Run, want ...string) {
	t.Helper()
	if got := tasksOf(run); got != strings.Join(want, "\n") {
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

func TestSmall(t *testing.T) {
	run := readDirectory(t, small(t))
	wantTasks(t, run,
		"2 potrf on CPU 0.10 100-700 [CPU 0.10 100-200] [CPU 0.11 510-600] [CPU 0.11 650-700]",
		"3 trsm on CPU 0.11 600-650")
	var states []string
	for i := range run.State.Start {
		states = append(states, fmt.Sprintf("%s %s %d-%d", run.Resource.Name.At(int(run.State.Resource[i])), run.State.Kind.At(i), run.State.Start[i]+run.Meta.Origin, run.State.End[i]+run.Meta.Origin))
	}
	slices.Sort(states)
	want := []string{
		"CPU 0.10 Scheduler: Hungry 30-90", "CPU 0.10 Task: In body 100-210", "CPU 0.10 Thread: Worker 20-30", "CPU 0.10 Thread: Worker 90-100",
		"CPU 0.11 Task: In body 500-700", "CPU 0.11 Thread: Worker 700-710",
		"vCPU 0.* Task: In body 5-900", "vCPU 0.* main 5-8", "vCPU 0.* main 800-900",
	}
	slices.Sort(want)
	if !slices.Equal(states, want) {
		t.Errorf("found states\n%s\nwant\n%s", strings.Join(states, "\n"), strings.Join(want, "\n"))
	}
	created := map[string]int64{}
	for i, task := range run.Event.Task {
		created[run.Task.Key.At(int(task))] = run.Event.Time[i] + run.Meta.Origin
	}
	if !maps.Equal(created, map[string]int64{"2": 6, "3": 7}) {
		t.Errorf("found creations %v, want 2 at 6 and 3 at 7", created)
	}
	if logged(run, "event-not-kept") != 4 || logged(run, "clock-backwards") != 0 {
		t.Errorf("found %d events that are not kept and %d out of order, want 4 and 0", logged(run, "event-not-kept"), logged(run, "clock-backwards"))
	}
}

// TestLooms reads two nodes whose clocks differ, tasks of Nanos6, which have no
// bodies, and a task that runs twice.
func TestLooms(t *testing.T) {
	root := t.TempDir()
	for i, host := range []string{"a", "b"} {
		at := uint64(1000 * i)
		write(t, root, host+".x", 7, 7, 1, newStream().
			add(at, "OHx", 0, 0, 0, 0).typ(at+1, "6Yc", 9, "axpy").add(at+2, "6Tc", 1, 9).add(at+10, "6Tx", 1).add(at+20, "6Te", 1).
			add(at+30, "6Tx", 1).add(at+35, "6Te", 1).add(at+40, "OHe"))
	}
	offsets := "rank hostname offset_median offset_mean offset_std\n0 a 0 0 0\n1 b -900.000000 -900.5 1.5\n"
	if err := os.WriteFile(filepath.Join(root, "clock-offsets.txt"), []byte(offsets), 0o666); err != nil {
		t.Fatal(err)
	}
	run := readDirectory(t, root)
	wantTasks(t, run,
		"0_1 axpy on CPU 0.10 10-20", "0_1#2 axpy on CPU 0.10 30-35",
		"1_1 axpy on CPU 1.10 110-120", "1_1#2 axpy on CPU 1.10 130-135")
	os.Remove(filepath.Join(root, "clock-offsets.txt"))
	if run := readDirectory(t, root); logged(run, "no-clock-offsets") != 1 {
		t.Errorf("found no warning about clocks, want one")
	}
}

func TestDamage(t *testing.T) {
	obs := func(root string) string { return filepath.Join(root, "loom.n.1", "proc.5", "thread.6", "stream.obs") }
	for _, c := range []struct {
		name string
		do   func(b []byte) []byte
		code string
	}{
		{"cut inside an event", func(b []byte) []byte { return b[:len(b)-5] }, "truncated-file"},
		{"cut before its end", func(b []byte) []byte { return b[:headerBytes+28+3*12+20+7] }, "truncated-file"},
		{"other flags", func(b []byte) []byte { return append(b, 0x40, 'O', 'H', 'r', 0, 0, 0, 0, 0, 0, 0, 0) }, "damaged-stream"},
		{"late clock", func(b []byte) []byte { return append(b, 0, 'O', 'H', 'r', 0, 0, 0, 0, 0, 0, 0, 0xff) }, "damaged-stream"},
		{"large payload", func(b []byte) []byte {
			return append(b, jumbo, 'V', 'Y', 'c', 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff)
		}, "damaged-stream"},
		{"backwards", func(b []byte) []byte { return append(b, 0, 'O', 'H', 'r', 0, 0, 0, 0, 0, 0, 0, 0) }, "clock-backwards"},
		{"no task", func(b []byte) []byte { return append(b, 0, 'V', 'T', 'e', 0, 4, 0, 0, 0, 0, 0, 0) }, "damaged-event"},
		{"no stream", func(b []byte) []byte { return []byte("nothing of the kind") }, "no-stream"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := small(t)
			content, err := os.ReadFile(obs(root))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(obs(root), c.do(content), 0o666); err != nil {
				t.Fatal(err)
			}
			if run := readDirectory(t, root); logged(run, c.code) != 1 {
				t.Errorf("found %d entries %s in the log, want 1", logged(run, c.code), c.code)
			}
		})
	}
	root := small(t)
	content, _ := os.ReadFile(obs(root))
	content[4] = 7
	os.WriteFile(obs(root), content, 0o666)
	if _, err := Read(root, format.Options{}); err == nil || !strings.Contains(err.Error(), "stream.obs: found version 7") {
		t.Errorf("found error %v, want one about version 7", err)
	}
}

// FuzzStream reads any stream next to a sound one: a run that is valid, or an error
// that names the file.
//
//fuzz:class file
func FuzzStream(f *testing.F) {
	root := small(f)
	dir := filepath.Join(root, "loom.n.1", "proc.5", "thread.6")
	sound, err := os.ReadFile(filepath.Join(dir, "stream.obs"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sound, metadata("n.1", 5, 6, 2))
	f.Add(sound[:100], metadata("m.1", 5, 6, 0))
	f.Fuzz(func(t *testing.T, obs []byte, json string) {
		budget.Watch(t)
		for name, content := range map[string][]byte{"stream.obs": obs, "stream.json": []byte(json)} {
			if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		run, err := Read(root, format.Options{})
		if err != nil {
			if !strings.Contains(err.Error(), "stream.obs") {
				t.Errorf("error %q names no file", err)
			}
			return
		}
		if err := run.Validate(); err != nil {
			t.Error(err)
		}
	})
}

// unpacked unpacks a real trace.
func unpacked(t testing.TB, archive string) string {
	t.Helper()
	tar := testenv.Need(t, "apt-get install tar", "tar")
	f, err := text.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	dir := t.TempDir()
	cmd := exec.Command(tar, "-xf", "-", "-C", dir)
	cmd.Stdin = f
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// TestFacts compares real streams with what ovnidump printed of them, and the run
// with what ovniemu made of the same streams.
func TestFacts(t *testing.T) {
	for _, archive := range testenv.References(t, "data/formats/ovni/*/ovni.tar.zst") {
		dir := filepath.Dir(archive)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			root := rootOf(unpacked(t, archive))
			checkEvents(t, root, filepath.Join(dir, "event_counts.txt"))
			run := readDirectory(t, root)
			var want struct {
				Segments int
				Kinds    map[string]struct {
					Tasks    int `json:"distinct_task_ids"`
					Segments int
					Sum      int64 `json:"sum_ns"`
				} `json:"per_kind"`
				Makespan int64 `json:"makespan_kernels_ns"`
				Rows     map[string]struct {
					Segments int
					Busy     int64 `json:"busy_ns"`
				} `json:"per_row_kernels"`
			}
			content, err := os.ReadFile(testenv.Reference(t, "data/formats/paraver", filepath.Base(dir), "facts.json"))
			if err == nil {
				err = json.Unmarshal(content, &want)
			}
			if err != nil {
				t.Fatal(err)
			}
			k := &run.Task
			found := want
			found.Segments, found.Kinds, found.Rows = 0, maps.Clone(want.Kinds), maps.Clone(want.Rows)
			clear(found.Kinds)
			clear(found.Rows)
			piece := func(kind, row string, ns int64, counted bool) {
				f := found.Kinds[kind]
				f.Segments, f.Sum = f.Segments+1, f.Sum+ns
				found.Kinds[kind] = f
				found.Segments++
				if counted {
					w := found.Rows[row]
					w.Segments, w.Busy = w.Segments+1, w.Busy+ns
					found.Rows[row] = w
				}
			}
			row := func(w int32) string { return fmt.Sprint(run.Resource.Index[w] + 1) }
			first, last := int64(1)<<62, int64(-1)<<62
			for i := range k.Start {
				f := found.Kinds[k.Kind.At(i)]
				f.Tasks++
				found.Kinds[k.Kind.At(i)] = f
				alone := true
				for j, of := range run.Segment.Task {
					if int(of) == i {
						alone = false
						piece(k.Kind.At(i), row(run.Segment.Worker[j]), run.Segment.End[j]-run.Segment.Start[j], k.Counted(i))
					}
				}
				if alone {
					piece(k.Kind.At(i), row(k.Worker[i]), k.End[i]-k.Start[i], k.Counted(i))
				}
				if k.Counted(i) {
					first, last = min(first, k.Start[i]), max(last, k.End[i])
				}
			}
			for i := range run.State.Start {
				if run.State.Type.At(i) == "Task of the runtime" {
					kind := run.State.Kind.At(i)
					piece(kind, "", run.State.End[i]-run.State.Start[i], false)
					f := found.Kinds[kind]
					f.Tasks = max(f.Tasks, 1)
					found.Kinds[kind] = f
				}
			}
			found.Makespan = last - first
			if !maps.Equal(found.Kinds, want.Kinds) || !maps.Equal(found.Rows, want.Rows) || found.Segments != want.Segments || found.Makespan != want.Makespan {
				t.Errorf("found %+v\nwant %+v", found, want)
			}
			if n := run.Log.Total(trace.Warning) + run.Log.Total(trace.Error); n > 0 {
				t.Errorf("found %d warnings and errors, want none", n)
			}
			created := 0
			for _, task := range run.Event.Task {
				if task >= 0 && k.Counted(int(task)) {
					created++
				}
			}
			if created != 56 {
				t.Errorf("found the creation of %d tasks, want 56", created)
			}
		})
	}
}

// checkEvents compares the number of events of each code with ovnidump's.
func checkEvents(t *testing.T, root, list string) {
	t.Helper()
	x := &ovni{root: root, tables: newTables()}
	for _, path := range streams(root) {
		if err := x.open(path); err != nil {
			t.Fatal(err)
		}
	}
	count := map[string]int{}
	for _, th := range x.threads {
		if err := x.each(th, false, nil, func(e *event) { count[e.code.String()]++ }); err != nil {
			t.Fatal(err)
		}
	}
	content, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{}
	for line := range strings.Lines(string(content)) {
		var code string
		var n int
		if _, err := fmt.Sscan(line, &code, &n); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		want[code] = n
	}
	if !maps.Equal(count, want) {
		t.Errorf("found events %v, want %v", count, want)
	}
}

// BenchmarkRead reads a million tasks on eight threads, six events each.
func BenchmarkRead(b *testing.B) {
	root := b.TempDir()
	const each = 125_000
	events := 0
	for th := range 8 {
		s := newStream().add(0, "OHx", int32(th), 0, 0, 0).typ(1, "VYc", 1, "gemm")
		for i := range each {
			at, id := uint64(100*i+10), int32(th*each+i+1)
			s.add(at, "VAr").add(at+1, "VTc", id, 1).add(at+2, "VAR").add(at+3, "VTx", id, 0).add(at+80, "VTe", id, 0).add(at+81, "VSh").add(at+85, "VSf")
			events += 7
		}
		write(b, root, "n.1", 1, th+1, 8, s)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(root, format.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(events*b.N)/b.Elapsed().Seconds(), "events/s")
}

// TestStoredSample wants the sample that other tests damage to be what small makes;
// DAGSCOPE_UPDATE=1 writes it.
func TestStoredSample(t *testing.T) {
	root, stored := small(t), testenv.Repo("read", "ovni", "testdata", "small")
	for _, path := range streams(root) {
		for _, name := range []string{"stream.obs", "stream.json"} {
			content, err := os.ReadFile(filepath.Join(filepath.Dir(path), name))
			if err != nil {
				t.Fatal(err)
			}
			rel, err := filepath.Rel(root, filepath.Dir(path))
			if err != nil {
				t.Fatal(err)
			}
			to := filepath.Join(stored, rel, name)
			if os.Getenv("DAGSCOPE_UPDATE") != "" {
				if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(to, content, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if kept, err := os.ReadFile(to); err != nil || !bytes.Equal(kept, content) {
				t.Errorf("found another %s (%v), want what small makes: DAGSCOPE_UPDATE=1 writes it", to, err)
			}
		}
	}
}
