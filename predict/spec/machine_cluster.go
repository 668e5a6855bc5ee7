package spec

import (
	"cmp"
	"errors"
	"fmt"

	"dagscope/predict/platform"
)

// cluster puts nodes side by side, each as its overrides have it.
func (s *Spec) cluster(node *platform.Machine, base nodeRequest) (*platform.Machine, error) {
	if node.Nodes() > 1 {
		return s.reshaped(node, base)
	}
	count, err := s.nodeCount()
	if err != nil {
		return nil, err
	}
	net, err := s.network(count)
	if err != nil {
		return nil, err
	}
	if err := s.checkOverrides(count); err != nil {
		return nil, err
	}
	all, err := s.differingNodes(node, base, count)
	if err != nil {
		return nil, err
	}
	net.Node = s.nodeLinks(net, count)
	m, err := platform.Join(all, net)
	if err != nil {
		return nil, s.wrap(err, "platform", "network")
	}
	return m, nil
}

// reshaped is a machine of several nodes with what the spec changes of it: how
// many there are, what differs at some or all, and the network.
func (s *Spec) reshaped(m *platform.Machine, base nodeRequest) (*platform.Machine, error) {
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
	for k, node := range all {
		if all[k], err = s.changedNode(node, base, s.Platform.Overrides.at(k)); err != nil {
			return nil, s.wrapOverride(err, k)
		}
	}
	net.Node = s.nodeLinks(net, len(all))
	joined, err := platform.Join(all, net)
	if err != nil {
		return nil, s.wrap(err, "platform", "network")
	}
	if joined.Nodes() > 1 {
		joined.Name = m.Name
	}
	return joined, nil
}

// asMany are as many nodes as are asked for: more are copies of the last one.
func (s *Spec) asMany(nodes []*platform.Machine) ([]*platform.Machine, error) {
	count := len(nodes)
	if s.Platform.Nodes > 0 {
		var err error
		if count, err = s.nodeCount(); err != nil {
			return nil, err
		}
	}
	all := make([]*platform.Machine, count)
	for k := range all {
		all[k] = nodes[min(k, len(nodes)-1)]
	}
	return all, s.checkOverrides(count)
}

// changedNode is a node of a cluster with its overrides.
func (s *Spec) changedNode(node *platform.Machine, base nodeRequest, o NodeOverride) (*platform.Machine, error) {
	if o.StarPU+o.File+o.Host != "" || o.OpenCL != nil {
		return nil, errorf("found another machine for a node of a cluster, want cpus, gpus, gpu_memory, ram_memory, speed or network")
	}
	r, m := s.differing(base, o), node.Clone()
	err := r.chooseWorkers(m)
	if err == nil {
		err = s.limitOverridden(r, m)
	}
	if err == nil {
		err = o.Speed.apply(m)
	}
	return m, err
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

// differingNodes are so many nodes, those with overrides as these say. Nodes of
// equal overrides are one machine.
func (s *Spec) differingNodes(node *platform.Machine, base nodeRequest, count int) ([]*platform.Machine, error) {
	all := make([]*platform.Machine, count)
	made := make(map[string]*platform.Machine)
	for k := range all {
		o := s.Platform.Overrides.at(k)
		key := o.key()
		if key == "" {
			all[k] = node
			continue
		}
		if made[key] == nil {
			m, err := s.differingNode(base, o)
			if err != nil {
				return nil, s.wrapOverride(err, k)
			}
			made[key] = m
		}
		all[k] = made[key]
	}
	return all, nil
}

// differingNode makes the machine of a node with overrides.
func (s *Spec) differingNode(base nodeRequest, o NodeOverride) (*platform.Machine, error) {
	r := s.differing(base, o)
	m, _, err := r.machine()
	if err == nil {
		err = s.limitOverridden(r, m)
	}
	if err == nil {
		err = o.Speed.apply(m)
	}
	return m, err
}

// limitOverridden limits the memories of a node with overrides.
func (s *Spec) limitOverridden(r nodeRequest, m *platform.Machine) error {
	if err := r.limitMemories(m); err != nil {
		return s.wrap(err, "options", "disk")
	}
	return nil
}

// nodeLinks are the links of nodes that differ from those of the network.
func (s *Spec) nodeLinks(net platform.Network, count int) map[int]platform.Path {
	links := make(map[int]platform.Path)
	for k := range count {
		path, own := net.Node[k]
		if p := s.Platform.Overrides.at(k).Network; p != nil {
			if !own {
				path = platform.Path{Bandwidth: net.Bandwidth, Latency: net.Latency}
			}
			path, own = p.change(path), true
		}
		if own {
			links[k] = path
		}
	}
	return links
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

// change is a node's link: what the spec does not say is as it was.
func (p *NodePath) change(path platform.Path) platform.Path {
	if p.Bandwidth > 0 {
		path.Bandwidth = float64(p.Bandwidth)
	}
	if p.Latency != nil {
		path.Latency = float64(*p.Latency)
	}
	return path
}

// key distinguishes machines of nodes; "" is the same as all.
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
