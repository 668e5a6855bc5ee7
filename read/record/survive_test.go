package record_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/read/ompt/dsom"
	"dagscope/read/ompt/event"
)

// Whatever way a program leaves, all that happened before is in the file: here
// 20000 tasks, over several windows of the thread.
func TestLeaves(t *testing.T) {
	runtimes := needRuntimes(t)
	states := map[string]dsom.State{"exit": dsom.Exited, "_exit": dsom.Broken, "abort": dsom.Broken,
		"kill": dsom.Broken, "segv": dsom.Broken}
	for how, state := range states {
		t.Run(how, func(t *testing.T) {
			const tasks = 20000
			r := recordProgram(t, session{program: "leave", args: []string{how, strconv.Itoa(tasks)}, runtime: runtimes[0], fails: true})
			rec := r.open()
			f := follow(t, r.events())
			if f.created != tasks+1 || f.ended[complete] != tasks {
				t.Errorf("found %d tasks, %d of them complete, want %d and %d", f.created, f.ended[complete], tasks+1, tasks)
			}
			if got := rec.Processes[0].State; got != state {
				t.Errorf("the recording's state is %v, want %v", got, state)
			}
			if (rec.Processes[0].End != nil) != (how == "exit") {
				t.Errorf("end chunk: %v, want one only after exit", rec.Processes[0].End)
			}
		})
	}
}

// lossy checks a recording that had no room for everything: each event was recorded
// or counted, and the program went on.
func lossy(t *testing.T, r recorded, most int64) {
	t.Helper()
	rec := r.open()
	events := readEvents(t, rec)
	p := rec.Processes[0]
	if p.Lost == 0 || len(events) < 1000 || p.Bytes > most {
		t.Errorf("found %d events, %d lost, a file of %d bytes; want some of both in at most %d", len(events), p.Lost, p.Bytes, most)
	}
	const tasks = 100000
	created := count(events, func(e event.Event) bool { return e.Type == event.TaskCreate })
	if created >= tasks || int64(created)*3+p.Lost < tasks*3-10 {
		t.Errorf("found %d tasks and %d lost events, want three for each of %d tasks", created, p.Lost, tasks)
	}
	if c, err := dsom.Check(r.one()); err != nil || len(c.Problems) != 0 {
		t.Errorf("check: %v, problems %v", err, c.Problems)
	}
}

func TestLimit(t *testing.T) {
	runtimes := needRuntimes(t)
	lossy(t, recordProgram(t, session{program: "many", args: []string{"2", "1", "50000"}, runtime: runtimes[0],
		env: []string{"DAGSCOPE_OMPT_LIMIT=1"}}), 1<<20)
}

// The kernel would end the program that writes beyond its limit.
func TestFileSizeLimit(t *testing.T) {
	runtimes := needRuntimes(t)
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	program(t, "many") // and the library: built without the limit
	if _, err := tools.library(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 20, Max: was.Max}); err != nil {
		t.Fatal(err)
	}
	defer syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was)
	lossy(t, recordProgram(t, session{program: "many", args: []string{"2", "1", "50000"}, runtime: runtimes[0]}), 1<<20)
}

// On a disk that is full, neither storing to a mapping nor writing may end the program.
func TestFullDisk(t *testing.T) {
	runtimes := needRuntimes(t)
	dir := t.TempDir()
	if err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "none", dir).Run(); err != nil {
		testenv.Missing(t, testenv.Mounting, err.Error(), "run as root")
	}
	t.Cleanup(func() { syscall.Unmount(dir, 0) })
	r := recordProgram(t, session{program: "many", args: []string{"2", "1", "50000"}, runtime: runtimes[0],
		env: []string{"DAGSCOPE_OMPT_FILE=" + filepath.Join(dir, "full.dsom")}})
	r.paths = []string{filepath.Join(dir, "full.dsom")}
	lossy(t, r, 2<<20)
}

// A ring keeps the end; what it keeps is without fault.
func TestRing(t *testing.T) {
	runtimes := needRuntimes(t)
	const tasks = 200000 // 3.2 MB of records and more on each of 2 threads
	r := recordProgram(t, session{program: "many", args: []string{"2", "1", strconv.Itoa(tasks)}, runtime: runtimes[0],
		env: []string{"DAGSCOPE_OMPT_RING=1"}})
	rec := r.open()
	events := readEvents(t, rec)
	p := rec.Processes[0]
	if !p.Ring || p.Lost != 0 || rec.CompleteFrom == 0 || p.Bytes > 3<<20 {
		t.Errorf("ring %v, %d lost, complete from %d, %d bytes; want a ring of 1 MiB without loss", p.Ring, p.Lost, rec.CompleteFrom, p.Bytes)
	}
	if len(events) < 40000 || events[len(events)-1].Type != event.ThreadEnd {
		t.Errorf("found %d events, want the last 1 MiB of them and the end", len(events))
	}
	checkCounters(t, events, tasks)
}

// checkCounters: ids go on across what the ring has overwritten.
func checkCounters(t *testing.T, events []event.Event, tasks uint64) {
	t.Helper()
	last := map[int32]uint64{}
	for _, e := range events {
		if e.Type == event.TaskCreate {
			if e.Task.Counter() <= last[e.Thread] || e.Task.Thread() != e.Thread {
				t.Fatalf("task %x made by thread %d after its number %d", e.Task, e.Thread, last[e.Thread])
			}
			last[e.Thread] = e.Task.Counter()
		}
	}
	for thread, n := range last {
		if n < tasks || n > tasks+10 {
			t.Errorf("thread %d made its last task as number %d, want about %d", thread, n, tasks)
		}
	}
}

// A process that forks goes on; a child with events has a file of its own.
func TestFork(t *testing.T) {
	runtimes := needRuntimes(t)
	r := recordProgram(t, session{program: "forked", runtime: runtimes[0]})
	if len(r.paths) != 2 {
		t.Fatalf("found recordings %q, want the parent's and one child's", r.paths)
	}
	created := map[bool]int{}
	for _, path := range r.paths {
		rec, err := dsom.Open([]string{path})
		if err != nil {
			t.Fatal(err)
		}
		defer rec.Close()
		created[rec.Processes[0].Parent != 0] = count(readEvents(t, rec), func(e event.Event) bool { return e.Type == event.TaskCreate })
	}
	if created[false] != 5 || created[true] != 5 {
		t.Errorf("found %d tasks of the parent and %d of the child, want 5 and 5", created[false], created[true])
	}
}

// Many threads, and regions one after the other.
func TestManyThreads(t *testing.T) {
	runtimes := needRuntimes(t)
	const threads, rounds, tasks = 64, 5, 200
	r := recordProgram(t, session{program: "many", args: []string{strconv.Itoa(threads), strconv.Itoa(rounds), strconv.Itoa(tasks)}, runtime: runtimes[0]})
	events := r.events()
	f := follow(t, events)
	begun := count(events, func(e event.Event) bool { return e.Type == event.ThreadBegin })
	if f.created != threads*rounds*tasks || f.ended[complete] != f.created || begun != threads {
		t.Errorf("found %d tasks, %d complete, %d threads, want %d and %d", f.created, f.ended[complete], begun, threads*rounds*tasks, threads)
	}
	regions(rounds)(t, 0, events)
	r.run()
}

// A file that exists is not overwritten, and the name's letters are replaced.
func TestNames(t *testing.T) {
	runtimes := needRuntimes(t)
	dir := t.TempDir()
	host, _ := os.Hostname()
	taken := filepath.Join(dir, host+".7.dsom")
	if err := os.WriteFile(taken, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	recordProgram(t, session{program: "priority", runtime: runtimes[0],
		env: []string{"PMI_RANK=7", "DAGSCOPE_OMPT_FILE=" + filepath.Join(dir, "%h.%r.dsom")}})
	if text, err := os.ReadFile(taken); err != nil || string(text) != "mine" {
		t.Errorf("the file that existed holds %q (%v), want it untouched", text, err)
	}
	if others, _ := filepath.Glob(taken + ".*"); len(others) != 1 {
		t.Errorf("found %q, want one recording beside it", others)
	}
}

// A recording that cannot be written leaves the program alone.
func TestNoFile(t *testing.T) {
	runtimes := needRuntimes(t)
	r := recordProgram(t, session{program: "priority", runtime: runtimes[0], env: []string{"DAGSCOPE_OMPT_FILE=/nonexistent/x.dsom"}})
	if !contains(r.output, "cannot record into /nonexistent/x.dsom") {
		t.Errorf("the program said %q, want a word about the file", r.output)
	}
}

// Without recording there is no file.
func TestOffAndNoop(t *testing.T) {
	runtimes := needRuntimes(t)
	for _, mode := range []string{"off", "noop"} {
		r := recordProgram(t, session{program: "taskgroup", runtime: runtimes[0], env: []string{"DAGSCOPE_OMPT=" + mode}})
		if len(r.paths) != 0 {
			t.Errorf("%s: found %q, want no file", mode, r.paths)
		}
	}
}

// The clock without the processor's counter, for the same result.
func TestMonotonicClock(t *testing.T) {
	for _, runtime := range needRuntimes(t)[:1] {
		r := recordProgram(t, session{program: "chain", runtime: runtime, env: []string{"DAGSCOPE_OMPT_CLOCK=monotonic"}})
		f := follow(t, r.events())
		if f.created != 6 || f.ended[complete] != 6 {
			t.Errorf("found %d tasks, %d complete, want 6", f.created, f.ended[complete])
		}
		if c := r.open().Processes[0].Meta.Clock; c != "monotonic" {
			t.Errorf("the clock is %q, want monotonic", c)
		}
		r.run()
	}
}

// The two clocks agree: what a program measured itself, the recording shows.
func TestClockRate(t *testing.T) {
	runtimes := needRuntimes(t)
	for _, clock := range []string{"", "monotonic"} {
		r := recordProgram(t, session{program: "late", runtime: runtimes[0], env: []string{"DAGSCOPE_OMPT_CLOCK=" + clock}})
		events := r.events()
		began := map[event.ID]int64{}
		for _, e := range events {
			if e.Type != event.TaskSchedule {
				continue
			}
			began[e.Task2] = e.Time
			if d := e.Time - began[e.Task]; e.Kind == complete && d < 10000 {
				t.Errorf("clock %q: a task of 10 µs took %d ns", clock, d)
			}
		}
	}
}

// Values of variables that mean nothing are told, and the program is recorded.
func TestWrongVariables(t *testing.T) {
	runtimes := needRuntimes(t)
	wrong := []string{"DAGSCOPE_OMPT=bar", "DAGSCOPE_OMPT_START=later", "DAGSCOPE_OMPT_CLOCK=foo", "DAGSCOPE_OMPT_LIMIT=abc", "DAGSCOPE_OMPT_RING=-1"}
	r := recordProgram(t, session{program: "control", runtime: runtimes[0], env: wrong})
	for _, w := range wrong {
		if !contains(r.output, "found "+w+", wanted") {
			t.Errorf("nothing is said of %s: %s", w, r.output)
		}
	}
	if f := follow(t, r.events()); f.created != 2 {
		t.Errorf("found %d tasks, want 2", f.created)
	}
	if r := recordProgram(t, session{program: "control", runtime: runtimes[0], env: []string{"DAGSCOPE_OMPT_CLOCK=monotonic", "DAGSCOPE_OMPT_LIMIT=64"}}); contains(r.output, "ignored") {
		t.Errorf("right values are complained about: %s", r.output)
	}
}

// What is paused is not recorded; marks are, and an argument that is no string does
// no harm.
func TestControl(t *testing.T) {
	runtimes := needRuntimes(t)
	recorded := recordProgram(t, session{program: "control", runtime: runtimes[0]})
	if checked, err := dsom.Check(recorded.one()); err != nil || len(checked.Problems) > 0 {
		t.Errorf("the file is not as the format says: %v, %v", checked.Problems, err)
	}
	events := recorded.events()
	var controls []string
	for _, e := range events {
		if e.Type == event.Control {
			controls = append(controls, fmt.Sprintf("%d/%d/%s", e.Value, e.Code, e.Name))
		}
	}
	want := []string{"64/7/first phase", "2/0/", "1/0/", "65/8/", "3/0/"}
	if !slices.Equal(controls, want) {
		t.Errorf("found controls %q, want %q", controls, want)
	}
	missing := 0
	for _, e := range events {
		if e.Type == event.Lost {
			if missing++; e.Kind != event.LostPaused {
				t.Errorf("found %+v, want a pause", e)
			}
		}
	}
	if missing == 0 {
		t.Error("nothing tells that a thread was paused")
	}
	f := follow(t, events)
	if f.created != 2 || f.ended[complete] != 2 {
		t.Errorf("found %d tasks, %d complete, want the 2 that were not paused", f.created, f.ended[complete])
	}
	var ids []uint64
	for _, e := range events {
		if e.Type == event.TaskCreate {
			ids = append(ids, e.Task.Counter())
		}
	}
	if len(ids) == 2 && ids[1] != ids[0]+2 {
		t.Errorf("tasks have numbers %d, want one left out between them", ids)
	}
}

func TestEnded(t *testing.T) {
	runtimes := needRuntimes(t)
	r := recordProgram(t, session{program: "ended", runtime: runtimes[0]})
	f := follow(t, r.events())
	if p := r.open().Processes[0]; f.created != 1 || p.State != dsom.Ended || p.End == nil {
		t.Errorf("found %d tasks, state %v, end %v, want 1, ended by the program", f.created, p.State, p.End)
	}
}

// Started paused, a program without a word of its own records threads and regions only.
func TestStartPaused(t *testing.T) {
	runtimes := needRuntimes(t)
	events := recordProgram(t, session{program: "critical", runtime: runtimes[0], env: []string{"DAGSCOPE_OMPT_START=paused"}}).events()
	for _, e := range events {
		if e.Type > event.ImplicitEnd && e.Type != event.Binding && e.Type != event.Processor && e.Type != event.Lost { // which the pause is, to a reader
			t.Errorf("found an event of type %s, want threads, regions and implicit tasks only", e.Type)
		}
	}
	if n := count(events, func(e event.Event) bool { return e.Type == event.ThreadBegin }); n != 2 {
		t.Errorf("found %d threads, want 2", n)
	}
}

// The recording may be larger than memory: its header and a window per thread are
// all of it that is ever mapped, as the maps of the end show.
func TestBounded(t *testing.T) {
	runtimes := needRuntimes(t)
	r := recordProgram(t, session{program: "many", args: []string{"2", "1", "500000"}, runtime: runtimes[0]})
	p := r.open().Processes[0]
	if p.Lost != 0 || p.Bytes < 45<<20 || p.End == nil {
		t.Errorf("%d events lost, a file of %d bytes, end %+v; want none lost", p.Lost, p.Bytes, p.End)
	}
	if n := bytes.Count(lastMaps(t, r.one()), []byte(".dsom\n")); n < 1 || n > 3 {
		t.Errorf("found %d mappings of the file at the end, want 1 to 3", n)
	}
}

// lastMaps is the text of the file's last maps chunk.
func lastMaps(t *testing.T, path string) (text []byte) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const unit, maps = 65536, 3
	for at := unit; at+128 <= len(data); at += unit {
		head := data[at : at+128]
		if bytes.HasPrefix(head, []byte("DSOMCHNK")) && head[8] == maps {
			text = data[at+128:][:binary.LittleEndian.Uint64(head[24:])]
		}
	}
	return text
}
