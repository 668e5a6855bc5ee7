package platform

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// randomNode is a node of some workers and GPUs with links of their own.
func randomNode(rng *rand.Rand) *Machine {
	gpus, cpus := rng.IntN(3), rng.IntN(3)
	text := fmt.Sprintf("name: n%d%d\n", gpus, cpus)
	if gpus > 0 {
		text += "memories:\n"
	}
	for d := range gpus {
		text += fmt.Sprintf("- {name: CUDA%d, kind: gpu, arch: cuda, device: %d, link: {bandwidth: %dGBps, latency: 1us}}\n", d, d, 1+rng.IntN(9))
	}
	text += fmt.Sprintf("workers:\n- {arch: cpu, count: %d}\n", cpus+1)
	for d := range gpus {
		text += fmt.Sprintf("- {arch: cuda, memory: CUDA%d}\n", d)
	}
	m, err := ParseYAML("n.yaml", []byte(text))
	if err != nil {
		panic(err)
	}
	return m
}

func randomNetwork(rng *rand.Rand, nodes int) Network {
	net := Network{Bandwidth: 1e9, Latency: 1e-6, Node: map[int]Path{}}
	if rng.IntN(2) == 0 {
		net.Backbone, net.BackboneLatency = 5e9, 1e-6
	}
	for k := range nodes {
		if rng.IntN(3) == 0 {
			net.Node[k] = Path{float64(1+rng.IntN(9)) * 1e8, float64(rng.IntN(3)) * 1e-6}
		}
	}
	return net
}

// between is how long some bytes take from a node to another.
func (n *Network) between(a, b int, bytes float64) float64 {
	from, to := n.of(a), n.of(b)
	bandwidth, latency := min(from.Bandwidth, to.Bandwidth), from.Latency+to.Latency
	if n.Backbone > 0 {
		bandwidth, latency = min(bandwidth, n.Backbone), latency+n.BackboneLatency
	}
	return latency + bytes/bandwidth
}

// Each node is in the whole as it is alone, and RAMs reach each other through
// the links of both nodes.
func TestJoinRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 100 {
		nodes := make([]*Machine, 2+rng.IntN(4))
		for k := range nodes {
			nodes[k] = randomNode(rng)
		}
		net := randomNetwork(rng, len(nodes))
		m, err := Join(nodes, net)
		if err != nil {
			t.Fatal(err)
		}
		memory, worker := int32(0), 0
		first := make([]int32, len(nodes))
		for k, node := range nodes {
			first[k] = memory
			checkNode(t, m, node, int32(k), memory, worker)
			memory, worker = memory+int32(len(node.Memories)), worker+len(node.Workers)
		}
		if int(memory) != len(m.Memories) || worker != len(m.Workers) {
			t.Fatalf("found %d memories and %d workers, want %d and %d", len(m.Memories), len(m.Workers), memory, worker)
		}
		for a := range nodes {
			for b := range nodes {
				got, want := m.Uncontended(first[a], first[b], 1e6), net.between(a, b, 1e6)
				if a != b && math.Abs(got/want-1) > 1e-12 {
					t.Fatalf("found %g s from node %d to %d, want %g", got, a, b, want)
				}
			}
		}
	}
}

func checkNode(t *testing.T, m, node *Machine, k, memory int32, worker int) {
	t.Helper()
	prefix := fmt.Sprintf("%d_", k)
	for i, want := range node.Workers {
		got := m.Workers[worker+i]
		want.Name, want.Node, want.Memory, want.Type = prefix+want.Name, k, memory+want.Memory, got.Type
		if got != want {
			t.Fatalf("found worker %+v, want %+v", got, want)
		}
	}
	for i := range int32(len(node.Memories)) {
		if got := m.Memories[memory+i]; got.Name != prefix+node.Memories[i].Name || got.Node != k {
			t.Fatalf("found memory %+v, want that of %s on node %d", got, node.Memories[i].Name, k)
		}
		for j := range int32(len(node.Memories)) {
			a, b := node.Pair(i, j), m.Pair(memory+i, memory+j)
			if node.Uncontended(i, j, 1e6) != m.Uncontended(memory+i, memory+j, 1e6) || node.Bandwidth[a] != m.Bandwidth[b] {
				t.Fatalf("found another way from %s to %s", node.Memories[i].Name, node.Memories[j].Name)
			}
		}
	}
}

func TestJoinRefuses(t *testing.T) {
	node := Plain(2)
	two, err := Join([]*Machine{node, node}, Network{Bandwidth: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		nodes []*Machine
		net   Network
		want  string
	}{
		{nil, Network{}, "found 0 nodes"},
		{[]*Machine{node, two}, Network{Bandwidth: 1}, "a machine of 2 nodes as node 1"},
		{[]*Machine{node, node}, Network{}, "found a network of 0 B/s"},
		{[]*Machine{node, node}, Network{Bandwidth: 1, Node: map[int]Path{2: {1, 0}}}, "a link of node 2, want 0 to 1"},
		{[]*Machine{node, node}, Network{Bandwidth: 1, Node: map[int]Path{1: {-1, 0}}}, "a network of -1 B/s and 0 s at node 1"},
		{[]*Machine{node, node}, Network{Bandwidth: 1, Backbone: -1}, "a backbone of -1 B/s"},
		{slices.Repeat([]*Machine{Plain(1000)}, 100), Network{Bandwidth: 1}, "more than 65536 workers"},
		{slices.Repeat([]*Machine{node}, 5000), Network{Bandwidth: 1}, "found 5000 nodes"},
	} {
		if _, err := Join(c.nodes, c.net); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("found error %v, want %s", err, c.want)
		}
	}
}
