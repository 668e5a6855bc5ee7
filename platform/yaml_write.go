package platform

import (
	"fmt"
	"os"

	"go.yaml.in/yaml/v4"
)

// WriteYAML writes a machine of one node in the form that ReadYAML reads.
func WriteYAML(file string, m *Machine) error {
	text, err := m.YAML()
	if err != nil {
		return fmt.Errorf("write machine: %w", err)
	}
	return os.WriteFile(file, text, 0o644)
}

// YAML is the machine, of one node, in the project's own form.
func (m *Machine) YAML() ([]byte, error) {
	if m.Nodes() > 1 {
		return nil, fmt.Errorf("found a machine of %d nodes, want one", m.Nodes())
	}
	y := yamlMachine{Name: m.Name}
	for _, mem := range m.Memories {
		y.Memories = append(y.Memories, yamlMemory{Name: mem.Name, Kind: mem.Kind, Arch: mem.Arch, Device: mem.Device, Capacity: size(mem.Capacity), Peer: mem.Peer})
	}
	for _, w := range m.Workers {
		y.Workers = append(y.Workers, yamlWorker{Name: w.Name, Arch: w.Arch, Memory: m.Memories[w.Memory].Name, Speed: w.Speed})
	}
	for _, l := range m.Links {
		y.Links = append(y.Links, yamlLink{Name: l.Name, Bandwidth: bandwidth(l.Bandwidth), Latency: latency(l.Latency), Fat: l.Fat})
	}
	for p := range m.Routes {
		y.addPair(m, p)
	}
	return yaml.Dump(&y)
}

// addPair writes the route of a pair and what is believed of it.
func (y *yamlMachine) addPair(m *Machine, p int) {
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
