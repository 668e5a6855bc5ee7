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
	e := &Event{}
	for {
		more, err := f.nextBlock()
		if err == nil && more {
			err = f.eachOfBlock(e, fn)
		}
		if err != nil || !more {
			return f.finish(err)
		}
	}
}

// eachOfBlock gives the events of the block that nextBlock went to.
func (f *File) eachOfBlock(e *Event, fn func(*Event) error) error {
	if e.word = f.block.word(); e.Args == nil {
		e.Args = make([]uint64, 0, 256)
	}
	if e.word == 8 && f.header.ByteOrder == binary.LittleEndian {
		return f.eachLittle64(e, fn)
	}
	return f.eachAny(e, fn)
}

// finish reads what is left of the stored file, so that its checksum covers it,
// and counts what of it was no good.
func (f *File) finish(err error) error {
	damage := (*Truncated)(nil)
	if err != nil && !errors.As(err, &damage) {
		return err
	}
	s := f.stream
	for more := true; more; more = s.more() {
		s.take(len(s.rest))
	}
	if e := f.src.Drain(); e != nil {
		return fmt.Errorf("read %s: %w", f.path, e)
	}
	if damage != nil {
		damage.Lost = s.off - damage.Offset
	}
	return err
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
