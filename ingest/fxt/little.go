package fxt

import (
	"encoding/binary"
	"io"
)

// eachLittle64 gives the events of a block of 64-bit little-endian events,
// which is what nearly all machines write.
func (f *File) eachLittle64(e *Event, fn func(*Event) error) error {
	s := f.stream
	for {
		b := s.rest
		size := 0
		if len(b) >= 24 {
			size = 16 + 8*int(b[16])
		}
		if size < 24 || len(b) < size || f.end >= 0 && s.off+int64(size) > f.end {
			more, err := f.edge(24, 8, 16)
			if err != nil || !more {
				return err
			}
			continue
		}
		code := binary.LittleEndian.Uint64(b[16:])
		if code>>40 != 0 {
			return f.damaged("found event code %#x, want one of 32 bits", code>>8)
		}
		e.Time, e.Thread, e.Code = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), uint32(code>>8)
		e.Offset, e.Raw = s.off, b[24:size:size]
		args := e.Args[:(size-24)/8]
		for i := range args {
			args[i] = binary.LittleEndian.Uint64(e.Raw[8*i:])
		}
		e.Args = args
		s.rest = b[size:]
		s.off += int64(size)
		f.given++
		if err := fn(e); err != nil {
			return err
		}
	}
}

// edge is where the stream does not begin with a whole event of the block: it
// reads on, or ends the block (false), or says what is wrong. head is the size
// of an event without parameters, param that of one, count where the byte is
// that tells how many there are.
func (f *File) edge(head, param, count int) (bool, error) {
	s := f.stream
	if f.end >= 0 && s.off >= f.end {
		return false, nil
	}
	if !s.need(head) {
		if len(s.rest) == 0 && s.err == io.EOF && f.end < 0 {
			return false, nil
		}
		return false, f.ends("an event")
	}
	n := int(s.rest[count])
	if n == 0 {
		return false, f.damaged("found an event without a count of parameters")
	}
	size := head + param*(n-1)
	if f.end >= 0 && s.off+int64(size) > f.end {
		return false, f.damaged("found an event of %d bytes, want one that ends with its block at byte %d", size, f.end)
	}
	if !s.need(size) {
		return false, f.ends("an event")
	}
	return true, nil
}
