package platform

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Relative speeds that StarPU 1.4 assumes of workers where it knows no better.
var relativeSpeed = map[string]float64{CPU: 0.5, CUDA: 13.33, OpenCL: 12.22, HIP: 13.33}

// Types are what durations depend on, in the order of Worker.Type.
func (m *Machine) Types() []Type {
	var types []Type
	for i := range m.Workers {
		if w := &m.Workers[i]; int(w.Type) == len(types) {
			types = append(types, w.kind())
		}
	}
	return types
}

// kind is what the durations of a worker depend on.
func (w *Worker) kind() Type {
	t := Type{Arch: w.Arch, Node: w.Node, Pace: w.Pace}
	switch {
	case w.Arch == CPU:
	case w.Like > 0:
		t.Device = w.Like - 1
	default:
		t.Device = w.Device
	}
	return t
}

// NumberTypes numbers the types of workers in the order in which they come: when
// workers were changed.
func (m *Machine) NumberTypes() { m.setTypes() }

func (m *Machine) setTypes() {
	seen := map[Type]int32{}
	for i := range m.Workers {
		w := &m.Workers[i]
		t, ok := seen[w.kind()]
		if !ok {
			t = int32(len(seen))
			seen[w.kind()] = t
		}
		w.Type = t
	}
}

// Nodes is the number of nodes of the cluster.
func (m *Machine) Nodes() int {
	most := int32(0)
	for i := range m.Memories {
		most = max(most, m.Memories[i].Node)
	}
	return int(most) + 1
}

// Pair is the index of a source and a destination in Routes, Bandwidth and
// Latency.
func (m *Machine) Pair(source, destination int32) int {
	return int(source)*len(m.Memories) + int(destination)
}

// Uncontended is how long a transfer of some bytes takes when nothing else
// uses its links, in seconds: the latencies, and the bytes through the slowest
// link, of which a link that is crossed k times has a k-th of its bandwidth.
// +Inf without a route.
func (m *Machine) Uncontended(source, destination int32, bytes int64) float64 {
	route := m.Routes[m.Pair(source, destination)]
	switch {
	case source == destination:
		return 0
	case len(route) == 0:
		return math.Inf(1)
	}
	bandwidth, latency := m.alone(route)
	return latency + float64(bytes)/bandwidth
}

// alone is what one transfer has of a route.
func (m *Machine) alone(route []int32) (bandwidth, latency float64) {
	bandwidth = math.Inf(1)
	for _, l := range route {
		link := &m.Links[l]
		times := 0
		for _, other := range route {
			if other == l {
				times++
			}
		}
		if link.Fat {
			times = 1
		}
		latency += link.Latency
		bandwidth = min(bandwidth, link.Bandwidth/float64(times))
	}
	return bandwidth, latency
}

// Plain is a machine of alike workers in one memory: nothing is transferred.
func Plain(cpus int) *Machine {
	m := &Machine{Name: fmt.Sprintf("%d CPUs", cpus), Memories: []Memory{{Name: "RAM", Kind: RAM}}}
	m.addCPUs(0, cpus)
	m.allocate()
	m.setTypes()
	return m
}

// addCPUs appends workers of a node's memory.
func (m *Machine) addCPUs(memory int32, count int) {
	for i := range count {
		m.Workers = append(m.Workers, Worker{
			Name: fmt.Sprintf("CPU%d", i), Arch: CPU, Device: int32(i), Memory: memory, Node: m.Memories[memory].Node, Speed: relativeSpeed[CPU],
		})
	}
}

// allocate makes the matrices of the machine's memories.
func (m *Machine) allocate() {
	pairs := len(m.Memories) * len(m.Memories)
	m.Routes = make([][]int32, pairs)
	m.Bandwidth, m.Latency = make([]float64, pairs), make([]float64, pairs)
}

// Validate reports what no machine can be: indices out of range, links
// without bandwidth, memories that nothing reaches.
func (m *Machine) Validate() error {
	pairs := len(m.Memories) * len(m.Memories)
	switch {
	case len(m.Memories) == 0:
		return errors.New("check machine: found no memory, want one at least")
	case len(m.Workers) == 0:
		return errors.New("check machine: found no worker, want one at least")
	case len(m.Routes) != pairs || len(m.Bandwidth) != pairs || len(m.Latency) != pairs:
		return fmt.Errorf("check machine: found %d routes, %d bandwidths and %d latencies, want %d of each", len(m.Routes), len(m.Bandwidth), len(m.Latency), pairs)
	}
	return errors.Join(m.checkWorkers(), m.checkLinks(), m.checkRoutes())
}

func (m *Machine) checkWorkers() error {
	types := int32(0)
	for i := range m.Workers {
		w := &m.Workers[i]
		if w.Memory < 0 || int(w.Memory) >= len(m.Memories) {
			return fmt.Errorf("check machine: found worker %s in memory %d, want 0 to %d", w.Name, w.Memory, len(m.Memories)-1)
		}
		if w.Type < 0 || w.Type > types {
			return fmt.Errorf("check machine: found worker %s of type %d, want types in order of appearance", w.Name, w.Type)
		}
		types = max(types, w.Type+1)
	}
	return nil
}

func (m *Machine) checkLinks() error {
	for i := range m.Links {
		l := &m.Links[i]
		if !(l.Bandwidth > 0) || !(l.Latency >= 0) || math.IsInf(l.Latency, 0) {
			return fmt.Errorf("check machine: found link %s of %g B/s and %g s, want a bandwidth above 0 and a latency from 0", l.Name, l.Bandwidth, l.Latency)
		}
	}
	return nil
}

func (m *Machine) checkRoutes() error {
	for p, route := range m.Routes {
		bad := slices.IndexFunc(route, func(l int32) bool { return l < 0 || int(l) >= len(m.Links) })
		if bad >= 0 {
			return fmt.Errorf("check machine: found link %d in the route of pair %d, want 0 to %d", route[bad], p, len(m.Links)-1)
		}
	}
	for i := range m.Memories {
		if err := m.checkReached(int32(i)); err != nil {
			return err
		}
	}
	return nil
}

// checkReached wants routes between a memory and the RAM of its node.
func (m *Machine) checkReached(at int32) error {
	mem := &m.Memories[at]
	ram := m.home(mem.Node)
	if ram < 0 {
		return fmt.Errorf("check machine: found no RAM on node %d, want one", mem.Node)
	}
	if ram == at || mem.Kind == RAM && m.Nodes() > 1 {
		return nil
	}
	if len(m.Routes[m.Pair(ram, at)]) == 0 || len(m.Routes[m.Pair(at, ram)]) == 0 {
		return fmt.Errorf("check machine: found no route between %s and %s, want one each way", m.Memories[ram].Name, mem.Name)
	}
	return nil
}

// home is the first RAM of a node, -1 if it has none.
func (m *Machine) home(node int32) int32 {
	return int32(slices.IndexFunc(m.Memories, func(mem Memory) bool { return mem.Kind == RAM && mem.Node == node }))
}
