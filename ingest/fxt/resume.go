package fxt

import "io"

// Bounds of what is looked for after what is no event.
const (
	lookahead = 32 << 10 // bytes after zeros in which the next event must begin
	believed  = 4        // events in a row that are not taken for chance
	before    = 1e9      // ns that an event's time may be before the last one's
	after     = 3600e9   // and after
)

// headSize is the size of an event without parameters.
func (f *File) headSize() int { return 8 + 2*f.block.word() }

// Bounds of an event's word of code, whose last byte is the count. Nobody's codes
// are below 0x100, but many parameters are small numbers.
const (
	minCode = 0x100 << 8
	maxCode = 1<<40 - 1
)

// eventSize is the size of the event that b begins with, which is at least
// headSize long; 0 if that is none: no count of parameters, a code below 0x100 or
// of more than 32 bits.
func (f *File) eventSize(b []byte) int {
	word := f.block.word()
	code := f.number(b[8+word:], word)
	if code&0xff == 0 || code < minCode || code > maxCode {
		return 0
	}
	return f.headSize() + word*int(code&0xff-1)
}

// doubtful tells whether the next event's time is far from the last one's, or it
// has a thread while those before had none, and nothing else speaks for it yet.
func (f *File) doubtful(last *Event, time, thread uint64) bool {
	far := time-last.Time+before > before+after
	return (far || thread != 0 && last.Thread == 0) && f.given > 0 && f.stream.off != f.trusted
}

// trust tells whether events follow the next one that speak for it.
func (f *File) trust() bool {
	f.stream.need(believed * maxEvent)
	if !f.goesOn(0, nil) {
		return false
	}
	f.trusted = f.stream.off
	return true
}

// resume goes on after what is no event. A thread takes room for an event and
// then fills it: if the buffer is written in between, because it is full or a
// signal ends the program, then there are zeros or what was there before, and
// good events follow.
func (f *File) resume(last *Event) (bool, error) {
	s, from, word := f.stream, f.stream.off, f.block.word()
	none := f.damaged("found no event (its code is %#x)", f.number(s.rest[8+word:], word))
	if f.given == 0 {
		last = nil
	}
	zeros := f.skipZeros()
	if s.off == f.end || len(s.rest) == 0 {
		return f.passed(from), nil
	}
	for at := max(word, zeros-8); at < min(zeros+lookahead, len(s.rest)); at += word {
		if f.goesOn(at, last) {
			s.take(at)
			return f.passed(from), nil
		}
	}
	return false, none
}

// skipZeros goes over zeros, all of them up to the end of the block or file, else
// but for some, which it counts, so that the next event and as much as is
// looked at after it lie in rest.
func (f *File) skipZeros() int {
	s, word := f.stream, f.block.word()
	for {
		s.need(headroom)
		n := 0
		for n+word <= len(s.rest) && s.off+int64(n) != f.end && f.number(s.rest[n:], word) == 0 {
			n += word
		}
		switch {
		case s.off+int64(n) == f.end, n == len(s.rest) && s.err != nil:
			s.take(n)
			return 0
		case n <= lookahead:
			return n
		}
		s.take(n - 8) // the next time's first half may be zero
	}
}

// passed counts what was passed over since a place in the file; true always.
func (f *File) passed(from int64) bool {
	f.gaps++
	f.gapBytes += f.stream.off - from
	return true
}

// goesOn tells whether events follow from a place in rest on: some in a row with
// times near each other and the last event's, if one is given, or fewer up to the
// end of the block.
func (f *File) goesOn(at int, last *Event) bool {
	s, order, word := f.stream, f.header.ByteOrder, f.block.word()
	var time uint64
	known, few := last != nil, 2
	if known {
		time, few = last.Time, 1
	}
	for n := range believed {
		b := s.rest[at:]
		if s.off+int64(at) == f.end || len(b) == 0 && s.err == io.EOF {
			return n >= few
		}
		if len(b) < f.headSize() {
			return false
		}
		size, t := f.eventSize(b), order.Uint64(b)
		if size > len(b) {
			return n > few // an event that the file's end cuts
		}
		strange := last != nil && last.Thread == 0 && f.number(b[8:], word) != 0
		if size == 0 || strange || known && t-time+before > before+after {
			return false
		}
		time, known = t, true
		at += size
	}
	return true
}
