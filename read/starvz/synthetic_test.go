package starvz

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/text"
	"dagscope/read/assemble"
	"dagscope/trace"

	"github.com/klauspost/compress/gzip"
)

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
