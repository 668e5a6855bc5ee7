package dsom

import (
	"fmt"

	"dagscope/read/ompt/event"
)

// record is one record as it is written.
type record struct {
	kind  uint32 // type of the record
	sub   uint8  // kind
	flags uint32
	words []uint64 // from the payload on
}

// Add writes an event.
func (p *Packer) Add(e *event.Event) error {
	if err := p.add(e); err != nil {
		return fmt.Errorf("pack event at %d: %w", e.Position, err)
	}
	return nil
}

func (p *Packer) add(e *event.Event) error {
	k, err := p.thread(e.Thread, e.Time)
	if err != nil {
		return err
	}
	if e.Time < k.time {
		return fmt.Errorf("found time %d ns after %d ns on thread %d, wanted times that rise", e.Time, k.time, e.Thread)
	}
	for _, id := range [2]event.ID{e.Task, e.Task2} {
		if id.Thread() >= maxThreads {
			return fmt.Errorf("found task %d.%d, wanted threads up to %d", id.Thread(), id.Counter(), maxThreads-1)
		}
		p.highest = max(p.highest, uint32(id.Thread()+1))
	}
	encode := encoders[e.Type]
	if encode == nil {
		p.done.Left++
		return nil
	}
	p.done.Events++
	return encode(p, k, e)
}

// encoders write each type of event; nil for what the format has no place for.
var encoders = [256]func(p *Packer, k *packing, e *event.Event) error{
	event.ThreadBegin:   (*Packer).threadBegin,
	event.ThreadEnd:     (*Packer).threadEnd,
	event.ParallelBegin: (*Packer).parallel,
	event.ParallelEnd:   (*Packer).parallel,
	event.ImplicitBegin: (*Packer).implicit,
	event.ImplicitEnd:   (*Packer).implicit,
	event.TaskCreate:    (*Packer).taskCreate,
	event.Dependences:   (*Packer).dependences,
	event.TaskSchedule:  (*Packer).taskSchedule,
	event.SyncBegin:     (*Packer).sync,
	event.SyncEnd:       (*Packer).sync,
	event.WaitBegin:     (*Packer).sync,
	event.WaitEnd:       (*Packer).sync,
	event.Cancel:        (*Packer).cancel,
	event.Work:          (*Packer).work,
	event.Control:       (*Packer).control,
	event.Lost:          (*Packer).loss,
	event.Binding:       (*Packer).binding,
	event.Masked:        (*Packer).masked,
	event.Dispatch:      (*Packer).dispatch,
	event.MutexAcquire:  (*Packer).mutex,
	event.MutexAcquired: (*Packer).mutex,
	event.MutexReleased: (*Packer).mutex,
	event.NestLock:      (*Packer).nestLock,
	event.Processor:     (*Packer).processor,
	event.Carry:         (*Packer).carry,
}

// put appends a record to the thread's chunk, or to its next one where it does
// not fit or its time is too far from the last.
func (p *Packer) put(k *packing, at int64, r record) error {
	size := 8 * (len(r.words) + 1)
	if chunkHeaderSize+int64(len(k.buf)+size) > k.size || uint64(at-k.time) >= 1<<(tickBits-1) {
		if err := p.next(k, at); err != nil {
			return err
		}
	}
	k.time = at
	head := (uint64(at)-k.base)<<tickShift | uint64(r.flags)<<10 | uint64(r.sub&31)<<5 | uint64(r.kind)
	k.buf = little.AppendUint64(k.buf, head)
	for _, w := range r.words {
		k.buf = little.AppendUint64(k.buf, w)
	}
	return nil
}

// region is the file's number of a parallel region: the thread's own count, as
// the recorder numbers them.
func (p *Packer) region(k *packing, id uint64) uint64 {
	if id == 0 {
		return 0
	}
	if n, ok := p.regions[id]; ok {
		return n
	}
	k.at.lastParallel = max(k.at.lastParallel, uint64(k.thread+1)<<40) + 1
	p.regions[id] = k.at.lastParallel
	return k.at.lastParallel
}

// of writes a task where it is not the one that a reader derives.
func (r record) of(task event.ID, derived uint64) record {
	if uint64(task) != derived {
		r.flags |= flagX
		r.words = append(r.words, uint64(task), 0)
	}
	return r
}

func (p *Packer) threadBegin(k *packing, e *event.Event) error {
	k.threadType, k.system = uint32(e.Kind), uint32(e.Value)
	return p.put(k, e.Time, record{kind: recThreadBegin, sub: e.Kind, words: []uint64{uint64(e.Value)}})
}

func (p *Packer) threadEnd(k *packing, e *event.Event) error {
	return p.put(k, e.Time, record{kind: recThreadEnd, words: []uint64{0}})
}

func (p *Packer) parallel(k *packing, e *event.Event) error {
	r := record{
		kind: recParallelBegin, flags: e.Flags&3 | e.Flags>>30<<2,
		words: []uint64{e.Code, p.region(k, e.Parallel), uint64(e.Task), uint64(e.Value), 0},
	}
	if e.Type == event.ParallelEnd {
		r.kind, r.words = recParallelEnd, r.words[:3]
	}
	err := p.put(k, e.Time, r)
	if e.Type == event.ParallelEnd {
		k.at.current = uint64(e.Task)
	}
	return err
}

func (p *Packer) implicit(k *packing, e *event.Event) error {
	r := record{
		kind: recImplicitEnd, sub: e.Kind,
		words: []uint64{uint64(e.Task), p.region(k, e.Parallel), uint64(uint32(e.Value)) | uint64(uint32(e.Index))<<32},
	}
	if e.Type == event.ImplicitBegin {
		r.kind = recImplicitBegin
	}
	err := p.put(k, e.Time, r)
	if e.Type == event.ImplicitBegin {
		k.at.current, k.at.last = uint64(e.Task), uint64(e.Task)
	}
	return err
}

func (p *Packer) taskCreate(k *packing, e *event.Event) error {
	r := record{kind: recTaskCreate, sub: uint8(e.Flags & 31), flags: e.Flags >> 27, words: []uint64{e.Code}}
	if e.Value != 0 {
		r.flags |= deferredDeps
	}
	if uint64(e.Task2) != k.at.current || uint64(e.Task) != k.at.last+1 {
		r.flags |= flagX
		r.words = append(r.words, uint64(e.Task2), uint64(e.Task))
	}
	err := p.put(k, e.Time, r)
	k.at.last = uint64(e.Task)
	return err
}

func (p *Packer) dependences(k *packing, e *event.Event) error {
	for deps := e.Deps; ; {
		n := min(len(deps), packDeps)
		r := record{kind: recDependences, words: []uint64{uint64(n)}}.of(e.Task, k.at.last)
		if n < len(deps) {
			r.flags |= continued
		}
		for _, d := range deps[:n] {
			r.words = append(r.words, d.Address<<6|uint64(d.Type&63))
		}
		if n%2 != 0 {
			r.words = append(r.words, 0)
		}
		if err := p.put(k, e.Time, r); err != nil || n == len(deps) {
			return err
		}
		deps = deps[n:]
	}
}

func (p *Packer) taskSchedule(k *packing, e *event.Event) error {
	r := record{kind: recTaskSchedule, sub: e.Kind, words: []uint64{uint64(e.Task2)}}.of(e.Task, k.at.current)
	err := p.put(k, e.Time, r)
	if e.Task2 != 0 {
		k.at.current = uint64(e.Task2)
	}
	return err
}

func (p *Packer) sync(k *packing, e *event.Event) error {
	r := record{kind: recSyncBegin + uint32(e.Type-event.SyncBegin), sub: e.Kind, words: []uint64{e.Code}}
	return p.put(k, e.Time, r.of(e.Task, k.at.current))
}

func (p *Packer) cancel(k *packing, e *event.Event) error {
	r := record{kind: recCancel, flags: e.Flags &^ flagX, words: []uint64{e.Code}}
	return p.put(k, e.Time, r.of(e.Task, k.at.current))
}

func (p *Packer) work(k *packing, e *event.Event) error {
	return p.put(k, e.Time, record{kind: recWork, sub: e.Kind, flags: uint32(e.Value & 3), words: []uint64{e.Code, uint64(e.Task), e.Count}})
}

func (p *Packer) control(k *packing, e *event.Event) error {
	name := e.Name[:min(len(e.Name), packName)]
	r := record{kind: recControl, words: []uint64{e.Code, uint64(e.Value), uint64(len(name))}}
	padded := make([]byte, (len(name)+15)/16*16)
	copy(padded, name)
	for i := 0; i < len(padded); i += 8 {
		r.words = append(r.words, little.Uint64(padded[i:]))
	}
	return p.put(k, e.Time, r)
}

// loss says how many events are missing in the header of a new chunk, or that
// some are with a record.
func (p *Packer) loss(k *packing, e *event.Event) error {
	k.at.current = uint64(e.Task)
	if e.Value <= 0 {
		return p.put(k, e.Time, record{kind: recResync, sub: min(e.Kind, event.LostPaused), words: []uint64{k.at.current, k.at.last, k.at.lastParallel}})
	}
	k.at.lost += uint64(e.Value)
	if k.number == 0 && len(k.buf) == 0 && k.lost == 0 { // the thread's first event
		k.header()
		return nil
	}
	return p.next(k, e.Time)
}

func (p *Packer) binding(k *packing, e *event.Event) error {
	mask, ok := event.ProcessorMask(e.Name)
	if !ok {
		return fmt.Errorf("found processors %q, wanted ranges like 0-3;8", e.Name)
	}
	words := append([]uint64{uint64(len(mask)) | uint64(uint32(e.Value))<<32}, mask...)
	if len(mask)%2 != 0 {
		words = append(words, 0)
	}
	return p.put(k, e.Time, record{kind: recBinding, words: words})
}

func (p *Packer) masked(k *packing, e *event.Event) error {
	r := record{kind: recMasked, flags: uint32(e.Value & 3), words: []uint64{e.Code}}
	return p.put(k, e.Time, r.of(e.Task, k.at.current))
}

func (p *Packer) dispatch(k *packing, e *event.Event) error {
	return p.put(k, e.Time, record{kind: recDispatch, sub: e.Kind, words: []uint64{e.Code, e.Count, 0}})
}

func (p *Packer) mutex(k *packing, e *event.Event) error {
	r := record{kind: recMutexAcquire + uint32(e.Type-event.MutexAcquire), sub: e.Kind, words: []uint64{uint64(e.Value)}}
	if e.Type == event.MutexAcquire {
		r.words = []uint64{e.Code, uint64(e.Value), 0}
	}
	return p.put(k, e.Time, r)
}

func (p *Packer) nestLock(k *packing, e *event.Event) error {
	return p.put(k, e.Time, record{kind: recNestLock, sub: e.Kind, words: []uint64{uint64(e.Value)}})
}

func (p *Packer) processor(k *packing, e *event.Event) error {
	return p.put(k, e.Time, record{kind: recProcessor, sub: e.Kind, words: []uint64{uint64(e.Value), e.Count, 0}})
}

func (p *Packer) carry(k *packing, e *event.Event) error {
	return p.put(k, e.Time, record{
		kind: recCarry, sub: e.Kind,
		words: []uint64{uint64(e.Task), p.region(k, e.Parallel), uint64(uint32(e.Value)) | uint64(uint32(e.Index))<<32},
	})
}
