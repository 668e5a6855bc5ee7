package lock

import (
	"testing"

	"dagscope/trace"
)

// TestLocks: requests by lock and by line; tests do not wait, what was never granted or
// released lasts to the end, overlapping holds of a lock count once.
func TestLocks(t *testing.T) {
	run := &trace.Run{}
	run.Meta.Horizon = 1000
	run.Resource.Parent = make([]int32, 3)
	m := &run.Mutex
	for _, r := range []struct {
		kind, lock                string
		line, thread              int32
		request, acquire, release int64
	}{
		{trace.MutexLock, "a", 1, 0, 0, 0, 100},
		{trace.MutexLock, "a", 2, 1, 10, 100, 150},
		{trace.MutexNestedLock, "a", 2, 1, 120, 120, 140},
		{trace.MutexTest, "b", 3, 2, 200, trace.NoTime, trace.NoTime},
		{trace.MutexCritical, "c", 4, 0, 300, 300, trace.NoTime},
		{trace.MutexCritical, "c", 4, 1, 900, trace.NoTime, trace.NoTime},
	} {
		m.Kind.Append(r.kind)
		m.Lock.Append(r.lock)
		m.Function.Append("main")
		m.File.Append("x.c")
		m.Line, m.Resource, m.Depth, m.Task = append(m.Line, r.line), append(m.Resource, r.thread), append(m.Depth, 0), append(m.Task, trace.None)
		m.Request, m.Acquire, m.Release = append(m.Request, r.request), append(m.Acquire, r.acquire), append(m.Release, r.release)
	}
	f := Find(run, 0, 0)
	want := map[string][5]int64{"a": {3, 1, 90, 150, 90}, "b": {1, 0, 0, 0, 0}, "c": {2, 1, 100, 700, 100}} // requests, contended, waiting, holding, longest
	for _, u := range f.Locks {
		if got := [5]int64{u.Requests, u.Contended, u.Waiting, u.Holding, u.Longest}; got != want[u.Lock] {
			t.Errorf("lock %s is %v, want %v", u.Lock, got, want[u.Lock])
		}
	}
	if len(f.Locks) != 3 || len(f.Lines) != 5 || f.Locks[0].Lock != "c" || f.Waiting() != 190 {
		t.Errorf("found %d locks, %d lines, first %s, waiting %d", len(f.Locks), len(f.Lines), f.Locks[0].Lock, f.Waiting())
	}
	if longest, all := f.Serial(); longest.Lock != "c" || all != 850 {
		t.Errorf("%s is held longest, %d ns in all, want c and 850", longest.Lock, all)
	}
	if f.Waits[1].Length() != 190 || f.Waits[0].Length() != 0 {
		t.Errorf("threads wait %v", f.Waits)
	}
	if w := Find(run, 160, 250); len(w.Locks) != 1 || w.Locks[0].Lock != "b" {
		t.Errorf("in a window found %+v, want the test of b", w.Locks)
	}
	if Find(&trace.Run{}, 0, 0) != nil {
		t.Error("found locks in a run without any")
	}
}
