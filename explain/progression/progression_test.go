package progression_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"dagscope/explain/progression"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// steady is a run of nodes with one worker each that run tasks of 100 ns one
// after the other; slow nodes take twice as long from an instant on.
func steady(nodes, tasks int, slow []int32, from int64) *trace.Run {
	run := &trace.Run{}
	for n := range int32(nodes) {
		re := &run.Resource
		re.Parent, re.Node = append(re.Parent, trace.None), append(re.Node, n)
		re.Name.Append("w")
		re.Arch.Append("cpu")
		re.Level.Append(trace.LevelWorker)
		at := int64(0)
		for range tasks {
			length := int64(100)
			if at >= from && slices.Contains(slow, n) {
				length = 200
			}
			t := &run.Task
			t.Worker, t.Node = append(t.Worker, n), append(t.Node, n)
			t.Kind.Append("gemm")
			t.Start, t.End = append(t.Start, at), append(t.End, at+length)
			t.Generation, t.Internal = append(t.Generation, false), append(t.Internal, false)
			at += length
		}
	}
	return run
}

func compute(t interface {
	Helper()
	Fatal(...any)
}, run *trace.Run, o progression.Options) *progression.Result {
	t.Helper()
	r, err := progression.Compute(run, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A known group of nodes that is slow from a known instant on is the slow
// cluster, all of it and nothing else, from the first instant at which it has
// fallen behind by more than the density blurs until the others have ended.
func TestSlowNodesSeparate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(4, 40).Draw(t, "nodes")
		slow := int32(rapid.IntRange(1, nodes/2).Draw(t, "slow"))
		step := rapid.IntRange(0, 12).Draw(t, "from step")
		var group []int32
		for _, n := range rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)).Perm(nodes)[:slow] {
			group = append(group, int32(n))
		}
		from := 1000 * int64(step)
		r := compute(t, steady(nodes, 200, group, from), progression.Options{Steps: 20})
		split := false
		for s, at := range r.Time {
			behind := 0.0
			if at > from { // 200 tasks each; the slow end later
				behind = float64(min(at, 20000)-from)/20000 - float64(at-from)/40000
			}
			if behind < 0.01 { // too close to tell apart
				if len(r.Size[s]) != 1 && behind == 0 {
					t.Fatalf("instant %d: %d clusters of nodes that keep pace", s, len(r.Size[s]))
				}
				continue
			}
			if behind < 0.045 {
				continue // a few of many have a mode of their own from 3 to 4 bandwidths on
			}
			split = true
			if len(r.Size[s]) != 2 || r.Size[s][0] != slow {
				t.Fatalf("instant %d (behind %g): clusters of %v nodes, want %d slow ones and the rest", s, behind, r.Size[s], slow)
			}
			for i, node := range r.Node {
				if (r.Cluster[s][i] == 0) != slices.Contains(group, node) {
					t.Fatalf("instant %d: node %d is in cluster %d, slow are %v", s, node, r.Cluster[s][i], group)
				}
			}
		}
		if step < 8 && !split {
			t.Fatal("nothing separates")
		}
	})
}

// Small bandwidths make many clusters, large ones a single one, and clusters
// only merge on the way (of a Gaussian kernel in one dimension modes never
// appear when the bandwidth grows: Silverman 1981).
func TestBandwidthSweep(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 14, Nodes: 12, CPUs: 2, GPUs: 1})
	var before []int
	for _, h := range []float64{1e-7, 1e-4, 1e-3, 0.003, 0.01, 0.03, 0.1, 0.3, 1} {
		r := compute(t, run, progression.Options{Bandwidth: h, NoBounds: true})
		var clusters []int
		for s := range r.Time {
			clusters = append(clusters, len(r.Size[s]))
			if before != nil && clusters[s] > before[s] {
				t.Errorf("instant %d: %d clusters with bandwidth %g, %d with less", s, clusters[s], h, before[s])
			}
		}
		before = clusters
		switch most := slices.Max(clusters); {
		case h < 1e-6 && most < 10:
			t.Errorf("at most %d clusters with bandwidth %g, want about one a node", most, h)
		case h == 1 && most != 1:
			t.Errorf("%d clusters with bandwidth %g", most, h)
		}
	}
}

// naive is the progression of docs/design/methods.md, Progression by plain
// loops over the definition.
func naive(run *trace.Run, node int32, at int64) float64 {
	t, re := &run.Task, &run.Resource
	mean := func(kind, arch string, on int32) float64 {
		sum, n := 0.0, 0.0
		for i, w := range t.Worker {
			if t.Counted(i) && w >= 0 && t.Kind.At(i) == kind && re.Arch.At(int(w)) == arch && (on < 0 || re.Node[w] == on) {
				sum, n = sum+float64(t.End[i]-t.Start[i]), n+1
			}
		}
		return sum / n
	}
	done, all := 0.0, 0.0
	for i, w := range t.Worker {
		if w < 0 || !t.Counted(i) || re.Node[w] != node {
			continue
		}
		rate := 0.0
		for r := range re.Parent {
			if re.Node[r] != node || re.Level.At(r) != trace.LevelWorker {
				continue
			}
			d := mean(t.Kind.At(i), re.Arch.At(r), node)
			if math.IsNaN(d) {
				d = mean(t.Kind.At(i), re.Arch.At(r), -1)
			}
			if !math.IsNaN(d) {
				rate += 1 / d
			}
		}
		all += 1 / rate
		if t.End[i] <= at {
			done += 1 / rate
		}
	}
	return done / all
}

func TestProgressIsThatOfTheDefinition(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 6, Nodes: 3, CPUs: 2, GPUs: 1})
	r := compute(t, run, progression.Options{Steps: 9})
	for i, node := range r.Node {
		for s, at := range r.Time {
			if want := naive(run, node, at); math.Abs(r.Progress[s][i]-want) > 1e-9 {
				t.Errorf("node %d at %d: %g, want %g", node, at, r.Progress[s][i], want)
			}
		}
	}
}

// A worker whose node ran no task of a kind on its architecture could have: it
// counts as fast as those of other nodes.
func TestWorkersThatCouldRunAKind(t *testing.T) {
	run := &trace.Run{}
	for w := range int32(4) { // a processor and an accelerator on each node
		re := &run.Resource
		re.Parent, re.Node = append(re.Parent, trace.None), append(re.Node, w/2)
		re.Name.Append("w")
		re.Arch.Append([]string{"cpu", "cuda"}[w%2])
		re.Level.Append(trace.LevelWorker)
	}
	for _, task := range []struct {
		worker     int32
		kind       string
		start, end int64
	}{{0, "a", 0, 100}, {1, "a", 0, 10}, {1, "b", 10, 20}, {0, "b", 100, 200}, {2, "a", 0, 100}, {3, "a", 0, 10}, {2, "b", 100, 200}} {
		ta := &run.Task
		ta.Worker, ta.Node = append(ta.Worker, task.worker), append(ta.Node, task.worker/2)
		ta.Kind.Append(task.kind)
		ta.Start, ta.End = append(ta.Start, task.start), append(ta.End, task.end)
		ta.Generation, ta.Internal = append(ta.Generation, false), append(ta.Internal, false)
	}
	r := compute(t, run, progression.Options{Steps: 4})
	at := slices.Index(r.Time, 150) // node 1 has done both tasks a of three that weigh alike
	if at < 0 {
		t.Fatalf("instants %v, want 150 among them", r.Time)
	}
	if got := r.Progress[at][1]; math.Abs(got-2.0/3) > 1e-12 {
		t.Errorf("node 1 has done %g, want 2/3", got)
	}
}

// Whatever the run: progression rises from 0 to 1, clusters cover the nodes,
// flows lead from one to the next, and what is done in all steps needs no less
// than the bound of the whole.
func TestInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := tracetest.Random(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, 80).Draw(t, "tasks"))
		o := progression.Options{Steps: rapid.IntRange(1, 30).Draw(t, "steps"), SheatherJones: rapid.Bool().Draw(t, "sj"),
			Weights: rapid.SampledFrom([]progression.Weights{progression.ByArch, progression.ByWorker, progression.ByCount}).Draw(t, "weights")}
		r := compute(t, run, o)
		for s := range r.Progress {
			for i, p := range r.Progress[s] {
				if !(p >= 0 && p <= 1) || s > 0 && p < r.Progress[s-1][i] || s == len(r.Time)-1 && p != 1 {
					t.Fatalf("progress of node %d is %g at instant %d", r.Node[i], p, s)
				}
			}
			size := make([]int32, len(r.Size[s]))
			for _, c := range r.Cluster[s] {
				size[c]++
			}
			if !slices.Equal(size, r.Size[s]) || !slices.IsSorted(r.Mean[s]) || slices.Contains(size, 0) {
				t.Fatalf("clusters %v of sizes %v with means %v", r.Cluster[s], r.Size[s], r.Mean[s])
			}
			if s+1 < len(r.Progress) {
				n := 0
				for _, f := range r.Flows(s) {
					n += len(f.Nodes)
				}
				if n != len(r.Node) {
					t.Fatalf("%d nodes flow from instant %d, want %d", n, s, len(r.Node))
				}
			}
		}
		sum := 0.0
		for _, step := range r.StepABE {
			sum += step
		}
		if sum < r.ABE*(1-1e-9) && run.Task.Start[0] >= 0 {
			t.Fatalf("steps need %g ns together, the whole %g", sum, r.ABE)
		}
	})
}

// Kinds that one architecture alone can run make the steps need longer than
// the whole, in which the others could be packed beside them (paper, III-C).
func TestStepsWithoutGPUWorkNeedLonger(t *testing.T) {
	r := compute(t, tracetest.Cholesky(tracetest.Options{Tiles: 10, Nodes: 2, Exact: true}), progression.Options{})
	if sum := r.Cumulative(); !(sum[len(sum)-1] >= r.ABE) || sum[0] != 0 || len(sum) != len(r.Time) {
		t.Errorf("cumulative bounds %v of instants %v, bound of the run %g", sum, r.Time, r.ABE)
	}
}

func TestBranchesAreTheSmallerParts(t *testing.T) {
	r := compute(t, steady(10, 100, []int32{2, 5, 6}, 4000), progression.Options{})
	branches := r.Branches()
	if len(branches) == 0 {
		t.Fatal("nothing branches off")
	}
	b := branches[0]
	var nodes []int32
	for _, i := range b.Nodes {
		nodes = append(nodes, r.Node[i])
	}
	if !slices.Equal(nodes, []int32{2, 5, 6}) || !b.Slow || r.Time[b.Step] > 5000 || r.Time[b.Step+1] <= 4000 {
		t.Errorf("first branch %+v of nodes %v at %d", b, nodes, r.Time[b.Step])
	}
}

func BenchmarkThousandNodes(b *testing.B) {
	run := tracetest.CholeskyTasks(200_000, tracetest.Options{Nodes: 1000, CPUs: 2, GPUs: 1, Without: tracetest.Bare})
	for _, c := range []struct {
		name string
		o    progression.Options
	}{{"default", progression.Options{Steps: 100}}, {"sheather-jones", progression.Options{Steps: 100, SheatherJones: true}},
		{"narrow", progression.Options{Steps: 100, Bandwidth: 1e-4}}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				r, err := progression.Compute(run, c.o)
				if err != nil || len(r.Node) < 900 {
					b.Fatal(len(r.Node), err)
				}
			}
		})
	}
}

// A branch goes as far as its nodes get away from those that they left.
func TestBranchesAreFollowedUntilTheyJoin(t *testing.T) {
	r := compute(t, steady(10, 100, []int32{2, 5, 6}, 4000), progression.Options{})
	b := r.Branches()[0]
	// At 10000 the others have ended; the slow have done 40 + 60/2 of 100 tasks.
	// Instants are 800 apart.
	if math.Abs(b.Apart-0.3) > 0.03 || r.Time[b.Until] < 14000 {
		t.Errorf("branch is at most %g apart, until %d", b.Apart, r.Time[b.Until])
	}
}
