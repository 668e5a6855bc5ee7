package spec

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"dagscope/predict/platform"
)

// cluster puts nodes side by side, each as its overrides have it.
func (s *Spec) cluster(node *platform.Machine, load Loader) (*platform.Machine, error) {
	if node.Nodes() > 1 {
		return s.reshaped(node)
	}
	count, err := s.nodes()
	if err != nil {
		return nil, err
	}
	net, err := s.network(count)
	if err != nil {
		return nil, err
	}
	all := make([]*platform.Machine, count)
	for k := range all {
		all[k] = node
	}
	if err := s.checkOverrides(count); err != nil {
		return nil, err
	}
	if err := s.override(all, &net, load); err != nil {
		return nil, err
	}
	m, err := platform.Join(all, net)
	if err != nil {
		return nil, s.wrap(err, "platform", "network")
	}
	return m, nil
}

// reshaped is a machine of several nodes with what the spec changes of it: how
// many there are, what differs at some or all, and the network.
func (s *Spec) reshaped(m *platform.Machine) (*platform.Machine, error) {
	p := &s.Platform
	if (p.Nodes == 0 || int(p.Nodes) == m.Nodes()) && !p.Network.given() && p.Overrides == nil && p.CPUs == nil && p.GPUs == nil {
		return m, nil
	}
	nodes, net, err := m.Apart()
	if err == nil {
		net, err = s.changedNetwork(net)
	}
	if err != nil {
		return nil, err
	}
	all, err := s.asMany(nodes)
	if err != nil {
		return nil, err
	}
	for k := range net.Node {
		if k >= len(all) {
			delete(net.Node, k)
		}
	}
	for k := range all {
		if err := s.overrideOf(all, k, &net); err != nil {
			return nil, s.wrapOverride(err, k)
		}
	}
	joined, err := platform.Join(all, net)
	if err != nil {
		return nil, s.wrap(err, "platform", "network")
	}
	if joined.Nodes() > 1 {
		joined.Name = m.Name
	}
	return joined, nil
}

// asMany are as many nodes as are asked for: more are like the last one.
func (s *Spec) asMany(nodes []*platform.Machine) ([]*platform.Machine, error) {
	count := len(nodes)
	if s.Platform.Nodes > 0 {
		var err error
		if count, err = s.nodes(); err != nil {
			return nil, err
		}
	}
	all := make([]*platform.Machine, count)
	for k := range all {
		all[k] = nodes[min(k, len(nodes)-1)]
	}
	return all, s.checkOverrides(count)
}

// overrideOf changes a node of a cluster and its link.
func (s *Spec) overrideOf(all []*platform.Machine, k int, net *platform.Network) error {
	o := s.Platform.Overrides.at(k)
	if o.Network != nil {
		if net.Node == nil {
			net.Node = make(map[int]platform.Path)
		}
		of := *net
		if own, ok := net.Node[k]; ok {
			of.Bandwidth, of.Latency = own.Bandwidth, own.Latency
		}
		net.Node[k] = o.Network.path(of)
	}
	if o.StarPU+o.File+o.Host != "" || o.OpenCL != nil {
		return errorf("found another machine for a node of a cluster, want cpus, gpus, gpu_memory, ram_memory, speed or network")
	}
	other := *s
	other.with(o)
	all[k] = all[k].Clone()
	err := other.trimmed(all[k])
	if err == nil {
		err = other.memories(all[k])
	}
	if err == nil {
		err = o.Speed.apply(all[k])
	}
	return err
}

// checkOverrides reports overrides of nodes that there are not.
func (s *Spec) checkOverrides(count int) error {
	for _, o := range s.Platform.Overrides {
		if o.nodes.last >= count {
			return s.errorf(at("platform", "node_overrides", o.key), "found node %s, want 0 to %d", o.key, count-1)
		}
	}
	return nil
}

// nodeCount is how many nodes the machine will have, before it is made.
func (s *Spec) nodeCount() (int, error) {
	if s.Platform.File != "" && s.Platform.Nodes == 0 {
		if m, err := platform.ReadYAML(s.path(s.Platform.File)); err == nil && m.Nodes() > 1 {
			return m.Nodes(), nil
		}
	}
	return s.nodes()
}

// nodes is how many there are: as many as are asked for, else as the
// distribution has.
func (s *Spec) nodes() (int, error) {
	p, d := &s.Platform, &s.Workload.Distribution
	if grid := max(int(d.P), 1) * max(int(d.Q), 1); p.Nodes == 0 && grid > 1 {
		if d.P > mostNodes || d.Q > mostNodes || grid > mostNodes {
			return 0, s.errorf(at("workload", "distribution"), "found tiles over %d × %d nodes, want %d nodes at most", d.P, d.Q, mostNodes)
		}
		return grid, nil
	}
	if p.Nodes > mostNodes {
		return 0, s.errorf(at("platform", "nodes"), "found %d nodes, want %d at most", p.Nodes, mostNodes)
	}
	return max(int(p.Nodes), 1), nil
}

// clustered tells whether so many nodes run what StarPU-MPI runs: several do, and
// one that has a network.
func (s *Spec) clustered(nodes int) bool { return nodes > 1 || s.Platform.Network.given() }

// override replaces nodes that differ, and their links to the network. Nodes of
// equal overrides are one machine.
func (s *Spec) override(all []*platform.Machine, net *platform.Network, load Loader) error {
	made := make(map[string]*platform.Machine)
	for k := range all {
		o := s.Platform.Overrides.at(k)
		if p := o.Network; p != nil {
			if net.Node == nil {
				net.Node = make(map[int]platform.Path)
			}
			net.Node[k] = p.path(*net)
		}
		if key := o.key(); key != "" {
			if made[key] == nil {
				m, err := s.differing(o, load)
				if err != nil {
					return s.wrapOverride(err, k)
				}
				made[key] = m
			}
			all[k] = made[key]
		}
	}
	return nil
}

// wrapOverride says which key of a node is wrong.
func (s *Spec) wrapOverride(err error, node int) error {
	path := at("platform", "node_overrides", s.Platform.Overrides.named(node))
	var k keyed
	if errors.As(err, &k) {
		path = append(path, k.key)
	}
	return s.wrap(fmt.Errorf("node %d: %w", node, err), path...)
}

// path is a node's link: what it does not say is that of the network.
func (p *NodePath) path(net platform.Network) platform.Path {
	out := platform.Path{Bandwidth: net.Bandwidth, Latency: net.Latency}
	if p.Bandwidth > 0 {
		out.Bandwidth = float64(p.Bandwidth)
	}
	if p.Latency != nil {
		out.Latency = float64(*p.Latency)
	}
	return out
}

// key tells machines of nodes apart; "" is the usual one.
func (o *NodeOverride) key() string {
	if o.StarPU+o.File+o.Host == "" && o.CPUs == nil && o.GPUs == nil && o.OpenCL == nil && o.GPUMemory == 0 && o.RAMMemory == 0 && o.Speed == nil {
		return ""
	}
	return fmt.Sprint(o.Speed, o.StarPU, "\n", o.Host, "\n", o.File, "\n", count(o.CPUs), count(o.GPUs), o.OpenCL != nil, o.OpenCL != nil && *o.OpenCL, o.GPUMemory, o.RAMMemory)
}

// named is the key of the last override that names a node.
func (o NodeOverrides) named(node int) (key string) {
	for _, one := range o {
		if node >= one.nodes.first && node <= one.nodes.last {
			key = one.key
		}
	}
	return key
}

// differing makes the machine of a node with overrides: the spec's, changed.
func (s *Spec) differing(o NodeOverride, load Loader) (*platform.Machine, error) {
	other := *s
	p := &other.Platform
	if o.StarPU+o.File != "" {
		p.StarPU, p.Host, p.File, p.Run, p.CPUs, p.GPUs, p.OpenCL = o.StarPU, "", o.File, "", nil, nil, nil
	}
	if o.Host != "" {
		p.Host = o.Host
	}
	other.with(o)
	m, _, err := other.node(load)
	if err == nil {
		err = other.memories(m)
	}
	if err == nil {
		err = o.Speed.apply(m)
	}
	return m, err
}

// with takes over the numbers of a node.
func (s *Spec) with(o NodeOverride) {
	for _, one := range []struct {
		from *int
		to   **int
	}{{o.CPUs, &s.Platform.CPUs}, {o.GPUs, &s.Platform.GPUs}} {
		if one.from != nil {
			*one.to = one.from
		}
	}
	if o.OpenCL != nil {
		s.Platform.OpenCL = o.OpenCL
	}
	if o.GPUMemory > 0 {
		s.Options.GPUMemory = o.GPUMemory
	}
	if o.RAMMemory > 0 {
		s.Options.RAMMemory = o.RAMMemory
	}
}

// apply multiplies the paces of workers.
func (r Rates) apply(m *platform.Machine) error {
	seen := make(map[string]bool)
	for i := range m.Workers {
		w := &m.Workers[i]
		seen[w.Arch] = true
		if f := r.on(w.Arch); f != 1 {
			w.Pace = f * cmp.Or(w.Pace, 1)
		}
	}
	for arch := range r {
		if arch != "" && !seen[arch] {
			return keyed{"speed", fmt.Errorf("found architecture %q, want one of the node: %s", arch, list(seen))}
		}
	}
	m.NumberTypes()
	return nil
}

// slowed applies the paces of workers to durations.
func (t *table) slowed() {
	for k, on := range t.types {
		for _, row := range t.d {
			if on.Pace > 0 && row[k] > 0 {
				row[k] = math.Max(1, row[k]/on.Pace)
			}
		}
	}
}
