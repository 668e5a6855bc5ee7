package dsom

import (
	"fmt"

	"dagscope/read/ompt/event"
)

// stream decodes the records of one thread, one after the other.
type stream struct {
	window
	file   *file
	thread int32  // among all files
	first  int32  // thread 0 of the file among all files
	known  uint64 // threads that ids of the file may name
	chunks []chunk
	next   int // chunk after the current one
	clock  cursor

	// Of the record at pos:
	time int64
	head uint64
	lost int64 // events lost before it, -1 unknown; 0 none

	base      uint64 // ticks from which times count, raised where they wrap
	ticks     uint64 // of the record, as stored
	back      bool   // a record of the chunk went back by more than maxBack, and was reported
	current   uint64 // as the file numbers tasks
	last      uint64
	regions   []uint64 // parallel regions of the thread's implicit tasks, outermost first
	deps      []event.Dep
	gathering uint32 // the last dependences record is continued
	half      bool   // of a work record that begins and ends: the begin was decoded
	missing   bool   // chunks before this one are missing
	joint     joint
}

// Bounds; what has more is damage.
const (
	maxItems = 1 << 20 // of one record
	maxDeps  = 1 << 22 // of a task

	maxBack = 10_000 // ns that two processors' counters may differ by
)

// advance goes to the thread's next record, or to where events are missing;
// false at the end.
func (s *stream) advance() (bool, error) {
	for s.lost == 0 {
		ok, err := s.has(16)
		if err != nil {
			return false, fmt.Errorf("read %s: %w", s.file.path, cause(err))
		}
		if ok {
			if s.head = s.word(0); s.head&31 != 0 {
				s.join()
				s.stamp()
				return true, nil
			}
		}
		if err := s.leave(); err != nil || s.next == len(s.chunks) {
			return false, err
		}
		s.open()
	}
	return true, nil
}

// open begins the next chunk: it says again what the thread was doing, and how
// many events were lost before it.
func (s *stream) open() {
	c := s.chunks[s.next]
	var before chunk
	if s.next > 0 {
		before = s.chunks[s.next-1]
	}
	switch follows := s.next > 0 && c.number == before.number+1 || s.next == 0 && c.number == 0; {
	case !follows:
		s.gap()
	case c.lost > before.lost && s.lost >= 0:
		s.lost += int64(min(c.lost-before.lost, 1<<40))
	}
	s.missing = s.lost < 0
	s.joint = joint{open: s.next > 0 && s.lost == 0, current: s.current, last: s.last}
	s.next++
	s.reset(c.offset+chunkHeaderSize, c.offset+c.size)
	s.base, s.ticks, s.back, s.current, s.last = c.base, 0, false, c.current, c.last
	if s.lost != 0 {
		s.time = max(s.time, s.clock.at(s.base))
	}
}

// stamp sets the time of the record at pos.
func (s *stream) stamp() {
	ticks := s.head >> tickShift
	if ticks < s.ticks && s.ticks-ticks > 1<<(tickBits-1) {
		s.base += 1 << tickBits
	}
	s.ticks = ticks
	time := s.clock.at(s.base + ticks)
	if time < s.time && s.time-time > maxBack && !s.back {
		s.back = true
		s.file.report(s.offset(), "found a record %d ns earlier than the one before it, want at most %d, of the counters of two processors: such records are taken to happen with it", s.time-time, maxBack)
	}
	s.time = max(s.time, time)
}

// skip leaves the rest of a damaged chunk.
func (s *stream) skip(format string, args ...any) {
	s.file.report(s.offset(), format+": rest of the chunk skipped", args...)
	s.pos, s.at = 0, s.end
	s.buf = s.buf[:0]
	s.gap()
}

// gap forgets what is not known after events are missing.
func (s *stream) gap() {
	s.lost, s.regions, s.gathering, s.half = -1, s.regions[:0], 0, false
}

// id turns a task or parallel id of the file into one among all files.
func (s *stream) id(id uint64) uint64 {
	if id == 0 {
		return 0
	}
	if t := id >> 40; t-1 >= s.known {
		return 0
	}
	return id + uint64(s.first)<<40
}

func (s *stream) task(id uint64) event.ID { return event.ID(s.id(id)) }

// region is the parallel region that the thread works in.
func (s *stream) region() uint64 {
	if n := len(s.regions); n > 0 {
		return s.regions[n-1]
	}
	return 0
}

// decode fills e with the event of the record at pos and goes behind it; false
// if the record is no event of its own.
func (s *stream) decode(e *event.Event) (bool, error) {
	s.clear(e)
	if s.lost != 0 {
		e.Type, e.Value, e.Task = event.Lost, s.lost, s.task(s.current)
		s.lost = 0
		return true, nil
	}
	words, err := 2, error(nil)
	if short&(1<<(s.head&31)) == 0 || s.head>>10&flagX != 0 || len(s.buf)-s.pos < 16 {
		words, err = s.words()
	}
	if words == 0 || err != nil {
		return false, err
	}
	if s.gathering != 0 && s.head&31 != recDependences {
		s.file.report(s.offset(), "found a record of type %d, wanted the rest of a task's dependences", s.head&31)
		s.gathering = 0
	}
	kind := uint8(s.head >> 5 & 31)
	flags := uint32(s.head >> 10 & 255)
	ok := records[s.head&31](s, e, kind, flags)
	s.pos += 8 * words
	return ok, nil
}

// clear makes e an event that says only when and where. It does not assign the
// whole, which the collector would have to be told of.
func (s *stream) clear(e *event.Event) {
	e.Time, e.Thread, e.Position = s.time, s.thread, s.offset()
	e.Index, e.Type, e.Kind, e.Flags = 0, event.None, 0, 0
	e.Task, e.Task2, e.Parallel, e.Value, e.Count, e.Code = 0, 0, 0, 0, 0, 0
	if e.Deps != nil {
		e.Deps = nil
	}
	if e.Name != "" {
		e.Name = ""
	}
}

// short are the types of records of two words, as long as no task is written.
const short = 1<<recTaskCreate | 1<<recTaskSchedule | 1<<recSyncBegin | 1<<recSyncEnd | 1<<recWaitBegin | 1<<recWaitEnd |
	1<<recMutexAcquired | 1<<recMutexReleased | 1<<recNestLock | 1<<recMasked

// words is the length of the record at pos, all of which can then be seen; 0 if
// the record is damaged.
func (s *stream) words() (int, error) {
	n := 2
	switch t := s.head & 31; {
	case t == recExtension:
		return s.extended()
	case t >= recTypes:
		s.skip("found a record of type %d, wanted 1 to %d", t, recTypes-1)
		return 0, nil
	case t == recParallelBegin:
		n = 6
	case t == recParallelEnd, t == recImplicitBegin, t == recImplicitEnd, t == recWork, t == recResync,
		t == recDispatch, t == recMutexAcquire, t == recProcessor, t == recCarry:
		n = 4
	case t == recControl:
		return s.long(4, 3, 1)
	case t == recBinding:
		return s.long(2, 1, 8)
	case t == recDependences && s.head>>10&flagX != 0:
		return s.long(4, 1, 8)
	case t == recDependences:
		return s.long(2, 1, 8)
	case s.head>>10&flagX != 0:
		n = 4
	}
	return s.whole(n)
}

// long is the length of a record of some fixed words, one of which says how
// many items of some bytes follow. Records have an even number of words.
func (s *stream) long(fixed, count, size int) (int, error) {
	if n, err := s.whole(fixed); n == 0 || err != nil {
		return 0, err
	}
	items := s.word(count)
	if s.head&31 == recBinding {
		items &= 0xffffffff // a place stands above it
	}
	if items > maxItems {
		s.skip("found a record of %d items, wanted at most %d", items, maxItems)
		return 0, nil
	}
	more := (int(items)*size + 15) / 16 * 2
	return s.whole(fixed + more)
}

// extended is the length of an extension, which it says itself.
func (s *stream) extended() (int, error) {
	if n, err := s.whole(2); n == 0 || err != nil {
		return 0, err
	}
	n := s.word(1)
	if n < 2 || n%2 != 0 || n > maxItems {
		s.skip("found a record of %d words, wanted an even number from 2 to %d", n, maxItems)
		return 0, nil
	}
	return s.whole(int(n))
}

// whole sees to it that n words are there.
func (s *stream) whole(n int) (int, error) {
	ok, err := s.has(8 * n)
	if err == nil && !ok {
		s.skip("found a record of %d words that crosses the end of its chunk", n)
	}
	if !ok {
		return 0, err
	}
	return n, nil
}
