package goldentest

import (
	"math"
	"slices"
	"sort"
	"testing"

	"dagscope/analysis/comm"
	"dagscope/analysis/progress"
	"dagscope/interval"
	"dagscope/trace"
)

// likeStarVZ counts as StarVZ does (its defect B6): at each event of a node the
// count of one pair only, kept until the node's next event.
func likeStarVZ(run *trace.Run, l *comm.List, side comm.Side) []progress.Series {
	type event struct {
		at       int64
		pair     [2]int32
		step     float64
		transfer int
	}
	var events []event
	t := &run.Transfer
	node := func(i int) int32 {
		if side == comm.Out {
			return l.From[i]
		}
		return l.To[i]
	}
	for _, sign := range []float64{1, -1} {
		for i, row := range l.Row {
			at := t.Start[row]
			if sign < 0 {
				at = t.End[row]
			}
			events = append(events, event{at, [2]int32{l.From[i], l.To[i]}, sign, i})
		}
	}
	sort.SliceStable(events, func(a, b int) bool { return events[a].at < events[b].at })
	out := make([]progress.Series, len(l.Places))
	count := map[[2]int32]float64{}
	for _, e := range events {
		count[e.pair] += e.step
		s := &out[node(e.transfer)]
		s.Resource = trace.None
		s.Time, s.Value = append(s.Time, e.at), append(s.Value, count[e.pair])
	}
	return out
}

// The concurrency panels of StarVZ follow from the same messages, with its
// defect; what it calls "in" is by origin.
func TestConcurrentMessagesOfStarVZ(t *testing.T) {
	const name = "sgmpi-np4-n20-dmdas"
	run := load(t, name)
	l := comm.Find(run, comm.Nodes)
	for _, c := range []struct {
		table string
		side  comm.Side
	}{{"mpiconcurrent", comm.Out}, {"mpiconcurrentout", comm.In}} {
		series := likeStarVZ(run, l, c.side)
		for _, step := range []string{"_step100", "_stepg"} {
			want := csv(t, name, c.table+step)
			bad := 0
			for i := 0; i < want.Len(); {
				node := want.Text(i, "Node")
				from := i
				for i < want.Len() && want.Text(i, "Node") == node {
					i++
				}
				s := series[int(want.Number(from, "Node"))]
				fine := progress.Series{}
				for k, at := range s.Time {
					fine.Time, fine.Value = append(fine.Time, at*1000), append(fine.Value, s.Value[k])
				}
				cut := interval.Slices{From: 0, To: exact(t, want.Text(i-1, "End")), Step: exact(t, want.Text(from, "Duration"))}
				got := progress.Slice([]progress.Series{fine}, cut, interval.FullStep)
				for k := range min(len(got.Value), i-from) {
					if off := math.Abs(got.Value[k] - want.Number(from+k, "Value")); off > 1e-6 {
						bad++
						if bad < 6 {
							t.Errorf("%s node %s slice %d: %.9g, want %s", c.table+step, node, k, got.Value[k], want.Text(from+k, "Value"))
						}
					}
				}
			}
			t.Logf("%s: %d rows, %d differ", c.table+step, want.Len(), bad)
		}
	}
}

// True counts of this run: mean over the run and peak, of messages from the
// first two nodes.
func TestConcurrentMessages(t *testing.T) {
	run := load(t, "sgmpi-np4-n20-dmdas")
	l := comm.Find(run, comm.Nodes)
	out := l.Concurrent(comm.Out)
	for node, want := range []struct{ mean, peak float64 }{{4.97, 14}, {0.45, 0}} {
		s := out[node]
		mean := interval.Average(s.Steps, interval.Slices{From: 0, To: 864_736_000, Step: 864_736_000}, false)[0]
		t.Logf("node %d: mean %.4f, peak %g", node, mean, slices.Max(s.Value))
		if math.Abs(mean-want.mean) > 0.005 || want.peak > 0 && slices.Max(s.Value) != want.peak {
			t.Errorf("node %d: mean %.4f peak %g, want %v", node, mean, slices.Max(s.Value), want)
		}
	}
}

