package dsom

import (
	"fmt"

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

// Check holds a file against the format: besides what every reader reports it
// finds records that say what the format does not know.
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

// thread goes through the records of a thread.
func (c *checker) thread(s *stream) error {
	c.out.Threads++
	c.out.Chunks += len(s.chunks)
	var e event.Event
	for {
		before := *s
		more, err := s.advance()
		if err != nil || !more {
			return err
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

// record checks the record at the stream's position.
func (c *checker) record(s, before *stream) {
	c.out.Records++
	if s.base == before.base && s.head>>tickShift < before.ticks && before.next == s.next {
		c.out.Backward++
	}
	t := s.head & 31
	if t >= recTypes {
		return // decoding says so, or skips it
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
		case recCarry:
			named = append(named, s.word(1), s.word(2))
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
		"dispatch", "mutex_acquire", "mutex_acquired", "mutex_released", "nest_lock", "masked", "processor", "carry",
	}
	kindsOf = [recTypes][2]uint64{
		recThreadBegin: {1, 4}, recImplicitBegin: {1, 2}, recImplicitEnd: {1, 2}, recTaskCreate: {0, 31}, recTaskSchedule: {1, 8},
		recSyncBegin: {1, 10}, recSyncEnd: {1, 10}, recWaitBegin: {1, 10}, recWaitEnd: {1, 10}, recWork: {1, 13}, recResync: {0, 1},
		recDispatch: {1, 5}, recMutexAcquire: {1, 7}, recMutexAcquired: {1, 7}, recMutexReleased: {1, 7}, recNestLock: {1, 2}, recProcessor: {0, 1}, recCarry: {1, 2},
	}
	flagsOf = [recTypes]uint64{
		recParallelBegin: 15, recParallelEnd: 15, recTaskCreate: flagX | 63, recDependences: flagX | continued, recTaskSchedule: flagX,
		recSyncBegin: flagX, recSyncEnd: flagX, recWaitBegin: flagX, recWaitEnd: flagX, recCancel: flagX | 127, recWork: 3, recMasked: flagX | 3,
	}
)
