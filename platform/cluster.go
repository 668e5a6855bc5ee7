package platform

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Network joins the nodes of a cluster: each node has a link out and one in,
// and all share a backbone if there is one. Bandwidths are in bytes per second,
// latencies in seconds.
type Network struct {
	Bandwidth, Latency float64 // of a node's links
	Backbone           float64 // bandwidth of the backbone, 0 for none
	BackboneLatency    float64
	Nodes              int // that a description names, 0 if it names none
}

// Cluster is a machine of equal nodes with a network between their RAMs. Names
// of the node's own links have the node's number before them ("3_Host"), as
// have names of workers ("3_CPU0").
func Cluster(node *Machine, nodes int, net Network) (*Machine, error) {
	switch {
	case node.Nodes() != 1:
		return nil, fmt.Errorf("build cluster: found a machine of %d nodes, want one", node.Nodes())
	case nodes < 1 || nodes > mostNodes:
		return nil, fmt.Errorf("build cluster: found %d nodes, want 1 to %d", nodes, mostNodes)
	case len(node.Memories)*nodes > mostNodes:
		return nil, fmt.Errorf("build cluster: found %d memories, want %d at most", len(node.Memories)*nodes, mostNodes)
	case nodes == 1:
		return node, nil
	case !(net.Bandwidth > 0) || !(net.Latency >= 0) || !(net.Backbone >= 0) || !(net.BackboneLatency >= 0):
		return nil, fmt.Errorf("build cluster: found a network of %g B/s and %g s, want a bandwidth above 0 and a latency from 0", net.Bandwidth, net.Latency)
	}
	c := &Machine{Name: fmt.Sprintf("%d × %s", nodes, node.Name)}
	for k := range nodes {
		c.copyParts(node, int32(k))
	}
	c.allocate()
	for k := range nodes {
		c.copyPairs(node, k)
	}
	c.connect(node, nodes, net)
	c.setTypes()
	return c, c.Validate()
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

// copyPairs copies what holds between the memories of a node.
func (m *Machine) copyPairs(node *Machine, k int) {
	count := len(node.Memories)
	for i := range count {
		for j := range count {
			from, to := node.Pair(int32(i), int32(j)), m.Pair(int32(k*count+i), int32(k*count+j))
			m.Bandwidth[to], m.Latency[to] = node.Bandwidth[from], node.Latency[from]
			for _, l := range node.Routes[from] {
				m.Routes[to] = append(m.Routes[to], l+int32(k*len(node.Links)))
			}
		}
	}
}

// connect joins the RAMs of nodes through their links and the backbone.
func (m *Machine) connect(node *Machine, nodes int, net Network) {
	base := int32(len(m.Links))
	for k := range nodes {
		for _, way := range []string{"up", "down"} {
			m.Links = append(m.Links, Link{Name: fmt.Sprintf("%d_network %s", k, way), Bandwidth: net.Bandwidth, Latency: net.Latency})
		}
	}
	backbone := int32(-1)
	if net.Backbone > 0 {
		backbone = int32(len(m.Links))
		m.Links = append(m.Links, Link{Name: "backbone", Bandwidth: net.Backbone, Latency: net.BackboneLatency})
	}
	count := int32(len(node.Memories))
	for a := range int32(nodes) {
		for b := range int32(nodes) {
			if a == b {
				continue
			}
			route := []int32{base + 2*a}
			if backbone >= 0 {
				route = append(route, backbone)
			}
			p := m.Pair(a*count+node.home(0), b*count+node.home(0))
			m.Routes[p] = append(route, base+2*b+1)
			m.Bandwidth[p], m.Latency[p] = m.alone(m.Routes[p])
		}
	}
}

// ReadNetwork reads the first cluster of a platform file of SimGrid, such as
// SMPI is given: bandwidth and latency of hosts (bw, lat) and of the backbone
// (bb_bw, bb_lat), and how many hosts there are (radical).
func ReadNetwork(file string) (Network, error) {
	text, err := readNamed(file)
	if err != nil {
		return Network{}, err
	}
	return parseNetwork(file, text)
}

func parseNetwork(file string, text []byte) (Network, error) {
	d := xml.NewDecoder(bytes.NewReader(text))
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	for {
		token, err := d.Token()
		line, _ := d.InputPos()
		if errors.Is(err, io.EOF) {
			return Network{}, fmt.Errorf("read %s: found no cluster, want <cluster … bw= lat= …>", file)
		}
		if err != nil {
			return Network{}, fmt.Errorf("read %s:%d: %w", file, line, err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "cluster" {
			net, err := networkOf(start)
			if err != nil {
				return net, fmt.Errorf("read %s:%d: %w", file, line, err)
			}
			return net, nil
		}
	}
}

func networkOf(t xml.StartElement) (net Network, err error) {
	var errs []error
	for _, a := range t.Attr {
		var err error
		switch a.Name.Local {
		case "bw":
			net.Bandwidth, err = quantity(a.Value, bandwidthUnits)
		case "lat":
			net.Latency, err = quantity(a.Value, timeUnits)
		case "bb_bw":
			net.Backbone, err = quantity(a.Value, bandwidthUnits)
		case "bb_lat":
			net.BackboneLatency, err = quantity(a.Value, timeUnits)
		case "radical":
			net.Nodes, err = countRadical(a.Value)
		}
		errs = append(errs, err)
	}
	if net.Bandwidth <= 0 {
		errs = append(errs, errors.New("found a cluster without bw, want the bandwidth of its hosts"))
	}
	return net, errors.Join(errs...)
}

// countRadical counts the numbers of "1-9,12".
func countRadical(s string) (int, error) {
	count := 0
	for part := range strings.SplitSeq(s, ",") {
		from, to, ranged := strings.Cut(strings.TrimSpace(part), "-")
		if !ranged {
			to = from
		}
		a, err := strconv.Atoi(from)
		b, err2 := strconv.Atoi(to)
		if err != nil || err2 != nil || a < 0 || b < a || b > mostHosts {
			return 0, fmt.Errorf("found hosts %q, want numbers and ranges such as 1-9", s)
		}
		if count += b - a + 1; count > mostHosts {
			return 0, fmt.Errorf("found hosts %q, want %d at most", s, mostHosts)
		}
	}
	return count, nil
}
