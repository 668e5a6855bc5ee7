package symptom

import (
	"slices"
	"testing"

	"dagscope/trace"
)

// mixed is a run of nanoseconds: one thread creates so many small tasks and, among them,
// large ones, one after the other every microsecond; two others run them.
func mixed(t *testing.T, small, work, large int, last bool) *trace.Run {
	t.Helper()
	s := draw(1, 3, 0)
	s.openMP = true
	end := 1000 * (small + large)
	root := s.task("implicit task", "CPU0", 0, end)
	s.tasks[root].internal = true
	free, every := [3]int{}, max(1, small/large)
	add := func(i, on int, kind string, takes int) {
		at := 1000 * i
		start := max(at, free[on])
		free[on] = start + takes
		v := s.task(kind, []string{"", "CPU1", "CPU2"}[on], start, free[on])
		s.tasks[v].submit, s.tasks[v].ready, s.tasks[v].parent = at, at, 1
	}
	created := 0
	for i := range small {
		if !last && i%every == 0 && i/every < large {
			add(created, 2, "large", 5_000_000)
			created++
		}
		add(created, 1, "small", work)
		created++
	}
	for created < small+large {
		add(created, 2, "large", 5_000_000)
		created++
	}
	s.state("CPU0", "implicit task", 0, end)
	run := s.run(t) // of microseconds
	for _, times := range [][]int64{run.Task.Start, run.Task.End, run.Task.Submit, run.Task.Ready, run.State.Start, run.State.End} {
		for i := range times {
			if times[i] != trace.NoTime {
				times[i] /= 1000
			}
		}
	}
	run.Meta.Horizon /= 1000
	return run
}

// Large tasks beside small ones make these no cheaper, wherever they are created, and are not
// called small; small tasks that take long enough are not either.
func TestTooFineIsJudgedByKind(t *testing.T) {
	for _, c := range []struct {
		name  string
		run   *trace.Run
		tasks int64 // that are too fine
	}{
		{"large tasks among small ones", mixed(t, 100_000, 45, 20, false), 100_000},
		{"large tasks after small ones", mixed(t, 100_000, 45, 20, true), 100_000},
		{"large tasks take most of the time", mixed(t, 5_000, 45, 20, false), 5_000},
		{"creation is a thousandth of the time", mixed(t, 2_000, 45, 400, false), 0},
		{"tasks of 45 µs", mixed(t, 1_000, 45_000, 20, false), 0},
	} {
		found := Find(c.run, Options{})
		i := slices.IndexFunc(found, func(s Symptom) bool { return s.ID == "too-fine" })
		switch {
		case i < 0 && c.tasks == 0:
		case i < 0 || c.tasks == 0:
			t.Errorf("%s: found %+v, want %d tasks that are too fine", c.name, found, c.tasks)
		default:
			s := &found[i]
			if !slices.Equal(s.Where.Kinds, []string{"small"}) || s.Evidence["tasks"] != c.tasks || s.Evidence["work_per_task_ns"] != int64(45) || s.Evidence["creation_per_task_ns"] != int64(1000) {
				t.Errorf("%s: found %v of kinds %v, want %d of small with 45 ns of work, created in 1000 ns each", c.name, s.Evidence, s.Where.Kinds, c.tasks)
			}
		}
	}
}
