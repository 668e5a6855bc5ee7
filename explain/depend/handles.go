package depend

import (
	"dagscope/internal/interval"
	"dagscope/trace"
)

// arrivals finds the transfers that bring a task's data to where it runs. They
// are grouped by (handle, destination), in order of start; until holds the
// latest end among those of a group up to each, so that the ones that overlap a
// window are found from its end backwards.
type arrivals struct {
	run    *trace.Run
	last   *Last
	place  []int32 // by resource: the memory it is, holds or uses; None if unknown
	local  []int32 // by memory resource: its number within its node
	places int     // memories of the node that has most
	at     []int32 // by handle*places + local
	rows   []int32
	start  []int64 // of the rows
	until  []int64
	access []int32 // by task, one more: rows of the access table
}

func newArrivals(run *trace.Run, last *Last) *arrivals {
	a := &arrivals{run: run, last: last, place: memories(run)}
	a.numberPlaces()
	a.indexTransfers()
	a.indexAccesses()
	return a
}

// memories finds the memory node that each resource is, lies in, or manages.
func memories(run *trace.Run) []int32 {
	re := &run.Resource
	place := make([]int32, len(re.Parent))
	for r := range place {
		place[r] = trace.None
		up := re.Parent[r]
		switch {
		case re.Level.At(r) == trace.LevelMemory:
			place[r] = int32(r)
		case up >= 0 && int(up) < r:
			place[r] = place[up]
		}
	}
	return place
}

// numberPlaces numbers memories within their node: handles belong to one node,
// so that (handle, number) is a small key.
func (a *arrivals) numberPlaces() {
	re := &a.run.Resource
	a.local = make([]int32, len(re.Parent))
	used := map[int32]int32{} // by node: a handful of rows, not one per task
	for r, p := range a.place {
		if int(p) == r {
			a.local[r] = used[re.Node[r]]
			used[re.Node[r]]++
			a.places = max(a.places, int(a.local[r])+1)
		}
	}
}

func (a *arrivals) key(handle, place int32) int32 {
	return handle*int32(a.places) + a.local[place]
}

func (a *arrivals) indexTransfers() {
	t := &a.run.Transfer
	key := make([]int32, len(t.Start))
	for x := range key {
		key[x] = trace.None
		if t.Handle[x] >= 0 && t.To[x] >= 0 && a.place[t.To[x]] >= 0 && a.known(int32(x)) {
			key[x] = a.key(t.Handle[x], a.place[t.To[x]])
		}
	}
	a.at, a.rows = interval.Group(key, len(a.run.Handle.Node)*a.places, interval.Order(t.Start))
	a.start, a.until = make([]int64, len(a.rows)), make([]int64, len(a.rows))
	for g := range len(a.at) - 1 {
		latest := trace.NoTime
		for i := a.at[g]; i < a.at[g+1]; i++ {
			latest = max(latest, t.End[a.rows[i]])
			a.start[i], a.until[i] = t.Start[a.rows[i]], latest
		}
	}
}

func (a *arrivals) known(x int32) bool {
	return a.run.Transfer.Start[x] != trace.NoTime && a.run.Transfer.End[x] != trace.NoTime
}

func (a *arrivals) indexAccesses() {
	a.access = make([]int32, len(a.run.Task.Start)+1)
	row := 0
	for v := range a.run.Task.Start {
		a.access[v] = int32(row)
		for row < len(a.run.Access.Task) && int(a.run.Access.Task[row]) == v {
			row++
		}
	}
	a.access[len(a.run.Task.Start)] = int32(row)
}

// during returns the union of the parts of [from, to) in which data that task v
// uses was on its way to where v ran: copies of its handles to the memory of
// its worker, and messages that it depends on. buffer holds the
// answer until it is used again.
func (a *arrivals) during(v int32, from, to int64, buffer *interval.Spans) interval.Spans {
	buffer.Start, buffer.End = buffer.Start[:0], buffer.End[:0]
	if len(a.run.Transfer.Start) == 0 {
		return *buffer
	}
	if w := a.run.Task.Worker[v]; from < to && w >= 0 && a.place[w] >= 0 {
		for i := a.access[v]; i < a.access[v+1]; i++ {
			if h := a.run.Access.Handle[i]; h >= 0 {
				a.copies(a.key(h, a.place[w]), from, to, buffer)
			}
		}
	}
	for e := a.last.at[v]; e < a.last.at[v+1]; e++ {
		if x := a.last.via(e); x >= 0 && a.known(x) {
			a.add(x, from, to, buffer)
		}
	}
	buffer.Unite()
	return *buffer
}

// copies adds the transfers of one (handle, destination) that overlap a window.
func (a *arrivals) copies(key int32, from, to int64, buffer *interval.Spans) {
	first, end := int(a.at[key]), int(a.at[key+1])
	after := interval.FirstAfter(a.start[first:end], to-1)
	for i := first + after - 1; i >= first && a.until[i] > from; i-- {
		a.add(a.rows[i], from, to, buffer)
	}
}

func (a *arrivals) add(x int32, from, to int64, buffer *interval.Spans) {
	t := &a.run.Transfer
	buffer.Add(max(from, t.Start[x]), min(to, t.End[x]))
}
