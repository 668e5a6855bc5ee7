package selection

import (
	"encoding/binary"
	"sort"

	"dagscope/interval"
)

// cause is what a worker did, or why it did nothing.
type cause uint8

const (
	work cause = iota
	dependency
	transfer
	runtimeState
	unexplained
	rest // before the run's zero, or after its last task: nothing waits
	causes
	held = causes // index of sums: without work while a task was ready
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
// each. A part is a varint: its length times 16, plus 8 if a task was ready, plus
// its cause. That is 2 to 4 bytes for what lasts up to a millisecond or ten;
// columns of start, cause and sums would be 50. Where a block of parts begins,
// the time and the sums so far are kept, so that sums up to any instant are
// found by reading one block. Outside the string the cause is rest.
type timeline struct {
	from, to int64
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

// until are the sums before t, counted from the start of the timeline: the
// difference of two instants is what lies between them.
func (l *timeline) until(t int64) (s sums) {
	if t <= l.from {
		s[rest] = t - l.from
		return s
	}
	if t >= l.to {
		s = l.total
		s[rest] += t - l.to
		return s
	}
	i := sort.Search(len(l.blocks), func(i int) bool { return l.blocks[i].at > t }) - 1
	b := &l.blocks[i]
	s = b.before
	for at, offset := b.at, b.offset; at < t; {
		part, n := binary.Uvarint(l.parts[offset:])
		length := int64(part >> 4)
		s.add(min(length, t-at), cause(part&7), part&8 != 0)
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
	ready    interval.Spans // when a task was ready
	next     int            // first of ready that ends after to
	open     uint64         // code of the last part
	openFrom int64
	count    int
}

func newWriter(from int64, ready interval.Spans) *writer {
	return &writer{timeline: &timeline{from: from, to: from}, ready: ready, openFrom: from}
}

// add goes on to an instant with one cause; back is ignored.
func (w *writer) add(to int64, c cause) {
	for w.to < to {
		end, code := to, uint64(c)
		if c != work {
			isReady, until := w.readyAt(w.to)
			if end = min(to, until); isReady {
				code |= 8
			}
		}
		if code != w.open {
			w.close()
			w.open = code
		}
		w.to = end
	}
}

// readyAt tells whether a task is ready at an instant, which must not be less
// than the last, and until when that holds.
func (w *writer) readyAt(at int64) (ready bool, until int64) {
	for step := 1; w.next < w.ready.Len() && w.ready.End[w.next] <= at; step *= 2 {
		w.next += interval.FirstAfter(w.ready.End[w.next:min(w.ready.Len(), w.next+step)], at)
	}
	switch {
	case w.next == w.ready.Len():
		return false, 1<<63 - 1
	case w.ready.Start[w.next] > at:
		return false, w.ready.Start[w.next]
	}
	return true, w.ready.End[w.next]
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
	w.parts = binary.AppendUvarint(w.parts, uint64(length)<<4|w.open)
	w.total.add(length, cause(w.open&7), w.open&8 != 0)
	w.openFrom = w.to
}

// finish returns the timeline, cut to size.
func (w *writer) finish() *timeline {
	w.close()
	w.parts, w.blocks = append([]byte(nil), w.parts...), append([]block(nil), w.blocks...)
	return w.timeline
}
