package platform

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
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
	// Node has what differs at a node: its link out and that in.
	Node map[int]Path
}

// Path is what a node's link has, each way.
type Path struct {
	Bandwidth, Latency float64
}

// Cluster is a machine of equal nodes with a network between their RAMs, as
// Join makes it.
func Cluster(node *Machine, nodes int, net Network) (*Machine, error) {
	if nodes < 1 || nodes > mostNodes {
		return nil, fmt.Errorf("build cluster: found %d nodes, want 1 to %d", nodes, mostNodes)
	}
	return Join(slices.Repeat([]*Machine{node}, nodes), net)
}

// connect joins the RAMs of nodes through their links and the backbone.
func (m *Machine) connect(nodes int, net Network) {
	base := int32(len(m.Links))
	rams := make([]int32, nodes)
	for k := range nodes {
		p := net.of(k)
		for _, way := range []string{"up", "down"} {
			m.Links = append(m.Links, Link{Name: fmt.Sprintf("%d_network %s", k, way), Bandwidth: p.Bandwidth, Latency: p.Latency})
		}
		rams[k] = m.home(int32(k))
	}
	var middle []int32
	if net.Backbone > 0 {
		middle = []int32{int32(len(m.Links))}
		m.Links = append(m.Links, Link{Name: "backbone", Bandwidth: net.Backbone, Latency: net.BackboneLatency})
	}
	for a, from := range rams {
		for b, to := range rams {
			if a == b {
				continue
			}
			p := m.Pair(from, to)
			m.Routes[p] = slices.Concat([]int32{base + 2*int32(a)}, middle, []int32{base + 2*int32(b) + 1})
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
