package fxt

// eachAny gives the events of a block of either width and byte order.
func (f *File) eachAny(e *Event, fn func(*Event) error) error {
	s, head := f.stream, f.headSize()
	for {
		more, err := f.edge(e)
		if err != nil || !more {
			return err
		}
		b, size := s.rest, 0
		if len(b) >= head {
			size = f.eventSize(b)
		}
		if size == 0 || len(b) < size || f.doubtful(e, f.header.ByteOrder.Uint64(b), f.number(b[8:], e.word)) {
			continue // what is no event was passed over
		}
		code := f.number(b[8+e.word:], e.word)
		e.Time, e.Thread, e.Code = f.header.ByteOrder.Uint64(b), f.number(b[8:], e.word), uint32(code>>8)
		e.Offset, e.Raw, e.whole, e.Args = s.off, b[head:size:size], b[:size], e.Args[:0]
		for at := head; at < size; at += e.word {
			e.Args = append(e.Args, f.number(b[at:], e.word))
		}
		s.take(size)
		f.given++
		if err := fn(e); err != nil {
			return err
		}
	}
}

// number reads one number of the trace's width.
func (f *File) number(b []byte, word int) uint64 {
	if word == 4 {
		return uint64(f.header.ByteOrder.Uint32(b))
	}
	return f.header.ByteOrder.Uint64(b)
}
