package breakdown

import "dagscope/trace"

// Paused is the time in [from, to), ns, during which a program had its
// recording paused (omp_control_tool): from a pause, or from the beginning if it
// was recorded that way, to the next start. With several processes it is the
// time during which any was.
func Paused(run *trace.Run, from, to int64) (sum int64) {
	e := &run.Event
	want := e.Kind.Find(eventControl)
	if want < 0 {
		return 0
	}
	paused := map[int32]bool{} // by node
	if run.Meta.Environment["DAGSCOPE_OMPT_START"] == "paused" {
		for r, node := range run.Resource.Node {
			if run.Resource.Level.At(r) == trace.LevelWorker {
				paused[node] = true
			}
		}
	}
	since := from
	count := func(until int64) {
		if len(paused) > 0 {
			sum += max(0, min(until, to)-max(since, from))
		}
		since = until
	}
	for i, k := range e.Kind.Index {
		if k != want {
			continue
		}
		node := int32(0)
		if r := e.Resource[i]; r >= 0 {
			node = run.Resource.Node[r]
		}
		switch e.Value.At(i) {
		case "pause":
			count(e.Time[i])
			paused[node] = true
		case "start", "end":
			count(e.Time[i])
			delete(paused, node)
		}
	}
	count(to)
	return sum
}
