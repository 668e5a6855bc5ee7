package assemble

import (
	"cmp"
	"slices"

	"dagscope/trace"
)

// piece is a row of State that is one span of a task.
type piece struct{ task, row int32 }

// addPieces records the spans of jobs that have several: segments. They come
// one after the other where a task was suspended, side by side where StarPU ran
// a parallel task on several workers of a node. A span that begins
// on a worker before another of the same job has ended there, or on another
// node, stays a state (traces put together hold tasks twice).
func (a *assembler) addPieces(first []int32, further []piece) {
	s := &a.in.State
	slices.SortFunc(further, func(x, y piece) int {
		return cmp.Or(cmp.Compare(x.task, y.task), cmp.Compare(s.Start[x.row], s.Start[y.row]), cmp.Compare(x.row, y.row))
	})
	var after, beside, twice int
	for len(further) > 0 {
		task := further[0].task
		rows := []int32{first[task]}
		for len(further) > 0 && further[0].task == task {
			rows = append(rows, further[0].row)
			further = further[1:]
		}
		slices.SortStableFunc(rows, func(x, y int32) int { return cmp.Compare(s.Start[x], s.Start[y]) })
		pieces, parallel := a.oncePerWorker(rows)
		beside += parallel
		after += len(pieces) - 1 - parallel
		twice += len(rows) - len(pieces)
		a.setPieces(task, pieces)
	}
	a.log(trace.Info, "task-in-pieces", "a job ran in several spans: kept as segments", after)
	a.log(trace.Info, "parallel-task", "a job ran on several workers at once: the spans of the others are segments, the task counts once", beside)
	a.log(trace.Warning, "task-in-two-places", "a job ran twice at once on one worker, or on two nodes: the span that began later is kept as state", twice)
}

// oncePerWorker takes those of the rows, in order of their start, that begin
// when those before on the same worker have ended, on one node, and counts those that begin
// before one elsewhere has ended. The others are no longer tasks.
func (a *assembler) oncePerWorker(rows []int32) (pieces []int32, parallel int) {
	s := &a.in.State
	until := map[int32]int64{} // by worker: end of its last piece
	latest := trace.NoTime
	node := a.out.Resource.Node[a.resource[s.Container[rows[0]]]]
	for _, row := range rows {
		w, start, end := a.resource[s.Container[row]], s.Start[row], s.End[row]
		if busy, ok := until[w]; ok && start < busy || a.out.Resource.Node[w] != node {
			a.isTask[row] = false
			continue
		}
		if start < latest {
			parallel++
		}
		until[w], latest = end, max(latest, end)
		pieces = append(pieces, row)
	}
	return pieces, parallel
}

// setPieces gives a task the worker and start of its first piece, the end of
// the one that ends last and, if there are several, segments.
func (a *assembler) setPieces(task int32, rows []int32) {
	s, c, g := &a.in.State, &a.out.Task, &a.out.Segment
	first := rows[0]
	c.Worker[task], c.Start[task], c.End[task] = a.resource[s.Container[first]], s.Start[first], s.End[first]
	for _, row := range rows {
		c.End[task] = max(c.End[task], s.End[row])
	}
	if len(rows) == 1 {
		return
	}
	for _, row := range rows {
		a.workersOf[task] = append(a.workersOf[task], a.resource[s.Container[row]])
		g.Task = append(g.Task, task)
		g.Worker = append(g.Worker, a.resource[s.Container[row]])
		g.Start, g.End = append(g.Start, s.Start[row]), append(g.End, s.End[row])
	}
}
