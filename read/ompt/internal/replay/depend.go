package replay

import (
	"slices"

	"dagscope/read/ompt/event"
)

// family holds what the children of one task depend on: by address the set of
// tasks that named it last in compatible ways, and the set before (OpenMP 5.2,
// 15.9.5).
type family struct {
	at  map[uint64]item
	all int32 // the last task that depends on all memory

	handle map[uint64]int32 // by address that tasks name in mutexinoutset: its number; nil without
}

// item is an address: a task that joins the set waits for those before, any
// other for the set.
type item struct {
	set, before int32 // lists of rows
	kind        uint8
}

// graph is the graph of the tasks of one process.
type graph struct {
	lists  lists
	family []family
	free   []int32
	named  []named // of the task at hand: each address once
	from   []int32 // and its predecessors
}

type named struct {
	address uint64
	kind    uint8
}

// anyMemory reports whether a dependence is on all memory (libomp up to 16 gives
// neither type nor address).
func anyMemory(kind uint8) bool {
	return kind == event.DepAny || kind == event.DepOutAllMemory || kind == event.DepInoutAllMemory
}

// normal is the kind that counts: out and inout do the same.
func normal(kind uint8) uint8 {
	if kind == event.DepInout {
		return event.DepOut
	}
	return kind
}

// collect lists the addresses of a task, each once: named in several ways it is
// out. all is true when it depends on all memory.
func (g *graph) collect(deps []event.Dep) (all bool) {
	g.named = g.named[:0]
	for _, d := range deps {
		if anyMemory(d.Type) {
			g.named = g.named[:0]
			return true
		}
		g.named = append(g.named, named{d.Address, normal(d.Type)})
	}
	if len(g.named) > 8 || g.repeats() {
		g.unite()
	}
	return false
}

func (g *graph) repeats() bool {
	for i, n := range g.named {
		for _, m := range g.named[:i] {
			if m.address == n.address {
				return true
			}
		}
	}
	return false
}

// unite sorts by address and joins what is equal.
func (g *graph) unite() {
	slices.SortStableFunc(g.named, func(a, b named) int {
		switch {
		case a.address < b.address:
			return -1
		case a.address > b.address:
			return 1
		}
		return 0
	})
	kept := g.named[:0]
	for _, n := range g.named {
		if k := len(kept); k > 0 && kept[k-1].address == n.address {
			if kept[k-1].kind != n.kind {
				kept[k-1].kind = event.DepOut
			}
			continue
		}
		kept = append(kept, n)
	}
	g.named = kept
}

// exclusive calls f with the addresses that the task just entered names in
// mutexinoutset: no edge orders such tasks, but only one of them runs at a time.
func (g *graph) exclusive(f func(address uint64)) {
	for _, n := range g.named {
		if n.kind == event.DepMutexinoutset {
			f(n.address)
		}
	}
}

// predecessors enters the task of a row into the family and returns the rows
// that it depends on, ascending, each once. They are valid until the next call.
func (g *graph) predecessors(f *family, row int32, deps []event.Dep) []int32 {
	g.from = g.from[:0]
	if g.collect(deps) {
		g.enterAll(f, row)
	} else {
		for _, n := range g.named {
			g.enter(f, row, n)
		}
	}
	if len(g.from) > 1 {
		slices.Sort(g.from)
		g.from = slices.Compact(g.from)
	}
	if i, self := slices.BinarySearch(g.from, row); self {
		g.from = slices.Delete(g.from, i, i+1)
	}
	return g.from
}

func (g *graph) enter(f *family, row int32, n named) {
	it, ok := f.at[n.address]
	switch {
	case !ok:
		it = item{none, none, n.kind}
		if f.all != none {
			it.before = g.lists.push(none, f.all)
		}
		g.from = g.lists.appendTo(g.from, it.before)
	case n.kind == it.kind && n.kind != event.DepOut: // the same set of in, inoutset or mutexinoutset
		g.from = g.lists.appendTo(g.from, it.before)
	default:
		g.from = g.lists.appendTo(g.from, it.set)
		g.lists.drop(it.before)
		it = item{none, it.set, n.kind}
	}
	it.set = g.lists.push(it.set, row)
	f.at[n.address] = it
}

// enterAll waits for whatever was last at each address, and begins again.
func (g *graph) enterAll(f *family, row int32) {
	if f.all != none {
		g.from = append(g.from, f.all)
	}
	for _, it := range f.at {
		g.from = g.lists.appendTo(g.from, it.set)
		g.lists.drop(it.set)
		g.lists.drop(it.before)
	}
	clear(f.at)
	f.all = row
}

// open gives a task a family.
func (g *graph) open() int32 {
	if n := len(g.free); n > 0 {
		i := g.free[n-1]
		g.free = g.free[:n-1]
		return i
	}
	g.family = append(g.family, family{at: map[uint64]item{}, all: none})
	return int32(len(g.family) - 1)
}

// close takes it away again: the children to come depend on nothing.
func (g *graph) close(i int32) {
	f := &g.family[i]
	for _, it := range f.at {
		g.lists.drop(it.set)
		g.lists.drop(it.before)
	}
	if len(f.at) > 1024 { // a map never shrinks
		f.at = map[uint64]item{}
	}
	clear(f.at)
	f.all, f.handle = none, nil
	g.free = append(g.free, i)
}
