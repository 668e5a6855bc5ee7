package platform

import "fmt"

// NetworkLinks are the links between the nodes of a machine that Join made: out
// of and into each node, and the backbone, nil without one. All are nil for a
// machine of one node.
func (m *Machine) NetworkLinks() (out, in []*Link, backbone *Link) {
	if m.Nodes() < 2 {
		return nil, nil, nil
	}
	links := make(map[string]*Link, len(m.Links))
	for i := range m.Links {
		links[m.Links[i].Name] = &m.Links[i]
	}
	for k := range m.Nodes() {
		up, down := links[fmt.Sprintf("%d_network up", k)], links[fmt.Sprintf("%d_network down", k)]
		if up == nil || down == nil {
			return nil, nil, nil
		}
		out, in = append(out, up), append(in, down)
	}
	return out, in, links["backbone"]
}
