package plain

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"dagscope/predict/workload"
)

// randomGraph is a program of n tasks on a few pieces of data.
func randomGraph(rng *rand.Rand, n int) *workload.Graph {
	handles := 1 + rng.IntN(8)
	g := &workload.Graph{Name: "random", AccessAt: []int32{0}, Bytes: make([]int64, handles), Classes: []workload.Class{{Kind: "a"}, {Kind: "b"}}}
	modes := []workload.Mode{workload.Read, workload.Read, workload.ReadWrite, workload.Write, workload.ReadWrite | workload.Commute, workload.ReadWrite | workload.Commute, workload.Scratch | workload.ReadWrite}
	if rng.IntN(3) > 0 {
		g.StartBytes, g.EndBytes = make([]int64, n), make([]int64, n)
	}
	if rng.IntN(4) == 0 {
		g.Sync = make([]bool, n)
	}
	owned := int64(0)
	for t := range n {
		g.Class = append(g.Class, int32(rng.IntN(2)))
		g.Priority = append(g.Priority, int32(rng.IntN(4)-1)*1000)
		g.Duration = append(g.Duration, int64(1+rng.IntN(20)))
		for range rng.IntN(4) {
			g.Handle = append(g.Handle, int32(rng.IntN(handles)))
			g.Mode = append(g.Mode, modes[rng.IntN(len(modes))])
		}
		g.AccessAt = append(g.AccessAt, int32(len(g.Handle)))
		if t > 0 && rng.IntN(6) == 0 {
			g.From, g.To = append(g.From, int32(rng.IntN(t))), append(g.To, int32(t))
		}
		if g.Sync != nil {
			g.Sync[t] = rng.IntN(5) == 0
		}
		if g.StartBytes != nil && (g.Sync == nil || !g.Sync[t]) && rng.IntN(2) == 0 {
			g.StartBytes[t] = int64(rng.IntN(100))
			owned += g.StartBytes[t]
			back := rng.Int64N(owned + 1)
			g.EndBytes[t] = -back
			owned -= back
		}
	}
	return g
}

func randomOptions(rng *rand.Rand, g *workload.Graph) Options {
	o := Options{Policy: Policies[rng.IntN(len(Policies))], Overhead: int64(rng.IntN(3)), Submit: int64(rng.IntN(3)), Record: true}
	types := 1 + rng.IntN(2)
	for i := range 1 + rng.IntN(5) {
		o.Workers = append(o.Workers, int32(i%types))
	}
	if types > 1 || rng.IntN(2) == 0 {
		o.Durations = make([][]int64, types)
		for k := range o.Durations {
			for t := range g.Tasks() {
				ns := g.Duration[t] * int64(1+k)
				if k > 0 && g.Class[t] == 1 {
					ns = 0 // only on the first type
				}
				o.Durations[k] = append(o.Durations[k], ns)
			}
		}
	}
	if o.Durations != nil && rng.IntN(2) == 0 {
		for _, ns := range o.Durations {
			believed := make([]int64, len(ns))
			for t := range ns {
				if ns[t] > 0 {
					believed[t] = 1 + int64(rng.IntN(10))
				}
			}
			o.Expected = append(o.Expected, believed)
		}
	}
	if rng.IntN(3) == 0 {
		o.Slowdown = [][]float64{{1, 1.5, 2.25}, nil}
	}
	if rng.IntN(3) == 0 {
		at := int64(0)
		for range g.Tasks() {
			at += int64(rng.IntN(4))
			o.SubmitAt = append(o.SubmitAt, at)
		}
	}
	if g.StartBytes != nil && rng.IntN(2) == 0 {
		o.Base = 5
		o.MemoryLimit = max(1, SequentialPeak(g)+o.Base+int64(rng.IntN(50)-5))
	}
	return o
}

// The simulation is what a program does that looks at everything at every
// instant.
func TestNaive(t *testing.T) {
	stuck := 0
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		g := randomGraph(rng, 1+rng.IntN(40))
		o := randomOptions(rng, g)
		want, wantErr := simulateNaively(g, o)
		got, err := Run(g, nil, o)
		if (err != nil) != wantErr {
			t.Fatalf("seed %d: found error %v, want one: %v", seed, err, wantErr)
		}
		if err != nil {
			stuck++
			continue
		}
		for i := range g.Tasks() {
			g, w := [4]int64{int64(got.Worker[i]), got.Begin[i], got.End[i], got.Submit[i]}, want.tasks[i]
			if g != w {
				t.Fatalf("seed %d (%s): task %d ran on worker, from, to, submitted %d, want %d", seed, o.Policy, i, g, w)
			}
		}
		if got.Peak != want.peak || got.Makespan != want.makespan {
			t.Fatalf("seed %d: peak %d, makespan %d, want %d, %d", seed, got.Peak, got.Makespan, want.peak, want.makespan)
		}
		if o.MemoryLimit > 0 && o.Overhead == 0 && got.Peak > max(o.MemoryLimit, o.Base) {
			t.Fatalf("seed %d: found %d bytes allocated, want %d at most", seed, got.Peak, o.MemoryLimit)
		}
	}
	if stuck == 0 || stuck > 1000 {
		t.Errorf("%d of 3000 random programs did not fit", stuck)
	}
}

// Without record only the figures of the whole come out.
func TestWithoutRecord(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	g := randomGraph(rng, 200)
	o := Options{Workers: make([]int32, 3), Record: true}
	with, err := Run(g, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Record = false
	without, err := Run(g, nil, o)
	if err != nil || without.Makespan != with.Makespan || without.Peak != with.Peak || without.Begin != nil {
		t.Errorf("found %+v, %v, want makespan %d", without, err, with.Makespan)
	}
}

// Dependencies are those of workload.Infer as reachability, commuting ones and
// explicit ones included.
func TestInfer(t *testing.T) {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 5))
		g := randomGraph(rng, 1+rng.IntN(60))
		g.Explicit = rng.IntN(5) == 0
		d, err := Infer(g)
		if err != nil {
			t.Fatal(err)
		}
		w, err := workload.Infer(g)
		if err != nil {
			t.Fatal(err)
		}
		got := reach(d.Nodes(), d.Tasks, d.Succs)
		if want := reach(w.Nodes(), w.Tasks, w.Succs); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: found %v, want %v", seed, got, want)
		}
		need := make([]int32, d.Nodes())
		for _, s := range d.Succ {
			need[s]++
		}
		if !slices.Equal(need, d.Need) {
			t.Fatalf("seed %d: predecessors %d, want %d", seed, d.Need, need)
		}
	}
}

// reach is which tasks come after which.
func reach(nodes, tasks int, succs func(int32) []int32) (pairs []string) {
	for from := range int32(tasks) {
		seen := make([]bool, nodes)
		stack := []int32{from}
		for len(stack) > 0 {
			v := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, s := range succs(v) {
				if !seen[s] {
					seen[s] = true
					stack = append(stack, s)
				}
			}
		}
		for to, ok := range seen[:tasks] {
			if ok {
				pairs = append(pairs, fmt.Sprint(from, "→", to))
			}
		}
	}
	return pairs
}

func TestErrors(t *testing.T) {
	g := randomGraph(rand.New(rand.NewPCG(2, 2)), 5)
	one := []int32{0}
	for _, o := range []Options{
		{}, {Workers: one, Policy: "x"}, {Workers: []int32{1}, Durations: [][]int64{nil}}, {Workers: []int32{-1}, Durations: [][]int64{nil}},
		{Workers: one, Overhead: -1}, {Workers: []int32{64}, Durations: make([][]int64, 65)}, {Workers: one, SubmitAt: []int64{1}}, {Workers: one, Durations: [][]int64{make([]int64, 5)}},
	} {
		if _, err := Run(g, nil, o); err == nil {
			t.Errorf("%+v: found no error", o)
		}
	}
	bad := *g
	bad.From, bad.To = []int32{3}, []int32{9}
	if _, err := Run(&bad, nil, Options{Workers: one}); err == nil {
		t.Error("found no error for a task that is not there")
	}
	cycle := &workload.Graph{Class: []int32{0, 0}, Classes: make([]workload.Class, 1), AccessAt: []int32{0, 0, 0}, Duration: []int64{1, 1}, From: []int32{1, 0}, To: []int32{0, 1}}
	if _, err := Run(cycle, nil, Options{Workers: one}); err == nil {
		t.Error("found no error for tasks that wait for each other")
	}
}
