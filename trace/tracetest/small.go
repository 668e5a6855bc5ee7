package tracetest

import (
	"fmt"
	"math/rand/v2"

	"dagscope/trace"
)

// Tiny is the first step of a Cholesky factorisation of 3×3 tiles, scheduled by
// hand on a CPU core and a GPU (time in ns):
//
//	          -30  -20   0         40   50        70        90   100  110       130       150
//	CPU0       Init Idle │ POTRF(0) │      TRSM(2)                │Sch │      SYRK(2)       │
//	CUDA0_0    Init Idle            │Fi  │ TRSM(1) │ SYRK(1) │Idle│Fi  │ GEMM    │ Idle    │
//
// Makespan 150; busy 140 on CPU0 and 60 on CUDA0_0, idle shares 10/150 and
// 90/150. The longest chain of observed durations is POTRF(0), TRSM(2),
// SYRK(2): 140. Sum of durations 200. Edges: 0→1, 0→2, 1→3, 1→4, 2→4, 2→5.
// Every table but segment, event, counter, model, importlog and account has
// rows.
func Tiny() *trace.Run { return MustParse(tiny) }

const tiny = `
meta {
  "reader": "synthetic",
  "horizon_ns": 150
}

table resource
parent level          name        alias arch node index start
-      cluster        root        -     ""   -1   -1    -30
0      node           program     p     ""   0    0     -30
1      scheduler      scheduler   sched ""   0    -1    -30
1      memory-node    MEMNODE0    mn0   ""   0    0     -30
3      memory-manager MEMMANAGER0 mm0   ""   0    0     -30
1      memory-node    MEMNODE1    mn1   ""   0    1     -30
5      memory-manager MEMMANAGER1 mm1   ""   0    1     -30
5      thread         T0          t0    ""   0    -1    -30
7      worker         CUDA0_0     w0    cuda 0    0     -30
3      thread         T1          t1    ""   0    -1    -30
9      worker         CPU0        w1    cpu  0    1     -30

table handle
key  node name bytes x y coordinates home description owner tag
a000 0    A    400   0 0 "0 0"       0    M10x10x4    0     -1
a100 0    A    400   1 0 "1 0"       0    M10x10x4    0     -1
a110 0    A    400   1 1 "1 1"       0    M10x10x4    0     -1
a200 0    A    400   2 0 "2 0"       0    M10x10x4    0     -1
a210 0    A    400   2 1 "2 1"       0    M10x10x4    0     -1
a220 0    A    400   2 2 "2 2"       0    M10x10x4    0     -1

table task
key kind  worker start end submit ready order priority iteration generation internal gflop x y
1   POTRF 10     0     40  -20    -20   0     6        0         false      false    0.5   0 0
2   TRSM  8      50    70  -15    40    1     5        0         false      false    1     1 0
3   TRSM  10     40    100 -10    40    2     4        0         false      false    1     2 0
4   SYRK  8      70    90  -5     70    3     5        0         false      false    1     1 1
5   GEMM  8      110   130 0      100   4     3        0         false      false    2     2 1
6   SYRK  10     110   150 5      100   5     4        0         false      false    1     2 2

table transfer
key   kind          from to start end bytes handle priority tag
com_0 task-prefetch 4    6  -10   0   400   1      0        0
com_1 task-prefetch 4    6  0     10  400   2      0        0
com_2 task-prefetch 4    6  10    20  400   4      0        0
com_3 fetch         4    6  40    50  400   0      0        0
com_4 fetch         4    6  100   110 400   3      0        0

table dep
from to kind
0    1  task
0    2  task
1    3  task
1    4  task
2    4  task
2    5  task

table state
resource type           kind          start end depth task
8        "Worker State" Initializing  -30   -20 0     -
8        "Worker State" Idle          -20   40  0     -
8        "Worker State" FetchingInput 40    50  0     1
8        "Worker State" Idle          90    100 0     -
8        "Worker State" FetchingInput 100   110 0     4
8        "Worker State" Idle          130   150 0     -
10       "Worker State" Initializing  -30   -20 0     -
10       "Worker State" Idle          -20   0   0     -
10       "Worker State" Scheduling    100   110 0     -

table sample
metric                                  resource time value
"Number of Ready Tasks"                 2        -20  1
"Number of Ready Tasks"                 2        0    0
"Number of Ready Tasks"                 2        40   1
"Number of Ready Tasks"                 2        50   0
"Number of Ready Tasks"                 2        100  2
"Number of Ready Tasks"                 2        110  0
"Number of Submitted Uncompleted Tasks" 2        -20  1
"Number of Submitted Uncompleted Tasks" 2        -15  2
"Number of Submitted Uncompleted Tasks" 2        -10  3
"Number of Submitted Uncompleted Tasks" 2        -5   4
"Number of Submitted Uncompleted Tasks" 2        0    5
"Number of Submitted Uncompleted Tasks" 2        5    6
"Number of Submitted Uncompleted Tasks" 2        40   5
"Number of Submitted Uncompleted Tasks" 2        70   4
"Number of Submitted Uncompleted Tasks" 2        90   3
"Number of Submitted Uncompleted Tasks" 2        100  2
"Number of Submitted Uncompleted Tasks" 2        130  1
"Number of Submitted Uncompleted Tasks" 2        150  0

table access
task handle mode bytes
0    0      RW   400
1    0      R    400
1    1      RW   400
2    0      R    400
2    3      RW   400
3    1      R    400
3    2      RW   400
4    3      R    400
4    1      R    400
4    4      RW   400
5    3      R    400
5    5      RW   400
`

// Chain is n tasks of kind "link", 10 ns each, one after the other on one CPU
// worker: makespan 10·n, no idle time.
func Chain(n int) *trace.Run {
	b, workers := machine("cpu")
	for i := range n {
		t := int64(10 * i)
		b.AddTask(task(i, "link", workers[0], t, t+10, t))
		if i > 0 {
			b.AddDep(int32(i-1), int32(i), trace.None)
		}
	}
	return finish(b)
}

// Fork is a task "fork", then width tasks "branch", then a task "join" that
// waits for all, 10 ns each, on CPU workers: branch i runs on worker
// i mod workers, the others on worker 0. Makespan 10·(2 + ⌈width/workers⌉).
func Fork(width, workers int) *trace.Run {
	archs := make([]string, workers)
	for i := range archs {
		archs[i] = "cpu"
	}
	b, on := machine(archs...)
	b.AddTask(task(0, "fork", on[0], 0, 10, 0))
	for i := range width {
		start := int64(10 + 10*(i/workers))
		b.AddTask(task(1+i, "branch", on[i%workers], start, start+10, 10))
		b.AddDep(0, int32(1+i), trace.None)
		b.AddDep(int32(1+i), int32(1+width), trace.None)
	}
	rounds := int64((width + workers - 1) / workers)
	b.AddTask(task(1+width, "join", on[0], 10+10*rounds, 20+10*rounds, 10+10*rounds))
	if width == 0 {
		b.AddDep(0, 1, trace.None)
	}
	return finish(b)
}

// Random is a random task graph of n tasks of up to four kinds with a valid
// list schedule on up to six workers of one to three architectures: each task,
// when its predecessors have ended, goes to the worker that would finish it
// first. Durations are 1 to 1000 ns, so that ties happen. Task rows are in
// submission order and edges point from smaller to larger rows. Equal seeds
// give equal runs.
func Random(seed uint64, n int) *trace.Run {
	rng := rand.New(rand.NewPCG(seed, 0x7ace))
	archs := []string{"cpu", "cuda", "hip"}[:1+rng.IntN(3)]
	var of []string
	for i := range len(archs) + rng.IntN(4) {
		of = append(of, archs[i%len(archs)])
	}
	b, workers := machine(of...)
	s := &scheduler{rng: rng, free: make([]int64, len(workers))}
	s.speeds(len(archs))
	for i := range n {
		r := s.place(i)
		r.Worker = workers[r.Worker]
		b.AddTask(r)
		for _, p := range s.preds {
			b.AddDep(p, int32(i), trace.None)
		}
	}
	return finish(b)
}

// scheduler places the tasks of Random, in submission order.
type scheduler struct {
	rng    *rand.Rand
	free   []int64   // per worker, when it is free; its architecture is its number modulo those
	mean   [][]int64 // [kind][architecture] ns
	ends   []int64   // per task
	submit int64     // of the last task
	preds  []int32   // of the last task, distinct
}

func (s *scheduler) speeds(archs int) {
	s.mean = make([][]int64, 1+s.rng.IntN(4))
	for k := range s.mean {
		for range archs {
			s.mean[k] = append(s.mean[k], 1+s.rng.Int64N(500))
		}
	}
}

// place draws a task, its predecessors and its duration, and puts it where it
// ends first. Worker is an index into free.
func (s *scheduler) place(i int) trace.TaskRow {
	s.submit += s.rng.Int64N(20)
	ready := s.submit
	s.preds = s.preds[:0]
	for range min(i, s.rng.IntN(4)) {
		// Mostly near predecessors make deep graphs, far ones join branches.
		p := int32(i - 1 - s.rng.IntN(min(i, 8)))
		if s.rng.IntN(8) == 0 {
			p = int32(s.rng.IntN(i))
		}
		if !contains(s.preds, p) {
			s.preds = append(s.preds, p)
			ready = max(ready, s.ends[p])
		}
	}
	kind := s.rng.IntN(len(s.mean))
	best, start, end := 0, int64(0), int64(-1)
	noise := 1 + s.rng.Float64()
	for w, free := range s.free {
		from := max(free, ready)
		to := from + max(1, int64(float64(s.mean[kind][w%len(s.mean[kind])])*noise))
		if end < 0 || to < end {
			best, start, end = w, from, to
		}
	}
	s.free[best] = end
	s.ends = append(s.ends, end)
	t := task(i, string(rune('a'+kind)), int32(best), start, end, ready)
	t.Submit, t.Priority = s.submit, int32(s.rng.IntN(5))
	return t
}

func contains(s []int32, v int32) bool {
	for _, x := range s {
		if x == v {
			return true
		}
	}
	return false
}

// machine starts a run with one node that has a worker of each architecture
// given, and returns the rows of the workers.
func machine(archs ...string) (*trace.Builder, []int32) {
	b := &trace.Builder{}
	b.Run.Meta.Reader = "synthetic"
	root := b.AddResource(trace.None, trace.LevelCluster, "root", "", trace.None, trace.None)
	node := b.AddResource(root, trace.LevelNode, "program", "", 0, 0)
	count := map[string]int{}
	var workers []int32
	for i, arch := range archs {
		name := fmt.Sprintf("%s%d", map[string]string{"cpu": "CPU", "cuda": "CUDA", "hip": "HIP"}[arch], count[arch])
		if arch != "cpu" {
			name += "_0"
		}
		count[arch]++
		workers = append(workers, b.AddResource(node, trace.LevelWorker, name, arch, 0, int32(i)))
	}
	return b, workers
}

// task is a row with the job number i+1, submitted at 0.
func task(i int, kind string, worker int32, start, end, ready int64) trace.TaskRow {
	return trace.TaskRow{Key: fmt.Sprint(i + 1), Kind: kind, Worker: worker, Start: start, End: end,
		Ready: ready, Order: int32(i), Iteration: -1}
}

func finish(b *trace.Builder) *trace.Run {
	run, err := b.Finish("")
	if err != nil {
		panic(fmt.Sprintf("make a test run: %v", err))
	}
	return run
}
