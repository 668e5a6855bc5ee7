package fxttest

import "io"

// Repeat is a file of any length without its memory: the events again and
// again, each time later by their span and a nanosecond, in one block of the
// right size.
func Repeat(events []Event, f Form, times int) io.Reader {
	r := &repeated{form: f, left: times, body: f.Body(nil, events)}
	at, first, last := 0, ^uint64(0), uint64(0)
	for i := range events {
		r.stamps = append(r.stamps, at)
		at += len(f.event(nil, &events[i]))
		first, last = min(first, events[i].Time), max(last, events[i].Time)
	}
	if len(events) > 0 {
		r.span = last - first + 1
	}
	r.rest = f.block(f.Head(nil), 16+uint64(times)*uint64(len(r.body)), f.kind())
	return r
}

type repeated struct {
	form   Form
	body   []byte
	stamps []int // where times lie in body
	span   uint64
	left   int
	later  bool
	rest   []byte
}

func (r *repeated) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		if r.left == 0 {
			return 0, io.EOF
		}
		r.next()
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *repeated) next() {
	r.left--
	r.rest = r.body
	if !r.later {
		r.later = true
		return
	}
	order := r.form.byteOrder()
	for _, at := range r.stamps {
		order.PutUint64(r.body[at:], order.Uint64(r.body[at:])+r.span)
	}
}
