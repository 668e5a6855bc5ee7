package decode_test

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/read/assemble"
	"dagscope/read/fxt/decode"
	"dagscope/read/fxt/internal/fxttest"
	"dagscope/read/fxt/layout"
	"dagscope/trace"
)

// stepsOf is by how much a word of a parameter of this name grows from one copy
// of a program's run to the next: jobs, transfers and submissions go on
// counting, addresses are others.
var stepsOf = map[string]uint64{
	"job": 1 << 20, "pred": 1 << 20, "succ": 1 << 20, "com": 1 << 20, "order": 1 << 20,
	"handle": 1 << 28, "jobptr": 1 << 28, "request": 1 << 28,
}

// program is one that does the same several times over.
type program struct {
	events []fxttest.Event
	steps  [][]uint64 // of each event's words
	once   []bool     // events of the machine, which is set up once
	last   []bool     // and shut down once
	span   uint64     // ns of a copy
}

// newProgram loads the trace of one. All its words are taken as numbers, texts
// too.
func newProgram(tb testing.TB, path, version string) *program {
	tb.Helper()
	v, err := layout.Named(version)
	if err != nil {
		tb.Fatal(err)
	}
	events, err := fxttest.Load(path, nil)
	if err != nil {
		tb.Fatal(err)
	}
	c := &program{events: events, span: events[len(events)-1].Time - events[0].Time + 1}
	for _, e := range events {
		l, steps := v.Lookup(e.Code), make([]uint64, len(e.Args))
		c.once = append(c.once, l == nil || l.Name == "NEW_MEM_NODE" || l.Name == "WORKER_INIT_START" || l.Name == "WORKER_INIT_END" || e.Code >= 0xff00)
		c.last = append(c.last, l != nil && (l.Name == "WORKER_DEINIT_START" || l.Name == "WORKER_DEINIT_END"))
		for i := range steps {
			if l != nil && i < len(l.Params) {
				steps[i] = stepsOf[l.Params[i]]
			}
		}
		c.steps = append(c.steps, steps)
	}
	return c
}

// write writes the trace of n copies, one after the other.
func (c *program) write(w io.Writer, n int) error {
	form := fxttest.Form{NoSize: true}
	if _, err := w.Write(fxttest.File(nil, form)); err != nil {
		return err
	}
	var buf []byte
	for k := range uint64(n) {
		for i, e := range c.events {
			if c.once[i] && k > 0 || c.last[i] && int(k) < n-1 {
				continue
			}
			e.Time += k * c.span
			args := append(e.Args[:0:0], e.Args...)
			for j, step := range c.steps[i] {
				args[j] += k * step
			}
			e.Args = args
			buf = form.Body(buf[:0], []fxttest.Event{e})
			if _, err := w.Write(buf); err != nil {
				return err
			}
		}
	}
	return nil
}

// file writes the trace of n copies into a file.
func (c *program) file(tb testing.TB, path string, n int) {
	tb.Helper()
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	if err := c.write(w, n); err != nil {
		tb.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		tb.Fatal(err)
	}
	if err := f.Close(); err != nil {
		tb.Fatal(err)
	}
}

var smallTrace = testenv.Repo("testdata/starpu/sg-mirage-n12-dmdas/fxt/prof_file_root_0.zst")

// A program that does the same five times over leaves a run with five times the
// tasks and their data, each as long as the first time.
func TestLongRun(t *testing.T) {
	const n = 5
	c := newProgram(t, smallTrace, "1.4")
	one, many := runOf(t, c, 1), runOf(t, c, n)
	tasks := len(one.Task.Start)
	for _, table := range []struct {
		name      string
		one, many int
	}{
		{"tasks", tasks, len(many.Task.Start)},
		{"edges", len(one.Dep.To), len(many.Dep.To)},
		{"accesses", len(one.Access.Task), len(many.Access.Task)},
		{"transfers", len(one.Transfer.Start), len(many.Transfer.Start)},
		{"handles", len(one.Handle.Node), len(many.Handle.Node)},
	} {
		if table.many != n*table.one || table.one == 0 {
			t.Errorf("%d copies have %d %s, one has %d", n, table.many, table.name, table.one)
		}
	}
	rows := many.Task.Key.Rows()
	for i, code := range one.Task.Key.Code {
		for k := range int64(n) {
			j, late := rows[code+k*int64(stepsOf["job"])], k*int64(c.span)
			got, want := &many.Task, &one.Task
			if want.Worker[i] >= 0 && (got.Start[j] != want.Start[i]+late || got.End[j] != want.End[i]+late || got.Worker[j] != want.Worker[i]) {
				t.Fatalf("task %s ran on %d from %d to %d, wanted as %s %d times %d ns later", got.Key.At(int(j)), got.Worker[j], got.Start[j], got.End[j], want.Key.At(i), k, c.span)
			}
		}
	}
}

// runOf decodes n copies.
func runOf(tb testing.TB, c *program, n int) *trace.Run {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "prof_file_me_0")
	c.file(tb, path, n)
	parts, err := decode.Read([]string{path}, decode.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	run, err := assemble.Assemble(parts, assemble.Options{Generation: trace.DefaultGeneration})
	if err != nil {
		tb.Fatal(err)
	}
	return run
}

// BenchmarkLong decodes copies of the trace that DAGSCOPE_FXT names, as many as
// DAGSCOPE_COPIES says: what a long trace takes per event, in time and memory.
// With DAGSCOPE_LONG the trace is kept there, for other programs to try.
func BenchmarkLong(b *testing.B) {
	c := newProgram(b, testenv.Setting(b, "DAGSCOPE_FXT", "a trace"), "1.4")
	n, err := strconv.Atoi(testenv.Setting(b, "DAGSCOPE_COPIES", "a number of copies"))
	if err != nil {
		b.Fatal(err)
	}
	path := os.Getenv("DAGSCOPE_LONG")
	if path == "" {
		path = filepath.Join(b.TempDir(), "prof_file_me_0")
	}
	c.file(b, path, n)
	events := float64(len(c.events) * n)
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		start := cpuTime()
		parts, err := decode.Read([]string{path}, decode.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(cpuTime()-start)/events, "cpu-ns/event")
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/events, "B/event")
		runtime.KeepAlive(parts)
	}
}
