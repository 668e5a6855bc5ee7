package progress

import (
	"math"
	"testing"

	"dagscope/internal/interval"
	"dagscope/trace"

	"pgregory.net/rapid"
)

const horizon = 30

// drawRun draws tasks on two nodes of two workers each (rows 2 to 5), with
// times that are unknown here and there, and transfers between memories.
func drawRun(t *rapid.T) *trace.Run {
	run := &trace.Run{}
	for r := range int32(6) {
		level := trace.LevelWorker
		if r < 2 {
			level = trace.LevelNode
		}
		run.Resource.Parent = append(run.Resource.Parent, trace.None)
		run.Resource.Level.Append(level)
		run.Resource.Node = append(run.Resource.Node, r%2)
	}
	maybe := func(at int64, label string) int64 {
		if rapid.IntRange(0, 5).Draw(t, label) == 0 {
			return trace.NoTime
		}
		return at
	}
	ta := &run.Task
	for range rapid.IntRange(0, 9).Draw(t, "tasks") {
		start := rapid.Int64Range(-3, horizon).Draw(t, "start")
		ta.Start, ta.End = append(ta.Start, start), append(ta.End, start+rapid.Int64Range(0, 7).Draw(t, "duration"))
		ta.Ready = append(ta.Ready, maybe(start-rapid.Int64Range(-1, 6).Draw(t, "waited"), "ready known"))
		ta.Submit = append(ta.Submit, maybe(start-rapid.Int64Range(0, 9).Draw(t, "queued"), "submit known"))
		ta.Worker = append(ta.Worker, rapid.Int32Range(2, 5).Draw(t, "worker"))
		ta.Iteration = append(ta.Iteration, rapid.Int32Range(-1, 2).Draw(t, "iteration"))
		ta.Internal = append(ta.Internal, rapid.IntRange(0, 6).Draw(t, "internal") == 0)
		ta.Generation = append(ta.Generation, rapid.IntRange(0, 6).Draw(t, "generation") == 0)
		ta.GFlop = append(ta.GFlop, float64(rapid.IntRange(0, 4).Draw(t, "gflop")))
	}
	tr := &run.Transfer
	for range rapid.IntRange(0, 6).Draw(t, "transfers") {
		start := rapid.Int64Range(0, horizon).Draw(t, "from")
		tr.Kind.Append(rapid.SampledFrom([]string{trace.TransferFetch, trace.TransferMPI}).Draw(t, "transfer"))
		tr.To = append(tr.To, rapid.Int32Range(0, 1).Draw(t, "destination"))
		tr.Start, tr.End = append(tr.Start, start), append(tr.End, maybe(start+rapid.Int64Range(1, 9).Draw(t, "takes"), "end known"))
		tr.Bytes = append(tr.Bytes, rapid.Int64Range(0, 1000).Draw(t, "bytes"))
	}
	return run
}

func at(f interval.Steps, t int64) float64 {
	v := 0.0
	for i, s := range f.Time {
		if s <= t {
			v = f.Value[i]
		}
	}
	return v
}

func TestReconstructedCurvesAgainstInstants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		ta := &run.Task
		ready, submitted := Ready(run), Submitted(run)
		for node := range 2 {
			for now := int64(-12); now < horizon+10; now++ {
				var wantReady, wantSubmitted float64
				for i := range ta.Start {
					if ta.Internal[i] || int(run.Resource.Node[ta.Worker[i]]) != node {
						continue
					}
					if ta.Ready[i] != trace.NoTime && ta.Ready[i] <= now && now < ta.Start[i] {
						wantReady++
					}
					if ta.Submit[i] != trace.NoTime && ta.Submit[i] <= now && now < ta.End[i] {
						wantSubmitted++
					}
				}
				if r, s := at(ready[node].Steps, now), at(submitted[node].Steps, now); r != wantReady || s != wantSubmitted {
					t.Fatalf("node %d at %d: %v ready, %v submitted, want %v and %v", node, now, r, s, wantReady, wantSubmitted)
				}
			}
		}
	})
}

func TestBordersAgainstSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		o := Options{ByNode: rapid.Bool().Draw(t, "by node"), Generation: rapid.Bool().Draw(t, "generation")}
		b := Borders(run, o)
		var total int64
		for r := range b.Node {
			if r > 0 && (b.Node[r] < b.Node[r-1] || b.Node[r] == b.Node[r-1] && b.Iteration[r] <= b.Iteration[r-1]) {
				t.Fatalf("rows %v %v are out of order", b.Node, b.Iteration)
			}
			first, last, n := int64(math.MaxInt64), int64(math.MinInt64), int64(0)
			for i := range run.Task.Start {
				if !run.Task.Internal[i] && (o.Generation || !run.Task.Generation[i]) && run.Task.Iteration[i] == b.Iteration[r] &&
					(!o.ByNode || run.Resource.Node[run.Task.Worker[i]] == b.Node[r]) {
					first, last, n = min(first, run.Task.Start[i]), max(last, run.Task.End[i]), n+1
				}
			}
			if b.Start[r] != first || b.End[r] != last || b.Tasks[r] != n || o.ByNode == (b.Node[r] == trace.None) {
				t.Fatalf("row %d is %d..%d of %d tasks, want %d..%d of %d", r, b.Start[r], b.End[r], b.Tasks[r], first, last, n)
			}
			total += n
		}
		for i := range run.Task.Start {
			if !run.Task.Internal[i] && (o.Generation || !run.Task.Generation[i]) {
				total--
			}
		}
		if total != 0 {
			t.Fatalf("rows count %d tasks too many", total)
		}
	})
}

// integral is the area under a step function that ends at 0, per second.
func integral(f interval.Steps) (sum float64) {
	for i := 1; i < len(f.Time); i++ {
		sum += f.Value[i-1] * float64(f.Time[i]-f.Time[i-1]) * 1e-9
	}
	return sum
}

func TestRatesKeepTheirAmounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		var work, bytes, gotWork, gotBytes float64
		for i, g := range run.Task.GFlop {
			if !run.Task.Internal[i] && !run.Task.Generation[i] && run.Task.End[i] > run.Task.Start[i] {
				work += g
			}
		}
		for i, b := range run.Transfer.Bytes {
			if run.Transfer.Kind.At(i) == trace.TransferMPI && run.Transfer.End[i] != trace.NoTime {
				bytes += float64(b)
			}
		}
		for _, s := range GFlops(run, false) {
			gotWork += integral(s.Steps)
		}
		for _, s := range Bandwidth(run, trace.TransferMPI) {
			gotBytes += integral(s.Steps) * 1e6
		}
		if math.Abs(work-gotWork) > 1e-9 || math.Abs(bytes-gotBytes) > 1e-6 {
			t.Fatalf("%v GFlop and %v bytes, want %v and %v", gotWork, gotBytes, work, bytes)
		}
	})
}

func TestCountersAndLack(t *testing.T) {
	run := &trace.Run{}
	for r := range int32(6) {
		level := trace.LevelWorker
		if r < 2 {
			level = trace.LevelScheduler
		}
		run.Resource.Parent = append(run.Resource.Parent, trace.None)
		run.Resource.Level.Append(level)
		run.Resource.Node = append(run.Resource.Node, r%2)
	}
	for _, row := range []struct {
		metric   string
		resource int32
		time     int64
		value    float64
	}{{"Number of Ready Tasks", 0, 0, 4}, {"Number of Ready Tasks", 0, 15, 0}, {"Number of Ready Tasks", 1, 5, 2}, {"Used (MB)", 1, 0, 7}} {
		run.Sample.Metric.Append(row.metric)
		run.Sample.Resource = append(run.Sample.Resource, row.resource)
		run.Sample.Time, run.Sample.Value = append(run.Sample.Time, row.time), append(run.Sample.Value, row.value)
	}
	ready := Counters(run, ReadyMetric)
	if len(ready) != 2 || ready[0].Node != 0 || ready[1].Resource != 1 || len(ready[0].Time) != 2 {
		t.Fatalf("series %+v", ready)
	}
	s := interval.Slices{From: 0, To: 25, Step: 10}
	table := Slice(ready, s, interval.ExistingPart)
	want := []float64{4, 2, 0, 1, 2, 2}
	for i, v := range want {
		if table.Value[i] != v {
			t.Fatalf("means %v, want %v", table.Value, want)
		}
	}
	if table.End[2] != 25 || table.Metric.At(5) != ready[1].Metric {
		t.Fatalf("last slice ends at %d", table.End[2])
	}
	lack := LackReady(ready, s, interval.ExistingPart, WorkersPerNode(run)) // two workers each
	if len(lack.Node) != 2 || lack.Node[0] != 0 || lack.Start[0] != 20 || lack.Node[1] != 1 || lack.Ready[1] != 1 || lack.Threshold[1] != 2 {
		t.Fatalf("lack %+v", lack)
	}
}
