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
	p.task("CPU1", "SYRK", 20, 30, "2") // a parallel task
	run := p.run(t)
	want(t, "in pieces", describe(run, "1"), "1 GEMM CPU0 10-70")
	want(t, "in parallel", describe(run, "2"), "2 SYRK CPU0 20-30")
	s := &run.Segment
	var pieces []string
	for i, w := range s.Worker {
		pieces = append(pieces, fmt.Sprintf("%s:%s %d-%d", run.Task.Key.At(int(s.Task[i])), run.Resource.Name.At(int(w)), s.Start[i]+run.Meta.Origin, s.End[i]+run.Meta.Origin))
	}
	want(t, "segments", strings.Join(pieces, ", "), "1:CPU0 10-20, 1:CPU1 40-60, 1:CPU0 70-70")
	st := &run.State
	row := slices.Index(st.Kind.Index, st.Kind.Find("SYRK"))
	if row < 0 || st.Task[row] != run.Task.Key.Find("2") || run.Resource.Name.At(int(st.Resource[row])) != "CPU1" {
		t.Error("the parallel span is no state that names its task")
	}
	logged(t, run, "task-in-pieces", 2)
	logged(t, run, "task-in-two-places", 1)
}

// TestPiecesOfAJob compares with taking spans one by one, in order of start.
func TestPiecesOfAJob(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := machine()
		type span struct{ start, end int64 }
		spans := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) span {
			start := rapid.Int64Range(0, 30).Draw(t, "start")
			return span{start, start + rapid.Int64Range(0, 9).Draw(t, "length")}
		}), 1, 8).Draw(t, "spans")
		for i, s := range spans {
			p.task([]string{"CPU0", "CPU1"}[i%2], "GEMM", s.start, s.end, "1")
		}
		run, err := Assemble(&p.Parts, Options{})
		if err != nil {
			t.Fatal(err)
		}
		slices.SortStableFunc(spans, func(a, b span) int { return int(a.start - b.start) })
		kept := spans[:1]
		for _, s := range spans[1:] {
			if s.start >= kept[len(kept)-1].end {
				kept = append(kept, s)
			}
		}
		if n := len(kept); n > 1 && len(run.Segment.Start) != n || n == 1 && len(run.Segment.Start) != 0 {
			t.Fatalf("found %d segments, wanted %d pieces", len(run.Segment.Start), n)
		}
		if got := run.Task.End[0] + run.Meta.Origin; got != kept[len(kept)-1].end {
			t.Fatalf("the task ends at %d, wanted %d", got, kept[len(kept)-1].end)
		}
	})
}
