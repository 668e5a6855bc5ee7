package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dagscope/explain/memory"
	"dagscope/explain/progress"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// decided adds a scheduler's decisions to a run: each task is pushed to its
// worker, with estimates of all workers, and popped by it.
func decided(run *trace.Run) *trace.Run {
	d, e := &run.Decision, &run.Estimate
	order := make([]int32, 0, len(run.Task.Start))
	for i := range run.Task.Start {
		if run.Task.Worker[i] >= 0 {
			order = append(order, int32(i))
		}
	}
	slices.SortStableFunc(order, func(i, j int32) int { return int(run.Task.Start[i] - run.Task.Start[j]) })
	workers := slices.Compact(slices.Sorted(slices.Values(run.Task.Worker)))
	for _, task := range order {
		for _, kind := range []string{trace.DecisionPush, trace.DecisionPop} {
			if w := run.Task.Worker[task]; kind == trace.DecisionPush {
				for k, other := range workers {
					if other < 0 {
						continue
					}
					e.Decision, e.Worker, e.Implementation = append(e.Decision, int32(len(d.Task))), append(e.Worker, other), append(e.Implementation, 0)
					fitness := 5 + float64(k)
					if other == w {
						fitness = 1
					}
					e.Available, e.Queued, e.Transfer = append(e.Available, 0), append(e.Queued, float64(k)), append(e.Transfer, 0)
					e.Duration, e.End, e.Fitness = append(e.Duration, 3), append(e.End, 3+float64(k)), append(e.Fitness, fitness)
				}
			}
			d.Task, d.Time, d.Worker = append(d.Task, task), append(d.Time, run.Task.Start[task]), append(d.Worker, run.Task.Worker[task])
			d.Kind.Append(kind)
			d.Queue.Append("q")
			d.By, d.Owner, d.Place = append(d.By, trace.None), append(d.Owner, run.Task.Worker[task]), append(d.Place, 0)
			d.Clock, d.Best, d.Alpha, d.Beta = append(d.Clock, 0), append(d.Best, 0), append(d.Alpha, 1), append(d.Beta, 1)
		}
	}
	return run
}

// A run does not part from itself, is distributed like itself and takes its own
// course.
func TestRunAgainstItself(t *testing.T) {
	for seed := range uint64(20) {
		run := decided(tracetest.Random(seed, 60))
		r := compared(t, run, run, Options{})
		if r.First != nil {
			t.Fatalf("seed %d: it parts from itself: %+v", seed, r.First)
		}
		for _, d := range r.Distributions {
			if d.Distance != 0 || d.Shift != 0 || d.A != d.B {
				t.Fatalf("seed %d: distribution %+v", seed, d)
			}
		}
		for _, c := range r.Courses {
			if k := float64(c.Correlation); c.Difference != 0 || !math.IsNaN(k) && math.Abs(k-1) > 1e-9 {
				t.Fatalf("seed %d: course %+v", seed, c)
			}
		}
	}
}

// One decision that is changed is found, wherever it is.
func TestPlantedDecision(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		a := decided(tracetest.Random(seed, 40))
		b := decided(tracetest.Random(seed, 40))
		m := Match(a, b, Options{})
		decisions := newDecisions(a)
		(&parter{a: decisions, b: newDecisions(b), m: m}).index()
		rows := decisions.matched()
		at := rows[rng.IntN(len(rows))]
		other := slices.IndexFunc(b.Task.Worker, func(w int32) bool { return w >= 0 && w != b.Decision.Worker[at] })
		if other < 0 {
			continue
		}
		b.Decision.Worker[at] = b.Task.Worker[other]
		f := FirstDifference(a, b, m)
		task := a.Decision.Task[at]
		if f == nil || f.Decision == nil || f.Decision.A.Task.Key != a.Task.Key.At(int(task)) || f.Decision.A.Kind != a.Decision.Kind.At(int(at)) {
			t.Fatalf("seed %d: decision %d about task %s was changed, found %+v", seed, at, a.Task.Key.At(int(task)), f)
		}
		if f.Decision.A.Worker == f.Decision.B.Worker || len(f.Decision.Words) == 0 {
			t.Fatalf("seed %d: parting %+v", seed, f.Decision)
		}
		if f.Place != nil {
			t.Fatalf("seed %d: no task ran elsewhere, found %+v", seed, f.Place)
		}
	}
}

// Without decisions the first task on another worker is found, as by looking at
// all of them.
func TestFirstPlace(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 2))
		a, b := tracetest.Random(seed, 40), tracetest.Random(seed, 40)
		m := Match(a, b, Options{})
		for range rng.IntN(4) {
			i := m.B[rng.IntN(len(m.B))]
			b.Task.Worker[i] = b.Task.Worker[m.B[rng.IntN(len(m.B))]]
		}
		want, earlier := int64(math.MaxInt64), 0
		for i := range m.A {
			if a.Task.Worker[m.A[i]] != b.Task.Worker[m.B[i]] {
				want = min(want, a.Task.Start[m.A[i]])
			}
		}
		for i := range m.A {
			if a.Task.Start[m.A[i]] < want {
				earlier++
			}
		}
		f := FirstDifference(a, b, m)
		if want == math.MaxInt64 {
			if f != nil {
				t.Fatalf("seed %d: found %+v in equal runs", seed, f)
			}
			continue
		}
		if f == nil || f.Place == nil || *f.Place.A.Task.Start != want || f.Same < earlier {
			t.Fatalf("seed %d: found %+v, want a task that begins at %d with %d before", seed, f, want, earlier)
		}
	}
}

// The estimate that changed is named, as is a priority.
func TestWhy(t *testing.T) {
	a, b := decided(tracetest.MustParse(before)), decided(tracetest.MustParse(before))
	names := func(w int32) string { return a.Resource.Name.At(int(w)) }
	for i := range b.Decision.Task {
		if b.Task.Key.At(int(b.Decision.Task[i])) == "2" && b.Decision.Kind.At(i) == trace.DecisionPush {
			for e := range b.Estimate.Decision {
				if b.Estimate.Decision[e] == int32(i) && b.Estimate.Worker[e] == b.Decision.Worker[i] {
					b.Estimate.Queued[e] += 7000
					b.Estimate.Fitness[e] = 7001
				} else if b.Estimate.Decision[e] == int32(i) {
					defer func(from, to string) {
						f := FirstDifference(a, b, Match(a, b, Options{}))
						text := strings.Join(f.Decision.Words, " ")
						for _, want := range []string{"K 2: A pushes to " + from + ", B pushes to " + to, "has queued 7.0", "in B, 0.00"} {
							if !strings.Contains(text, want) {
								t.Errorf("found %q, want %q in it", text, want)
							}
						}
						if len(f.Decision.Estimates) != 2 {
							t.Errorf("estimates %+v", f.Decision.Estimates)
						}
					}(names(a.Decision.Worker[i]), names(b.Estimate.Worker[e]))
					b.Decision.Worker[i] = b.Estimate.Worker[e]
				}
			}
		}
	}
	if got := byPriority(&Parting{A: &Choice{Priority: 3, Task: TaskRef{Kind: "K", Key: "1"}}, B: &Choice{Priority: 5, Task: TaskRef{Kind: "K", Key: "2"}}}, 5, 3); got != "Both are ready: B goes by priority (K 2 has 5, K 1 3), A does not." {
		t.Errorf("found %q", got)
	}
}

// Distances of distributions are those that counting gives.
func TestDistances(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		draw := func() []int64 {
			all := make([]int64, 1+rng.IntN(30))
			for i := range all {
				all[i] = rng.Int64N(20)
			}
			return slices.Sorted(slices.Values(all))
		}
		a, b := draw(), draw()
		below := func(all []int64, v int64) float64 {
			n := 0
			for _, x := range all {
				if x <= v {
					n++
				}
			}
			return float64(n) / float64(len(all))
		}
		most, area := 0.0, 0.0
		for v := range int64(20) { // values are whole, so that shares are constant between them
			apart := math.Abs(below(a, v) - below(b, v))
			most, area = max(most, apart), area+apart
		}
		mean := 0.0
		for _, all := range [][]int64{a, b} {
			for _, x := range all {
				mean += float64(x) / float64(len(all)) / 2
			}
		}
		if mean > 0 {
			area /= mean
		}
		if got := kolmogorov(a, b); math.Abs(got-most) > 1e-12 {
			t.Fatalf("%v and %v: distance %v, want %v", a, b, got, most)
		}
		if got := wasserstein(a, b); math.Abs(got-area) > 1e-9 && mean > 0 {
			t.Fatalf("%v and %v: shift %v, want %v", a, b, got, area)
		}
	}
}

// What transfers add makes an estimate add up: all of them on a worker that
// waits for them, what is left after its other work on a busy one.
func TestExposedTransfers(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 6))
		run := decided(tracetest.Random(seed, 5))
		m, e := newDecisions(run), &run.Estimate
		for i, d := range e.Decision {
			clock := 1000 * rng.Float64()
			run.Decision.Clock[d] = clock
			e.Available[i], e.Queued[i], e.Transfer[i] = clock+20*rng.Float64()-5, 10*rng.Float64(), 30*rng.Float64()
			e.End[i] = max(e.Available[i]+e.Queued[i], clock+e.Transfer[i]) + e.Duration[i]
			x := m.expected(d, int32(i))
			busy := max(0, x.Available+x.Queued)
			if sum := busy + x.Exposed + x.Duration; math.Abs(sum-x.End) > 1 {
				t.Fatalf("seed %d: %+v adds up to %v", seed, x, sum)
			}
			if want := max(0, x.Transfer-busy); math.Abs(x.Exposed-want) > 1 {
				t.Fatalf("seed %d: transfers add %v, want %v", seed, x.Exposed, want)
			}
		}
	}
}

// Courses are what looking at every nanosecond gives.
func TestCourses(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 4))
		var start, end []int64
		for range 1 + rng.IntN(20) {
			s := rng.Int64N(3000)
			start, end = append(start, s), append(end, s+rng.Int64N(500))
		}
		count := func(at int64) (n float64) {
			for i := range start {
				if start[i] <= at && at < end[i] {
					n++
				}
			}
			return n
		}
		f := counting(slices.Sorted(slices.Values(start)), slices.Sorted(slices.Values(end)))
		from := rng.Int64N(500)
		to := from + coursePoints*(1+rng.Int64N(3))
		means, most := meansOf(f, from, to), 0.0
		for k, got := range means {
			want, n := 0.0, (to-from)/coursePoints
			for at := from + int64(k)*n; at < from+int64(k+1)*n; at++ {
				want += count(at) / float64(n)
				most = max(most, count(at))
			}
			if math.Abs(got-want) > 1e-9 {
				t.Fatalf("seed %d, part %d: mean %v, want %v", seed, k, got, want)
			}
		}
		if got := maxOf(f, from, to); got != most {
			t.Fatalf("seed %d: most %v, want %v", seed, got, most)
		}
	}
	if text, err := Scalar(math.NaN()).MarshalJSON(); err != nil || string(text) != "null" {
		t.Errorf("no number is %s, %v", text, err)
	}
	if fmt.Sprint(correlation([]float64{1, 2, 3}, []float64{2, 4, 6}, 2, 4)) != "1" {
		t.Error("a multiple does not correlate")
	}
}

// A memory of a node is compared with that of the same node, and says so.
func TestCoursesOfNodes(t *testing.T) {
	runs := [2]*trace.Run{}
	for i := range runs {
		runs[i] = tracetest.Cholesky(tracetest.Options{Tiles: 8 + i, Nodes: 2, CPUs: 2, GPUs: 1, Seed: uint64(i)})
		for k, r := range runs[i].Sample.Resource {
			runs[i].Sample.Value[k] *= float64(1 + runs[i].Resource.Node[r]*int32(1+i))
		}
	}
	var most [2]map[string]float64
	for i, run := range runs {
		most[i] = make(map[string]float64)
		for _, s := range progress.Counters(run, progress.UsedMemoryMetric) {
			name := fmt.Sprintf("used memory of %d %s", s.Node, memory.Name(run, s.Resource))
			most[i][name] = max(most[i][name], slices.Max(s.Value))
		}
	}
	if one, two := most[0]["used memory of 0 CUDA0"], most[0]["used memory of 1 CUDA0"]; one == 0 || one == two {
		t.Fatalf("memories %v tell no nodes apart", most[0])
	}
	found := 0
	for _, c := range compared(t, runs[0], runs[1], Options{}).Courses {
		if a, ok := most[0][c.Name]; ok {
			found++
			if b := most[1][c.Name]; float64(c.AMost) != a || float64(c.BMost) != b {
				t.Errorf("%s: at most %v and %v, want %v and %v", c.Name, c.AMost, c.BMost, a, b)
			}
		}
	}
	if found != len(most[0]) {
		t.Errorf("found courses of %d memories, want %d", found, len(most[0]))
	}
}

// Priorities explain an order only within a queue; estimates that were not
// recorded are told from those that were not made.
func TestWhyClaimsNoMore(t *testing.T) {
	words := func(change func(b *trace.Run, i, j int)) string {
		a, b := decided(tracetest.MustParse(before)), decided(tracetest.MustParse(before))
		a.Task.Ready, b.Task.Ready = nil, nil
		d := &b.Decision
		var pops []int
		for i := range d.Task {
			if d.Kind.At(i) == trace.DecisionPop {
				pops = append(pops, i)
			}
		}
		m := Match(a, b, Options{})
		change(b, pops[0], pops[1])
		f := FirstDifference(a, b, m)
		if f == nil || f.Decision == nil {
			t.Fatal("found no difference")
		}
		return strings.Join(f.Decision.Words, " ")
	}
	swap := func(b *trace.Run, i, j int) {
		b.Decision.Task[i], b.Decision.Task[j] = b.Decision.Task[j], b.Decision.Task[i]
	}
	for want, queue := range map[string]string{"Both are ready, and have the same priority": "q", "Priorities do not decide between two queues": "other"} {
		text := words(func(b *trace.Run, i, j int) {
			swap(b, i, j)
			for _, k := range []int{i, j} {
				b.Decision.Queue.Index[k] = b.Decision.Queue.Intern(queue)
			}
		})
		if !strings.Contains(text, want) {
			t.Errorf("queue %q: found %q, want %q in it", queue, text, want)
		}
	}
	for left, want := range map[int]string{0: "Only the scheduler of A estimates", 1: "was recorded in A only"} {
		text := words(func(b *trace.Run, _, _ int) {
			e := &b.Estimate
			at := len(e.Decision) - left
			*e = trace.Estimates{Decision: e.Decision[at:], Worker: e.Worker[at:], Implementation: e.Implementation[at:], Available: e.Available[at:],
				Queued: e.Queued[at:], Transfer: e.Transfer[at:], Duration: e.Duration[at:], End: e.End[at:], Fitness: e.Fitness[at:]}
			first := b.Decision.Worker[0]
			b.Decision.Worker[0] = b.Decision.Worker[slices.IndexFunc(b.Decision.Worker, func(w int32) bool { return w != first })]
		})
		if !strings.Contains(text, want) {
			t.Errorf("%d estimates left: found %q, want %q in it", left, text, want)
		}
	}
}

// Two decisions that change places are found as well, and it is said whether
// the other task was ready.
func TestOrder(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 5))
		a, b := decided(tracetest.Random(seed, 30)), decided(tracetest.Random(seed, 30))
		d, n := &b.Decision, len(b.Decision.Task)
		i, j := rng.IntN(n), rng.IntN(n)
		i, j = min(i, j), max(i, j)
		if d.Task[i] == d.Task[j] {
			continue
		}
		m := Match(a, b, Options{})
		d.Task[i], d.Task[j] = d.Task[j], d.Task[i]
		f := FirstDifference(a, b, m)
		keyA, keyB := a.Task.Key.At(int(a.Decision.Task[i])), b.Task.Key.At(int(d.Task[i]))
		if f == nil || f.Decision == nil || f.Decision.A.Task.Key != keyA || f.Decision.B.Task.Key != keyB {
			if slices.Contains(m.A, a.Decision.Task[i]) && slices.Contains(m.A, a.Decision.Task[j]) {
				t.Fatalf("seed %d: %s and %s change places, found %+v", seed, keyA, keyB, f)
			}
			continue
		}
		text := strings.Join(f.Decision.Words, " ")
		if !strings.Contains(text, "ready") || !strings.Contains(text, keyA) || !strings.Contains(text, keyB) {
			t.Fatalf("seed %d: says %q", seed, text)
		}
	}
}
