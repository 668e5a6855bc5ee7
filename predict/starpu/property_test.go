package starpu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/starpu/policy"
	"dagscope/predict/workload"
)

const ms = 1_000_000 // ns

// program is a graph of tasks of one class each, which use one to three of the
// handles at random.
func program(draw *rand.Rand, tasks, handles int) *workload.Graph {
	g := &workload.Graph{Name: "random", AccessAt: []int32{0}, Classes: make([]workload.Class, 4)}
	for c := range g.Classes {
		g.Classes[c].Kind = fmt.Sprint("K", c)
	}
	for h := range handles {
		g.Bytes = append(g.Bytes, int64(1+draw.IntN(8))<<20)
		g.HandleX, g.HandleY = append(g.HandleX, int32(h)), append(g.HandleY, 0)
	}
	for range tasks {
		g.Class = append(g.Class, int32(draw.IntN(len(g.Classes))))
		g.Priority = append(g.Priority, int32(draw.IntN(5)))
		for _, h := range draw.Perm(handles)[:1+draw.IntN(3)] {
			g.Handle = append(g.Handle, int32(h))
			g.Mode = append(g.Mode, workload.Read)
		}
		if draw.IntN(4) > 0 {
			g.Mode[len(g.Mode)-1] = workload.ReadWrite
		}
		g.AccessAt = append(g.AccessAt, int32(len(g.Handle)))
	}
	return g
}

// lengths draws durations of 2 to 20 ms.
func lengths(draw *rand.Rand, g *workload.Graph, m *platform.Machine) starpu.Durations {
	d := make(starpu.Durations, len(g.Classes))
	for c := range d {
		for range m.Types() {
			d[c] = append(d[c], float64(2+draw.IntN(19))*ms)
		}
	}
	return d
}

// predecessors of each task by its data.
func predecessors(g *workload.Graph) [][]int32 {
	writer, readers := map[int32]int32{}, map[int32][]int32{}
	before := make([][]int32, len(g.Class))
	for t := range before {
		for x := g.AccessAt[t]; x < g.AccessAt[t+1]; x++ {
			h := g.Handle[x]
			if w, ok := writer[h]; ok {
				before[t] = append(before[t], w)
			}
			if g.Mode[x]&workload.Write == 0 {
				readers[h] = append(readers[h], int32(t))
				continue
			}
			before[t] = append(before[t], readers[h]...)
			writer[h], readers[h] = int32(t), nil
		}
	}
	return before
}

// mirage is a real machine, of nine CPUs and three GPUs.
func mirage(t testing.TB) *platform.Machine {
	t.Helper()
	return choleskyOn(t, "mirage", 2, 960, platform.StarPUOptions{CPUs: -1, GPUs: -1}).m
}

func TestRandomProgramsRunInOrder(t *testing.T) {
	machines := []*platform.Machine{platform.Plain(1), platform.Plain(4), mirage(t)}
	for seed := range uint64(6) {
		draw := rand.New(rand.NewPCG(seed, 1))
		g := program(draw, 20+draw.IntN(60), 4+draw.IntN(8))
		for _, m := range machines {
			s := scene{g, m, lengths(draw, g, m)}
			for _, name := range policy.Names() {
				t.Run(fmt.Sprint(seed, m.Name, name), func(t *testing.T) { checkRun(t, s, name) })
			}
		}
	}
}

func checkRun(t *testing.T, s scene, scheduler string) {
	r := s.run(t, scheduler, starpu.DefaultOptions())
	again := s.run(t, scheduler, starpu.DefaultOptions())
	if !reflect.DeepEqual(r.Begin, again.Begin) || !reflect.DeepEqual(r.Worker, again.Worker) || r.Makespan != again.Makespan {
		t.Error("a second run differs")
	}
	path := make([]int64, len(s.g.Class)) // longest to the end of each task
	types, perWorker, work := workerTypes(s.m), make([][]int, len(s.m.Workers)), 0.0
	for i, before := range predecessors(s.g) {
		shortest := slices.Min(s.d[s.g.Class[i]])
		work += shortest
		if want := int64(s.d[s.g.Class[i]][types[r.Worker[i]]]); r.End[i]-r.Begin[i] < want-1 && s.m.Workers[r.Worker[i]].Arch == platform.CPU {
			t.Errorf("task %d takes %d ns, want %d", i, r.End[i]-r.Begin[i], want)
		}
		for _, b := range before {
			path[i] = max(path[i], path[b])
			if r.Begin[i] < r.End[b] {
				t.Errorf("task %d begins at %d, before its predecessor %d ends at %d", i, r.Begin[i], b, r.End[b])
			}
		}
		path[i] += int64(shortest)
		perWorker[r.Worker[i]] = append(perWorker[r.Worker[i]], i)
	}
	for _, own := range perWorker {
		slices.SortFunc(own, func(a, b int) int { return int(r.Begin[a] - r.Begin[b]) })
		for i := range own[min(1, len(own)):] {
			if r.Begin[own[i+1]] < r.End[own[i]] {
				t.Errorf("tasks %d and %d overlap on a worker", own[i], own[i+1])
			}
		}
	}
	if bound := max(slices.Max(path), int64(work)/int64(len(s.m.Workers))); r.Makespan < bound {
		t.Errorf("makespan is %d ns, below the bound %d", r.Makespan, bound)
	}
}

func workerTypes(m *platform.Machine) (types []int32) {
	for _, w := range m.Workers {
		types = append(types, w.Type)
	}
	return types
}

// A list schedule on p identical workers takes at most the work divided by p plus
// 1-1/p of the longest path (Graham's bound).
func TestSchedulersKeepWorkersBusy(t *testing.T) {
	for seed := range uint64(10) {
		draw := rand.New(rand.NewPCG(seed, 2))
		g := program(draw, 100, 6)
		for _, p := range []int{1, 3, 8} {
			s := scene{g, platform.Plain(p), nil}
			s.d = lengths(draw, g, s.m)
			work, longest, path := 0.0, 0.0, make([]float64, len(g.Class))
			for i, before := range predecessors(g) {
				for _, b := range before {
					path[i] = max(path[i], path[b])
				}
				path[i] += s.d[g.Class[i]][0]
				work += s.d[g.Class[i]][0]
				longest = max(longest, path[i])
			}
			most := work/float64(p) + (1-1/float64(p))*longest
			for _, name := range []string{"eager", "prio", "ws", "lws"} {
				if r := s.run(t, name, starpu.DefaultOptions()); float64(r.Makespan) > 1.01*most {
					t.Errorf("seed %d, %d workers, %s: makespan %d, want at most %.0f", seed, p, name, r.Makespan, most)
				}
			}
		}
	}
}

// shape makes a program of equal tasks from what each of them uses.
func shape(tasks int, uses func(t int) (handles []int32, last workload.Mode)) *workload.Graph {
	g := &workload.Graph{AccessAt: []int32{0}, Classes: []workload.Class{{Kind: "K"}}, Class: make([]int32, tasks), Bytes: make([]int64, tasks+1)}
	for i := range tasks {
		handles, last := uses(i)
		for range handles {
			g.Mode = append(g.Mode, workload.Read)
		}
		g.Mode[len(g.Mode)-1] = last
		g.Handle = append(g.Handle, handles...)
		g.AccessAt = append(g.AccessAt, int32(len(g.Handle)))
	}
	return g
}

func TestKnownOptima(t *testing.T) {
	shapes := []struct {
		name  string
		g     *workload.Graph
		steps float64 // on four workers, in tasks one after the other
	}{
		{"chain", shape(12, func(int) ([]int32, workload.Mode) { return []int32{0}, workload.ReadWrite }), 12},
		{"independent", shape(12, func(i int) ([]int32, workload.Mode) { return []int32{int32(i)}, workload.ReadWrite }), 3},
		{"fork", shape(9, func(i int) ([]int32, workload.Mode) {
			if i == 0 {
				return []int32{0}, workload.Write
			}
			return []int32{0, int32(i)}, workload.Write
		}), 3},
		{"one", shape(1, func(int) ([]int32, workload.Mode) { return []int32{0}, workload.Read }), 1},
	}
	for _, x := range shapes {
		s := scene{x.g, platform.Plain(4), starpu.Durations{{10 * ms}}}
		for _, name := range policy.Names() {
			r := s.run(t, name, starpu.DefaultOptions())
			if got := float64(r.Makespan) / (10 * ms); name != "random" && math.Abs(got-x.steps) > 0.01*x.steps {
				t.Errorf("%s under %s takes %.3f steps, want %g", x.name, name, got, x.steps)
			}
		}
	}
}
