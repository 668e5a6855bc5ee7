package starvz

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/ingest/assemble"
	"dagscope/ingest/text"
	"dagscope/trace"

	"github.com/klauspost/compress/gzip"
)

func sharedData(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
	}
	data := filepath.Join(dir, "..", "shared", "data", "starvz")
	if _, err := os.Stat(data); err != nil {
		t.Skip("no ../shared/data/starvz here")
	}
	return data
}

func wrongs(p *assemble.Parts) string {
	var s []string
	for i := range p.Log.Count {
		if p.Log.Severity.At(i) != string(trace.Info) {
			s = append(s, fmt.Sprintf("%s:%d: %s (%d times): %s", p.Log.Source.At(i), p.Log.Position[i], p.Log.Code.At(i), p.Log.Count[i], p.Log.Message.At(i)))
		}
	}
	return strings.Join(s, "\n")
}

// checkAccounts compares the account of each source with its length.
func checkAccounts(t *testing.T, p *assemble.Parts) {
	t.Helper()
	lines := map[string]int64{}
	for i, n := range p.Account.Lines {
		lines[p.Account.Source.At(i)] += n
	}
	for _, s := range p.Sources {
		if s.Role != "unused" && lines[filepath.Base(s.Path)] != s.Lines {
			t.Errorf("%s: accounted for %d lines of %d", s.Path, lines[filepath.Base(s.Path)], s.Lines)
		}
	}
}

func linesOf(t *testing.T, path string) []string {
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
	return strings.Split(strings.TrimSuffix(all.String(), "\n"), "\n")
}

// rows is the number of rows of each kind of table that the files fill.
func rows(p *assemble.Parts) map[string]int {
	return map[string]int{
		"paje.variable": len(p.Sample.Time), "paje.link": p.Link.Key.Len(), "paje.events": len(p.Event.Time),
		"rec.tasks": p.Task.Job.Len(), "rec.data_handles": p.Data.Handle.Len(), "states": len(p.State.Start),
	}
}

// TestRealInputs reads the inputs of StarVZ's own examples and of a run of
// StarPU 1.4 with MPI: every row of every file arrives.
func TestRealInputs(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join(sharedData(t), "*", "raw*"))
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, dir := range dirs {
		if !Sniff(dir) {
			continue
		}
		read++
		name, err := filepath.Rel(sharedData(t), dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			var last int64
			p, err := Read(dir, func(n int64) {
				if n < last {
					t.Errorf("progress went back from %d to %d", last, n)
				}
				last = n
			})
			if err != nil {
				t.Fatal(err)
			}
			if s := wrongs(p); s != "" && !strings.HasPrefix(name, "lu_trace") {
				t.Errorf("log: %s", s)
			} else if strings.Count(s, "\n") > 1 {
				// Its entities.csv is that of another run: two user threads and
				// eight workers are missing there.
				t.Errorf("log: %s", s)
			}
			checkAccounts(t, p)
			want := map[string]int{}
			for _, s := range p.Sources {
				if s.Role == "states" {
					want["states"] += int(s.Lines) - 1
				} else if s.Role != "unused" {
					want[stem(s.Path)] = int(s.Lines) - 1
				}
			}
			got := rows(p)
			for k, n := range got {
				if n != want[k] {
					t.Errorf("%s: %d rows, want %d", k, n, want[k])
				}
			}
			checkExtended(t, p)
		})
	}
	if read < 5 {
		t.Errorf("found %d directories of inputs, want 5", read)
	}
}

// checkExtended compares the extended worker states with the records of tasks:
// the same jobs, at the same times, on a worker that exists.
func checkExtended(t *testing.T, p *assemble.Parts) {
	t.Helper()
	task := p.Task.Job.Rows()
	seen := 0
	for row, ext := range p.State.Extended {
		if ext < 0 || p.State.Type.At(row) != "Worker State" {
			continue
		}
		seen++
		code, ok := p.Task.Job.Lookup(p.Extended.Job.At(int(ext)))
		if !ok {
			t.Fatalf("state of job %s, which has no record", p.Extended.Job.At(int(ext)))
		}
		r := task[code]
		if p.Task.Start[r] != p.State.Start[row] || p.Task.Footprint[r] != p.Extended.Footprint[ext] || p.Task.Tag[r] != p.Extended.Tag[ext] {
			t.Fatalf("job %s starts at %d with footprint %x, its record says %d and %x", p.Extended.Job.At(int(ext)),
				p.State.Start[row], p.Extended.Footprint[ext], p.Task.Start[r], p.Task.Footprint[r])
		}
		if g := p.Task.GFlop[r]; !math.IsNaN(g) && math.Abs(g-p.Extended.GFlop[ext]) > 1e-6 {
			t.Fatalf("job %s has %v GFlop, its record says %v", p.Extended.Job.At(int(ext)), p.Extended.GFlop[ext], g)
		}
		if o := p.Task.Order[r]; o != p.Extended.Order[ext] {
			t.Fatalf("job %s is number %d, its record says %d", p.Extended.Job.At(int(ext)), p.Extended.Order[ext], o)
		}
	}
	if seen == 0 {
		t.Error("no extended state of a worker")
	}
}

// TestDagDirection compares dag.csv with the dag.dot that it was made of:
// Dependent is the node that the arrow comes from.
func TestDagDirection(t *testing.T) {
	dir := filepath.Join(sharedData(t), "sgmpi-np4-n20-dmdas", "raw")
	p, err := Read(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for i := range p.Edge.From.Len() {
		got = append(got, p.Edge.From.At(i)+">"+p.Edge.To.At(i))
	}
	for _, l := range linesOf(t, filepath.Join(dir, "dag.dot.gz")) {
		if from, to, ok := strings.Cut(strings.NewReplacer(`"`, "", "task_", "", " ", "", "\t", "").Replace(l), "->"); ok {
			want = append(want, from+">"+to)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%d edges, want the %d of dag.dot", len(got), len(want))
	}
	ends, starts := map[string]int64{}, map[string]int64{}
	for i := range p.Task.Job.Len() {
		ends[p.Task.Job.At(i)], starts[p.Task.Job.At(i)] = p.Task.End[i], p.Task.Start[i]
	}
	for i := range p.Edge.From.Len() {
		end, start := ends[p.Edge.From.At(i)], starts[p.Edge.To.At(i)]
		if end > 0 && start > 0 && end > start {
			t.Fatalf("%s ends at %d, after %s starts at %d", p.Edge.From.At(i), end, p.Edge.To.At(i), start)
		}
	}
}

// write makes a directory of inputs, synthetic as all that follows.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, s := range files {
		b := []byte(s)
		if strings.HasSuffix(name, ".gz") {
			var z bytes.Buffer
			w := gzip.NewWriter(&z)
			if _, err := w.Write(b); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			b = z.Bytes()
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const entities = `Parent, Name, Type, Nature
0, 0, 0, Container
0, root, MPI Program, Container
root, MPI communication, MPI communication, Link
root, 0_program, Program, Container
0_program, 0_MEMMANAGER0, Memory Manager, Container
0_program, 0_MEMMANAGER1, Memory Manager, Container
0_program, 0_CPU0, Worker, Container
`

const stateHeader = "Nature, ResourceId, Type, Start, End, Duration, Depth, Value"
const fullHeader = stateHeader + ", Size, Params, Footprint, Tag, JobId, SubmitOrder, GFlop, X, Y, Iteration, Subiteration"

func read(t *testing.T, files map[string]string) *assemble.Parts {
	t.Helper()
	if files["entities.csv"] == "" {
		files["entities.csv"] = entities
	}
	p, err := Read(write(t, files), nil)
	if err != nil {
		t.Fatal(err)
	}
	checkAccounts(t, p)
	return p
}

func TestContainers(t *testing.T) {
	p := read(t, map[string]string{"entities.csv": entities + "nowhere, 0_CPU1, Worker, Container\n0_program, 0_CPU0, Worker, Container\nshort\n"})
	c := &p.Container
	if c.Name.Len() != 6 || c.Parent[0] != trace.None || c.Parent[1] != 0 || c.Parent[4] != 1 || c.Type.At(4) != "Worker" || c.Parent[5] != trace.None {
		t.Errorf("containers are %+v", c)
	}
	for _, code := range []string{"unknown-parent", "repeated-container"} {
		if !p.Log.Seen(trace.Warning, "entities.csv", code) {
			t.Errorf("no log entry %s", code)
		}
	}
	if !p.Log.Seen(trace.Error, "entities.csv", "damaged-row") {
		t.Error("a short row is not logged")
	}
}

// TestLayoutsOfStates gives the same task in the layouts of StarPU 1.2, 1.3 and
// 1.4.12, under the headers that StarVZ writes for them.
func TestLayoutsOfStates(t *testing.T) {
	head := "State, 0_CPU0, Worker State, 1.5, 3.5, 2.0, 0.000000, my task, 64, M4x4x4, ff82dda0, 40000000000b000b, 0_137, 0_89, "
	for name, c := range map[string]struct {
		header, tail string
		priority     int64
		numa         string
	}{
		"1.2":                        {fullHeader, "0.885657, 11, 12, 3, -1", trace.NoTime, ""},
		"1.2 padded":                 {fullHeader + ", NumaNodes", "0.885657, 11, 12, 3, -1,", trace.NoTime, ""},
		"1.3 with NUMA":              {fullHeader + ", NumaNodes", "0.885657, 11, 12, 3, -1, -1_-1", trace.NoTime, "-1_-1"},
		"1.4.12":                     {fullHeader + ", NumaNodes", "13, 0.885657, 11, 12, 3, -1, -1_-1", 13, "-1_-1"},
		"1.4.12, short header":       {fullHeader, "13, 0.885657, 11, 12, 3, -1, 0,1_2", 13, "0,1_2"},
		"1.4.12, no NUMA":            {fullHeader, "18446744073709551615, 0.885657, 11, 12, 3, -1, x", -1, ""},
		"header of bare states only": {stateHeader, "13, 0.885657, 11, 12, 3, -1, -1", 13, "-1"},
	} {
		p := read(t, map[string]string{"paje.worker_state.csv": c.header + "\n" + head + c.tail + "\n"})
		e := &p.Extended
		if len(e.Order) != 1 {
			t.Errorf("%s: %d extended states; log: %s", name, len(e.Order), wrongs(p))
			continue
		}
		got := fmt.Sprint(p.State.Kind.At(0), p.State.Start[0], p.State.End[0], e.Job.At(0), e.Order[0], e.Priority[0], e.Bytes[0], e.Parameters.At(0),
			e.Footprint[0], e.Tag[0], e.GFlop[0], e.X[0], e.Y[0], e.Iteration[0], e.Subiteration[0], e.Numa.At(0))
		want := fmt.Sprint("my task", 1_500_000, 3_500_000, "0_137", int32(89), c.priority, int64(64), "M4x4x4",
			uint32(0xff82dda0), uint64(0x40000000000b000b), 0.885657, int32(11), int32(12), int32(3), int32(-1), c.numa)
		if got != want || wrongs(p) != "" {
			t.Errorf("%s: read %s, want %s; log: %s", name, got, want, wrongs(p))
		}
	}
}

func TestOtherStates(t *testing.T) {
	p := read(t, map[string]string{"paje.other_state.csv.gz": stateHeader + "\n" +
		"State, 0_CPU0, InCtx1, 1, 2, 1, 0, do_subtree\n" +
		"State, 0_CPU0, InCtx1, 1, 2, 1, 0, do_subtree, 0, 0, b4059432, 0000000300000051, 220, 219\n" +
		"State, 0_T0, Thread State, 1, 2, 1, 1.000000, Executing, 1\n" +
		"State, 0_CPU0, Worker State, 1, 2, 1, 0, gemm<float, 3, true>,,,,\n" +
		"State, 0_CPU0, Worker State, 1, 2, 1, 0, gemm<float, 3>, 8, M, 1f, 0, 0_5, 0_6, 1.5, 1, 2, 3, 4\n" +
		"State, 0_CPU0, Worker State, 1, 2, 1\n" +
		"State, 0_CPU0, Worker State, one, 2, 1, 0, Idle\n"})
	var got []string
	for i := range p.State.Start {
		s := p.State.Kind.At(i)
		if e := int(p.State.Extended[i]); e >= 0 {
			s += fmt.Sprintf("/%s/%d/%d", p.Extended.Job.At(e), p.Extended.Order[e], p.Extended.Bytes[e])
		}
		got = append(got, s)
	}
	want := []string{"do_subtree", "do_subtree/220/219/0", "Executing/1/-1/-1", "gemm<float, 3, true>", "gemm<float, 3>/0_5/6/8"}
	if !slices.Equal(got, want) {
		t.Errorf("states are %q, want %q", got, want)
	}
	if p.State.Depth[2] != 1 || p.Horizon != 2_000_000 {
		t.Errorf("depth %d, horizon %d", p.State.Depth[2], p.Horizon)
	}
	file := "paje.other_state.csv.gz"
	if !p.Log.Seen(trace.Warning, file, "unknown-container") || p.Log.Total(trace.Error) != 2 {
		t.Errorf("log: %s", wrongs(p))
	}
	if i := p.Container.Name.Find("0_T0"); i < 0 || p.Container.Type.At(int(p.State.Container[2])) != "Thread" || p.Container.Parent[i] != 1 {
		t.Error("a container that entities.csv lacks is not added to its program with its type")
	}
}

func TestLinks(t *testing.T) {
	const header = "Nature, Container, Type, Start, End, Duration, Size, Origin, Dest, Key, Tag, MPIType, Priority, Handle\n"
	p := read(t, map[string]string{"paje.link.csv": header +
		"Link, root, MPI communication, 3, 4, 1, 64, 0_MEMMANAGER0, 0_MEMMANAGER1, mpicom_10, 40, PointToPoint, 37, 55bd, A, 0, 2\n" +
		"Link, root, MPI communication, 3, 4, 1, 64, 0_MEMMANAGER0, 0_MEMMANAGER1, mpicom_11, 41,,,\n" +
		"Link, 0_program, Intra-node data Fetch, 5, 4, -1, 64, 0_MEMMANAGER1, 0_MEMMANAGER0, com_4, 55be, A, 0, 0\n" +
		"Link, 0_program, Work steal, 3, 3, 0, 0, 0_CPU0, 0_CPU0, steal_0,,,,\n" +
		"Link, 0_program, Work steal, 3\n"})
	c := &p.Link
	var got []string
	for i := range c.Key.Len() {
		got = append(got, fmt.Sprint(c.Key.At(i), c.Container[i], c.From[i], c.To[i], c.Start[i], c.End[i], c.Bytes[i], c.Tag[i], c.Mode.At(i), c.Priority[i], c.Handle.At(i)))
	}
	want := []string{
		fmt.Sprint("mpicom_10", 0, 2, 3, 3_000_000, 4_000_000, 64, 40, "PointToPoint", 37, "55bd"),
		fmt.Sprint("mpicom_11", 0, 2, 3, 3_000_000, 4_000_000, 64, 41, "", 0, ""),
		fmt.Sprint("com_4", 1, 3, 2, 5_000_000, 4_000_000, 64, 0, "", 0, "55be"),
		fmt.Sprint("steal_0", 1, 4, 4, 3_000_000, 3_000_000, 0, 0, "", 0, ""),
	}
	if !slices.Equal(got, want) {
		t.Errorf("links are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if p.Log.Total(trace.Error) != 1 || p.Horizon != 5_000_000 {
		t.Errorf("horizon %d, log: %s", p.Horizon, wrongs(p))
	}
}

func TestEventsAndVariables(t *testing.T) {
	p := read(t, map[string]string{
		"paje.events.csv": "Nature, Container, Type, Start, Value, Handle, Info, Size, Tid, Src\n" +
			"Event, 0_program, program event type, 0.5, end of MPI_Barrier, rank 0\n" +
			"Event, 0_program, Task Push, 0.5, 1,,,,,\n" +
			"Event, 0_MEMMANAGER0, Allocating End, 7, 0, 559f, 7372800, 12, 0_mm1\n" +
			"Event, 0_MEMMANAGER0, Allocating End, 7, 0, 559f, 1, 12, x, 0_mm1,\n" +
			"Event, 0_program, empty, 0.5\n" +
			"State, 0_program, empty, 0.5\n",
		"paje.variable.csv": "Nature, ResourceId, Type, Start, End, Duration, Value\n" +
			"Variable, 0_CPU0, GFlop/s, 1, 9.5, 8.5, -2.5\nVariable, 0_CPU0, GFlop/s, 1, 9.5, 8.5\n",
	})
	e := &p.Event
	var got []string
	for i := range e.Time {
		got = append(got, fmt.Sprint(e.Type.At(i), e.Container[i], e.Time[i], e.Value.At(i), "/", e.Handle.At(i), "/", e.Info.At(i), "/", e.Bytes[i], e.Peer[i]))
	}
	want := []string{
		fmt.Sprint("program event type", 1, 500_000, "end of MPI_Barrier, rank 0", "/", "", "/", "", "/", -1, -1),
		fmt.Sprint("Task Push", 1, 500_000, "1", "/", "", "/", "", "/", -1, -1),
		fmt.Sprint("Allocating End", 2, 7_000_000, "0", "/", "559f", "/", "7372800", "/", 12, 3),
		fmt.Sprint("Allocating End", 2, 7_000_000, "0", "/", "559f", "/", "1", "/", 12, 3),
		fmt.Sprint("empty", 1, 500_000, "", "/", "", "/", "", "/", -1, -1),
	}
	if !slices.Equal(got, want) {
		t.Errorf("events are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if s := &p.Sample; len(s.Time) != 1 || s.Value[0] != -2.5 || s.Time[0] != 1_000_000 || p.Horizon != 9_500_000 {
		t.Errorf("samples are %+v, horizon %d", p.Sample, p.Horizon)
	}
	if p.Log.Total(trace.Error) != 2 {
		t.Errorf("log: %s", wrongs(p))
	}
}

func TestRecordsAndGraph(t *testing.T) {
	p := read(t, map[string]string{
		"rec.tasks.csv": "Control,JobId,Name,MPIRank,DependsOn,DepLabels,StartTime,EndTime,Handles,Modes,Sizes,Extra\n" +
			"WontUse,7,,0,,,,,a b,,,\n,0_8,\"gemm \"\"x\"\", y\",0,0_1 0_2,task task,1.5,2.5,a b,R RW,8 8,z\n,0_9\n,,,\n,0_9,,,,,,,,,,,,more\n",
		"rec.data_handles.csv": "Handle,Size,Coordinates\n55d3,64,0 1\n",
		"rec.papi.csv":         "JobId,PapiEvent,Value\n0_8,PAPI_TOT_INS,5000000000\n",
		"dag.csv":              "Dependent,JobId\n0_1,0_8\n0_8,mpi_280_21\ntag_4,9->tag_4[style=dashed]\ntag_4,0_7\nlonely,\n",
		"pmtool.csv":           "Alg,Bound,Time\n", "rec.papi.csv.gz": "second form\n", "conf.txt": "x\n",
	})
	c := &p.Task
	if c.Job.Len() != 3 || c.Job.At(0) != "0_7" || c.Control.At(0) != "WontUse" || c.Name.At(1) != `gemm "x", y` || c.Start[1] != 1_500_000 ||
		len(c.DependsOn.At(1)) != 2 || len(c.Modes.At(1)) != 2 || len(c.Handles.At(0)) != 2 {
		t.Errorf("tasks are %+v", c)
	}
	if p.Data.Handle.At(0) != "55d3" || p.Data.Bytes[0] != 64 || p.Papi.Value[0] != 5_000_000_000 || p.Papi.Event.At(0) != "PAPI_TOT_INS" {
		t.Errorf("data are %+v, counters %+v", p.Data, p.Papi)
	}
	var edges []string
	for i := range p.Edge.From.Len() {
		edges = append(edges, p.Edge.From.At(i)+">"+p.Edge.To.At(i))
	}
	if got := strings.Join(edges, " "); got != "0_1>0_8 0_8>mpi_280_21 9>0_7" {
		t.Errorf("edges are %s", got)
	}
	for file, codes := range map[string][]string{"rec.tasks.csv": {"field-not-kept-DepLabels", "unknown-field-Extra"},
		"pmtool.csv": {"file-not-read"}, "rec.papi.csv.gz": {"file-not-read"}, "conf.txt": {"file-not-read"}} {
		for _, code := range codes {
			if !p.Log.Seen(trace.Info, file, code) {
				t.Errorf("%s: no log entry %s", file, code)
			}
		}
	}
	if p.Log.Total(trace.Error) != 3 { // a row without JobId, one too long, an edge without end
		t.Errorf("log: %s", wrongs(p))
	}
}

func TestTruncatedFileIsUsedAndLogged(t *testing.T) {
	var s strings.Builder
	s.WriteString(stateHeader + "\n")
	for i := range 20_000 {
		fmt.Fprintf(&s, "State, 0_CPU0, Worker State, %d.5, %d.25, 1, 0, Idle\n", i*i%977, i*i%1013)
	}
	dir := write(t, map[string]string{"entities.csv": entities, "paje.worker_state.csv.gz": s.String()})
	path := filepath.Join(dir, "paje.worker_state.csv.gz")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b[:len(b)/2], 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := Read(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkAccounts(t, p)
	if n := len(p.State.Start); n == 0 || n >= 20_000 || !p.Log.Seen(trace.Error, filepath.Base(path), "truncated-file") {
		t.Errorf("%d states; log: %s", n, wrongs(p))
	}
}

func TestDirectoriesThatAreNone(t *testing.T) {
	dir := write(t, map[string]string{"tasks.rec": "JobId: 1\n"})
	if Sniff(dir) || Sniff(filepath.Join(dir, "absent")) {
		t.Error("a directory without CSV files is recognised")
	}
	if _, err := Read(dir, nil); err == nil || !strings.Contains(err.Error(), "entities.csv") {
		t.Errorf("error %v does not say what is wanted", err)
	}
	if _, err := Read(filepath.Join(dir, "absent"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v for an absent directory", err)
	}
	dir = write(t, map[string]string{"entities.csv": "", "dag.csv": "a\x00b\n"})
	if _, err := Read(dir, nil); !errors.Is(err, text.ErrEncoding) {
		t.Errorf("error %v for a binary file", err)
	}
}

// TestSplitQuoted checks RFC 4180 by undoing what writes it.
func TestSplitQuoted(t *testing.T) {
	for _, want := range [][]string{{"a", "b"}, {""}, {"", ""}, {"x, y", `say "hi"`, "z"}, {`"`, `""`, ","}, {"a", ""}} {
		var quoted []string
		for _, f := range want {
			if strings.ContainsAny(f, `",`) {
				f = `"` + strings.ReplaceAll(f, `"`, `""`) + `"`
			}
			quoted = append(quoted, f)
		}
		tab := table{}
		var got []string
		for _, f := range tab.split([]byte(strings.Join(quoted, ","))) {
			got = append(got, string(f))
		}
		if !slices.Equal(got, want) {
			t.Errorf("split %q, want %q", got, want)
		}
	}
}

// FuzzStarVZCSV feeds each kind of file with anything: no panic, every line
// accounted for, columns equally long.
func FuzzStarVZCSV(f *testing.F) {
	stems := make([]string, 0, len(kinds))
	for s := range kinds {
		stems = append(stems, s)
	}
	slices.Sort(stems)
	for i, s := range []string{"Dependent,JobId\n0_1,tag_4\ntag_4,9->tag_4[style=dashed]\n", entities,
		fullHeader + "\nState, 0_CPU0, Worker State, 1.5, 3.5, 2.0, 0, my, task, 64, M, ff82, 40, 0_1, 0_8, 13, 0.8, 1, 2, 3, -1, x\n",
		"Value, Start\nx\n", "Nature, Container, Type, Start, Value, Handle, Info, Size, Tid, Src\nEvent, a, b, 7, 0, 559f, 73, 12, 0_mm1\n",
		"Nature, Container, Type, Start, End, Duration, Size, Origin, Dest, Key, Tag\nLink, a, MPI, 3, 4, 1, 64, b, c, mpicom_1, 4, P, 3, 5\n",
		"Control,JobId,Name,MPIRank,DependsOn,Handles,Modes,Sizes\nWontUse,7,\"a\"\"b\",0,1 2,a b,R RW,8 8\n"} {
		f.Add(i, []byte(s))
		f.Add(i+6, []byte(s))
	}
	f.Fuzz(func(t *testing.T, which int, data []byte) {
		s := stems[uint(which)%uint(len(stems))]
		r, err := text.New(bytes.NewReader(data), s)
		if err != nil {
			return
		}
		in := newInput()
		if err := in.p.Truncated(s, kinds[s].read(in, r, s)); err != nil {
			if !errors.Is(err, text.ErrEncoding) {
				t.Errorf("unexpected error %v", err)
			}
			return
		}
		in.p.Sources = append(in.p.Sources, r.Source(kinds[s].role))
		checkAccounts(t, in.p)
		st, ex, li, ev, sa, co := &in.p.State, &in.p.Extended, &in.p.Link, &in.p.Event, &in.p.Sample, &in.p.Container
		for _, group := range [][]int{
			{len(st.Start), len(st.End), len(st.Container), len(st.Depth), len(st.Extended), st.Kind.Len(), st.Type.Len()},
			{len(ex.Order), ex.Job.Len(), len(ex.GFlop), len(ex.X), len(ex.Iteration), len(ex.Tag), ex.Numa.Len(), ex.Parameters.Len()},
			{li.Key.Len(), len(li.From), len(li.To), len(li.Tag), len(li.Priority), li.Handle.Len(), li.Mode.Len(), len(li.End)},
			{len(ev.Time), ev.Value.Len(), ev.Handle.Len(), ev.Info.Len(), len(ev.Bytes), len(ev.Peer)},
			{len(sa.Time), len(sa.Value), sa.Metric.Len(), len(sa.Container)},
			{len(co.Parent), co.Name.Len(), co.Type.Len(), co.Alias.Len(), len(co.Start), len(co.End)},
			{in.p.Edge.From.Len(), in.p.Edge.To.Len()},
		} {
			for _, n := range group {
				if n != group[0] {
					t.Fatalf("columns are %v rows long", group)
				}
			}
		}
		for i, p := range co.Parent {
			if p >= int32(i) {
				t.Fatalf("container %d has parent %d", i, p)
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	dir := filepath.Join(sharedData(b), "qr_trace", "raw_padded")
	for b.Loop() {
		if _, err := Read(dir, nil); err != nil {
			b.Fatal(err)
		}
	}
}
