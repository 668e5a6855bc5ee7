package starpu_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/workload"
	"dagscope/trace"
)

var slowNetwork = platform.Network{Bandwidth: 1e9, Latency: 5e-6, Backbone: 2e9, BackboneLatency: 1e-6}

// scattered puts a program on several nodes at random; some tasks run elsewhere
// than the owner of what they write.
func scattered(t *testing.T, draw *rand.Rand, node *platform.Machine, nodes int) scene {
	t.Helper()
	g := program(draw, 20+draw.IntN(60), 4+draw.IntN(8))
	owner := make([]int32, len(g.Bytes))
	for h := range owner {
		owner[h] = int32(draw.IntN(nodes))
		g.Bytes[h] = int64(1) << (10 + draw.IntN(14)) // eager or not
	}
	if err := workload.Distribute(g, owner, nodes); err != nil {
		t.Fatal(err)
	}
	for i := range g.Node {
		if draw.IntN(4) == 0 {
			g.Node[i] = int32(draw.IntN(nodes))
		}
	}
	for after := range g.Class {
		if draw.IntN(3) == 0 {
			g.Hints = append(g.Hints, workload.Hint{After: int32(after), Handle: int32(draw.IntN(len(owner))), Kind: workload.WontUse})
		}
	}
	m, err := platform.Cluster(node, nodes, slowNetwork)
	if err != nil {
		t.Fatal(err)
	}
	return scene{g, m, lengths(draw, g, m)}
}

// expected are the messages that a program needs, by sender and receiver: a node
// keeps what it has received until the data is written or flushed.
func expected(g *workload.Graph, cache bool) map[[2]int32]starpu.Pair {
	pairs := make(map[[2]int32]starpu.Pair)
	has := make(map[[2]int32]bool) // handle and node
	send := func(from, to, h int32) {
		p := pairs[[2]int32{from, to}]
		pairs[[2]int32{from, to}] = starpu.Pair{Count: p.Count + 1, Bytes: p.Bytes + g.Bytes[h]}
	}
	drop := func(h int32) {
		maps.DeleteFunc(has, func(k [2]int32, _ bool) bool { return k[0] == h })
	}
	hints := g.Hints
	for i, at := range g.Node {
		for ; len(hints) > 0 && int(hints[0].After) <= i; hints = hints[1:] {
			drop(hints[0].Handle)
		}
		for x := g.AccessAt[i]; x < g.AccessAt[i+1]; x++ {
			if h := g.Handle[x]; g.Mode[x]&workload.Read != 0 && g.Owner[h] != at && !has[[2]int32{h, at}] {
				send(g.Owner[h], at, h)
				has[[2]int32{h, at}] = cache
			}
		}
		for x := g.AccessAt[i]; x < g.AccessAt[i+1]; x++ {
			if h := g.Handle[x]; g.Mode[x]&workload.Write != 0 {
				if g.Owner[h] != at {
					send(at, g.Owner[h], h)
				}
				drop(h)
			}
		}
	}
	return pairs
}

func sent(r *starpu.Result) map[[2]int32]starpu.Pair {
	pairs := make(map[[2]int32]starpu.Pair)
	for _, m := range r.Messages {
		p := pairs[[2]int32{m.From, m.To}]
		pairs[[2]int32{m.From, m.To}] = starpu.Pair{Count: p.Count + 1, Bytes: p.Bytes + m.Bytes}
	}
	return pairs
}

func TestRandomProgramsOnNodes(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			node := platform.Plain(2)
			if seed%2 == 1 {
				node = mirage(t)
			}
			draw := rand.New(rand.NewPCG(seed, 3))
			s := scattered(t, draw, node, 2+draw.IntN(4))
			o := starpu.DefaultOptions()
			o.Record, o.MPI.Cache, o.MPI.Cooperative, o.MPI.MaxRequests = true, seed%3 > 0, seed%4 > 0, int(seed%5)
			for _, name := range []string{"lws", "dmdas", "eager"} {
				t.Run(name, func(t *testing.T) { checkNodes(t, s, name, o) })
			}
		})
	}
}

// What was simulated once is simulated again.
func TestNodesStayTheSame(t *testing.T) {
	for _, c := range []struct {
		tiles, p, q int
		scheduler   string
		makespan    int64
		messages    int
	}{
		{8, 1, 2, "dmdas", 621236839, 28},
		{8, 2, 2, "lws", 475258080, 65},
		{12, 2, 3, "eager", 919048845, 212},
	} {
		g, err := workload.Cholesky(workload.Tiled{Tiles: c.tiles, Tile: 960, Distributed: true})
		if err != nil {
			t.Fatal(err)
		}
		owner, err := workload.BlockCyclic(g, c.p, c.q)
		if err != nil {
			t.Fatal(err)
		}
		s := scene{g, platform.Plain(3), starpu.Durations{{9 * ms}, {18 * ms}, {17 * ms}, {33 * ms}}}.on(t, owner, c.p*c.q)
		r, err := starpu.RunNodes(s.g, s.m, s.d, policies(c.scheduler), starpu.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		if r.Makespan != c.makespan || len(r.Messages) != c.messages {
			t.Errorf("%d tiles on %d×%d nodes under %s: found %d ns and %d messages, want %d and %d", c.tiles, c.p, c.q, c.scheduler, r.Makespan, len(r.Messages), c.makespan, c.messages)
		}
	}
}

func checkNodes(t *testing.T, s scene, scheduler string, o starpu.Options) {
	r, err := starpu.RunNodes(s.g, s.m, s.d, policies(scheduler), o)
	if err != nil {
		t.Fatal(err)
	}
	again, err := starpu.RunNodes(s.g, s.m, s.d, policies(scheduler), o)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(r.Begin, again.Begin) || !reflect.DeepEqual(r.Messages, again.Messages) {
		t.Error("a second run differs")
	}
	if got, want := sent(r), expected(s.g, o.MPI.Cache); !reflect.DeepEqual(got, want) {
		t.Errorf("found messages %v, want %v", got, want)
	}
	for i, w := range r.Worker {
		if s.m.Workers[w].Node != s.g.Node[i] {
			t.Errorf("task %d ran on %s, want node %d", i, s.m.Workers[w].Name, s.g.Node[i])
		}
	}
	checkOrder(t, s.g, r)
	checkMail(t, s, r)
	run, err := r.Trace()
	if err != nil {
		t.Fatal(err)
	}
	if n := messagesOf(run); n != len(r.Messages) {
		t.Errorf("found %d messages in the trace, want %d", n, len(r.Messages))
	}
}

// checkOrder: tasks see what those before them wrote; on the node of the owner
// they also wait for those that read.
func checkOrder(t *testing.T, g *workload.Graph, r *starpu.Result) {
	t.Helper()
	for i, before := range predecessors(g) {
		for _, b := range before {
			if g.Node[b] == g.Node[i] && r.Begin[i] < r.End[b] {
				t.Errorf("task %d begins at %d, before task %d ends at %d", i, r.Begin[i], b, r.End[b])
			}
		}
	}
	writer := make(map[int32]int)
	for i := range g.Class {
		for x := g.AccessAt[i]; x < g.AccessAt[i+1]; x++ {
			w, ok := writer[g.Handle[x]]
			if ok && g.Mode[x]&workload.Read != 0 && r.Begin[i] < r.End[w] {
				t.Errorf("task %d begins at %d, before what it reads is written at %d", i, r.Begin[i], r.End[w])
			}
			if g.Mode[x]&workload.Write != 0 {
				writer[g.Handle[x]] = i
			}
		}
	}
}

// checkMail: a message takes what its links take at least, and no node has more
// under way than it may.
func checkMail(t *testing.T, s scene, r *starpu.Result) {
	t.Helper()
	for _, m := range r.Messages {
		if least := float64(m.Bytes)/slowNetwork.Bandwidth + 2*slowNetwork.Latency; float64(m.End-m.Begin)/1e9 < least {
			t.Errorf("message of %d B takes %d ns, want %.0f at least", m.Bytes, m.End-m.Begin, 1e9*least)
		}
	}
}

func messagesOf(run *trace.Run) (n int) {
	for i := range run.Transfer.Start {
		if run.Transfer.Kind.At(i) == trace.TransferMPI {
			n++
		}
	}
	return n
}

// pingPong is a data handle that tasks on two nodes update in turn.
func pingPong(bytes int64, tasks int) *workload.Graph {
	g := shape(tasks, func(int) ([]int32, workload.Mode) { return []int32{0}, workload.ReadWrite })
	g.Bytes = []int64{bytes}
	g.Owner = []int32{0}
	for i := range tasks {
		g.Node = append(g.Node, int32(i%2))
	}
	return g
}

// What a message takes: the envelope's latency, then its own, each with their
// factors, and its bytes.
func TestMessagesTakeTheirTime(t *testing.T) {
	m, err := platform.Cluster(platform.Plain(1), 2, platform.Network{Bandwidth: 1e9, Latency: 10e-6})
	if err != nil {
		t.Fatal(err)
	}
	d := starpu.Durations{{ms, ms}}
	for _, c := range []struct {
		bytes int64
		want  float64 // µs, by hand
	}{
		{10_000_000, 2.01467*20 + 32/812.084 + 11.6436*20 + 10_000_000/940.694},
		{1000, 2.01467*20 + 32/812.084 + 1.9503*20 + 1000/341.987},
	} {
		r, err := starpu.RunNodes(pingPong(c.bytes, 3), m, d, policies("eager"), starpu.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		for _, message := range r.Messages {
			if took := float64(message.End-message.Begin) / 1000; took < c.want-1 || took > c.want+3 {
				t.Errorf("message of %d B took %.1f µs, want %.1f", c.bytes, took, c.want)
			}
		}
		if len(r.Messages) != 2 {
			t.Errorf("found %d messages, want 2", len(r.Messages))
		}
	}
}

// What no cluster can run is an error that says why.
func TestNodesThatCannotRun(t *testing.T) {
	m, err := platform.Cluster(platform.Plain(1), 2, slowNetwork)
	if err != nil {
		t.Fatal(err)
	}
	apart := *m
	apart.Routes = slices.Clone(m.Routes)
	apart.Routes[m.Pair(1, 0)] = nil
	follows := pingPong(1, 2)
	follows.From, follows.To = []int32{0}, []int32{1}
	explicit := pingPong(1, 2)
	explicit.Explicit = true
	lost := pingPong(1, 2)
	lost.Node[1] = 2
	plain := pingPong(1, 2)
	plain.Owner = nil
	for want, c := range map[string]struct {
		g *workload.Graph
		m *platform.Machine
	}{
		"found no route from the RAM of node 1 to that of node 0": {pingPong(1, 2), &apart},
		"found task 2 on node 1 after task 1 on node 0":           {follows, m},
		"found a graph whose accesses order nothing":              {explicit, m},
		"found data or tasks on node 2, want 0 to 1":              {lost, m},
		"found 2 nodes and a graph that is not distributed":       {plain, m},
	} {
		_, err := starpu.RunNodes(c.g, c.m, starpu.Durations{{ms, ms}}, policies("eager"), starpu.DefaultOptions())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("found error %v, want %q", err, want)
		}
	}
}

// One node among several has nobody to exchange messages with; its program is
// that of several nodes for all that.
func TestOneNodeOfACluster(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	s := scattered(t, draw, mirage(t), 1)
	r, err := starpu.RunNodes(s.g, s.m, s.d, policies("lws"), starpu.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	alone := *s.g
	alone.Owner, alone.Node = nil, nil
	one, err := starpu.RunNodes(&alone, s.m, s.d, policies("lws"), starpu.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Messages) > 0 || r.Makespan <= one.Makespan {
		t.Errorf("found %d messages and a makespan of %d ns, want none and more than %d: transfers to GPUs are SMPI's", len(r.Messages), r.Makespan, one.Makespan)
	}
	checkOrder(t, s.g, r)
}

// One node is simulated as Run does.
func TestOneNode(t *testing.T) {
	s := choleskyOn(t, "mirage", 6, 960, platform.StarPUOptions{CPUs: -1, GPUs: -1})
	one := s.run(t, "dmdas", starpu.DefaultOptions())
	r, err := starpu.RunNodes(s.g, s.m, s.d, policies("dmdas"), starpu.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(r.Begin, one.Begin) || r.Makespan != one.Makespan {
		t.Errorf("found a makespan of %d, want %d", r.Makespan, one.Makespan)
	}
}

// Dates so late that a nanosecond is lost in rounding are passed too.
func TestMessagesOfMonths(t *testing.T) {
	m, err := platform.Cluster(platform.Plain(1), 3, platform.Network{Bandwidth: 1, Latency: 10e-6})
	if err != nil {
		t.Fatal(err)
	}
	g := pingPong(20_000_000, 6)
	for i := range g.Node {
		g.Node[i] = int32(i % 3)
	}
	r, err := starpu.RunNodes(g, m, starpu.Durations{{ms, ms, ms}}, policies("lws"), starpu.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if least := int64(7 * 2e7 * 1e9); r.Makespan < least {
		t.Errorf("found a makespan of %d ns, want %d at least", r.Makespan, least)
	}
}
