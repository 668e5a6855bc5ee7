package platform

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// A cluster that is written down is read as it was.
func TestClusterYAMLRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 60 {
		kinds := []*Machine{randomNode(rng), randomNode(rng)}
		nodes := make([]*Machine, 2+rng.IntN(6))
		for k := range nodes {
			nodes[k] = kinds[rng.IntN(2)]
		}
		m, err := Join(nodes, randomNetwork(rng, len(nodes)))
		if err != nil {
			t.Fatal(err)
		}
		if rng.IntN(2) == 0 {
			if err := m.ChangeLinks("1_network down", LinkChange{Scale: 0.5, Latency: 3e-6}); err != nil {
				t.Fatal(err)
			}
		}
		text, err := m.YAML()
		if err != nil {
			t.Fatal(err)
		}
		back, err := ParseYAML("c.yaml", text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if err := back.Validate(); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(m, back) {
			t.Fatalf("found another machine, with links %v, want %v", back.Links, m.Links)
		}
	}
}

const unequal = `cluster:
- {count: 2, name: cpus, workers: [{arch: cpu, count: 4}]}
- name: gpu
  memories: [{name: CUDA0, kind: gpu, arch: cuda, link: {bandwidth: 5GBps}}]
  workers: [{arch: cuda, memory: CUDA0}]
network: {bandwidth: 10Gbps, latency: 1us, nodes: {1: {bandwidth: 1Gbps, latency: 2us}}}
links:
- {name: 2_network down, bandwidth: 2Gbps}
`

func TestUnequalCluster(t *testing.T) {
	m := parsed(t, unequal)
	if m.Name != "2 × cpus + 1 × gpu" || m.Nodes() != 3 || len(m.Workers) != 9 || len(m.Memories) != 4 {
		t.Fatalf("found %s of %d nodes, %d workers, %d memories", m.Name, m.Nodes(), len(m.Workers), len(m.Memories))
	}
	for name, want := range map[string]float64{"0_network up": 1.25e9, "1_network up": 1.25e8, "2_network down": 2.5e8, "2_network up": 1.25e9} {
		for _, l := range m.Links {
			if l.Name == name && l.Bandwidth != want {
				t.Errorf("found %g B/s of %s, want %g", l.Bandwidth, name, want)
			}
		}
	}
}

func TestUnequalClusterErrors(t *testing.T) {
	for _, c := range [][3]string{
		{"arch: cpu, count: 4", "count: 4", "m.yaml:2: found a worker without arch"},
		{"workers: [{arch: cuda, memory: CUDA0}]", "workers: [{arch: cuda, memory: CUDA1}]", `m.yaml:5: found memory "CUDA1"`},
		{"count: 2", "count: -2", "m.yaml:2: found -2 nodes"},
		{"count: 2", "count: 5000", "m.yaml:2: found 5000 nodes"},
		{"{1: {b", "{7: {b", "m.yaml:6: build cluster: found a link of node 7, want 0 to 2"},
		{"name: 2_network", "name: 4_network", `m.yaml:8: found link "4_network down"`},
		{"links:", "nodes: 3\nlinks:", "m.yaml:2: found memories, workers, routes, believed or nodes beside cluster"},
		{"arch: cpu, count: 4", "arch: cpu, cuont: 4", `m.yaml:2: found unknown key "cuont"`},
	} {
		text := strings.Replace(unequal, c[0], c[1], 1)
		if _, err := ParseYAML("m.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("found error %v, want %s", err, c[2])
		}
	}
}
