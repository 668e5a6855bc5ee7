// Package pieces makes tasks of the spans in which they ran.
//
// The problem: many traces say "from here on this worker runs task 7" and later
// "no more", and a task that is paused and resumed has several such spans,
// perhaps on several workers. A run wants one start, one end and one worker for
// each task, and segments for those that ran in several pieces.
//
// The approach: readers collect pieces in any order and give them to [Fill] at
// the end, which sorts them once.
//
// The package does not know how any format says so; of kinds it knows those that
// runtimes traced by ovni make themselves, which two formats carry.
package pieces

import (
	"cmp"
	"slices"

	"dagscope/trace"
)

// Piece is a span in which a task ran on a worker.
type Piece struct {
	Task, Worker int32 // rows
	Start, End   int64
}

// Fill gives the tasks of b, whose rows exist, their start, end and first worker,
// and a segment for each piece where there are several. Pieces that touch on one
// worker stay pieces. A piece that begins before the one before it on the same
// worker has ended is shortened, or left out if nothing remains; overlaps is how
// often that was so. Tasks without a piece did not run and keep their columns.
func Fill(b *trace.Builder, all []Piece) (overlaps int64) {
	slices.SortFunc(all, func(a, b Piece) int {
		return cmp.Or(cmp.Compare(a.Task, b.Task), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.Worker, b.Worker))
	})
	t, s := &b.Run.Task, &b.Run.Segment
	until := map[int32]int64{} // of one task, by worker
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].Task == all[0].Task {
			n++
		}
		of := all[:n]
		all = all[n:]
		task := of[0].Task
		t.Start[task], t.End[task], t.Worker[task] = of[0].Start, of[0].End, of[0].Worker
		if n == 1 {
			continue
		}
		clear(until)
		for _, p := range of {
			if u, ran := until[p.Worker]; ran && p.Start < u {
				overlaps++
				if p.End <= u {
					continue
				}
				p.Start = u
			}
			until[p.Worker] = p.End
			t.End[task] = max(t.End[task], p.End)
			s.Task, s.Worker = append(s.Task, task), append(s.Worker, p.Worker)
			s.Start, s.End = append(s.Start, p.Start), append(s.End, p.End)
		}
	}
	return overlaps
}
