package tracetest

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"dagscope/trace"

	"pgregory.net/rapid"
)

func drawOptions(t *rapid.T) Options {
	return Options{
		Tiles:   rapid.IntRange(1, 9).Draw(t, "tiles"),
		Nodes:   rapid.SampledFrom([]int{1, 1, 2, 4, 6}).Draw(t, "nodes"),
		CPUs:    rapid.IntRange(0, 3).Draw(t, "cpus"),
		GPUs:    rapid.IntRange(0, 2).Draw(t, "gpus"),
		Seed:    rapid.Uint64().Draw(t, "seed"),
		Pace:    rapid.SampledFrom([]int64{0, 1, 40_000, 3_000_000}).Draw(t, "pace"),
		Exact:   rapid.Bool().Draw(t, "exact"),
		Without: Part(rapid.IntRange(0, int(Bare)).Draw(t, "without")),
	}
}

func TestCholeskyIsAValidSchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		run := Cholesky(o)
		if got, want := len(run.Task.Start), tasksOf(o.Tiles); got != want {
			t.Fatalf("found %d tasks, wanted %d", got, want)
		}
		requireSchedule(t, run)
		requireMoves(t, run)
		if !bytes.Equal(Format(run), Format(Cholesky(o))) {
			t.Fatalf("options %+v give two runs", o)
		}
	})
}

// requireMoves checks that transfers take time and go elsewhere.
func requireMoves(t *rapid.T, run *trace.Run) {
	x := &run.Transfer
	for i := range x.Start {
		if x.End[i] <= x.Start[i] || x.From[i] == x.To[i] {
			t.Fatalf("transfer %d from %d at %d to %d at %d", i, x.From[i], x.Start[i], x.To[i], x.End[i])
		}
	}
}

// TestEdgesAreThoseOfSequentialTaskFlow infers the edges from the accesses, in
// the order of submission, as the runtime does.
func TestEdgesAreThoseOfSequentialTaskFlow(t *testing.T) {
	for _, nodes := range []int{1, 4, 6} {
		const tiles = 7
		run := Cholesky(Options{Tiles: tiles, Nodes: nodes, CPUs: 1})
		g := newGraph(tiles, nodes)
		want := map[[2]int32]bool{}
		writer := map[int]int32{}
		readers := map[int][]int32{}
		first := firstAccess(run)
		for o := range g.tasks() {
			row := int32(o)
			if g.row != nil {
				row = g.row[o]
			}
			for a := first[row]; a < first[row+1]; a++ {
				h := int(run.Access.Handle[a]) % g.tiles()
				if w, ok := writer[h]; ok {
					want[[2]int32{w, row}] = true
				}
				if run.Access.Mode.At(a) == "R" {
					readers[h] = append(readers[h], row)
					continue
				}
				for _, r := range readers[h] {
					want[[2]int32{r, row}] = true
				}
				writer[h], readers[h] = row, nil
			}
		}
		got := map[[2]int32]bool{}
		for e, from := range run.Dep.From {
			to := run.Dep.To[e]
			got[[2]int32{from, to}] = true
			remote := run.Task.Node != nil && run.Task.Node[from] != run.Task.Node[to]
			if remote != (run.Dep.Kind.At(e) == trace.DepComm) {
				t.Errorf("edge %d from %d to %d is of kind %s", e, from, to, run.Dep.Kind.At(e))
			}
			if !remote {
				continue
			}
			via := run.Dep.Via[e]
			if run.Transfer.SendTask[via] != from || run.Resource.Node[run.Transfer.To[via]] != run.Task.Node[to] {
				t.Errorf("edge %d from %d to %d goes through a transfer of task %d", e, from, to, run.Transfer.SendTask[via])
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d nodes: found %d edges, wanted %d", nodes, len(got), len(want))
		}
		for e := range want {
			if !got[e] {
				t.Errorf("%d nodes: no edge from %d to %d", nodes, e[0], e[1])
			}
		}
	}
}

// firstAccess is the first access of each task, and their number.
func firstAccess(run *trace.Run) []int {
	first := make([]int, len(run.Task.Start)+1)
	for _, task := range run.Access.Task {
		first[task+1]++
	}
	for i := 1; i < len(first); i++ {
		first[i] += first[i-1]
	}
	return first
}

// TestDataIsWhereTasksRun replays the transfers: when a task starts, a copy of
// each tile has arrived in its worker's memory since the last write elsewhere.
func TestDataIsWhereTasksRun(t *testing.T) {
	for _, nodes := range []int{1, 4} {
		run := Cholesky(Options{Tiles: 9, Nodes: nodes, CPUs: 2, GPUs: 2, Seed: 7})
		g := newGraph(9, nodes)
		arrivals := map[[2]int32][]int64{} // handle, memory manager
		x := &run.Transfer
		for i, h := range x.Handle {
			to := x.To[i]
			if x.Kind.At(i) == trace.TransferMPI {
				node := int(run.Resource.Node[to])
				h = int32(node*g.tiles() + int(h)%g.tiles())
				to = managerOf(run, run.Resource.Node[to], 0)
			}
			arrivals[[2]int32{h, to}] = append(arrivals[[2]int32{h, to}], x.End[i])
		}
		last := map[int32]int32{} // handle: task that wrote it
		first := firstAccess(run)
		for o := range g.tasks() {
			row := int32(o)
			if g.row != nil {
				row = g.row[o]
			}
			for a := first[row]; a < first[row+1]; a++ {
				h := run.Access.Handle[a]
				memory := memoryOf(run, run.Task.Worker[row])
				since := int64(trace.NoTime)
				w, written := last[h]
				here := !written && run.Handle.Home[h] == 0 && run.Resource.Index[memory] == 0
				if written {
					here = memoryOf(run, run.Task.Worker[w]) == memory
					since = run.Task.End[w]
				}
				arrived := slices.ContainsFunc(arrivals[[2]int32{h, memory}], func(t int64) bool {
					return t > since && t <= run.Task.Start[row]
				})
				if !here && !arrived {
					t.Errorf("task %d starts without handle %d in memory of resource %d", row, h, memory)
				}
				if run.Access.Mode.At(a) == "RW" {
					last[h] = row
				}
			}
		}
	}
}

// managerOf is the memory manager of a memory node of a node.
func managerOf(run *trace.Run, node, memory int32) int32 {
	for i := range run.Resource.Parent {
		if run.Resource.Level.At(i) == trace.LevelMemoryManager && run.Resource.Node[i] == node && run.Resource.Index[i] == memory {
			return int32(i)
		}
	}
	panic("no such memory manager")
}

// memoryOf is the memory manager of the memory node that a worker hangs from.
func memoryOf(run *trace.Run, worker int32) int32 {
	memory := run.Resource.Parent[run.Resource.Parent[worker]]
	return managerOf(run, run.Resource.Node[worker], run.Resource.Index[memory])
}

func TestMakespanIsAboveTheBounds(t *testing.T) {
	for _, o := range []Options{{Tiles: 12}, {Tiles: 15, Nodes: 4}, {Tiles: 10, CPUs: 4}, {Tiles: 14, GPUs: 2}} {
		run := Cholesky(o)
		var work int64
		for i, s := range run.Task.Start {
			work += run.Task.End[i] - s
		}
		workers := 0
		for i := range run.Resource.Parent {
			if run.Resource.Level.At(i) == trace.LevelWorker {
				workers++
			}
		}
		got, chain, area := latestEnd(run), longestChainByStart(run), work/int64(workers)
		if got < chain || got < area {
			t.Errorf("%+v: found makespan %d, wanted at least the longest chain %d and the mean load %d", o, got, chain, area)
		}
		if bad := 10*area + 3*chain; got > bad {
			t.Errorf("%+v: found makespan %d with mean load %d and longest chain %d: not greedy", o, got, area, chain)
		}
	}
}

// latestEnd and longestChainByStart go by start, since rows of several nodes are not
// in the order of the graph.
func latestEnd(run *trace.Run) int64 { return slices.Max(run.Task.End) }

func longestChainByStart(run *trace.Run) (longest int64) {
	order := make([]int, len(run.Task.Start))
	preds := make([][]int32, len(order))
	for i := range order {
		order[i] = i
	}
	for e, to := range run.Dep.To {
		preds[to] = append(preds[to], run.Dep.From[e])
	}
	slices.SortFunc(order, func(a, b int) int { return int(run.Task.Start[a] - run.Task.Start[b]) })
	upTo := make([]int64, len(order))
	for _, i := range order {
		for _, p := range preds[i] {
			upTo[i] = max(upTo[i], upTo[p])
		}
		upTo[i] += run.Task.End[i] - run.Task.Start[i]
		longest = max(longest, upTo[i])
	}
	return longest
}

func TestStatesFillTheGaps(t *testing.T) {
	run := Cholesky(Options{Tiles: 9, Seed: 3})
	covered := map[int32]int64{}
	s := &run.State
	seen := map[string]bool{}
	for i, r := range s.Resource {
		covered[r] += s.End[i] - s.Start[i]
		seen[s.Kind.At(i)] = true
	}
	for i, w := range run.Task.Worker {
		covered[w] += run.Task.End[i] - run.Task.Start[i]
	}
	for i := range run.Resource.Parent {
		if want := run.Meta.Horizon - run.Resource.Start[i]; run.Resource.Level.At(i) == trace.LevelWorker && covered[int32(i)] != want {
			t.Errorf("%s: tasks and states cover %d, wanted all of %d", run.Resource.Name.At(i), covered[int32(i)], want)
		}
	}
	for _, kind := range []string{"Idle", "FetchingInput", "Sleeping", "Scheduling", "Overhead", "Callback"} {
		if !seen[kind] {
			t.Errorf("no state %s", kind)
		}
	}
}

func TestCounters(t *testing.T) {
	run := Cholesky(Options{Tiles: 6, Nodes: 2, CPUs: 2, GPUs: 1, Seed: 3})
	requireCounter(t, run, "Number of Submitted Uncompleted Tasks", run.Task.Submit, run.Task.End)
	s := &run.Sample
	seen := map[string]bool{}
	for i, v := range s.Value {
		metric := s.Metric.At(i)
		seen[metric] = true
		if v < 0 {
			t.Errorf("%s at %d: found %v, wanted no negative value", metric, s.Time[i], v)
		}
		last := i+1 == len(s.Value) || s.Metric.Index[i+1] != s.Metric.Index[i] || s.Resource[i+1] != s.Resource[i]
		if last && metric != "Used (MB)" && v != 0 {
			t.Errorf("%s ends at %v, wanted 0", metric, v)
		}
	}
	for _, metric := range []string{"Number of Ready Tasks", "Used (MB)", "Bandwidth In (MB/s)", "Bandwidth Out (MB/s)", "GFlop/s"} {
		if !seen[metric] {
			t.Errorf("no samples of %s", metric)
		}
	}
}

func TestDurationsFollowTheTable(t *testing.T) {
	exact, noisy := Cholesky(Options{Tiles: 20, Exact: true}), Cholesky(Options{Tiles: 20, Seed: 1})
	mean := func(run *trace.Run, kind, arch string) (mean float64, longest float64) {
		n := 0
		for i, w := range run.Task.Worker {
			if run.Task.Kind.At(i) == kind && run.Resource.Arch.At(int(w)) == arch {
				d := float64(run.Task.End[i] - run.Task.Start[i])
				mean, longest, n = mean+d, max(longest, d), n+1
			}
		}
		return mean / float64(n), longest
	}
	if m, longest := mean(exact, "GEMM", "cuda"); m != 2.8e6 || longest != 2.8e6 {
		t.Errorf("found mean %v and longest %v of exact GEMMs, wanted 2.8 ms", m, longest)
	}
	m, longest := mean(noisy, "GEMM", "cuda")
	if m < 2.7e6 || m > 3e6 || longest < 5e6 {
		t.Errorf("found mean %v and longest %v of noisy GEMMs, wanted about 2.8 ms with outliers", m, longest)
	}
}

func TestWalkersMeetEveryTaskOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := newGraph(rapid.IntRange(1, 12).Draw(t, "tiles"), rapid.IntRange(1, 20).Draw(t, "nodes"))
		order := map[id]int{}
		for k := range g.n {
			for n := k; n < g.n; n++ {
				for m := n; m < g.n; m++ {
					order[newID(k, n, m)] = len(order)
				}
			}
		}
		met := 0
		for node := range g.nodes() {
			for w := g.walk(node); w.ok; w.next() {
				if w.n < w.k || w.m < w.n || w.m >= g.n || g.owner(w.m, w.n) != node {
					t.Fatalf("node %d walks to (%d, %d, %d)", node, w.k, w.n, w.m)
				}
				if got, want := g.order(w.k, w.n, w.m), order[newID(w.k, w.n, w.m)]; got != want {
					t.Fatalf("order of (%d, %d, %d): found %d, wanted %d", w.k, w.n, w.m, got, want)
				}
				if got := g.rowOf(w.k, w.n, w.m); int(got) != met {
					t.Fatalf("row of (%d, %d, %d): found %d, wanted %d", w.k, w.n, w.m, got, met)
				}
				met++
			}
		}
		if met != len(order) {
			t.Fatalf("met %d tasks, wanted %d", met, len(order))
		}
	})
}

func TestTilesFor(t *testing.T) {
	for n, want := range map[int]int{0: 1, 1: 1, 4: 2, 364: 12, 400: 12, 37820: 60, 100_000_000: 842} {
		if got := TilesFor(n); got != want {
			t.Errorf("tiles for %d tasks: found %d (%d tasks), wanted %d", n, got, tasksOf(got), want)
		}
	}
}

func TestWithoutLeavesOut(t *testing.T) {
	run := Cholesky(Options{Tiles: 5, Without: Bare})
	for _, table := range run.Tables() {
		rows := table.Rows()
		if kept := table.Name == "task" || table.Name == "resource"; kept == (rows == 0) {
			t.Errorf("table %s has %d rows", table.Name, rows)
		}
	}
	if run.Task.GFlop != nil || run.Task.Tag != nil {
		t.Error("details are there")
	}
	if err := run.Validate(); err != nil {
		t.Error(err)
	}
}

func BenchmarkCholesky(b *testing.B) {
	for _, c := range []struct {
		name string
		o    Options
	}{
		{"bare", Options{Without: Bare}},
		{"edges", Options{Without: Bare &^ Dependencies}},
		{"full", Options{}},
		{"full-nodes=8", Options{Nodes: 8}},
	} {
		b.Run(fmt.Sprintf("%s/1e6", c.name), func(b *testing.B) {
			b.ReportAllocs()
			tasks := 0
			for b.Loop() {
				tasks += len(CholeskyTasks(1_000_000, c.o).Task.Start)
			}
			b.ReportMetric(float64(tasks)/b.Elapsed().Seconds()/1e6, "Mtasks/s")
		})
	}
}

func BenchmarkValidate(b *testing.B) {
	for _, c := range []struct {
		name string
		o    Options
	}{{"edges", Options{Without: Bare &^ Dependencies}}, {"full", Options{}}} {
		run := CholeskyTasks(1_000_000, c.o)
		b.Run(fmt.Sprintf("%s/1e6", c.name), func(b *testing.B) {
			for b.Loop() {
				if err := run.Validate(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
