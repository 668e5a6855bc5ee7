package selection

import (
	"encoding/binary"
	"sort"

	"dagscope/explain/chain"
	"dagscope/internal/interval"
)

// cause is what a worker did, or why it did nothing.
type cause uint8

const (
	work       cause = iota
	before           // the run's zero: no task waits yet
	after            // the last task of the worker: none waits any more
	input            // no idle time: a task that generates the input ran
	implicit         // no idle time: a task of the runtime's own ran
	absent           // no time of the worker: its thread was not there
	firstClass       // those from here on are classes of the chain
)

const (
	unexplained = firstClass + cause(chain.Unexplained)
	causes      = unexplained + 1
	held        = causes // index of sums: without work while a task was ready
)

// sums are times by cause, ns. Those of the causes add up to the whole.
type sums [causes + 1]int64

func (s *sums) add(length int64, c cause, isHeld bool) {
	s[c] += length
	if isHeld {
		s[held] += length
	}
}

// plus adds f times r.
func (s *sums) plus(f int64, r sums) {
	for i := range s {
		s[i] += f * r[i]
	}
}

// timeline is the time of a worker as a string of parts that have one cause
// each. A part is a varint: its length times 64, plus 32 if a task was ready, plus
// its cause, of which there are 24. That is 2 to 4 bytes for what lasts up to a millisecond or four;
// columns of start, cause and sums would be 50. Where a block of parts begins,
// the time and the sums so far are kept, so that sums up to any instant are
// found by reading one block. The string holds zero; what is earlier than it is
// before, what is later is after.
type timeline struct {
	from, to int64
	outside  [2]cause // earlier and later
	total    sums
	parts    []byte
	blocks   []block
}

// block is what came before some part.
type block struct {
	at     int64 // ns
	offset int   // of the part, bytes
	before sums
}

const blockParts = 128

// A part's code: its cause, whether a task was ready, and its length above.
const (
	causeMask   = 31
	readyBit    = 32
	lengthShift = 6
)

// until are the sums before t, counted from the start of the timeline: the
// difference of two instants is what lies between them.
func (l *timeline) until(t int64) (s sums) {
	if t <= l.from {
		s[l.outside[0]] = t - l.from
		return s
	}
	if t >= l.to {
		s = l.total
		s[l.outside[1]] += t - l.to
		return s
	}
	i := sort.Search(len(l.blocks), func(i int) bool { return l.blocks[i].at > t }) - 1
	b := &l.blocks[i]
	s = b.before
	for at, offset := b.at, b.offset; at < t; {
		part, n := binary.Uvarint(l.parts[offset:])
		length := int64(part >> lengthShift)
		s.add(min(length, t-at), cause(part&causeMask), part&readyBit != 0)
		at += length
		offset += n
	}
	return s
}

// within are the sums of [from, to).
func (l *timeline) within(from, to int64) sums {
	s := l.until(to)
	s.plus(-1, l.until(from))
	return s
}

// writer makes a timeline from parts in order of time. What it was given last
// may still grow.
type writer struct {
	*timeline
	ready    cursor // when a task was ready
	others   [3]claim
	open     uint64 // code of the last part
	openFrom int64
	count    int
}

// claim is time of a worker that is no idle time though no counted task ran.
type claim struct {
	cursor
	cause
}

// others are the claims on a worker's time.
type others struct{ absent, implicit, input interval.Spans }

// newWriter begins a timeline; earlier claims win over later ones.
func newWriter(from int64, ready interval.Spans, o others) *writer {
	return &writer{
		timeline: &timeline{from: from, to: from, outside: [2]cause{before, after}}, ready: cursor{Spans: ready}, openFrom: from,
		others: [3]claim{{cursor{Spans: o.absent}, absent}, {cursor{Spans: o.implicit}, implicit}, {cursor{Spans: o.input}, input}},
	}
}

// add goes on to an instant with one cause; back is ignored.
func (w *writer) add(to int64, c cause) {
	for w.to < to {
		code, end := w.code(c, to)
		if code != w.open {
			w.close()
			w.open = code
		}
		w.to = end
	}
}

// code is that of a part with one cause and how far it goes, at most to an
// instant. Work stays work; a worker that generates the input, or does the runtime's work, waits for nothing.
func (w *writer) code(c cause, to int64) (code uint64, end int64) {
	if c == work {
		return uint64(work), to
	}
	for i := range w.others {
		claims, until := w.others[i].at(w.to)
		if to = min(to, until); claims {
			return uint64(w.others[i].cause), to
		}
	}
	isReady, until := w.ready.at(w.to)
	if to = min(to, until); isReady {
		return uint64(c) | readyBit, to
	}
	return uint64(c), to
}

// cursor goes through spans that do not overlap, in order of time.
type cursor struct {
	interval.Spans
	next int // first that ends after the last instant
}

// at tells whether an instant, which must not be less than the last, is in a
// span, and until when that holds.
func (c *cursor) at(t int64) (inside bool, until int64) {
	for step := 1; c.next < c.Len() && c.End[c.next] <= t; step *= 2 {
		c.next += interval.FirstAfter(c.End[c.next:min(c.Len(), c.next+step)], t)
	}
	switch {
	case c.next == c.Len():
		return false, 1<<63 - 1
	case c.Start[c.next] > t:
		return false, c.Start[c.next]
	}
	return true, c.End[c.next]
}

// close writes the last part.
func (w *writer) close() {
	length := w.to - w.openFrom
	if length == 0 {
		return
	}
	if w.count%blockParts == 0 {
		w.blocks = append(w.blocks, block{w.openFrom, len(w.parts), w.total})
	}
	w.count++
	w.parts = binary.AppendUvarint(w.parts, uint64(length)<<lengthShift|w.open)
	w.total.add(length, cause(w.open&causeMask), w.open&readyBit != 0)
	w.openFrom = w.to
}

// finish returns the timeline, cut to size.
func (w *writer) finish() *timeline {
	w.close()
	w.parts, w.blocks = append([]byte(nil), w.parts...), append([]block(nil), w.blocks...)
	return w.timeline
}
