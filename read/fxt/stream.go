package fxt

import (
	"errors"
	"io"

	"dagscope/internal/text"
)

const (
	chunkBytes = 1 << 20                           // read at a time
	headroom   = lookahead + (believed+2)*maxEvent // before a chunk, for the beginning of what ends in it
	maxEvent   = 24 + 254*8                        // bytes of the largest event
	inFlight   = 3                                 // chunks: one being read, one waiting, one being decoded
)

// stream gives the bytes of a file in order. They are read, hashed and
// decompressed in a goroutine of its own, in chunks whose memory is used again.
type stream struct {
	rest []byte // read, not yet used
	off  int64  // of rest in the decompressed file
	err  error  // that ended reading; io.EOF after a sound end

	chunk []byte // memory that rest lies in
	free  chan []byte
	full  chan piece
	stop  chan struct{}

	progress func()
}

// piece is a chunk with its headroom, or the error that ends the file.
type piece struct {
	mem []byte
	err error
}

// newStream starts reading; close ends it.
func newStream(src io.Reader, chunk int) *stream {
	s := &stream{free: make(chan []byte, inFlight), full: make(chan piece, 1), stop: make(chan struct{})}
	for range inFlight {
		s.free <- nil
	}
	go s.produce(src, chunk)
	return s
}

func (s *stream) produce(src io.Reader, chunk int) {
	defer close(s.full)
	for err := error(nil); err == nil; {
		var mem []byte
		select {
		case mem = <-s.free:
		case <-s.stop:
			return
		}
		if mem == nil {
			mem = make([]byte, headroom+chunk)
		}
		var n int
		n, err = text.ReadFull(src, mem[headroom:cap(mem)])
		select {
		case s.full <- piece{mem[:headroom+n], err}:
		case <-s.stop:
			return
		}
	}
}

// more appends the next chunk to rest, which must not be longer than headroom;
// false at the end.
func (s *stream) more() bool {
	if s.err != nil {
		return false
	}
	p, ok := <-s.full
	if !ok {
		s.err = errors.New("found a closed file")
		return false
	}
	at := headroom - len(s.rest)
	copy(p.mem[at:], s.rest)
	if s.chunk != nil {
		s.free <- s.chunk
	}
	s.chunk, s.rest, s.err = p.mem, p.mem[at:], p.err
	if s.progress != nil {
		s.progress()
	}
	return true
}

// need makes rest at least n bytes long, at most headroom; false where the file
// ends before.
func (s *stream) need(n int) bool {
	for len(s.rest) < n {
		if !s.more() {
			return false
		}
	}
	return true
}

// take goes on over n bytes of rest.
func (s *stream) take(n int) {
	s.rest = s.rest[n:]
	s.off += int64(n)
}

// read fills p; false if the file has less.
func (s *stream) read(p []byte) bool {
	for {
		n := copy(p, s.rest)
		p = p[n:]
		s.take(n)
		if len(p) == 0 {
			return true
		}
		if !s.more() {
			return false
		}
	}
}

// skip goes on over n bytes; false if the file has less.
func (s *stream) skip(n uint64) bool {
	for n > uint64(len(s.rest)) {
		n -= uint64(len(s.rest))
		s.take(len(s.rest))
		if !s.more() {
			return false
		}
	}
	s.take(int(n))
	return true
}

// close ends the goroutine and waits for it.
func (s *stream) close() {
	close(s.stop)
	for range s.full {
	}
}
