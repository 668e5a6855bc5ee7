package policy_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/starpu/policy"
	"dagscope/predict/workload"

	"pgregory.net/rapid"
)

// spy counts what goes into a policy and comes out of it.
type spy struct {
	starpu.Policy
	r              starpu.Runtime
	pushed, popped []int
	worker         []int32
	wrong          string // what a policy must not do
}

func (s *spy) Start(r starpu.Runtime) {
	s.r = r
	s.Policy.Start(r)
}

func (s *spy) Push(task int32) {
	s.pushed[task]++
	s.Policy.Push(task)
}

func (s *spy) Pop(worker int32) int32 {
	task := s.Policy.Pop(worker)
	if task < 0 {
		return task
	}
	if s.pushed[task] != 1 || !s.r.Can(task, worker) {
		s.wrong = fmt.Sprintf("task %d, pushed %d times, comes to worker %d", task, s.pushed[task], worker)
	}
	s.popped[task]++
	s.worker[task] = worker
	return task
}

func (s *spy) Priorities() bool {
	p, ok := s.Policy.(starpu.Prioritizing)
	return ok && p.Priorities()
}

func (s *spy) Plan(p starpu.Program) error {
	if planning, ok := s.Policy.(starpu.Planning); ok {
		return planning.Plan(p)
	}
	return nil
}

func (s *spy) Started(task, worker int32) {
	if p, ok := s.Policy.(starpu.Starting); ok {
		p.Started(task, worker)
	}
}

func (s *spy) Ended(task, worker int32) {
	if p, ok := s.Policy.(starpu.Ending); ok {
		p.Ended(task, worker)
	}
}

func newSpy(t rapid.TB, name string, tasks int) *spy {
	p, err := policy.New(name, policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &spy{Policy: p, pushed: make([]int, tasks), popped: make([]int, tasks), worker: slices.Repeat([]int32{-1}, tasks)}
}

// machine has some CPUs, and some devices with memories of their own.
func machine(cpus, gpus int) *platform.Machine {
	m := platform.Plain(cpus)
	workers := m.Workers
	m.Workers = nil
	for i := range gpus {
		m.Memories = append(m.Memories, platform.Memory{Name: fmt.Sprint("CUDA", i), Kind: platform.GPU, Device: int32(i), Arch: platform.CUDA})
		m.Workers = append(m.Workers, platform.Worker{Name: fmt.Sprintf("CUDA%d_0", i), Arch: platform.CUDA, Device: int32(i), Memory: int32(i + 1), Speed: 13, Type: int32(0)})
		m.Links = append(m.Links, platform.Link{Name: fmt.Sprint("bus", i), Bandwidth: 6e9, Latency: 1e-5})
	}
	for _, w := range workers {
		w.Type = int32(min(gpus, 1))
		m.Workers = append(m.Workers, w)
	}
	n := gpus + 1
	m.Routes, m.Bandwidth, m.Latency = make([][]int32, n*n), make([]float64, n*n), make([]float64, n*n)
	for i := range gpus {
		for _, pair := range []int{m.Pair(0, int32(i+1)), m.Pair(int32(i+1), 0)} {
			m.Routes[pair], m.Bandwidth[pair], m.Latency[pair] = []int32{int32(i)}, 6e9, 1e-5
		}
	}
	return m
}

// program draws tasks that read, write and update data, some of them in any
// order, with barriers and dependencies beyond those of the data.
func program(t *rapid.T, tasks int) *workload.Graph {
	g := &workload.Graph{Name: "drawn", AccessAt: []int32{0}, Classes: make([]workload.Class, 3), Priority: make([]int32, tasks), Sync: make([]bool, tasks)}
	handles := rapid.IntRange(1, 8).Draw(t, "handles")
	for h := range handles {
		g.Bytes = append(g.Bytes, int64(rapid.IntRange(1, 4).Draw(t, "MiB"))<<20)
		g.HandleX, g.HandleY = append(g.HandleX, int32(h)), append(g.HandleY, 0)
	}
	for c := range g.Classes {
		g.Classes[c].Kind = fmt.Sprint("K", c)
	}
	modes := []workload.Mode{workload.Read, workload.Read, workload.Write, workload.ReadWrite}
	if rapid.Bool().Draw(t, "commuting") {
		modes = append(modes, workload.ReadWrite|workload.Commute)
	}
	for i := range tasks {
		g.Class = append(g.Class, int32(rapid.IntRange(0, 2).Draw(t, "class")))
		g.Priority[i] = int32(rapid.IntRange(-2, 2).Draw(t, "priority"))
		g.Sync[i] = rapid.IntRange(0, 9).Draw(t, "sync") == 0
		for _, h := range rapid.SliceOfNDistinct(rapid.IntRange(0, handles-1), 0, min(3, handles), rapid.ID).Draw(t, "data") {
			g.Handle = append(g.Handle, int32(h))
			g.Mode = append(g.Mode, rapid.SampledFrom(modes).Draw(t, "mode"))
		}
		g.AccessAt = append(g.AccessAt, int32(len(g.Handle)))
		if i > 0 && rapid.IntRange(0, 3).Draw(t, "explicit") == 0 {
			g.From, g.To = append(g.From, int32(rapid.IntRange(0, i-1).Draw(t, "from"))), append(g.To, int32(i))
		}
	}
	return g
}

// lengths draws durations: kind 1 runs on the first type of workers only.
func lengths(t *rapid.T, g *workload.Graph, m *platform.Machine) starpu.Durations {
	d := make(starpu.Durations, len(g.Classes))
	for c := range d {
		for on := range m.Types() {
			ns := float64(rapid.IntRange(1000, 5_000_000).Draw(t, "ns"))
			if c == 1 && on == 1 {
				ns = 0
			}
			d[c] = append(d[c], ns)
		}
	}
	return d
}

// Under every policy each task goes in once, comes out once, to a worker that
// can run it, and runs there; and it does so again.
func TestEveryTaskRunsOnce(t *testing.T) {
	for _, name := range policy.Names() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				g := program(t, rapid.IntRange(0, 60).Draw(t, "tasks"))
				m := machine(rapid.IntRange(1, 4).Draw(t, "cpus"), rapid.IntRange(0, 2).Draw(t, "gpus"))
				d, o := lengths(t, g, m), starpu.DefaultOptions()
				o.Prefetch, o.Pipeline = rapid.Bool().Draw(t, "prefetch"), rapid.IntRange(0, 3).Draw(t, "pipeline")
				once, twice := newSpy(t, name, g.Tasks()), newSpy(t, name, g.Tasks())
				r := run(t, g, m, d, once, o)
				requireOnce(t, name, g, once, r)
				again := run(t, g, m, d, twice, o)
				if r.Makespan != again.Makespan || !slices.Equal(r.Begin, again.Begin) || !slices.Equal(r.Worker, again.Worker) {
					t.Fatalf("a second run takes %d ns, the first %d", again.Makespan, r.Makespan)
				}
			})
		})
	}
}

func run(t rapid.TB, g *workload.Graph, m *platform.Machine, d starpu.Durations, p starpu.Policy, o starpu.Options) *starpu.Result {
	r, err := starpu.Run(g, m, d, p, o)
	if err != nil {
		if s, ok := p.(*spy); ok {
			t.Logf("pushed %v, popped %v", s.pushed, s.popped)
		}
		t.Fatal(err)
	}
	return r
}

func requireOnce(t rapid.TB, name string, g *workload.Graph, s *spy, r *starpu.Result) {
	if s.wrong != "" {
		t.Fatal(s.wrong)
	}
	for i, sync := range g.Sync {
		want := 1
		if sync {
			want = 0
		}
		if s.pushed[i] != want || name != "random" && (s.popped[i] != want || s.worker[i] != r.Worker[i]) {
			t.Fatalf("task %d is pushed %d times, popped %d times to worker %d and runs on %d", i, s.pushed[i], s.popped[i], s.worker[i], r.Worker[i])
		}
		if (r.Worker[i] >= 0) == sync || r.End[i] < r.Begin[i] {
			t.Fatalf("task %d runs on worker %d from %d to %d ns", i, r.Worker[i], r.Begin[i], r.End[i])
		}
	}
}

// Policies that leave no worker idle while there is a task for it keep to
// Graham's bound for p identical workers, (2-1/p) times the larger of the work
// divided among them and of the longest path.
func TestBusyPoliciesKeepGrahamsBound(t *testing.T) {
	for _, name := range []string{"eager", "prio", "ws", "lws", "heteroprio"} {
		rapid.Check(t, func(t *rapid.T) {
			g := program(t, rapid.IntRange(1, 80).Draw(t, "tasks"))
			for i := range g.Mode {
				g.Mode[i] &^= workload.Commute // what excludes each other has no fixed longest path
			}
			p := rapid.IntRange(1, 6).Draw(t, "workers")
			m := machine(p, 0)
			d := lengths(t, g, m)
			r := run(t, g, m, d, newSpy(t, name, g.Tasks()), starpu.Options{Before: 2})
			work, longest := bounds(t, g, d)
			// Threads come up, tasks are taken and steals tried again within µs.
			slack := 10_000 + 3_000*float64(g.Tasks())
			if most := (2-1/float64(p))*max(work/float64(p), longest) + slack; float64(r.Makespan) > most {
				t.Fatalf("%s takes %d ns on %d workers, want at most %.0f", name, r.Makespan, p, most)
			}
		})
	}
}

// bounds are the work of a program and its longest path, in ns.
func bounds(t rapid.TB, g *workload.Graph, d starpu.Durations) (work, longest float64) {
	deps, err := workload.Infer(g)
	if err != nil {
		t.Fatal(err)
	}
	order, err := deps.Topological()
	if err != nil {
		t.Fatal(err)
	}
	end := make([]float64, deps.Nodes())
	for _, v := range order {
		for _, p := range deps.Preds(v) {
			end[v] = max(end[v], end[p])
		}
		if int(v) < g.Tasks() && !g.Sync[v] {
			work += d[g.Class[v]][0]
			end[v] += d[g.Class[v]][0]
		}
		longest = max(longest, end[v])
	}
	return work, longest
}

// Where nothing costs anything and nothing moves, the program runs as planned.
func TestHeftRunsAsPlanned(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := program(t, rapid.IntRange(1, 60).Draw(t, "tasks"))
		m := machine(rapid.IntRange(1, 5).Draw(t, "workers"), 0)
		d := lengths(t, g, m)
		h, _ := policy.New("heft", policy.Options{})
		r := run(t, g, m, d, h, starpu.Options{Before: 2})
		for i, planned := range policy.Planned(h) {
			if g.Sync[i] {
				continue
			}
			if planned.Worker != r.Worker[i] {
				t.Fatalf("task %d runs on worker %d, planned on %d", i, r.Worker[i], planned.Worker)
			}
		}
	})
}

// A gap is found where a look at all moments finds one.
func TestTimetable(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		table, busy := policy.NewTimetable(), make([]bool, 400)
		for range 40 {
			ready, length := draw.IntN(100), 1+draw.IntN(6)
			want := ready
			for slices.Contains(busy[want:want+length], true) {
				want++
			}
			if got := table.Insert(float64(ready), float64(length)); got != float64(want) {
				t.Fatalf("a task of %d that is ready at %d begins at %g, want %d", length, ready, got, want)
			}
			for i := range length {
				busy[want+i] = true
			}
		}
	}
}

// Two kernels of a device that end before its worker looks: it must not sleep
// on the second.
func TestKernelsThatEndTogether(t *testing.T) {
	g := &workload.Graph{AccessAt: make([]int32, 7), Class: []int32{1, 2, 1, 0, 1, 0}, Classes: make([]workload.Class, 3), Sync: make([]bool, 6)}
	m, o := machine(1, 1), starpu.DefaultOptions()
	o.Pipeline = 3
	s := newSpy(t, "eager", g.Tasks())
	r := run(t, g, m, starpu.Durations{{1737, 12693}, {5612, 6181}, {12283, 8022}}, s, o)
	requireOnce(t, "eager", g, s, r)
}
