// Package spans turns changes of state, as Pajé knows them, into spans.
//
// The problem: traces say "from here on this worker executes" (SetState) and
// "for the moment it allocates" (PushState, PopState); analyses want to know
// from when to when. Changes come in the order of a file, those of all workers
// mixed, and now and then backwards in time.
//
// The approach: changes are kept by stream, which is one type of state of one
// container, 16 bytes each, and replayed stream by stream after the last one,
// when it is known how long the trace is; those few streams whose time runs
// backwards are sorted first. Nothing is allocated per change but the growth of
// the streams.
//
// What the states mean is for package assemble to say.
package spans

import (
	"cmp"
	"math"
	"slices"

	"dagscope/read/assemble"
	"dagscope/trace"
)

// Op is what a change does to the states of its stream.
type Op uint8

// The four changes of Pajé: Set replaces the innermost state, Push nests, Pop
// returns, Reset ends all.
const (
	Set Op = iota
	Push
	Pop
	Reset
)

// change is one change of state; of a span that has begun, the change that
// began it.
type change struct {
	time     int64
	what     uint32 // the Op in the upper two bits; below, 1 + the kind
	extended int32  // row of Parts.Extended or None
}

func (c *change) op() Op { return Op(c.what >> 30) }

// kind is an index in Parts.State.Kind's dictionary, None for pops.
func (c *change) kind() int32 { return int32(c.what&(1<<30-1)) - 1 }

// stream is the changes of one type of states of one container. They lie in
// chunks, so that long streams are not copied while they grow; all chunks but
// the last are full.
type stream struct {
	key    uint64 // container<<32 | type
	name   int32  // of the type, in Parts.State.Type's dictionary
	late   int64  // changes before the one before them
	pops   int    // changes that begin no span
	latest int64  // time of the last change
	last   []change
	full   [][]change
	origin []uint16 // of each change; nil while all are 0
}

// Changes in a chunk: in the first, which grows up to that, and in the others.
const (
	firstChunk = 512
	chunk      = 4096
)

// next begins a chunk.
func (st *stream) next() {
	if n := cap(st.last); n < firstChunk {
		grown := make([]change, len(st.last), max(8, 2*n))
		copy(grown, st.last)
		st.last = grown
		return
	}
	st.full = append(st.full, st.last)
	st.last = make([]change, 0, chunk)
}

// len is the number of changes.
func (st *stream) len() int {
	if len(st.full) == 0 {
		return len(st.last)
	}
	return firstChunk + (len(st.full)-1)*chunk + len(st.last)
}

// at returns a change.
func (st *stream) at(i int32) *change {
	if len(st.full) == 0 {
		return &st.last[i]
	}
	if i < firstChunk {
		return &st.full[0][i]
	}
	if i -= firstChunk; int(i)/chunk+1 < len(st.full) {
		return &st.full[i/chunk+1][i%chunk]
	}
	return &st.last[i%chunk]
}

// originOf is where change i came from.
func (st *stream) originOf(i int) uint16 {
	if i >= len(st.origin) {
		return 0
	}
	return st.origin[i]
}

// chunks are all changes in their order.
func (st *stream) chunks() [][]change { return append(st.full, st.last) }

// Streams are the changes of all streams. The zero value is empty and ready.
type Streams struct {
	streams []stream
	byKey   map[uint64]int32
}

// Stream returns the stream of a type of states of a container; name is the
// type's in Parts.State.Type's dictionary. Several types may share a name.
func (s *Streams) Stream(container, typ, name int32) int32 {
	key := uint64(container)<<32 | uint64(uint32(typ))
	if i, ok := s.byKey[key]; ok {
		return i
	}
	if s.byKey == nil {
		s.byKey = make(map[uint64]int32)
	}
	i := int32(len(s.streams))
	s.byKey[key] = i
	s.streams = append(s.streams, stream{key: key, name: name, latest: math.MinInt64})
	return i
}

// Add adds a change and returns its index in the stream. kind indexes
// Parts.State.Kind's dictionary, extended is a row of Parts.Extended; either
// may be None. origin is any number of the reader's own, for the Tally.
func (s *Streams) Add(stream int32, op Op, time int64, kind, extended int32, origin uint16) int32 {
	st := &s.streams[stream]
	if time < st.latest {
		st.late++
	}
	st.latest = time
	if op >= Pop {
		st.pops++
	}
	if len(st.last) == cap(st.last) {
		st.next()
	}
	st.last = append(st.last, change{time, uint32(op)<<30 | uint32(kind+1), extended})
	n := st.len()
	if origin != 0 || st.origin != nil {
		st.setOrigin(n, origin)
	}
	return int32(n - 1)
}

// setOrigin notes where the last of n changes came from.
func (st *stream) setOrigin(n int, origin uint16) {
	for len(st.origin) < n-1 {
		st.origin = append(st.origin, 0)
	}
	st.origin = append(st.origin, origin)
}

// Extend gives a change that was added the row of its further fields.
func (s *Streams) Extend(stream, index, extended int32) {
	s.streams[stream].at(index).extended = extended
}

// Latest is the time of the latest change, NoTime if there is none.
func (s *Streams) Latest() int64 {
	latest := trace.NoTime
	for i := range s.streams {
		for _, chunk := range s.streams[i].chunks() {
			for j := range chunk {
				latest = max(latest, chunk[j].time)
			}
		}
	}
	return latest
}

// Move puts all changes on another clock, which must not run backwards.
func (s *Streams) Move(clock func(time int64) int64) {
	for i := range s.streams {
		for _, chunk := range s.streams[i].chunks() {
			for j := range chunk {
				chunk[j].time = clock(chunk[j].time)
			}
		}
	}
}

// Options say how spans are built. The zero value fits readers whose changes
// all have the kind that is meant.
type Options struct {
	File string // for the log
	// Same reports whether a bare change and an extended one at the same instant
	// that differ in their kinds mean the same; nil: never.
	Same func(typ, bare, extended int32) bool
}

// Tally counts what became of the changes, by origin (shorter where there was
// none).
type Tally struct {
	Tasks  []int64 // spans that are the execution of a task
	Merged []int64 // bare changes that the extended one of a task replaced
	Bad    []int64 // pops of states that had none
}

func count(by *[]int64, origin uint16) {
	for len(*by) <= int(origin) {
		*by = append(*by, 0)
	}
	(*by)[origin]++
}

// Build appends the spans to p.State, by container, type, start and depth, which
// is the order in which trace wants them, and gives the changes up. Spans that are
// still open end with the trace (p.Horizon) or with a container that holds
// theirs; p.Unfinished names those with further fields.
func (s *Streams) Build(p *assemble.Parts, o Options) *Tally {
	b := &builder{out: p, o: o, tally: new(Tally)}
	slices.SortFunc(s.streams, func(x, y stream) int { return cmp.Compare(x.key, y.key) })
	changes := 0
	for i := range s.streams {
		changes += s.streams[i].len() - s.streams[i].pops
	}
	b.grow(changes)
	for i := range s.streams {
		b.enter(&s.streams[i])
		b.sorted(&s.streams[i])
		b.replay(&s.streams[i])
		s.streams[i] = stream{}
	}
	*s = Streams{}
	return b.tally
}
