package dsom

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"dagscope/read/ompt/event"
)

// list is a source of events in memory.
type list struct {
	events []event.Event
	next   int
}

func (l *list) Next(e *event.Event) (bool, error) {
	if l.next == len(l.events) {
		return false, nil
	}
	*e = l.events[l.next]
	l.next++
	return true, nil
}

// pack writes events to a file.
func pack(t testing.TB, events []event.Event) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.dsom")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if _, err := packTo(out, &list{events: events}, Meta{Recorder: "test", Host: "h"}); err != nil {
		t.Fatal(err)
	}
	return path
}

// read returns all events of files.
func read(t testing.TB, paths ...string) []event.Event {
	t.Helper()
	r, err := Open(paths)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	events := all(t, r)
	if problems, _ := r.Problems(); len(problems) > 0 {
		t.Errorf("found problems %v", problems)
	}
	return events
}

func all(t testing.TB, r *Recording) (events []event.Event) {
	t.Helper()
	source, err := r.Events()
	if err != nil {
		t.Fatal(err)
	}
	var e event.Event
	for {
		more, err := source.Next(&e)
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			return events
		}
		e.Deps = slices.Clone(e.Deps)
		e.Position = 0
		events = append(events, e)
	}
}

// random makes events of all types with any tasks: what a file must keep does
// not depend on what makes sense.
func random(r *rand.Rand, n, threads int) (events []event.Event) {
	now := make([]int64, threads)
	for range n {
		thread := r.IntN(threads)
		now[thread] += r.Int64N(1000)
		if r.IntN(2000) == 0 {
			now[thread] += 1 << 46 // more than a record's time has room for
		}
		e := randomEvent(r, threads)
		e.Thread, e.Time = int32(thread), now[thread]
		events = append(events, e)
	}
	slices.SortStableFunc(events, func(a, b event.Event) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Thread, b.Thread))
	})
	return events
}

func randomEvent(r *rand.Rand, threads int) (e event.Event) {
	id := func() event.ID {
		if r.IntN(4) == 0 {
			return 0
		}
		return event.NewID(r.Int32N(int32(threads)), 1+r.Uint64N(5))
	}
	e.Type = event.ThreadBegin + event.Type(r.IntN(int(event.Processor)))
	switch e.Type {
	case event.ThreadBegin:
		e.Kind, e.Value = uint8(1+r.IntN(4)), r.Int64N(1<<32)
	case event.ParallelBegin, event.ParallelEnd:
		e.Task, e.Parallel, e.Flags, e.Code = id(), r.Uint64N(9), uint32(r.IntN(4)<<30|r.IntN(4)), r.Uint64()
		if e.Type == event.ParallelBegin {
			e.Value = r.Int64N(64)
		}
	case event.ImplicitBegin, event.ImplicitEnd:
		e.Task, e.Parallel, e.Kind, e.Value, e.Index = id(), r.Uint64N(9), uint8(1+r.IntN(2)), r.Int64N(1<<31), r.Int32()
	case event.TaskCreate:
		e.Task, e.Task2, e.Flags, e.Value, e.Code = id(), id(), uint32(r.IntN(32)|r.IntN(32)<<27), r.Int64N(2), r.Uint64()
	case event.Dependences:
		e.Task = id()
		for range r.IntN(4) * r.IntN(1200) {
			e.Deps = append(e.Deps, event.Dep{Type: uint8(1 + r.IntN(4)), Address: r.Uint64N(1 << 58)})
		}
	case event.TaskSchedule:
		e.Task, e.Task2, e.Kind = id(), id(), uint8(1+r.IntN(8))
	case event.SyncBegin, event.SyncEnd, event.WaitBegin, event.WaitEnd:
		e.Task, e.Kind, e.Code = id(), uint8(1+r.IntN(10)), r.Uint64()
	case event.Cancel:
		e.Task, e.Flags, e.Code = id(), uint32(r.IntN(128)), r.Uint64()
	case event.Work:
		e.Task, e.Kind, e.Value, e.Code, e.Count = id(), uint8(1+r.IntN(13)), int64(1+r.IntN(2)), r.Uint64(), r.Uint64()
	case event.Masked:
		e.Task, e.Value, e.Code = id(), int64(1+r.IntN(2)), r.Uint64()
	case event.Dispatch:
		e.Kind, e.Code, e.Count = uint8(1+r.IntN(5)), r.Uint64(), r.Uint64()
	case event.MutexAcquire:
		e.Kind, e.Value, e.Code = uint8(1+r.IntN(7)), r.Int64(), r.Uint64()
	case event.MutexAcquired, event.MutexReleased:
		e.Kind, e.Value = uint8(1+r.IntN(7)), r.Int64()
	case event.NestLock:
		e.Kind, e.Value = uint8(1+r.IntN(2)), r.Int64()
	case event.Processor:
		e.Kind, e.Value, e.Count = uint8(r.IntN(2)), r.Int64(), r.Uint64()
	case event.Control:
		e.Value, e.Code, e.Name = r.Int64N(100), r.Uint64N(9), "mark é"[:r.IntN(7)]
	case event.Lost:
		e.Task, e.Value = id(), r.Int64N(3)-1
		if e.Value == 0 {
			e.Value = 5
		}
	}
	return e
}

// plain is an event as far as a file keeps it: regions by order of appearance,
// those of waits unsaid.
func plain(events []event.Event) (texts []string) {
	regions := map[uint64]int{0: 0}
	for _, e := range events {
		e.Position = 0
		switch e.Type {
		case event.ParallelBegin, event.ParallelEnd, event.ImplicitBegin, event.ImplicitEnd:
			if _, ok := regions[e.Parallel]; !ok {
				regions[e.Parallel] = len(regions)
			}
			e.Parallel = uint64(regions[e.Parallel])
		default:
			e.Parallel = 0
		}
		if e.Type == event.TaskCreate {
			e.Code = 0 // stands for the place in the program where 0 or the runtime's
		}
		texts = append(texts, fmt.Sprintf("%+v", e))
	}
	return texts
}

// TestPackRandom packs any events and reads them back.
func TestPackRandom(t *testing.T) {
	for seed := range uint64(24) {
		r := rand.New(rand.NewPCG(seed, 1))
		events := random(r, 1+r.IntN(4000), 1+r.IntN(9))
		got, want := plain(read(t, pack(t, events))), plain(events)
		if !reflect.DeepEqual(got, want) {
			for i := range want {
				if i >= len(got) || got[i] != want[i] {
					t.Fatalf("seed %d, event %d of %d:\nfound %s\nwant  %s", seed, i, len(want), got[min(i, len(got)-1)], want[i])
				}
			}
			t.Fatalf("seed %d: found %d events, want %d", seed, len(got), len(want))
		}
	}
}

// packTo writes events as a recorder's file; see [Packer].
func packTo(out io.WriterAt, events event.Source, m Meta) (Packed, error) {
	p, err := NewPacker(out, m)
	if err != nil {
		return Packed{}, err
	}
	var e event.Event
	for {
		more, err := events.Next(&e)
		if err != nil {
			return p.done, err
		}
		if !more {
			return p.Finish()
		}
		if err := p.Add(&e); err != nil {
			return p.done, err
		}
	}
}
