package fxt

import "io"

// Bounds of what is looked for after what is no event.
const (
	lookahead = 32 << 10 // bytes that are looked at at a time
	believed  = 4        // events in a row that are not taken for chance
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
	code := f.codeWord(b)
	if code&0xff == 0 || code < minCode || code > maxCode {
		return 0
	}
	return f.headSize() + f.block.word()*int(code&0xff-1)
}

// codeWord is the word of code of the event that b begins with.
func (f *File) codeWord(b []byte) uint64 {
	word := f.block.word()
	return f.number(b[8+word:], word)
}

// known reports whether a word of code is that of an event of StarPU or FxT. Others
// may be events all the same.
func known(word uint64) bool {
	code := word >> 8
	return code-0x5100 < 0x200 || code>>4 == 0xfff || code == 0x320 || code == 0x420
}

// chain is what follows from a place on.
type chain struct {
	events int  // in a row, believed at most
	ends   bool // with them, because they are enough or the block ends there
	cut    bool // the file ends within the next one
	near   bool // their times are near each other and the last event's, and they have no thread where that has none
	known  bool // their codes are
}

// long reports whether enough events are in a row, or at least few up to the end of
// the block.
func (c chain) long(few int) bool {
	return c.ends && c.events >= few || c.cut && c.events > few
}

// chain looks at the events from a place in rest on, where last is the event
// before them, if that is known.
func (f *File) chain(at int, last *Event) chain {
	s, order, word := f.stream, f.header.ByteOrder, f.block.word()
	c := chain{near: true, known: true}
	time, timed := uint64(0), last != nil
	if timed {
		time = last.Time
	}
	for ; c.events < believed; c.events++ {
		b := s.rest[at:]
		if c.ends = s.off+int64(at) == f.end || len(b) == 0 && s.err == io.EOF; c.ends || len(b) < f.headSize() {
			return c
		}
		size, t := f.eventSize(b), order.Uint64(b)
		if c.cut = size > len(b); c.cut || size == 0 {
			return c
		}
		c.near = c.near && !(timed && far(t, time)) && !(last != nil && strange(f.number(b[8:], word), last))
		c.known = c.known && known(f.codeWord(b))
		time, timed = t, true
		at += size
	}
	c.ends = true
	return c
}

// find gives the first good place behind the beginning of rest and within
// lookahead; -1 none.
func (f *File) find(good func(at int) bool) int {
	s, word := f.stream, f.block.word()
	s.need(headroom)
	to := min(lookahead+word, len(s.rest)-f.headSize()+1)
	if f.end >= s.off {
		to = int(min(int64(to), f.end-s.off))
	}
	for at := word; at < to; at += word {
		if f.eventSize(s.rest[at:]) > 0 && good(at) {
			return at
		}
	}
	return -1
}

// findInTime gives the first place from which on events follow in time from the
// last one, if that is given; -1 none. Where most looks are in vain, so that the
// file has no such thing as time, it looks no more.
func (f *File) findInTime(last *Event) int {
	if f.inVain > 1<<26+4*f.stream.off {
		return -1
	}
	few := 1
	if last == nil {
		few = 2
	}
	at := f.find(func(at int) bool {
		if last != nil && far(f.header.ByteOrder.Uint64(f.stream.rest[at:]), last.Time) {
			return false
		}
		c := f.chain(at, last)
		return c.near && c.long(few)
	})
	if at < 0 {
		f.inVain += lookahead
	}
	return at
}

// findNamed gives the first place from which on events of known codes follow.
func (f *File) findNamed() int {
	return f.find(func(at int) bool {
		if !known(f.codeWord(f.stream.rest[at:])) {
			return false
		}
		c := f.chain(at, nil)
		return c.known && c.long(2)
	})
}

// seek goes on to the next place from which on events follow: in time from the
// last one, if that is given; or, where there is none such soon, to ones of known
// codes. It is false at the end of the block if there is none; zeros tells
// whether all is zero up to there.
func (f *File) seek(last *Event) (found, zeros bool) {
	for zeros = true; ; {
		if f.goTo(f.findInTime(last)) {
			return true, false
		}
		if f.goTo(f.findNamed()) {
			f.goTo(f.findInTime(last))
			return true, false
		}
		zero, ended := f.takePart()
		if zeros = zeros && zero; ended {
			return false, zeros
		}
	}
}

// goTo goes on to a place in rest, if there is one.
func (f *File) goTo(at int) bool {
	if at < 0 {
		return false
	}
	f.stream.take(at)
	return true
}

// takePart goes on over what find has looked at and reports whether that is all
// zero, and whether the block ends there.
func (f *File) takePart() (zero, ended bool) {
	s := f.stream
	n := min(lookahead, len(s.rest))
	if f.end >= s.off {
		n = int(min(int64(n), f.end-s.off))
	}
	zero = allZero(s.rest[:n])
	s.take(n)
	if s.off == f.end {
		return zero, f.endsHere()
	}
	return zero, len(s.rest) == 0
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
