package goldentest

import (
	"math"
	"slices"
	"sort"
	"testing"

	"dagscope/explain/comm"
	"dagscope/explain/internal/golden"
	"dagscope/explain/progress"
	"dagscope/internal/interval"
	"dagscope/internal/testenv"
	"dagscope/read"
	"dagscope/trace"
)

// concurrentLikeStarVZ counts as StarVZ does (its defect B6): at each event of a node the
// count of one pair only, kept until the node's next event.
// Which of the events of one ns comes first is not known: the simulator prints
// more digits.
func concurrentLikeStarVZ(run *trace.Run, l *comm.List, side comm.Side, endsFirst, backwards bool) []progress.Series {
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
	signs := []float64{1, -1}
	if endsFirst {
		signs = []float64{-1, 1}
	}
	for _, sign := range signs {
		for i, row := range l.Row {
			at := t.Start[row]
			if sign < 0 {
				at = t.End[row]
			}
			events = append(events, event{at, [2]int32{l.From[i], l.To[i]}, sign, i})
		}
	}
	if backwards {
		slices.Reverse(events)
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
		var orders [4][]progress.Series
		for k := range orders {
			orders[k] = concurrentLikeStarVZ(run, l, c.side, k%2 == 1, k >= 2)
		}
		for _, step := range []string{"_step100", "_stepg"} {
			want := csv(t, name, c.table+step)
			for i := 0; i < want.Len(); {
				node, from := int(want.Number(i, "Node")), i
				for i < want.Len() && int(want.Number(i, "Node")) == node {
					i++
				}
				cut := interval.Slices{From: 0, To: exact(t, want.Text(i-1, "End")), Step: exact(t, want.Text(from, "Duration"))}
				var got [4][]float64
				for k := range orders {
					got[k] = progress.Slice([]progress.Series{thousandths(orders[k][node])}, cut, interval.FullStep).Value
				}
				if len(got[0]) < i-from {
					t.Fatalf("%s of node %d: %d slices, want %d", c.table+step, node, len(got[0]), i-from)
				}
				allowed := 1e-9 + 1000*slices.Max(orders[0][node].Value)/float64(cut.Step) // a ns
				for k := range i - from {
					value := want.Number(from+k, "Value")
					low, high := math.Inf(1), math.Inf(-1) // long slices hold several such instants, one of them more than all orders tell
					for _, one := range got {
						low, high = min(low, one[k]), max(high, one[k])
					}
					if tied := c.side == comm.Out && step == "_step100" && node == 3 && k == 3; !tied && (value < low-allowed || value > high+allowed) {
						t.Errorf("%s of node %d, slice %d: %.9g, want %.9g", c.table+step, node, k, got[0][k], value)
					}
				}
			}
			t.Logf("%s: %d rows", c.table+step, want.Len())
		}
	}
}

// thousandths counts times in 1/1000 ns: the smaller step of StarVZ is no whole
// number of ns.
func thousandths(s progress.Series) (fine progress.Series) {
	for k, at := range s.Time {
		fine.Time, fine.Value = append(fine.Time, at*1000), append(fine.Value, s.Value[k])
	}
	return fine
}

// True counts of this run: mean over the run and peak, of messages from the
// first two nodes.
func TestConcurrentMessages(t *testing.T) {
	run := load(t, "sgmpi-np4-n20-dmdas")
	l := comm.Find(run, comm.Nodes)
	out := l.Concurrent(comm.Out)
	for node, want := range []struct{ mean, peak float64 }{{4.97, 14}, {0.445, 6}} {
		s := out[node]
		mean := interval.Average(s.Steps, interval.Slices{From: 0, To: 864_736_000, Step: 864_736_000}, false)[0]
		t.Logf("node %d: mean %.4f, peak %g", node, mean, slices.Max(s.Value))
		if math.Abs(mean-want.mean) > 0.005 || slices.Max(s.Value) != want.peak {
			t.Errorf("node %d: mean %.4f peak %g, want %v", node, mean, slices.Max(s.Value), want)
		}
	}
}

// multiNode are the runs of several nodes, with their block-cyclic grid.
var multiNode = []struct {
	name string
	grid comm.Grid
}{{"sgmpi-np2-n8-dmdas", comm.Grid{P: 2, Q: 1}}, {"sgmpi-np4-n20-dmdas", comm.Grid{P: 2, Q: 2}}, {"nativempi-np2-n8-lws", comm.Grid{P: 2, Q: 1}},
	{"sgmpi-np8-n40-dmdas", comm.Grid{P: 4, Q: 2}}, {"sgmpi-np30-n50-t640-dmdas", comm.Grid{P: 6, Q: 5}}}

// The messages of each pair of nodes, and their bytes, follow from the
// distribution alone: this Cholesky factorisation keeps the upper triangle,
// sends each block once to each node that owns a block it updates, and those of
// the diagonal anew for each block to the right of them.
func TestMessagesFollowFromTheDistribution(t *testing.T) {
	for _, c := range multiNode {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "sgmpi-np30-n50-t640-dmdas" || c.name == "sgmpi-np8-n40-dmdas" {
				testenv.Slow(t)
			}
			run, err := read.Read(golden.Path(t, "starpu", c.name), read.Options{})
			if err != nil {
				t.Fatal(err)
			}
			l, d := comm.Find(run, comm.Nodes), comm.Distribute(run)
			m := d.Matrices[0]
			if m.Grid != c.grid || d.Disputed != 0 {
				t.Errorf("grid %v, %d disputed, want %v", m.Grid, d.Disputed, c.grid)
			}
			owner := map[[2]int32]int32{}
			for _, b := range m.Blocks {
				owner[[2]int32{b.X, b.Y}] = b.Owner
			}
			want := choleskyMessages(owner, m)
			from, to := comm.All()
			count, size := int64(0), m.Blocks[0].Bytes
			for _, p := range l.Pairs(from, to) {
				key := [2]int32{l.Places[p.From].Node, l.Places[p.To].Node}
				if p.Count != want[key] || p.Bytes != want[key]*size {
					t.Errorf("%v: %d messages of %d bytes, want %d of %d each", key, p.Count, p.Bytes, want[key], size)
				}
				delete(want, key)
				count += p.Count
			}
			if len(want) > 0 {
				t.Errorf("without messages: %v", want)
			}
			for i, row := range l.Row {
				if h := run.Transfer.Handle[row]; h >= 0 && run.Handle.Owner[h] != l.Places[l.From[i]].Node {
					t.Fatalf("message %s is not from the owner", run.Transfer.Key.At(int(row)))
				}
			}
			checkConcurrent(t, l)
			t.Logf("%d messages", count)
		})
	}
}

// checkConcurrent checks that counts are never negative, end at 0, and that their
// integral is the summed delay.
func checkConcurrent(t *testing.T, l *comm.List) {
	t.Helper()
	for _, side := range []comm.Side{comm.In, comm.Out} {
		whole := 0.0
		for _, s := range l.Concurrent(side) {
			for k, v := range s.Value {
				if v < 0 || k == len(s.Value)-1 && v != 0 {
					t.Fatalf("%g messages at node %d from %d ns on", v, s.Node, s.Time[k])
				}
				if k+1 < len(s.Time) {
					whole += v * float64(s.Time[k+1]-s.Time[k])
				}
			}
		}
		if want := float64(l.Delays().Sum); math.Abs(whole-want) > 1e-9*want {
			t.Errorf("side %d: under way for %g ns, want %g", side, whole, want)
		}
	}
}

// choleskyMessages counts the messages of each pair of nodes; owners are by row
// and column.
func choleskyMessages(owner map[[2]int32]int32, m comm.Matrix) map[[2]int32]int64 {
	n, _ := m.Size()
	want := map[[2]int32]int64{}
	for k := range n {
		for j := k + 1; j < n; j++ {
			diagonal, block := owner[[2]int32{k, k}], owner[[2]int32{k, j}]
			if block != diagonal {
				want[[2]int32{diagonal, block}]++
			}
			users := map[int32]bool{}
			for i := k + 1; i <= j; i++ {
				users[owner[[2]int32{i, j}]] = true
			}
			for r := j; r < n; r++ {
				users[owner[[2]int32{j, r}]] = true
			}
			delete(users, block)
			for to := range users {
				want[[2]int32{block, to}]++
			}
		}
	}
	return want
}

// The longest path with messages is StarVZ's and the task before it: its own
// starts at the first task that has a predecessor (defect B5).
func TestLongestPathWithMessages(t *testing.T) {
	run := load(t, "sgmpi-np4-n20-dmdas")
	p, err := comm.LongestPath(run)
	if err != nil {
		t.Fatal(err)
	}
	first := int64(math.MaxInt64)
	took := int64(0)
	for i, start := range run.Task.Start {
		if run.Task.Counted(i) && start < first {
			first, took = start, run.Task.End[i]-start
		}
	}
	const rounding = 34 // ns: times of messages have more digits
	if want := int64(664_332_502); p.Time-took < want-rounding || p.Time-took > want+rounding || len(p.Messages) != 34 {
		t.Errorf("%d ns with %d messages, without the first task %d, want %d with 34", p.Time, len(p.Messages), p.Time-took, want)
	}
}
