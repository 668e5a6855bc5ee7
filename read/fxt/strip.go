package fxt

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Stripped says what Strip wrote and left out.
type Stripped struct {
	Events int64 // written, all of them
	Names  int   // of processes, left out
	IDs    int   // of the recording process, overwritten by 0
	Size   error // nil, or why the size of a block that is not true could not be corrected
}

// Strip writes the trace without what it tells of the machine and of others:
// names and ids of all processes, the system's name, interrupts, symbols, the
// recording process's id, how long the machine was up. It is called instead of
// Each. All whole events stay byte for byte, but for that id in FxT's own
// events. After a *Truncated the file is written as far as it goes.
//
// The sizes of blocks stay as they are stated, right or wrong, unless dst can
// be written at any place, such as a file: then they are corrected.
func (f *File) Strip(dst io.Writer) (Stripped, error) {
	s := stripper{f: f, to: bufio.NewWriterSize(dst, 1<<18)}
	err := s.strip()
	damage := (*Truncated)(nil)
	if err != nil && !errors.As(err, &damage) {
		return s.result, err
	}
	if e := s.to.Flush(); e != nil {
		return s.result, fmt.Errorf("write stripped trace: %w", e)
	}
	s.result.Size = s.correct(dst)
	return s.result, err
}

type stripper struct {
	result Stripped
	f      *File
	to     *bufio.Writer
	at     int64 // bytes written
	wrong  []wrongSize
	own    []byte // one event, changed
}

// wrongSize is a block whose header does not say how long it is.
type wrongSize struct {
	at   int64 // of the block
	size uint64
}

func (s *stripper) strip() error {
	more, err := s.f.nextBlock()
	if e := s.write(s.f.head()); e != nil {
		return e
	}
	s.result.Names = max(0, s.f.names)
	e := &Event{}
	for ; more && err == nil; more, err = s.f.nextBlock() {
		if err = s.block(e); err != nil {
			break
		}
	}
	s.result.Events = s.f.given
	return s.f.finish(err)
}

// block copies the block of events that the file is in.
func (s *stripper) block(e *Event) error {
	from, b := s.at, s.f.block
	if err := s.write(s.f.header.appendBlock(nil, b)); err != nil {
		return err
	}
	err := s.f.eachOfBlock(e, s.event)
	if size := uint64(s.at - from); size != b.size {
		s.wrong = append(s.wrong, wrongSize{from, size})
	}
	return err
}

// FxT's own events with the recording process's id as their second parameter.
const (
	codeReset     = 0xfffd
	codeKeychange = 0xfffe
	codeSetup     = 0xffff
)

func (s *stripper) event(e *Event) error {
	b := e.whole
	if e.Code >= codeReset && e.Code <= codeSetup && len(e.Args) > 1 {
		s.own = append(s.own[:0], b...)
		b = s.own
		clear(b[len(b)-len(e.Raw)+e.word:][:e.word])
		s.result.IDs++
	}
	return s.write(b)
}

func (s *stripper) write(b []byte) error {
	n, err := s.to.Write(b)
	s.at += int64(n)
	if err != nil {
		return fmt.Errorf("write stripped trace: %w", err)
	}
	return nil
}

// correct fills in the true sizes of blocks.
func (s *stripper) correct(dst io.Writer) error {
	if len(s.wrong) == 0 {
		return nil
	}
	file, ok := dst.(io.WriterAt)
	if seeker, seeks := dst.(io.Seeker); !ok || !seeks {
		return errors.New("found compressed output or a pipe, want a file to correct the size of a block in")
	} else if at, err := seeker.Seek(0, io.SeekCurrent); err != nil || at != s.at {
		return errors.New("found output that is not a file from its beginning on, want one to correct the size of a block in")
	}
	for _, w := range s.wrong {
		if _, err := file.WriteAt(s.f.header.appendBlock(nil, block{size: w.size})[:8], w.at); err != nil {
			return fmt.Errorf("correct the size of a block: %w", err)
		}
	}
	return nil
}

// head is everything before the events, with nothing in it but the processors
// and the time.
func (f *File) head() []byte {
	h := &f.header
	zeros := make([]byte, 8)
	infos := h.appendBlock(nil, block{kind: blockTime}, f.bareTime()...)
	infos = h.appendBlock(infos, block{kind: blockIRQs}, zeros...)
	infos = h.appendBlock(infos, block{kind: blockUname}, zeros[:4]...)
	infos = h.appendBlock(infos, block{kind: blockAddrs}, zeros...)
	infos = h.appendBlock(infos, block{kind: blockPIDs}, zeros...)
	return h.appendBlock(binary.BigEndian.AppendUint32(nil, h.Arch), block{kind: blockInfos}, infos...)
}

// appendBlock appends a block; a size that is not given is that of its body.
func (h *Header) appendBlock(b []byte, of block, body ...byte) []byte {
	if len(body) > 0 {
		of.size = uint64(blockHeader + len(body))
	}
	o := h.ByteOrder.(binary.AppendByteOrder)
	b = o.AppendUint64(b, of.size)
	b = o.AppendUint32(b, of.kind)
	return append(o.AppendUint32(b, of.sub), body...)
}

// bareTime is the body of the block of the time without ids and ticks.
func (f *File) bareTime() []byte {
	at, ok := f.header.timeParts(f.time)
	if !ok {
		b := make([]byte, 8+44)
		f.header.ByteOrder.PutUint32(b, 1) // a program, not the kernel
		return b
	}
	b := append([]byte(nil), f.time[:at+44]...)
	clear(b[at : at+8])
	clear(b[at+24 : at+40])
	return b
}
