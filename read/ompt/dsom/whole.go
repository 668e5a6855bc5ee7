package dsom

import (
	"bytes"
	"fmt"
	"io"
	"slices"
)

// This file finds what is missing of a file: a cut or zeroed file has nothing
// that could not be used, and would read like a short recording. What a process
// that was killed did not come to write is no damage: the state says so.

// checkWhole reports what the file's header, its chunks and its texts say of each
// other and is not so.
func (f *file) checkWhole() {
	f.checkHeader()
	f.checkGaps()
	f.checkTexts()
}

// checkHeader checks what stands once in a file.
func (f *file) checkHeader() {
	h := f.header
	if h.size%4096 != 0 {
		f.report(12, "found a header of %d bytes, wanted a multiple of 4096", h.size)
	}
	if h.clock == clockCounter && h.start.monotonic == 0 {
		f.report(32, "found no clock pair of the start")
	}
	if h.state > uint32(Ended) {
		f.report(96, "found state %d, wanted 0 to %d", h.state, Ended)
	}
	if f.ended() && h.clock == clockCounter && h.end.monotonic < h.start.monotonic {
		f.report(64, "found an end %d ns before the start", h.start.monotonic-h.end.monotonic)
	}
	// The last chunk may be cut off. Taken is also what the disk had no space for, or
	// what a process that was killed did not come to write.
	whole := h.lost == 0 && f.ended()
	if cut := (f.size - int64(h.size) + unit - 1) / unit * unit; whole && h.taken > uint64(int64(h.size)+cut) {
		f.report(112, "found %d bytes taken of a file of %d", h.taken, f.size)
	}
	if int(h.threads) < len(f.threads) {
		f.report(108, "found %d threads, and chunks of thread %d", h.threads, len(f.threads)-1)
	}
}

// ended reports whether the process came to close the file.
func (f *file) ended() bool { return f.header.state != uint32(Broken) }

// checkGaps reports space without chunks. Slots of a ring may never have been
// used, and the disk may have been full between taking space and using it, which
// the header counts as lost.
func (f *file) checkGaps() {
	if f.gaps > 0 && f.ended() && f.header.lost == 0 {
		f.report(f.gap, "found no chunk in %d units of %d bytes, wanted one in each: what was recorded there is missing", f.gaps, unit)
	}
}

// checkTexts checks that the process said who it is, and its end if it had one.
func (f *file) checkTexts() {
	has := func(kind uint32) bool {
		return slices.ContainsFunc(f.texts, func(t chunk) bool { return t.kind == kind })
	}
	if !has(chunkMeta) {
		f.report(int64(f.header.size), "found no meta chunk")
	}
	if f.header.state == uint32(Finalized) && !has(chunkEnd) {
		f.report(96, "found a finalised recording without an end chunk")
	}
	for _, t := range f.texts {
		if t.thread != noThread {
			f.report(t.offset+16, "found thread %d of a text, wanted %#x", t.thread, uint32(noThread))
		}
	}
}

// leave checks that nothing follows the records of the chunk that the stream
// goes on from: zeros inside it would look like its end. Behind the records of a
// window whose process was killed may stand the rest of one whose head was not
// written any more.
func (s *stream) leave() error {
	if s.next == 0 || !s.file.ended() {
		return nil
	}
	c := s.chunks[s.next-1]
	at := s.offset()
	if at == c.offset+chunkHeaderSize && s.file.header.clock == clockCounter { // packed ones may have none
		s.file.report(c.offset, "found a chunk of thread %d without records", c.thread)
	}
	var piece [4096]byte
	for ; at < s.end; at += int64(len(piece)) {
		n, err := s.in.ReadAt(piece[:min(int64(len(piece)), s.end-at)], at)
		if err != nil && err != io.EOF {
			return fmt.Errorf("read %s: %w", s.file.path, cause(err))
		}
		if i := bytes.IndexFunc(piece[:n], func(r rune) bool { return r != 0 }); i >= 0 {
			s.file.report(at+int64(i), "found something behind the end of the chunk's records")
			return nil
		}
	}
	return nil
}

// join compares what was derived at the end of a chunk with what the header of
// the thread's next one says, once its first record is seen: a resync says that
// the thread missed something.
func (s *stream) join() {
	if j := s.joint; j.open {
		s.joint.open = false
		if s.head&31 != recResync && (j.current != s.current || j.last != s.last) {
			s.file.report(s.chunks[s.next-1].offset+72, "found current task %#x and last task %#x, wanted %#x and %#x as derived before",
				s.current, s.last, j.current, j.last)
		}
	}
}

// joint is what was derived at the end of a chunk that the thread's next one
// follows without a loss.
type joint struct {
	open          bool
	current, last uint64
}
