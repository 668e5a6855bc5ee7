package depend

import (
	"slices"
	"testing"

	"dagscope/trace"

	"pgregory.net/rapid"
)

// instants answers, for one instant and by plain search, what the causes ask.
type instants struct {
	run  *trace.Run
	last *Last
}

// memory of the workers in the machine of drawRun.
func memoryOf(worker int32) (manager int32) {
	if worker == 8 {
		return 4
	}
	return 3
}

// arriving tells whether data of task v was on its way at an instant.
func (o instants) arriving(v int32, at int64) bool {
	moving := func(x int32) bool {
		return o.run.Transfer.Start[x] <= at && at < o.run.Transfer.End[x]
	}
	for e, via := range o.run.Dep.Via {
		if via >= 0 && o.run.Dep.To[e] == v && moving(via) {
			return true
		}
	}
	for x := range o.run.Transfer.Start {
		h := o.run.Transfer.Handle[x]
		for i, task := range o.run.Access.Task {
			if task == v && h >= 0 && o.run.Access.Handle[i] == h && moving(int32(x)) &&
				o.run.Transfer.To[x] == memoryOf(o.run.Task.Worker[v]) {
				return true
			}
		}
	}
	return false
}

// busy tells whether a worker ran anything at an instant.
func (o instants) busy(worker int32, at int64) bool {
	s := &o.run.Segment
	for v, start := range o.run.Task.Start {
		if start != trace.NoTime && o.run.Task.Worker[v] == worker && !slices.Contains(s.Task, int32(v)) && start <= at && at < o.run.Task.End[v] {
			return true
		}
	}
	for k, w := range s.Worker {
		if w == worker && s.Start[k] <= at && at < s.End[k] {
			return true
		}
	}
	return false
}

// inRuntime tells whether a worker or its thread was in a runtime state.
func (o instants) inRuntime(worker int32, at int64) bool {
	s := &o.run.State
	for i := range s.Start {
		mine := s.Resource[i] == worker || worker != 8 && s.Resource[i] == 5
		if mine && s.Kind.At(i) != "Idle" && s.Start[i] <= at && at < s.End[i] {
			return true
		}
	}
	return false
}

func TestTaskDelayAgainstInstants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		last := Find(run)
		d, o := NewDelays(run, last, nil, nil), instants{run, last}
		for v := range int32(last.Tasks) {
			w := run.Task.Worker[v]
			got, ok := d.Task(v)
			if want := run.Task.Ready[v] != trace.NoTime && w >= 0; ok != want {
				t.Fatalf("delay of %d known: %v", v, ok)
			}
			if !ok {
				continue
			}
			var want TaskDelay
			for at := run.Task.Ready[v]; at < run.Task.Start[v]; at++ {
				switch {
				case o.arriving(v, at):
					want.Transfer++
				case o.busy(w, at):
					want.Queue++
				case o.inRuntime(w, at):
					want.Runtime++
				default:
					want.Unexplained++
				}
			}
			if got != want {
				t.Fatalf("delay of %d: %+v, want %+v", v, got, want)
			}
		}
	})
}

func TestGapsAgainstInstants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		last := Find(run)
		d, o := NewDelays(run, last, nil, nil), instants{run, last}
		lanes := d.lanes
		for w := int32(6); w <= 8; w++ {
			first, end := lanes.Of(w)
			idle := int64(0) // before the last start, from zero or the first end on
			for i := first; i < end; i++ {
				from := int64(0)
				if i > first {
					from = slices.Max(lanes.End[first:i])
				}
				var want Gap
				v := lanes.Task[i]
				for at := from; at < lanes.Start[i]; at++ {
					switch {
					case (lanes.IsFirst(i) || lanes.Start[i] == run.Task.Start[v]) && last.Of[v] >= 0 && at < last.End(last.Of[v]):
						want.Dependency++
					case o.arriving(v, at):
						want.Transfer++
					case o.inRuntime(w, at):
						want.Runtime++
					default:
						want.Unexplained++
					}
				}
				got := d.Before(i, w)
				if got != want {
					t.Fatalf("gap before %d on %d: %+v, want %+v", v, w, got, want)
				}
				idle += got.Sum()
			}
			if first == end {
				continue
			}
			var want int64
			for at := min(0, lanes.Start[first]); at < lanes.Start[end-1]; at++ {
				if !o.busy(w, at) {
					want++
				}
			}
			if idle != want {
				t.Fatalf("gaps of %d sum to %d, it did nothing for %d", w, idle, want)
			}
		}
	})
}

func TestTotalsAreTheSumsOfTheParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		d := NewDelays(run, Find(run), nil, nil)
		lanes := d.lanes
		var delay TaskDelay
		var gap Gap
		tasks := int64(0)
		for v := range run.Task.Start {
			if run.Task.Counted(v) && run.Task.Worker[v] >= 0 {
				part, _ := d.Task(int32(v))
				delay.add(part)
				tasks++
			}
		}
		for w := int32(6); w <= 8; w++ {
			for i, end := lanes.Of(w); i < end; i++ {
				if run.Task.Counted(int(lanes.Task[i])) {
					gap.add(d.Before(i, w))
				}
			}
		}
		totals := d.Totals()
		gotDelay, gotGap := totals.Sum()
		if gotDelay != delay || gotGap != gap {
			t.Fatalf("totals %+v %+v, want %+v %+v", gotDelay, gotGap, delay, gap)
		}
		for i, n := range totals.Tasks {
			tasks -= n
			if totals.Known[i] > n {
				t.Fatalf("row %d knows %d of %d ready times", i, totals.Known[i], n)
			}
		}
		if tasks != 0 {
			t.Fatalf("totals miss %d tasks", tasks)
		}
	})
}
