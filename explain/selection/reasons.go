package selection

import (
	"fmt"
	"math"
	"slices"

	"dagscope/explain/breakdown"
	"dagscope/explain/chain"
	"dagscope/explain/depend"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
)

// reasons are the timelines of all workers, and what could not be told.
type reasons struct {
	line    []*timeline // by resource row, nil for what is no worker
	unknown int64       // counted tasks whose ready time is not known
}

// findReasons cuts the time of every worker into parts (docs/design/methods.md,
// Critical chain and Time breakdown). Gaps are those between counted tasks, so
// that what the causes add up to is what no counted task covers
// (docs/design/methods.md, Idleness).
func (x *Index) findReasons() {
	last := x.o.Last
	if last == nil {
		last = depend.Find(x.whole)
	}
	ready, unknown := breakdown.Ready(x.whole, breakdown.Options{}, last)
	x.why = reasons{line: make([]*timeline, len(x.run.Resource.Parent)), unknown: unknown}
	why := x.o.Chain
	if why == nil {
		why = chain.New(x.whole, chain.Options{Lanes: x.o.Lanes, Last: last})
	}
	parallel.For(len(x.workers), func(i int) {
		w := x.workers[i]
		x.why.line[w] = timelineOf(x.lanes, why, w, ready, others{x.absence(w), x.implicit.of(w), x.inputs.of(w)})
	})
}

// timelineOf lays out the time of a worker, from the first thing known of it to
// the last.
func timelineOf(lanes *schedule.Lanes, why *chain.Index, worker int32, ready interval.Spans, o others) *timeline {
	from, to := extent(lanes, worker, ready, o.input, o.implicit)
	if n := o.absent.Len(); n > 0 {
		from, to = min(from, o.absent.End[0]), max(to, o.absent.Start[n-1])
	}
	out := newWriter(from, ready, o)
	if o.absent.Len() > 0 {
		out.outside = [2]cause{absent, absent}
	}
	first, end := lanes.Of(worker)
	if first < end {
		out.add(min(0, lanes.Start[first]), before)
	}
	p := first
	until := func(t int64) { // pieces that begin by then
		for ; p < end && lanes.Start[p] <= t; p++ {
			out.add(lanes.Start[p], unexplained) // there is none: gaps are full
			out.add(lanes.End[p], work)
		}
	}
	var gap []chain.Part
	flush := func() {
		for _, part := range slices.Backward(gap) {
			until(part.From)
			if p == end {
				break // after its last counted task
			}
			out.add(part.From, unexplained)
			out.add(part.To, firstClass+cause(part.Class))
		}
		gap = gap[:0]
	}
	of := int32(-1)
	why.Gaps(worker, func(piece int32, part chain.Part) {
		if piece != of {
			flush()
			of = piece
		}
		gap = append(gap, part)
	})
	flush()
	until(math.MaxInt64)
	out.add(max(from, to), after)
	return out.finish()
}

// extent holds zero, the pieces of a worker, its states and all ready tasks.
func extent(lanes *schedule.Lanes, worker int32, spans ...interval.Spans) (from, to int64) {
	for _, s := range spans {
		if n := s.Len(); n > 0 {
			from, to = min(from, s.Start[0]), max(to, s.End[n-1])
		}
	}
	for p, end := lanes.Of(worker); p < end; p++ {
		from, to = min(from, lanes.Start[p]), max(to, lanes.End[p])
	}
	return from, to
}

// putReasons tells how the time of the workers was spent.
func (x *Index) putReasons(s *Stats, c *chosen) {
	total, unused := x.totals(c)
	idle := s.Wall - total[work] - total[input] - total[implicit] - total[absent]
	s.Implicit, s.Absent = total[implicit], total[absent]
	s.Idle = Idle{
		Total: idle, Share: share(idle, s.Wall), Classes: []Class{}, Before: total[before], After: total[after], Unused: unused,
	}
	for _, c := range chain.Classes() {
		if ns := total[firstClass+cause(c)]; ns > 0 {
			s.Idle.Classes = append(s.Idle.Classes, Class{c.String(), ns})
		}
	}
	s.Input = Input{Total: total[input], Share: share(total[input], s.Wall), Kinds: x.inputKinds(c)}
	if n := x.total; x.why.unknown < n {
		s.Breakdown = &Breakdown{Work: total[work] + total[implicit], Idleness: idle - total[held], Overhead: total[held]}
	}
	if s.Input.Total > 0 {
		s.Notes = append(s.Notes, "Tasks that generate the input are not counted: reports take the time of their workers for idle time.")
	}
	s.Notes = append(s.Notes, x.reasonNotes(idle)...)
}

// totals adds up the workers; unused is what those without any task would have
// before and after their tasks.
func (x *Index) totals(c *chosen) (total sums, unused int64) {
	for _, w := range c.workers {
		mine := x.why.line[w].within(c.from, c.to)
		if first, end := x.lanes.Of(w); first == end {
			unused += mine[before] + mine[after]
			mine[before], mine[after] = 0, 0
		}
		total.plus(1, mine)
	}
	return total, unused
}

// reasonNotes say what the causes of idle time leave open.
func (x *Index) reasonNotes(idle int64) (notes []string) {
	note := func(yes bool, format string, args ...any) {
		if yes {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	run, n := x.run, x.total
	note(idle > 0 && !x.edges, "The run has no dependencies: idle time is never put down to them.")
	note(idle > 0 && len(run.Transfer.Start) == 0, "The run has no transfers: idle time is never put down to them.")
	note(idle > 0 && len(run.State.Start) == 0, "The run has no runtime states: idle time is never put down to them.")
	note(x.why.unknown >= n, "No ready time of any task is known: idleness and overhead cannot be told apart.")
	note(x.why.unknown > 0 && x.why.unknown < n, "%d of %d tasks have no known ready time: while only they were ready "+
		"counts as idleness.", x.why.unknown, n)
	return notes
}
