package spec

import (
	"cmp"
	"maps"
	"slices"

	"dagscope/predict/platform"
)

// network is that of a cluster of some nodes; a single one needs none.
func (s *Spec) network(nodes int) (net platform.Network, err error) {
	if nodes > 1 && !s.Platform.Network.given() {
		return net, s.errorf(at("platform", "nodes"), "found %d nodes without network, want one such as {bandwidth: 25Gbps, latency: 1us}", nodes)
	}
	return s.changedNetwork(net)
}

// changedNetwork is a network with what the spec says of it.
func (s *Spec) changedNetwork(net platform.Network) (_ platform.Network, err error) {
	w := &s.Platform.Network
	if w.File != "" {
		if net, err = platform.ReadNetwork(s.path(w.File)); err != nil {
			return net, s.wrap(err, "platform", "network")
		}
	}
	if w.Bandwidth > 0 || w.Latency > 0 {
		net.Node = nil // the same for all
	}
	net.Bandwidth = cmp.Or(float64(w.Bandwidth), net.Bandwidth)
	net.Latency = cmp.Or(float64(w.Latency), net.Latency)
	if b := w.Backbone; b != nil {
		net.Backbone = cmp.Or(float64(b.Bandwidth), net.Backbone)
		if b.Latency != nil {
			net.BackboneLatency = float64(*b.Latency)
		}
	}
	switch {
	case w.given() && net.Bandwidth == 0:
		return net, s.errorf(at("platform", "network"), "found a network without bandwidth, want that of a node's link, such as 25Gbps")
	case w.Backbone != nil && net.Backbone == 0:
		return net, s.errorf(at("platform", "network", "backbone"), "found a backbone without bandwidth, want one such as 100Gbps")
	}
	return net, nil
}

// changeLinks applies what the spec says of links by their names.
func (s *Spec) changeLinks(m *platform.Machine) error {
	for _, name := range slices.Sorted(maps.Keys(s.Platform.Links)) {
		c := s.Platform.Links[name]
		change := platform.LinkChange{Bandwidth: float64(c.Bandwidth), Scale: float64(c.Scale), Latency: -1, Unknown: c.Known != nil && !*c.Known}
		if c.Latency != nil {
			change.Latency = float64(*c.Latency)
		}
		if err := m.ChangeLinks(name, change); err != nil {
			return s.wrap(err, "platform", "links", name)
		}
	}
	return nil
}
