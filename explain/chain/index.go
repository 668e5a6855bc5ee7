package chain

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"dagscope/explain/bound"
	"dagscope/explain/depend"
	"dagscope/explain/kind"
	"dagscope/explain/memory"
	"dagscope/explain/processor"
	"dagscope/explain/schedule"
	"dagscope/internal/dag"
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/internal/stat"
	"dagscope/trace"
)

// Index is a run prepared for [Index.Walk]. It is read only once built: many
// goroutines may ask.
type Index struct {
	run   *trace.Run
	lanes *schedule.Lanes
	last  *depend.Last

	before []int32 // by piece: the piece that ended last on its worker before it, or trace.None
	worker []int32 // by piece: its resource
	final  []int32 // by task: its piece that ends last, trace.None for those that did not run
	first  []int32 // by task: its piece that starts first

	managers []int32   // by memory node: its manager, trace.None without
	rams     []int32   // by node + 1: its first memory, or trace.None
	memory   []int32   // by resource: the memory node that it is, is in, or manages
	threads  [][]int32 // by memory node: threads and workers that drive its device; nil for those that many share

	arrivals   ends     // transfers, by handle and destination
	departures ends     // transfers, by handle and source, by their starts
	evictions  ends     // idle fetches, by source
	links      ends     // transfers, by link
	linkOf     []int32  // by transfer: its link
	linkNames  []string // by link
	writers    ends     // pieces of tasks that write a handle, by handle
	holders    ends     // pieces of tasks that access a handle commutatively, by handle
	children   ends     // pieces of tasks, by parent
	pieces     ends     // pieces, by task and start
	nodeEnds   ends     // pieces, by node
	users      ends     // first pieces of tasks by handle and memory, by their starts
	access     []int32
	commutes   []bool  // by mode
	sender     []int32 // by transfer: the task that sends it, whether it ran or not; nil without messages
	memories   int32   // memory nodes, numbered by local
	local      []int32 // by resource that is a memory node: its number

	isRuntime []bool // by kind of state

	runtime  []interval.Spans // by resource: runtime states
	managing []managed        // by memory node: what its manager did
	blocked  []interval.Spans // by resource: states in which a thread may wait for memory
	syncs    []interval.Spans // by resource: waits of tasks for others: barriers, taskwaits
	locks    []interval.Spans // by resource: waits for locks
	off      []interval.Spans // by resource: off the processor
	lost     *processor.Lost  // from counts; nil where they are unknown, or spans are known (off)
	waits    []interval.Spans // by resource: waits of threads that submit
	comms    []int32          // by node + 1: its thread of communication, or trace.None
	submits  []int32          // by node + 1: its submitting thread, or trace.None
	states   bool             // there are runtime states at all
	silence  int64            // without them: how long a wait is no longer the runtime's
	timed    bool             // the run says of its tasks when they could have begun: a graph, ready times or submissions

	bandwidth map[[2]int32]float64 // of memories, the best, bytes per ns, by source and destination
	network   bound.Network        // how long messages take at least
	posted    []int64              // by transfer: when its receive was posted, trace.NoTime if unknown; nil without messages
	makespan  int64

	duration []int64 // by task
	means    means
	tail     []int64   // by task: the longest path after it, ns; nil if the graph has a cycle
	mates    [][]int32 // by resource: the workers of its node

	readyOnce  sync.Once
	readyTypes []interval.Spans
	readyOf    []int32
}

// managed is what the manager of a memory did to make room: unions by handle,
// and of everything.
type managed struct {
	all    interval.Spans
	handle map[int32]interval.Spans
	named  bool // the trace names the handles
}

// ends finds, in groups, the item that ended last before a time.
type ends struct {
	at   []int32
	item []int32
	time []int64
}

// newEnds groups items. group is negative for those left out.
func newEnds(group []int32, groups int, item []int32, time []int64) ends {
	order := interval.Order(time)
	at, rows := interval.Group(group, groups, order)
	e := ends{at: at, item: make([]int32, len(rows)), time: make([]int64, len(rows))}
	for i, r := range rows {
		e.item[i], e.time[i] = item[r], time[r]
	}
	return e
}

// latest is the position of what of a group has the latest time <= t, of several
// that of the earliest row; -1 if none.
func (e *ends) latest(group int32, t int64) int32 { return e.latestBut(group, t, trace.None) }

// latestBut is that of another item than one.
func (e *ends) latestBut(group int32, t int64, but int32) int32 {
	if group < 0 || int(group)+1 >= len(e.at) {
		return -1
	}
	from, best := e.at[group], int32(-1)
	for i := e.after(group, t) - 1; i >= from && (best < 0 || e.time[i] == e.time[best]); i-- {
		if e.item[i] != but {
			best = i
		}
	}
	return best
}

// after is the position after the last of a group with time <= t.
func (e *ends) after(group int32, t int64) int32 {
	from, to := e.at[group], e.at[group+1]
	return from + int32(interval.FirstAfter(e.time[from:to], t))
}

// following is the position of the first of a group with time >= t, -1 if none.
func (e *ends) following(group int32, t int64) int32 {
	if group < 0 || int(group)+1 >= len(e.at) {
		return -1
	}
	if i := e.after(group, t-1); i < e.at[group+1] {
		return i
	}
	return -1
}

// Options hand in what a caller has computed already; nil fields are computed.
type Options struct {
	Lanes *schedule.Lanes // schedule.Build(run, nil)
	Last  *depend.Last    // depend.Find(run)
}

// New prepares a run.
func New(run *trace.Run, o Options) *Index {
	x := &Index{run: run, lanes: o.Lanes, last: o.Last, makespan: schedule.Makespan(run)}
	if x.lanes == nil {
		x.lanes = schedule.Build(run, nil)
	}
	if x.last == nil {
		x.last = depend.Find(run)
	}
	known := func(times []int64) bool {
		return slices.ContainsFunc(times, func(t int64) bool { return t != trace.NoTime })
	}
	x.timed = len(run.Dep.From) > 0 || known(run.Task.Ready) || known(run.Task.Submit)
	x.indexPieces()
	x.indexMemories()
	rest := []func(){x.indexAccesses, x.indexTransfers, x.indexNetwork, x.indexStates, x.indexReceives, x.indexDurations, x.indexMates}
	parallel.For(len(rest), func(i int) { rest[i]() })
	x.letGo()
	return x
}

// letGo gives up the targets of edges, four bytes each, unless they are needed
// to find when tasks were ready.
func (x *Index) letGo() {
	for v, ready := range x.run.Task.Ready {
		if ready == trace.NoTime && x.run.Task.Counted(v) {
			return
		}
	}
	own := *x.run
	own.Dep.To = nil
	x.run = &own
}

// indexMates lists the workers of each node.
func (x *Index) indexMates() {
	x.mates = make([][]int32, len(x.run.Resource.Parent))
	of := map[int32][]int32{}
	workers := kind.Workers(x.run)
	for _, w := range workers {
		of[x.nodeOf(w)] = append(of[x.nodeOf(w)], w)
	}
	for _, w := range workers {
		x.mates[w] = of[x.nodeOf(w)]
	}
}

func (x *Index) indexDurations() {
	x.duration = kind.Durations(x.run)
	x.means = newMeans(x.run, x.duration)
	x.indexTails()
}

// indexTails finds how much depends on each task, every task taking its group's
// mean where it is fastest.
func (x *Index) indexTails() {
	t := &x.run.Task
	g := dag.Build(len(t.Start), x.run.Dep.From, x.run.Dep.To)
	order, err := g.Topological()
	if err != nil {
		return
	}
	weight := make([]int64, len(t.Start))
	for v := range weight {
		if w := t.Worker[v]; w >= 0 && t.Counted(v) {
			if _, fastest, ok := x.means.of(int32(v), w); ok {
				weight[v] = int64(fastest + 0.5)
			}
		}
	}
	x.tail = g.Tails(order, weight)
}

// indexReceives finds when the receives of messages were posted: the states of
// communication threads name no message, so that the first receive that a node
// posted is taken for the first that completed, and so on, where there are as
// many of one as of the other.
func (x *Index) indexReceives() {
	t, s := &x.run.Transfer, &x.run.State
	posted := s.Kind.Find("ReceiveSubmitted")
	mpi := t.Kind.Find(trace.TransferMPI)
	if posted < 0 || mpi < 0 {
		return
	}
	x.posted = slices.Repeat([]int64{trace.NoTime}, len(t.Start))
	when := make([][]int64, len(x.run.Resource.Parent)) // by resource
	for i, k := range s.Kind.Index {
		if k == posted {
			when[s.Resource[i]] = append(when[s.Resource[i]], s.Start[i])
		}
	}
	arrived := make([][]int32, len(when))
	for i, k := range t.Kind.Index {
		if k == mpi && t.To[i] >= 0 && t.End[i] != trace.NoTime {
			arrived[t.To[i]] = append(arrived[t.To[i]], int32(i))
		}
	}
	for r, rows := range arrived {
		if len(rows) != len(when[r]) {
			continue
		}
		slices.SortStableFunc(rows, func(a, b int32) int { return cmp.Compare(t.End[a], t.End[b]) })
		for i, row := range rows {
			if when[r][i] <= t.End[row] {
				x.posted[row] = when[r][i]
			}
		}
	}
}

func (x *Index) indexPieces() {
	l, n := x.lanes, len(x.lanes.Task)
	x.before, x.worker = make([]int32, n), make([]int32, n)
	x.final = slices.Repeat([]int32{trace.None}, len(x.run.Task.Start))
	x.first = slices.Repeat([]int32{trace.None}, len(x.run.Task.Start))
	parallel.For(len(l.At)-1, func(r int) {
		latest := trace.None
		for i := l.At[r]; i < l.At[r+1]; i++ {
			x.worker[i], x.before[i] = int32(r), latest
			if latest == trace.None || l.End[i] >= l.End[latest] {
				latest = i
			}
		}
	})
	for i, v := range l.Task {
		if f := x.final[v]; f == trace.None || l.End[i] > l.End[f] {
			x.final[v] = int32(i)
		}
		if f := x.first[v]; f == trace.None || l.Start[i] < l.Start[f] {
			x.first[v] = int32(i)
		}
	}
	tasks := len(x.final)
	node, item, time := make([]int32, 0, tasks), make([]int32, 0, tasks), make([]int64, 0, tasks)
	parent := []int32{}
	for v, f := range x.final {
		if f == trace.None || x.run.Task.Internal[v] {
			continue
		}
		node, item, time = append(node, x.nodeOf(x.worker[f])+1), append(item, f), append(time, l.End[f])
		if x.run.Task.Parent != nil {
			parent = append(parent, x.run.Task.Parent[v])
		}
	}
	x.nodeEnds = newEnds(node, int(slices.Max(append(node, 0)))+1, item, time)
	if x.run.Task.Parent != nil {
		all := make([]int32, n)
		for i := range all {
			all[i] = int32(i)
		}
		x.pieces = newEnds(l.Task, len(x.run.Task.Start), all, l.Start)
		x.children = newEnds(parent, len(x.run.Task.Start), item, time)
	}
}

// nodeOf is the rank of a resource, trace.None above nodes.
func (x *Index) nodeOf(resource int32) int32 { return x.run.Resource.Node[resource] }

func (x *Index) indexMemories() {
	re := &x.run.Resource
	n := len(re.Parent)
	x.memory, x.local = make([]int32, n), make([]int32, n)
	for r := range n {
		x.memory[r], x.local[r] = trace.None, trace.None
		up := re.Parent[r]
		switch {
		case re.Level.At(r) == trace.LevelMemory:
			x.memory[r], x.local[r] = int32(r), x.memories
			x.memories++
		case up >= 0 && int(up) < r:
			x.memory[r] = x.memory[up]
		}
	}
	x.managers = slices.Repeat([]int32{trace.None}, n)
	for r := range n {
		if m := x.memory[r]; m >= 0 && re.Level.At(r) == trace.LevelMemoryManager {
			x.managers[m] = int32(r)
		}
	}
	x.rams = slices.Repeat([]int32{trace.None}, int(slices.Max(append(slices.Clone(re.Node), 0)))+2)
	for r := range n {
		if at := re.Node[r] + 1; x.memory[r] == int32(r) && x.rams[at] == trace.None {
			x.rams[at] = int32(r)
		}
	}
	x.threads = make([][]int32, n)
	for r := range n {
		if m := x.memory[r]; m >= 0 && (re.Level.At(r) == trace.LevelThread || re.Level.At(r) == trace.LevelWorker) {
			x.threads[m] = append(x.threads[m], int32(r))
		}
	}
	for m, list := range x.threads {
		workers := 0
		for _, r := range list {
			if re.Level.At(int(r)) == trace.LevelWorker && re.Arch.At(int(r)) == "cpu" {
				workers++
			}
		}
		if workers > 0 { // the processors' own memory: nobody drives it
			x.threads[m] = nil
		}
	}
}

// place is the key of a handle in a memory.
func (x *Index) place(handle, memory int32) int32 {
	return handle*x.memories + x.local[memory]
}

func (x *Index) indexAccesses() {
	a, n := &x.run.Access, len(x.run.Task.Start)
	x.access = make([]int32, n+1)
	row := 0
	for v := range n {
		x.access[v] = int32(row)
		for row < len(a.Task) && int(a.Task[row]) == v {
			row++
		}
	}
	x.access[n] = int32(row)
	writes, commutes := make([]bool, len(a.Mode.Dict)), make([]bool, len(a.Mode.Dict))
	for m, mode := range a.Mode.Dict {
		for _, c := range mode {
			writes[m] = writes[m] || c == 'W' || c == 'X'
			commutes[m] = commutes[m] || c == 'C'
		}
	}
	x.commutes = commutes
	in := func(modes []bool) func(row int32) int32 {
		return func(row int32) int32 {
			if m := a.Mode.Index[row]; m >= 0 && modes[m] {
				return a.Handle[row]
			}
			return trace.None
		}
	}
	used := func(row int32) int32 {
		if p := x.memory[x.worker[x.final[a.Task[row]]]]; p >= 0 && a.Handle[row] >= 0 {
			return x.place(a.Handle[row], p)
		}
		return trace.None
	}
	handles := len(x.run.Handle.Node)
	byEnd := x.tasksBy(x.final, x.lanes.End)
	each := []func(){
		func() { x.writers = x.endsOf(byEnd, x.final, x.lanes.End, handles, in(writes)) },
		func() {
			if slices.Contains(commutes, true) {
				x.holders = x.endsOf(byEnd, x.final, x.lanes.End, handles, in(commutes))
			}
		},
		func() {
			x.users = x.endsOf(x.tasksBy(x.first, x.lanes.Start), x.first, x.lanes.Start, handles*int(x.memories), used)
		},
	}
	parallel.For(len(each), func(i int) { each[i]() })
}

// tasksBy are the tasks that ran, in the order of a time of a piece of theirs.
func (x *Index) tasksBy(piece []int32, time []int64) []int32 {
	key := make([]int64, len(piece))
	for v, p := range piece {
		if key[v] = trace.NoTime; p != trace.None {
			key[v] = time[p]
		}
	}
	return slices.DeleteFunc(interval.Order(key), func(v int32) bool { return piece[v] == trace.None })
}

// endsOf groups a piece of each task, in the order of tasks given, by what group
// makes of the accesses of the task: a sort of the tasks serves all of them.
func (x *Index) endsOf(tasks, piece []int32, time []int64, groups int, group func(row int32) int32) ends {
	at := make([]int32, groups+1)
	for _, v := range tasks {
		for row := x.access[v]; row < x.access[v+1]; row++ {
			if g := group(row); g >= 0 {
				at[g+1]++
			}
		}
	}
	for g := range groups {
		at[g+1] += at[g]
	}
	e := ends{at: at, item: make([]int32, at[groups]), time: make([]int64, at[groups])}
	next := slices.Clone(at)
	for _, v := range tasks {
		p := piece[v]
		for row := x.access[v]; row < x.access[v+1]; row++ {
			if g := group(row); g >= 0 {
				e.item[next[g]], e.time[next[g]] = p, time[p]
				next[g]++
			}
		}
	}
	return e
}

func (x *Index) indexTransfers() {
	t := &x.run.Transfer
	arrival, departure, eviction, link := make([]int32, len(t.Start)), make([]int32, len(t.Start)), make([]int32, len(t.Start)), make([]int32, len(t.Start))
	item := make([]int32, len(t.Start))
	x.bandwidth = map[[2]int32]float64{}
	numbers := map[[2]int32]int32{}
	moves := make([]bool, len(t.Kind.Dict)+1) // by kind: data moves
	for k, name := range t.Kind.Dict {
		moves[k] = name != trace.TransferSteal && name != trace.TransferLink
	}
	for i := range t.Start {
		item[i], arrival[i], departure[i], eviction[i], link[i] = int32(i), trace.None, trace.None, trace.None, trace.None
		if t.Start[i] == trace.NoTime || t.End[i] == trace.NoTime || t.From[i] < 0 || t.To[i] < 0 || !moves[max(0, t.Kind.Index[i])] {
			continue
		}
		pair := x.pair(int32(i))
		if k, ok := numbers[pair]; ok {
			link[i] = k
		} else {
			link[i] = int32(len(numbers))
			numbers[pair] = link[i]
			x.linkNames = append(x.linkNames, x.linkName(i))
		}
		if m := x.memory[t.To[i]]; m >= 0 && t.Handle[i] >= 0 && t.Kind.At(i) != trace.TransferMPI {
			arrival[i] = x.place(t.Handle[i], m)
		}
		if m := x.memory[t.From[i]]; m >= 0 && t.Handle[i] >= 0 && t.Kind.At(i) != trace.TransferMPI {
			departure[i] = x.place(t.Handle[i], m)
			if t.Kind.At(i) == trace.TransferIdleFetch {
				eviction[i] = x.local[m]
			}
		}
		if d := t.End[i] - t.Start[i]; d > 0 && t.Bytes[i] > 0 && t.Kind.At(i) != trace.TransferMPI {
			x.bandwidth[pair] = max(x.bandwidth[pair], float64(t.Bytes[i])/float64(d))
		}
	}
	x.arrivals = newEnds(arrival, len(x.run.Handle.Node)*int(x.memories), item, t.End)
	x.departures = newEnds(departure, len(x.run.Handle.Node)*int(x.memories), item, t.Start)
	x.evictions = newEnds(eviction, int(x.memories), item, t.End)
	x.links = newEnds(link, len(numbers), item, t.End)
	x.linkOf = link
	x.sender = slices.Clone(t.SendTask)
	for e, via := range x.run.Dep.Via {
		if x.sender == nil {
			x.sender = slices.Repeat([]int32{trace.None}, len(t.Start))
		}
		if via >= 0 && x.sender[via] == trace.None {
			x.sender[via] = x.run.Dep.From[e]
		}
	}
}

// indexNetwork finds how long messages take at least.
func (x *Index) indexNetwork() {
	if x.run.Transfer.Kind.Find(trace.TransferMPI) >= 0 {
		x.network = bound.FindNetwork(x.run)
	}
}

// alone is how long a transfer takes at least, ns: a message by the platform, else
// by those that had the network to themselves, a transfer between memories at
// the best bandwidth of their link; ok is false where that is not known.
func (x *Index) alone(row int32) (ns int64, ok bool) {
	t := &x.run.Transfer
	if t.Kind.At(int(row)) != trace.TransferMPI {
		bw := x.bandwidth[x.pair(row)]
		if bw <= 0 || t.Bytes[row] <= 0 {
			return 0, false
		}
		return int64(float64(t.Bytes[row])/bw + 0.5), true
	}
	if x.network.Source == bound.NetworkUnknown || t.From[row] < 0 || t.To[row] < 0 {
		return 0, false
	}
	return int64(x.network.Time(x.nodeOf(t.From[row]), x.nodeOf(t.To[row]), max(0, t.Bytes[row])) + 0.5), true
}

// pair is the link of a transfer: memories, of messages the nodes.
func (x *Index) pair(row int32) [2]int32 {
	t := &x.run.Transfer
	from, to := t.From[row], t.To[row]
	if m := x.memory[from]; m >= 0 {
		from = m
	}
	if m := x.memory[to]; m >= 0 {
		to = m
	}
	return [2]int32{from, to}
}

// runtimeStates are the states of a worker or its thread in which the runtime
// works, so that the worker cannot run a task (StarPU's names).
var runtimeStates = []string{
	"Callback", "Overhead", "Scheduling", "FetchingInput", "PushingOutput", "Initializing", "Deinitializing",
	"Building task", "Submitting task", "Submiting task", "Throttling task submission", "Parallel sync",
	"Unpartitioning", "Hypervisor", "Decoding task for MPI", "Preparing task for MPI", "Post-processing task for MPI",
}

// waitStates are states of a thread that submits in which it waits for tasks.
var waitStates = []string{"Waiting all tasks", "Waiting task", "Throttling task submission", "Parallel sync"}

// blockedStates are states of a driver, and of a thread of communication, that
// last long only where it waits.
var blockedStates = []string{"Overhead", "FetchingInput", "PushingOutput", "Processing"}

// roomStates are what a manager of memory does to make room.
var roomStates = []string{"Allocating", "AllocatingReuse", "Freeing", "WritingBack", "WritingBackAsync", "Reclaiming"}

func (x *Index) indexStates() {
	run := x.run
	re := &run.Resource
	x.isRuntime = schedule.Choose(run.State.Kind.Dict, runtimeStates)
	x.runtime = schedule.States(run, x.isRuntime)
	x.blocked = schedule.States(run, schedule.Choose(run.State.Kind.Dict, blockedStates))
	sync := make([]bool, len(run.State.Kind.Dict))
	for k, name := range run.State.Kind.Dict {
		sync[k] = strings.Contains(name, "barrier") || strings.HasPrefix(name, "taskwait") || name == "taskgroup" || name == "reduction"
	}
	x.syncs = schedule.States(run, sync)
	x.locks = schedule.States(run, schedule.Choose(run.State.Kind.Dict, []string{"lock"}))
	x.off = schedule.States(run, schedule.Choose(run.State.Kind.Dict, []string{"off-cpu"}))
	if run.State.Kind.Find(trace.StateOffCPU) < 0 {
		x.lost = processor.Find(run)
	}
	x.waits = schedule.States(run, schedule.Choose(run.State.Kind.Dict, waitStates))
	room := schedule.States(run, schedule.Choose(run.State.Kind.Dict, roomStates))
	x.states = slices.ContainsFunc(x.runtime, func(s interval.Spans) bool { return s.Len() > 0 })
	x.indexSilence()
	nodes := int(slices.Max(append(slices.Clone(re.Node), 0))) + 2
	x.submits = slices.Repeat([]int32{trace.None}, nodes)
	x.comms = slices.Clone(x.submits)
	for r := range re.Parent {
		if re.Level.At(r) == trace.LevelComm && x.comms[re.Node[r]+1] == trace.None {
			x.comms[re.Node[r]+1] = int32(r)
		}
		if re.Level.At(r) == trace.LevelUserThread && x.submits[re.Node[r]+1] == trace.None {
			x.submits[re.Node[r]+1] = int32(r)
		}
	}
	x.managing = make([]managed, len(re.Parent))
	for r := range re.Parent {
		if m := x.memory[r]; m >= 0 && re.Level.At(r) == trace.LevelMemoryManager {
			x.managing[m].all = room[r]
		}
	}
	x.indexRoom()
}

// indexSilence finds how long a wait of ready tasks for idle workers is too long to
// be the runtime's: a hundred times the median, and a time slice of the system's
// scheduler at least. A thread that is silent for longer was taken off its
// processor, as far as anybody knows, and a source without states does not say.
func (x *Index) indexSilence() {
	x.silence = math.MaxInt64
	if x.states || !x.timed {
		return
	}
	var waits []float64
	for i, v := range x.lanes.Task {
		if b, ready := x.before[i], x.run.Task.Ready[v]; b != trace.None && ready != trace.NoTime && ready <= x.lanes.End[b] && x.lanes.End[b] < x.lanes.Start[i] {
			waits = append(waits, float64(x.lanes.Start[i]-x.lanes.End[b]))
		}
	}
	if len(waits) > 0 {
		x.silence = max(timeSlice, int64(100*stat.Quantile(waits, 0.5)))
	}
}

// timeSlice is the shortest time slice of a busy processor under Linux, ns: a
// tick of 1000 Hz.
const timeSlice = 1_000_000

// indexRoom lists what managers did by handle, where the trace names them.
func (x *Index) indexRoom() {
	kinds := map[string]bool{memory.Allocating: true, memory.Freeing: true, memory.WritingBack: true, memory.Reclaiming: true}
	a := memory.FindActions(x.run)
	for i, h := range a.Handle {
		m := x.memory[a.Place[i]]
		if m < 0 || h < 0 || !kinds[a.Kind.At(i)] {
			continue
		}
		g := &x.managing[m]
		g.named = true
		if g.handle == nil {
			g.handle = map[int32]interval.Spans{}
		}
		s := g.handle[h]
		s.Add(a.Start[i], a.End[i])
		g.handle[h] = s
	}
	for m := range x.managing {
		for h, s := range x.managing[m].handle {
			x.managing[m].handle[h] = interval.Union(s)
		}
	}
}
