package starpu

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"dagscope/internal/budget"
	"dagscope/internal/text"
	"dagscope/read/assemble"
	"dagscope/trace"
)

// The samples in this file are synthetic: written by hand after the sources of
// StarPU, for layouts of which there is no recorded run.

func keys(k *trace.Keys, codes []int64) string {
	var s []string
	for _, c := range codes {
		s = append(s, string(k.AppendTo(nil, c)))
	}
	return strings.Join(s, " ")
}

func TestTasksOfTheNextLayout(t *testing.T) {
	p := readString(t, `Name: GEMM
JobId: 1_7
SubmitOrder: 3
Priority: 18446744073709551615
DependsOn: 1_5 1_6
DepLabels: task ghost
Tag: ffffffffffffffff
WorkerId: 2
MemoryNode: 0
SubmitTime: 1.000000
ReadyTime: 1.500000
EndTime: 3.000000
Footprint: ff82dda0
GFlop: 1.5
Iteration: 4 2
Parameters: M1x1x4 M1x1x4 M1x1x4
Handles: a b c
Modes: R  RWC
Sizes: 4 4 5000000000
NumaNodes: -1 0,1 0
MPIRank: 1
RecursiveTask: 1
Level: 2
ParentRecursiveTask: 5
EndDependencies: 9, 1_10 
Name: follows at once
JobId: 1_8
Priority: 0
Tag: 0
Footprint: 0
MPIRank: 1

Control: WontUse
JobId: 9
MPIRank: 1
Handles: a

`, "tasks.rec", readTasks)
	c := &p.Task
	if c.Job.Len() != 3 {
		t.Fatalf("read %d records, want 3", c.Job.Len())
	}
	if c.Priority[0] != -1 || c.Tag[0] != math.MaxUint64 || c.Iteration[0] != 4 || c.Subiteration[0] != 2 {
		t.Errorf("priority %d, tag %x, iteration %d.%d", c.Priority[0], c.Tag[0], c.Iteration[0], c.Subiteration[0])
	}
	if c.Submit[0] != 1_000_000 || c.Ready[0] != 1_500_000 || c.Start[0] != 0 || c.End[0] != 3_000_000 {
		t.Errorf("times are %d %d %d %d", c.Submit[0], c.Ready[0], c.Start[0], c.End[0])
	}
	if got := keys(&c.Job, c.DependsOn.At(0)) + "; " + keys(&c.Job, c.EndDependsOn.At(0)); got != "1_5 1_6; 1_9 1_10" {
		t.Errorf("depends on %s", got)
	}
	var modes []string
	for _, m := range c.Modes.At(0) {
		modes = append(modes, c.ModeNames.Dict[m])
	}
	if fmt.Sprintf("%q", modes) != `["R" "" "RWC"]` || c.Sizes.At(0)[2] != 5_000_000_000 {
		t.Errorf("modes %q, sizes %v", modes, c.Sizes.At(0))
	}
	if c.Name.At(1) != "follows at once" || c.Start[1] != trace.NoTime || len(c.Handles.At(1)) != 0 {
		t.Errorf("second record is %q, starts at %d", c.Name.At(1), c.Start[1])
	}
	if c.Control.At(2) != "WontUse" || c.Job.At(2) != "1_9" {
		t.Errorf("third record is %q %q", c.Control.At(2), c.Job.At(2))
	}
	if s := wrongs(p); s != "" {
		t.Errorf("log: %s", s)
	}
	for _, code := range []string{"field-not-kept-DepLabels", "field-not-kept-RecursiveTask", "field-not-kept-Level", "start-time-zero"} {
		if !p.Log.Seen(trace.Info, "tasks.rec", code) {
			t.Errorf("no log entry %s", code)
		}
	}
}

func TestTasksOf13(t *testing.T) { // no File, Line, NumaNodes
	p := readString(t, "Name: a\nModel: m\nJobId: 1\nSubmitOrder: 1\nPriority: 0\nTag: 0\nWorkerId: 0\nMemoryNode: 0\n"+
		"SubmitTime: 0.1\nStartTime: 0.2\nEndTime: 0.3\nFootprint: 0\nIteration: 0\nMPIRank: -1\n\n", "tasks.rec", readTasks)
	c := &p.Task
	if c.Job.Len() != 1 || c.Line[0] != -1 || c.File.At(0) != "" || c.Numa.At(0) != "" || !math.IsNaN(c.GFlop[0]) || c.Rank[0] != -1 {
		t.Errorf("read %+v", c)
	}
}

func TestDamagedTasksAreLoggedAndTheRestIsRead(t *testing.T) {
	p := readString(t, "Name: no job\nPriority: 1\n\nJobId: 1\nStartTime: soon\nEndTime: 2.0\nNew: x\n<garbage>\n"+
		"Name: a\nName: b\nHandles: a b\nModes: R\n\nJobId: 2\n", "tasks.rec", readTasks)
	c := &p.Task
	if c.Job.Len() != 2 || c.Job.At(0) != "1" || c.Name.At(0) != "b" || c.End[0] != 2_000_000 || len(c.Modes.At(0)) != 0 {
		t.Errorf("read %d records, the first %q %q", c.Job.Len(), c.Job.At(0), c.Name.At(0))
	}
	for code, s := range map[string]trace.Severity{"record-without-job": trace.Error, "bad-value-StartTime": trace.Warning,
		"unknown-field-New": trace.Info, "damaged-line": trace.Warning, "repeated-field-Name": trace.Warning, "ragged-handles": trace.Warning} {
		if !p.Log.Seen(s, "tasks.rec", code) {
			t.Errorf("no log entry %s", code)
		}
	}
	for i := range p.Log.Count {
		if p.Log.Code.At(i) == "bad-value-StartTime" && (p.Log.Position[i] != 5 || !strings.Contains(p.Log.Message.At(i), "soon")) {
			t.Errorf("position %d, message %s", p.Log.Position[i], p.Log.Message.At(i))
		}
	}
}

func TestManyUnknownFieldsDoNotFloodTheLog(t *testing.T) {
	var in strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&in, "JobId: %d\nX%d: 1\n\n", i, i)
	}
	p := readString(t, in.String(), "tasks.rec", readTasks)
	if n := len(p.Log.Count); n > 100 || p.Task.Job.Len() != 5000 {
		t.Errorf("%d log entries, %d records", n, p.Task.Job.Len())
	}
	if p.Log.Total(trace.Info) != 5000 {
		t.Errorf("%d unknown fields are logged, want 5000", p.Log.Total(trace.Info))
	}
}

func TestDataOfTheNextLayout(t *testing.T) {
	p := readString(t, "Handle: 55d3\nHomeNode: -1\nMPIRank: 1\nName: A b\nSize: 8000000000\nMaxSize: 9\n"+
		"Description: M2x2x4\nCoordinates: 4 1\nParentHandle: 55d0\nMPIOwner: 1\nMPITag: 7\n\nHandle: 55d4\nSize: 1\n\nSize: 3\n\n", "data.rec", readData)
	c := &p.Data
	if c.Handle.Len() != 2 || c.Name.At(0) != "A b" || c.Bytes[0] != 8_000_000_000 || c.MaxBytes[0] != 9 ||
		c.Coordinates.At(0) != "4 1" || c.Owner[0] != 1 || c.Tag[0] != 7 || c.Home[0] != -1 || c.Rank[0] != 1 {
		t.Errorf("read %+v", c)
	}
	if c.Rank[1] != 0 || c.Owner[1] != trace.None || c.Tag[1] != -1 || c.MaxBytes[1] != -1 {
		t.Errorf("defaults are %+v", c)
	}
	if !p.Log.Seen(trace.Info, "data.rec", "field-not-kept-ParentHandle") || !p.Log.Seen(trace.Error, "data.rec", "record-without-handle") {
		t.Error("the log lacks an entry")
	}
}

func TestPapi(t *testing.T) {
	p := readString(t, "JobId: 5\nEvent: PAPI_TOT_INS\nValue: 5000000000\n\nJobId: 5\nEvent: PAPI_L1_DCM\n\n", "papi.rec", readPapi)
	if p.Papi.Job.Len() != 1 || p.Papi.Event.At(0) != "PAPI_TOT_INS" || p.Papi.Value[0] != 5_000_000_000 {
		t.Errorf("read %+v", p.Papi)
	}
	if !p.Log.Seen(trace.Error, "papi.rec", "incomplete-counter") {
		t.Error("a record without Value is not logged")
	}
}

func TestCommsAndSched(t *testing.T) {
	p := readString(t, "Src: 0\nDst: 2\nTag: 3\nSendTime: 49.251289368\nRecvHandle: ab\nSendJobId: 0_83\nSize: 4\nType: Collective\n\nSrc: 1\n\n",
		"comms.rec", readComms)
	c := &p.Comm
	if len(c.Src) != 1 || c.Send[0] != 49_251_289 || c.Recv[0] != trace.NoTime || c.SendJob.At(0) != "0_83" || c.RecvJob.At(0) != "" || c.Mode.At(0) != "Collective" {
		t.Errorf("read %+v", c)
	}
	p = readString(t, "Type: push\nTime: 1\nPriority: 4\nJobId: 1\n\nType: pop\nTime: 2\nJobId: 1\n\nType: steal\nTime: 2\nJobId: 1\n\n",
		"sched_tasks.rec", readSched)
	if s := &p.Sched; len(s.Push) != 2 || !s.Push[0] || s.Push[1] || s.Priority[1] != trace.NoTime {
		t.Errorf("read %+v", p.Sched)
	}
	if !p.Log.Seen(trace.Warning, "sched_tasks.rec", "bad-value-Type") || !p.Log.Seen(trace.Error, "sched_tasks.rec", "incomplete-scheduling") {
		t.Error("an unknown type is not logged")
	}
}

func edges(p *assemble.Parts) string {
	var s []string
	for i := range p.Edge.From.Len() {
		s = append(s, p.Edge.From.At(i)+">"+p.Edge.To.At(i))
	}
	return strings.Join(s, " ")
}

func TestDot(t *testing.T) {
	p := readString(t, `digraph G {
	color=white
	rankdir=LR;
	node [shape=box]
subgraph cluster_iter_0 { label="iteration" }
subgraph cluster_0 {
	color=black;
	 "task_0_1"->"task_0_2" [label="W"];
	 "task_1"->"mpi_8_0"
	 "mpi_8_0"->"task_2"
	 "tag_4000"->"task_7"->"tag_4000" [style=dashed]
	 "tag_4001"->"tag_4000"
	 "task_7"->"tag_5"
	 a -> b -> c
	 // comment
	 "task_1" [ style=filled, label="GEMM", fillcolor="#33cc31", fontcolor="white"]
	 "task_2" [ style=filled, label="my \"name", fillcolor="#33cc3", fontcolor="white"]
	 "task_1" [ href="a.c#12" ]
	 "task_9"
}
}
`, "dag.dot", readDot)
	want := "0_1>0_2 1>mpi_8_0 mpi_8_0>2 tag_4001>7 7>tag_5 a>b b>c"
	if got := edges(p); got != want {
		t.Errorf("edges are %s, want %s", got, want)
	}
	if len(p.Colors) != 1 || p.Colors["GEMM"] != "#33cc31" {
		t.Errorf("colours are %v", p.Colors)
	}
	// The label before an inner brace is not understood, and says so.
	if !p.Log.Seen(trace.Warning, "dag.dot", "damaged-dot-line") {
		t.Error("a subgraph with its end on the same line is not logged")
	}
}

func TestColoursByWorkerAreNotThoseOfKinds(t *testing.T) {
	p := readString(t, "\"task_1\" [ label=\"A\", fillcolor=\"#000001\"]\n\"task_2\" [ label=\"A\", fillcolor=\"#000002\"]\n", "dag.dot", readDot)
	if len(p.Colors) != 0 {
		t.Errorf("colours are %v", p.Colors)
	}
}

const model = `# any comment
45
2 # combinations
1
0
0
1
1
1
0 0 0 0 nan nan 0 0 0
nan nan nan
0
ff82dda0 100 2e9 10.5 0.5 105 1 10
2
1
0
1
0
0
4
0
`

func TestPerfModel(t *testing.T) {
	p := readString(t, model, "sym.host.example", readPerfModel)
	m := &p.Model
	if len(m.Mean) != 1 || m.Symbol.At(0) != "sym" || m.Host.At(0) != "host.example" || m.Arch.At(0) != "cpu" || m.Cores[0] != 1 || m.Footprint[0] != 0xff82dda0 ||
		m.Bytes[0] != 100 || m.GFlop[0] != 2 || m.Mean[0] != 10500 || m.Deviation[0] != 500 || m.Count[0] != 10 || m.Impl[0] != 0 {
		t.Errorf("read %+v", m)
	}
	if s := wrongs(p); s != "" {
		t.Errorf("log: %s", s)
	}
	p = readString(t, strings.Replace(model, "4\n0\n", "4\n1\n1\n0 0 0 0 1 1 0 0 0\n0 0 0\n0\n1 1 1 1 1 1 1 1\n", 1), "s", readPerfModel)
	if len(p.Model.Mean) != 2 || p.Model.Arch.At(1) != "cuda+cpu" || p.Model.Cores[1] != 5 || p.Model.Device[1] != 0 {
		t.Errorf("the model of two devices is %+v", p.Model)
	}
}

func TestBrokenPerfModels(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		code string
		rows int
	}{
		"old version":   {strings.Replace(model, "45", "44", 1), "broken-model", 0},
		"cut off":       {model[:strings.Index(model, "nan nan nan")], "broken-model", 0},
		"no entry":      {strings.Replace(model, "105 1 10", "105 1", 1), "broken-model", 0},
		"bad entry":     {strings.Replace(model, "ff82dda0", "gg", 1), "bad-model-entry", 0},
		"goes on":       {model + "1\n", "model-too-long", 1},
		"unknown type":  {strings.Replace(model, "1\n0\n0\n1\n1\n", "1\n99\n0\n1\n1\n", 1), "unknown-device-type", 1},
		"huge counts":   {strings.Replace(model, "2 #", "9223372036854775807 #", 1), "broken-model", 1},
		"empty":         {"", "broken-model", 0},
		"short regress": {strings.Replace(model, "0 0 0 0 nan nan 0 0 0", "0 0", 1), "broken-model", 0},
	} {
		p := readString(t, c.in, "s.h", readPerfModel)
		if !p.Log.Seen(trace.Warning, "s.h", c.code) || len(p.Model.Mean) != c.rows {
			t.Errorf("%s: %d entries, log: %s", name, len(p.Model.Mean), wrongs(p))
		}
	}
}

func TestPlatform(t *testing.T) {
	p := readString(t, "# c\n12 # CPUs\n0\nx\n1\n2\n", "node.cluster.config", readPlatform)
	if got := fmt.Sprint(p.Platform.Host, p.Platform.Devices); got != "node.cluster[{cpu 12} {other1 1} {other2 2}]" {
		t.Errorf("platform is %s", got)
	}
	p = readString(t, "# to 0 to 1 to 2\n0.0\t1.5e1 nan\n2 0 nan\nnan nan nan\n", "h.bandwidth", readPlatform)
	if got := fmt.Sprint(p.Platform.Bandwidth); got != "[[0 15] [2 0]]" || wrongs(p) != "" {
		t.Errorf("bandwidth is %s, log %s", got, wrongs(p))
	}
	p = readString(t, "0 1 2\n3\nx 1\n", "h.latency", readPlatform)
	if got := fmt.Sprint(p.Platform.Latency); got != "[[0 1 2] [3 0 0] [0 1 0]]" || !p.Log.Seen(trace.Warning, "h.latency", "ragged-matrix") {
		t.Errorf("latency is %s, log %s", got, wrongs(p))
	}
	if p = readString(t, "<?xml?>\n<platform version=\"4\">\n", "h.platform.xml", readPlatform); p.Platform.XML != "h.platform.xml" {
		t.Errorf("platform is %+v", p.Platform)
	}
	if p = readString(t, "<html>\n", "platform.xml", readPlatform); p.Platform != nil {
		t.Errorf("platform is %+v", p.Platform)
	}
}

// fuzz checks that a reader survives anything, accounts for every line and
// keeps its columns equally long.
func fuzz(f *testing.F, file string, read reader, check func(*testing.T, *assemble.Parts), seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		budget.Watch(t)
		r, err := text.New(bytes.NewReader(in), file)
		if err != nil {
			return
		}
		p := &assemble.Parts{}
		if err := read(r, p, file); err != nil {
			if !errors.Is(err, text.ErrEncoding) && !strings.Contains(err.Error(), "line") {
				t.Errorf("error %v names no line", err)
			}
			return
		}
		checkAccount(t, p, file, r.Source("").Lines)
		check(t, p)
	})
}

func same(t *testing.T, lengths ...int) {
	for _, n := range lengths {
		if n != lengths[0] {
			t.Fatalf("columns are %v rows long", lengths)
		}
	}
}

func FuzzTasksRec(f *testing.F) {
	fuzz(f, "tasks.rec", readTasks, func(t *testing.T, p *assemble.Parts) {
		c := &p.Task
		same(t, c.Job.Len(), c.Name.Len(), c.Control.Len(), c.Model.Len(), len(c.Start), len(c.End), len(c.Tag), len(c.Priority),
			len(c.Iteration), len(c.GFlop), max(1, len(c.Handles.First))-1, max(1, len(c.DependsOn.First))-1, max(1, len(c.EndDependsOn.First))-1)
	}, "Name: GEMM\nJobId: 0_1\nDependsOn: 0_2 0_3\nHandles: a b\nModes: R RW\nSizes: 1 2\nEndTime: 1.5\nIteration: 1 2\n"+
		"EndDependencies: 3, 4 \nControl: WontUse\nJobId: 3\nMPIRank: 1\n\n+ x\nX: 1\n")
}

func FuzzDataRec(f *testing.F) {
	fuzz(f, "data.rec", readData, func(t *testing.T, p *assemble.Parts) {
		c := &p.Data
		same(t, c.Handle.Len(), c.Name.Len(), len(c.Rank), len(c.Home), len(c.Bytes), len(c.MaxBytes), len(c.Owner), len(c.Tag))
	}, "Handle: 55d3\nHomeNode: -1\nMPIRank: 1\nName: A\nSize: 8\nMaxSize: 9\nCoordinates: 4 1\nMPIOwner: 1\nMPITag: 7\n\n")
}

func FuzzDot(f *testing.F) {
	fuzz(f, "dag.dot", readDot, func(t *testing.T, p *assemble.Parts) { same(t, p.Edge.From.Len(), p.Edge.To.Len()) },
		"digraph G {\n\"tag_4\"->\"task_7\"->\"tag_4\" [style=dashed]\n\"tag_4\"->\"mpi_8_0\"\n\"task_1\" [ label=\"A\", fillcolor=\"#000001\"]\n"+
			"\"task_1\" [ href=\"a.c#12\" ]\n}\n")
}

func FuzzPerfModel(f *testing.F) {
	fuzz(f, "s.h", readPerfModel, func(t *testing.T, p *assemble.Parts) {
		m := &p.Model
		same(t, m.Symbol.Len(), m.Arch.Len(), len(m.Device), len(m.Cores), len(m.Impl), len(m.Footprint), len(m.Bytes),
			len(m.GFlop), len(m.Mean), len(m.Deviation), len(m.Count))
	}, model)
}

func FuzzPlatform(f *testing.F) {
	fuzz(f, "h.bandwidth", readPlatform, func(t *testing.T, p *assemble.Parts) {
		for _, row := range p.Platform.Bandwidth {
			same(t, len(p.Platform.Bandwidth), len(row))
		}
	}, "# c\n0 1 nan\n2 0 nan\nnan nan nan\n")
}
