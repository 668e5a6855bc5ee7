package bound

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"dagscope/trace"
)

// instance is a tiny scheduling problem.
type instance struct {
	preds    [][]int
	kind     []int
	archOf   []int       // of each worker
	duration [][]float64 // [kind][arch], integers; +Inf where it cannot run
}

func drawInstance(t *rapid.T) *instance {
	archs := rapid.IntRange(1, 2).Draw(t, "archs")
	in := &instance{}
	for r := range archs {
		in.archOf = append(in.archOf, r)
	}
	for range rapid.IntRange(0, 1).Draw(t, "more workers") {
		in.archOf = append(in.archOf, 0)
	}
	for range rapid.IntRange(1, 3).Draw(t, "kinds") {
		var row []float64
		for range archs {
			row = append(row, float64(rapid.IntRange(1, 9).Draw(t, "duration")))
		}
		if archs == 2 && rapid.IntRange(0, 3).Draw(t, "forbid") == 0 {
			row[rapid.IntRange(0, 1).Draw(t, "where")] = math.Inf(1)
		}
		in.duration = append(in.duration, row)
	}
	for v := range rapid.IntRange(1, 6).Draw(t, "tasks") {
		in.kind = append(in.kind, rapid.IntRange(0, len(in.duration)-1).Draw(t, "kind"))
		var preds []int
		for u := range v {
			if rapid.IntRange(0, 2).Draw(t, "edge") == 0 {
				preds = append(preds, u)
			}
		}
		in.preds = append(in.preds, preds)
	}
	return in
}

// schedule is what optimum explores: tasks appended to workers, each as early
// as possible. Some order of appending gives an optimal schedule.
type schedule struct {
	start, end []float64 // per task, end −1 if not scheduled
	worker     []int
	free       []float64
}

// optimum is the shortest makespan, by trying everything.
func (in *instance) optimum() *schedule {
	n := len(in.kind)
	s := &schedule{start: make([]float64, n), end: make([]float64, n), worker: make([]int, n), free: make([]float64, len(in.archOf))}
	for v := range s.end {
		s.end[v] = -1
	}
	best := &schedule{}
	shortest := math.Inf(1)
	var try func(done int, span float64)
	try = func(done int, span float64) {
		if span >= shortest {
			return
		}
		if done == n {
			shortest = span
			*best = schedule{append([]float64(nil), s.start...), append([]float64(nil), s.end...), append([]int(nil), s.worker...), nil}
			return
		}
		for v := range n {
			ready := s.ready(in, v)
			if s.end[v] >= 0 || ready < 0 {
				continue
			}
			for w, r := range in.archOf {
				d := in.duration[in.kind[v]][r]
				if math.IsInf(d, 1) {
					continue
				}
				free := s.free[w]
				s.start[v] = max(free, ready)
				s.end[v], s.worker[v] = s.start[v]+d, w
				s.free[w] = s.end[v]
				try(done+1, max(span, s.end[v]))
				s.free[w], s.end[v] = free, -1
			}
		}
	}
	try(0, 0)
	return best
}

// ready is when the predecessors of v have ended, −1 if not all are scheduled.
func (s *schedule) ready(in *instance, v int) float64 {
	t := 0.0
	for _, u := range in.preds[v] {
		if s.end[u] < 0 {
			return -1
		}
		t = max(t, s.end[u])
	}
	return t
}

// run writes a schedule down as a trace and returns what else can run where.
func (in *instance) run(t *rapid.T, s *schedule) (*trace.Run, []Pair) {
	archs, kinds := []string{"cpu", "cuda"}, []string{"a", "b", "c"}
	b := &trace.Builder{}
	root := b.AddResource(trace.None, trace.LevelCluster, "root", "", trace.None, trace.None)
	node := b.AddResource(root, trace.LevelNode, "node", "", 0, 0)
	var workers []int32
	for w, r := range in.archOf {
		workers = append(workers, b.AddResource(node, trace.LevelWorker, string(rune('A'+w)), archs[r], 0, int32(w)))
	}
	for v, k := range in.kind {
		b.AddTask(trace.TaskRow{Key: string(rune('a' + v)), Kind: kinds[k], Worker: workers[s.worker[v]],
			Start: int64(s.start[v]), End: int64(s.end[v]), Submit: 0, Ready: trace.NoTime, Order: int32(v), Iteration: -1})
		for _, u := range in.preds[v] {
			b.AddDep(int32(u), int32(v), trace.None)
		}
	}
	run, err := b.Finish("none")
	if err != nil {
		t.Fatal(err)
	}
	var allow []Pair
	for k, row := range in.duration {
		for r, d := range row {
			if !math.IsInf(d, 1) {
				allow = append(allow, Pair{kinds[k], archs[r], d})
			}
		}
	}
	return run, allow
}

// The property that makes a bound a bound: it never exceeds the shortest
// schedule there is.
func TestBoundsNeverExceedTheOptimum(t *testing.T) {
	tight := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(t)
		s := in.optimum()
		run, allow := in.run(t, s)
		r := compute(t, run, Options{Allow: allow})
		for _, b := range []Best{{"abe", r.Area.Time}, {"cpe", r.CPE.Time}, {"cpb", r.CPB.Time}, {"head_tail", r.HeadTail.Time}, {"mixed", r.Mixed.Time}} {
			if b.Time > float64(r.Makespan)+1e-6 {
				t.Fatalf("%s is %v, but a schedule takes %v", b.Name, b.Time, r.Makespan)
			}
			if b.Time > float64(r.Makespan)-1e-6 {
				tight[b.Name]++
			}
		}
		if !r.Mixed.Converged || !r.HeadTail.Exact {
			t.Fatalf("a graph of %d tasks was not finished: %+v %+v", len(in.kind), r.Mixed, r.HeadTail)
		}
	})
	t.Logf("bounds that met the optimum: %v", tight)
}
