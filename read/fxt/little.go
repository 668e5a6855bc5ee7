package fxt

import "encoding/binary"

// eachLittle64 gives the events of a block of 64-bit little-endian events,
// which is what nearly all machines write.
func (f *File) eachLittle64(e *Event, fn func(*Event) error) error {
	s := f.stream
	for {
		b := s.rest
		size, code, time, thread := 0, uint64(0), uint64(0), uint64(0)
		if len(b) >= 24 {
			time, thread, code = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])
			size = 16 + 8*int(code&0xff)
		}
		if size < 24 || code-minCode > maxCode-minCode || len(b) < size || f.end >= 0 && s.off+int64(size) > f.end || f.doubtful(e, time, thread) {
			more, err := f.edge(e)
			if err != nil || !more {
				return err
			}
			continue
		}
		e.Time, e.Thread, e.Code = time, thread, uint32(code>>8)
		e.Offset, e.Raw, e.whole = s.off, b[24:size:size], b[:size]
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
