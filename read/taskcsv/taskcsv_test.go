package taskcsv

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/budget"
	"dagscope/internal/testenv"
	"dagscope/internal/text"
	"dagscope/trace"
)

// parse reads text.
func parse(source string, o Options) (*trace.Run, error) {
	f, err := text.New(strings.NewReader(source), "tasks.csv")
	if err != nil {
		return nil, err
	}
	return read(f, "tasks.csv", int64(len(source)), o)
}

func mustParse(t *testing.T, source string, o Options) *trace.Run {
	t.Helper()
	run, err := parse(source, o)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

const small = `# a comment
id,kind,worker,submit,start,end,prio,MB,NB,flops,front,mem_delta_start,mem_delta_end,deps,accesses
a0,Activate,1,-0.5,0,0.25,7,,,0,19,1048576,0,,RW1
a1,Panel,0,,1,2,3,243,64,2e9,19,0,0,a0,RW2 R1
a2,"Update, big",0,,2.5,2.75,2,243,60,4e9,19,0,-524288,a0 a1,R2 C:B[1]:800
a3,Activate,1,,3,3.5,7,,,,20,0,-524288,a2 a0,W3
`

func TestColumns(t *testing.T) {
	run := mustParse(t, small, Options{})
	c := &run.Task
	if got := c.Start; !slices.Equal(got, []int64{0, 1e9, 25e8, 3e9}) {
		t.Errorf("starts are %d", got)
	}
	if c.Submit[0] != -5e8 || c.Submit[1] != trace.NoTime || c.End[2] != 275e7 {
		t.Errorf("submissions are %d, ends %d", c.Submit, c.End)
	}
	if !slices.Equal(c.Ready, []int64{-5e8, 25e7, 2e9, 275e7}) {
		t.Errorf("tasks were ready at %d", c.Ready)
	}
	if c.Kind.At(2) != "Update, big" || c.Key.At(3) != "a3" || c.Priority[1] != 3 {
		t.Errorf("found kind %q, key %q, priority %d", c.Kind.At(2), c.Key.At(3), c.Priority[1])
	}
	if got := c.Parameters.At(1); got != "MB=243 NB=64" || c.Parameters.At(0) != "" {
		t.Errorf("parameters are %q and %q", got, c.Parameters.At(0))
	}
	if c.GFlop[1] != 2 || c.GFlop[3] == c.GFlop[3] {
		t.Errorf("operations are %g", c.GFlop)
	}
	if got := run.Resource.Name.At(int(c.Worker[0])); got != "CPU1" {
		t.Errorf("task 0 ran on %s", got)
	}
	if !slices.Equal(run.Dep.From, []int32{0, 0, 1, 0, 2}) || !slices.Equal(run.Dep.To, []int32{1, 2, 2, 3, 3}) {
		t.Errorf("dependencies are %d → %d", run.Dep.From, run.Dep.To)
	}
	var accesses []string
	for i, h := range run.Access.Handle {
		accesses = append(accesses, fmt.Sprint(run.Access.Task[i], run.Access.Mode.At(i), run.Handle.Key.At(int(h)), run.Access.Bytes[i]))
	}
	if got := strings.Join(accesses, " "); got != "0RW10 1RW20 1R10 2R20 2RWCB[1]800 3W30" {
		t.Errorf("accesses are %s", got)
	}
	if n := &run.TreeNode; !slices.Equal(n.Key, []int64{20, 19}) || n.Parent[1] != 0 || c.TreeNode[3] != 0 {
		t.Errorf("tree is %+v, tasks work on %d", n, c.TreeNode)
	}
	if s := &run.Sample; !slices.Equal(s.Time, []int64{0, 275e7, 35e8}) || !slices.Equal(s.Value, []float64{1, 0.5, 0}) {
		t.Errorf("memory is %g at %d", s.Value, s.Time)
	}
	if k := &run.Counter; k.Event.At(0) != trace.CounterStartBytes || k.Value[0] != 1<<20 || k.Event.At(2) != trace.CounterEndBytes {
		t.Errorf("counters are %+v", k)
	}
	if n := run.Log.Total(trace.Warning) + run.Log.Total(trace.Error); n != 0 {
		t.Errorf("logged %+v", run.Log)
	}
}

// Tasks of several nodes have workers and memories of their own.
func TestNodes(t *testing.T) {
	run := mustParse(t, "id,kind,node,worker,start,end,mem_delta_start,deps\na,k,1,0,0,1,1048576,\nb,k,0,0,1,2,2097152,a\nc,k,,gpu,2,3,,a b\nd,k,-1,0,3,4,,\n", Options{})
	var tasks []string
	for i, w := range run.Task.Worker {
		tasks = append(tasks, fmt.Sprint(run.Task.Key.At(i), " ", run.Resource.Name.At(int(w)), " ", run.Task.Node[i]))
	}
	if got := strings.Join(tasks, ", "); got != "b 0_CPU0 0, c 0_gpu 0, d 0_CPU0 0, a 1_CPU0 1" {
		t.Errorf("tasks are %s", got)
	}
	if s := &run.Sample; !slices.Equal(s.Value, []float64{0, 2, 1}) || run.Resource.Name.At(int(s.Resource[2])) != "1_MEMMANAGER0" {
		t.Errorf("memory is %g on %d", s.Value, s.Resource)
	}
	if !run.Log.Seen(trace.Warning, "tasks.csv", "bad-value-node") || len(run.Dep.To) != 3 {
		t.Errorf("found %d dependencies and the log %+v", len(run.Dep.To), run.Log)
	}
}

// Times have the unit of their column, else of the options, else seconds.
func TestUnits(t *testing.T) {
	for header, want := range map[string]int64{
		"kind,start,end": 2e9, "kind,start_us,end_us": 2e3, "kind,start [ms],end [ms]": 2e6,
		"kind;start(ns);duration(ns)": 2, "kind\tstart_s\tend_s": 2e9, "KIND,Start_US,Duration_us": 2e3,
	} {
		comma := ","
		for _, c := range []string{";", "\t"} {
			if strings.Contains(header, c) {
				comma = c
			}
		}
		run := mustParse(t, header+"\n"+strings.Join([]string{"k", "0", "2"}, comma)+"\r\n", Options{})
		if run.Task.End[0] != want {
			t.Errorf("%s: a task ends at %d ns, want %d", header, run.Task.End[0], want)
		}
	}
	if run := mustParse(t, "kind,start,end\nk,1,3\n", Options{TimeUnit: "us"}); run.Task.End[0] != 2000 {
		t.Errorf("a task ends at %d ns, want 2000", run.Task.End[0])
	}
}

// What is wrong is said with its line, column, what was found and wanted.
func TestErrors(t *testing.T) {
	for source, want := range map[string]string{
		"":                          "found no line with the names of columns",
		"id,kind\n1,a\n":            `line 1: found columns "id,kind", wanted start, end (or duration) too`,
		"kind,start,end\n":          "found no task",
		"kind,start,end\nk,x,1\n":   `line 2, column start: found "x", wanted a time`,
		"kind,start,end\nk,2,1\n":   "wanted an end that is not before the start",
		"kind,start,end\nk,2\n":     `found "2 fields", wanted 3`,
		"kind,start,end\n,1,2\n":    "column kind",
		"kind,start,start_us,end\n": `found column "start_us" beside "start"`,
		"id,kind,start,end\n7,k,1,2\n8,k,1,2\n7,k,1,2\n": `line 4: column id: found "7" again, which line 2 has`,
	} {
		if _, err := parse(source, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: found error %v, want %q in it", source, err, want)
		}
	}
}

// What a line lacks is logged and left out; the rest is kept.
func TestDamage(t *testing.T) {
	run := mustParse(t, "id,kind,worker,start,end,prio,deps,accesses,my_column,MB\n1,k,0,0,1,x,2 9 1,Q5 R7 R:a:-2,3,\n2,k,0,1,,0,,,,\n3,k,0,1,2,99999999999,1,,,many\n", Options{})
	if len(run.Task.Start) != 2 || len(run.Access.Task) != 1 || len(run.Dep.To) != 1 {
		t.Fatalf("kept %d tasks, %d accesses, %d dependencies", len(run.Task.Start), len(run.Access.Task), len(run.Dep.To))
	}
	for _, code := range []string{"unknown-column", "bad-value-prio", "unknown-dependency", "own-dependency", "bad-value-accesses", "bad-value-MB"} {
		if !run.Log.Seen(trace.Warning, "tasks.csv", code) {
			t.Errorf("%s is not in the log", code)
		}
	}
	lines := int64(0)
	for _, n := range run.Account.Lines {
		lines += n
	}
	if !run.Log.Seen(trace.Error, "tasks.csv", "damaged-line") || lines != run.Meta.Sources[0].Lines {
		t.Errorf("accounted for %d lines of %d", lines, run.Meta.Sources[0].Lines)
	}
}

func TestIs(t *testing.T) {
	for head, want := range map[string]bool{
		small:                               true,
		"kind,start,duration\n":             true,
		"\n# x\nstart_us;kind;end_us":       true,
		"kind,start\n":                      false,
		"Nature, ResourceId, Start, End\n":  false,
		"%EventDef PajeDefineContainerType": false,
		"":                                  false,
	} {
		if Is([]byte(head)) != want {
			t.Errorf("%q: want %v", head, want)
		}
	}
}

// Random tables come back as they were made, whatever the order of columns.
func TestRandom(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		source, want := randomTable(rng, 200)
		run := mustParse(t, source, Options{})
		var got bytes.Buffer
		before := make([][]int32, len(run.Task.Start))
		for i, to := range run.Dep.To {
			before[to] = append(before[to], run.Dep.From[i])
		}
		for i := range run.Task.Start {
			fmt.Fprintln(&got, run.Task.Key.At(i), run.Task.Kind.At(i), run.Resource.Name.At(int(run.Task.Worker[i])),
				run.Task.Start[i]+run.Meta.Origin, run.Task.End[i]+run.Meta.Origin, before[i])
		}
		if got.String() != want {
			t.Fatalf("seed %d: found\n%s\nwant\n%s", seed, got.String(), want)
		}
	}
}

// randomTable is a file and what it says.
func randomTable(rng *rand.Rand, n int) (source, want string) {
	columns := []string{"id", "kind", "worker", "start_ns", "end_ns", "deps"}
	rng.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
	name := rng.Perm(3 * n)
	var s, w strings.Builder
	s.WriteString(strings.Join(columns, ",") + "\n")
	for i := range n {
		start := rng.Int64N(1e9)
		end := start + rng.Int64N(1e6)
		var deps []string
		var rows []int32
		for range rng.IntN(4) {
			if j := int32(rng.IntN(n)); int(j) != i && !slices.Contains(rows, j) {
				rows, deps = append(rows, j), append(deps, fmt.Sprint("t", name[j]))
			}
		}
		slices.Sort(rows)
		worker := rng.IntN(4)
		value := map[string]string{"id": fmt.Sprint("t", name[i]), "kind": string(rune('a' + rng.IntN(3))), "worker": fmt.Sprint(worker),
			"start_ns": fmt.Sprint(start), "end_ns": fmt.Sprint(end), "deps": strings.Join(deps, " ")}
		var fields []string
		for _, c := range columns {
			fields = append(fields, value[c])
		}
		s.WriteString(strings.Join(fields, ",") + "\n")
		fmt.Fprintln(&w, value["id"], value["kind"], "CPU"+value["worker"], start, end, rows)
	}
	return s.String(), w.String()
}

// The traced factorizations that are at hand are read whole.
func TestNative(t *testing.T) {
	for _, file := range testenv.References(t, "data/sparse/native/*/tasks_*.csv.gz") {
		run, err := Read(file, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if run.Log.Total(trace.Warning)+run.Log.Total(trace.Error) > 0 {
			t.Errorf("%s: logged %+v", file, run.Log)
		}
		roots := 0
		for _, p := range run.TreeNode.Parent {
			if p == trace.None {
				roots++
			}
		}
		if roots != 1 || run.Sample.Value[len(run.Sample.Value)-1] > run.Sample.Value[1]*1e6 {
			t.Errorf("%s: found %d roots of the tree, want 1", file, roots)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(small)
	f.Add("kind;start(ns);duration(ns)\nk;0;2\n")
	f.Add("id,kind,worker,start,end,front,deps,cpu,x,y,iteration,ready,arch,gflop\n1,k,w,0,1,5,2,1,1,2,3,0,cuda,1\n2,k,,1,2,6,1,,,,,,,\n")
	f.Add("id,kind,node,worker,start,end,mem_delta_end,deps\na,k,1,0,0,1,5,\nb,k,0,x/y,1,2,,a\n")
	f.Add("kind,start,end,mem_delta_start,accesses\n\"a\"\"b\",-1e3,2,-9007199254740992,RW:a:1 C1 X2\n")
	f.Fuzz(func(t *testing.T, source string) {
		budget.Watch(t)
		run, err := parse(source, Options{})
		if err != nil {
			return
		}
		if err := run.Validate(); err != nil {
			t.Fatal(err)
		}
		lines := int64(0)
		for _, n := range run.Account.Lines {
			lines += n
		}
		if lines != run.Meta.Sources[0].Lines {
			t.Fatalf("accounted for %d lines of %d", lines, run.Meta.Sources[0].Lines)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	const tasks = 1_000_000
	file := filepath.Join(b.TempDir(), "tasks.csv")
	s, err := os.Create(file)
	if err != nil {
		b.Fatal(err)
	}
	s.WriteString("id,kind,front,i,j,MB,NB,BK,ib,flops,prio,worker,submit,start,end,cpu,mem_delta_start,mem_delta_end,deps,accesses\n")
	for i := range tasks {
		at := float64(i) * 1e-4
		fmt.Fprintf(s, "%d,Update,%d,%d,%d,%d,64,%d,32,%d,%d,%d,%.9f,%.9f,%.9f,%.9f,0,0,%d %d,R%d W%d\n",
			i, i/1000, i%17, i%31, 64+i%900, 1+i%17, 1000*i, i/1000, i%4, at, at+1, at+1.0001, 0.0001, max(0, i-13), max(0, i-1), i/31, i/31+1+i%31)
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Read(file, Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tasks, "ns/row")
}

// Columns that others call so are named where one is missing.
func TestNearMisses(t *testing.T) {
	for header, want := range map[string]string{
		"kernel,start,end":     `wanted kind (is it column "kernel"?) too`,
		"kind,Begin_us,end_us": `wanted start (is it column "Begin_us"?) too`,
		"kind,start,time":      `wanted end (or duration) (is it column "time"?) too`,
		"kind,start,x":         `wanted end (or duration) too`,
	} {
		if _, err := parse(header+"\nA,1,2\n", Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: found error %v, want %s", header, err, want)
		}
	}
}

// Room for tasks is estimated once the first block is read: of a file that goes
// on as it began, columns are not moved again.
func TestRoomIsEstimated(t *testing.T) {
	var b strings.Builder
	b.WriteString("kind,start,end,deps,accesses\n")
	const tasks = 30_000
	for i := range tasks {
		fmt.Fprintf(&b, "k,%d,%d,%d %d,R1 W%d\n", 100_000+i, 100_001+i, i, i, i%7)
	}
	all := b.String()
	head := strings.LastIndexByte(all[:len(all)/10], '\n') + 1
	table := &table{file: "x", size: int64(len(all)), unit: text.Sec, count: map[destination]int64{}}
	if err := table.block([]byte(all[:head]), 1); err != nil {
		t.Fatal(err)
	}
	first := &table.b.Run.Task.Start[0]
	depends := &table.depends[0]
	if err := table.block([]byte(all[head:]), int64(table.rows())+2); err != nil {
		t.Fatal(err)
	}
	if table.rows() != tasks || first != &table.b.Run.Task.Start[0] || depends != &table.depends[0] {
		t.Errorf("columns of %d tasks were moved after the first block", table.rows())
	}
	if room := cap(table.b.Run.Task.Start); room > tasks*5/4 {
		t.Errorf("found room for %d tasks, want little more than %d", room, tasks)
	}
}
