package selection

import (
	"cmp"
	"slices"
	"sync"

	"dagscope/internal/parallel"
	"dagscope/trace"
)

// stateRows finds the states of each resource, which follow each other.
type stateRows struct {
	at    []int32 // by resource row, one more
	skips skips
}

func newStateRows(run *trace.Run) stateRows {
	at := make([]int32, len(run.Resource.Parent)+1)
	for _, r := range run.State.Resource {
		at[r+1]++
	}
	for r := range run.Resource.Parent {
		at[r+1] += at[r]
	}
	return stateRows{at, newSkips(run.State.Start, run.State.End)}
}

// of are the states of a worker; a worker that has none takes those of the
// thread that drives it.
func (s *stateRows) of(run *trace.Run, worker int32) (from, to int32) {
	re, r := &run.Resource, worker
	if up := re.Parent[r]; s.at[r] == s.at[r+1] && up >= 0 && re.Level.At(int(up)) == trace.LevelThread {
		r = up
	}
	return s.at[r], s.at[r+1]
}

// putStates sums the states of the workers, longest first.
func (x *Index) putStates(s *Stats, c *chosen) {
	s.States = []State{}
	for k, time := range x.stateTimes(c) {
		if time > 0 {
			s.States = append(s.States, State{State: x.stateName(k), Time: time, Share: share(time, s.Wall)})
		}
	}
	slices.SortFunc(s.States, func(a, b State) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.State, b.State))
	})
}

// stateTimes are the times by kind of state plus one, ns.
func (x *Index) stateTimes(c *chosen) []int64 {
	var mutex sync.Mutex
	all := make([]int64, 1+len(x.run.State.Kind.Dict))
	parallel.With(len(c.workers), func() func(int) {
		mine := make([]int64, len(all))
		return func(i int) {
			clear(mine)
			x.addStates(c, c.workers[i], mine)
			mutex.Lock()
			defer mutex.Unlock()
			for k, time := range mine {
				all[k] += time
			}
		}
	})
	return all
}

func (x *Index) addStates(c *chosen, worker int32, times []int64) {
	rows := &x.run.State
	from, to := x.states.of(x.run, worker)
	x.states.skips.visit(from, to, c.from, c.to, func(from, to int) {
		for i := from; i < to; i++ {
			times[rows.Kind.Index[i]+1] += max(0, min(c.to, rows.End[i])-max(c.from, rows.Start[i]))
		}
	})
}

// stateName is the name of a kind of state by its number plus one.
func (x *Index) stateName(k int) string {
	if k == 0 {
		return ""
	}
	return x.run.State.Kind.Dict[k-1]
}
