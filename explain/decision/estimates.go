package decision

import "math"

// nanoseconds rounds a length in µs.
func nanoseconds(us float64) int64 { return int64(math.Round(us * 1000)) }

// estimate is a row in whole ns. Dates on the scheduler's clock become dates of
// the run and are rounded there; lengths are differences of these, so that sums
// stay exact.
func (x *Index) estimate(decision int32, i int, best int64) *Estimate {
	d, e := &x.run.Decision, &x.run.Estimate
	now, clock := d.Time[decision], d.Clock[decision]
	date := func(us float64) int64 { return now + nanoseconds(us-clock) }
	queue := max(now, date(e.Available[i]+e.Queued[i]))
	out := &Estimate{Transfer: nanoseconds(e.Transfer[i]), End: date(e.End[i]), exact: e.Fitness[i]}
	begin := min(out.End, max(queue, now+out.Transfer))
	queue = min(queue, begin)
	out.Queue, out.Exposed, out.Duration = queue-now, begin-queue, out.End-begin
	out.Fitness = weighted(d.Alpha[decision], out.End-best) + weighted(d.Beta[decision], out.Transfer)
	return out
}

// weighted rounds a length that a weight changes.
func weighted(weight float64, ns int64) int64 {
	if weight == 1 {
		return ns
	}
	return int64(math.Round(weight * float64(ns)))
}
