package bound

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"dagscope/internal/dag"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

func compute(t interface{ Fatal(...any) }, run *trace.Run, o Options) *Result {
	r, err := Compute(run, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// By hand: POTRF takes 40 on the CPU and GEMM 20 on the GPU; of two SYRK (40
// and 20) one goes to the CPU, both TRSM (60 and 20) to the GPU: 80 each. The
// path POTRF, TRSM, GEMM takes 40+20+20 at best.
func TestTiny(t *testing.T) {
	r := compute(t, tracetest.Tiny(), Options{})
	if math.Abs(r.Area.Time-80) > 1e-9 || r.CPE.Time != 80 || r.CPB.Time != 140 || r.Makespan != 150 || r.Tasks != 6 {
		t.Errorf("got %+v", r)
	}
	if !slices.Equal(r.CPE.Tasks, []int32{0, 1, 4}) && !slices.Equal(r.CPE.Tasks, []int32{0, 1, 3}) {
		t.Errorf("critical path is %v", r.CPE.Tasks)
	}
	if !slices.Equal(r.CPB.Tasks, []int32{0, 2, 5}) {
		t.Errorf("observed path is %v, want 0 2 5", r.CPB.Tasks)
	}
	ideal := map[[2]int32]float64{}
	for i := range r.Area.Kind {
		ideal[[2]int32{r.Area.Kind[i], r.Area.Arch[i]}] = r.Area.Ideal[i]
	}
	run := tracetest.Tiny()
	key := func(kind, arch string) [2]int32 {
		return [2]int32{run.Task.Kind.Find(kind), run.Resource.Arch.Find(arch)}
	}
	if math.Abs(ideal[key("SYRK", "cpu")]-1) > 1e-9 || math.Abs(ideal[key("TRSM", "cuda")]-2) > 1e-9 {
		t.Errorf("solution is %v", ideal)
	}
	// Nothing can start before POTRF has taken 40; then TRSM, SYRK and GEMM
	// share a CPU and a GPU.
	if r.HeadTail.Time < 80 || r.HeadTail.Time > 150 || !r.HeadTail.Exact {
		t.Errorf("head–tail bound is %+v", r.HeadTail)
	}
	if r.Best.Time < r.HeadTail.Time*(1-1e-9) || r.Best.Time < r.Mixed.Time*(1-1e-9) {
		t.Errorf("best is %+v", r.Best)
	}
}

func TestInternalTasksAreWalkedThrough(t *testing.T) {
	run := tracetest.Tiny()
	run.Task.Internal[1] = true // TRSM between POTRF and GEMM
	// TRSM is now observed on the CPU only: 40 + 60, then 20.
	r := compute(t, run, Options{})
	if r.CPE.Time != 120 || r.CPE.Tasks[1] != 2 {
		t.Errorf("got %+v, want 120 by way of task 2", r.CPE)
	}
	run = tracetest.Chain(5)
	run.Task.Internal[2] = true
	r = compute(t, run, Options{})
	if r.CPE.Time != 40 || !slices.Equal(r.CPE.Tasks, []int32{0, 1, 3, 4}) {
		t.Errorf("chain around an internal task: %+v", r.CPE)
	}
}

func TestUsedWorkersAndUnusedOnes(t *testing.T) {
	run := tracetest.Fork(8, 4)
	for i := range run.Task.Worker {
		run.Task.Worker[i] = run.Task.Worker[0]
	}
	if all, used := compute(t, run, Options{}), compute(t, run, Options{UsedWorkers: true}); all.Area.Time != 25 || used.Area.Time != 100 {
		t.Errorf("area bounds are %v on all and %v on used workers, want 25 and 100", all.Area.Time, used.Area.Time)
	}
	// fork, 8 branches on 4 workers, join: levels see that it takes 40.
	if r := compute(t, run, Options{}); math.Abs(r.HeadTail.Time-40) > 1e-6 || r.HeadTail.Tasks != 8 {
		t.Errorf("head–tail bound is %+v, want 10 + 20 + 10", r.HeadTail)
	}
}

func TestAllow(t *testing.T) {
	run := tracetest.Tiny()
	r := compute(t, run, Options{Allow: []Pair{{"POTRF", "cuda", 1}, {"POTRF", "cpu", 1}, {"none", "cpu", 1}}})
	if r.CPE.Time != 41 {
		t.Errorf("critical path is %v with a fast POTRF on the GPU, want 41", r.CPE.Time)
	}
	if _, err := Compute(run, Options{Allow: []Pair{{"POTRF", "cuda", math.NaN()}}}); err == nil {
		t.Error("a duration that is no number was accepted")
	}
}

func TestModelDurations(t *testing.T) {
	run := tracetest.Tiny()
	n := len(run.Task.Start)
	run.Task.Model = trace.Strings{}
	run.Task.Footprint = make([]uint32, n)
	for i := range n {
		run.Task.Model.Append("m_" + run.Task.Kind.At(i))
		run.Task.Footprint[i] = 7
	}
	m := &run.Model
	for _, e := range []struct {
		symbol, arch string
		mean         float64
		count        int64
	}{{"m_POTRF", "cuda", 5, 10}, {"m_POTRF", "cuda", 999, 2}, {"m_GEMM", "cpu", 500, 3}} {
		m.Symbol.Append(e.symbol)
		m.Arch.Append(e.arch)
		m.Footprint, m.Device, m.Cores = append(m.Footprint, 7), append(m.Device, 0), append(m.Cores, 1)
		m.Impl = append(m.Impl, int32(len(m.Impl)))
		m.Mean, m.Count = append(m.Mean, e.mean), append(m.Count, e.count)
	}
	if r := compute(t, run, Options{Duration: Model}); r.CPE.Time != 45 {
		t.Errorf("critical path is %v, want 5 + 20 + 20", r.CPE.Time)
	}
	if r := compute(t, run, Options{}); r.CPE.Time != 80 {
		t.Errorf("models changed observed means: %v", r.CPE.Time)
	}
}

func TestMedianDurations(t *testing.T) {
	run := tracetest.Chain(3)
	run.Task.End[2] += 1000
	if r := compute(t, run, Options{Duration: Median}); r.CPE.Time != 30 {
		t.Errorf("critical path of medians is %v, want 30", r.CPE.Time)
	}
}

func TestCommunications(t *testing.T) {
	run := tracetest.Chain(3)
	run.Dep.Via = []int32{0, trace.None}
	run.Transfer.Start, run.Transfer.End = []int64{10}, []int64{17}
	r := compute(t, run, Options{Communications: true})
	if r.CPB.Time != 37 || !slices.Equal(r.CPB.Transfers, []int32{0}) {
		t.Errorf("got %+v, want 37 over transfer 0", r.CPB)
	}
	if r = compute(t, run, Options{}); r.CPB.Time != 30 || r.CPB.Transfers != nil {
		t.Errorf("got %+v, want 30 without communications", r.CPB)
	}
}

func TestCycleIsAnError(t *testing.T) {
	run := tracetest.Chain(3)
	run.Dep.From, run.Dep.To = []int32{0, 1, 2}, []int32{1, 2, 0}
	var cycle *dag.CycleError
	if _, err := Compute(run, Options{}); !errors.As(err, &cycle) {
		t.Errorf("got %v, want a cycle", err)
	}
}

func TestNothingToBound(t *testing.T) {
	r := compute(t, tracetest.Chain(0), Options{})
	if r.Makespan != 0 || r.Tasks != 0 || r.Best.Time != 0 {
		t.Errorf("got %+v", r)
	}
}

func TestTasksWithoutDuration(t *testing.T) {
	run := tracetest.Tiny()
	for i := range run.Task.End {
		if i != 2 {
			run.Task.End[i] = run.Task.Start[i]
		}
	}
	if r := compute(t, run, Options{}); r.CPB.Time != 60 || r.Area.Time != 0 {
		t.Errorf("got %+v", r) // the GPU does both TRSM in no time
	}
	run.Task.End[2] = run.Task.Start[2]
	if r := compute(t, run, Options{}); r.Best.Time != 0 {
		t.Errorf("best bound of nothing is %+v", r.Best)
	}
}

// Many kinds: programs are large, and the search must still end soon.
func TestManyKinds(t *testing.T) {
	names := []string{}
	for i := range 120 {
		names = append(names, fmt.Sprintf("kind%d", i))
	}
	for seed := range uint64(6) {
		run := tracetest.Random(10+seed, 3000)
		run.Task.Kind = trace.Strings{}
		for i := range run.Task.Start {
			run.Task.Kind.Append(names[i*7919%len(names)])
		}
		began := time.Now()
		r := compute(t, run, Options{})
		if took := time.Since(began); took > time.Minute {
			t.Errorf("bounds took %v", took)
		}
		t.Logf("%v: area %v, head–tail %+v, mixed %+v", time.Since(began), r.Area.Time, r.HeadTail, r.Mixed)
	}
}

// On any run: what must hold between the bounds, and CPB within the makespan.
func TestOrderOfBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := tracetest.Random(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 150).Draw(t, "tasks"))
		r := compute(t, run, Options{})
		const slack = 1 + 1e-8
		switch {
		case r.CPB.Time > float64(r.Makespan):
			t.Fatalf("observed path %v exceeds makespan %v", r.CPB.Time, r.Makespan)
		case r.Area.Time > r.HeadTail.Time*slack:
			t.Fatalf("area %v exceeds head–tail %v", r.Area.Time, r.HeadTail.Time)
		case r.Area.Time > r.Mixed.Time*slack:
			t.Fatalf("area %v exceeds mixed %v", r.Area.Time, r.Mixed.Time)
		case r.CPE.Time > r.Mixed.Time*slack:
			t.Fatalf("path %v exceeds mixed %v", r.CPE.Time, r.Mixed.Time)
		case r.Area.Time-r.Area.Dual > 1e-9*r.Area.Time || r.Area.Dual > r.Area.Time*(1+1e-12):
			t.Fatalf("area %v is not proved by %v", r.Area.Time, r.Area.Dual)
		}
	})
}

// The search over levels must find what trying all pairs finds.
func TestHeadTailEqualsAllPairs(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		run := tracetest.Random(rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(1, 40).Draw(rt, "tasks"))
		c, err := NewCosts(run, Options{})
		if err != nil {
			rt.Fatal(err)
		}
		fastest := c.Fastest()
		n := len(run.Task.Start)
		head, tail := make([]float64, n), make([]float64, n)
		weight := func(v int32) float64 { return fastest[c.kindAt[run.Task.Kind.Index[v]]] }
		for range n { // edges in any order: relax until nothing changes
			for e, u := range run.Dep.From {
				v := run.Dep.To[e]
				head[v] = max(head[v], head[u]+weight(u))
				tail[u] = max(tail[u], tail[v]+weight(v))
			}
		}
		want := 0.0
		for _, x := range head {
			for _, y := range tail {
				count, size := make([]float64, len(c.Kind)), 0
				for v := range n {
					if head[v] >= x-1e-3 && tail[v] >= y-1e-3 {
						count[c.kindAt[run.Task.Kind.Index[v]]]++
						size++
					}
				}
				if size == 0 {
					continue
				}
				a, err := c.Area(count)
				if err != nil {
					rt.Fatal(err)
				}
				want = max(want, x+a.Time+y)
			}
		}
		got := compute(rt, run, Options{}).HeadTail
		if math.Abs(got.Time-want) > 1e-3 {
			rt.Fatalf("head–tail bound is %v, trying all pairs gives %v", got.Time, want)
		}
	})
}

// Few thresholds give a valid, smaller bound; refining must not lose it.
func TestHeadTailOnFewLevels(t *testing.T) {
	run := tracetest.Random(3, 400)
	exact := compute(t, run, Options{}).HeadTail
	thinned := compute(t, run, Options{Levels: 6}).HeadTail
	if !exact.Exact || thinned.Exact || thinned.Time > exact.Time || thinned.Time < 0.95*exact.Time {
		t.Errorf("exact %+v, on six levels %+v", exact, thinned)
	}
}

// Durations over eight decades, many kinds: certified, and scaling all times
// scales the bound.
func TestAreaOverEightDecades(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for range 50 {
		c := &Costs{Workers: []int{1 + rng.IntN(50), 1 + rng.IntN(8), 1 + rng.IntN(4)}, Arch: []int32{0, 1, 2}}
		var count []float64
		for k := range 12 {
			w := math.Pow(10, 2+8*rng.Float64())
			c.Kind = append(c.Kind, int32(k))
			c.Duration = append(c.Duration, []float64{w, w / (1 + 30*rng.Float64()), math.Inf(1)})
			if rng.IntN(2) == 0 {
				c.Duration[k][2] = w * rng.Float64()
			}
			count = append(count, float64(1+rng.IntN(1e6)))
		}
		a, err := c.Area(count)
		if err != nil {
			t.Fatal(err)
		}
		for k := range c.Duration {
			for r := range c.Duration[k] {
				c.Duration[k][r] *= 1e3
			}
		}
		b, err := c.Area(count)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(b.Time/a.Time/1e3-1) > 1e-9 {
			t.Errorf("a thousand times the durations give %v instead of %v", b.Time, a.Time*1e3)
		}
	}
}
