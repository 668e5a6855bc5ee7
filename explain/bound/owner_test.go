package bound

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"dagscope/trace"
)

// spread is an instance whose tasks stay on nodes: edges between nodes are
// messages, which take a latency and their bytes over a bandwidth.
type spread struct {
	instance
	nodeOf    []int // of each worker
	node      []int // of each task
	bytes     []int64
	latency   float64 // ns
	bandwidth float64 // bytes per ns
}

func drawSpread(t *rapid.T) *spread {
	in := &spread{instance: *drawInstance(t), latency: float64(rapid.IntRange(0, 5).Draw(t, "latency")), bandwidth: 2}
	archs := len(in.archOf)
	for w := range archs {
		in.nodeOf = append(in.nodeOf, 0)
		in.archOf, in.nodeOf = append(in.archOf, in.archOf[w]), append(in.nodeOf, 1)
	}
	in.nodeOf = in.nodeOf[:0]
	for w := range in.archOf {
		in.nodeOf = append(in.nodeOf, w/archs)
	}
	for range in.kind {
		in.node = append(in.node, rapid.IntRange(0, 1).Draw(t, "node"))
		in.bytes = append(in.bytes, 2*int64(rapid.IntRange(0, 4).Draw(t, "bytes")))
	}
	return in
}

// message is how long the data of u takes to the node of v.
func (in *spread) message(u, v int) float64 {
	if in.node[u] == in.node[v] {
		return 0
	}
	return in.latency + float64(in.bytes[u])/in.bandwidth
}

// optimum is the shortest schedule with each task on its node and no contention
// of messages, by trying everything.
func (in *spread) optimum() *schedule {
	n := len(in.kind)
	s := &schedule{start: make([]float64, n), end: make([]float64, n), worker: make([]int, n), free: make([]float64, len(in.archOf))}
	for v := range s.end {
		s.end[v] = -1
	}
	best, shortest := &schedule{}, math.Inf(1)
	var try func(done int, span float64)
	try = func(done int, span float64) {
		if span >= shortest {
			return
		}
		if done == n {
			shortest = span
			*best = schedule{append([]float64(nil), s.start...), append([]float64(nil), s.end...), append([]int(nil), s.worker...), nil}
			return
		}
	tasks:
		for v := range n {
			if s.end[v] >= 0 {
				continue
			}
			ready := 0.0
			for _, u := range in.preds[v] {
				if s.end[u] < 0 {
					continue tasks
				}
				ready = max(ready, s.end[u]+in.message(u, v))
			}
			for w, r := range in.archOf {
				d := in.duration[in.kind[v]][r]
				if in.nodeOf[w] != in.node[v] || math.IsInf(d, 1) {
					continue
				}
				free := s.free[w]
				s.start[v] = max(free, ready)
				s.end[v], s.worker[v] = s.start[v]+d, w
				s.free[w] = s.end[v]
				try(done+1, max(span, s.end[v]))
				s.free[w], s.end[v] = free, -1
			}
		}
	}
	try(0, 0)
	return best
}

// run writes a schedule down with owners and messages; the network is in the
// platform, or only in the messages.
func (in *spread) run(t *rapid.T, s *schedule, platform bool) (*trace.Run, []Pair) {
	archs, kinds := []string{"cpu", "cuda"}, []string{"a", "b", "c"}
	b := &trace.Builder{}
	root := b.AddResource(trace.None, trace.LevelCluster, "root", "", trace.None, trace.None)
	var nodes, comms, workers []int32
	for n := range int32(2) {
		node := b.AddResource(root, trace.LevelNode, "node", "", n, n)
		nodes = append(nodes, node)
		comms = append(comms, b.AddResource(node, trace.LevelComm, "comm", "", n, n))
	}
	for w, r := range in.archOf {
		n := in.nodeOf[w]
		workers = append(workers, b.AddResource(nodes[n], trace.LevelWorker, string(rune('A'+w)), archs[r], int32(n), int32(w)))
	}
	for v, k := range in.kind {
		b.AddTask(trace.TaskRow{Key: string(rune('a' + v)), Kind: kinds[k], Worker: workers[s.worker[v]],
			Start: int64(s.start[v]), End: int64(s.end[v]), Submit: 0, Ready: trace.NoTime, Order: int32(v), Iteration: -1})
	}
	r := &b.Run
	for v := range in.kind {
		r.Handle.Key.Append(string(rune('a' + v)))
		r.Handle.Node, r.Handle.Owner = append(r.Handle.Node, int32(in.node[v])), append(r.Handle.Owner, int32(in.node[v]))
		r.Access.Task, r.Access.Handle = append(r.Access.Task, int32(v)), append(r.Access.Handle, int32(v))
		r.Access.Mode.Append("RW")
		for _, u := range in.preds[v] {
			via := int32(trace.None)
			if in.node[u] != in.node[v] {
				via = int32(len(r.Transfer.Start))
				x := &r.Transfer
				x.Kind.Append(trace.TransferMPI)
				x.From, x.To = append(x.From, comms[in.node[u]]), append(x.To, comms[in.node[v]])
				x.Start = append(x.Start, int64(s.end[u]))
				x.End = append(x.End, int64(s.end[u]+in.message(u, v)))
				x.Bytes = append(x.Bytes, in.bytes[u])
			}
			r.Dep.From, r.Dep.To, r.Dep.Via = append(r.Dep.From, int32(u)), append(r.Dep.To, int32(v)), append(r.Dep.Via, via)
		}
	}
	if platform {
		link := trace.Link{Bandwidth: in.bandwidth * 1e3, Latency: in.latency / 2e3} // MB/s and µs; out and in
		r.Meta.Platform = &trace.Platform{Network: &trace.Network{Out: []trace.Link{link}, In: []trace.Link{link}}}
	}
	var allow []Pair
	for k, row := range in.duration {
		for a, d := range row {
			if !math.IsInf(d, 1) {
				allow = append(allow, Pair{kinds[k], archs[a], d})
			}
		}
	}
	return r, allow
}

// No bound of a distribution exceeds the shortest schedule with it, with
// messages of a known network or of one fitted on them; and no bound with any
// distribution exceeds that either.
func TestBoundsOfADistributionNeverExceedTheOptimum(t *testing.T) {
	tight, met, several := map[string]int{}, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		in := drawSpread(t)
		s := in.optimum()
		known := rapid.Bool().Draw(t, "platform")
		run, allow := in.run(t, s, known)
		r := compute(t, run, Options{Allow: allow})
		if r.Best.Time > float64(r.Makespan)+1e-6 {
			t.Fatalf("best bound is %+v, but a schedule takes %v", r.Best, r.Makespan)
		}
		d := r.Distribution
		if d == nil {
			t.Fatal("the owner decides where tasks run, but there is no bound of the distribution")
		}
		for _, b := range []Best{{"abe", d.Area.Time}, {"cpe", d.CPE.Time}, {"head_tail", d.HeadTail.Time}} {
			if b.Time > float64(r.Makespan)+1e-6 {
				t.Fatalf("%s of the distribution is %v, but a schedule takes %v (network %+v)", b.Name, b.Time, r.Makespan, d.Network)
			}
			if b.Time > float64(r.Makespan)-1e-6 {
				tight[b.Name]++
			}
		}
		if d.CPE.Time < r.CPE.Time-1e-6 && known {
			t.Fatalf("the longest path is %v with messages, %v without", d.CPE.Time, r.CPE.Time)
		}
		if len(run.Transfer.Start) > 0 {
			if several++; d.Network.Source != NetworkUnknown {
				met++
			}
		}
	})
	t.Logf("bounds that met the optimum: %v; networks known or fitted: %d of %d", tight, met, several)
}

// Messages of no known time weigh nothing, and that is said.
func TestNoNetwork(t *testing.T) {
	run := &trace.Run{}
	if n := FindNetwork(run); n.Source != NetworkUnknown || n.Time(0, 1, 1e6) != 0 {
		t.Errorf("found %+v", n)
	}
}

// The fit is above no message, and through those of the true line.
func TestNetworkIsFittedBelowMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		latency, slope := float64(rapid.IntRange(0, 50).Draw(t, "latency")), float64(rapid.IntRange(0, 8).Draw(t, "ns per byte"))
		points, weight := map[int64]float64{}, map[int64]float64{}
		late := rapid.Bool().Draw(t, "late")
		for range rapid.IntRange(1, 8).Draw(t, "messages") {
			bytes := int64(rapid.IntRange(0, 30).Draw(t, "bytes"))
			points[bytes] = latency + slope*float64(bytes)
			if late {
				points[bytes] += float64(rapid.IntRange(0, 20).Draw(t, "late by"))
			}
			weight[bytes]++
		}
		a, b := highestLine(points, weight)
		if a < 0 || b < 0 {
			t.Fatalf("line %v + %v·x", a, b)
		}
		got, want := 0.0, 0.0
		for x, y := range points {
			at := a + b*float64(x)
			if at > y*(1+1e-9)+1e-9 {
				t.Fatalf("line %v + %v·x is above %v at %v", a, b, y, x)
			}
			got, want = got+weight[x]*at, want+weight[x]*y
		}
		if !late && math.Abs(got-want) > 1e-6*(1+want) {
			t.Fatalf("line %v + %v·x does not meet the messages", a, b)
		}
	})
}

// Where a hundredth of the tasks ran elsewhere, the distribution is no fact.
func TestOwnersThatDoNotDecide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawSpread(t)
		run, allow := in.run(t, in.optimum(), true)
		run.Handle.Owner[rapid.IntRange(0, len(run.Handle.Owner)-1).Draw(t, "handle")] = 7
		if r := compute(t, run, Options{Allow: allow}); r.Distribution != nil {
			t.Fatalf("found %+v", r.Distribution)
		}
	})
}
