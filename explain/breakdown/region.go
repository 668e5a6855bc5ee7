package breakdown

import (
	"fmt"
	"slices"
	"strings"

	"dagscope/trace"
)

// RegionParallel names the region from the first beginning of a parallel region
// to the last end of one.
const RegionParallel = "parallel"

// Kinds of events that bound regions.
const (
	eventParallelBegin = "parallel begin"
	eventParallelEnd   = "parallel end"
	eventMark          = "mark"
	eventControl       = "control"
	eventRecordsBegin  = "records begin"
)

// Region finds a region of interest, ns since the run's zero: [RegionParallel],
// or A..B from the first mark A that the program set to the last mark B. Where
// only one end of the parallel regions was recorded (the program was killed in
// one, or a ring kept the last events), the other is that of the recording, as
// [Cut] says.
func Region(run *trace.Run, name string) (from, to int64, err error) {
	if name == RegionParallel {
		from, to = parallelRegion(run)
		switch first, last := Recording(run); {
		case from == trace.NoTime && to == trace.NoTime:
			return from, to, fmt.Errorf("find region %s: %s", name, noRegion(run))
		case from == trace.NoTime:
			from = first
		case to == trace.NoTime:
			to = last
		}
		if complete := Complete(run); complete != trace.NoTime {
			from = max(from, complete)
		}
		return from, to, check(name, from, to)
	}
	a, b, ok := strings.Cut(name, "..")
	if !ok || a == "" || b == "" {
		return 0, 0, fmt.Errorf("find region: found %q, wanted %s or two marks A..B", name, RegionParallel)
	}
	for _, mark := range []string{a, b} {
		if first, _ := firstAndLast(run, eventMark, mark); first == trace.NoTime {
			return 0, 0, fmt.Errorf("find region %s: found no mark %q, wanted %s", name, mark, marks(run))
		}
	}
	from, _ = firstAndLast(run, eventMark, a)
	_, to = firstAndLast(run, eventMark, b)
	return from, to, check(name, from, to)
}

func check(name string, from, to int64) error {
	if from >= to {
		return fmt.Errorf("find region %s: found its end at %d ns, not after its start at %d ns", name, to, from)
	}
	return nil
}

// parallelRegion is from the first beginning of a parallel region to the last
// end of one, NoTime for what was not recorded.
func parallelRegion(run *trace.Run) (from, to int64) {
	from, _ = firstAndLast(run, eventParallelBegin, "")
	_, to = firstAndLast(run, eventParallelEnd, "")
	return from, to
}

// Complete is the time, ns, from which on the recording has the events of all
// threads, where a ring kept only the last of each: threads with many events
// fill theirs sooner. NoTime where none was overwritten.
func Complete(run *trace.Run) int64 {
	_, last := firstAndLast(run, eventRecordsBegin, "")
	return last
}

// Cut says what a region's name does not: which end of it is that of the
// recording, and that the marks are of several processes; "" for nothing.
func Cut(run *trace.Run, name string) string {
	if a, b, ok := strings.Cut(name, ".."); ok {
		if n := processes(run, a, b); n > 1 {
			return fmt.Sprintf("the first mark %s to the last mark %s over %d processes", a, b, n)
		}
		return ""
	}
	if name != RegionParallel {
		return ""
	}
	switch from, to := parallelRegion(run); {
	case to == trace.NoTime:
		return "to the end of the recording: no end of a parallel region was recorded"
	case from == trace.NoTime:
		return "from the start of the recording: no beginning of a parallel region was recorded"
	}
	return ""
}

// processes counts the nodes that set one of two marks.
func processes(run *trace.Run, a, b string) int {
	e, nodes := &run.Event, map[int32]bool{}
	for i := range e.Kind.Index {
		if value := e.Value.At(i); e.Kind.At(i) == eventMark && (value == a || value == b) && e.Resource[i] >= 0 {
			nodes[run.Resource.Node[e.Resource[i]]] = true
		}
	}
	return len(nodes)
}

// noRegion says why there is no parallel region.
func noRegion(run *trace.Run) string {
	switch {
	case !run.Meta.Lifetimes:
		return fmt.Sprintf("found no parallel region in a run of %s, wanted one of OpenMP", run.Meta.Reader)
	case run.Log.Code.Find("recording-is-a-ring") >= 0:
		return "found no parallel region: the ring keeps neither the beginning nor the end of one"
	}
	return "found no parallel region: the program began none while it was recorded"
}

// firstAndLast are when events of a kind, with a value unless it is empty, happened
// first and last; NoTime if they did not.
func firstAndLast(run *trace.Run, kind, value string) (first, last int64) {
	e := &run.Event
	first, last = trace.NoTime, trace.NoTime
	want := e.Kind.Find(kind)
	for i, k := range e.Kind.Index {
		if k != want || value != "" && e.Value.At(i) != value {
			continue
		}
		if first == trace.NoTime {
			first = e.Time[i]
		}
		last = e.Time[i]
	}
	return first, last
}

// marks lists those of a run for a message.
func marks(run *trace.Run) string {
	var names []string
	for i := range run.Event.Kind.Index {
		if name := run.Event.Value.At(i); run.Event.Kind.At(i) == eventMark && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "a run whose program sets marks"
	}
	return "one of " + strings.Join(names[:min(len(names), 20)], ", ")
}
