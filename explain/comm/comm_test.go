package comm

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"dagscope/explain/depend"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// drawRun is a run of some nodes with memory managers and communication
// threads, and transfers between them; some of unknown ends or backwards.
func drawRun(t *rapid.T) *trace.Run {
	run := &trace.Run{}
	re, x := &run.Resource, &run.Transfer
	add := func(level string, parent, node int32) int32 {
		re.Parent, re.Node = append(re.Parent, parent), append(re.Node, node)
		re.Level.Append(level)
		re.Index = append(re.Index, 0)
		return int32(len(re.Node) - 1)
	}
	root := add(trace.LevelCluster, trace.None, trace.None)
	var comm, manager []int32
	for n := range rapid.IntRange(1, 4).Draw(t, "nodes") {
		node := add(trace.LevelNode, root, int32(n))
		comm = append(comm, add(trace.LevelComm, node, int32(n)))
		for range rapid.IntRange(1, 3).Draw(t, "memories") {
			manager = append(manager, add(trace.LevelMemoryManager, add(trace.LevelMemory, node, int32(n)), int32(n)))
		}
	}
	for range rapid.IntRange(0, 40).Draw(t, "transfers") {
		ends, kind := comm, trace.TransferMPI
		if rapid.Bool().Draw(t, "memory") {
			ends, kind = manager, rapid.SampledFrom(memoryKinds).Draw(t, "kind")
		}
		x.Kind.Append(kind)
		x.From, x.To = append(x.From, rapid.SampledFrom(ends).Draw(t, "from")), append(x.To, rapid.SampledFrom(ends).Draw(t, "to"))
		start := rapid.Int64Range(-5, 50).Draw(t, "start")
		end := start + rapid.Int64Range(-3, 20).Draw(t, "length")
		if rapid.IntRange(0, 9).Draw(t, "unknown") == 0 {
			end = trace.NoTime
		}
		x.Start, x.End = append(x.Start, start), append(x.End, end)
		x.Bytes = append(x.Bytes, rapid.Int64Range(0, 3).Draw(t, "bytes"))
	}
	return run
}

// Counts are those of a sweep over instants, never negative, 0 in the end; and
// what comes in somewhere comes from somewhere.
func TestConcurrentAgainstInstants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		for _, ends := range []Ends{Nodes, Memories} {
			l := Find(run, ends)
			for at := int64(-10); at < 80; at++ {
				var sums [2]float64
				for _, side := range []Side{In, Out} {
					for p, s := range l.Concurrent(side) {
						got, want := valueAt(s.Time, s.Value, at), 0.0
						for i, row := range l.Row {
							place := l.To[i]
							if side == Out {
								place = l.From[i]
							}
							x := &run.Transfer
							if int(place) == p && x.End[row] != trace.NoTime && x.Start[row] <= at && at < x.End[row] {
								want++
							}
						}
						if got != want {
							t.Fatalf("place %d side %d at %d: %g under way, want %g", p, side, at, got, want)
						}
						if n := len(s.Value); n > 0 && s.Value[n-1] != 0 {
							t.Fatalf("place %d ends with %g under way", p, s.Value[n-1])
						}
						sums[side] += got
					}
				}
				if sums[In] != sums[Out] {
					t.Fatalf("%g go in, %g go out at %d", sums[In], sums[Out], at)
				}
			}
		}
	})
}

func valueAt(times []int64, values []float64, at int64) (v float64) {
	for i, t := range times {
		if t <= at {
			v = values[i]
		}
	}
	return v
}

// Pairs of windows that follow each other add up to those of all time, and each
// is the sum of its transfers.
func TestPairsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		cut := rapid.Int64Range(-10, 60).Draw(t, "cut")
		for _, ends := range []Ends{Nodes, Memories} {
			l := Find(run, ends)
			from, to := All()
			whole := l.Pairs(from, to)
			count, bytes := map[[2]int32]int64{}, map[[2]int32]int64{}
			for _, part := range [][]Pair{l.Pairs(-100, cut), l.Pairs(cut, 100)} {
				for _, p := range part {
					count[[2]int32{p.From, p.To}] += p.Count
					bytes[[2]int32{p.From, p.To}] += p.Bytes
				}
			}
			if len(count) != len(whole) {
				t.Fatalf("%d pairs in parts, %d in all", len(count), len(whole))
			}
			for _, p := range whole {
				var n, size, known, back, sum int64
				for i, row := range l.Row {
					if l.From[i] != p.From || l.To[i] != p.To {
						continue
					}
					n, size = n+1, size+run.Transfer.Bytes[row]
					took := run.Transfer.End[row] - run.Transfer.Start[row]
					switch {
					case run.Transfer.End[row] == trace.NoTime:
					case took < 0:
						back++
					default:
						known, sum = known+1, sum+took
					}
				}
				key := [2]int32{p.From, p.To}
				if p.Count != n || p.Bytes != size || count[key] != n || bytes[key] != size {
					t.Fatalf("pair %v: %+v, parts %d of %d bytes, want %d of %d", key, p, count[key], bytes[key], n, size)
				}
				if d := p.Delay; d.Known != known || d.Backward != back || d.Sum != sum || d.Min > d.Median || d.Median > d.Max {
					t.Fatalf("pair %v: delays %+v, want %d known, %d backward, %d ns", key, d, known, back, sum)
				}
			}
		}
	})
}

// The integral of rates is what was moved.
func TestRatesMoveTheBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		l := Find(run, Nodes)
		var want float64
		for i := range l.Row {
			if t := &run.Transfer; t.Start[l.Row[i]] != trace.NoTime && t.End[l.Row[i]] != trace.NoTime { // whichever is first
				want += float64(l.Bytes(i))
			}
		}
		for _, side := range []Side{In, Out} {
			got := 0.0
			for _, s := range l.Rate(side) {
				for k := range max(0, len(s.Time)-1) {
					got += s.Value[k] * 1e6 * float64(s.Time[k+1]-s.Time[k]) * 1e-9
				}
			}
			if math.Abs(got-want) > 1e-9*max(1, want) {
				t.Fatalf("side %d moves %g bytes, want %g", side, got, want)
			}
		}
	})
}

// A block-cyclic distribution is found, and none where an owner is changed.
func TestGridIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, q := rapid.Int32Range(1, 4).Draw(t, "p"), rapid.Int32Range(1, 4).Draw(t, "q")
		n := rapid.Int32Range(2*max(p, q)+1, 14).Draw(t, "n")
		if p*q == 1 {
			return
		}
		m := Matrix{}
		for x := range n {
			for y := range n {
				m.Blocks = append(m.Blocks, Block{X: x, Y: y, Owner: x%p*q + y%q})
			}
		}
		if g := m.grid(); g != (Grid{p, q}) {
			t.Fatalf("grid %v, want %d × %d", g, p, q)
		}
		m.Blocks[rapid.IntRange(0, len(m.Blocks)-1).Draw(t, "block")].Owner = p * q
		if g := m.grid(); g.P*2 <= n && g.Q*2 <= n && g != (Grid{}) {
			t.Fatalf("grid %v though one block is elsewhere", g)
		}
	})
}

// The handles of one block on several nodes are one; those without tag and
// coordinates are blocks of their own.
func TestDistributionOfHandles(t *testing.T) {
	run := &trace.Run{}
	h := &run.Handle
	add := func(node int32, name string, x, y, owner int32, tag int64) {
		h.Node, h.X, h.Y, h.Owner, h.Tag, h.Bytes = append(h.Node, node), append(h.X, x), append(h.Y, y), append(h.Owner, owner), append(h.Tag, tag), append(h.Bytes, 8)
		h.Name.Append(name)
	}
	for node := range int32(2) {
		add(node, "A", 0, 0, 0, 0)
		add(node, "A", 1, 0, 1-node, 1) // each says it is the other's
		add(node, "", trace.NoInt, trace.NoInt, trace.None, -1)
	}
	add(1, "v", 3, trace.NoInt, trace.None, -1)
	d := Distribute(run)
	if len(d.Matrices) != 2 || len(d.Matrices[0].Blocks) != 2 || len(d.Loose) != 2 || d.Disputed != 1 {
		t.Fatalf("%+v", d)
	}
	if v := d.Matrices[1].Blocks[0]; v.Owner != 1 {
		t.Errorf("vector of node %d, want 1", v.Owner)
	}
}

// The longest path is at least as long with messages, and what is on it adds
// up.
func TestLongestPathAddsUp(t *testing.T) {
	for nodes := range 3 {
		run := tracetest.Cholesky(tracetest.Options{Tiles: 8, Nodes: nodes + 1, CPUs: 2, Seed: uint64(nodes)})
		p, err := LongestPath(run)
		if err != nil {
			t.Fatal(err)
		}
		if p.Work+p.Flight != p.Time || nodes > 0 && len(p.Messages) == 0 {
			t.Errorf("%d nodes: %+v", nodes+1, p)
		}
	}
}

// A message posted 3 after its task, under way for 10 where the fastest takes 4,
// and used 2 after it arrived.
func TestWaitsOfAMessage(t *testing.T) {
	run := &trace.Run{}
	run.Resource.Node, run.Resource.Parent = []int32{0, 1}, []int32{trace.None, trace.None}
	run.Resource.Level.Append(trace.LevelComm)
	run.Resource.Level.Append(trace.LevelComm)
	for _, row := range []struct {
		start, end int64
		internal   bool
	}{{0, 10, false}, {trace.NoTime, trace.NoTime, true}, {25, 30, false}, {40, 50, false}} {
		run.Task.Key.AppendString("t")
		run.Task.Start, run.Task.End = append(run.Task.Start, row.start), append(run.Task.End, row.end)
		run.Task.Internal, run.Task.Generation = append(run.Task.Internal, row.internal), append(run.Task.Generation, false)
	}
	x := &run.Transfer
	for _, times := range [][2]int64{{13, 23}, {60, 64}} {
		x.Kind.Append(trace.TransferMPI)
		x.From, x.To = append(x.From, 0), append(x.To, 1)
		x.Start, x.End, x.Bytes = append(x.Start, times[0]), append(x.End, times[1]), append(x.Bytes, 7)
	}
	x.SendTask = []int32{0, trace.None}
	run.Dep.From, run.Dep.To, run.Dep.Via = []int32{0, 1, 1}, []int32{1, 2, 3}, []int32{0, trace.None, trace.None}
	w := Find(run, Nodes).Waits(depend.Find(run))
	if want := (Wait{0, 2, 3, 10, 6, 2}); w[0] != want {
		t.Errorf("%+v, want %+v", w[0], want)
	}
	if w[1].Sender != trace.None || w[1].Over != 0 || w[1].Flight != 4 {
		t.Errorf("%+v", w[1])
	}
}

// Pairs are numbered alike in a table and in a map.
func TestSlots(t *testing.T) {
	few, many := newSlots(3), newSlots(mostDense+1)
	next := int32(0)
	for _, pair := range [][2]int32{{0, 1}, {2, 2}, {0, 1}, {1, 0}, {2, 2}} {
		a, b := few.of(pair[0], pair[1], next), many.of(pair[0], pair[1], next)
		if a != b || a > next {
			t.Errorf("pair %v is %d and %d, next %d", pair, a, b, next)
		}
		if a == next {
			next++
		}
	}
	if next != 3 {
		t.Errorf("%d pairs, want 3", next)
	}
}
