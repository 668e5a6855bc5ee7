package replay

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"dagscope/read/ompt/event"
	"dagscope/trace"
)

// script are events of two threads in a parallel region, by time: each with its
// thread's implicit task where it names none.
func script(t *testing.T, inside []event.Event) *trace.Run {
	t.Helper()
	a, b := event.NewID(0, 2), event.NewID(1, 1)
	events := []event.Event{
		{Time: 0, Type: event.ThreadBegin, Kind: event.ThreadInitial},
		{Time: 0, Type: event.ImplicitBegin, Kind: event.TaskInitial, Task: event.NewID(0, 1), Value: 1},
		{Time: 5, Type: event.ThreadBegin, Kind: event.ThreadWorker, Thread: 1},
		{Time: 10, Type: event.ParallelBegin, Task: event.NewID(0, 1), Parallel: 1, Value: 2, Code: 0x100},
		{Time: 10, Type: event.ImplicitBegin, Kind: event.TaskImplicit, Task: a, Parallel: 1, Value: 2},
		{Time: 20, Type: event.ImplicitBegin, Kind: event.TaskImplicit, Task: b, Parallel: 1, Value: 2, Index: 1, Thread: 1},
	}
	for _, e := range inside {
		if e.Task == 0 {
			e.Task = []event.ID{a, b}[e.Thread]
		}
		e.Parallel = 1
		events = append(events, e)
	}
	events = append(events,
		event.Event{Time: 900, Type: event.WaitBegin, Kind: event.SyncBarrierImplicitParallel, Task: a, Parallel: 1},
		event.Event{Time: 920, Type: event.WaitBegin, Kind: event.SyncBarrierImplicitParallel, Task: b, Parallel: 1, Thread: 1},
		event.Event{Time: 930, Type: event.WaitEnd, Kind: event.SyncBarrierImplicitParallel, Task: a, Parallel: 1},
		event.Event{Time: 930, Type: event.ImplicitEnd, Kind: event.TaskImplicit, Task: a, Parallel: 1},
		event.Event{Time: 940, Type: event.ParallelEnd, Task: event.NewID(0, 1), Parallel: 1},
		event.Event{Time: 1000, Type: event.ImplicitEnd, Kind: event.TaskInitial, Task: event.NewID(0, 1)},
		event.Event{Time: 1000, Type: event.ThreadEnd},
		event.Event{Time: 1005, Type: event.WaitEnd, Kind: event.SyncBarrierImplicitParallel, Task: b, Thread: 1},
		event.Event{Time: 1005, Type: event.ImplicitEnd, Kind: event.TaskImplicit, Task: b, Thread: 1},
		event.Event{Time: 1010, Type: event.ThreadEnd, Thread: 1},
	)
	slices.SortStableFunc(events, func(a, b event.Event) int { return cmp.Compare(a.Time, b.Time) })
	run := replayed(events)
	if err := run.SetGeneration(""); err != nil {
		t.Fatal(err)
	}
	if err := run.Validate(); err != nil {
		t.Fatal(err)
	}
	if n := run.Log.Total(trace.Warning); n > 0 {
		t.Errorf("found %d warnings: %v", n, run.Log.Message.Dict)
	}
	return run
}

// constructsOf and sharesOf are the tables as text, on the clock of the events.
func constructsOf(run *trace.Run) (lines []string) {
	c, o := &run.Construct, run.Meta.Origin
	for i := range c.Start {
		lines = append(lines, fmt.Sprintf("%s%s %d-%d-%d in %d team %d", c.Kind.At(i), c.Schedule.At(i), c.Start[i]+o, c.End[i]+o, c.Leave[i]+o, c.Parent[i], c.Team[i]))
	}
	return lines
}

func sharesOf(run *trace.Run) (lines []string) {
	s, o := &run.Share, run.Meta.Origin
	for i := range s.Start {
		lines = append(lines, fmt.Sprintf("%d T%d %d-%d-%d chunks %d iterations %d", s.Construct[i], s.Resource[i]-2, s.Start[i]+o, s.End[i]+o, s.Leave[i]+o, s.Chunks[i], s.Iterations[i]))
	}
	return lines
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: found\n%q, wanted\n%q", what, got, want)
	}
}

// A loop with its barrier, one without (nowait), a single, an explicit barrier, which is
// behind no construct, and what one thread does alone.
func TestConstructs(t *testing.T) {
	work := func(at int64, thread int32, kind uint8, scope int64, code, count uint64) event.Event {
		return event.Event{Time: at, Thread: thread, Type: event.Work, Kind: kind, Value: scope, Code: code, Count: count}
	}
	wait := func(at int64, thread int32, what event.Type, kind uint8) event.Event {
		return event.Event{Time: at, Thread: thread, Type: what, Kind: kind}
	}
	chunk := func(at int64, thread int32, first, n uint64) event.Event {
		return event.Event{Time: at, Thread: thread, Type: event.Dispatch, Kind: event.DispatchChunk, Code: first, Count: n}
	}
	run := script(t, []event.Event{
		work(30, 0, event.WorkLoopDynamic, 1, 0x200, 100),
		chunk(31, 0, 0, 50),
		work(40, 1, event.WorkLoopDynamic, 1, 0x200, 100),
		chunk(41, 1, 50, 10),
		chunk(60, 1, 60, 40),
		work(100, 0, event.WorkLoopDynamic, 2, 0x200, 0),
		wait(101, 0, event.WaitBegin, event.SyncBarrierImplicitWorkshare),
		work(200, 1, event.WorkLoopDynamic, 2, 0x200, 0),
		wait(201, 1, event.WaitBegin, event.SyncBarrierImplicitWorkshare),
		wait(210, 0, event.WaitEnd, event.SyncBarrierImplicitWorkshare),
		wait(211, 1, event.WaitEnd, event.SyncBarrierImplicitWorkshare),
		// the same loop again, static, nowait, and an explicit barrier
		work(220, 0, event.WorkLoopStatic, 1, 0x200, 8),
		work(230, 0, event.WorkLoopStatic, 2, 0x200, 8),
		work(235, 1, event.WorkLoopStatic, 1, 0x200, 8),
		work(250, 1, event.WorkLoopStatic, 2, 0x200, 8),
		wait(251, 0, event.WaitBegin, event.SyncBarrierExplicit),
		wait(252, 1, event.WaitBegin, event.SyncBarrierExplicit),
		wait(260, 0, event.WaitEnd, event.SyncBarrierExplicit),
		wait(260, 1, event.WaitEnd, event.SyncBarrierExplicit),
		{Time: 270, Type: event.Masked, Value: 1, Code: 0x300},
		{Time: 280, Type: event.Masked, Value: 2, Code: 0x300},
		work(300, 1, event.WorkSingleExecutor, 1, 0x400, 1),
		work(310, 0, event.WorkSingleOther, 1, 0x400, 1),
		work(310, 0, event.WorkSingleOther, 2, 0x400, 1),
		wait(311, 0, event.WaitBegin, event.SyncBarrierImplicitWorkshare),
		work(400, 1, event.WorkSingleExecutor, 2, 0x400, 1),
		wait(401, 1, event.WaitBegin, event.SyncBarrierImplicitWorkshare),
		wait(410, 0, event.WaitEnd, event.SyncBarrierImplicitWorkshare),
		wait(411, 1, event.WaitEnd, event.SyncBarrierImplicitWorkshare),
		work(500, 0, event.WorkLoopStatic, 1, 0x500, 8), // the last: its barrier is the region's
		work(500, 1, event.WorkLoopStatic, 1, 0x500, 8),
		work(899, 0, event.WorkLoopStatic, 2, 0x500, 8),
		work(919, 1, event.WorkLoopStatic, 2, 0x500, 8),
	})
	same(t, "constructs", constructsOf(run), []string{
		"parallel 10-920-940 in -1 team 2",
		"loopdynamic 30-200-211 in 0 team 2",
		"loopstatic 220-250-250 in 0 team 2",
		"masked 270-280-280 in 0 team 1",
		"single 300-400-411 in 0 team 2",
		"loopstatic 500-919-940 in 0 team 2",
	})
	same(t, "shares", sharesOf(run), []string{
		"0 T0 10-900-930 chunks 0 iterations 0", "0 T1 20-920-940 chunks 0 iterations 0",
		"1 T0 30-100-210 chunks 1 iterations 50", "1 T1 40-200-211 chunks 2 iterations 50",
		"2 T0 220-230-230 chunks 0 iterations 0", "2 T1 235-250-250 chunks 0 iterations 0",
		"3 T0 270-280-280 chunks 0 iterations 0",
		"4 T0 310-310-410 chunks 0 iterations 0", "4 T1 300-400-411 chunks 0 iterations 0",
		"5 T0 500-899-930 chunks 0 iterations 0", "5 T1 500-919-940 chunks 0 iterations 0",
	})
	o := run.Meta.Origin
	var chunks []string
	for i := range run.Chunk.Start {
		chunks = append(chunks, fmt.Sprintf("%d %d-%d %d+%d", run.Chunk.Share[i], run.Chunk.Start[i]+o, run.Chunk.End[i]+o, run.Chunk.First[i], run.Chunk.Iterations[i]))
	}
	same(t, "chunks", chunks, []string{"2 31-100 0+50", "3 41-60 50+10", "3 60-200 60+40"})
	if got := run.Construct.Iterations; got[1] != 100 || got[4] != trace.NoTime {
		t.Errorf("found iterations %v, wanted 100 of the first loop and none of the single", got)
	}
}

// Two threads ask for one lock; one gets a nested lock twice, and a test fails.
func TestMutexes(t *testing.T) {
	mutex := func(at int64, thread int32, what event.Type, kind uint8, lock int64) event.Event {
		return event.Event{Time: at, Thread: thread, Type: what, Kind: kind, Value: lock, Code: 0x700}
	}
	run := script(t, []event.Event{
		mutex(100, 0, event.MutexAcquire, event.MutexCritical, 1),
		mutex(101, 0, event.MutexAcquired, event.MutexCritical, 1),
		mutex(110, 1, event.MutexAcquire, event.MutexCritical, 1),
		mutex(150, 0, event.MutexReleased, event.MutexCritical, 1),
		mutex(155, 1, event.MutexAcquired, event.MutexCritical, 1),
		mutex(160, 1, event.MutexReleased, event.MutexCritical, 1),
		mutex(200, 0, event.MutexAcquire, event.MutexNestedLock, 2),
		mutex(201, 0, event.MutexAcquired, event.MutexNestedLock, 2),
		mutex(210, 0, event.MutexAcquire, event.MutexNestedLock, 2),
		{Time: 211, Type: event.NestLock, Kind: 1, Value: 2},
		{Time: 220, Type: event.NestLock, Kind: 2, Value: 2},
		mutex(225, 1, event.MutexAcquire, event.MutexTest, 2), // fails
		mutex(230, 0, event.MutexReleased, event.MutexNestedLock, 2),
		mutex(240, 0, event.MutexAcquire, event.MutexLock, 3),
		mutex(241, 0, event.MutexAcquired, event.MutexLock, 3), // and never released
	})
	x, o := &run.Mutex, run.Meta.Origin
	at := func(t int64) int64 {
		if t == trace.NoTime {
			return -1
		}
		return t + o
	}
	var got []string
	for i := range x.Request {
		got = append(got, fmt.Sprintf("%s %s T%d %d %d %d depth %d", x.Kind.At(i), x.Lock.At(i), x.Resource[i]-2, at(x.Request[i]), at(x.Acquire[i]), at(x.Release[i]), x.Depth[i]))
	}
	same(t, "mutexes", got, []string{
		"critical 0x1 T0 100 101 150 depth 0", "critical 0x1 T1 110 155 160 depth 0", "nested lock 0x2 T0 200 201 230 depth 0",
		"nested lock 0x2 T0 210 211 220 depth 1", "test lock 0x2 T1 225 -1 -1 depth 0", "lock 0x3 T0 240 241 -1 depth 0",
	})
	var states []string
	for i := range run.State.Start {
		if kind := run.State.Kind.At(i); kind == trace.StateLock || kind == trace.StateHolding {
			states = append(states, fmt.Sprintf("T%d %s %s %d-%d depth %d", run.State.Resource[i]-2, run.State.Type.At(i), kind, run.State.Start[i]+o, run.State.End[i]+o, run.State.Depth[i]))
		}
	}
	same(t, "states", states, []string{
		"T0 OpenMP lock 100-101 depth 1", "T0 OpenMP lock 200-201 depth 1", "T0 OpenMP lock 210-211 depth 1", "T0 OpenMP lock 240-241 depth 1",
		"T0 OpenMP mutex holding 101-150 depth 0", "T0 OpenMP mutex holding 201-230 depth 0", "T0 OpenMP mutex holding 241-1010 depth 0",
		"T1 OpenMP lock 110-155 depth 1", "T1 OpenMP mutex holding 155-160 depth 0",
	})
}

// Readings of processor time become rates, and shares get theirs in proportion.
func TestProcessorTime(t *testing.T) {
	read := func(at int64, thread int32, used int64, queued uint64) event.Event {
		return event.Event{Time: at, Thread: thread, Type: event.Processor, Kind: event.ProcessorQueue, Value: used, Count: queued}
	}
	run := script(t, []event.Event{
		read(20, 1, 1000, 7), read(20, 0, 0, 0), read(220, 1, 1100, 107), read(420, 1, 1300, 107), read(900, 0, 440, 440), read(920, 1, 1800, 107),
	})
	s := &run.Sample
	var got []string
	for i := range s.Time {
		got = append(got, fmt.Sprintf("%s T%d %d %.2f", s.Metric.At(i), s.Resource[i]-2, s.Time[i]+run.Meta.Origin, s.Value[i]))
	}
	same(t, "samples", got, []string{
		"processor T0 20 0.50", "processor T0 900 0.00", "processor T1 20 0.50", "processor T1 220 1.00", "processor T1 420 1.00", "processor T1 920 0.00",
		"waiting processor T0 20 0.50", "waiting processor T0 900 0.00", "waiting processor T1 20 0.50", "waiting processor T1 220 0.00",
		"waiting processor T1 420 0.00", "waiting processor T1 920 0.00",
	})
	if used, queued := run.Share.Processor, run.Share.Queued; used[1] != 800 || queued[1] != 100 || used[0] < 444 || used[0] > 446 {
		t.Errorf("found %v ns used, %v ns queued, wanted 800 and 100 of T1, about 445 of T0", used, queued)
	}
}
