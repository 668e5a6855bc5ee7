package starpu

import (
	"slices"

	"dagscope/predict/platform"
	"dagscope/predict/workload"
)

// handle is a piece of data.
type handle struct {
	bytes       int64
	guard       mutex // of the sequential task flow
	home        int32 // memory of the program's own copy, none without one
	initialized bool  // some task submitted so far writes it, or the program has
	header      spinlock
	letting     bool
	mode        workload.Mode // of the uses under way: Read or Write
	// Sequential task flow, as submitted.
	lastSync  int32 // what all later uses wait for
	accessors int32 // first slot
	lastMode  workload.Mode
	// Uses under way.
	uses         int32
	claims       *[]claim // that wait for their end, nil until there is one
	requests     *request // of all copies, in the order in which they came
	lastRequest  *request
	invalidation *request // that the end of the others waits for
	holds        *holds   // by the program, nil without any
}

// holds are uses of a handle by the program that are not over.
type holds struct {
	count int     // of these
	after []int32 // jobs that end them and those before since there were none
}

// validity of a copy.
type validity uint8

const (
	invalid validity = iota
	shared
	owner
)

// replica is the copy of a handle in a memory.
type replica struct {
	state     validity
	allocated bool
	automatic bool  // by the runtime, which may take it back
	filled    bool  // some content has been there
	refs      int32 // who needs it there
	awaited   int32 // tasks that it has been prefetched for
	loading   *request
	chunk     *chunk
}

// leave ends a reference.
func (r *replica) leave() {
	r.refs--
	if r.refs == 0 {
		r.chunk.may(unreferred)
	}
}

// claim is a use that waits until those under way are over.
type claim struct {
	job    int32 // of claimWriteBack the memory
	index  int32 // of the access among the task's sorted ones
	handle int32
	kind   claimKind
	mode   workload.Mode
	taking *taking

	priority int32
}

type claimKind uint8

const (
	claimTask claimKind = iota
	claimAcquire
	claimWriteBack
	claimTaking
)

func (e *engine) setData() {
	g := e.g
	e.handles = make([]handle, len(g.Bytes))
	e.paths = make([][]hop, len(e.memories)*len(e.memories))
	e.copies = make([]replica, len(g.Bytes)*len(e.memories))
	for i := range e.handles {
		h := &e.handles[i]
		*h = handle{bytes: g.Bytes[i], home: 0, initialized: true, lastSync: none, accessors: lastSlot}
		if g.Home != nil {
			h.home = g.Home[i]
		}
		if h.home == none {
			h.initialized = false
			continue
		}
		c := e.copyOf(int32(i), h.home)
		c.state, c.allocated, c.filled = owner, true, true
	}
}

func (e *engine) copyOf(handle, memory int32) *replica {
	return &e.copies[int(handle)*len(e.memories)+int(memory)]
}

// access1 is how a handle is taken: shared or not.
func exclusive(m workload.Mode) workload.Mode {
	if m&workload.Write != 0 {
		return workload.Write
	}
	return workload.Read
}

// takeHeader takes the header of a handle. Where another has it, requests go
// on meanwhile.
func (e *engine) takeHeader(a *actor, h int32, allocate bool) {
	d := &e.handles[h]
	for i := 0; i < 10 && d.header.taken; i++ {
		e.progress(a, allocate)
	}
	a.spin(&d.header)
}

// attempt takes a handle for a use, or keeps the claim until it can.
func (e *engine) attempt(h int32, mode workload.Mode, c claim) bool {
	d := &e.handles[h]
	if d.uses == 0 || mode == workload.Read && d.mode == workload.Read {
		d.uses++
		d.mode = mode
		return true
	}
	c.mode = mode
	if d.claims == nil {
		d.claims = new([]claim)
	}
	c.priority = 0
	if c.kind == claimTask {
		c.priority = e.priority(c.job)
	}
	i := len(*d.claims)
	for i > 0 && (*d.claims)[i-1].priority < c.priority {
		i--
	}
	*d.claims = slices.Insert(*d.claims, i, c)
	return false
}

// takeData takes the data of a ready job from its i-th access on, and pushes
// it when it has all.
func (e *engine) takeData(a *actor, id, i int32) {
	if e.own(id) == nil {
		accesses := e.accesses(id)
		for ; int(i) < len(accesses); i++ {
			x := accesses[i]
			if e.g.Mode[x]&workload.Scratch != 0 || e.again(accesses, int(i)) {
				continue
			}
			h := e.g.Handle[x]
			e.takeHeader(a, h, false)
			e.handles[h].header.taken = false
			if !e.attempt(h, exclusive(e.g.Mode[x]), claim{job: id, index: i, handle: h, kind: claimTask}) {
				return
			}
		}
	}
	e.push(a, id)
}

// letGo ends a use of a handle, whose header is held, and lets those go on
// that have claimed it.
func (e *engine) letGo(a *actor, h int32) {
	d := &e.handles[h]
	d.uses--
	if d.letting {
		d.header.taken = false
		return
	}
	d.letting = true
	for d.claims != nil && len(*d.claims) > 0 {
		waiting := *d.claims
		c := waiting[0]
		if d.uses > 0 && (d.mode == workload.Write || c.mode == workload.Write) {
			break
		}
		*d.claims = waiting[:copy(waiting, waiting[1:])]
		d.uses++
		d.mode = c.mode
		d.header.taken = false
		e.grant(a, c)
		a.spin(&d.header)
	}
	d.letting = false
	d.header.taken = false
}

// grant goes on with what has claimed a handle.
func (e *engine) grant(a *actor, c claim) {
	switch c.kind {
	case claimTask:
		e.takeData(a, c.job, c.index+1)
	case claimAcquire:
		e.unusedFor(a, c.handle, c.job)
	case claimTaking:
		e.fetchTaken(a, c.taking)
	case claimWriteBack:
		e.askIdle(a, c.handle, c.job)
		a.spin(&e.handles[c.handle].header)
		e.letGo(a, c.handle)
	}
}

// writeBackIdle asks for a copy of a handle at its home, or on each disk if it
// has none, when nothing else is to be done.
func (e *engine) writeBackIdle(a *actor, h int32) {
	if home := e.handles[h].home; home != none {
		e.copyIdle(a, h, home)
		return
	}
	for i := range e.memories {
		if e.memories[i].kind == platform.Disk {
			e.copyIdle(a, h, int32(i))
		}
	}
}

// copyIdle takes a handle for reading until a copy has been asked for.
func (e *engine) copyIdle(a *actor, h, to int32) {
	if e.attempt(h, workload.Read, claim{job: to, handle: h, kind: claimWriteBack}) {
		e.askIdle(a, h, to)
		a.spin(&e.handles[h].header)
		e.letGo(a, h)
	}
}

func (e *engine) askIdle(a *actor, h, to int32) {
	e.ask(a, asking{handle: h, to: to, mode: workload.Read, level: idle, task: none, detached: true})
}

// changeState is what a use of a copy in a mode does to all copies.
func (e *engine) changeState(h, at int32, mode workload.Mode) {
	defer e.log.coherent(e, h)
	r := e.copyOf(h, at)
	if mode&workload.Write == 0 {
		if mode&workload.Read != 0 && r.state != owner {
			e.shareAll(h, r)
		}
		return
	}
	for n := range e.memories {
		e.copyOf(h, int32(n)).become(invalid)
	}
	r.state = owner
	if home := e.handles[h].home; home != none && e.copyOf(h, home).state == invalid {
		e.soil(r, at)
	}
}

func (e *engine) shareAll(h int32, r *replica) {
	for n := range e.memories {
		if c := e.copyOf(h, int32(n)); c.state != invalid {
			c.become(shared)
		}
	}
	r.become(shared)
}

// become changes the validity of a copy to what is not the only one.
func (r *replica) become(v validity) {
	if r.state == owner {
		r.chunk.may(duplicate)
	}
	r.state = v
}

// source is where data is best copied from, none without a valid copy.
func (e *engine) source(h, to int32) int32 {
	best, least, some := int32(none), 0.0, false
	for n := range e.memories {
		from := int32(n)
		if e.copyOf(h, from).state == invalid {
			continue
		}
		some = true
		if _, direct := e.handler(from, to); !direct {
			continue
		}
		cost := e.predict(from, to, e.handles[h].bytes)
		if cost == 0 {
			return e.anySource(h)
		}
		if best == none || cost < least {
			best, least = from, cost
		}
	}
	if best == none && some {
		return e.anySource(h)
	}
	return best
}

// anySource prefers RAM to devices, and devices to disks; of several devices
// the last.
func (e *engine) anySource(h int32) int32 {
	order := map[string]int{platform.RAM: 3, platform.GPU: 2, platform.Disk: 1}
	best := int32(none)
	for n := range e.memories {
		if e.copyOf(h, int32(n)).state == invalid {
			continue
		}
		if best == none || order[e.m.Memories[n].Kind] >= order[e.m.Memories[best].Kind] {
			best = int32(n)
		}
	}
	return best
}

// handler is the memory whose workers carry out a direct copy.
func (e *engine) handler(from, to int32) (int32, bool) {
	if e.reaches(from, to) {
		return to, true
	}
	if e.reaches(to, from) {
		return from, true
	}
	return none, false
}

// reaches says that the workers of a memory can access another.
func (e *engine) reaches(other, by int32) bool {
	if other == by {
		return true
	}
	if e.memories[by].workers == 0 {
		return false
	}
	if e.m.Memories[other].Kind == platform.GPU {
		return e.m.Memories[by].Kind == platform.GPU && e.m.Memories[by].Peer
	}
	return e.m.Memories[other].Kind == platform.RAM || e.m.Memories[by].Kind == platform.RAM
}

// predict is what StarPU believes a copy takes, in µs: as if all devices were
// copying at the same time.
func (e *engine) predict(from, to int32, bytes int64) float64 {
	if from == to {
		return 0
	}
	p := e.m.Pair(from, to)
	bandwidth, latency := e.m.Bandwidth[p], e.m.Latency[p]
	if bandwidth <= 0 {
		return 0
	}
	devices := float64(e.log.devices)
	if e.m.Memories[from].Kind == platform.GPU && e.m.Memories[to].Kind == platform.GPU && len(e.m.Routes[p]) == 1 {
		devices = 1
	}
	return latency*1e6 + float64(bytes)/(bandwidth*1e-6)*2*devices
}

// hop is a copy between two memories, and whose workers carry it out.
type hop struct{ from, to, handler int32 }

// path of data: directly, or through the first memory.
func (e *engine) path(from, to int32) []hop {
	known := &e.paths[e.m.Pair(from, to)]
	if *known == nil {
		*known = e.findPath(from, to)
	}
	return *known
}

func (e *engine) findPath(from, to int32) []hop {
	if h, direct := e.handler(from, to); direct {
		return []hop{{from, to, h}}
	}
	first, second := from, to
	if e.m.Memories[from].Kind == platform.Disk {
		first = 0
	}
	if e.m.Memories[to].Kind == platform.Disk {
		second = 0
	}
	return []hop{{from, 0, first}, {0, to, second}}
}
