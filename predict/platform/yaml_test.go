package platform

import (
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"dagscope/internal/budget"
)

const small = `name: small
memories:
  - {name: RAM, kind: ram, capacity: 32GiB}
  - {name: DISK0, kind: disk, link: {bandwidth: 400MBps, latency: 2ms}}
  - {name: CUDA0, kind: gpu, arch: cuda, capacity: 4GiB, peer: true, link: {bandwidth: 6GBps, latency: 10us}}
  - {name: CUDA1, kind: gpu, arch: cuda, device: 1, capacity: 4GiB, peer: true, link: {bandwidth: 6GBps, latency: 10us}}
workers:
  - {arch: cpu, count: 2}
  - {arch: cuda, memory: CUDA1}
  - {arch: cuda, memory: CUDA0}
links:
  - {name: bus, bandwidth: 8Gbps}
routes:
  - {from: CUDA0, to: CUDA1, links: [bus, bus], both: true}
believed:
  - {from: CUDA0, to: CUDA1, bandwidth: 2GBps, latency: 1us}
`

func TestReadYAML(t *testing.T) {
	m, err := ParseYAML("small.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := names(m), "CUDA0_0 CUDA1_0 CPU0 CPU1"; got != want {
		t.Errorf("workers %s, want %s", got, want)
	}
	if m.Memories[3].Kind != Disk || m.Memories[0].Capacity != 32<<30 || m.Memories[2].Device != 1 {
		t.Errorf("memories %+v", m.Memories)
	}
	for _, c := range []struct {
		from, to int32
		want     float64
	}{{0, 1, 1 + 10e-6}, {1, 0, 1 + 10e-6}, {1, 2, 12}, {2, 1, 12}, {0, 3, 15.002}, {3, 1, math.Inf(1)}} {
		if got := m.Uncontended(c.from, c.to, 6e9); got != c.want && math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%d to %d takes %v s, want %v", c.from, c.to, got, c.want)
		}
	}
	if b := m.Bandwidth[m.Pair(1, 2)]; b != 2e9 {
		t.Errorf("believed bandwidth %g, want 2e9", b)
	}
	if b := m.Bandwidth[m.Pair(2, 1)]; b != 0.5e9 {
		t.Errorf("believed bandwidth %g, want half of the bus", b)
	}
	types := m.Types()
	if want := []Type{{Arch: CUDA}, {Arch: CUDA, Device: 1}, {Arch: CPU}}; !reflect.DeepEqual(types, want) || m.Workers[3].Type != 2 {
		t.Errorf("types %v, want %v", types, want)
	}
}

// What is written is read as the same machine.
func TestYAMLRoundTrip(t *testing.T) {
	first, err := ParseYAML("small.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*Machine{first, Plain(3)} {
		text, err := m.YAML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseYAML("again.yaml", text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if !reflect.DeepEqual(m, again) {
			t.Errorf("read\n%+v, want\n%+v", again, m)
		}
	}
}

func TestYAMLOfHosts(t *testing.T) {
	dir := sampling(t)
	for _, host := range []string{"mirage", "attila", "hannibal"} {
		m, err := ReadStarPU(dir, host, StarPUOptions{CPUs: -1, GPUs: 2, Disk: boolDisk(host)})
		if err != nil {
			t.Fatal(err)
		}
		text, err := m.YAML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseYAML("again.yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(m, again) {
			t.Errorf("%s: read\n%+v, want\n%+v", host, again, m)
		}
	}
}

// boolDisk asks for a disk where the host has one.
func boolDisk(host string) int64 {
	if host == "hannibal" {
		return 0
	}
	return 1 << 30
}

func TestYAMLErrorsNameFileAndLine(t *testing.T) {
	for text, want := range map[string]string{
		"workers: []":                            "read f.yaml: check machine: found no worker, want one at least",
		"wrokers: 3":                             `read f.yaml:1: found unknown key "wrokers", want one of believed, cluster, links, memories, name, network, nodes, routes, workers`,
		"workers:\n- {arch: cpu, memory: GPU9}":  `read f.yaml:2: found memory "GPU9", want one of RAM`,
		"workers:\n- {count: 2}":                 "read f.yaml:2: found a worker without arch, want cpu, cuda, …",
		"workers:\n- {arch: cpu, count: 999999}": "read f.yaml:2: found 999999 workers, want 65536 at most",
		"memories:\n- {name: G, kind: gpu}":      "read f.yaml:2: found GPU G without arch, want cuda, opencl, …",
		"memories:\n- {name: G, kind: gpu, arch: cuda}\nworkers:\n- {arch: cuda, memory: G}": "read f.yaml: check machine: found no route between RAM and G, want one each way",
		"links:\n- name: a\n  bandwidth: 3 parsecs":                                          `read f.yaml:3: found unit "parsecs" in "3 parsecs", want one such as Bps, MBps or GBps`,
		"links:\n- {name: a, bandwidth: 0}":                                                  `read f.yaml:2: found bandwidth "0", want more than 0`,
		"links:\n- {name: a, bandwidth: 1}\n- {name: a, bandwidth: 1}":                       "read f.yaml:3: found link a twice",
		"routes:\n- {from: RAM, to: RAM, links: [a]}":                                        `read f.yaml:2: found a route of 1 links from "RAM" to "RAM", want one link at least between two memories`,
		"workers: [{arch: cpu}]\nnodes: 3":                                                   "read f.yaml:2: found 3 nodes without network, want one",
		"workers: [{arch: cpu}]\nnodes: 3\nnetwork: {latency: 1us}":                          "read f.yaml:3: build cluster: found a network of 0 B/s and 1e-06 s, want a bandwidth above 0 and a latency from 0",
		"workers: [{arch: cpu}]\nnodes: 9999\nnetwork: {bandwidth: 1}":                       "read f.yaml:3: build cluster: found 9999 nodes, want 1 to 4096",
	} {
		if _, err := ParseYAML("f.yaml", []byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q:\n%v, want\n%s", text, err, want)
		}
	}
}

// A cluster's nodes are alike, and its RAMs reach each other through the links
// of two nodes and the backbone.
func TestCluster(t *testing.T) {
	m, err := ParseYAML("c.yaml", []byte(small+"nodes: 3\nnetwork: {bandwidth: 10GBps, latency: 1us, backbone: {bandwidth: 5GBps, latency: 2us}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if m.Nodes() != 3 || len(m.Workers) != 12 || len(m.Memories) != 12 || len(m.Types()) != 9 {
		t.Fatalf("%d nodes, %d workers, %d memories, %d types", m.Nodes(), len(m.Workers), len(m.Memories), len(m.Types()))
	}
	if w := m.Workers[8]; w.Name != "2_CUDA0_0" || w.Node != 2 || m.Memories[w.Memory].Name != "2_CUDA0" {
		t.Errorf("worker %+v in %s", w, m.Memories[w.Memory].Name)
	}
	if got, want := m.Uncontended(4, 0, 5e9), 1+4e-6; math.Abs(got-want) > 1e-12 {
		t.Errorf("RAM to RAM takes %v s, want %v", got, want)
	}
	if got, want := m.Uncontended(4, 5, 6e9), 1+10e-6; math.Abs(got-want) > 1e-12 {
		t.Errorf("RAM to GPU takes %v s, want %v", got, want)
	}
	if route := m.Routes[m.Pair(4, 1)]; route != nil {
		t.Errorf("route %v from a node's RAM to another's GPU, want none", route)
	}
}

func TestNetworks(t *testing.T) {
	net, err := parseNetwork("f", []byte(`<?xml version='1.0'?><platform version="4"><AS id="a"><cluster id="c" radical="1-9,12" bw="4GBps" lat="1us" bb_bw="288GBps" bb_lat="2us"/></AS></platform>`))
	if want := (Network{Bandwidth: 4e9, Latency: 1e-6, Backbone: 288e9, BackboneLatency: 2e-6, Nodes: 10}); err != nil || !reflect.DeepEqual(net, want) {
		t.Errorf("%+v (%v), want %+v", net, err, want)
	}
	for text, want := range map[string]string{
		"<platform>\n</platform>":             "read f: found no cluster",
		"<platform>\n<cluster lat=\"1\"/>":    "read f:2: found a cluster without bw",
		"<cluster bw=\"1\" radical=\"9-1\"/>": `read f:1: found hosts "9-1"`,
		"<platform":                           "read f:1: XML syntax error",
	} {
		if _, err := parseNetwork("f", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s…", text, err, want)
		}
	}
}

func FuzzParseYAML(f *testing.F) {
	f.Add(small)
	f.Add("workers: [{arch: cpu}]\nnodes: 3\nnetwork: {bandwidth: 1}")
	f.Add(unequal)
	f.Fuzz(func(t *testing.T, text string) {
		budget.Watch(t)
		m, err := ParseYAML("f", []byte(text))
		if err != nil {
			return
		}
		if err := m.Validate(); err != nil {
			t.Error(err)
		}
		out, err := m.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseYAML("again", out); err != nil {
			t.Errorf("%v in\n%s", err, out)
		}
	})
}

// The clusters that the reference simulations of several nodes ran on.
func TestNetworksOfReference(t *testing.T) {
	dir := filepath.Dir(sampling(t))
	for file, nodes := range map[string]int{"cluster.xml": 9, "cluster32.xml": 32} {
		net, err := ReadNetwork(filepath.Join(dir, file))
		if err != nil || net.Bandwidth != 4e9 || net.Latency != 1e-6 || net.Backbone != 288e9 || net.Nodes != nodes {
			t.Errorf("%s: %+v, %v; want %d nodes", file, net, err, nodes)
		}
	}
}
