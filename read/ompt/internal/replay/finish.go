package replay

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"slices"

	"dagscope/read/ompt/event"
	"dagscope/trace"
)

// Run makes a run of what was replayed, on the clock of the events. The Tables
// are used up.
func (t *Tables) Run() *trace.Run {
	t.live = live{}
	run := &trace.Run{Log: t.log}
	run.Meta.Reader, run.Meta.Lifetimes, run.Meta.Horizon = "ompt", true, t.horizon
	run.Meta.Derived = map[string]string{
		"task.ready": "when the replay of the events first found all dependences fulfilled",
		"dep":        "addresses and kinds of dependences that tasks of one parent name",
		"phase":      "replay of the events",
	}
	for _, fill := range []func(){
		func() { t.resources(&run.Resource) },
		func() { t.segments(&run.Segment) },
		func() { t.phases(&run.Phase) },
		func() { t.openmp(run) },
		func() { t.states(run) },
		func() { t.tasks(&run.Task) },
		func() { t.deps(&run.Dep) },
		func() { t.accesses(&run.Access, &run.Handle) },
		func() { t.events(&run.Event) },
	} {
		fill()
		if t.total > manyTasks {
			debug.FreeOSMemory()
		}
	}
	return run
}

// manyTasks is the number of tasks from which on the memory of what was replayed
// is given back as soon as it is in columns: these are too large to be made in
// what lies free among the blocks.
const manyTasks = 4 << 20

// Counts are the numbers of events by type.
func (t *Tables) Counts() map[event.Type]int64 { return t.seen }

// row is the row of resource of a thread: before it come the cluster and the
// nodes up to its own.
func (t *Tables) row(thread int32) int32 {
	if thread == none {
		return trace.None
	}
	return thread + t.threads[thread].Process + 2
}

func (t *Tables) resources(r *trace.Resources) {
	add := func(parent int32, level, name, arch string, node, index int32, start, end int64) int32 {
		r.Parent = append(r.Parent, parent)
		r.Level.Append(level)
		r.Name.Append(name)
		r.Arch.Append(arch)
		r.Node, r.Index = append(r.Node, node), append(r.Index, index)
		r.Start, r.End = append(r.Start, start), append(r.End, end)
		return int32(len(r.Parent) - 1)
	}
	root := add(trace.None, trace.LevelCluster, "OpenMP", "", trace.None, trace.None, trace.NoTime, trace.NoTime)
	next := 0
	for p, process := range t.process {
		node := add(root, trace.LevelNode, process.Name, "", int32(p), process.Rank, trace.NoTime, trace.NoTime)
		for ; next < len(t.threads) && t.threads[next].Process == int32(p); next++ {
			th := &t.threads[next]
			level, arch := th.level()
			add(node, level, t.threadName(th), arch, int32(p), th.Number, th.Start, th.End)
		}
	}
}

// level is what a thread is as a resource.
func (t *Thread) level() (level, arch string) {
	switch {
	case t.Worker():
		return trace.LevelWorker, "cpu"
	case t.Hidden:
		return trace.LevelThread, ""
	}
	return trace.LevelUserThread, ""
}

func (t *Tables) threadName(th *Thread) string {
	if len(t.process) == 1 {
		return fmt.Sprintf("T%d", th.Number)
	}
	return fmt.Sprintf("%d_T%d", th.Process, th.Number)
}

func (t *Tables) tasks(c *trace.Tasks) {
	n := t.task.key.len()
	t.keys(&c.Key, n)
	c.Start, c.End = t.task.start.slice(), t.task.end.slice()
	c.Submit, c.Ready = t.task.submit.slice(), t.task.ready.slice()
	c.Internal, c.Parent = t.task.internal.slice(), t.task.parent.slice()
	c.Worker = t.task.thread.slice()
	for i, thread := range c.Worker {
		c.Worker[i] = t.row(thread)
	}
	c.Priority, c.Generation = make([]int32, n), make([]bool, n) // never written: takes no memory
	c.Order, c.Iteration = make([]int32, n), make([]int32, n)
	t.order(c)
	t.kinds(c)
}

// keys names tasks by thread and number, and by process where there are several.
func (t *Tables) keys(k *trace.Keys, n int) {
	k.Code = make([]int64, 0, n)
	prefix := map[int64]int64{}
	at, base, ok := int64(-1), int64(0), false
	row := int32(0)
	for _, b := range t.task.key.blocks {
		for _, id := range b[:min(len(b), n-int(row))] {
			if id == 0 || id.Counter() >= 1<<40-1 {
				k.Code = append(k.Code, trace.NoKey)
				row++
				continue
			}
			if p := int64(t.processOf(row))<<24 | int64(uint64(id)>>40); p != at {
				at = p
				if base, ok = prefix[p]; !ok {
					base = k.Encode([]byte(t.keyPrefix(row, id) + "0"))
					prefix[p] = base
				}
			}
			k.Code = append(k.Code, base+int64(id.Counter()))
			row++
		}
	}
	t.task.key = column[event.ID]{}
}

func (t *Tables) keyPrefix(row int32, id event.ID) string {
	process := t.processOf(row)
	if len(t.process) == 1 {
		return fmt.Sprintf("%d.", id.Thread())
	}
	return fmt.Sprintf("%d_%d.", process, id.Thread())
}

// processOf is the process of a task's row.
func (t *Tables) processOf(row int32) int32 {
	i, _ := slices.BinarySearch(t.from, row+1)
	return int32(i) - 1
}

// order numbers the counted tasks of each process; with several the node is
// told of all.
func (t *Tables) order(c *trace.Tasks) {
	if len(t.process) > 1 {
		c.Node = make([]int32, len(c.Start))
	}
	for p, from := range t.from {
		to := int32(len(c.Start))
		if p+1 < len(t.from) {
			to = t.from[p+1]
		}
		next := int32(0)
		for i := from; i < to; i++ {
			c.Iteration[i], c.Order[i] = -1, trace.None
			if !c.Internal[i] {
				c.Order[i] = next
				next++
			}
			if c.Node != nil {
				c.Node[i] = int32(p)
			}
		}
	}
}

// kinds turns sites into kinds of tasks and, where they are known, lines.
func (t *Tables) kinds(c *trace.Tasks) {
	site := t.task.site.slice()
	names := t.placed()
	used := make([]bool, len(names))
	for _, s := range site {
		used[s] = true
	}
	kind := make([]int32, len(names))
	places := false
	for i, name := range names {
		if used[i] {
			kind[i] = c.Kind.Intern(name.kind)
			places = places || name.File != ""
		}
	}
	if places {
		t.places(c, site, names)
	}
	for i, s := range site {
		site[i] = kind[s]
	}
	c.Kind.Index = site
}

func (t *Tables) places(c *trace.Tasks, site []int32, names []placed) {
	file := make([]int32, len(names))
	for i, name := range names {
		file[i] = trace.None
		if name.File != "" {
			file[i] = c.File.Intern(name.File)
		}
	}
	c.File.Index, c.Line = make([]int32, len(site)), make([]int32, len(site))
	for i, s := range site {
		c.File.Index[i], c.Line[i] = file[s], int32(names[s].Line)
	}
}

func (t *Tables) segments(s *trace.Segments) {
	perm := byTask(&t.piece.task, t.rows())
	if perm == nil {
		return
	}
	s.Task, s.Worker = scatter(&t.piece.task, perm), scatter(&t.piece.what, perm)
	for i, thread := range s.Worker {
		s.Worker[i] = t.row(thread)
	}
	s.Start, s.End = scatter(&t.piece.start, perm), scatter(&t.piece.end, perm)
}

func (t *Tables) phases(p *trace.Phases) {
	perm := byTask(&t.phase.task, t.rows())
	if perm == nil {
		return
	}
	p.Task, p.Kind.Index = scatter(&t.phase.task, perm), scatter(&t.phase.what, perm)
	p.Kind.Dict = prune(p.Kind.Index, phaseNames)
	p.Start, p.End = scatter(&t.phase.start, perm), scatter(&t.phase.end, perm)
}

// rows is the number of tasks, also when their own columns are gone.
func (t *Tables) rows() int { return t.total }

// byTask says where each row goes when rows are sorted by task and else stay
// in order; nil without rows.
func byTask(task *column[int32], tasks int) []int32 {
	n := task.len()
	if n == 0 {
		return nil
	}
	next := make([]int32, tasks+1)
	each(task, func(_ int, v int32) { next[v+1]++ })
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
	}
	to := make([]int32, n)
	each(task, func(i int, v int32) {
		to[i] = next[v]
		next[v]++
	})
	return to
}

func each[T any](c *column[T], f func(row int, v T)) {
	row, n := 0, c.len()
	for _, b := range c.blocks {
		for _, v := range b[:min(len(b), n-row)] {
			f(row, v)
			row++
		}
	}
}

// scatter is the column with its rows where they go; the column is used up.
func scatter[T any](c *column[T], to []int32) []T {
	sorted := make([]T, len(to))
	row := 0
	for i, b := range c.blocks {
		for _, v := range b[:min(len(b), len(to)-row)] {
			sorted[to[row]] = v
			row++
		}
		c.blocks[i] = nil
	}
	*c = column[T]{}
	return sorted
}

func (t *Tables) deps(d *trace.Deps) {
	d.From, d.To = t.edge.from.slice(), t.edge.to.slice()
	if len(d.To) == 0 {
		return
	}
	if !t.sorted {
		sortEdges(d)
	}
	d.Kind.Dict = []string{trace.DepTask}
	d.Kind.Index = make([]int32, len(d.To))
}

// accesses are those of mutexinoutset, which are exclusive: what else tasks depend
// on is in the edges.
func (t *Tables) accesses(a *trace.Accesses, h *trace.Handles) {
	perm := byTask(&t.access.task, t.rows())
	if perm == nil {
		return
	}
	a.Task, a.Handle = scatter(&t.access.task, perm), scatter(&t.access.handle, perm)
	a.Mode.Dict, a.Mode.Index, a.Bytes = []string{"RWC"}, make([]int32, len(perm)), make([]int64, len(perm))
	each(&t.handle.address, func(_ int, address uint64) { h.Key.Append(fmt.Sprintf("0x%x", address)) })
	h.Node = t.handle.process.slice()
	n := len(h.Node)
	h.Bytes, h.Tag = make([]int64, n), slices.Repeat([]int64{-1}, n)
	h.X, h.Y = slices.Repeat([]int32{trace.NoInt}, n), slices.Repeat([]int32{trace.NoInt}, n)
	h.Home, h.Owner = slices.Repeat([]int32{-1}, n), slices.Repeat([]int32{trace.None}, n)
	for _, absent := range []*trace.Strings{&h.Name, &h.Coordinates, &h.Description} {
		absent.Index = slices.Repeat([]int32{trace.None}, n)
	}
}

func sortEdges(d *trace.Deps) {
	key := make([]uint64, len(d.To))
	for i, to := range d.To {
		key[i] = uint64(to)<<32 | uint64(d.From[i])
	}
	slices.Sort(key)
	for i, k := range key {
		d.To[i], d.From[i] = int32(k>>32), int32(k)
	}
}

// states puts those of the threads after one another: they stand by start.
func (t *Tables) states(run *trace.Run) {
	s, n := &run.State, 0
	for i := range t.state {
		n += t.state[i].start.len()
	}
	if n == 0 {
		return
	}
	s.Type.Dict = []string{trace.StatesOpenMP}
	s.Type.Index, s.Resource, s.Kind.Index = make([]int32, n), make([]int32, 0, n), make([]int32, 0, n)
	s.Start, s.End = make([]int64, 0, n), make([]int64, 0, n)
	s.Depth, s.Task = make([]int32, 0, n), make([]int32, 0, n)
	for i := range t.state {
		w, row := &t.state[i], t.row(int32(i))
		each(&w.kind, func(_ int, kind uint8) {
			s.Kind.Index, s.Resource = append(s.Kind.Index, int32(kind)), append(s.Resource, row)
		})
		s.Start, s.End = w.start.take(s.Start), w.end.take(s.End)
		s.Depth, s.Task = w.depth.take(s.Depth), w.task.take(s.Task)
		t.state[i] = waits{}
	}
	for i := 1; i < n; i++ {
		bubble(s, i)
	}
	if len(run.Mutex.Request) > 0 {
		addHolding(run)
	}
	s.Kind.Dict = prune(s.Kind.Index, stateNames)
}

// prune renumbers names so that those that no row has are left out.
func prune(index []int32, names []string) (dict []string) {
	number := make([]int32, len(names))
	for _, i := range index {
		number[i] = 1
	}
	for i, used := range number {
		if used > 0 {
			number[i] = int32(len(dict))
			dict = append(dict, names[i])
		}
	}
	for k, i := range index {
		index[k] = number[i]
	}
	return dict
}

// bubble brings states that start together into the order of their depths: one
// that took no time may come after a deeper one.
func bubble(s *trace.States, i int) {
	for ; i > 0 && s.Resource[i] == s.Resource[i-1] && s.Start[i] == s.Start[i-1] && s.Depth[i] < s.Depth[i-1]; i-- {
		s.Kind.Index[i], s.Kind.Index[i-1] = s.Kind.Index[i-1], s.Kind.Index[i]
		s.End[i], s.End[i-1] = s.End[i-1], s.End[i]
		s.Depth[i], s.Depth[i-1] = s.Depth[i-1], s.Depth[i]
		s.Task[i], s.Task[i-1] = s.Task[i-1], s.Task[i]
	}
}

// events sorts instants: those of one instant by thread.
func (t *Tables) events(e *trace.Events) {
	from := &t.event
	n := len(from.time)
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(from.time[a], from.time[b]), cmp.Compare(from.thread[a], from.thread[b]))
	})
	for _, i := range order {
		e.Kind.Append(eventNames[from.kind[i]])
		e.Resource = append(e.Resource, t.row(from.thread[i]))
		e.Time = append(e.Time, from.time[i])
		if v := from.value.At(int(i)); v != "" {
			e.Value.Append(v)
		} else {
			e.Value.AppendIndex(trace.None)
		}
		e.Task = append(e.Task, from.task[i])
	}
	t.event = events{}
}
