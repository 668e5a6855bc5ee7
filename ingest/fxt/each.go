package fxt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Each gives every event in the order of the file; the event is used again. It
// ends with the first error of fn, a *Truncated after all whole events of a
// damaged file, or nil. It can be called once.
func (f *File) Each(fn func(*Event) error) error {
	e := &Event{Args: make([]uint64, 0, 256)}
	for {
		more, err := f.nextBlock()
		if err != nil || !more {
			return f.finish(err)
		}
		e.word = f.block.word()
		if e.word == 8 && f.header.ByteOrder == binary.LittleEndian {
			err = f.eachLittle64(e, fn)
		} else {
			err = f.eachAny(e, fn)
		}
		if err != nil {
			return f.finish(err)
		}
	}
}

// finish reads what is left of the stored file, so that its checksum covers it.
func (f *File) finish(err error) error {
	damage := (*Truncated)(nil)
	if err == nil || errors.As(err, &damage) {
		if e := f.drain(); e != nil {
			return fmt.Errorf("read %s: %w", f.path, e)
		}
	}
	return err
}

func (f *File) drain() error {
	for f.stream.more() {
		f.stream.take(len(f.stream.rest))
	}
	return f.src.Drain()
}

// nextBlock goes to the next block of events; false at the end of the file.
func (f *File) nextBlock() (bool, error) {
	s := f.stream
	for {
		if !s.need(blockHeader) {
			if len(s.rest) == 0 && s.err == io.EOF && f.given > 0 {
				return false, nil
			}
			return false, f.ends("a block")
		}
		b := f.header.block(s.rest)
		if !b.known() {
			return false, f.damaged("found a block of kind %#x and %d bytes, want one that FxT writes", b.kind, b.size)
		}
		if w := b.word(); w > 0 {
			f.enter(b, w)
			return true, nil
		}
		if err := f.passBlock(b); err != nil {
			return false, err
		}
	}
}

func (f *File) enter(b block, word int) {
	f.block, f.end = b, -1
	if b.size > 0 {
		f.end = f.stream.off + int64(b.size)
	}
	if f.given == 0 {
		f.header.Word = word
	}
	f.stream.take(blockHeader)
}

// passBlock goes over a block that holds no events; into that of the infos.
func (f *File) passBlock(b block) error {
	s := f.stream
	if b.kind == blockInfos {
		s.take(blockHeader)
		return nil
	}
	if b.kind == blockTime {
		s.need(int(min(b.size, maxEvent)))
		f.header.setTime(s.rest[blockHeader:min(int(min(b.size, maxEvent)), len(s.rest))])
	}
	at := s.off
	if !s.skip(b.size) {
		return f.endsAt(at, "a block")
	}
	return nil
}

func (f *File) ends(in string) error { return f.endsAt(f.stream.off, in) }

func (f *File) endsAt(at int64, in string) error {
	err := f.stream.err
	if err == io.EOF {
		err = errors.New("found the end of the file within " + in)
	}
	return &Truncated{Path: f.path, Offset: at, Events: f.given, Err: err}
}

func (f *File) damaged(format string, args ...any) error {
	return &Truncated{Path: f.path, Offset: f.stream.off, Events: f.given, Err: fmt.Errorf(format, args...)}
}
