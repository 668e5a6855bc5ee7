package platform

import (
	"math"
	"strings"
	"testing"
)

func TestChangeLinks(t *testing.T) {
	for _, c := range []struct {
		name string
		by   LinkChange
		// bandwidth and latency of RAM to CUDA0, RAM to CUDA1, and what is
		// believed of the first.
		first, second, believed float64
	}{
		{"CUDA0 port", LinkChange{Scale: 0.5, Latency: -1}, 3e9, 6e9, 3e9},
		{"* port", LinkChange{Scale: 0.5, Latency: -1}, 3e9, 3e9, 3e9},
		{"bus", LinkChange{Bandwidth: 2e9, Latency: -1}, 2e9, 2e9, 2e9},
		{"bus", LinkChange{Bandwidth: 2e9, Latency: -1, Unknown: true}, 2e9, 2e9, 6e9},
		{"CUDA? port", LinkChange{Bandwidth: 2e9, Scale: 2, Latency: -1}, 4e9, 4e9, 4e9},
	} {
		m := parsed(t, portedGPUs)
		if err := m.ChangeLinks(c.name, c.by); err != nil {
			t.Fatal(err)
		}
		first, second := m.Uncontended(0, 1, 12e9), m.Uncontended(0, 2, 12e9)
		if math.Abs(first-12e9/c.first-1e-6) > 1e-9 || math.Abs(second-12e9/c.second-1e-6) > 1e-9 {
			t.Errorf("found %g and %g s with %s %+v", first, second, c.name, c.by)
		}
		if got := m.Bandwidth[m.Pair(0, 1)]; math.Abs(got/c.believed-1) > 1e-12 {
			t.Errorf("found %g B/s believed with %s %+v, want %g", got, c.name, c.by, c.believed)
		}
	}
}

// Latencies are set, and what is believed of a pair keeps what it differed by.
func TestChangeLatency(t *testing.T) {
	m := parsed(t, portedGPUs+"believed: [{from: RAM, to: CUDA0, bandwidth: 3GBps, latency: 5us}]\n")
	if err := m.ChangeLinks("CUDA0 port", LinkChange{Scale: 2, Latency: 4e-6}); err != nil {
		t.Fatal(err)
	}
	p := m.Pair(0, 1)
	if got := m.Latency[p]; math.Abs(got-8e-6) > 1e-15 {
		t.Errorf("found a latency of %g s, want 8 µs", got)
	}
	if got := m.Bandwidth[p]; math.Abs(got-5e9) > 1 { // the bus has 10 GB/s, the port now 12
		t.Errorf("found %g B/s, want 5 GB/s", got)
	}
}

// In a cluster a name without node stands for the links of all nodes.
func TestChangeLinksOfNodes(t *testing.T) {
	node := parsed(t, portedGPUs)
	m, err := Join([]*Machine{node, node, node}, Network{Bandwidth: 1e9})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.ChangeLinks("network *", LinkChange{Scale: 0.5, Latency: -1}); err != nil {
		t.Fatal(err)
	}
	if err := m.ChangeLinks("2_bus", LinkChange{Scale: 0.1, Latency: -1}); err != nil {
		t.Fatal(err)
	}
	for _, l := range m.Links {
		want := map[string]float64{"0_bus": 10e9, "2_bus": 1e9, "1_network up": 5e8, "2_network down": 5e8}[l.Name]
		if want != 0 && l.Bandwidth != want {
			t.Errorf("found %g B/s of %s, want %g", l.Bandwidth, l.Name, want)
		}
	}
	for name, want := range map[string]string{
		"3_bus": `found no link "3_bus", want one of 0_bus, 0_CUDA0 port`,
		"[":     `found no link "["`,
	} {
		if err := m.ChangeLinks(name, LinkChange{Scale: 2, Latency: -1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("found error %v, want %s", err, want)
		}
	}
	if err := Plain(2).ChangeLinks("bus", LinkChange{Scale: 2}); err == nil || !strings.Contains(err.Error(), "nothing is transferred") {
		t.Error(err)
	}
}
