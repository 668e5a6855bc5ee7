package breakdown

import (
	"sync"

	"dagscope/explain/depend"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/trace"
)

// heldRows tasks are looked at together: their waits overlap, so that little is
// left to join, and sorting them stays within the processor's caches.
const heldRows = 1 << 16

// Ready is when some counted task was ready and not running: what makes the
// pauses of all workers overhead in [Global]. unknown is as in [Result]. last
// may be nil; ready times that were not recorded follow from it. Of the options
// only Generation and WaitingNotReady make a difference.
//
// It is the union of what [findWaits] lists, without the list.
func Ready(run *trace.Run, o Options, last *depend.Last) (ready interval.Spans, unknown int64) {
	keep := schedule.Keep(run, o.Generation)
	if last == nil && missesReady(run, keep) {
		last = depend.Find(run)
	}
	n, phases := len(run.Task.Start), len(run.Phase.Task)
	tasks := (n + heldRows - 1) / heldRows
	var mutex sync.Mutex
	parallel.For(tasks+(phases+heldRows-1)/heldRows, func(k int) {
		var w waits
		if from := k * heldRows; k < tasks {
			w = waitsOf(run, keep, last, from, min(n, from+heldRows))
		} else {
			from -= tasks * heldRows
			w.addPhases(run, o, from, min(phases, from+heldRows))
		}
		union := interval.Union(w.spans)
		mutex.Lock()
		defer mutex.Unlock()
		unknown += w.unknown
		ready.Start, ready.End = append(ready.Start, union.Start...), append(ready.End, union.End...)
	})
	return interval.Union(ready), unknown
}
