package memory

import (
	"cmp"
	"slices"
	"strings"

	"dagscope/internal/interval"
	"dagscope/trace"
)

// Uses are the accesses of tasks that ran, by handle: those of handle h are
// rows [At[h], At[h+1]), in order of the tasks' starts.
type Uses struct {
	At    []int32
	Task  []int32
	Place []int32 // the memory that the task's worker works on, None if unknown
	Mode  trace.Strings
}

// FindUses gathers which tasks used which handles where. The runtime's own
// tasks are no uses.
func FindUses(run *trace.Run) *Uses {
	ac, t := &run.Access, &run.Task
	group := slices.Repeat([]int32{trace.None}, len(ac.Handle))
	for i, h := range ac.Handle {
		if task := ac.Task[i]; h >= 0 && task >= 0 && t.Worker[task] >= 0 && t.Start[task] != trace.NoTime && !t.Internal[task] {
			group[i] = h
		}
	}
	at, rows := interval.Group(group, len(run.Handle.Node), nil)
	for h := range run.Handle.Node {
		slices.SortStableFunc(rows[at[h]:at[h+1]], func(i, j int32) int {
			return cmp.Compare(t.Start[ac.Task[i]], t.Start[ac.Task[j]])
		})
	}
	u := &Uses{At: at, Task: reorder(ac.Task, rows), Place: make([]int32, len(rows)), Mode: trace.Strings{Dict: ac.Mode.Dict}}
	place := PlaceOf(run)
	for i, row := range rows {
		u.Place[i] = place[t.Worker[u.Task[i]]]
		index := trace.None
		if len(ac.Mode.Index) > 0 {
			index = ac.Mode.Index[row]
		}
		u.Mode.Index = append(u.Mode.Index, index)
	}
	return u
}

// Of returns the rows of a handle as [from, to).
func (u *Uses) Of(handle int32) (from, to int) { return int(u.At[handle]), int(u.At[handle+1]) }

// Writes tells whether a mode changes the data.
func Writes(mode string) bool { return strings.ContainsAny(mode, "WX") }
