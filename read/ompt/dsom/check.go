package dsom

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"dagscope/read/ompt/event"
)

// Checked is what a check of a file found.
type Checked struct {
	Process  Process
	Threads  int   // with events
	Chunks   int   // of events
	Events   int64 // events of its own; continued records count once
	Records  int64
	Gaps     int   // units without a chunk
	Backward int64 // records earlier than the one before, by the processors' counters
	Problems []Problem
	More     int // problems beyond those listed
}

// Check holds a file against the format: besides what a reader cannot use it
// finds what a reader would not notice.
func Check(path string) (Checked, error) {
	r, err := Open([]string{path})
	if err != nil {
		return Checked{}, err
	}
	defer r.Close()
	if len(r.files) != 1 {
		return Checked{}, fmt.Errorf("check %s: found a directory of %d files, wanted a file", path, len(r.files))
	}
	c := &checker{in: r.files[0], out: Checked{Process: r.Processes[0], Gaps: r.files[0].gaps}}
	c.header()
	c.texts()
	for _, s := range r.streamsOf(0, 0) {
		if err := c.thread(s); err != nil {
			return c.out, err
		}
	}
	c.out.Problems, c.out.More = r.Problems()
	return c.out, nil
}

type checker struct {
	in  *file
	out Checked
}

// header checks what stands once in a file.
func (c *checker) header() {
	h := c.in.header
	if h.size%4096 != 0 {
		c.in.report(12, "found a header of %d bytes, wanted a multiple of 4096", h.size)
	}
	if h.clock == clockCounter && h.start.monotonic == 0 {
		c.in.report(32, "found no clock pair of the start")
	}
	if h.state > uint32(Ended) {
		c.in.report(96, "found state %d, wanted 0 to %d", h.state, Ended)
	}
	if h.state != uint32(Broken) && h.clock == clockCounter && h.end.monotonic < h.start.monotonic {
		c.in.report(64, "found an end %d ns before the start", h.start.monotonic-h.end.monotonic)
	}
	// The last chunk may be cut off. Taken is also what the disk had no space for, or
	// what a process that was killed did not come to write.
	whole := h.lost == 0 && h.state != uint32(Broken)
	if cut := (c.in.size - int64(h.size) + unit - 1) / unit * unit; whole && h.taken > uint64(int64(h.size)+cut) {
		c.in.report(112, "found %d bytes taken of a file of %d", h.taken, c.in.size)
	}
	if int(h.threads) < len(c.in.threads) {
		c.in.report(108, "found %d threads, and chunks of thread %d", h.threads, len(c.in.threads)-1)
	}
}

// texts checks that the process said who it is, and its end if it had one.
func (c *checker) texts() {
	has := func(kind uint32) bool {
		return slices.ContainsFunc(c.in.texts, func(t chunk) bool { return t.kind == kind })
	}
	if !has(chunkMeta) {
		c.in.report(int64(c.in.header.size), "found no meta chunk")
	}
	if c.in.header.state == uint32(Finalized) && !has(chunkEnd) {
		c.in.report(96, "found a finalised recording without an end chunk")
	}
	for _, t := range c.in.texts {
		if t.thread != noThread {
			c.in.report(t.offset+16, "found thread %d of a text, wanted %#x", t.thread, uint32(noThread))
		}
	}
}

// thread goes through the records of a thread.
func (c *checker) thread(s *stream) error {
	c.out.Threads++
	c.out.Chunks += len(s.chunks)
	var e event.Event
	for at := s.next; ; {
		before := *s
		more, err := s.advance()
		if err != nil || !more {
			return c.after(&before, err)
		}
		if s.next != at {
			at = s.next
			c.join(&before, s)
			if err := c.after(&before, nil); err != nil {
				return err
			}
		}
		if s.lost == 0 {
			c.record(s, &before)
		}
		ok, err := s.decode(&e)
		if err != nil {
			return err
		}
		if ok && e.Type != event.Lost {
			c.out.Events++
		}
	}
}

// join compares what a reader derived at a chunk's end with what the header of
// the thread's next chunk says.
func (c *checker) join(before, after *stream) {
	if before.next == 0 || after.lost != 0 || before.current == after.current && before.last == after.last {
		return
	}
	of := after.chunks[after.next-1]
	c.in.report(of.offset+72, "found current task %#x and last task %#x, wanted %#x and %#x as derived before",
		of.current, of.last, before.current, before.last)
}

// after checks that nothing follows the records of a chunk that was left. Behind
// those of a window may stand the rest of one whose head was not written any more.
func (c *checker) after(s *stream, err error) error {
	if err != nil || s.next == 0 || c.in.header.ring != 0 || s.chunks[s.next-1].window {
		return err
	}
	var piece [4096]byte
	for at := s.offset(); at < s.end; at += int64(len(piece)) {
		n, err := s.in.ReadAt(piece[:min(int64(len(piece)), s.end-at)], at)
		if err != nil && err != io.EOF {
			return fmt.Errorf("check %s: %w", c.in.path, cause(err))
		}
		if i := bytes.IndexFunc(piece[:n], func(r rune) bool { return r != 0 }); i >= 0 {
			c.in.report(at+int64(i), "found something behind the end of the chunk's records")
			return nil
		}
	}
	return nil
}

// record checks the record at the stream's position.
func (c *checker) record(s, before *stream) {
	c.out.Records++
	if s.base == before.base && s.head>>tickShift < before.ticks && before.next == s.next {
		c.out.Backward++
	}
	t := s.head & 31
	if t >= recTypes {
		return // decoding says so
	}
	kind, flags := s.head>>5&31, s.head>>10&255
	if k := &kindsOf[t]; kind < k[0] || kind > k[1] {
		c.in.report(s.offset(), "found kind %d of a record %s, wanted %d to %d", kind, recordNames[t], k[0], k[1])
	}
	if flags&^flagsOf[t] != 0 {
		c.in.report(s.offset(), "found flags %#x of a record %s, wanted none but %#x", flags, recordNames[t], flagsOf[t])
	}
	c.ids(s, t, flags)
}

// ids checks that the record names tasks that can be.
func (c *checker) ids(s *stream, t, flags uint64) {
	var named []uint64
	if ok, _ := s.has(32); ok {
		switch t {
		case recTaskSchedule, recImplicitBegin, recImplicitEnd:
			named = append(named, s.word(1))
		case recParallelBegin, recParallelEnd:
			named = append(named, s.word(2), s.word(3))
		case recWork:
			named = append(named, s.word(2))
		}
		if flags&flagX != 0 {
			named = append(named, s.word(2))
		}
	}
	for _, id := range named {
		if id != 0 && s.id(id) == 0 {
			c.in.report(s.offset(), "found task or region %#x, wanted threads up to %d", id, s.known)
		}
	}
}

// recordNames, kindsOf and flagsOf are what the format says of each type.
var (
	recordNames = [recTypes]string{
		"", "thread_begin", "thread_end", "parallel_begin", "parallel_end", "implicit_begin", "implicit_end", "task_create",
		"dependences", "task_schedule", "sync_begin", "sync_end", "wait_begin", "wait_end", "cancel", "work", "control", "resync", "binding",
	}
	kindsOf = [recTypes][2]uint64{
		recThreadBegin: {1, 4}, recImplicitBegin: {1, 2}, recImplicitEnd: {1, 2}, recTaskCreate: {0, 31}, recTaskSchedule: {1, 8},
		recSyncBegin: {1, 10}, recSyncEnd: {1, 10}, recWaitBegin: {1, 10}, recWaitEnd: {1, 10}, recWork: {1, 13}, recResync: {0, 1},
	}
	flagsOf = [recTypes]uint64{
		recParallelBegin: 15, recParallelEnd: 15, recTaskCreate: flagX | 63, recDependences: flagX | continued, recTaskSchedule: flagX,
		recSyncBegin: flagX, recSyncEnd: flagX, recWaitBegin: flagX, recWaitEnd: flagX, recCancel: flagX | 127, recWork: 3,
	}
)
