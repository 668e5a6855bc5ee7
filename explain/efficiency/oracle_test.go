package efficiency

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// drawRun is a random schedule on up to three nodes, with suspended tasks, tasks
// that prepare the input, and states that running tasks lose time in.
func drawRun(t *rapid.T) *trace.Run {
	run := tracetest.Random(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 14).Draw(t, "tasks"))
	nodes := rapid.Int32Range(1, 3).Draw(t, "nodes")
	suspend, generate, overlap := rapid.Bool().Draw(t, "suspend"), rapid.Bool().Draw(t, "generation tasks"), rapid.Bool().Draw(t, "overlap")
	for r := range run.Resource.Node {
		if run.Resource.Level.At(r) == trace.LevelWorker {
			run.Resource.Node[r] = int32(r) % nodes
		}
	}
	for i, start := range run.Task.Start {
		run.Task.Generation[i] = generate && i%5 == 2
		if overlap && i%4 == 0 {
			run.Task.End[i] += 60
		}
		if end := run.Task.End[i]; suspend && i%3 == 1 && end-start > 4 {
			s := &run.Segment
			for _, piece := range [][2]int64{{start, start + 1}, {start + 3, end}} {
				s.Task, s.Worker = append(s.Task, int32(i)), append(s.Worker, run.Task.Worker[i])
				s.Start, s.End = append(s.Start, piece[0]), append(s.End, piece[1])
			}
		}
	}
	for r := range run.Resource.Node {
		if run.Resource.Level.At(r) != trace.LevelWorker {
			continue
		}
		for at := int64(0); rapid.IntRange(0, 2).Draw(t, "state") > 0; {
			at += rapid.Int64Range(0, 90).Draw(t, "pause")
			length := rapid.Int64Range(1, 200).Draw(t, "length")
			s := &run.State
			s.Resource, s.Start, s.End, s.Depth = append(s.Resource, int32(r)), append(s.Start, at), append(s.End, at+length), append(s.Depth, 0)
			s.Type.Append("state")
			s.Kind.Append(rapid.SampledFrom([]string{"lock", "Off-CPU", "MPI_Recv", "Scheduling", "lockless"}).Draw(t, "kind"))
			at += length
		}
	}
	return run
}

// naive is the definition, nanosecond by nanosecond.
type naive struct {
	run        *trace.Run
	generation bool
	from, to   int64
	workers    []int32
	useful     map[int32]int64 // by worker
	perTask    map[int]int64   // by task
}

func (n *naive) counts(i int) bool { return n.generation || !n.run.Task.Generation[i] }

func (n *naive) inState(w int32, now int64, is func(string) bool) bool {
	s := &n.run.State
	for i, r := range s.Resource {
		if r == w && s.Start[i] <= now && now < s.End[i] && is(s.Kind.At(i)) {
			return true
		}
	}
	return false
}

// runs is the task that a worker runs a piece of, of several the one whose piece
// started first, −1 for none.
func (n *naive) runs(w int32, now int64) int {
	t, s := &n.run.Task, &n.run.Segment
	first, start := -1, int64(0)
	piece := func(i int, from, to int64) {
		if from <= now && now < to && (first < 0 || from < start) {
			first, start = i, from
		}
	}
	for i := range t.Start {
		if !n.counts(i) || t.Worker[i] != w {
			continue
		}
		pieces := false
		for k, task := range s.Task {
			if int(task) == i {
				pieces = true
				piece(i, s.Start[k], s.End[k])
			}
		}
		if !pieces {
			piece(i, t.Start[i], t.End[i])
		}
	}
	return first
}

func newNaive(run *trace.Run, generation bool) *naive {
	n := &naive{run: run, generation: generation, from: math.MaxInt64, to: math.MinInt64, useful: map[int32]int64{}, perTask: map[int]int64{}}
	for i, start := range run.Task.Start {
		if n.counts(i) {
			n.from, n.to = min(n.from, start), max(n.to, run.Task.End[i])
		}
	}
	lost := func(kind string) bool { return kind == "lock" || kind == "Off-CPU" || strings.HasPrefix(kind, "MPI_") }
	for r := range run.Resource.Node {
		if run.Resource.Level.At(r) != trace.LevelWorker {
			continue
		}
		w := int32(r)
		n.workers = append(n.workers, w)
		for now := n.from; now < n.to; now++ {
			if task := n.runs(w, now); task >= 0 && !n.inState(w, now, lost) {
				n.useful[w]++
				n.perTask[task]++
			}
		}
	}
	return n
}

// mean is the useful time of a task of a kind on an architecture; NaN where none
// ran.
func (n *naive) mean(kind, arch string) float64 {
	sum, count := 0.0, 0.0
	for i, w := range n.run.Task.Worker {
		if n.counts(i) && n.run.Task.Kind.At(i) == kind && n.run.Resource.Arch.At(int(w)) == arch {
			sum, count = sum+float64(n.perTask[i]), count+1
		}
	}
	return sum / count
}

func (n *naive) on(w, node int32) bool { return node < 0 || n.run.Resource.Node[w] == node }

// area is the area bound of what a node (−1: all) ran. By duality it is the
// largest Σ_t N_t·min_r w(t,r)·y_r over prices y ≥ 0 with Σ N_r·y_r = 1, which is
// at one of the points where enough of the minima are ties or prices are zero.
func (n *naive) area(node int32) float64 {
	archs := []string{"cpu", "cuda", "hip"}
	var workers [3]float64
	for _, w := range n.workers {
		if n.on(w, node) {
			workers[slices.Index(archs, n.run.Resource.Arch.At(int(w)))]++
		}
	}
	count := map[string]float64{}
	for i, w := range n.run.Task.Worker {
		if n.counts(i) && n.on(w, node) {
			count[n.run.Task.Kind.At(i)]++
		}
	}
	planes := [][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	for kind := range count {
		for a := range 3 {
			for b := range a {
				p := [3]float64{}
				p[a], p[b] = n.mean(kind, archs[a]), -n.mean(kind, archs[b])
				if !math.IsNaN(p[a]) && !math.IsNaN(p[b]) {
					planes = append(planes, p)
				}
			}
		}
	}
	best := 0.0
	for _, p := range planes {
		for _, q := range planes {
			y := [3]float64{p[1]*q[2] - p[2]*q[1], p[2]*q[0] - p[0]*q[2], p[0]*q[1] - p[1]*q[0]}
			best = max(best, n.value(y, workers, count, archs))
		}
	}
	return best
}

// value is what prices prove, 0 for prices that are none.
func (n *naive) value(y, workers [3]float64, count map[string]float64, archs []string) float64 {
	norm := 0.0
	for r := range y {
		norm += y[r] * workers[r]
	}
	for r := range y {
		if y[r] /= norm; y[r] < -1e-12 || math.IsNaN(y[r]) || math.IsInf(y[r], 0) {
			return 0
		}
		y[r] = max(0, y[r])
	}
	sum := 0.0
	for kind, tasks := range count {
		cheapest := math.Inf(1)
		for r, arch := range archs {
			if d := n.mean(kind, arch); workers[r] > 0 && !math.IsNaN(d) {
				cheapest = min(cheapest, d*y[r])
			}
		}
		sum += tasks * cheapest
	}
	return sum
}

// load is L(n, r).
func (n *naive) load(node int32, arch string) float64 {
	sum, workers := 0.0, 0.0
	for i, w := range n.run.Task.Worker {
		if n.counts(i) && n.on(w, node) && n.run.Resource.Arch.At(int(w)) == arch {
			sum += n.mean(n.run.Task.Kind.At(i), arch)
		}
	}
	for _, w := range n.workers {
		if n.on(w, node) && n.run.Resource.Arch.At(int(w)) == arch {
			workers++
		}
	}
	return sum / workers
}

func TestEqualsTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run, generation := drawRun(t), rapid.Bool().Draw(t, "count generation")
		n := newNaive(run, generation)
		r, err := Compute(run, Options{Generation: generation})
		longest, sum := int64(0), int64(0)
		for _, w := range n.workers {
			longest, sum = max(longest, n.useful[w]), sum+n.useful[w]
		}
		if longest == 0 {
			if err == nil && r.MPI == nil {
				t.Fatalf("nobody worked, found %+v", r)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range n.workers {
			if got := r.Workers[i]; got.Worker != w || got.Useful != n.useful[w] {
				t.Fatalf("worker %d: found %d ns of useful time, want %d", w, got.Useful, n.useful[w])
			}
		}
		span := float64(n.to - n.from)
		equal(t, "load balance × communication", r.Run.LoadBalance()*r.Run.Communication(), r.Run.Load/span)
		equal(t, "communication", r.Run.Communication(), float64(longest)/span)
		if r.Uniform() {
			mean := float64(sum) / float64(len(n.workers))
			equal(t, "parallel efficiency", r.Run.Parallel(), mean/span)
			equal(t, "load balance", r.Run.LoadBalance(), mean/float64(longest))
		}
		abe, largest, load := n.area(-1), 0.0, 0.0
		for i := range r.Nodes {
			p := &r.Nodes[i]
			largest = max(largest, n.area(p.Node))
			equal(t, "area bound of a node", p.ABE, n.area(p.Node))
		}
		for i := range r.Types {
			p := &r.Types[i]
			l := n.load(p.Node, run.Resource.Arch.Dict[p.Arch])
			equal(t, "load", p.Load, l)
			load = max(load, l)
		}
		equal(t, "parallel efficiency", r.Run.Parallel(), abe/span)
		equal(t, "distribution", r.Run.Distribution(), abe/largest)
		equal(t, "allocation", r.Run.Allocation(), largest/load)
		equal(t, "load balance", r.Run.LoadBalance(), load/float64(longest))
		n.checkMPI(t, r)
		checkIdentities(t, r)
	})
}

// checkMPI compares with the time that each node's worker that is longest in MPI
// spends outside of it.
func (n *naive) checkMPI(t *rapid.T, r *Result) {
	outside := map[int32]int64{}
	nodes := map[int32]bool{}
	for _, w := range n.workers {
		node, in := n.run.Resource.Node[w], int64(0)
		nodes[node] = true
		for now := n.from; now < n.to; now++ {
			if n.inState(w, now, isMPI) {
				in++
			}
		}
		if slices.ContainsFunc(n.run.State.Resource, func(r int32) bool { return r == w }) && n.callsMPI(w) {
			if old, ok := outside[node]; !ok || n.to-n.from-in < old {
				outside[node] = n.to - n.from - in
			}
		}
	}
	if len(outside) < len(nodes) {
		if r.MPI != nil {
			t.Fatalf("found %+v, though of %d nodes only %d called MPI", r.MPI, len(nodes), len(outside))
		}
		return
	}
	longest, sum := int64(0), int64(0)
	for _, o := range outside {
		longest, sum = max(longest, o), sum+o
	}
	mean, span := float64(sum)/float64(len(outside)), float64(n.to-n.from)
	if longest == 0 {
		return
	}
	equal(t, "MPI load balance", r.MPI.LoadBalance(), mean/float64(longest))
	equal(t, "MPI communication", r.MPI.Communication(), float64(longest)/span)
	_, balance, communication := r.OpenMP()
	equal(t, "MPI × OpenMP", r.MPI.LoadBalance()*r.MPI.Communication()*balance*communication, r.Run.Parallel())
}

func (n *naive) callsMPI(w int32) bool {
	for i, r := range n.run.State.Resource {
		if r == w && isMPI(n.run.State.Kind.At(i)) {
			return true
		}
	}
	return false
}

// tester is *testing.T or *rapid.T.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

func equal(t tester, what string, got, want float64) {
	t.Helper()
	if math.IsNaN(got) && math.IsNaN(want) {
		return
	}
	if !(math.Abs(got-want) <= 1e-9*max(1, math.Abs(want))) {
		t.Fatalf("%s: found %v, want %v", what, got, want)
	}
}

// checkIdentities: on each level the factors multiply up, and those that compare
// with a larger set of schedules are at most 1.
func checkIdentities(t tester, r *Result) {
	t.Helper()
	for _, parts := range [][]Part{{r.Run}, r.Nodes, r.Types, r.Workers} {
		useful, count := int64(0), 0
		for i := range parts {
			p := &parts[i]
			useful, count = useful+p.Useful, count+p.Count
			if p.Longest == 0 || p.Load == 0 || p.Largest == 0 {
				continue
			}
			equal(t, "product", p.Distribution()*p.Allocation()*p.LoadBalance()*p.Communication(), p.Parallel())
			if p.Distribution() > 1+1e-9 || p.Allocation() > 1+1e-9 || p.Communication() > 1 {
				t.Fatalf("distribution %v, allocation %v, communication %v: want at most 1", p.Distribution(), p.Allocation(), p.Communication())
			}
		}
		if useful != r.Run.Useful || count != r.Run.Count {
			t.Fatalf("%d ns on %d workers of the run's %d on %d", useful, count, r.Run.Useful, r.Run.Count)
		}
	}
	if r.Uniform() {
		equal(t, "mean useful time", r.Run.ABE, float64(r.Run.Useful)/float64(r.Run.Count))
		if r.Run.Distribution() != 1 || r.Run.Allocation() != 1 {
			t.Fatalf("one architecture on one node: distribution %v, allocation %v", r.Run.Distribution(), r.Run.Allocation())
		}
	}
}
