package tracetest

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"dagscope/trace"
)

// SparseOptions describe a synthetic sparse factorization. The zero value is a
// small one.
type SparseOptions struct {
	Seed     uint64
	Workers  int     // default 6
	Depth    int     // of the tree of full nodes, default 4: 2^4 − 1 nodes
	Subtrees int     // whole subtrees below each leaf, default 2
	Noise    float64 // standard deviation of the logarithm of durations, default 0.06
	Slow     float64 // share of tasks that take 2.2 times as long, with more cache misses, default 0.01
}

// Sparse makes the run of a factorization in the manner of qr_mumps: a binary
// elimination tree whose fronts grow towards the root; tasks that make, fill,
// factorize and clean each front, small subtrees as one task each; work that
// differs from task to task, durations that follow it (exponent 0.8), and two
// hardware counters per task, instructions and cache misses. Tags name the tree
// node as qr_mumps writes them. Workers take the first task whose inputs are
// there; the schedule is valid, not realistic.
func Sparse(o SparseOptions) *trace.Run {
	o.Workers, o.Depth = cmp.Or(o.Workers, 6), cmp.Or(o.Depth, 4)
	o.Subtrees, o.Noise, o.Slow = cmp.Or(o.Subtrees, 2), cmp.Or(o.Noise, 0.06), cmp.Or(o.Slow, 0.01)
	s := &sparse{o: o, rng: rand.New(rand.NewPCG(o.Seed, 7))}
	s.grow(trace.None, 0)
	s.number()
	s.schedule()
	return s.run()
}

// sparse is a factorization being made.
type sparse struct {
	o     SparseOptions
	rng   *rand.Rand
	nodes []sparseNode
	tasks []sparseTask
}

type sparseNode struct {
	parent   int32
	key      int64
	children []int
	done     int // the task that cleans it
}

type sparseTask struct {
	kind       string
	node       int
	gflop      float64
	after      []int
	worker     int
	start, end int64
	slow       bool
}

// grow adds a node with its subtree and returns its number; children first.
func (s *sparse) grow(parent int32, level int) int {
	at := len(s.nodes)
	s.nodes = append(s.nodes, sparseNode{parent: parent})
	var below []int
	if level+1 < s.o.Depth {
		below = append(below, s.grow(int32(at), level+1), s.grow(int32(at), level+1))
	} else {
		for range s.o.Subtrees {
			below = append(below, s.subtree(int32(at)))
		}
	}
	s.nodes[at].children = below
	s.front(at, level)
	return at
}

func (s *sparse) subtree(parent int32) int {
	at := len(s.nodes)
	s.nodes = append(s.nodes, sparseNode{parent: parent})
	memory := 0.002 + 0.01*s.rng.Float64()
	first := s.task("do_subtree", at, memory)
	s.nodes[at].done = s.task("clean_front", at, memory, first)
	return at
}

func (s *sparse) task(kind string, node int, gflop float64, after ...int) int {
	s.tasks = append(s.tasks, sparseTask{kind: kind, node: node, gflop: gflop, after: slices.Clone(after)})
	return len(s.tasks) - 1
}

// front adds the tasks of a node: a square of blocks, more of them near the
// root, the last row and column smaller.
func (s *sparse) front(at, level int) {
	blocks := max(1, s.o.Depth-level)
	size := 0.4 + 0.6*s.rng.Float64() // of the last block
	memory := 0.01 * float64(blocks*blocks)
	made := s.task("init_front", at, memory)
	filled := []int{made}
	for _, c := range s.nodes[at].children {
		filled = append(filled, s.task("block_copy", at, math.NaN(), made, s.nodes[c].done))
	}
	share := func(i int) float64 {
		if i == blocks-1 {
			return size
		}
		return 1
	}
	before := filled
	for k := range blocks {
		panel := s.task("geqrt", at, 0.08*math.Pow(share(k), 3), before...)
		before = []int{panel}
		for j := k + 1; j < blocks; j++ {
			before = append(before, s.task("gemqrt", at, 0.16*share(k)*share(j), panel))
		}
		for i := k + 1; i < blocks; i++ {
			couple := s.task("tpqrt", at, 0.1*share(k)*share(i), before...)
			before = append(before, couple)
			for j := k + 1; j < blocks; j++ {
				before = append(before, s.task("tpmqrt", at, 0.3*share(i)*share(j), couple))
			}
		}
	}
	s.nodes[at].done = s.task("clean_front", at, memory, before...)
}

// number gives the nodes numbers in postorder, from 1: they are in preorder.
func (s *sparse) number() {
	next := int64(0)
	var visit func(at int)
	visit = func(at int) {
		for _, c := range s.nodes[at].children {
			visit(c)
		}
		next++
		s.nodes[at].key = next
	}
	visit(0)
}

// schedule gives each task, in order of submission, to the worker that is free
// first, not before its inputs are there.
func (s *sparse) schedule() {
	free := make([]int64, s.o.Workers)
	waiting := make([]int, 0, len(s.tasks))
	for i := range s.tasks {
		waiting = append(waiting, i)
	}
	for len(waiting) > 0 {
		w := 0
		for k := range free {
			if free[k] < free[w] {
				w = k
			}
		}
		pick, at := -1, int64(math.MaxInt64)
		for n, i := range waiting {
			if from := s.released(i); from < at {
				pick, at = n, max(from, free[w])
			}
			if at <= free[w] {
				break
			}
		}
		t := &s.tasks[waiting[pick]]
		t.worker, t.start = w, max(at, free[w])
		t.end = t.start + s.duration(t)
		free[w] = t.end + 2000
		waiting = slices.Delete(waiting, pick, pick+1)
	}
}

// released is when the inputs of a task are there, MaxInt64 if one of them has
// no place yet.
func (s *sparse) released(i int) (at int64) {
	for _, before := range s.tasks[i].after {
		if s.tasks[before].end == 0 {
			return math.MaxInt64
		}
		at = max(at, s.tasks[before].end)
	}
	return at
}

func (s *sparse) duration(t *sparseTask) int64 {
	d := 20e3 * (1 + s.rng.Float64()) // of what declares no work
	switch t.kind {
	case "geqrt", "gemqrt", "tpqrt", "tpmqrt":
		d = 40e6 * math.Pow(t.gflop, 0.8)
		t.slow = s.rng.Float64() < s.o.Slow
	case "do_subtree":
		d = 1e9 * t.gflop
	case "block_copy":
		d = 1e6
	}
	if t.slow {
		d *= 2.2
	}
	return int64(d * math.Exp(s.o.Noise*s.rng.NormFloat64()))
}

// run writes the columns.
func (s *sparse) run() *trace.Run {
	var b trace.Builder
	root := b.AddResource(trace.None, trace.LevelNode, "machine", "", 0, trace.None)
	worker := make([]int32, s.o.Workers)
	for w := range worker {
		worker[w] = b.AddResource(root, trace.LevelWorker, "CPU"+strconv.Itoa(w), "cpu", 0, int32(w))
	}
	row := s.addTree(&b)
	for i := range s.tasks {
		s.addTask(&b, i, worker, row)
	}
	run, err := b.Finish("")
	if err != nil {
		panic("tracetest: sparse run: " + err.Error())
	}
	return run
}

// addTree adds the tree nodes, parents first, and returns their rows.
func (s *sparse) addTree(b *trace.Builder) []int32 {
	row := make([]int32, len(s.nodes)) // preorder has parents first
	for i, n := range s.nodes {
		row[i] = int32(i)
		b.Run.TreeNode.Key = append(b.Run.TreeNode.Key, n.key)
		b.Run.TreeNode.Parent = append(b.Run.TreeNode.Parent, n.parent)
	}
	return row
}

// addTask adds a task with its dependencies and counters.
func (s *sparse) addTask(b *trace.Builder, i int, worker, row []int32) {
	t, ready := &s.tasks[i], int64(0)
	for _, before := range t.after {
		ready = max(ready, s.tasks[before].end)
	}
	b.AddTask(trace.TaskRow{Key: strconv.Itoa(i + 1), Kind: t.kind, Worker: worker[t.worker], Start: t.start, End: t.end,
		Submit: min(int64(i)*1000, t.start), Ready: ready, Order: int32(i), Iteration: -1})
	for _, before := range t.after {
		b.AddDep(int32(before), int32(i), trace.None)
	}
	c := &b.Run.Task
	c.TreeNode = append(c.TreeNode, row[t.node])
	c.Tag = append(c.Tag, uint64(i)<<32|uint64(s.nodes[t.node].key))
	c.GFlop = append(c.GFlop, t.gflop)
	work := t.gflop
	if math.IsNaN(work) {
		work = 0.001
	}
	misses := 2e5 * math.Pow(work, 0.7) * math.Exp(0.15*s.rng.NormFloat64())
	if t.slow {
		misses *= 4
	}
	count := &b.Run.Counter
	for k, v := range []float64{6e8 * work * (1 + 0.02*s.rng.NormFloat64()), misses} {
		count.Task = append(count.Task, int32(i))
		count.Event.Append([]string{"PAPI_TOT_INS", "PAPI_L3_TCM"}[k])
		count.Value = append(count.Value, int64(v))
	}
}
