package decode

import (
	"strconv"

	"dagscope/trace"
)

// worker is a worker of StarPU that has been initialised.
type worker struct {
	container int32
	stream    int32 // of its states
	body      body  // the task that it runs
}

// node is a memory node: RAM, that of an accelerator, a disk.
type node struct {
	container int32
	manager   int32 // container of what moves its data
	stream    int32 // of the manager's states
}

// Bounds of the ids that StarPU numbers from 0 on; greater ones are damage.
const (
	maxWorkers = 1 << 16
	maxNodes   = 1 << 12
)

// container appends a container. Its name and its alias begin with the rank.
func (r *rank) container(typ, parent int32, alias, name string, start int64) int32 {
	c := &r.out.Container
	row := int32(len(c.Parent))
	c.Parent = append(c.Parent, parent)
	c.Alias.Append(r.prefix + alias)
	c.Name.Append(r.prefix + name)
	c.Type.AppendIndex(typ)
	c.Start, c.End = append(c.Start, start), append(c.End, trace.NoTime)
	return row
}

// addProgram makes the containers that every rank has from its beginning on.
func (r *rank) addProgram() {
	r.root = r.container(typeRoot, trace.None, "MPIroot", "root", r.zero)
	c := &r.out.Container
	c.Alias.Dict[0], c.Name.Dict[0] = "MPIroot", "root" // of all ranks
	r.program = r.container(typeProgram, r.root, "p", "program", r.zero)
	r.scheduler = r.container(typeScheduler, r.program, "sched", "scheduler", r.zero)
}

// worker returns an initialised worker, nil if there is none of that id.
func (r *rank) worker(id int64) *worker {
	if id < 0 || id >= int64(len(r.workers)) {
		return nil
	}
	return r.workers[id]
}

// node returns a memory node, nil if there is none of that id.
func (r *rank) node(id int64) *node {
	if id < 0 || id >= int64(len(r.nodes)) {
		return nil
	}
	return r.nodes[id]
}

// newNode makes the containers of a memory node.
func newNode(r *rank, a *args) {
	id := a.int(0)
	if id < 0 || id >= maxNodes {
		r.bad("memory node %d, want one from 0 to %d", id, maxNodes-1)
		return
	}
	number := strconv.FormatInt(id, 10)
	n := &node{container: r.container(typeMemory, r.program, "mn"+number, "MEMNODE"+number, r.now)}
	n.manager = r.container(typeManager, n.container, "mm"+number, "MEMMANAGER"+number, r.now)
	n.stream = r.states.Stream(n.manager, statesOfMemory, statesOfMemory)
	for int64(len(r.nodes)) <= id {
		r.nodes = append(r.nodes, nil)
	}
	r.nodes[id] = n
	for _, metric := range []int32{metricUsed, metricIn, metricOut} {
		r.sample(metric, n.manager, r.now, 0)
	}
}

// workerInitStart makes the containers of a worker and of the thread that
// drives it.
func workerInitStart(r *rank, a *args) {
	kind, id, device, memory, bind, sync, tid := a.v[0], a.int(1), a.int(2), a.int(3), a.int(4), a.v[5], a.v[6]
	if id < 0 || id >= maxWorkers {
		r.bad("worker %d, want one from 0 to %d", id, maxWorkers-1)
		return
	}
	if old, c := r.worker(id), &r.out.Container; old != nil && c.End[c.Parent[old.container]] == trace.NoTime {
		r.bad("worker %d initialised again, want its thread to end first", id)
	}
	t := r.thread(tid)
	if t == nil {
		t = r.addThread(tid, int32(id))
		t.sync = sync != 0
		t.container = r.container(typeThread, r.parentOf(memory), "t"+strconv.FormatUint(tid, 10), "T"+strconv.FormatInt(bind, 10), r.now)
	}
	r.drive(t)
	w := &worker{body: noBody, container: r.container(typeWorker, t.container, "w"+strconv.FormatInt(id, 10), r.workerName(kind, device), r.now)}
	w.stream = r.states.Stream(w.container, statesOfWorker, statesOfWorker)
	for int64(len(r.workers)) <= id {
		r.workers = append(r.workers, nil)
	}
	r.workers[id] = w
	if t.sync && t.worker == int32(id) {
		t.stream, t.driving = w.stream, w.stream
	}
	r.sample(metricWorkerFlops, w.container, r.now, 0)
	r.setThread(t, kindInitializing)
}

// parentOf is the container that a thread lies in: its memory node, or the
// program should that not be known.
func (r *rank) parentOf(memory int64) int32 {
	if n := r.node(memory); n != nil {
		return n.container
	}
	r.bad("a worker on memory node %d, want one that was announced", memory)
	return r.program
}

// workerName is a worker's name: CPU3, or CUDA0_1 for the second worker of a
// device, each of which is a stream of its own.
func (r *rank) workerName(kind uint64, device int64) string {
	arch, ok := r.d.version.Kind(kind)
	name := arch
	if !ok {
		name = "unknown"
	}
	name += strconv.FormatInt(device, 10)
	if arch == "CUDA" {
		name += "_" + strconv.Itoa(r.cudaStreams[device])
		r.cudaStreams[device]++
	}
	return name
}

func workerInitEnd(r *rank, a *args) {
	t := r.known(a.v[0])
	if t == nil {
		return
	}
	id := int64(t.worker)
	if a.has(1) {
		id = a.int(1)
	}
	r.setThread(t, kindOverhead)
	if w := r.worker(id); w != nil {
		r.setWorker(w, kindIdle)
	}
}

func workerDeinitStart(r *rank, a *args) {
	if t := r.known(a.v[0]); t != nil {
		r.setThread(t, kindDeinitializing)
	}
}

func workerDeinitEnd(r *rank, a *args) {
	if t := r.known(a.v[0]); t != nil {
		r.out.Container.End[t.container] = r.now
	}
}

// checkContainers leaves out ends before beginnings. Both are on the common
// clock by now: some containers begin where that does.
func (r *rank) checkContainers() {
	c := &r.out.Container
	for i, end := range c.End {
		if end != trace.NoTime && end < c.Start[i] {
			r.log(trace.Warning, "bad-event", "found the end of %s %d ns before its beginning, want it after", c.Name.At(i), c.Start[i]-end)
			c.End[i] = trace.NoTime
		}
	}
}

var containerBindings = []binding{
	{"NEW_MEM_NODE", []string{"node"}, "resource", newNode},
	{"WORKER_INIT_START", []string{"kind", "worker", "device", "node", "bind", "sync", "thread"}, "resource", workerInitStart},
	{"WORKER_INIT_END", []string{"thread", "worker?"}, "state", workerInitEnd},
	{"WORKER_DEINIT_START", []string{"thread"}, "state", workerDeinitStart},
	{"WORKER_DEINIT_END", []string{"thread"}, "resource", workerDeinitEnd},
}
