package fxt

import "io"

// Kinds of blocks.
const (
	blockInfos    = 0x001 // holds the blocks from 0x010 on
	blockTime     = 0x010
	blockUname    = 0x011
	blockIRQs     = 0x012
	blockAddrs    = 0x013
	blockPIDs     = 0x014
	blockKernel32 = 0x100
	blockKernel64 = 0x101
	blockUser32   = 0x200
	blockUser64   = 0x201
)

// block is the header before each block.
type block struct {
	size uint64 // bytes with this header; 0: never filled in, up to the file's end
	kind uint32
	sub  uint32 // always 0
}

const blockHeader = 16 // bytes

func (h *Header) block(b []byte) block {
	return block{h.ByteOrder.Uint64(b), h.ByteOrder.Uint32(b[8:]), h.ByteOrder.Uint32(b[12:])}
}

// known reports whether it may be a block that FxT wrote.
func (b block) known() bool {
	switch b.kind {
	case blockInfos, blockTime, blockUname, blockIRQs, blockAddrs, blockPIDs,
		blockKernel32, blockKernel64, blockUser32, blockUser64:
		return b.sub == 0 && (b.size == 0 || b.size >= blockHeader && b.size < 1<<48)
	}
	return false
}

// word is the width of the parameters in a block of events, 0 for other blocks.
func (b block) word() int {
	switch b.kind {
	case blockUser32:
		return 4
	case blockUser64:
		return 8
	}
	return 0
}

// after is the first byte after a block that begins at off, -1 where only the
// file's end is known.
func (b block) after(off int64) int64 {
	if b.size == 0 {
		return -1
	}
	return off + int64(b.size)
}

// nextBlock goes to the next block of events; false at the end of the file.
func (f *File) nextBlock() (bool, error) {
	s := f.stream
	for {
		if !s.need(blockHeader) {
			if len(s.rest) > 0 || s.err != io.EOF {
				return false, f.ends("a block")
			}
			if f.blocks == 0 {
				return false, f.damaged("found the end of the file, want a block of a program's events")
			}
			return false, nil
		}
		b := f.header.block(s.rest)
		if inside := f.infos - s.off; inside > 0 && (!b.known() || b.size == 0 || b.size > uint64(inside) || b.word() > 0) {
			b = block{uint64(inside), blockUname, 0} // whatever it is, it ends with the infos
		}
		if !b.known() {
			return false, f.damaged("found a block of kind %#x and %d bytes, want one that FxT writes", b.kind, b.size)
		}
		if w := b.word(); w > 0 {
			f.enter(b, w)
			return true, nil
		}
		if err := f.pass(b); err != nil {
			return false, err
		}
	}
}

// enter goes to the first event of a block.
func (f *File) enter(b block, word int) {
	f.block, f.stated = b, b.after(f.stream.off)
	f.end = f.stated
	if f.blocks == 0 {
		f.header.Word = word
	}
	f.blocks++
	f.stream.take(blockHeader)
}

// pass goes over a block that holds no events, but into that of the infos.
func (f *File) pass(b block) error {
	s := f.stream
	at := s.off
	switch {
	case b.kind == blockInfos:
		f.infos = b.after(at)
		s.take(blockHeader)
		return nil
	case b.size == 0:
		return f.damaged("found a block of kind %#x without a size, want one that was filled in", b.kind)
	case b.kind == blockTime && b.size <= maxTime:
		return f.passTime(b)
	case b.kind == blockPIDs:
		f.names += int(b.size-blockHeader) / 24
	}
	if !s.skip(b.size) {
		return f.endsAt(at, "a block")
	}
	return nil
}

// maxTime bounds the size of a block of the time, for maxCPUs.
const maxTime = 1 << 19

// passTime goes over the block of the time and keeps it.
func (f *File) passTime(b block) error {
	at, body := f.stream.off, make([]byte, b.size)
	if !f.stream.read(body) {
		return f.endsAt(at, "a block")
	}
	f.time = body[blockHeader:]
	f.header.setTime(f.time)
	return nil
}

// edge is where the stream does not begin with a whole event of the block: it
// reads on, or passes over what is no event, or ends the block (false), or says
// what is wrong. last is the event before, if there was any.
func (f *File) edge(last *Event) (bool, error) {
	s := f.stream
	if s.off == f.end && f.endsHere() {
		return false, nil
	}
	if !s.need(f.headSize()) {
		if len(s.rest) > 0 || s.err != io.EOF {
			return false, f.ends("an event")
		}
		if f.end < 0 {
			return false, nil
		}
		return false, f.damaged("found the end of the file, want %d more bytes of a block", f.end-s.off)
	}
	size := f.eventSize(s.rest)
	if size == 0 {
		return f.resume(last)
	}
	if !s.need(size) {
		return false, f.ends("an event")
	}
	if f.doubtful(last, f.header.ByteOrder.Uint64(s.rest), f.number(s.rest[8:], f.block.word())) {
		if f.weigh(last) {
			return true, nil
		}
		return f.resume(last)
	}
	if f.stated >= 0 && s.off+int64(size) > f.stated {
		f.end, f.beyond = -1, true // the block's size is wrong
	}
	return true, nil
}

// endsHere tells at the end that the block states whether it is true. FxT fills
// the size in after each flush: of a program killed within one, events follow
// that the size does not count.
func (f *File) endsHere() bool {
	s := f.stream
	if !s.need(blockHeader) && len(s.rest) == 0 && s.err == io.EOF {
		return true
	}
	if len(s.rest) >= blockHeader && f.header.block(s.rest).known() {
		return true
	}
	f.end = -1
	return false
}
