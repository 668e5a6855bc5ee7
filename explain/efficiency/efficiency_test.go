package efficiency

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dagscope/explain/bound"
	"dagscope/explain/breakdown"
	"dagscope/explain/utilization"
	"dagscope/internal/testenv"
	"dagscope/read"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

func compute(t *testing.T, run *trace.Run) *Result {
	t.Helper()
	r, err := Compute(run, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The numbers follow from the picture of the run in tracetest.Tiny: POTRF takes 40
// on the CPU, TRSM 60 there and 20 on the GPU, SYRK 40 and 20, GEMM 20 on the GPU.
// All but POTRF on the GPU would take 100 ns there: the bound leaves the
// GPU 80 and gives the CPU a SYRK, 40 + 40.
func TestTiny(t *testing.T) {
	run := tracetest.Tiny()
	r := compute(t, run)
	p := &r.Run
	if r.From != 0 || r.To != 150 || p.Useful != 200 || p.Longest != 140 || run.Resource.Name.At(int(p.Busiest)) != "CPU0" || r.Uniform() {
		t.Fatalf("found %+v", r)
	}
	equal(t, "area bound", p.ABE, 80)
	equal(t, "parallel", p.Parallel(), 80.0/150)
	equal(t, "distribution", p.Distribution(), 1)
	equal(t, "allocation", p.Allocation(), 80.0/140)
	equal(t, "load balance", p.LoadBalance(), 1)
	equal(t, "communication", p.Communication(), 140.0/150)
	if want := []string{Replay, "durations of GEMM on cpu, POTRF on cuda (never ran there)"}; !slices.Equal(r.Missing(), want) || r.MPI != nil {
		t.Errorf("found MPI %v and missing %q", r.MPI, r.Missing())
	}
	for _, k := range r.Kinds {
		if k.Kind == "TRSM" && k.Arch == "cuda" && (k.Tasks != 1 || k.Useful != 20 || k.Work != 1) {
			t.Errorf("found %+v, want one TRSM of 20 ns and 1 GFlop on cuda", k)
		}
	}
}

// TestOneArchitecture: POP's own, from three workers of which one ran nothing.
func TestOneArchitecture(t *testing.T) {
	run := tracetest.Fork(4, 3) // 10 ns fork, 2 rounds of branches, 10 ns join: worker 0 works 40 of 40
	r := compute(t, run)
	mean := float64(60) / 3
	equal(t, "parallel", r.Run.Parallel(), mean/40)
	equal(t, "load balance", r.Run.LoadBalance(), mean/40)
	equal(t, "communication", r.Run.Communication(), 1)
	if s := r.Summary(); s.Distribution != nil || s.Allocation != nil || s.Nodes != nil || *s.LoadBalance != r.Run.LoadBalance() {
		t.Errorf("found %+v, want no factors of several nodes and architectures", s)
	}
}

// TestParallelTask: a task on two workers at once is useful on both, and one task.
func TestParallelTask(t *testing.T) {
	run := tracetest.Fork(2, 2)
	s := &run.Segment
	s.Task, s.Worker = []int32{0, 0}, []int32{run.Task.Worker[1], run.Task.Worker[2]}
	s.Start, s.End = []int64{0, 0}, []int64{10, 10}
	r := compute(t, run)
	equal(t, "parallel", r.Run.Parallel(), (30.0+20)/2/30)
	if k := r.Kinds[1]; k.Kind != "fork" || k.Tasks != 1 || k.Useful != 20 {
		t.Errorf("found %+v, want one task that worked 2 × 10 ns", k)
	}
}

// hybrid is two ranks of two threads: rank 0 works, the main thread of rank 1 is in
// MPI for 30 of 100 ns, within its implicit task.
func hybrid(t *testing.T) *trace.Run {
	t.Helper()
	return tracetest.MustParse(`
meta {
  "reader": "synthetic",
  "horizon_ns": 100,
  "lifetimes": true
}

table resource
parent level   name   arch node index start
-      cluster root   ""   -1   -1    0
0      node    rank0  ""   0    0     0
1      worker  0_T0   cpu  0    0     0
1      worker  0_T1   cpu  0    1     0
0      node    rank1  ""   1    0     0
4      worker  1_T0   cpu  1    0     0
4      worker  1_T1   cpu  1    1     0

table task
key kind     worker start end submit ready order priority iteration generation internal
1   implicit 2      0     100 0      0     0     0        0         false      true
2   implicit 3      0     60  0      0     0     0        0         false      true
3   implicit 5      0     100 0      0     0     0        0         false      true
4   implicit 6      0     40  0      0     0     0        0         false      true

table state
resource type   kind        start end depth
2        thread MPI_Send    90    100 0
5        thread MPI_Recv    20    50  0
5        thread MPI_Wait    30    40  1
5        thread Scheduling  60    70  0
6        thread mpi_test    10    20  0
`)
}

func TestHybrid(t *testing.T) {
	run := hybrid(t)
	r := compute(t, run)
	// o is 90 and 70; u is 90, 60, 70 and 30.
	equal(t, "MPI load balance", r.MPI.LoadBalance(), 80.0/90)
	equal(t, "MPI communication", r.MPI.Communication(), 0.9)
	equal(t, "MPI parallel", r.MPI.Parallel(), 0.8)
	equal(t, "parallel", r.Run.Parallel(), 62.5/100)
	parallel, balance, communication := r.OpenMP()
	equal(t, "OpenMP parallel", parallel, 0.625/0.8)
	equal(t, "OpenMP load balance", balance, 62.5/90/(80.0/90))
	equal(t, "OpenMP communication", communication, 1)
	s := r.Summary()
	if len(s.MPI.Ranks) != 2 || s.MPI.Ranks[1] != (RankSummary{1, "1_T0", 70}) || *s.OpenMP.LoadBalance != balance {
		t.Errorf("found %+v", s)
	}

	// A rank without MPI states is not one that never waits.
	for i, r := range run.State.Resource {
		if run.Resource.Node[r] == 1 {
			run.State.Kind.Index[i] = run.State.Kind.Find("Scheduling")
		}
	}
	if r := compute(t, run); r.MPI != nil || !strings.HasPrefix(r.Missing()[1], "MPI states of node 1") {
		t.Errorf("found MPI %+v, missing %q", r.MPI, r.Missing())
	}
	run.State = trace.States{}
	if r := compute(t, run); r.MPI != nil || !strings.HasPrefix(r.Missing()[1], "MPI states: ") {
		t.Errorf("found MPI %+v, missing %q", r.MPI, r.Missing())
	}
}

// TestOnlyMPI: a trace of another program has states and no tasks.
func TestOnlyMPI(t *testing.T) {
	run := hybrid(t)
	run.Task = trace.Tasks{}
	for i := range run.Resource.Level.Index {
		if run.Resource.Level.At(i) == trace.LevelWorker {
			run.Resource.Level.Index[i] = run.Resource.Level.Intern(trace.LevelOther)
		}
	}
	r := compute(t, run)
	// Three containers, each a rank of its own, from 10 to 100 ns.
	if len(r.MPI.Ranks) != 3 || r.To-r.From != 90 {
		t.Fatalf("found %+v over %d ns", r.MPI, r.To-r.From)
	}
	equal(t, "MPI communication", r.MPI.Communication(), 80.0/90)
	equal(t, "MPI load balance", r.MPI.LoadBalance(), (80.0+60+80)/3/80)
	if s := r.Summary(); s.Parallel != nil || s.OpenMP != nil || s.MPI.Parallel == nil || len(s.Missing) == 0 {
		t.Errorf("found %+v", s)
	}
}

// TestTraceOfAnotherProgram: three MPI ranks under SimGrid's SMPI, whose calls do not
// nest.
func TestTraceOfAnotherProgram(t *testing.T) {
	run, err := read.Read(testenv.Reference(t, "data/formats/paje/simgrid-smpi-chol5", "smpi.paje"), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := compute(t, run)
	if len(r.MPI.Ranks) != 3 {
		t.Fatalf("found %+v, want 3 ranks", r.MPI)
	}
	for _, rank := range r.MPI.Ranks {
		in := int64(0)
		for i, at := range run.State.Resource {
			if at == rank.Resource && strings.HasPrefix(run.State.Kind.At(i), "PMPI_") {
				in += run.State.End[i] - run.State.Start[i]
			}
		}
		if want := r.To - r.From - in; rank.Outside != want {
			t.Errorf("rank %d: found %d ns outside of MPI, want %d", rank.Resource, rank.Outside, want)
		}
	}
}

func TestNothing(t *testing.T) {
	if _, err := Compute(tracetest.Chain(0), Options{}); !errors.Is(err, ErrNothing) {
		t.Errorf("found %v, want ErrNothing", err)
	}
	run := tracetest.Fork(2, 2)
	for i := range run.Task.Worker {
		run.Task.Worker[i] = trace.None
	}
	if _, err := Compute(run, Options{}); !errors.Is(err, ErrNothing) {
		t.Errorf("found %v, want ErrNothing", err)
	}
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	run := tracetest.Fork(4, 3)
	run.Task.Worker[2] = trace.None
	for i := range run.Resource.Arch.Index {
		run.Resource.Arch.Index[i] = trace.None
	}
	r := compute(t, run)
	if want := []string{Replay, "the worker of 1 task: not in the useful time", "the architecture of workers: unknown ones count as one"}; !slices.Equal(r.Missing(), want) {
		t.Errorf("found %q, want %q", r.Missing(), want)
	}
	run = hybrid(t)
	run.Meta.Environment = map[string]string{trace.ProcessorTime: "200ns"}
	if r := compute(t, run); !strings.HasPrefix(r.Missing()[1], "off-CPU time: ") {
		t.Errorf("250 ns of useful time in 200 ns of processor time: found %q missing", r.Missing())
	}
}

// TestUniformIsPOP: on one architecture and node the general definition is POP's.
func TestUniformIsPOP(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		for r := range run.Resource.Node {
			if run.Resource.Level.At(r) == trace.LevelWorker {
				run.Resource.Node[r], run.Resource.Arch.Index[r] = 0, 0
			}
		}
		r, err := Compute(run, Options{})
		if err != nil || r.Run.Longest == 0 {
			return
		}
		abe, err := r.costs.Area(r.count)
		if err != nil {
			t.Fatal(err)
		}
		mean := float64(r.Run.Useful) / float64(r.Run.Count)
		equal(t, "area bound", abe.Time, mean)
		equal(t, "load balance", r.Run.LoadBalance(), mean/float64(r.Run.Longest))
		checkIdentities(t, r)
	})
}

// TestAgainst: a reference in which everything took x times as long, in as many
// tasks or with as much work.
func TestAgainst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed, n := rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 14).Draw(t, "tasks")
		run, ref := tracetest.Random(seed, n), tracetest.Random(seed, n)
		for i := range ref.Task.Start {
			ref.Task.Start[i], ref.Task.End[i] = 3*ref.Task.Start[i], 3*ref.Task.End[i]
		}
		x := 3.0
		if rapid.Bool().Draw(t, "work") { // three times the time for twice the work
			x = 1.5
			for i := range run.Task.Start {
				run.Task.GFlop, ref.Task.GFlop = append(run.Task.GFlop, float64(1+i)), append(ref.Task.GFlop, float64(2+2*i))
			}
		}
		r, err := Compute(run, Options{})
		if err != nil {
			t.Fatal(err)
		}
		of, err := Compute(ref, Options{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := r.Against(of)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "computation scalability", s.Computation, x)
		equal(t, "global efficiency", s.Global(r), x*r.Run.Parallel())
		for i, k := range s.Kinds {
			equal(t, r.Kinds[i].Kind, k, x)
		}
		if r.Uniform() && x == 3 {
			equal(t, "POP's", s.Computation, float64(of.Run.Useful)/float64(r.Run.Useful))
		}
	})
}

func TestAgainstOthers(t *testing.T) {
	run, ref := tracetest.Fork(4, 2), tracetest.Fork(8, 2)
	r, of := compute(t, run), compute(t, ref)
	s, err := r.Against(of)
	if err != nil || s.Computation != 1 || len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "compared per task") {
		t.Errorf("4 branches against 8 of the same length: found %+v, %v", s, err)
	}
	for i, name := range ref.Task.Kind.Dict {
		if name == "branch" {
			ref.Task.Kind.Dict[i] = "twig"
		}
	}
	s, err = r.Against(compute(t, ref))
	if err != nil || s.Computation != 1 || !math.IsNaN(s.Kinds[0]) || len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "branch on cpu") {
		t.Errorf("branches that the reference does not have: found %+v, %v", s, err)
	}
	for i := range ref.Task.Kind.Dict {
		ref.Task.Kind.Dict[i] += "2"
	}
	if s, err = r.Against(compute(t, ref)); err != nil || !math.IsNaN(s.Computation) {
		t.Errorf("no kind in common: found %+v, %v", s, err)
	}
}

// TestBorrow: what a kind takes where it never ran comes from another run, per
// GFlop where that is known, and both then have one bound: global efficiencies are
// in proportion to speed.
func TestBorrow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed, n := rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 14).Draw(t, "tasks")
		a, b := tracetest.Random(seed, n), tracetest.Random(seed, n)
		work := rapid.Bool().Draw(t, "work")
		nodes := rapid.Int32Range(1, 2).Draw(t, "nodes")
		var workers []int32
		clock := int64(0) // run b is one task after the other
		for r := range b.Resource.Node {
			if b.Resource.Level.At(r) == trace.LevelWorker {
				workers = append(workers, int32(r))
				a.Resource.Node[r], b.Resource.Node[r] = int32(r)%nodes, int32(r)%nodes
			}
		}
		for i := range b.Task.Start {
			if work {
				a.Task.GFlop, b.Task.GFlop = append(a.Task.GFlop, float64(1+i%3)), append(b.Task.GFlop, float64(1+i%3))
			}
			b.Task.Worker[i] = rapid.SampledFrom(workers).Draw(t, "worker")
			length := b.Task.End[i] - b.Task.Start[i]
			b.Task.Start[i], b.Task.End[i] = clock, clock+length
			clock += length
		}
		ra, err := Compute(a, Options{})
		if err != nil {
			t.Fatal(err)
		}
		rb, err := Compute(b, Options{})
		if err != nil {
			t.Fatal(err)
		}
		alone, pairs := ra.Run.ABE, len(ra.neverRan())
		fromB, err := ra.Borrow(rb)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rb.Borrow(ra); err != nil {
			t.Fatal(err)
		}
		if ra.Run.ABE > alone*(1+1e-9) || len(fromB) == 0 && ra.Run.ABE != alone || len(ra.neverRan()) != pairs-len(fromB) {
			t.Fatalf("area bound %v without what never ran (%d pairs), %v with %q", alone, pairs, ra.Run.ABE, fromB)
		}
		checkIdentities(t, ra)
		checkIdentities(t, rb)
		sb, err := rb.Against(ra)
		if err != nil {
			t.Fatal(err)
		}
		sa, err := ra.Against(ra)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "reference", sa.Computation, 1)
		if math.IsNaN(sb.Computation) || len(ra.neverRan())+len(rb.neverRan()) > 0 {
			return
		}
		speed := float64(ra.Run.Span) / float64(rb.Run.Span)
		if !work { // with GFlop the means of kinds depend on which of their tasks ran where
			equal(t, "global efficiency", sb.Global(rb)/sa.Global(ra), speed)
		}
	})
}

// TestRealRuns: the identities hold, useful time is what other analyses call busy
// or work, and the area bound that of the report.
func TestRealRuns(t *testing.T) {
	bundled, err := filepath.Glob(testenv.Repo("testdata", "starpu*", "*"))
	if err != nil || len(bundled) < 8 {
		t.Fatalf("found bundled runs %q, %v", bundled, err)
	}
	t.Run("bundled", func(t *testing.T) { checkRuns(t, append(bundled, testenv.Repo("testdata", "synthetic", "sparse-qr"))) })
	t.Run("starpu", func(t *testing.T) {
		testenv.Slow(t)
		checkRuns(t, testenv.References(t, "data/starpu/*-*"))
	})
	t.Run("ompt", func(t *testing.T) {
		testenv.Slow(t)
		checkRuns(t, testenv.References(t, "data/ompt/traces/*/trace.csv.gz"))
	})
}

func checkRuns(t *testing.T, paths []string) {
	t.Helper()
	for _, path := range paths {
		t.Run(filepath.Base(filepath.Dir(path))+"/"+filepath.Base(path), func(t *testing.T) {
			run, err := read.Read(path, read.Options{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := Compute(run, Options{})
			if err != nil {
				t.Fatal(err)
			}
			checkIdentities(t, r)
			checkOthers(t, run, r)
			s := r.Summary()
			t.Logf("parallel %.4f = distribution %.4f × allocation %.4f × load balance %.4f × communication %.4f; %s worked longest; missing %q",
				r.Run.Parallel(), r.Run.Distribution(), r.Run.Allocation(), r.Run.LoadBalance(), r.Run.Communication(), s.Busiest, s.Missing)
		})
	}
}

func checkOthers(t *testing.T, run *trace.Run, r *Result) {
	t.Helper()
	if run.Meta.Lifetimes {
		b := breakdown.Compute(run, breakdown.Options{From: r.From, To: r.To})
		if work := b.Total(breakdown.Global).Work; work != r.Run.Useful {
			t.Errorf("found %d ns of useful time, want the breakdown's %d ns of work", r.Run.Useful, work)
		}
		return
	}
	w := utilization.ByWorker(run, utilization.WorkerOptions{States: []string{}})
	for i := range w.Worker {
		if r.Workers[i].Worker != w.Worker[i] || r.Workers[i].Useful != w.Busy[i] {
			t.Errorf("worker %d: found %d ns of useful time, want %d busy", w.Worker[i], r.Workers[i].Useful, w.Busy[i])
		}
	}
	areas, err := bound.Areas(run, bound.Options{}, false)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "area bound", r.Run.ABE/areas[0].Time, 1)
}
