package platform

import "testing"

// The links of a cluster are those that its routes pass.
func TestNetworkLinks(t *testing.T) {
	net := Network{Bandwidth: 2e9, Latency: 3e-6, Backbone: 5e9, BackboneLatency: 1e-6, Node: map[int]Path{1: {Bandwidth: 1e9, Latency: 4e-6}}}
	m, err := Cluster(Plain(2), 3, net)
	if err != nil {
		t.Fatal(err)
	}
	out, in, backbone := m.NetworkLinks()
	if len(out) != 3 || len(in) != 3 || backbone == nil {
		t.Fatalf("found %d links out, %d in, backbone %v", len(out), len(in), backbone)
	}
	for a := range int32(3) {
		for b := range int32(3) {
			if a == b {
				continue
			}
			p := m.Pair(m.home(a), m.home(b))
			bandwidth := min(out[a].Bandwidth, in[b].Bandwidth, backbone.Bandwidth)
			latency := out[a].Latency + in[b].Latency + backbone.Latency
			if m.Bandwidth[p] != bandwidth || latency-m.Latency[p] > 1e-12 || m.Latency[p]-latency > 1e-12 {
				t.Errorf("from %d to %d: %g B/s, %g s; links say %g, %g", a, b, m.Bandwidth[p], m.Latency[p], bandwidth, latency)
			}
		}
	}
	if out, _, _ := Plain(2).NetworkLinks(); out != nil {
		t.Error("one node has network links")
	}
}
