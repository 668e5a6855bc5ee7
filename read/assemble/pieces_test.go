package assemble

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSpansOfOneJob(t *testing.T) {
	p := machine()
	p.task("CPU1", "GEMM", 40, 60, "1") // suspended on CPU0, went on here
	p.task("CPU0", "GEMM", 10, 20, "1")
	p.task("CPU0", "GEMM", 70, 70, "1")
	p.task("CPU0", "SYRK", 20, 30, "2")
	p.task("CPU1", "SYRK", 20, 31, "2") // a parallel task
	p.task("CPU1", "SYRK", 25, 35, "2") // again, before it has ended there
	run := p.run(t)
	want(t, "in pieces", describe(run, "1"), "1 GEMM CPU0 10-70")
	want(t, "in parallel", describe(run, "2"), "2 SYRK CPU0 20-31")
	s := &run.Segment
	var pieces []string
	for i, w := range s.Worker {
		pieces = append(pieces, fmt.Sprintf("%s:%s %d-%d", run.Task.Key.At(int(s.Task[i])), run.Resource.Name.At(int(w)), s.Start[i]+run.Meta.Origin, s.End[i]+run.Meta.Origin))
	}
	want(t, "segments", strings.Join(pieces, ", "), "1:CPU0 10-20, 1:CPU1 40-60, 1:CPU0 70-70, 2:CPU0 20-30, 2:CPU1 20-31")
	st := &run.State
	row := slices.Index(st.Kind.Index, st.Kind.Find("SYRK"))
	if row < 0 || st.Task[row] != run.Task.Key.Find("2") || st.Start[row]+run.Meta.Origin != 25 {
		t.Error("the span that runs twice is no state that names its task")
	}
	logged(t, run, "task-in-pieces", 2)
	logged(t, run, "parallel-task", 1)
	logged(t, run, "task-in-two-places", 1)
}

// TestPiecesOfAJob compares with taking spans one by one, in order of start,
// each unless one of the same worker goes on.
func TestPiecesOfAJob(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := machine()
		type span struct {
			worker     int
			start, end int64
		}
		spans := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) span {
			start := rapid.Int64Range(0, 30).Draw(t, "start")
			return span{rapid.IntRange(0, 1).Draw(t, "worker"), start, start + rapid.Int64Range(0, 9).Draw(t, "length")}
		}), 1, 8).Draw(t, "spans")
		for _, s := range spans {
			p.task([]string{"CPU0", "CPU1"}[s.worker], "GEMM", s.start, s.end, "1")
		}
		run, err := Assemble(&p.Parts, Options{})
		if err != nil {
			t.Fatal(err)
		}
		slices.SortStableFunc(spans, func(a, b span) int { return int(a.start - b.start) })
		var kept []span
		last := int64(0)
		for _, s := range spans {
			if !slices.ContainsFunc(kept, func(k span) bool { return k.worker == s.worker && s.start < k.end }) {
				kept, last = append(kept, s), max(last, s.end)
			}
		}
		if n := len(kept); n > 1 && len(run.Segment.Start) != n || n == 1 && len(run.Segment.Start) != 0 {
			t.Fatalf("found %d segments, wanted %d pieces", len(run.Segment.Start), n)
		}
		if got := run.Task.End[0] + run.Meta.Origin; got != last {
			t.Fatalf("the task ends at %d, wanted %d", got, last)
		}
	})
}
