package whatif

import (
	"fmt"
	"slices"
	"strings"

	"dagscope/internal/stat"
	"dagscope/predict/spec"
	"dagscope/trace"
)

// settings are keys of the runtime's settings that follow from what the run did:
// data was never prefetched, messages were repeated, the program took its time to
// submit. They hold for base and changes, so that a change is of one thing.
func settings(run *trace.Run) (set []string) {
	if _, simulated := run.Meta.Environment[spec.EnvScheduler]; simulated {
		return nil
	}
	if neverPrefetched(run) {
		set = append(set, "options.prefetch=false")
	}
	if repeats(run) {
		set = append(set, "options.mpi.cache=false")
	}
	if ns := submissionTime(run); ns > 0 {
		set = append(set, fmt.Sprintf("costs.task_submit=%dns", ns))
	}
	return set
}

// neverPrefetched reports whether data was fetched into devices, and none of it
// ahead of its task. Schedulers that do not know where a task will run prefetch
// nothing either, whatever the setting.
func neverPrefetched(run *trace.Run) bool {
	x, fetched := &run.Transfer, 0
	for i := range x.Start {
		switch x.Kind.At(i) {
		case trace.TransferTaskPrefetch, trace.TransferPrefetch:
			return false
		case trace.TransferFetch:
			fetched++
		}
	}
	const few = 10
	return fetched >= few
}

// repeats reports whether a twentieth of the messages brought data to a node that
// had it already: it had come before, and no task had written it since. Of tags
// that are not known nothing is said.
func repeats(run *trace.Run) bool {
	x, t := &run.Transfer, &run.Task
	if len(x.Tag) == 0 {
		return false
	}
	tags := map[int32]int64{} // by handle
	type message struct {
		tag        int64
		from, to   int32
		start, row int64
	}
	var messages []message
	for i := range x.Start {
		if x.Kind.At(i) != trace.TransferMPI || x.From[i] < 0 || x.To[i] < 0 || x.Start[i] == trace.NoTime || x.Tag[i] < 0 {
			continue
		}
		re := &run.Resource
		messages = append(messages, message{x.Tag[i], re.Node[x.From[i]], re.Node[x.To[i]], x.Start[i], int64(i)})
		if len(x.Handle) > 0 && x.Handle[i] >= 0 {
			tags[x.Handle[i]] = x.Tag[i]
		}
	}
	for h, tag := range run.Handle.Tag {
		if tag >= 0 {
			tags[int32(h)] = tag
		}
	}
	if len(messages) == 0 || len(tags) == 0 {
		return false
	}
	writes := map[int64][]int64{} // ends of tasks that write, by tag
	for i, row := range run.Access.Task {
		if tag, known := tags[run.Access.Handle[i]]; known && writesData(run, i) && row >= 0 && t.End[row] != trace.NoTime {
			writes[tag] = append(writes[tag], t.End[row])
		}
	}
	for _, ends := range writes {
		slices.Sort(ends)
	}
	type copy struct {
		tag      int64
		from, to int32
		version  int
	}
	seen, again := map[copy]bool{}, 0
	for _, m := range messages {
		version, _ := slices.BinarySearch(writes[m.tag], m.start+1)
		c := copy{m.tag, m.from, m.to, version}
		if seen[c] {
			again++
		}
		seen[c] = true
	}
	return 20*again > len(messages)
}

// submissionTime is how long the program takes from one submission to the next, in
// ns: the median of the intervals in which no task had to be waited for. 0 where it
// is next to nothing, or follows from tasks that create tasks.
func submissionTime(run *trace.Run) int64 {
	t := &run.Task
	if slices.ContainsFunc(t.Parent, func(p int32) bool { return p != trace.None }) {
		return 0
	}
	var submitted []int64
	for i := range t.Submit {
		if t.Counted(i) && t.Submit[i] != trace.NoTime && t.Worker[i] >= 0 {
			if max(run.Resource.Node[t.Worker[i]], 0) > 0 {
				return 0 // several programs
			}
			submitted = append(submitted, t.Submit[i])
		}
	}
	const few, noticeable = 16, 5000
	if len(submitted) < few {
		return 0
	}
	slices.Sort(submitted)
	var gaps []int64
	for i := 1; i < len(submitted); i++ {
		gaps = append(gaps, submitted[i]-submitted[i-1])
	}
	ns := int64(stat.Quantile(gaps, 0.5))
	if ns < noticeable {
		return 0
	}
	return ns
}

// writesData reports whether an access changes its data.
func writesData(run *trace.Run, access int) bool {
	return strings.ContainsAny(run.Access.Mode.At(access), "WXC")
}
