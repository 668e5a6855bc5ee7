package policy

import (
	"fmt"

	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/workload"
)

// heteroprio is StarPU's, which groups tasks by kernel and gives each
// architecture its own order of these groups (Agullo 2016), with automatic
// priorities (Flint 2022): the order follows from statistics of the kernels. Data
// locality is not considered, as by StarPU's default. A worker pops the newest
// task of the first group in its order, and one more ahead, but only where so many
// are left that the faster architecture would be busy for as long as the slower
// one needs for one.
//
// StarPU keeps its statistics from run to run, in a file of its own for each
// program; a run begins without any unless it is given what earlier runs have
// left (Options.Memory).
type heteroprio struct {
	r               starpu.Runtime
	log             *starpu.DecisionLog
	p               starpu.Program
	deps            *workload.Deps
	stats           statistics
	byClass         []int32 // group, none before the first task of the class
	pushed          int     // tasks pushed since the groups were last ordered
	buckets         []bucket
	workers         []aheadWorker
	left            []int32 // by architecture: tasks in buckets that it can run
	ahead           []int32 // by architecture: tasks that workers have popped ahead
	count           []int32 // by architecture: workers
	successorBuffer []successor
	memory          *Memory
	busy, free      []float64 // µs, by architecture
}

// bucket holds the tasks of a group, the newest last.
type bucket struct {
	tasks []int32
	queue starpu.Queue
}

// aheadWorker is a worker with the tasks that it has popped ahead.
type aheadWorker struct {
	arch     int
	tasks    []aheadTask // the next one first
	lastHook float64     // when a task last began or ended, in µs
}

// aheadTask is a task that a worker has popped ahead.
type aheadTask struct {
	task, priority int32
	prefetched     bool
}

const (
	orderEvery = 32 // tasks
	maxAhead   = 2  // tasks of a worker
)

// architectures in StarPU's order. Tasks are never kept for the first.
var architectures = []string{platform.CPU, platform.CUDA, platform.OpenCL, platform.HIP}

// Priorities says that programs set priorities.
func (h *heteroprio) Priorities() bool { return true }

// LogDecisions keeps the log of decisions.
func (h *heteroprio) LogDecisions(l *starpu.DecisionLog) { h.log = l }

func (h *heteroprio) Start(r starpu.Runtime) {
	h.r = r
	n := len(architectures)
	h.workers = make([]aheadWorker, r.Workers())
	h.left, h.ahead, h.count = make([]int32, n), make([]int32, n), make([]int32, n)
	h.busy, h.free = make([]float64, n), make([]float64, n)
	h.memory.begin(h)
	h.stats.recall(h.memory)
	h.addBuckets()
}

// Plan reads kernels and successors. Tasks that have not been submitted yet are
// not used.
func (h *heteroprio) Plan(p starpu.Program) error {
	var err error
	if h.deps, err = workload.Infer(p.Graph()); err != nil {
		return fmt.Errorf("find successors: %w", err)
	}
	h.p = p
	h.byClass = make([]int32, len(p.Graph().Classes))
	for c := range h.byClass {
		h.byClass[c] = none
	}
	for w, x := range p.Machine().Workers {
		for a, name := range architectures {
			if x.Arch == name {
				h.workers[w].arch = a
				h.count[a]++
			}
		}
	}
	return nil
}

// Push puts the task into the bucket of its group, and wakes the first worker
// that can run it and slept.
func (h *heteroprio) Push(task int32) {
	h.r.LockPolicy()
	g := h.group(task)
	if h.pushed >= orderEvery {
		h.pushed = 0
	}
	if h.pushed == 0 {
		h.stats.order()
	}
	h.pushed++
	h.stats.submitted(g)
	successors := h.successors(task)
	h.countSuccessorLocks(len(successors))
	h.stats.releases(g, successors)
	h.stats.compare()
	h.buckets[g].tasks = append(h.buckets[g].tasks, task)
	h.log.Push(task, h.buckets[g].queue, 0)
	for a := range architectures {
		if h.stats.groups[g].able[a] {
			h.left[a]++
		}
	}
	h.r.UnlockPolicy()
	for w := range int32(len(h.workers)) {
		if h.r.Can(task, w) && h.r.Wake(w) {
			return
		}
	}
}

// countSuccessorLocks counts the simcalls of reading a task's successors: other
// actors of the same instant get ahead by as many.
func (h *heteroprio) countSuccessorLocks(successors int) {
	const sections, types = 9, 7 // of the graph's lock; of workers that there can be
	lookup, section := 7, 14
	if h.r.Self() == none {
		lookup, section = 2, 4
	}
	h.r.Simcalls(2*lookup + sections*section + successors*(types*(lookup+2)+lookup))
}

// group of a task: that of its kernel, among those that the same architectures
// can run.
func (h *heteroprio) group(task int32) int32 {
	c := h.p.Graph().Class[task]
	if h.byClass[c] != none {
		return h.byClass[c]
	}
	able := make([]bool, len(architectures))
	for w := range h.workers {
		if h.r.Can(task, int32(w)) {
			able[h.workers[w].arch] = true
		}
	}
	h.byClass[c] = h.stats.group(h.p.Graph().Classes[c].Kind, able)
	h.addBuckets()
	return h.byClass[c]
}

// addBuckets makes the buckets that groups lack.
func (h *heteroprio) addBuckets() {
	for n := len(h.buckets); n < len(h.stats.groups); n++ {
		h.buckets = append(h.buckets, bucket{queue: h.log.SharedQueue(fmt.Sprintf("bucket %d: %s", n, h.stats.groups[n].kind))})
	}
}

// successors are the groups of the tasks that wait for one, of those that have
// been submitted, and for how many they wait.
func (h *heteroprio) successors(task int32) []successor {
	all, g := h.successorBuffer[:0], h.p.Graph()
	for _, s := range h.deps.Succs(task) {
		if int(s) < h.deps.Tasks && s < h.p.Submitted() && (g.Sync == nil || !g.Sync[s]) {
			all = append(all, successor{h.group(s), len(h.deps.Preds(s))})
		}
	}
	h.successorBuffer = all
	return all
}

// Pop takes what the worker has popped ahead, or what another has.
func (h *heteroprio) Pop(worker int32) int32 {
	w := &h.workers[worker]
	h.r.LockPolicy()
	added := h.fill(worker)
	task := int32(none)
	switch {
	case len(w.tasks) > 0:
		task = w.tasks[0].task
		h.log.Pop(task, worker, h.log.WorkerQueue(worker), 0)
		w.tasks = w.tasks[:copy(w.tasks, w.tasks[1:])]
		h.ahead[w.arch]--
	case h.ahead[w.arch] > 0:
		task = h.steal(worker)
	}
	h.r.UnlockPolicy()
	if task != none {
		h.prefetch(worker, added)
	}
	return task
}

// fill pops tasks ahead for a worker, and returns their number.
func (h *heteroprio) fill(worker int32) int {
	w := &h.workers[worker]
	left := int(h.left[w.arch])
	room := min(maxAhead-len(w.tasks), left)
	if left > 0 && left < len(h.workers) {
		room = max(0, 1-len(w.tasks))
	}
	added := 0
	for _, g := range h.stats.orders(w.arch) {
		for ; added < room && h.mayTake(g, w.arch); added++ {
			b := &h.buckets[g]
			task := b.tasks[len(b.tasks)-1]
			b.tasks = b.tasks[:len(b.tasks)-1]
			h.log.Take(task, b.queue, 0)
			place := w.insert(aheadTask{task: task, priority: h.r.Priority(task)})
			h.log.Push(task, h.log.WorkerQueue(worker), place)
			h.ahead[w.arch]++
			for a := range architectures {
				if h.stats.groups[g].able[a] {
					h.left[a]--
				}
			}
		}
	}
	return added
}

// mayTake says that an architecture may run a task of a group: it is the
// fastest, or enough tasks are left.
func (h *heteroprio) mayTake(g int32, arch int) bool {
	tasks, group := len(h.buckets[g].tasks), &h.stats.groups[g]
	if tasks == 0 {
		return false
	}
	return group.fastest == 0 || group.fastest == arch || float32(tasks)/float32(h.count[group.fastest]) >= group.slower[arch]
}

// insert puts a task before those of its priority, and returns its position.
func (w *aheadWorker) insert(t aheadTask) int {
	i := 0
	for i < len(w.tasks) && w.tasks[i].priority > t.priority {
		i++
	}
	w.tasks = append(w.tasks, aheadTask{})
	copy(w.tasks[i+1:], w.tasks[i:])
	w.tasks[i] = t
	return i
}

// steal takes what another worker of the same architecture has popped ahead.
func (h *heteroprio) steal(thief int32) int32 {
	n := int32(len(h.workers))
	for i := int32(1); i < n; i++ {
		victim := (thief + i) % n
		v := &h.workers[victim]
		if v.arch != h.workers[thief].arch || len(v.tasks) == 0 {
			continue
		}
		h.r.Lock(victim)
		task := v.tasks[0].task
		h.log.Pop(task, thief, h.log.WorkerQueue(victim), 0)
		v.tasks = v.tasks[:copy(v.tasks, v.tasks[1:])]
		h.ahead[v.arch]--
		h.r.Unlock(victim)
		return task
	}
	return none
}

// prefetch prefetches the data of what a worker has just popped ahead, as long
// as there is more to come.
func (h *heteroprio) prefetch(worker int32, added int) {
	w := &h.workers[worker]
	for i := 0; i < len(w.tasks) && added > 0 && h.left[w.arch] > 0; i++ {
		if t := &w.tasks[i]; !t.prefetched {
			t.prefetched = true
			h.r.Prefetch(t.task, worker)
		}
		added--
	}
}

// Started notes when a task begins.
func (h *heteroprio) Started(_, worker int32) {
	h.r.LockPolicy()
	w := &h.workers[worker]
	h.free[w.arch] += h.r.Now() - w.lastHook
	w.lastHook = h.r.Now()
	h.r.UnlockPolicy()
}

// Ended notes how long a task took, as far as the worker did nothing else.
func (h *heteroprio) Ended(task, worker int32) {
	w, now := &h.workers[worker], h.r.Now()
	h.r.LockPolicy()
	h.r.Simcalls(7)
	h.busy[w.arch] += now - w.lastHook
	h.stats.executed(h.group(task), w.arch, now-w.lastHook)
	h.r.UnlockPolicy()
	w.lastHook = now
}
