package memory

import (
	"cmp"
	"math"
	"slices"

	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/trace"
)

// State is what a copy of a piece of data is worth in the MSI protocol.
type State uint8

// States. The owner has the only valid copy; shared copies are valid in several
// places.
const (
	Invalid State = iota
	Shared
	Owner
)

// String is the name of a state.
func (s State) String() string { return [...]string{"invalid", "shared", "owner"}[s] }

// Residency says when valid copies of pieces of data lay in which places: one
// row for each stay in one state, those of handle h are rows [At[h], At[h+1]),
// sorted by place and start. Stays of one handle in one place do not overlap.
type Residency struct {
	At         []int32
	Handle     []int32
	Place      []int32
	State      []State
	Start, End []int64 // ns
	Evicted    []bool  // the stay ended because the manager made room
}

// Convention chooses how events become stays.
type Convention bool

// Conventions.
const (
	// Exact takes every event. What the runtime does not trace is inferred: a
	// handle that has a home owns the copy there from its registration on, and
	// all stays end when the handle is unregistered.
	Exact Convention = false
	// StarVZ takes events only: states that repeat and then those shorter than
	// 1 µs are dropped, and what does not end lasts until the last state of a
	// worker ends.
	StarVZ Convention = true
)

const shortest = 0.001 // ms, of StarVZ's states

// Stays computes the residency of all handles that coherence events name.
func Stays(run *trace.Run, c Convention) *Residency {
	b := &stays{run: run, home: home(run), starvz: c == StarVZ, end: run.Meta.Horizon}
	if b.starvz {
		b.end = lastState(run)
	}
	b.classify()
	r := &Residency{At: make([]int32, 1, len(run.Handle.Node)+1)}
	rows := make([]int32, 0, 64)
	for h := range run.Handle.Node {
		rows = append(rows[:0], b.rows[b.at[h]:b.at[h+1]]...)
		slices.SortStableFunc(rows, func(i, j int32) int { return cmp.Compare(run.Event.Resource[i], run.Event.Resource[j]) })
		for from := 0; from < len(rows); {
			to := from + 1
			for to < len(rows) && run.Event.Resource[rows[to]] == run.Event.Resource[rows[from]] {
				to++
			}
			b.place(r, int32(h), rows[from:to])
			from = to
		}
		r.At = append(r.At, int32(len(r.Handle)))
	}
	return r
}

// lastState is the end of the last state of a worker, as StarVZ ends what does
// not end.
func lastState(run *trace.Run) (end int64) {
	s, re := &run.State, &run.Resource
	for i, r := range s.Resource {
		if r >= 0 && re.Level.At(int(r)) == trace.LevelWorker {
			end = max(end, s.End[i])
		}
	}
	return end
}

// stays makes the residency out of events.
type stays struct {
	run    *trace.Run
	home   map[[2]int32]int32
	starvz bool
	end    int64 // of the recording

	at, rows  []int32 // coherence events by handle
	state     []State // by event kind
	begin     []int64 // registration by handle, NoTime if unknown
	gone      []int64 // unregistration by handle
	evictions map[cell]interval.Spans
	pieces    []piece
}

type cell struct{ handle, place int32 }

type piece struct {
	start, end int64
	state      State
}

// classify deals the events out to their handles.
func (b *stays) classify() {
	e := &b.run.Event
	k := kindsOf(&e.Kind, eventInvalid, eventShared, eventOwner, eventRegistration, eventEnd, "WritingBack Start", "WritingBack End")
	n := len(b.run.Handle.Node)
	b.state = make([]State, len(e.Kind.Dict))
	b.begin, b.gone = slices.Repeat([]int64{trace.NoTime}, n), slices.Repeat([]int64{math.MaxInt64}, n)
	b.evictions = map[cell]interval.Spans{}
	for s, kind := range k[:3] {
		if kind >= 0 {
			b.state[kind] = State(s)
		}
	}
	group := slices.Repeat([]int32{trace.None}, len(e.Time))
	for i, kind := range e.Kind.Index {
		if i >= len(e.Handle) || e.Handle[i] < 0 || e.Resource[i] < 0 {
			continue
		}
		h := e.Handle[i]
		switch kind {
		case k[0], k[1], k[2]:
			group[i] = h
		case k[3]:
			if b.begin[h] == trace.NoTime {
				b.begin[h] = e.Time[i]
			}
		case k[4]:
			b.gone[h] = e.Time[i]
		case k[5]:
			b.writeBack(cell{h, e.Resource[i]}, e.Time[i], math.MaxInt64)
		case k[6]:
			b.writeBack(cell{h, e.Resource[i]}, trace.NoTime, e.Time[i])
		}
	}
	b.at, b.rows = interval.Group(group, n, nil)
}

// writeBack notes when a manager makes room: from when or, of the last, until
// when.
func (b *stays) writeBack(c cell, start, end int64) {
	s := b.evictions[c]
	if start != trace.NoTime {
		s.Start, s.End = append(s.Start, start), append(s.End, end)
	} else if n := len(s.End); n > 0 && s.End[n-1] == math.MaxInt64 {
		s.End[n-1] = end
	}
	b.evictions[c] = s
}

// place appends the stays of a handle in one place, whose events are rows.
func (b *stays) place(r *Residency, handle int32, rows []int32) {
	place := b.run.Event.Resource[rows[0]]
	if b.starvz {
		b.conventional(rows)
	} else {
		b.exact(handle, place, rows)
	}
	evictions := b.evictions[cell{handle, place}]
	for i, p := range b.pieces {
		if p.state == Invalid || p.end <= p.start {
			continue
		}
		last := i+1 == len(b.pieces) || b.pieces[i+1].state == Invalid
		r.Handle, r.Place, r.State = append(r.Handle, handle), append(r.Place, place), append(r.State, p.state)
		r.Start, r.End = append(r.Start, p.start), append(r.End, p.end)
		r.Evicted = append(r.Evicted, last && i+1 < len(b.pieces) && holds(evictions, p.end))
	}
}

// holds tells whether an instant lies in one of some spans, their ends included.
func holds(s interval.Spans, t int64) bool {
	for i := interval.FirstAfter(s.Start, t) - 1; i >= 0; i-- {
		if s.End[i] >= t {
			return true
		}
	}
	return false
}

// exact makes pieces of every event; the last of an instant counts.
func (b *stays) exact(handle, place int32, rows []int32) {
	b.pieces = b.pieces[:0]
	end := min(b.end, b.gone[handle])
	h := &b.run.Handle
	first := b.run.Event.Time[rows[0]]
	if home, ok := b.home[[2]int32{h.Node[handle], h.Home[handle]}]; ok && home == place && b.begin[handle] != trace.NoTime && b.begin[handle] < first {
		b.add(b.begin[handle], Owner)
	}
	for _, i := range rows {
		b.add(b.run.Event.Time[i], b.state[b.run.Event.Kind.Index[i]])
	}
	b.finish(max(end, b.pieces[len(b.pieces)-1].start))
}

// add begins a state at an instant no earlier than the last.
func (b *stays) add(t int64, s State) {
	n := len(b.pieces)
	if n > 0 && b.pieces[n-1].start == t {
		n--
		b.pieces = b.pieces[:n]
	}
	if n == 0 || b.pieces[n-1].state != s {
		b.pieces = append(b.pieces, piece{start: t, state: s})
	}
}

func (b *stays) finish(end int64) {
	for i := range b.pieces {
		b.pieces[i].end = end
		if i+1 < len(b.pieces) {
			b.pieces[i].end = b.pieces[i+1].start
		}
	}
}

// conventional makes pieces as StarVZ does.
func (b *stays) conventional(rows []int32) {
	b.pieces = b.pieces[:0]
	for _, i := range rows {
		b.pieces = append(b.pieces, piece{start: b.run.Event.Time[i], state: b.state[b.run.Event.Kind.Index[i]]})
	}
	same := func(a, c piece) bool { return a.state == c.state }
	b.pieces = slices.CompactFunc(b.pieces, same)
	b.finish(b.end)
	b.pieces = slices.DeleteFunc(b.pieces, func(p piece) bool { return b.ms(p.end)-b.ms(p.start) < shortest })
	b.pieces = slices.CompactFunc(b.pieces, same)
	b.finish(b.end)
}

// ms is a time as StarVZ has it: milliseconds of the source less those of the
// zero, whose rounding decides about states of just 1 µs.
func (b *stays) ms(t int64) float64 {
	origin := b.run.Meta.Origin
	return float64(t+origin)/1e6 - float64(origin)/1e6
}

// Len is the number of stays.
func (r *Residency) Len() int { return len(r.Handle) }

// Of returns the rows of a handle as [from, to).
func (r *Residency) Of(handle int32) (from, to int) { return int(r.At[handle]), int(r.At[handle+1]) }

// StateAt is the state of a handle's copy in a place at an instant.
func (r *Residency) StateAt(handle, place int32, t int64) State {
	from, to := r.Of(handle)
	for i := from; i < to; i++ {
		if r.Place[i] == place && r.Start[i] <= t && t < r.End[i] {
			return r.State[i]
		}
	}
	return Invalid
}

// Shares are the exact times that copies lay in places, slice by slice. Only
// slices with some are listed, sorted by handle, place and slice. Over all
// places the times of a slice may add up to more than its length: copies are
// shared.
type Shares struct {
	Slices        interval.Slices
	Handle, Place []int32
	Slice         []int32
	Owner, Shared []int64 // ns
}

// Cut computes the shares of a window.
func (r *Residency) Cut(s interval.Slices) *Shares {
	out := &Shares{Slices: s}
	for i := range r.Handle {
		start, end := max(r.Start[i], s.From), min(r.End[i], s.To)
		if end <= start {
			continue
		}
		for k := s.At(start); k < s.Len(); k++ {
			from, to := s.Bounds(k)
			if from >= end {
				break
			}
			out.add(r.Handle[i], r.Place[i], int32(k), r.State[i], min(end, to)-max(start, from))
		}
	}
	return out
}

func (s *Shares) add(handle, place, slice int32, state State, ns int64) {
	n := len(s.Handle) - 1
	if n < 0 || s.Handle[n] != handle || s.Place[n] != place || s.Slice[n] != slice {
		s.Handle, s.Place, s.Slice = append(s.Handle, handle), append(s.Place, place), append(s.Slice, slice)
		s.Owner, s.Shared = append(s.Owner, 0), append(s.Shared, 0)
		n++
	}
	if state == Owner {
		s.Owner[n] += ns
	} else {
		s.Shared[n] += ns
	}
}

// Copies returns for each of some places how many handles had a valid copy
// there, as step functions.
func (r *Residency) Copies(places []int32) []interval.Steps {
	at := map[int32]int{}
	for i, p := range places {
		at[p] = i
	}
	spans := make([]interval.Spans, len(places))
	for i, p := range r.Place {
		if k, ok := at[p]; ok {
			spans[k].Add(r.Start[i], r.End[i])
		}
	}
	out := make([]interval.Steps, len(places))
	parallel.For(len(places), func(i int) { out[i] = interval.Concurrency(spans[i]) })
	return out
}
