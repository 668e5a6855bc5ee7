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
)

// Region finds a region of interest, ns since the run's zero: [RegionParallel],
// or A..B from the first mark A that the program set to the last mark B.
func Region(run *trace.Run, name string) (from, to int64, err error) {
	if name == RegionParallel {
		from, _ = firstAndLast(run, eventParallelBegin, "")
		_, to = firstAndLast(run, eventParallelEnd, "")
		return from, to, check(run, name, from, to)
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
	return from, to, check(run, name, from, to)
}

func check(run *trace.Run, name string, from, to int64) error {
	switch {
	case from == trace.NoTime || to == trace.NoTime:
		return fmt.Errorf("find region %s: found no parallel region in a run of %s, wanted one of OpenMP", name, run.Meta.Reader)
	case from >= to:
		return fmt.Errorf("find region %s: found its end at %d ns, not after its start at %d ns", name, to, from)
	}
	return nil
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
