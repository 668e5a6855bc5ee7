package tasking_test

import (
	"path/filepath"
	"testing"

	"dagscope/explain/breakdown"
	"dagscope/explain/tasking"
	"dagscope/internal/testenv"
	"dagscope/read"
	"dagscope/trace"
)

// Recordings of libomp: the work is that of the breakdown; what ran kept all
// the order that the span is made of, so that the span is no longer than the
// run, and no shorter than the work of one thread.
func TestRecordings(t *testing.T) {
	checkAll(t, testenv.References(t, "data/ompt/micro/*.csv"))
	t.Run("large", func(t *testing.T) {
		testenv.Slow(t)
		checkAll(t, testenv.References(t, "data/ompt/traces/*/trace.csv.gz"))
	})
}

func checkAll(t *testing.T, files []string) {
	t.Helper()
	for _, file := range files {
		t.Run(filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), func(t *testing.T) {
			run, err := read.Read(file, read.Options{})
			if err != nil {
				t.Fatal(err)
			}
			check(t, run)
		})
	}
}

func check(t *testing.T, run *trace.Run) {
	t.Helper()
	f := tasking.Compute(run, tasking.Options{})
	b := breakdown.Compute(run, breakdown.Options{Lifetimes: true})
	from, to := breakdown.Recording(run)
	s := f.Span
	work := b.Total(breakdown.Global).Work
	if l := breakdown.FindLost(run, breakdown.Options{Lifetimes: true}, b).Lock; l != nil {
		work -= l.Work // a task that waits for a lock runs, and does not work
	}
	if s.Work != work {
		t.Errorf("work %d, want %d", s.Work, work)
	}
	if s.Circles > 0 || s.Span > to-from || s.Span < longest(run) {
		t.Errorf("span %d of a run of %d, with %d circles; longest piece %d", s.Span, to-from, s.Circles, longest(run))
	}
	t.Logf("work %d span %d parallelism %.2f of a run of %d; %d moved of %d; chain of %d steps", s.Work, s.Span, s.Parallelism(), to-from,
		f.Migration.Moved, f.Migration.Tasks, len(s.Path))
}

// longest is the most that one task worked.
func longest(run *trace.Run) (most int64) {
	work := map[int32]int64{}
	for k, task := range run.Segment.Task {
		work[task] += run.Segment.End[k] - run.Segment.Start[k]
		most = max(most, work[task])
	}
	return most
}
