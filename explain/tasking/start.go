package tasking

import (
	"dagscope/explain/depend"
	"dagscope/trace"
)

// FindStarts sums up how long the application's tasks were ready before they
// started: what scheduling, queues and busy workers cost each. Tasks whose
// ready time cannot be told are left out; a ready time that was not recorded is
// the later of submission and last dependency's end.
func FindStarts(run *trace.Run, o Options) []Times {
	t := &run.Task
	var last *depend.Last
	var kinds []int32
	var times []int64
	for v, start := range t.Start {
		if start == trace.NoTime || t.Internal[v] || t.Generation[v] && !o.Generation || o.From != o.To && (start < o.From || start >= o.To) {
			continue
		}
		ready := t.Ready[v]
		if ready == trace.NoTime {
			if last == nil {
				last = depend.Find(run)
			}
			ready = t.Submit[v]
			if u := last.Of[v]; u != trace.None {
				ready = max(ready, last.End(u))
			}
		}
		if ready != trace.NoTime {
			kinds, times = append(kinds, t.Kind.Index[v]), append(times, max(0, start-ready))
		}
	}
	return summarize(run, kinds, times)
}
