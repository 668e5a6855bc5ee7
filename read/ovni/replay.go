package ovni

import (
	"bytes"
	"cmp"
	"slices"
	"unicode/utf8"

	"dagscope/internal/words"
	"dagscope/read/pieces"
	"dagscope/trace"
)

// tables are what streams say of each other's tasks, and what was read.
type tables struct {
	numberings []*numbering
	tasks      []task
	pieces     []pieces.Piece // Worker is a place
	places     []place
	left       map[code]int64 // events that are not kept
	procs      map[process]int32
	latest     int64
}

func newTables() tables {
	return tables{left: map[code]int64{}, procs: map[process]int32{}}
}

// process is one of a loom; tasks and their types are numbered in each.
type process struct {
	loom *loom
	pid  int32
}

// task is a body of a task that began, each time that it did.
type task struct {
	of    *numbering
	known int32
	body  uint32
	again int32 // how often it had begun before
}

// place is where threads run: a CPU, or no CPU of a loom's.
type place struct {
	loom    *loom
	name    string
	virtual bool
}

func (th *thread) process() process { return process{th.loom, th.pid} }

// survey is the first pass: types, creations and moves of other threads.
func (t *ovni) survey(th *thread) error {
	for m := range th.numbering {
		if m != nodes {
			th.numbering[m] = t.numberingOf(th.process(), int8(m))
		}
	}
	return t.each(th, false, nil, func(e *event) {
		switch m := e.code.meaning(); m.action {
		case newType:
			if id, ok := e.u32(0); ok {
				label, _, _ := bytes.Cut(e.payload[4:], []byte{0})
				if !utf8.Valid(label) {
					t.log(trace.Warning, th.name, 0, "bad-label", "offset %d: found label %.80q, wanted UTF-8: its other bytes are replaced", e.offset, label)
					label = bytes.ToValidUTF8(label, []byte("?"))
				}
				th.numbering[m.model].types[id] = string(label)
			}
		case newTask:
			id, ok1 := e.u32(0)
			kind, ok2 := e.u32(1)
			if ok1 && ok2 {
				n := th.numbering[m.model]
				k := &n.all[n.of(id)]
				if k.at != trace.NoTime {
					t.log(trace.Warning, th.name, 0, "task-created-twice", "offset %d: found the creation of task %d again, wanted each once: the last one counts", e.offset, id)
				}
				k.kind, k.at = kind, e.at
			}
		case movesOne:
			cpu, ok1 := e.u32(0)
			tid, ok2 := e.u32(1)
			if of := th.loom.threads[int32(tid)]; ok1 && ok2 && of != nil {
				of.moves = append(of.moves, move{e.at, int32(cpu)})
			}
		}
	})
}

// Tables to which events go.
const (
	toTask = iota
	toState
	toEvent
	toDefinition
	toLog
	tablesOf
)

var tableNames = [tablesOf]string{"task", "state", "event", "definition", "log"}

// view is what is seen of a thread: where it runs, its task and what the runtime
// does there.
type view struct {
	place int32
	task  int32
	does  [models]int32 // 1 + entry among kinds of states; 0: nothing
}

// replayer replays a stream.
type replayer struct {
	*ovni
	*thread
	running bool
	ended   bool
	cpu     int32
	stack   []frame // bodies that run inside each other, the innermost last
	doing   [models][]int32
	seen    view
	since   struct {
		task int64
		does [models]int64
	}
	counts [tablesOf]int64
	kinds  []int32 // of states, by label
	types  [models]int32
	inBody int32
}

type frame struct {
	task   int32
	paused bool
}

// replay is the second pass over a stream.
func (t *ovni) replay(th *thread, progress func(int64)) error {
	slices.SortStableFunc(th.moves, func(a, b move) int { return cmp.Compare(a.at, b.at) })
	r := &replayer{ovni: t, thread: th, cpu: -1, seen: view{trace.None, trace.None, [models]int32{}}}
	states := &t.b.Run.State
	r.kinds = slices.Repeat([]int32{trace.None}, len(labels))
	for m, name := range modelNames {
		r.types[m] = states.Type.Intern(name)
	}
	r.inBody = states.Kind.Intern(inBody)
	err := t.each(th, true, progress, r.event)
	r.moved(1<<63 - 1)
	if !r.ended {
		t.log(trace.Warning, th.name, 0, "thread-without-end", "found no end of the thread (OHe), wanted one: the program was killed, or the file is cut off")
	}
	if r.running && len(r.stack) > 0 {
		t.log(trace.Warning, th.name, 0, "unfinished-task", "found no end of a task, wanted one: it ends with the stream")
	}
	r.running = false
	r.show(th.last)
	th.counts = r.counts
	return err
}

// moved applies what other threads did to this one until a time.
func (r *replayer) moved(until int64) {
	for len(r.moves) > 0 && r.moves[0].at <= until {
		m := r.moves[0]
		r.moves = r.moves[1:]
		r.last = max(r.last, m.at)
		r.cpu = m.cpu
		r.show(r.last)
	}
}

// event applies one event.
func (r *replayer) event(e *event) {
	m := e.code.meaning()
	if m.action == other {
		if !e.code.listed() {
			r.log(trace.Warning, r.name, 0, "unknown-event", "offset %d: found event %s, wanted one of ovni 1.14 or older: left out", e.offset, e.code)
		}
		r.left[e.code]++
		r.counts[toDefinition]++
		return
	}
	if e.at < r.last {
		r.log(trace.Warning, r.name, 0, "clock-backwards", "offset %d: found %s at clock %d after %d, wanted events in the order of time: left out", e.offset, e.code, e.at, r.last)
		r.counts[toLog]++
		return
	}
	r.moved(e.at)
	r.last = e.at
	r.latest = max(r.latest, e.at)
	table, ok := toTask, true
	switch m.action {
	case begins, moves:
		var cpu uint32
		if cpu, ok = e.u32(0); ok {
			r.cpu = int32(cpu)
			r.running = r.running || m.action == begins
		}
		table = toDefinition
	case resumes:
		r.running, table = true, toDefinition
	case pauses, ends:
		r.running, table = false, toDefinition
		r.ended = m.action == ends
	case movesOne:
		_, ok = e.u32(1)
		table = toDefinition
	case newType:
		_, ok = e.u32(0)
		table = toDefinition
	case newTask:
		ok = r.creates(e, m.model)
		table = toEvent
	case runs, stops, suspends, continues:
		ok = r.body(e, m)
	case enters:
		r.doing[m.model] = append(r.doing[m.model], r.kindOf(m.label)+1)
		table = toState
	case leaves:
		ok = r.leave(m.model, r.kindOf(m.label))
		table = toState
	}
	if !ok {
		r.log(trace.Warning, r.name, 0, "damaged-event", "offset %d: found %s with %d bytes %x and nothing to which it belongs, wanted a whole event that fits those before: left out", e.offset, e.code, len(e.payload), e.payload[:min(len(e.payload), 16)])
		table = toLog
	}
	r.counts[table]++
	r.show(e.at)
}

// creates notes where a task was created.
func (r *replayer) creates(e *event, model int8) bool {
	id, ok1 := e.u32(0)
	_, ok2 := e.u32(1)
	if !ok1 || !ok2 {
		return false
	}
	n := r.numbering[model]
	if k := &n.all[n.of(id)]; k.at == e.at {
		k.where = r.placeOf()
	}
	return true
}

// body applies what happens to the body of a task.
func (r *replayer) body(e *event, m meaning) bool {
	id, ok := e.u32(0)
	body, numbered := e.u32(1)
	if !ok || !numbered && m.model != nanos6 { // whose tasks have no bodies
		return false
	}
	if !numbered {
		body = 0
	}
	in := r.numbering[m.model]
	k := in.of(id)
	if m.action == runs {
		one := task{of: in, known: k, body: body}
		if before := in.latest(k, body); before > 0 {
			one.again = r.tasks[before-1].again + 1
		}
		in.set(k, body, int32(len(r.tasks))+1)
		r.stack = append(r.stack, frame{task: int32(len(r.tasks))})
		r.tasks = append(r.tasks, one)
		r.doing[m.model] = append(r.doing[m.model], r.inBody+1)
		return true
	}
	n := len(r.stack) - 1
	if n < 0 {
		return false
	}
	if top := &r.tasks[r.stack[n].task]; top.of != in || top.known != k || top.body != body {
		return false
	}
	switch top := &r.stack[n]; m.action {
	case suspends:
		top.paused = true
	case continues:
		top.paused = false
	default:
		r.stack = r.stack[:n]
		return r.leave(m.model, r.inBody)
	}
	return true
}

// kindOf is the entry of a label among kinds of states.
func (r *replayer) kindOf(label int16) int32 {
	if r.kinds[label] == trace.None {
		r.kinds[label] = r.b.Run.State.Kind.Intern(labels[label])
	}
	return r.kinds[label]
}

// inBody is what the runtime does while a task runs: nothing.
const inBody = "Task: In body"

// leave ends what the runtime did; it is the latest thing that it began.
func (r *replayer) leave(model int8, kind int32) bool {
	of := r.doing[model]
	n := len(of) - 1
	if n < 0 || of[n]-1 != kind {
		return false
	}
	r.doing[model] = of[:n]
	return true
}

// placeOf is where the thread is.
func (r *replayer) placeOf() int32 {
	if p, known := r.loom.place[r.cpu]; known {
		return p
	}
	if r.cpu != -1 {
		r.log(trace.Warning, r.name, 0, "unknown-cpu", "found CPU %d, wanted one that loom_cpus of a stream.json lists: taken as none", r.cpu)
	}
	return r.loom.virtual
}

// show compares what is seen of the thread with what was before, and writes down
// what has ended.
func (r *replayer) show(at int64) {
	now := view{trace.None, trace.None, [models]int32{}}
	if r.running {
		now.place = r.placeOf()
		if n := len(r.stack); n > 0 && !r.stack[n-1].paused {
			now.task = r.stack[n-1].task
		}
		for m, of := range r.doing {
			if len(of) > 0 {
				now.does[m] = of[len(of)-1]
			}
		}
	}
	was := &r.seen
	if was.place != now.place || was.task != now.task {
		if was.task != trace.None {
			r.pieces = append(r.pieces, pieces.Piece{Task: was.task, Worker: was.place, Start: r.since.task, End: at})
		}
		r.since.task = at
	}
	for m := range models {
		if was.place != now.place || was.does[m] != now.does[m] {
			if k := was.does[m]; k != 0 {
				r.addState(was.place, r.types[m], k-1, r.since.does[m], at)
			}
			r.since.does[m] = at
		}
	}
	r.seen = now
}

func (t *ovni) addState(place, typ, kind int32, start, end int64) {
	s := &t.b.Run.State
	s.Resource = append(s.Resource, place)
	s.Type.AppendIndex(typ)
	s.Kind.AppendIndex(kind)
	s.Start, s.End = append(s.Start, start), append(s.End, end)
	s.Depth = append(s.Depth, 0)
}

// leftOut logs events that no table has.
func (t *ovni) leftOut() {
	var codes []string
	n := int64(0)
	for c, times := range t.left {
		codes = append(codes, c.String())
		n += times
	}
	slices.Sort(codes)
	t.b.Run.Log.AddN(trace.Info, "", 0, "event-not-kept", "found events that no table has: "+words.List(codes, 40), n)
}
