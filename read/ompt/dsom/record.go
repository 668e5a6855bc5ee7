package dsom

import "dagscope/read/ompt/event"

// records decodes each type of record into an event; false if it is none of its
// own.
var records = [32]func(s *stream, e *event.Event, kind uint8, flags uint32) bool{
	recThreadBegin: func(s *stream, e *event.Event, kind uint8, _ uint32) bool {
		e.Type, e.Kind, e.Value = event.ThreadBegin, kind, int64(s.word(1))
		return true
	},
	recThreadEnd: func(_ *stream, e *event.Event, _ uint8, _ uint32) bool {
		e.Type = event.ThreadEnd
		return true
	},
	recParallelBegin: (*stream).parallelBegin,
	recParallelEnd:   (*stream).parallelEnd,
	recImplicitBegin: (*stream).implicitBegin,
	recImplicitEnd:   (*stream).implicitEnd,
	recTaskCreate:    (*stream).taskCreate,
	recDependences:   (*stream).dependences,
	recTaskSchedule:  (*stream).taskSchedule,
	recSyncBegin:     (*stream).sync,
	recSyncEnd:       (*stream).sync,
	recWaitBegin:     (*stream).sync,
	recWaitEnd:       (*stream).sync,
	recCancel:        (*stream).cancel,
	recWork:          (*stream).work,
	recControl:       (*stream).control,
	recResync:        (*stream).resync,
	recBinding:       (*stream).binding,
	recDispatch:      (*stream).dispatch,
	recMutexAcquire:  (*stream).mutex,
	recMutexAcquired: (*stream).mutex,
	recMutexReleased: (*stream).mutex,
	recNestLock:      (*stream).nestLock,
	recMasked:        (*stream).masked,
	recProcessor:     (*stream).processor,
	recCarry:         (*stream).carry,
	recExtension:     (*stream).extension,
}

// written is the task of a record: the one written in it, else the one derived.
func (s *stream) written(flags uint32, derived uint64) uint64 {
	if flags&flagX != 0 {
		return s.word(2)
	}
	return derived
}

// parallelFlags widens the recorder's four bits to those of OMPT.
func parallelFlags(p uint32) uint32 { return p&3 | p>>2&3<<30 }

func (s *stream) parallelBegin(e *event.Event, _ uint8, flags uint32) bool {
	e.Type, e.Flags, e.Code = event.ParallelBegin, parallelFlags(flags), s.word(1)
	e.Parallel, e.Task, e.Value = s.id(s.word(2)), s.task(s.word(3)), int64(s.word(4))
	return true
}

func (s *stream) parallelEnd(e *event.Event, _ uint8, flags uint32) bool {
	e.Type, e.Flags, e.Code = event.ParallelEnd, parallelFlags(flags), s.word(1)
	e.Parallel, e.Task = s.id(s.word(2)), s.task(s.word(3))
	s.current = s.word(3)
	return true
}

func (s *stream) implicitBegin(e *event.Event, kind uint8, _ uint32) bool {
	s.implicit(e, event.ImplicitBegin, kind)
	s.current, s.last = s.word(1), s.word(1)
	s.regions = append(s.regions, e.Parallel)
	return true
}

func (s *stream) implicitEnd(e *event.Event, kind uint8, _ uint32) bool {
	s.implicit(e, event.ImplicitEnd, kind)
	if n := len(s.regions); n > 0 {
		s.regions = s.regions[:n-1]
	}
	return true
}

func (s *stream) implicit(e *event.Event, t event.Type, kind uint8) {
	team := s.word(3)
	e.Type, e.Kind, e.Task, e.Parallel = t, kind, s.task(s.word(1)), s.id(s.word(2))
	e.Value, e.Index = int64(team&0xffffffff), int32(team>>32)
}

func (s *stream) taskCreate(e *event.Event, kind uint8, flags uint32) bool {
	creator, task := s.current, s.last+1
	if flags&flagX != 0 {
		creator, task = s.word(2), s.word(3)
	}
	s.last = task
	e.Type, e.Code, e.Flags = event.TaskCreate, s.word(1), uint32(kind)|flags&31<<27
	e.Task, e.Task2 = s.task(task), s.task(creator)
	if flags&deferredDeps != 0 {
		e.Value = 1
	}
	return true
}

// dependences gathers the items of records that continue each other into one
// event, which has the time of the last.
func (s *stream) dependences(e *event.Event, _ uint8, flags uint32) bool {
	at := 2
	if flags&flagX != 0 {
		at = 4
	}
	n := int(s.word(1))
	if s.gathering == 0 {
		s.deps = s.deps[:0]
	}
	for i := range n {
		if len(s.deps) == maxDeps {
			s.file.report(s.offset(), "found more than %d dependences of a task: the rest is skipped", maxDeps)
			break
		}
		s.deps = append(s.deps, dep(s.word(at+i)))
	}
	s.gathering = flags & continued
	if s.gathering != 0 {
		return false
	}
	e.Type, e.Task, e.Deps = event.Dependences, s.task(s.written(flags, s.last)), s.deps
	return true
}

// dep splits an item into address and type; iterations of loops (source, sink)
// have a sign.
func dep(item uint64) event.Dep {
	d := event.Dep{Type: uint8(item & 63), Address: item >> 6}
	if d.Type == event.DepSource || d.Type == event.DepSink {
		d.Address = uint64(int64(item) >> 6)
	}
	return d
}

func (s *stream) taskSchedule(e *event.Event, kind uint8, flags uint32) bool {
	next := s.word(1)
	e.Type, e.Kind = event.TaskSchedule, kind
	e.Task, e.Task2 = s.task(s.written(flags, s.current)), s.task(next)
	if next != 0 {
		s.current = next
	}
	return true
}

func (s *stream) sync(e *event.Event, kind uint8, flags uint32) bool {
	e.Type = event.SyncBegin + event.Type(s.head&31-recSyncBegin)
	e.Kind, e.Code, e.Parallel = kind, s.word(1), s.region()
	e.Task = s.task(s.written(flags, s.current))
	return true
}

func (s *stream) cancel(e *event.Event, _ uint8, flags uint32) bool {
	e.Type, e.Flags, e.Code = event.Cancel, flags&^flagX, s.word(1)
	e.Task = s.task(s.written(flags, s.current))
	return true
}

// work makes two events of a record of both ends: it is decoded twice.
func (s *stream) work(e *event.Event, kind uint8, flags uint32) bool {
	e.Type, e.Kind, e.Value, e.Code = event.Work, kind, int64(flags&3), s.word(1)
	e.Task, e.Parallel, e.Count = s.task(s.word(2)), s.region(), s.word(3)
	if flags&3 == workBoth {
		e.Value = workEnd
		if s.half = !s.half; s.half {
			e.Value = workBegin
			s.pos -= 4 * 8 // comes again
		}
	}
	return true
}

// control's name is that of the mark. Lengths are bounded by what the record
// holds.
func (s *stream) control(e *event.Event, _ uint8, _ uint32) bool {
	e.Type, e.Code, e.Value = event.Control, s.word(1), int64(s.word(2))
	from := s.pos + 4*8
	e.Name = string(s.buf[from : from+int(s.word(3))])
	return true
}

// resync says what the thread does after a pause, in which events were not
// recorded.
func (s *stream) resync(e *event.Event, kind uint8, _ uint32) bool {
	s.current, s.last, s.regions = s.word(1), s.word(2), s.regions[:0]
	e.Type, e.Kind, e.Value, e.Task = event.Lost, kind, -1, s.task(s.current)
	return true
}

// binding's length is bounded by what the record holds.
func (s *stream) binding(e *event.Event, _ uint8, _ uint32) bool {
	var mask []uint64
	for i := range min(int(s.word(1)&0xffffffff), event.MaxProcessors/64) {
		mask = append(mask, s.word(2+i))
	}
	e.Type, e.Value, e.Name = event.Binding, int64(int32(s.word(1)>>32)), event.Processors(mask)
	return true
}

func (s *stream) dispatch(e *event.Event, kind uint8, _ uint32) bool {
	e.Type, e.Kind, e.Code, e.Count = event.Dispatch, kind, s.word(1), s.word(2)
	return true
}

// mutex: which lock is the payload, but of a request, where it is behind the code.
func (s *stream) mutex(e *event.Event, kind uint8, _ uint32) bool {
	e.Type, e.Kind, e.Value = event.MutexAcquire+event.Type(s.head&31-recMutexAcquire), kind, int64(s.word(1))
	if e.Type == event.MutexAcquire {
		e.Code, e.Value = s.word(1), int64(s.word(2))
	}
	return true
}

func (s *stream) nestLock(e *event.Event, kind uint8, _ uint32) bool {
	e.Type, e.Kind, e.Value = event.NestLock, kind, int64(s.word(1))
	return true
}

func (s *stream) masked(e *event.Event, _ uint8, flags uint32) bool {
	e.Type, e.Value, e.Code, e.Parallel = event.Masked, int64(flags&3), s.word(1), s.region()
	e.Task = s.task(s.written(flags, s.current))
	return true
}

func (s *stream) processor(e *event.Event, kind uint8, _ uint32) bool {
	e.Type, e.Kind, e.Value, e.Count = event.Processor, kind, int64(s.word(1)), s.word(2)
	return true
}

// carry says again what implicit task the thread is in, for readers that do not have
// the chunks before: others know.
func (s *stream) carry(e *event.Event, kind uint8, _ uint32) bool {
	s.implicit(e, event.Carry, kind)
	if !s.missing {
		return false
	}
	s.regions = append(s.regions, e.Parallel)
	return true
}

// extension is a record that this reader does not know.
func (s *stream) extension(e *event.Event, kind uint8, _ uint32) bool {
	e.Type, e.Kind, e.Count = event.Skipped, kind, 1
	return true
}
