package plain

import (
	"cmp"
	"slices"

	"dagscope/predict/workload"
)

// Result is what came of a simulation.
type Result struct {
	Makespan int64   // ns from 0, when the program begins, to the end of the last task
	Busy     []int64 // ns, by worker
	// Memory allocated over time, and the most of it; SequentialPeak is that of
	// the tasks one after another. Bytes, Options.Base included.
	Memory               []Level
	Peak, SequentialPeak int64

	// By task, with Options.Record: worker (-1 for tasks without work), ns.
	Worker             []int32
	Begin, End, Submit []int64

	g *workload.Graph
	d *Deps
	o Options
}

// Change is a change of the memory allocated.
type Change struct{ At, Bytes int64 }

// Level is how much memory is allocated from an instant on.
type Level struct{ At, Bytes int64 }

func (e *engine) result() *Result {
	r := e.r
	r.Memory, r.Peak = curve(sorted(e.changes), e.o.Base)
	r.SequentialPeak = SequentialPeak(e.g) + e.o.Base
	return r
}

// curve sums changes up, in the order of time; what changes at one instant
// changes at once.
func curve(changes []Change, base int64) (memory []Level, peak int64) {
	used := base
	peak = base
	for i, c := range changes {
		if used += c.Bytes; i+1 == len(changes) || changes[i+1].At != c.At {
			memory = append(memory, Level{c.At, used})
			peak = max(peak, used)
		}
	}
	return memory, peak
}

// compare orders changes of memory by time.
func compare(a, b Change) int { return cmp.Compare(a.At, b.At) }

// sorted sorts changes of memory unless they are.
func sorted(c []Change) []Change {
	if !slices.IsSortedFunc(c, compare) {
		slices.SortStableFunc(c, compare)
	}
	return c
}
