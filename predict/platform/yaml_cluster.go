package platform

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// equal puts several of the node side by side.
func (b *yamlBuilder) equal(y *yamlMachine) (*Machine, error) {
	nodes := max(y.Nodes, 1)
	if nodes > 1 && y.Network == nil {
		return nil, b.lines.Error(fmt.Errorf("found %d nodes without network, want one", nodes), "nodes")
	}
	m, err := Cluster(b.m, nodes, y.Network.network())
	if err != nil {
		return nil, b.lines.Error(err, "network")
	}
	return m, nil
}

// unequal joins groups of nodes.
func (b *yamlBuilder) unequal(y *yamlMachine) (*Machine, error) {
	switch {
	case y.Memories != nil || y.Workers != nil || y.Routes != nil || y.Believed != nil || y.Nodes != 0:
		return nil, b.lines.Error(errors.New("found memories, workers, routes, believed or nodes beside cluster, want them in its groups"), "cluster")
	case y.Network == nil:
		return nil, b.lines.Error(errors.New("found a cluster without network, want one"), "cluster")
	}
	var nodes []*Machine
	for i := range y.Cluster {
		group := &y.Cluster[i]
		node := &yamlBuilder{y: &group.yamlNode, lines: b.lines.At("cluster", i), m: &Machine{Name: group.Name}}
		if err := node.build(); err != nil {
			return nil, err
		}
		count := max(group.Count, 1)
		if group.Count < 0 || len(nodes)+count > mostNodes {
			return nil, b.lines.Error(fmt.Errorf("found %d nodes, want %d at most together", group.Count, mostNodes), "cluster", i)
		}
		if err := node.m.Validate(); err != nil {
			return nil, b.lines.Error(err, "cluster", i)
		}
		nodes = append(nodes, slices.Repeat([]*Machine{node.m}, count)...)
	}
	m, err := Join(nodes, y.Network.network())
	if err != nil {
		return nil, b.lines.Error(err, "network")
	}
	if y.Name != "" {
		m.Name = y.Name
	}
	return m, b.differing(m)
}

// differing takes over what the form says of single links of a cluster.
func (b *yamlBuilder) differing(m *Machine) error {
	for i, l := range b.y.Links {
		at := slices.IndexFunc(m.Links, func(other Link) bool { return other.Name == l.Name })
		if at < 0 || l.Bandwidth == 0 {
			return b.lines.Error(fmt.Errorf("found link %q of %g B/s, want a bandwidth of one of %s", l.Name, l.Bandwidth, m.linkNames()), "links", i)
		}
		m.Links[at] = Link{Name: l.Name, Bandwidth: float64(l.Bandwidth), Latency: float64(l.Latency), Fat: l.Fat}
	}
	for p, route := range m.Routes {
		from, to := p/len(m.Memories), p%len(m.Memories)
		if len(route) > 0 && m.Memories[from].Node != m.Memories[to].Node {
			m.Bandwidth[p], m.Latency[p] = m.alone(route)
		}
	}
	return nil
}

func (y *yamlNetwork) network() Network {
	net := Network{Bandwidth: float64(y.Bandwidth), Latency: float64(y.Latency)}
	if y.Backbone != nil {
		net.Backbone, net.BackboneLatency = float64(y.Backbone.Bandwidth), float64(y.Backbone.Latency)
	}
	for k, p := range y.Nodes {
		if net.Node == nil {
			net.Node = make(map[int]Path)
		}
		net.Node[k] = Path{float64(p.Bandwidth), float64(p.Latency)}
	}
	return net
}

// clusterYAML is a machine that Join made in the project's own form.
func (m *Machine) clusterYAML() ([]byte, error) {
	y := yamlMachine{yamlNode: yamlNode{Name: m.Name}}
	last := ""
	for k := range int32(m.Nodes()) {
		group := yamlGroup{yamlNode: m.node(k).form()}
		text, err := yaml.Dump(&group)
		if err != nil {
			return nil, err
		}
		if string(text) != last {
			y.Cluster = append(y.Cluster, group)
			last = string(text)
		}
		y.Cluster[len(y.Cluster)-1].Count++
	}
	if err := y.setNetwork(m); err != nil {
		return nil, err
	}
	return yaml.Dump(&y)
}

// Apart are the nodes of a machine that Join made, and the network between them.
// It is an error when a node's links out and in differ.
func (m *Machine) Apart() ([]*Machine, Network, error) {
	var y yamlMachine
	if err := y.setNetwork(m); err != nil {
		return nil, Network{}, fmt.Errorf("take cluster apart: %w", err)
	}
	if len(y.Links) > 0 {
		return nil, Network{}, fmt.Errorf("take cluster apart: found a link %s that differs from that out of the node, want equal ones", y.Links[0].Name)
	}
	nodes := make([]*Machine, m.Nodes())
	for k := range nodes {
		nodes[k] = m.node(int32(k))
		nodes[k].Name = m.Name
	}
	return nodes, y.Network.network(), nil
}

// node is one node of a cluster, as it was before Join.
func (m *Machine) node(k int32) *Machine {
	prefix := strconv.Itoa(int(k)) + "_"
	n := &Machine{}
	memory, link := make([]int32, len(m.Memories)), make([]int32, len(m.Links))
	var own []int32
	for i, mem := range m.Memories {
		if mem.Node == k {
			own = append(own, int32(i))
			memory[i] = int32(len(n.Memories))
			mem.Name, mem.Node = strings.TrimPrefix(mem.Name, prefix), 0
			n.Memories = append(n.Memories, mem)
		}
	}
	for _, w := range m.Workers {
		if w.Node == k {
			w.Name, w.Node, w.Memory = strings.TrimPrefix(w.Name, prefix), 0, memory[w.Memory]
			n.Workers = append(n.Workers, w)
		}
	}
	for i, l := range m.Links {
		if name, ok := strings.CutPrefix(l.Name, prefix); ok && !strings.HasPrefix(name, "network ") {
			link[i] = int32(len(n.Links))
			l.Name = name
			n.Links = append(n.Links, l)
		}
	}
	n.allocate()
	n.setTypes()
	for _, from := range own {
		for _, to := range own {
			p, q := m.Pair(from, to), n.Pair(memory[from], memory[to])
			n.Bandwidth[q], n.Latency[q] = m.Bandwidth[p], m.Latency[p]
			for _, l := range m.Routes[p] {
				n.Routes[q] = append(n.Routes[q], link[l])
			}
		}
	}
	return n
}

// setNetwork describes the links between nodes. Each node's link out says what
// its link in has, too, unless that differs.
func (y *yamlMachine) setNetwork(m *Machine) error {
	links := make(map[string]*Link, len(m.Links))
	for i := range m.Links {
		links[m.Links[i].Name] = &m.Links[i]
	}
	y.Network = &yamlNetwork{}
	if l := links["backbone"]; l != nil {
		y.Network.Backbone = &yamlPath{bandwidth(l.Bandwidth), latency(l.Latency)}
	}
	for k := range m.Nodes() {
		up, down := links[fmt.Sprintf("%d_network up", k)], links[fmt.Sprintf("%d_network down", k)]
		if up == nil || down == nil {
			return fmt.Errorf("found no network links of node %d, want those of a cluster", k)
		}
		path := yamlPath{bandwidth(up.Bandwidth), latency(up.Latency)}
		switch first := (yamlPath{y.Network.Bandwidth, y.Network.Latency}); {
		case k == 0:
			y.Network.Bandwidth, y.Network.Latency = path.Bandwidth, path.Latency
		case path != first && y.Network.Nodes == nil:
			y.Network.Nodes = map[int]yamlPath{k: path}
		case path != first:
			y.Network.Nodes[k] = path
		}
		if down.Bandwidth != up.Bandwidth || down.Latency != up.Latency {
			y.Links = append(y.Links, down.form())
		}
	}
	return nil
}
