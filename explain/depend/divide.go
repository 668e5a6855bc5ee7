package depend

import "dagscope/internal/interval"

// Cause is why a worker did nothing, as [Gap] sums it.
type Cause uint8

// Causes, in the order in which they win.
const (
	CauseDependency Cause = iota
	CauseTransfer
	CauseRuntime
	CauseUnexplained
)

// Fork returns a copy for another goroutine.
func (d *Delays) Fork() *Delays {
	mine := *d
	mine.near = near{}
	return &mine
}

// Divide is [Delays.Before] as parts in order of time: it calls part for each
// stretch of one cause, up to its end, and returns where the gap begins. Parts
// may be empty.
func (d *Delays) Divide(i int32, worker int32, part func(to int64, c Cause)) (from int64) {
	from, to := d.gap(i)
	if from >= to {
		return to
	}
	released := d.released(i, from, to)
	part(released, CauseDependency)
	moving := d.data.during(d.lanes.Task[i], released, to, &d.at(worker).buffer)
	at := released
	for k, start := range moving.Start {
		d.DivideRest(worker, at, start, part)
		at = moving.End[k]
		part(at, CauseTransfer)
	}
	d.DivideRest(worker, at, to, part)
	return from
}

// DivideRest does so for a stretch without work in which nothing is waited for:
// the runtime's states, and what is left.
func (d *Delays) DivideRest(worker int32, from, to int64, part func(to int64, c Cause)) {
	spans := d.runtime[worker].Spans()
	for k := interval.FirstAfter(spans.End, from); k < spans.Len() && spans.Start[k] < to; k++ {
		if from < spans.Start[k] {
			part(spans.Start[k], CauseUnexplained)
		}
		from = min(to, spans.End[k])
		part(from, CauseRuntime)
	}
	if from < to {
		part(to, CauseUnexplained)
	}
}

// Runtime is when a resource was in the runtime's states and not at work.
func (d *Delays) Runtime(resource int32) interval.Spans { return d.runtime[resource].Spans() }
