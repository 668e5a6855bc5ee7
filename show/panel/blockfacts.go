package panel

import (
	"fmt"
	"slices"

	"dagscope/explain/memory"
	"dagscope/trace"
)

// blockFact is something that happened to a piece of data.
type blockFact struct {
	what       string // one of the facts below
	name       string
	handle     int32
	place      int32
	source     int32 // memory that a transfer is from, else None
	task       int32 // of uses, else None
	mode       string
	start, end int64
	state      memory.State
	row        int32 // of the table it comes from
}

// Facts about pieces of data.
const (
	factState    = "state"
	factTask     = "task"
	factRequest  = "request"
	factTransfer = "transfer"
	factMessage  = "message"
	factAction   = "action" // of the manager: the name says which
)

// blockFacts are all facts about a piece of data on each node that has it.
type blockFacts struct {
	handles []int32
	facts   []blockFact
}

// blockFactsOf gathers the facts about a piece of data, by default about the
// one that moved most, of those that a task uses if one is given by its key.
func blockFactsOf(run *trace.Run, labels *memory.Labels, text, task string, c memory.Convention) (*blockFacts, error) {
	stays, uses := memory.Stays(run, c), memory.FindUses(run)
	handles, err := chosenBlocks(labels, text)
	if err != nil {
		return nil, err
	}
	if handles == nil {
		busiest := memory.Busiest(run, stays, uses, len(run.Handle.Node))
		if task != "" && len(busiest) > 0 {
			if busiest, err = usedBy(run, uses, busiest, task); err != nil {
				return nil, err
			}
		}
		if len(busiest) == 0 {
			return nil, &Missing{"the trace does not say what happened to any piece of data: no accesses of tasks, no transfers and no " + coherenceEvents}
		}
		if handles = labels.Find(labels.Of(busiest[0])); len(handles) == 0 {
			handles = busiest
		}
	}
	d := &blockFacts{handles: handles}
	for _, h := range handles {
		d.states(stays, h)
		d.tasks(run, uses, h)
	}
	d.transfers(run)
	d.requests(run)
	d.actions(run)
	if len(d.facts) == 0 {
		return nil, &Missing{"nothing happened to block " + labels.Of(handles[0]) + ": no task used it and it did not move"}
	}
	return d, nil
}

// usedBy are those of some handles that a task uses.
func usedBy(run *trace.Run, u *memory.Uses, handles []int32, key string) ([]int32, error) {
	task := run.Task.Key.Find(key)
	if task == trace.None {
		return nil, noTask(key)
	}
	var used []int32
	for _, h := range handles {
		if from, to := u.Of(h); slices.Contains(u.Task[from:to], task) {
			used = append(used, h)
		}
	}
	if len(used) == 0 {
		return nil, &Missing{"the trace names no piece of data that task " + key + " used: choose a block"}
	}
	return used, nil
}

func noTask(key string) error {
	return &Missing{fmt.Sprintf("There is no task %s: give its key, the job id as the runtime printed it.", key)}
}

func (d *blockFacts) states(r *memory.Residency, h int32) {
	from, to := r.Of(h)
	for i := from; i < to; i++ {
		d.facts = append(d.facts, blockFact{what: factState, name: r.State[i].String(), handle: h, place: r.Place[i], source: trace.None,
			task: trace.None, start: r.Start[i], end: r.End[i], state: r.State[i], row: int32(i)})
	}
}

func (d *blockFacts) tasks(run *trace.Run, u *memory.Uses, h int32) {
	t := &run.Task
	from, to := u.Of(h)
	for i := from; i < to; i++ {
		task := u.Task[i]
		d.facts = append(d.facts, blockFact{what: factTask, name: t.Kind.At(int(task)), handle: h, place: u.Place[i], source: trace.None,
			task: task, mode: u.Mode.At(i), start: t.Start[task], end: t.End[task], row: task})
	}
}

func (d *blockFacts) transfers(run *trace.Run) {
	t := &run.Transfer
	for i, h := range t.Handle {
		if h < 0 || !slices.Contains(d.handles, h) {
			continue
		}
		what := factTransfer
		if t.Kind.At(i) == trace.TransferMPI {
			what = factMessage
		}
		d.facts = append(d.facts, blockFact{what: what, name: t.Kind.At(i), handle: h, place: t.To[i], source: t.From[i], task: trace.None,
			start: t.Start[i], end: t.End[i], row: int32(i)})
	}
}

// reasons are StarPU's levels of prefetching, as requests and allocations carry
// them.
var reasons = map[string]string{"0": "fetch", "1": "task-prefetch", "2": "prefetch", "3": "idle-fetch"}

// requests are those for transfers; they were made at the source, for the peer.
func (d *blockFacts) requests(run *trace.Run) {
	e := &run.Event
	kind := int32(slices.Index(e.Kind.Dict, "Request Created"))
	for i, k := range e.Kind.Index {
		if k != kind || kind < 0 || len(e.Handle) == 0 || e.Handle[i] < 0 || !slices.Contains(d.handles, e.Handle[i]) {
			continue
		}
		place, source := e.Resource[i], trace.None
		if len(e.Peer) > 0 && e.Peer[i] >= 0 {
			place, source = e.Peer[i], e.Resource[i]
		}
		name := ""
		if len(e.Info.Index) > 0 {
			name = reasons[e.Info.At(i)]
		}
		d.facts = append(d.facts, blockFact{what: factRequest, name: name, handle: e.Handle[i], place: place, source: source, task: trace.None,
			start: e.Time[i], end: e.Time[i], row: int32(i)})
	}
}

// actions are those of managers but for copies, which are transfers.
func (d *blockFacts) actions(run *trace.Run) {
	a := memory.FindActions(run)
	for i, h := range a.Handle {
		kind := a.Kind.At(i)
		if h < 0 || !slices.Contains(d.handles, h) || kind == memory.Copying || kind == memory.CopyingAsync {
			continue
		}
		mode := ""
		if a.Outcome[i] == memory.Failed {
			mode = "failed"
		}
		d.facts = append(d.facts, blockFact{what: factAction, name: kind, mode: mode, handle: h, place: a.Place[i], source: trace.None, task: trace.None,
			start: a.Start[i], end: a.End[i], row: a.State[i]})
	}
}

// within are the facts that overlap a window.
func (d *blockFacts) within(from, to int64) (inside []blockFact) {
	for _, f := range d.facts {
		if f.start < to && (f.end > from || f.start >= from) {
			inside = append(inside, f)
		}
	}
	return inside
}

// snapshotCell is a copy at an instant, or a task that uses one.
type snapshotCell struct {
	handle, place int32
	state         memory.State
	task          int32 // None for none
	mode          string
}

// snapshotAt finds the copies at an instant and the tasks that use them, those
// of one copy one after the other.
func snapshotAt(run *trace.Run, r *memory.Residency, u *memory.Uses, t int64) (cells []snapshotCell) {
	for h := range int32(len(run.Handle.Node)) {
		first := len(cells)
		from, to := r.Of(h)
		for i := from; i < to; i++ {
			if r.Start[i] <= t && t < r.End[i] {
				cells = append(cells, snapshotCell{handle: h, place: r.Place[i], state: r.State[i], task: trace.None})
			}
		}
		from, to = u.Of(h)
		for i := from; i < to; i++ {
			task := u.Task[i]
			if run.Task.Start[task] > t {
				break
			}
			if t >= run.Task.End[task] || u.Place[i] < 0 {
				continue
			}
			c := snapshotCell{handle: h, place: u.Place[i], task: task, mode: u.Mode.At(i)}
			for k := first; k < len(cells); k++ {
				if cells[k].place == c.place {
					c.state = cells[k].state
				}
			}
			if at := slices.IndexFunc(cells[first:], func(o snapshotCell) bool { return o.place == c.place && o.task < 0 }); at >= 0 {
				cells[first+at] = c
			} else {
				cells = append(cells, c)
			}
		}
	}
	return cells
}
