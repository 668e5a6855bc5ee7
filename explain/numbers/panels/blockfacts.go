package panels

import (
	"fmt"
	"slices"
	"strings"

	"dagscope/explain/memory"
	"dagscope/trace"
)

// BlockFact is something that happened to a piece of data.
type BlockFact struct {
	What       string // one of the facts below
	Name       string
	handle     int32
	Place      int32
	Source     int32 // memory that a transfer is from, else None
	Task       int32 // of uses, else None
	Mode       string
	Start, End int64
	State      memory.State
	row        int32 // of the table it comes from
}

// Facts about pieces of data.
const (
	FactState    = "state"
	FactTask     = "task"
	FactRequest  = "request"
	factTransfer = "transfer"
	factMessage  = "message"
	FactAction   = "action" // of the manager: the name says which
)

// blockFacts are all facts about a piece of data on each node that has it.
type blockFacts struct {
	Handles []int32
	Facts   []BlockFact
}

// BlockFactsOf gathers the facts about a piece of data, by default about the
// one that moved most, of those that a task uses if one is given by its key.
//
// The text can name several, with semicolons between them, or be [UsedBlocks] for
// all that the task uses: then these are the facts about each.
func BlockFactsOf(run *trace.Run, labels *memory.Labels, text, task string, c memory.Convention) ([]*blockFacts, error) {
	stays, uses := memory.Stays(run, c), memory.FindUses(run)
	named := strings.Split(text, ";")
	if strings.TrimSpace(text) == UsedBlocks {
		if task == "" {
			return nil, &Missing{"block " + UsedBlocks + " stands for all that a task uses: give the task"}
		}
		handles, err := usedBy(run, uses, memory.Busiest(run, stays, uses, len(run.Handle.Node)), task)
		if err != nil {
			return nil, err
		}
		slices.Sort(handles)
		named = named[:0]
		for _, h := range handles {
			named = append(named, labels.Of(h))
		}
	}
	if len(named) > mostBlocks {
		return nil, fmt.Errorf("choose blocks: found %d, want at most %d", len(named), mostBlocks)
	}
	var all []*blockFacts
	for i, name := range named {
		if slices.Contains(named[:i], name) {
			continue
		}
		d, err := factsOfOne(run, labels, stays, uses, name, task)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// UsedBlocks stands for all pieces of data that the task uses.
const UsedBlocks = "*"

// mostBlocks is how many pieces of data are looked at together.
const mostBlocks = 24

func factsOfOne(run *trace.Run, labels *memory.Labels, stays *memory.Residency, uses *memory.Uses, text, task string) (*blockFacts, error) {
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
	d := &blockFacts{Handles: handles}
	for _, h := range handles {
		d.states(stays, h)
		d.tasks(run, uses, h)
	}
	d.transfers(run)
	d.requests(run)
	d.actions(run)
	if len(d.Facts) == 0 {
		return nil, &Missing{"nothing happened to block " + labels.Of(handles[0]) + ": no task used it and it did not move"}
	}
	return d, nil
}

// usedBy are those of some handles that a task uses.
func usedBy(run *trace.Run, u *memory.Uses, handles []int32, key string) ([]int32, error) {
	task := run.Task.Key.Find(key)
	if task == trace.None {
		return nil, NoTask(key)
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

func NoTask(key string) error {
	return &Missing{fmt.Sprintf("There is no task %s: give its key, the job id as the runtime printed it.", key)}
}

func (d *blockFacts) states(r *memory.Residency, h int32) {
	from, to := r.Of(h)
	for i := from; i < to; i++ {
		d.Facts = append(d.Facts, BlockFact{What: FactState, Name: r.State[i].String(), handle: h, Place: r.Place[i], Source: trace.None,
			Task: trace.None, Start: r.Start[i], End: r.End[i], State: r.State[i], row: int32(i)})
	}
}

func (d *blockFacts) tasks(run *trace.Run, u *memory.Uses, h int32) {
	t := &run.Task
	from, to := u.Of(h)
	for i := from; i < to; i++ {
		task := u.Task[i]
		d.Facts = append(d.Facts, BlockFact{What: FactTask, Name: t.Kind.At(int(task)), handle: h, Place: u.Place[i], Source: trace.None,
			Task: task, Mode: u.Mode.At(i), Start: t.Start[task], End: t.End[task], row: task})
	}
}

func (d *blockFacts) transfers(run *trace.Run) {
	t := &run.Transfer
	for i, h := range t.Handle {
		if h < 0 || !slices.Contains(d.Handles, h) {
			continue
		}
		what := factTransfer
		if t.Kind.At(i) == trace.TransferMPI {
			what = factMessage
		}
		d.Facts = append(d.Facts, BlockFact{What: what, Name: t.Kind.At(i), handle: h, Place: t.To[i], Source: t.From[i], Task: trace.None,
			Start: t.Start[i], End: t.End[i], row: int32(i)})
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
		if k != kind || kind < 0 || len(e.Handle) == 0 || e.Handle[i] < 0 || !slices.Contains(d.Handles, e.Handle[i]) {
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
		d.Facts = append(d.Facts, BlockFact{What: FactRequest, Name: name, handle: e.Handle[i], Place: place, Source: source, Task: trace.None,
			Start: e.Time[i], End: e.Time[i], row: int32(i)})
	}
}

// actions are those of managers but for copies, which are transfers.
func (d *blockFacts) actions(run *trace.Run) {
	a := memory.FindActions(run)
	for i, h := range a.Handle {
		kind := a.Kind.At(i)
		if h < 0 || !slices.Contains(d.Handles, h) || kind == memory.Copying || kind == memory.CopyingAsync {
			continue
		}
		mode := ""
		if a.Outcome[i] == memory.Failed {
			mode = "failed"
		}
		d.Facts = append(d.Facts, BlockFact{What: FactAction, Name: kind, Mode: mode, handle: h, Place: a.Place[i], Source: trace.None, Task: trace.None,
			Start: a.Start[i], End: a.End[i], row: a.State[i]})
	}
}

// Within are the facts that overlap a window.
func (d *blockFacts) Within(from, to int64) (inside []BlockFact) {
	for _, f := range d.Facts {
		if f.Start < to && (f.End > from || f.Start >= from) {
			inside = append(inside, f)
		}
	}
	return inside
}

// SnapshotCell is a copy at an instant, or a task that uses one.
type SnapshotCell struct {
	Handle, Place int32
	State         memory.State
	Task          int32 // None for none
	Mode          string
}

// SnapshotAt finds the copies at an instant and the tasks that use them, those
// of one copy one after the other.
func SnapshotAt(run *trace.Run, r *memory.Residency, u *memory.Uses, t int64) (cells []SnapshotCell) {
	for h := range int32(len(run.Handle.Node)) {
		first := len(cells)
		from, to := r.Of(h)
		for i := from; i < to; i++ {
			if r.Start[i] <= t && t < r.End[i] {
				cells = append(cells, SnapshotCell{Handle: h, Place: r.Place[i], State: r.State[i], Task: trace.None})
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
			c := SnapshotCell{Handle: h, Place: u.Place[i], Task: task, Mode: u.Mode.At(i)}
			for k := first; k < len(cells); k++ {
				if cells[k].Place == c.Place {
					c.State = cells[k].State
				}
			}
			if at := slices.IndexFunc(cells[first:], func(o SnapshotCell) bool { return o.Place == c.Place && o.Task < 0 }); at >= 0 {
				cells[first+at] = c
			} else {
				cells = append(cells, c)
			}
		}
	}
	return cells
}
