package whatif

import (
	"dagscope/predict/spec"
	"dagscope/trace"
)

// settings are keys of the runtime's settings that follow from what the run did. They
// hold for base and changes, so that a change is of one thing.
func settings(run *trace.Run) (set []string) {
	if _, simulated := run.Meta.Environment[spec.EnvScheduler]; simulated {
		return nil
	}
	if neverPrefetched(run) {
		set = append(set, "options.prefetch=false")
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
