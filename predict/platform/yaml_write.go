package platform

import (
	"go.yaml.in/yaml/v4"
)

// YAML is the machine in the project's own form. One of several nodes has to be
// one that Join made.
func (m *Machine) YAML() ([]byte, error) {
	if m.Nodes() > 1 {
		return m.clusterYAML()
	}
	return yaml.Dump(&yamlMachine{yamlNode: m.form()})
}

// form is a node in the project's own form.
func (m *Machine) form() yamlNode {
	y := yamlNode{Name: m.Name}
	for _, mem := range m.Memories {
		y.Memories = append(y.Memories, yamlMemory{Name: mem.Name, Kind: mem.Kind, Arch: mem.Arch, Device: mem.Device, Capacity: size(mem.Capacity), Peer: mem.Peer})
	}
	for _, w := range m.Workers {
		worker := yamlWorker{Name: w.Name, Arch: w.Arch, Memory: m.Memories[w.Memory].Name, Speed: w.Speed, Pace: w.Pace}
		if w.Like > 0 {
			like := w.Like - 1
			worker.Like = &like
		}
		y.Workers = append(y.Workers, worker)
	}
	for _, l := range m.Links {
		y.Links = append(y.Links, l.form())
	}
	for p := range m.Routes {
		y.addPair(m, p)
	}
	return y
}

func (l *Link) form() yamlLink {
	return yamlLink{Name: l.Name, Bandwidth: bandwidth(l.Bandwidth), Latency: latency(l.Latency), Fat: l.Fat}
}

// addPair writes the route of a pair and what is believed of it.
func (y *yamlNode) addPair(m *Machine, p int) {
	from, to := m.Memories[p/len(m.Memories)].Name, m.Memories[p%len(m.Memories)].Name
	if route := m.Routes[p]; len(route) > 0 {
		r := yamlRoute{From: from, To: to}
		for _, l := range route {
			r.Links = append(r.Links, m.Links[l].Name)
		}
		y.Routes = append(y.Routes, r)
	}
	if m.Bandwidth[p] > 0 {
		y.Believed = append(y.Believed, yamlBelief{From: from, To: to, Bandwidth: bandwidth(m.Bandwidth[p]), Latency: latency(m.Latency[p])})
	}
}
