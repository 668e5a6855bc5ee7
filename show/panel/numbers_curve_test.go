package panel_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/trace"
)

const curveEnd = 40

// drawReadyRun draws tasks that were ready for a while on two nodes.
func drawReadyRun(t *rapid.T) *trace.Run {
	run := &trace.Run{}
	for node := range int32(2) {
		run.Resource.Parent = append(run.Resource.Parent, trace.None)
		run.Resource.Level.Append(trace.LevelWorker)
		run.Resource.Name.Append("w")
		run.Resource.Node = append(run.Resource.Node, node)
	}
	ta := &run.Task
	for range rapid.IntRange(1, 9).Draw(t, "tasks") {
		ready := rapid.Int64Range(-5, curveEnd-2).Draw(t, "ready")
		start := rapid.Int64Range(ready, curveEnd-1).Draw(t, "start")
		ta.Ready, ta.Start = append(ta.Ready, ready), append(ta.Start, start)
		ta.End = append(ta.End, rapid.Int64Range(start+1, curveEnd).Draw(t, "end"))
		ta.Worker = append(ta.Worker, rapid.Int32Range(0, 1).Draw(t, "worker"))
		ta.Internal, ta.Generation = append(ta.Internal, false), append(ta.Generation, false)
	}
	return run
}

func compute(t interface{ Fatal(...any) }, id string, run *trace.Run, s panels.Settings) numbers.Table {
	n, err := panels.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	table, err := n.Table(run, &s)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// The raw curve of each node tiles the window, and holds at each instant the
// number of tasks that are ready there; the means over slices have its area.
func TestReadyCurveAgainstInstants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawReadyRun(t)
		from := rapid.Int64Range(-8, curveEnd-1).Draw(t, "from")
		to := rapid.Int64Range(from+1, curveEnd+5).Draw(t, "to")
		total := rapid.Bool().Draw(t, "total")
		s := panels.Settings{From: from, To: to, Raw: true, Total: total, Source: panels.Reconstructed}
		area := map[any]float64{}
		reached := map[any]int64{}
		raw := compute(t, "ready", run, s)
		for row := range raw.Rows() {
			node := raw.Value(1, row)
			start, end, value := raw.Data[2].([]int64)[row], raw.Data[3].([]int64)[row], raw.Data[4].([]float64)[row]
			if at, later := reached[node]; later && start != at || !later && start != from || end <= start {
				t.Fatalf("node %v: piece [%d, %d) after %d", node, start, end, at)
			}
			reached[node] = end
			for now := start; now < end; now++ {
				if want := readyAt(run, node, now); value != want {
					t.Fatalf("node %v at %d: %v ready, want %v", node, now, value, want)
				}
				area[node] += value
			}
		}
		s.Raw, s.Step = false, rapid.Int64Range(1, 12).Draw(t, "step")
		means := compute(t, "ready", run, s)
		for row := range means.Rows() {
			start, end := means.Data[2].([]int64)[row], means.Data[3].([]int64)[row]
			area[means.Value(1, row)] -= means.Data[4].([]float64)[row] * float64(end-start)
		}
		for node, at := range reached {
			if at != to || math.Abs(area[node]) > 1e-9 {
				t.Fatalf("node %v: pieces end at %d, want %d; slices miss %v", node, at, to, area[node])
			}
		}
		if total && len(reached) != 1 || !total && len(reached) > 2 {
			t.Fatalf("%d curves", len(reached))
		}
	})
}

// readyAt counts; node nil is all nodes.
func readyAt(run *trace.Run, node any, now int64) (n float64) {
	for i, ready := range run.Task.Ready {
		here := node == nil || node == int64(run.Resource.Node[run.Task.Worker[i]])
		if here && ready <= now && now < run.Task.Start[i] {
			n++
		}
	}
	return n
}

// The sources of bandwidth: bytes in and out of each place, by transfers.
func TestBandwidthKeepsBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawReadyRun(t)
		tr := &run.Transfer
		want := map[[2]any]float64{}
		for range rapid.IntRange(1, 6).Draw(t, "transfers") {
			kind := rapid.SampledFrom([]string{trace.TransferFetch, trace.TransferIdleFetch, trace.TransferMPI, trace.TransferSteal}).Draw(t, "kind")
			start, bytes := rapid.Int64Range(0, curveEnd-1).Draw(t, "start"), rapid.Int64Range(1, 1000).Draw(t, "bytes")
			tr.Kind.Append(kind)
			tr.From, tr.To = append(tr.From, rapid.Int32Range(0, 1).Draw(t, "from")), append(tr.To, rapid.Int32Range(0, 1).Draw(t, "to"))
			tr.Start, tr.End = append(tr.Start, start), append(tr.End, rapid.Int64Range(start+1, curveEnd).Draw(t, "end"))
			tr.Bytes = append(tr.Bytes, bytes)
			switch kind {
			case trace.TransferMPI:
				want[[2]any{"network", "in"}] += float64(bytes)
				want[[2]any{"network", "out"}] += float64(bytes)
			case trace.TransferFetch, trace.TransferIdleFetch:
				want[[2]any{"memory", "in"}] += float64(bytes)
				want[[2]any{"memory", "out"}] += float64(bytes)
			}
		}
		if len(want) == 0 {
			t.Skip("nothing moves")
		}
		got := compute(t, "bandwidth", run, panels.Settings{From: trace.NoTime, To: curveEnd, Step: 7, Source: panels.Reconstructed,
			ByNode: rapid.Bool().Draw(t, "by node")})
		for row := range got.Rows() {
			start, end := got.Data[5].([]int64)[row], got.Data[6].([]int64)[row]
			want[[2]any{got.Value(1, row), got.Value(2, row)}] -= got.Data[7].([]float64)[row] * 1e6 * float64(end-start) * 1e-9
		}
		for what, rest := range want {
			if math.Abs(rest) > 1e-6 {
				t.Fatalf("%v: %v bytes are missing", what, rest)
			}
		}
	})
}
