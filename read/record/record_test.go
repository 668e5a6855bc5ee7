package record_test

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"dagscope/explain/breakdown"
	"dagscope/read/ompt"
	"dagscope/read/ompt/dsom"
	"dagscope/read/ompt/event"
	"dagscope/trace"
)

// session is a program to record, and how.
type session struct {
	program string
	args    []string
	env     []string
	runtime libomp
	fails   bool // the program's exit status may be anything
}

// recorded is what there is after it ran.
type recorded struct {
	t      *testing.T
	paths  []string // one file per process
	output []byte
}

// record runs the program under the recorder, in a directory of its own.
func recordProgram(t *testing.T, s session) recorded {
	t.Helper()
	library, err := tools.library()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := exec.Command(program(t, s.program), s.args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+s.runtime.dir, "OMP_NUM_THREADS=2", "OMP_WAIT_POLICY=passive",
		"OMP_TOOL_LIBRARIES="+library, "DAGSCOPE_OMPT_FILE="+filepath.Join(dir, "%p.dsom"))
	cmd.Env = append(cmd.Env, s.env...)
	out, err := cmd.CombinedOutput()
	if exit := new(exec.ExitError); err != nil && !(s.fails && errors.As(err, &exit)) {
		t.Fatalf("run %s: %v: %s", s.program, err, out)
	}
	paths, _ := filepath.Glob(filepath.Join(dir, "*.dsom"))
	return recorded{t, paths, out}
}

// one is the only file.
func (r recorded) one() string {
	r.t.Helper()
	if len(r.paths) != 1 {
		r.t.Fatalf("found recordings %q, want one; the program said: %s", r.paths, r.output)
	}
	return r.paths[0]
}

// open reads the one file, which must be without fault.
func (r recorded) open() *dsom.Recording {
	r.t.Helper()
	rec, err := dsom.Open([]string{r.one()})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { rec.Close() })
	return rec
}

// events are all events of the one process, in order.
func (r recorded) events() []event.Event {
	r.t.Helper()
	rec := r.open()
	events := readEvents(r.t, rec)
	if list, _ := rec.Problems(); len(list) != 0 {
		r.t.Errorf("the file has problems: %v", list)
	}
	return events
}

func readEvents(t *testing.T, rec *dsom.Recording) []event.Event {
	t.Helper()
	source, err := rec.EventsOf(0)
	if err != nil {
		t.Fatal(err)
	}
	var all []event.Event
	for {
		var e event.Event
		more, err := source.Next(&e)
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			return all
		}
		e.Deps = slices.Clone(e.Deps)
		all = append(all, e)
	}
}

// run imports the file and checks what must hold for any program that ended
// well: no event that no program can have made, and a breakdown that adds up.
func (r recorded) run() *trace.Run {
	r.t.Helper()
	run, err := ompt.Read([]string{r.one()}, ompt.Options{})
	if err != nil {
		r.t.Fatal(err)
	}
	for i := range run.Log.Count {
		if severity := run.Log.Severity.At(i); severity != "info" {
			r.t.Errorf("import: %s %s: %s (%d times)", severity, run.Log.Code.At(i), run.Log.Message.At(i), run.Log.Count[i])
		}
	}
	for _, notReady := range []bool{false, true} {
		checkAdditive(r.t, run, notReady)
	}
	return run
}

// checkAdditive: work, idleness and overhead are the threads' lifetimes, to the
// nanosecond (docs/design/methods.md, Time breakdown).
func checkAdditive(t *testing.T, run *trace.Run, notReady bool) {
	t.Helper()
	result := breakdown.Compute(run, breakdown.Options{Lifetimes: true, WaitingNotReady: notReady})
	var lifetimes int64
	for _, w := range result.Workers {
		from, to := breakdown.Lifetime(run, w)
		lifetimes += to - from
	}
	if p := result.Total(breakdown.Global); p.Work+p.Idleness+p.Overhead != lifetimes || p.Work == 0 {
		t.Errorf("work %d + idleness %d + overhead %d ns, want the threads' lifetimes, %d", p.Work, p.Idleness, p.Overhead, lifetimes)
	}
}

// fates counts how tasks were created and how they went on.
type fates struct {
	created, undeferred, pseudo, target int
	ended                               map[uint8]int // by status
	dependences                         [][]uint8     // types of each task's, in order of creation
}

func follow(t *testing.T, events []event.Event) fates {
	t.Helper()
	f := fates{ended: map[uint8]int{}}
	known := map[event.ID]bool{}
	var last int64
	for _, e := range events {
		if e.Time < last {
			t.Errorf("time goes back from %d to %d", last, e.Time)
		}
		last = e.Time
		switch e.Type {
		case event.ImplicitBegin:
			known[e.Task] = true
		case event.TaskCreate:
			f.create(e)
			if known[e.Task] || !known[e.Task2] {
				t.Errorf("task %x made by %x: want a new one made by a known one", e.Task, e.Task2)
			}
			known[e.Task] = true
		case event.Dependences:
			f.dependences = append(f.dependences, types(e.Deps))
			if !known[e.Task] {
				t.Errorf("dependences of task %x, which was not created", e.Task)
			}
		case event.TaskSchedule:
			if e.Kind != event.StatusSwitch && e.Kind != event.StatusYield {
				f.ended[e.Kind]++
			}
			if !known[e.Task] || (e.Task2 != 0 && !known[e.Task2]) {
				t.Errorf("switch from task %x to %x, want known ones", e.Task, e.Task2)
			}
		}
	}
	return f
}

func (f *fates) create(e event.Event) {
	switch {
	case e.Flags&event.FlagTaskwait != 0:
		f.pseudo++
	case e.Flags&event.FlagTarget != 0:
		f.target++
	default:
		f.created++
	}
	if e.Flags&event.FlagUndeferred != 0 {
		f.undeferred++
	}
}

func types(deps []event.Dep) []uint8 {
	out := make([]uint8, len(deps))
	for i, d := range deps {
		out[i] = d.Type
	}
	return out
}

// equal compares two counts of ends.
func equal(a, b map[uint8]int) bool { return maps.Equal(a, b) }

func contains(text []byte, part string) bool { return bytes.Contains(text, []byte(part)) }
