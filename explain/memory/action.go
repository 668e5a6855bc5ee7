package memory

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"dagscope/trace"
)

// Outcome says how an action ended.
type Outcome uint8

// Outcomes of allocations. Of other actions the outcome is not traced.
const (
	Unknown Outcome = iota
	Done
	Failed // there was no room
)

// Kinds of what managers do, named as StarPU's states are.
const (
	Allocating      = "Allocating"
	AllocatingReuse = "AllocatingReuse" // looks for a free piece of the right size
	Freeing         = "Freeing"
	WritingBack     = "WritingBack" // makes room: a copy is written back if it must be, then dropped
	Reclaiming      = "Reclaiming"
	Copying         = "DriverCopy"
	CopyingAsync    = "DriverCopyAsync" // starts a copy
)

// eventNames are the events that an action begins and ends with, less " Start"
// and " End".
var eventNames = map[string]string{
	"Allocating": Allocating, "Allocating Async": AllocatingReuse, "Free": Freeing, "WritingBack": WritingBack,
	"DriverCopy": Copying, "DriverCopyAsync": CopyingAsync,
}

// Actions are what memory managers did: from their events where these were
// traced, which know the handle, else from their states. Sorted by place and
// start, then as traced.
type Actions struct {
	Place      []int32
	Kind       trace.Strings
	Start, End []int64 // ns
	Handle     []int32 // None if unknown
	Peer       []int32 // source of a copy, else None
	Bytes      []int64 // 0 if unknown
	Outcome    []Outcome
	State      []int32 // row of the state table, None if there is none like it
}

// FindActions gathers what the managers did.
func FindActions(run *trace.Run) *Actions {
	a := &Actions{}
	f := &actionFinder{run: run, to: a, open: map[openAction][]int32{}}
	f.events()
	f.states()
	order := make([]int32, len(a.Place))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(i, j int32) int {
		return cmp.Or(cmp.Compare(a.Place[i], a.Place[j]), cmp.Compare(a.Start[i], a.Start[j]))
	})
	a.Place, a.Start, a.End = reorder(a.Place, order), reorder(a.Start, order), reorder(a.End, order)
	a.Handle, a.Peer, a.Bytes = reorder(a.Handle, order), reorder(a.Peer, order), reorder(a.Bytes, order)
	a.Outcome, a.Kind.Index = reorder(a.Outcome, order), reorder(a.Kind.Index, order)
	a.State = reorder(a.State, order)
	f.matchStates()
	return a
}

func reorder[T any](from []T, order []int32) []T {
	to := make([]T, len(order))
	for i, row := range order {
		to[i] = from[row]
	}
	return to
}

// Len is the number of actions.
func (a *Actions) Len() int { return len(a.Place) }

func (a *Actions) add(place, kind int32, start, end int64) int32 {
	a.Place, a.Start, a.End = append(a.Place, place), append(a.Start, start), append(a.End, end)
	a.Kind.AppendIndex(kind)
	a.Handle, a.Peer = append(a.Handle, trace.None), append(a.Peer, trace.None)
	a.Bytes, a.Outcome = append(a.Bytes, 0), append(a.Outcome, Unknown)
	a.State = append(a.State, trace.None)
	return int32(len(a.Place) - 1)
}

type actionFinder struct {
	run  *trace.Run
	to   *Actions
	open map[openAction][]int32 // actions that have not ended, the oldest first
}

// openAction is what the beginning and the end of an action have in common.
// Copies have a number, other actions a handle.
type openAction struct {
	place, kind, handle, peer int32
	copied                    int32 // dictionary entry of event.info, of copies
}

// events pairs beginnings and ends.
func (f *actionFinder) events() {
	e := &f.run.Event
	type part struct {
		kind int32
		end  bool
	}
	parts := make([]part, len(e.Kind.Dict))
	for k, name := range e.Kind.Dict {
		parts[k].kind = trace.None
		base, start := strings.CutSuffix(name, " Start")
		if !start {
			base, parts[k].end = strings.CutSuffix(name, " End")
		}
		if kind, ok := eventNames[base]; ok && base != name {
			parts[k].kind = f.to.Kind.Intern(kind)
		}
	}
	failed := failures(&e.Info)
	for i, k := range e.Kind.Index {
		if k < 0 || parts[k].kind < 0 || i >= len(e.Handle) {
			continue
		}
		f.event(int32(i), parts[k].kind, parts[k].end, failed)
	}
	for _, rows := range f.open { // cut off by the end of the recording
		for _, row := range rows {
			f.to.End[row] = max(f.to.Start[row], f.run.Meta.Horizon)
		}
	}
}

// failures marks the results of allocations that are errors: negative numbers,
// which StarPU prints without their sign.
func failures(info *trace.Strings) []bool {
	failed := make([]bool, len(info.Dict))
	for i, text := range info.Dict {
		n, err := strconv.ParseInt(text, 10, 64)
		failed[i] = err == nil && (n < 0 || n >= 1<<32-4096 && n < 1<<32)
	}
	return failed
}

func (f *actionFinder) event(i, kind int32, end bool, failed []bool) {
	e := &f.run.Event
	key := openAction{place: e.Resource[i], kind: kind, handle: e.Handle[i], peer: trace.None, copied: trace.None}
	if i < int32(len(e.Peer)) {
		key.peer = e.Peer[i]
	}
	name := f.to.Kind.Dict[kind]
	if name == Copying && len(e.Info.Index) > 0 {
		key.copied = e.Info.Index[i]
	}
	if !end {
		row := f.to.add(e.Resource[i], kind, e.Time[i], e.Time[i])
		f.to.Handle[row] = e.Handle[i]
		if name == Copying || name == CopyingAsync {
			f.to.Peer[row] = key.peer
		}
		if len(e.Bytes) > 0 && e.Bytes[i] != trace.NoSize {
			f.to.Bytes[row] = e.Bytes[i]
		}
		f.open[key] = append(f.open[key], row)
		return
	}
	rows := f.open[key]
	if len(rows) == 0 {
		return
	}
	row := rows[0]
	if f.open[key] = rows[1:]; len(rows) == 1 {
		delete(f.open, key)
	}
	f.to.End[row] = e.Time[i]
	if name == Allocating && len(e.Info.Index) > 0 && e.Info.Index[i] >= 0 {
		f.to.Outcome[row] = Done
		if failed[e.Info.Index[i]] {
			f.to.Outcome[row] = Failed
		}
	}
}

// states adds what has no events.
func (f *actionFinder) states() {
	s, re := &f.run.State, &f.run.Resource
	traced := map[string]bool{}
	for _, k := range f.to.Kind.Index {
		traced[f.to.Kind.Dict[k]] = true
	}
	kind := make([]int32, len(s.Kind.Dict))
	for k, name := range s.Kind.Dict {
		if kind[k] = trace.None; !traced[name] {
			kind[k] = f.to.Kind.Intern(name)
		}
	}
	for i, r := range s.Resource {
		if k := s.Kind.Index[i]; r >= 0 && k >= 0 && kind[k] >= 0 && re.Level.At(int(r)) == trace.LevelMemoryManager {
			f.to.State[f.to.add(r, kind[k], s.Start[i], s.End[i])] = int32(i)
		}
	}
}

// matchStates finds the states that events stand for: the first with the first
// of each place and kind, where there are as many.
func (f *actionFinder) matchStates() {
	type group struct{ place, kind int32 }
	s, re := &f.run.State, &f.run.Resource
	states, actions := map[group][]int32{}, map[group][]int32{}
	kind := make([]int32, len(s.Kind.Dict))
	for k, name := range s.Kind.Dict {
		kind[k] = int32(slices.Index(f.to.Kind.Dict, name))
	}
	for i, r := range s.Resource {
		if k := s.Kind.Index[i]; r >= 0 && k >= 0 && kind[k] >= 0 && re.Level.At(int(r)) == trace.LevelMemoryManager {
			g := group{r, kind[k]}
			states[g] = append(states[g], int32(i))
		}
	}
	for i, p := range f.to.Place {
		g := group{p, f.to.Kind.Index[i]}
		actions[g] = append(actions[g], int32(i))
	}
	for g, rows := range actions {
		if of := states[g]; len(of) == len(rows) {
			for n, row := range rows {
				f.to.State[row] = of[n]
			}
		}
	}
}

// EndsAsStarVZ returns the end of each action as StarVZ computes it: the next
// event of the same manager and handle, whatever it is; of events at one
// instant those of allocations come first, then searches, then the rest. As the
// search for a free piece is traced at the instant at which the allocation
// begins, no allocation lasts any time there: the true ends are in End. It knows
// allocations, searches and releases only.
func (a *Actions) EndsAsStarVZ() []int64 {
	type instant struct {
		time int64
		rank int32
	}
	rank := map[string]int32{Allocating: 0, AllocatingReuse: 2, Freeing: 4}
	of := map[cell][]instant{}
	for i := range a.Place {
		if r, ok := rank[a.Kind.At(i)]; ok {
			c := cell{a.Handle[i], a.Place[i]}
			of[c] = append(of[c], instant{a.Start[i], r}, instant{a.End[i], r + 1})
		}
	}
	order := func(x, y instant) int { return cmp.Or(cmp.Compare(x.time, y.time), cmp.Compare(x.rank, y.rank)) }
	for _, all := range of {
		slices.SortFunc(all, order)
	}
	ends := slices.Clone(a.End)
	for i := range a.Place {
		r, ok := rank[a.Kind.At(i)]
		all := of[cell{a.Handle[i], a.Place[i]}]
		if !ok {
			continue
		}
		n, _ := slices.BinarySearchFunc(all, instant{a.Start[i], r}, order)
		if n+1 < len(all) {
			ends[i] = all[n+1].time
		}
	}
	return ends
}
