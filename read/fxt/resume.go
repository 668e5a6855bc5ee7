package fxt

import "fmt"

// Bounds of what speaks against an event.
const (
	before = 1e9    // ns that an event's time may be before the last one's
	after  = 3600e9 // and after
)

// doubtful reports whether the next event's time is far from the last one's, or it
// has a thread while those before had none, and nothing else speaks for it yet.
func (f *File) doubtful(last *Event, time, thread uint64) bool {
	return (far(time, last.Time) || strange(thread, last)) && f.given > 0 && f.stream.off != f.trusted
}

func far(time, last uint64) bool { return time-last+before > before+after }

func strange(thread uint64, last *Event) bool { return thread != 0 && last.Thread == 0 }

// hoursAway tells of a time that no thread comes late by.
func hoursAway(time, last uint64) bool { return time-last+after > 2*after }

// weigh decides on a doubtful event: it is taken (true), unless there are better
// ones to go on with. A far time alone is no proof, for it may be the task that
// took so long, or a thread that the system stopped in between.
func (f *File) weigh(last *Event) bool {
	s := f.stream
	s.need(headroom)
	time, thread := f.header.ByteOrder.Uint64(s.rest), f.number(s.rest[8:], f.block.word())
	named := known(f.codeWord(s.rest))
	own := f.chain(0, nil)
	better := -1
	switch {
	case named && !hoursAway(time, last.Time) && !strange(thread, last), own.near && own.long(2):
	case own.known && own.long(1):
		if better = f.along(last); better >= 0 && f.joins(better, last.Time, time) {
			better = -1
		}
	default:
		better = f.findInTime(last)
		if better < 0 && !named && !own.long(1) {
			return false
		}
	}
	if f.goTo(better) {
		f.passed(s.off - int64(better))
	}
	f.trusted = s.off
	return true
}

// along finds the place behind the next event, or a few, from which on many go on
// from the last one; -1 none. So what is there alone is a remainder of what was
// in the buffer before.
func (f *File) along(last *Event) int {
	b := f.stream.rest
	for n, at := 0, f.eventSize(b); n < 4*believed && at < lookahead && len(b)-at >= f.headSize(); n++ {
		if c := f.chain(at, last); c.near && c.events == believed {
			return at
		}
		size := f.eventSize(b[at:])
		if size == 0 {
			return -1
		}
		at += size
	}
	return -1
}

// joins reports whether the event at a place in rest is nearer to the doubtful
// one's time than to the last one's: then the two belong together, hours after
// the last one, and the doubtful one is no remainder.
func (f *File) joins(at int, last, doubtful uint64) bool {
	t := f.header.ByteOrder.Uint64(f.stream.rest[at:])
	return distance(t, doubtful) < distance(t, last)
}

func distance(a, b uint64) uint64 { return max(a, b) - min(a, b) }

// resume goes on after what is no event. A thread takes room for an event and
// then fills it: if the buffer is written in between, because it is full or a
// signal ends the program, then there are zeros or what was there before, and
// good events follow.
func (f *File) resume(last *Event) (bool, error) {
	s, from := f.stream, f.stream.off
	none := f.damaged("%s", f.against(last))
	if f.given == 0 {
		last = nil
	}
	found, zeros := f.seek(last)
	if another := len(s.rest) > 0; !found && !zeros && !another {
		return false, none
	}
	f.passed(from)
	f.trusted = s.off
	return true, nil
}

// against says why the next event is none.
func (f *File) against(last *Event) string {
	b := f.stream.rest
	if f.eventSize(b) == 0 || f.given == 0 {
		return fmt.Sprintf("found no event (its code is %#x)", f.codeWord(b))
	}
	ns := int64(f.header.ByteOrder.Uint64(b) - last.Time)
	return fmt.Sprintf("found no event (its code is %#x, its time %+.3g s from the last event's, and none follows it)", f.codeWord(b), float64(ns)/1e9)
}

// passed counts what was passed over since a place in the file.
func (f *File) passed(from int64) {
	f.gaps++
	f.gapBytes += f.stream.off - from
}
