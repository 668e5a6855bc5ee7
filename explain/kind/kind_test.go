package kind

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"dagscope/internal/stat"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

func TestTiny(t *testing.T) {
	run := tracetest.Tiny()
	s := Compute(run, Options{})
	type row struct {
		kind, arch     string
		count, total   int64
		mean, sd, q95  float64
		smallest, most int64
	}
	var got []row
	for k := range s.Len() {
		got = append(got, row{run.Task.Kind.Dict[s.Kind[k]], ArchName(run, s.Arch[k]), s.Count[k], s.Total[k], s.Mean[k], -1, s.P95[k], s.Min[k], s.Max[k]})
		if (s.Count[k] == 1) != math.IsNaN(s.SD[k]) {
			t.Errorf("row %d: deviation of %d tasks is %v", k, s.Count[k], s.SD[k])
		}
	}
	want := []row{
		{"GEMM", "cuda", 1, 20, 20, -1, 20, 20, 20}, {"POTRF", "cpu", 1, 40, 40, -1, 40, 40, 40},
		{"SYRK", "cpu", 1, 40, 40, -1, 40, 40, 40}, {"SYRK", "cuda", 1, 20, 20, -1, 20, 20, 20},
		{"TRSM", "cpu", 1, 60, 60, -1, 60, 60, 60}, {"TRSM", "cuda", 1, 20, 20, -1, 20, 20, 20},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestGenerationAndInternalDoNotCount(t *testing.T) {
	run := tracetest.Tiny()
	run.Task.Generation[0] = true
	run.Task.Internal[1] = true
	if n := len(Group(run, Options{}).Task); n != 4 {
		t.Errorf("%d tasks count, want 4", n)
	}
	if n := len(Group(run, Options{Generation: true}).Task); n != 5 {
		t.Errorf("%d tasks count with generation, want 5", n)
	}
}

func TestSuspendedTasksWorkInPieces(t *testing.T) {
	run := tracetest.Tiny()
	run.Segment = trace.Segments{Task: []int32{0, 0, 5}, Worker: []int32{10, 10, 10},
		Start: []int64{0, 30, 110}, End: []int64{10, 40, 150}}
	if d := Durations(run); d[0] != 20 || d[1] != 20 || d[5] != 40 {
		t.Errorf("durations are %v, want 20 for the suspended task", d)
	}
}

// TestParallelTasksTakeAsLongAsTheyTake: the instants in which at least one
// piece of a task runs, counted one by one.
func TestParallelTasksTakeAsLongAsTheyTake(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := tracetest.Tiny()
		s := &run.Segment
		last := int64(0)
		for range rapid.IntRange(1, 5).Draw(t, "pieces") {
			last = rapid.Int64Range(last, 36).Draw(t, "start")
			s.Task, s.Worker = append(s.Task, 0), append(s.Worker, rapid.SampledFrom([]int32{8, 10}).Draw(t, "worker"))
			s.Start, s.End = append(s.Start, last), append(s.End, rapid.Int64Range(last, 40).Draw(t, "end"))
		}
		want := int64(0)
		for at := range int64(40) {
			for k := range s.Task {
				if s.Start[k] <= at && at < s.End[k] {
					want++
					break
				}
			}
		}
		if d := Durations(run); d[0] != want || d[1] != 20 {
			t.Fatalf("durations are %d and %d, want %d and 20", d[0], d[1], want)
		}
	})
}

func TestWorkersIncludeIdleOnes(t *testing.T) {
	run := tracetest.Tiny()
	for i := range run.Task.Worker {
		run.Task.Worker[i] = 10
	}
	if w := Workers(run); !slices.Equal(w, []int32{8, 10}) {
		t.Errorf("workers are %v, want 8 and 10", w)
	}
}

// Grouping must give what a map of slices gives.
func TestGroupEqualsMap(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		run := tracetest.Random(rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(0, 200).Draw(rt, "tasks"))
		o := Options{Generation: rapid.Bool().Draw(rt, "generation"), ByNode: rapid.Bool().Draw(rt, "node")}
		for i := range run.Task.Internal {
			run.Task.Internal[i] = i%7 == 3
			run.Task.Generation[i] = i%5 == 2
		}
		type key struct{ kind, arch, node int32 }
		want := map[key][]int32{}
		for i, w := range run.Task.Worker {
			if run.Task.Internal[i] || run.Task.Generation[i] && !o.Generation {
				continue
			}
			k := key{run.Task.Kind.Index[i], run.Resource.Arch.Index[w], trace.None}
			if o.ByNode {
				k.node = run.Resource.Node[w]
			}
			want[k] = append(want[k], int32(i))
		}
		g := Group(run, o)
		if g.Len() != len(want) {
			rt.Fatalf("%d groups, want %d", g.Len(), len(want))
		}
		for k := range g.Len() {
			if w := want[key{g.Kind[k], g.Arch[k], g.Node[k]}]; !slices.Equal(g.Tasks(k), w) {
				rt.Fatalf("group %d is %v, want %v", k, g.Tasks(k), w)
			}
		}
		s := g.Statistics(Durations(run))
		for k := range s.Len() {
			var d []float64
			for _, i := range g.Tasks(k) {
				d = append(d, float64(run.Task.End[i]-run.Task.Start[i]))
			}
			slices.Sort(d)
			if s.Median[k] != stat.SortedQuantile(d, 0.5) || s.Q75[k] != stat.SortedQuantile(d, 0.75) {
				rt.Fatalf("group %d: median %v", k, s.Median[k])
			}
		}
	})
}
