package fxt

// eachAny gives the events of a block of either width and byte order. The byte
// with the count of parameters is the code's least one, wherever that is.
func (f *File) eachAny(e *Event, fn func(*Event) error) error {
	s, order := f.stream, f.header.ByteOrder
	head, low := 8+2*e.word, 8+e.word
	if f.header.Arch >= bigEndian {
		low = head - 1
	}
	for {
		more, err := f.edge(head, e.word, low)
		if err != nil || !more {
			return err
		}
		b := s.rest
		size := head + e.word*(int(b[low])-1)
		code := f.number(b[8+e.word:], e.word)
		if code>>40 != 0 {
			return f.damaged("found event code %#x, want one of 32 bits", code>>8)
		}
		e.Time, e.Thread, e.Code = order.Uint64(b), f.number(b[8:], e.word), uint32(code>>8)
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
