package starpu

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dagscope/internal/testenv"
	"dagscope/internal/text"
	"dagscope/read/assemble"
	"dagscope/trace"
)

// linesOf reads a file without the code under test.
func linesOf(t testing.TB, path string) []string {
	t.Helper()
	r, err := text.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var all bytes.Buffer
	if err := r.Blocks(func(b []byte, _ int64) error { all.Write(b); return nil }); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for s := bufio.NewScanner(&all); s.Scan(); {
		lines = append(lines, s.Text())
	}
	return lines
}

// readPath reads a file into p and checks that every line is accounted for.
func readPath(t testing.TB, path string, read reader, p *assemble.Parts) {
	t.Helper()
	r, err := text.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	file := filepath.Base(path)
	if err := read(r, p, file); err != nil {
		t.Fatal(err)
	}
	checkAccount(t, p, file, r.Source("").Lines)
}

func readString(t testing.TB, in, file string, read reader) *assemble.Parts {
	t.Helper()
	r, err := text.New(strings.NewReader(in), file)
	if err != nil {
		t.Fatal(err)
	}
	p := &assemble.Parts{}
	if err := read(r, p, file); err != nil {
		t.Fatal(err)
	}
	checkAccount(t, p, file, r.Source("").Lines)
	return p
}

func checkAccount(t testing.TB, p *assemble.Parts, file string, want int64) {
	t.Helper()
	var sum int64
	for i, n := range p.Account.Lines {
		if p.Account.Source.At(i) == file {
			sum += n
		}
	}
	if sum != want {
		t.Errorf("%s: accounted for %d lines of %d", file, sum, want)
	}
}

// find returns a file of a case, compressed or not; "" if it is not there.
func find(dir, name string) string {
	for _, suffix := range []string{"", ".zst", ".gz"} {
		if _, err := os.Stat(filepath.Join(dir, name+suffix)); err == nil {
			return filepath.Join(dir, name+suffix)
		}
	}
	return ""
}

// wrongs are the log entries above info.
func wrongs(p *assemble.Parts) string {
	var s []string
	for i := range p.Log.Count {
		if p.Log.Severity.At(i) != string(trace.Info) {
			s = append(s, p.Log.Code.At(i)+": "+p.Log.Message.At(i))
		}
	}
	return strings.Join(s, "\n")
}

// TestRealRuns reads every record file and graph of the recorded runs: nothing
// is left out, and the rows are as many as a plain count of lines says.
func TestRealRuns(t *testing.T) {
	cases := testenv.References(t, "data/starpu/*/README.md")
	for _, readme := range cases {
		dir := filepath.Dir(readme)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			if info, err := os.Stat(find(dir, "tasks.rec")); err != nil || info.Size() > 150<<10 {
				testenv.Slow(t)
			}
			p := &assemble.Parts{}
			for name, c := range map[string]struct {
				read  reader
				begin string
				rows  func() int
			}{
				"tasks.rec":       {readTasks, "JobId: ", func() int { return p.Task.Job.Len() }},
				"data.rec":        {readData, "Handle: ", func() int { return p.Data.Handle.Len() }},
				"comms.rec":       {readComms, "Src: ", func() int { return len(p.Comm.Src) }},
				"sched_tasks.rec": {readSched, "Type: ", func() int { return len(p.Sched.Push) }},
				"dag.dot":         {readDot, "->", func() int { return p.Edge.From.Len() }},
			} {
				path := find(dir, name)
				if path == "" {
					continue
				}
				readPath(t, path, c.read, p)
				want := 0
				for _, l := range linesOf(t, path) {
					if strings.Contains(l, c.begin) {
						want++
					}
				}
				if got := c.rows(); got != want {
					t.Errorf("%s: %d rows, want %d", name, got, want)
				}
			}
			if s := wrongs(p); s != "" {
				t.Errorf("log: %s", s)
			}
			checkTasks(t, p, dir)
		})
	}
}

// checkTasks compares columns of tasks.rec with another reading of it.
func checkTasks(t *testing.T, p *assemble.Parts, dir string) {
	row := -1
	values := map[string]string{}
	check := func() {
		if len(values) == 0 {
			return
		}
		row++
		c := &p.Task
		job := values["JobId"]
		if values["Control"] != "" && values["MPIRank"] != "-1" && values["MPIRank"] != "" {
			job = values["MPIRank"] + "_" + job
		}
		if c.Job.At(row) != job || c.Name.At(row) != values["Name"] || c.Parameters.At(row) != values["Parameters"] {
			t.Fatalf("row %d is job %q %q, want %q %q", row, c.Job.At(row), c.Name.At(row), job, values["Name"])
		}
		if want, ok := text.Millis([]byte(values["EndTime"])); ok != (c.End[row] != trace.NoTime) || (ok && want != c.End[row]) {
			t.Fatalf("row %d ends at %d, want %s ms", row, c.End[row], values["EndTime"])
		}
		var deps, handles []string
		for _, code := range c.DependsOn.At(row) {
			deps = append(deps, string(c.Job.AppendTo(nil, code)))
		}
		for _, i := range c.Handles.At(row) {
			handles = append(handles, c.HandleNames.Dict[i])
		}
		if strings.Join(deps, " ") != values["DependsOn"] || strings.Join(handles, " ") != values["Handles"] {
			t.Fatalf("row %d depends on %q with %q, want %q with %q", row, deps, handles, values["DependsOn"], values["Handles"])
		}
		if n := len(c.Modes.At(row)); values["Modes"] != "" && n != len(handles) {
			t.Fatalf("row %d has %d modes for %d handles", row, n, len(handles))
		}
		clear(values)
	}
	for _, l := range linesOf(t, find(dir, "tasks.rec")) {
		if l == "" {
			check()
			continue
		}
		k, v, _ := strings.Cut(l, ": ")
		values[k] = v
	}
	check()
}

// TestTasksAreReadFast keeps the reader from getting slow by an order of
// magnitude: 37 820 tasks, 1e6 lines, take about 0.15 s.
func TestTasksAreReadFast(t *testing.T) {
	path := testenv.Reference(t, "data/starpu/sg-mirage-n60-dmdas/tasks.rec")
	start := time.Now()
	p := &assemble.Parts{}
	readPath(t, path, readTasks, p)
	took := time.Since(start)
	t.Logf("%d records in %v", p.Task.Job.Len(), took)
	if took > 3*time.Second {
		t.Errorf("reading took %v", took)
	}
}

func BenchmarkTasks(b *testing.B) {
	path := testenv.Reference(b, "data/starpu/sg-mirage-n60-dmdas/tasks.rec")
	for b.Loop() {
		readPath(b, path, readTasks, &assemble.Parts{})
	}
}

func BenchmarkDot(b *testing.B) {
	path := testenv.Reference(b, "data/starpu/sg-mirage-n60-dmdas/dag.dot")
	for b.Loop() {
		readPath(b, path, readDot, &assemble.Parts{})
	}
}

// TestRealModels reads all performance models and machine files that StarPU
// ships.
func TestRealModels(t *testing.T) {
	sampling := testenv.Reference(t, "data/starpu/perfmodels/sampling")
	paths := testenv.References(t, "data/starpu/perfmodels/sampling/codelets/45/*")
	p := &assemble.Parts{}
	for _, host := range []string{"mirage", "attila", "hannibal"} {
		q := &assemble.Parts{}
		for _, ext := range []string{".config", ".bandwidth", ".latency", ".platform.xml", ".platform.v4.xml"} {
			readPath(t, filepath.Join(sampling, "bus", host+ext), readPlatform, q)
		}
		if q.Platform.Host != host || len(q.Platform.Devices) != 3 || len(q.Platform.Bandwidth) != 7 || len(q.Platform.Latency) != 7 {
			t.Errorf("%s: platform is %+v", host, q.Platform)
		}
		if q.Platform.Devices[1] != (trace.Devices{Arch: "cuda", Count: 3}) {
			t.Errorf("%s: devices are %+v", host, q.Platform.Devices)
		}
		if s := wrongs(q); s != "" {
			t.Errorf("%s: log: %s", host, s)
		}
	}
	for _, path := range paths {
		readPath(t, path, readPerfModel, p)
	}
	if s := wrongs(p); s != "" {
		t.Errorf("log: %s", s)
	}
	// docs/design/starpu.md, Performance models: kernel means on mirage, tile 960
	// (us).
	for _, c := range []struct {
		symbol, arch string
		footprint    uint32
		mean         float64
	}{{"chol_model_gemm", "cpu", 0x24c84a50, 87780.20}, {"chol_model_gemm", "cuda", 0x24c84a50, 2805},
		{"chol_model_potrf", "cpu", 0x617e5fe6, 18850}, {"chol_model_potrf", "cuda", 0x617e5fe6, 5367}} {
		found := false
		for i := range p.Model.Mean {
			m := &p.Model
			if m.Symbol.At(i) == c.symbol && m.Arch.At(i) == c.arch && m.Device[i] == 0 && m.Footprint[i] == c.footprint {
				d := m.Mean[i]/1000 - c.mean
				found = found || (d > -1 && d < 1)
			}
		}
		if !found {
			t.Errorf("no entry of %s on %s near %v us", c.symbol, c.arch, c.mean)
		}
	}
}
