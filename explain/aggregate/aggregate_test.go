package aggregate

import (
	"slices"
	"testing"

	"dagscope/internal/interval"
	"dagscope/trace"

	"pgregory.net/rapid"
)

const horizon = 40

// drawRun draws tasks of three kinds on two of three workers; tasks of one
// worker may overlap, as those of a worker that runs several at once.
func drawRun(t *rapid.T) *trace.Run {
	run := &trace.Run{}
	for range 3 {
		run.Resource.Parent = append(run.Resource.Parent, trace.None)
		run.Resource.Level.Append(trace.LevelWorker)
		run.Resource.Arch.Append("cpu")
		run.Resource.Node = append(run.Resource.Node, 0)
	}
	for range rapid.IntRange(0, 12).Draw(t, "tasks") {
		start := rapid.Int64Range(-2, horizon).Draw(t, "start")
		run.Task.Start = append(run.Task.Start, start)
		run.Task.End = append(run.Task.End, start+rapid.Int64Range(0, 6).Draw(t, "duration"))
		run.Task.Kind.Append(rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "kind"))
		run.Task.Worker = append(run.Task.Worker, rapid.Int32Range(0, 1).Draw(t, "worker"))
		run.Task.Internal = append(run.Task.Internal, false)
		run.Task.Generation = append(run.Task.Generation, rapid.IntRange(0, 4).Draw(t, "generation") == 0)
	}
	return run
}

// ordered returns the tasks of a worker by start, then submission.
func ordered(run *trace.Run, worker int32, generation bool) (rows []int) {
	for i, w := range run.Task.Worker {
		if w == worker && (generation || !run.Task.Generation[i]) {
			rows = append(rows, i)
		}
	}
	slices.SortStableFunc(rows, func(a, b int) int { return int(run.Task.Start[a] - run.Task.Start[b]) })
	return rows
}

func TestDynamicAgainstTheRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		o := Options{Threshold: rapid.Int64Range(0, 5).Draw(t, "threshold"), Generation: rapid.Bool().Draw(t, "generation")}
		if rapid.Bool().Draw(t, "some kinds") {
			o.Kinds = []string{"A", "B"}
		}
		if rapid.Bool().Draw(t, "outliers") {
			o.Outlier = rapid.SliceOfN(rapid.Bool(), len(run.Task.Start), len(run.Task.Start)).Draw(t, "outlier")
		}
		pure := func(i int) bool {
			return run.Task.End[i]-run.Task.Start[i] > o.Threshold || o.Outlier != nil && o.Outlier[i] ||
				o.Kinds != nil && run.Task.Kind.At(i) == "C"
		}
		type group struct {
			worker     int32
			start, end int64
			rows       []int
		}
		var want []group
		for w := range int32(2) {
			for k, i := range ordered(run, w, o.Generation) {
				last := len(want) - 1
				if k == 0 || pure(i) || pure(want[last].rows[len(want[last].rows)-1]) || run.Task.Start[i] > want[last].end+o.Threshold {
					want = append(want, group{w, run.Task.Start[i], run.Task.Start[i], nil})
					last++
				}
				want[last].end = max(want[last].end, run.Task.End[i])
				want[last].rows = append(want[last].rows, i)
			}
		}
		g := Dynamic(run, o)
		if g.Len() != len(want) {
			t.Fatalf("%d groups, want %+v", g.Len(), want)
		}
		for i, w := range want {
			if g.Worker[i] != w.worker || g.Start[i] != w.start || g.End[i] != w.end || int(g.Tasks[i]) != len(w.rows) || g.Pure[i] != pure(w.rows[0]) {
				t.Fatalf("group %d is %d [%d,%d), want %+v", i, g.Worker[i], g.Start[i], g.End[i], w)
			}
			busy, height := map[string]int64{}, 0.0
			for _, r := range w.rows {
				busy[run.Task.Kind.At(r)] += run.Task.End[r] - run.Task.Start[r]
			}
			for s := int(g.At[i]); s < int(g.At[i+1]); s++ {
				name := run.Task.Kind.Dict[g.Share.Kind[s]]
				if b, ok := busy[name]; !ok || b != g.Share.Busy[s] {
					t.Fatalf("group %d has %d of %s, want %v", i, g.Share.Busy[s], name, busy)
				}
				delete(busy, name)
				height += g.Height(i, s)
			}
			if len(busy) != 0 || g.Pure[i] && (height < 1-1e-12 || height > 1+1e-12) {
				t.Fatalf("group %d lacks %v, height %v", i, busy, height)
			}
		}
	})
}

func TestFixedSlicesAgainstInstants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		s := interval.Slices{From: rapid.Int64Range(-4, 9).Draw(t, "from"), To: horizon - 3, Step: rapid.Int64Range(1, 12).Draw(t, "step")}
		got := FixedSlices(run, s, false)
		type cell struct{ worker, slice, kind int32 }
		want, byNode := map[cell]int64{}, map[cell]int64{}
		for i := range run.Task.Start {
			for at := run.Task.Start[i]; at < run.Task.End[i]; at++ {
				if at >= s.From && at < s.To && !run.Task.Generation[i] {
					slice := int32(s.At(at))
					want[cell{run.Task.Worker[i], slice, run.Task.Kind.Index[i]}]++
					byNode[cell{0, slice, run.Task.Kind.Index[i]}]++
				}
			}
		}
		if len(got.Busy) != len(want) {
			t.Fatalf("%d rows, want %d", len(got.Busy), len(want))
		}
		for i := range got.Busy {
			if c := (cell{got.Worker[i], got.Slice[i], got.Kind[i]}); got.Busy[i] != want[c] {
				t.Fatalf("%+v: %d, want %d", c, got.Busy[i], want[c])
			}
		}
		nodes := got.ByNode(run)
		if len(nodes.Busy) != len(byNode) {
			t.Fatalf("%d rows of the node, want %d", len(nodes.Busy), len(byNode))
		}
		for i := range nodes.Busy {
			c := cell{nodes.Type[i], nodes.Slice[i], nodes.Kind[i]}
			if nodes.Busy[i] != byNode[c] || nodes.Workers[i] != 3 {
				t.Fatalf("%+v: %d over %d workers, want %d over 3", c, nodes.Busy[i], nodes.Workers[i], byNode[c])
			}
		}
	})
}
