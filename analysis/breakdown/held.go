package breakdown

import (
	"dagscope/analysis/lane"
	"dagscope/interval"
	"dagscope/trace"
)

// Ready is when some counted task was ready and not running: what makes the
// pauses of all workers overhead in [Global]. unknown is as in [Result].
func Ready(run *trace.Run, generation bool) (ready interval.Spans, unknown int64) {
	w := findWaits(run, lane.Keep(run, generation))
	cover := coverGlobal(run, w).ready[0]
	return cover.Spans(), w.unknown
}
