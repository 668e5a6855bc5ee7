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

// eventSize is the size of the event that b begins with, which is at least
// headSize long; 0 if that is none: no count of parameters, or a code of more
// than 32 bits.
func (f *File) eventSize(b []byte) int {
	word := f.block.word()
	code := f.number(b[8+word:], word)
	if code&0xff == 0 || code>>40 != 0 {
		return 0
	}
	return f.headSize() + word*int(code&0xff-1)
}

// resume goes on after what is no event. A thread takes room for an event and
// then fills it; if a signal ends the program in between, the room is written
// as it is, and good events follow.
func (f *File) resume(last *Event) (bool, error) {
	s, from, word := f.stream, f.stream.off, f.block.word()
	none := f.damaged("found no event (its code is %#x)", f.number(s.rest[8+word:], word))
	zeros := f.skipZeros()
	if s.off == f.end || len(s.rest) == 0 {
		return f.passed(from), nil
	}
	for at := max(0, zeros-8); at < min(zeros+lookahead, len(s.rest)); at += word {
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
// times near each other, or fewer up to the end of the block.
func (f *File) goesOn(at int, last *Event) bool {
	time, thread, any := last.Time, last.Thread, f.given == 0
	for n := 0; n < believed; n++ {
		b := f.stream.rest[at:]
		if f.stream.off+int64(at) == f.end || len(b) == 0 && f.stream.err == io.EOF {
			return n > 0
		}
		if len(b) < f.headSize() {
			return false
		}
		size, t := f.eventSize(b), f.header.ByteOrder.Uint64(b)
		strange := thread == 0 && f.number(b[8:], f.block.word()) != 0
		if size > len(b) {
			return n > 1 // an event that the file's end cuts
		}
		if size == 0 || !any && (strange || t+before < time || t > time+after) {
			return false
		}
		time, any = t, false
		at += size
	}
	return true
}
