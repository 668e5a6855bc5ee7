package assemble

import (
	"cmp"
	"slices"

	"dagscope/trace"
)

// piece is a row of State that is one span of a task.
type piece struct{ task, row int32 }

// addPieces records the further spans of jobs that have several: segments. A
// span that begins before another of the same job ends stays a state: a task
// of the model runs in one place at a time, while StarPU runs parallel tasks on
// several workers at once (and traces put together hold tasks twice).
func (a *assembler) addPieces(first []int32, further []piece) {
	s := &a.State
	slices.SortFunc(further, func(x, y piece) int {
		return cmp.Or(cmp.Compare(x.task, y.task), cmp.Compare(s.Start[x.row], s.Start[y.row]), cmp.Compare(x.row, y.row))
	})
	kept, parallel := 0, 0
	for len(further) > 0 {
		task := further[0].task
		rows := []int32{first[task]}
		for len(further) > 0 && further[0].task == task {
			rows = append(rows, further[0].row)
			further = further[1:]
		}
		slices.SortStableFunc(rows, func(x, y int32) int { return cmp.Compare(s.Start[x], s.Start[y]) })
		pieces := a.oneAtATime(rows)
		kept += len(pieces) - 1
		parallel += len(rows) - len(pieces)
		a.setPieces(task, pieces)
	}
	a.log(trace.Info, "task-in-pieces", "a job ran in several spans: kept as segments", kept)
	a.log(trace.Warning, "task-in-two-places", "a job ran in two places at once: the span that began later is kept as state", parallel)
}

// oneAtATime takes those of the rows, in order of their start, that begin when
// those before have ended. The others are no longer tasks.
func (a *assembler) oneAtATime(rows []int32) []int32 {
	s := &a.State
	pieces := rows[:1:1]
	for _, row := range rows[1:] {
		if s.Start[row] < s.End[pieces[len(pieces)-1]] {
			a.isTask[row] = false
			continue
		}
		pieces = append(pieces, row)
	}
	return pieces
}

// setPieces gives a task the worker and start of its first piece, the end of
// its last and, if there are several, segments.
func (a *assembler) setPieces(task int32, rows []int32) {
	s, c, g := &a.State, &a.Run.Task, &a.Run.Segment
	first, last := rows[0], rows[len(rows)-1]
	c.Worker[task], c.Start[task], c.End[task] = a.resource[s.Container[first]], s.Start[first], s.End[last]
	if len(rows) == 1 {
		return
	}
	for _, row := range rows {
		g.Task = append(g.Task, task)
		g.Worker = append(g.Worker, a.resource[s.Container[row]])
		g.Start, g.End = append(g.Start, s.Start[row]), append(g.End, s.End[row])
	}
}
