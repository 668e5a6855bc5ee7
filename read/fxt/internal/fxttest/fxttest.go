// Package fxttest writes FxT's container for tests: as 32- and 64-bit machines
// of either byte order write it, in one block or several, with flushes, with
// sizes that are not true. It is written from docs/fxt-format.md, not from the
// reader, so that one checks the other.
package fxttest

import (
	"bytes"
	"encoding/binary"
	"slices"

	"dagscope/read/fxt"
)

// Event is an event to write.
type Event struct {
	Time   uint64 // ns
	Thread uint64
	Code   uint32
	Args   []uint64 // numbers
	Text   []byte   // follows them, filled up with zeros to whole words; nil none
}

// Form is how a file is written. Its zero value is what x86-64 writes.
type Form struct {
	BigEndian bool
	Narrow    bool // of a 32-bit machine

	Blocks  int               // of events; 0 is one
	Flush   int               // a flush after each so many events; 0 none
	NoSize  bool              // the size of the last block of events was never filled in
	Short   int64             // bytes that the size of the last block of events is too small by; negative: too large
	Uname   string            // of the machine
	Names   map[uint64]string // of other processes by their ids
	Symbols map[uint64]string // of the kernel by their addresses
	CPUs    int               // 0 is 2
	Bare    bool              // no ids, interrupts and ticks of the machine
}

// Arch is the number of a processor that writes this form.
func (f Form) Arch() uint32 {
	switch {
	case f.BigEndian && f.Narrow:
		return 0x10000 // ppc
	case f.BigEndian:
		return 0x20000 // ppc64
	case f.Narrow:
		return 0 // i386
	}
	return 2 // x86-64
}

// Word is the size of a parameter in bytes.
func (f Form) Word() int {
	if f.Narrow {
		return 4
	}
	return 8
}

func (f Form) order() binary.AppendByteOrder {
	if f.BigEndian {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

func (f Form) byteOrder() binary.ByteOrder {
	if f.BigEndian {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// File returns a file of these events.
func File(events []Event, f Form) []byte {
	if f.Flush > 0 {
		events = flushed(events, f.Flush)
	}
	b := f.Head(nil)
	blocks := max(f.Blocks, 1)
	for i := range blocks {
		from, to := len(events)*i/blocks, len(events)*(i+1)/blocks
		body := f.Body(nil, events[from:to])
		size := uint64(len(body) + 16)
		if last := i == blocks-1; last && f.NoSize {
			size = 0
		} else if last {
			size -= uint64(f.Short)
		}
		b = append(f.block(b, size, f.kind()), body...)
	}
	return b
}

// flushed puts FxT's marks between events.
func flushed(events []Event, every int) []Event {
	var out []Event
	for part := range slices.Chunk(events, every) {
		out = append(out, part...)
		last := part[len(part)-1].Time
		out = append(out, Event{Time: last, Code: 0xfff5}, Event{Time: last, Code: 0xfff4})
	}
	return out
}

func (f Form) kind() uint32 {
	if f.Narrow {
		return 0x200
	}
	return 0x201
}

func (f Form) block(b []byte, size uint64, kind uint32) []byte {
	b = f.order().AppendUint64(b, size)
	b = f.order().AppendUint32(b, kind)
	return f.order().AppendUint32(b, 0)
}

// Block returns a block of events with this body, whatever is in it.
func (f Form) Block(body []byte) []byte {
	return append(f.block(nil, uint64(len(body)+16), f.kind()), body...)
}

// Head appends everything before the first block of events.
func (f Form) Head(b []byte) []byte {
	var infos []byte
	for _, part := range []struct {
		kind uint32
		body []byte
	}{{0x10, f.time()}, {0x12, f.irqs()}, {0x11, f.uname()}, {0x13, f.symbols()}, {0x14, f.names()}} {
		infos = f.block(infos, uint64(len(part.body)+16), part.kind)
		infos = append(infos, part.body...)
	}
	b = binary.BigEndian.AppendUint32(b, f.Arch())
	b = f.block(b, uint64(len(infos)+16), 1)
	return append(b, infos...)
}

func (f Form) time() []byte {
	o, cpus := f.order(), f.CPUs
	if cpus == 0 {
		cpus = 2
	}
	b := o.AppendUint32(nil, 1) // recorded outside the kernel
	b = o.AppendUint32(b, uint32(cpus))
	for range cpus {
		b = o.AppendUint32(b, 2000) // MHz
	}
	id, ticks := uint32(Recorder), uint64(123456)
	if f.Bare {
		id, ticks = 0, 0
	}
	b = o.AppendUint32(b, id)
	b = o.AppendUint32(b, 0)
	for _, v := range []uint64{Start, Start + 5, ticks, ticks} { // seconds, ticks
		b = o.AppendUint64(b, v)
	}
	return o.AppendUint32(b, 4096)
}

// Of the header of every file.
const (
	Start    = 1_700_000_000 // seconds since 1970
	Recorder = 4711          // id of the recording process
)

func (f Form) irqs() []byte {
	if f.Bare {
		return make([]byte, 8)
	}
	b := f.order().AppendUint32(nil, 1)
	b = f.order().AppendUint32(b, 2)
	b = f.order().AppendUint64(b, 24)
	b = f.order().AppendUint32(b, 7)
	return append(b, "secret\x00\x00"...)
}

func (f Form) uname() []byte {
	b := f.order().AppendUint32(nil, uint32(len(f.Uname)))
	return append(b, f.Uname...)
}

func (f Form) names() []byte {
	var b []byte
	for id, name := range f.Names {
		b = f.order().AppendUint64(b, id)
		b = append(b, fill([]byte(name), 16)[:16]...)
	}
	return f.order().AppendUint64(b, 0)
}

func (f Form) symbols() []byte {
	var b []byte
	for address, name := range f.Symbols {
		b = f.order().AppendUint64(b, address)
		b = f.order().AppendUint32(b, uint32(len(name)))
		b = append(b, name...)
	}
	return f.order().AppendUint64(b, 0)
}

// Body appends events as they lie in a block.
func (f Form) Body(b []byte, events []Event) []byte {
	for i := range events {
		b = f.event(b, &events[i])
	}
	return b
}

func (f Form) event(b []byte, e *Event) []byte {
	text := fill(e.Text, f.Word())
	n := min(len(e.Args)+len(text)/f.Word(), 254)
	b = f.order().AppendUint64(b, e.Time)
	b = f.word(b, e.Thread)
	b = f.word(b, uint64(e.Code)<<8|uint64(n+1))
	for _, v := range e.Args[:min(len(e.Args), n)] {
		b = f.word(b, v)
	}
	return append(b, text[:max(0, n-len(e.Args))*f.Word()]...)
}

func (f Form) word(b []byte, v uint64) []byte {
	if f.Narrow {
		return f.order().AppendUint32(b, uint32(v))
	}
	return f.order().AppendUint64(b, v)
}

// fill appends zeros up to a multiple of n.
func fill(b []byte, n int) []byte {
	b = bytes.Clone(b)
	for len(b)%n != 0 {
		b = append(b, 0)
	}
	return b
}

// Load reads all events of a file. textAt says at which parameter the text of
// an event of a code begins, −1 none; nil: events are taken as numbers only.
func Load(path string, textAt func(code uint32) int) ([]Event, error) {
	f, err := fxt.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var events []Event
	err = f.Each(func(e *fxt.Event) error {
		events = append(events, take(e, textAt))
		return nil
	})
	return events, err
}

func take(e *fxt.Event, textAt func(code uint32) int) Event {
	numbers := len(e.Args)
	var text []byte
	if textAt != nil {
		if at := textAt(e.Code); at >= 0 && at < numbers {
			numbers, text = at, bytes.Clone(e.Text(at))
		}
	}
	return Event{Time: e.Time, Thread: e.Thread, Code: e.Code, Args: slices.Clone(e.Args[:numbers]), Text: text}
}
