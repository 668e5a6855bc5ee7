package decode_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/read"
	"dagscope/read/fxt/decode"
	"dagscope/read/fxt/internal/fxttest"
	"dagscope/read/fxt/layout"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// lost says what a version of StarPU cannot tell that 1.4 tells, by table and
// column.
var lost = map[string][]string{"1.4.99": nil, "1.3.99": before14, "1.3": before14}

// before14 is: where tasks are submitted, where their data lies, what kind of
// prefetch it is, which task a thread with several workers executes, which request
// a transfer was.
var before14 = []string{
	"task.file", "task.line", "task[absent].file", "task[absent].line", "task.numa", "task[absent].numa",
	"transfer.kind", "state[Thread State].task", "state[absent].task", "event[Request Created]",
}

// TestVersionsTellTheSame writes a run of 1.4 as other versions of StarPU would
// have: it must be the same run but for what they cannot tell.
func TestVersionsTellTheSame(t *testing.T) {
	from, err := layout.Named("1.4")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"native-chol-n10-dmdas", "sg-mirage-n12-dmdas", "native-chol-tiny"} {
		events := loadNamed(t, filepath.Join(bundledRuns, name, "fxt", "prof_file_root_0.zst"), from)
		want := translated(t, events, from, from)
		for version, allowed := range lost {
			t.Run(name+"/"+version, func(t *testing.T) {
				to, err := layout.Named(version)
				if err != nil {
					t.Fatal(err)
				}
				got := translated(t, events, from, to)
				if v := got.Meta.Environment["events of StarPU"]; !strings.HasPrefix(v, version+" (") {
					t.Errorf("the version is %q", v)
				}
				for _, d := range tracetest.Compare(want, got) {
					if d.Table != "importlog" && d.Table != "account" && !slices.Contains(allowed, d.Where()) {
						t.Errorf("%s\n    %s", d, strings.Join(d.Examples, "\n    "))
					}
				}
			})
		}
	}
}

// loadNamed reads a file's events that the version knows, without callbacks:
// what a thread does after them changed.
func loadNamed(t *testing.T, path string, v *layout.Version) []fxttest.Event {
	t.Helper()
	events, err := fxttest.Load(path, func(code uint32) int {
		if e := v.Lookup(code); e != nil {
			return e.Text
		}
		return -1
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(events, func(ev fxttest.Event) bool {
		e := v.Lookup(ev.Code)
		return e == nil || strings.HasSuffix(e.Name, "_CALLBACK")
	})
}

// translated reads a file of the events as another version has them.
func translated(t *testing.T, events []fxttest.Event, from, to *layout.Version) *trace.Run {
	t.Helper()
	return asWritten(t, translate(events, from, to), read.Options{As: read.FxT})
}

// asWritten reads a file of the events.
func asWritten(t *testing.T, events []fxttest.Event, o read.Options) *trace.Run {
	t.Helper()
	file := filepath.Join(t.TempDir(), "prof_file_root_0")
	if err := os.WriteFile(file, fxttest.File(events, fxttest.Form{}), 0o644); err != nil {
		t.Fatal(err)
	}
	run, err := read.Read(file, o)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

var bundledRuns = testenv.Repo("testdata/starpu")

// TestReleasesBetween mixes the layouts of several versions, event by event, as
// releases between them do: what the number of words tells is read all the same.
func TestReleasesBetween(t *testing.T) {
	from, err := layout.Named("1.4")
	if err != nil {
		t.Fatal(err)
	}
	events := loadNamed(t, filepath.Join(bundledRuns, "sg-mirage-n12-dmdas", "fxt", "prof_file_root_0.zst"), from)
	want := translated(t, events, from, from)
	rng := rand.New(rand.NewPCG(1, 2))
	mixed := map[string]bool{}
	tr := translator{from: from, to: from}
	var some []fxttest.Event
	for _, ev := range events {
		e := from.Lookup(ev.Code)
		if at := e.Index("thread"); at >= 0 && at < len(ev.Args) {
			tr.thread = ev.Args[at]
		}
		variants := slices.DeleteFunc(from.Variants(ev.Code), func(o *layout.Event) bool {
			return o != e && (o.Text >= 0 || e.Text >= 0 || o.Fits(len(e.Params)))
		})
		o := variants[rng.IntN(len(variants))]
		mixed[e.Name] = mixed[e.Name] || o != e
		some = append(some, tr.event(ev, e, o))
	}
	for _, name := range []string{"START_EXECUTING", "DATA_REQUEST_CREATED", "CODELET_DETAILS", "START_CODELET_BODY", "DATA_LOAD"} {
		if !mixed[name] {
			t.Errorf("%s is never laid out otherwise: the test tests nothing", name)
		}
	}
	got := asWritten(t, some, read.Options{As: read.FxT, StarPUVersion: "1.4"})
	for _, d := range tracetest.Compare(want, got) {
		if d.Table != "importlog" && d.Table != "account" && !slices.Contains(before14, d.Where()) {
			t.Errorf("%s\n    %s", d, strings.Join(d.Examples, "\n    "))
		}
	}
}

// translate writes the events of one version as another has them.
func translate(events []fxttest.Event, from, to *layout.Version) []fxttest.Event {
	tr := translator{from: from, to: to, names: map[uint64][]byte{}}
	var out []fxttest.Event
	for _, ev := range events {
		e := from.Lookup(ev.Code)
		if at := e.Index("thread"); at >= 0 && at < len(ev.Args) {
			tr.thread = ev.Args[at]
		}
		if e.Name == "TASK_NAME" {
			tr.names[ev.Args[0]] = ev.Text
		}
		if other := decode.EventNamed(to, e.Name); other != nil {
			out = append(out, tr.event(ev, e, other))
		}
	}
	return out
}

type translator struct {
	from, to *layout.Version
	thread   uint64 // the last that was named
	names    map[uint64][]byte
}

func (tr *translator) event(ev fxttest.Event, e, other *layout.Event) fxttest.Event {
	out := fxttest.Event{Time: ev.Time, Thread: ev.Thread, Code: other.Code, Text: ev.Text}
	if e.Text >= 0 && other.Text < 0 {
		out.Text = nil
	}
	if e.Name == "START_CODELET_BODY" && other.Text >= 0 {
		out.Text = tr.names[ev.Args[0]]
	}
	for i, param := range other.Params {
		if i == other.Text {
			break
		}
		at := e.Index(param)
		switch {
		case i == other.List:
			out.Args = append(out.Args, ev.Args[e.List:]...)
		case at >= 0 && at < len(ev.Args):
			out.Args = append(out.Args, tr.value(param, ev.Args[at]))
		case param == "named":
			out.Args = append(out.Args, 1)
		case param == "thread":
			out.Args = append(out.Args, tr.thread)
		default:
			out.Args = append(out.Args, 0)
		}
	}
	return out
}

// value says with the numbers of the other version what a parameter means.
func (tr *translator) value(param string, v uint64) uint64 {
	switch param {
	case "kind":
		name, _ := tr.from.Kind(v)
		for k := uint64(0x100); k < 0x110; k++ {
			if other, ok := tr.to.Kind(k); ok && strings.EqualFold(other, name) {
				return k
			}
		}
	case "prefetch":
		name, _ := tr.from.Fetch(v)
		for k := uint64(0); k < 4; k++ {
			if other, ok := tr.to.Fetch(k); ok && other == name {
				return k
			}
		}
		return 1 // no version before 1.4 has that kind of prefetch
	}
	return v
}
