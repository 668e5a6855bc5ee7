package breakdown

import (
	"math"
	"slices"

	"dagscope/explain/lock"
	"dagscope/explain/processor"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/trace"
)

// LostNeeds names the columns that [FindLost] reads besides [Needs].
var LostNeeds = slices.Concat(lock.Needs, processor.Needs)

// Lost says what of work, idleness and overhead was neither: what threads waited for
// locks, and what they could have run but had no processor. The three parts stay as they
// are: each of these is a part of one of them.
type Lost struct {
	Lock   *Parts // nil where the run records no locks
	Time   int64  // of all threads in the window, ns
	OffCPU *Parts // without waits for locks; nil where the run records no processor time of threads
	// Unaccounted is by how much work and overhead, less waits for locks, exceed the
	// processor time that the processes used: threads slept or had no processor then.
	// Of the whole recording; 0 where it is not known.
	Unaccounted, Recorded int64
}

// LostShare is the share of the time from which waits for locks, and time without a
// processor, forbid to judge a run by work, idleness and overhead.
const LostShare = 0.1

// FindLost looks at the window and workers of a result.
func FindLost(run *trace.Run, o Options, r *Result) Lost {
	l := lost(run, o, r)
	l.Time = r.Total(Global).Sum()
	if used := ProcessorTime(run); used > 0 {
		all, waits := r, l.Lock
		if from, to := Recording(run); from != r.Windows.From || to != r.Windows.To {
			o.From, o.To = from, to
			all = Compute(run, o)
			waits = lost(run, o, all).Lock
		}
		p := all.Total(Global)
		l.Recorded = p.Sum()
		l.Unaccounted = p.Work + p.Overhead - used
		if waits != nil {
			l.Unaccounted -= waits.Work + waits.Overhead
		}
		l.Unaccounted = max(0, l.Unaccounted)
	}
	return l
}

func lost(run *trace.Run, o Options, r *Result) (l Lost) {
	waits, queued := lock.Waits(run), processor.Find(run)
	if waits == nil && queued == nil {
		return l
	}
	if waits != nil {
		l.Lock = &Parts{}
	}
	if queued != nil {
		l.OffCPU = &Parts{}
	}
	o.From, o.To = r.Windows.From, r.Windows.To
	o.Lifetimes = o.Lifetimes || run.Meta.Lifetimes
	ready, _ := Ready(run, o, nil)
	lanes := schedule.Select(run, o.Lanes, works(run, o.Generation))
	c := computation{run: run, o: o}
	for _, w := range r.Workers {
		from, to := c.presence(w)
		if from >= to {
			continue
		}
		work, implicit := workOf(run, lanes, w)
		work = interval.Clip(work, from, to)
		gap := interval.Subtract(interval.Spans{Start: []int64{from}, End: []int64{to}}, work)
		over := interval.Intersect(gap, ready)
		idle := interval.Subtract(gap, over)
		if waits != nil {
			l.Lock.add(Parts{
				Work: interval.Intersect(waits[w], work).Length(), Implicit: interval.Intersect(waits[w], interval.Clip(implicit, from, to)).Length(),
				Idleness: interval.Intersect(waits[w], idle).Length(), Overhead: interval.Intersect(waits[w], over).Length(),
			})
		}
		if queued != nil {
			round := func(s interval.Spans) int64 {
				if waits != nil { // who waits for a lock needs no processor
					s = interval.Subtract(s, waits[w])
				}
				return int64(math.Round(queued.Over(w, s)))
			}
			l.OffCPU.add(Parts{Work: round(work), Implicit: round(interval.Clip(implicit, from, to)), Idleness: round(idle), Overhead: round(over)})
		}
	}
	return l
}

// Forbids reports whether waits for locks, or missing processors, took so much of the
// time that work, idleness and overhead do not say how the run did.
func (l *Lost) Forbids(p Parts) (locks, processors bool) {
	limit := LostShare * float64(p.Sum())
	if p.Sum() <= 0 {
		return false, false
	}
	if l.Lock != nil {
		locks = float64(l.Lock.Sum()) >= limit
	}
	if l.OffCPU != nil { // what idle threads would have had a processor for is nothing
		processors = float64(l.OffCPU.Work+l.OffCPU.Overhead) >= limit
	} else {
		processors = l.Recorded > 0 && float64(l.Unaccounted) >= LostShare*float64(l.Recorded)
	}
	return locks, processors
}
