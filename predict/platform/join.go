package platform

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
)

// Join is a machine of several nodes, which may differ, with a network between
// their RAMs. Names of a node's own links, memories and workers have its number
// before them ("3_Host", "3_CPU0"). One node stays as it is.
func Join(nodes []*Machine, net Network) (*Machine, error) {
	if len(nodes) == 1 && nodes[0].Nodes() == 1 {
		return nodes[0], nil
	}
	if err := errors.Join(checkNodes(nodes), net.check(len(nodes))); err != nil {
		return nil, fmt.Errorf("build cluster: %w", err)
	}
	c := &Machine{Name: joinedName(nodes)}
	for k, node := range nodes {
		c.copyParts(node, int32(k))
	}
	c.allocate()
	memory, link := int32(0), int32(0)
	for _, node := range nodes {
		c.copyPairs(node, memory, link)
		memory, link = memory+int32(len(node.Memories)), link+int32(len(node.Links))
	}
	c.connect(len(nodes), net)
	c.setTypes()
	return c, c.Validate()
}

func checkNodes(nodes []*Machine) error {
	if len(nodes) == 0 || len(nodes) > mostNodes {
		return fmt.Errorf("found %d nodes, want 1 to %d", len(nodes), mostNodes)
	}
	memories, workers := 0, 0
	for k, node := range nodes {
		if node.Nodes() != 1 {
			return fmt.Errorf("found a machine of %d nodes as node %d, want one", node.Nodes(), k)
		}
		if memories += len(node.Memories); memories > mostNodes {
			return fmt.Errorf("found more than %d memories, want so many at most", mostNodes)
		}
		if workers += len(node.Workers); workers > mostHosts {
			return fmt.Errorf("found more than %d workers, want so many at most", mostHosts)
		}
		if err := node.Validate(); err != nil {
			return fmt.Errorf("node %d: %w", k, err)
		}
	}
	return nil
}

// check reports a network that no nodes can have.
func (n *Network) check(nodes int) error {
	if err := (Path{n.Bandwidth, n.Latency}).check(""); err != nil {
		return err
	}
	for _, k := range slices.Sorted(maps.Keys(n.Node)) {
		if k < 0 || k >= nodes {
			return fmt.Errorf("found a link of node %d, want 0 to %d", k, nodes-1)
		}
		if err := n.Node[k].check(fmt.Sprintf(" at node %d", k)); err != nil {
			return err
		}
	}
	if !(n.Backbone >= 0) || !(n.BackboneLatency >= 0) || math.IsInf(n.BackboneLatency, 0) {
		return fmt.Errorf("found a backbone of %g B/s and %g s, want both from 0", n.Backbone, n.BackboneLatency)
	}
	return nil
}

func (p Path) check(where string) error {
	if !(p.Bandwidth > 0) || !(p.Latency >= 0) || math.IsInf(p.Latency, 0) {
		return fmt.Errorf("found a network of %g B/s and %g s%s, want a bandwidth above 0 and a latency from 0", p.Bandwidth, p.Latency, where)
	}
	return nil
}

// of is the link of a node.
func (n *Network) of(node int) Path {
	if p, own := n.Node[node]; own {
		return p
	}
	return Path{n.Bandwidth, n.Latency}
}

// joinedName names kinds of nodes with their numbers, in order of appearance.
func joinedName(nodes []*Machine) string {
	var names []string
	count := make(map[string]int)
	for _, n := range nodes {
		if count[n.Name]++; count[n.Name] == 1 {
			names = append(names, n.Name)
		}
	}
	text := ""
	for i, name := range names {
		if i > 0 {
			text += " + "
		}
		text += fmt.Sprintf("%d × %s", count[name], name)
	}
	return text
}

// copyParts appends a node's memories, workers and links.
func (m *Machine) copyParts(node *Machine, k int32) {
	first := int32(len(m.Memories))
	prefix := strconv.Itoa(int(k)) + "_"
	for _, mem := range node.Memories {
		mem.Node, mem.Name = k, prefix+mem.Name
		m.Memories = append(m.Memories, mem)
	}
	for _, w := range node.Workers {
		w.Node, w.Name, w.Memory = k, prefix+w.Name, first+w.Memory
		m.Workers = append(m.Workers, w)
	}
	for _, l := range node.Links {
		l.Name = prefix + l.Name
		m.Links = append(m.Links, l)
	}
}

// copyPairs copies what holds between the memories of a node, the first of
// which, and the first of whose links, have these numbers here.
func (m *Machine) copyPairs(node *Machine, memory, link int32) {
	count := int32(len(node.Memories))
	for i := range count {
		for j := range count {
			from, to := node.Pair(i, j), m.Pair(memory+i, memory+j)
			m.Bandwidth[to], m.Latency[to] = node.Bandwidth[from], node.Latency[from]
			for _, l := range node.Routes[from] {
				m.Routes[to] = append(m.Routes[to], link+l)
			}
		}
	}
}

// Clone is a copy that shares nothing with the machine.
func (m *Machine) Clone() *Machine {
	c := *m
	c.Memories, c.Workers, c.Links = slices.Clone(m.Memories), slices.Clone(m.Workers), slices.Clone(m.Links)
	c.Bandwidth, c.Latency = slices.Clone(m.Bandwidth), slices.Clone(m.Latency)
	c.Routes = make([][]int32, len(m.Routes))
	for i, r := range m.Routes {
		c.Routes[i] = slices.Clone(r)
	}
	return &c
}
