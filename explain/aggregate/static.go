package aggregate

import (
	"dagscope/explain/kind"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/trace"
)

// Static are exact busy times of workers per slice and kind, as columns; only
// those that are not 0, by worker, slice and kind.
type Static struct {
	Slices interval.Slices
	Worker []int32 // resource
	Slice  []int32
	Kind   []int32 // dictionary index of task.kind
	Busy   []int64 // ns
}

// FixedSlices measures how long each worker ran tasks of each kind in each
// slice.
func FixedSlices(run *trace.Run, s interval.Slices, generation bool) *Static {
	lanes := schedule.Build(run, schedule.Keep(run, generation))
	out := &Static{Slices: s}
	cells := interval.NewCells(s, 1, len(run.Task.Kind.Dict))
	for w := range int32(len(run.Resource.Parent)) {
		from, to := lanes.Of(w)
		if from == to {
			continue
		}
		clear(cells.Busy)
		for i := from; i < to; i++ {
			if k := run.Task.Kind.Index[lanes.Task[i]]; k >= 0 {
				cells.Add(0, int(k), lanes.Start[i], lanes.End[i])
			}
		}
		out.list(w, cells)
	}
	return out
}

// list adds the rows of a worker.
func (t *Static) list(worker int32, cells interval.Cells) {
	for i, busy := range cells.Busy {
		if busy != 0 {
			t.Worker, t.Busy = append(t.Worker, worker), append(t.Busy, busy)
			t.Slice, t.Kind = append(t.Slice, int32(i/cells.Kinds)), append(t.Kind, int32(i%cells.Kinds))
		}
	}
}

// Share is the part of its slice that row i took.
func (t *Static) Share(i int, d interval.Divisor) float64 {
	return float64(t.Busy[i]) / t.Slices.Over(int(t.Slice[i]), d)
}

// Nodes are busy times summed over the workers of one type, as columns; only
// those that are not 0, by type, slice and kind.
type Nodes struct {
	Slices  interval.Slices
	Types   schedule.Types
	Type    []int32 // index into Types
	Slice   []int32
	Kind    []int32
	Busy    []int64 // ns, over all workers of the type
	Workers []int32 // their number, idle ones included
}

// ByNode sums the workers of each node and architecture.
func (t *Static) ByNode(run *trace.Run) *Nodes {
	out := &Nodes{Slices: t.Slices, Types: schedule.GroupTypes(run, kind.Workers(run))}
	kinds := len(run.Task.Kind.Dict)
	cells := make([]int64, len(out.Types.Type)*t.Slices.Len()*kinds)
	for i, w := range t.Worker {
		cells[(int(out.Types.Of[w])*t.Slices.Len()+int(t.Slice[i]))*kinds+int(t.Kind[i])] += t.Busy[i]
	}
	for i, busy := range cells {
		if busy != 0 {
			row := i / kinds
			ty := row / t.Slices.Len()
			out.Type, out.Slice = append(out.Type, int32(ty)), append(out.Slice, int32(row%t.Slices.Len()))
			out.Kind, out.Busy = append(out.Kind, int32(i%kinds)), append(out.Busy, busy)
			out.Workers = append(out.Workers, int32(out.Types.Size[ty]))
		}
	}
	return out
}

// Share is the mean over the workers of the part of the slice that row i took.
func (t *Nodes) Share(i int, d interval.Divisor) float64 {
	return float64(t.Busy[i]) / t.Slices.Over(int(t.Slice[i]), d) / float64(t.Workers[i])
}
