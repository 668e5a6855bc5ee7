package spec

import (
	"cmp"
	"errors"
	"fmt"

	"dagscope/predict/platform"
)

// machine makes the machine, and says what of it is not to be trusted. A
// recorded graph runs on that of its run unless the spec says otherwise.
func (s *Spec) machine(runs recordedRuns, e engine) (*platform.Machine, []string, error) {
	base := s.nodeRequest(runs)
	one, guess, err := base.machine()
	if err != nil {
		var k keyed
		if errors.As(err, &k) {
			return nil, nil, s.wrap(err, "platform", k.key)
		}
		return nil, nil, s.wrap(err, "platform")
	}
	if err := base.limitMemories(one); err != nil {
		return nil, nil, s.wrap(err, "options", "disk")
	}
	m, err := s.cluster(one, base)
	if err != nil {
		return nil, nil, err
	}
	if err := s.changeLinks(m); err != nil {
		return nil, nil, err
	}
	if n := m.Nodes(); n > 1 && (e.plain || s.Workload.Kind == sparseQR) {
		return nil, nil, s.errorf(at("platform"), "found a machine of %d nodes, want one for the plain engine", n)
	}
	var doubts []string
	for _, doubt := range []string{guess, s.alsoGPUs(one), copies(m)} {
		if doubt != "" {
			doubts = append(doubts, doubt)
		}
	}
	return m, doubts, nil
}

// copies says which devices are copies of others.
func copies(m *platform.Machine) string {
	count := 0
	var first *platform.Worker
	for i := range m.Workers {
		if w := &m.Workers[i]; w.Like > 0 {
			first = cmp.Or(first, w)
			count++
		}
	}
	if count == 0 {
		return ""
	}
	return fmt.Sprintf("%d GPUs that the machine does not have, %s for one, are copies of device %d", count, first.Name, first.Like-1)
}

// alsoGPUs says that a machine taken from the run of the task graph has GPUs
// where the spec names CPUs only.
func (s *Spec) alsoGPUs(m *platform.Machine) string {
	p := &s.Platform
	if s.again || p.CPUs == nil || p.GPUs != nil || p.StarPU+p.File+p.Run != "" {
		return ""
	}
	gpus := 0
	for _, w := range m.Workers {
		if w.Arch != platform.CPU {
			gpus++
		}
	}
	if gpus == 0 {
		return ""
	}
	return fmt.Sprintf("the machine is that of the run, with %d CPUs and its %d GPUs; gpus: 0 leaves those out", *p.CPUs, gpus)
}

// Most nodes, and most workers of a node.
const (
	maxNodes   = 1 << 16
	maxWorkers = 1 << 16
)

// nodeCount is how many nodes the spec asks for: platform.nodes, else as many as
// the grid of the distribution has, else one. Machines of several nodes have
// theirs.
func (s *Spec) nodeCount() (int, error) {
	p, d := &s.Platform, &s.Workload.Distribution
	if grid := max(int(d.P), 1) * max(int(d.Q), 1); p.Nodes == 0 && grid > 1 {
		if d.P > maxNodes || d.Q > maxNodes || grid > maxNodes {
			return 0, s.errorf(at("workload", "distribution"), "found tiles over %d × %d nodes, want %d nodes at most", d.P, d.Q, maxNodes)
		}
		return grid, nil
	}
	if p.Nodes > maxNodes {
		return 0, s.errorf(at("platform", "nodes"), "found %d nodes, want %d at most", p.Nodes, maxNodes)
	}
	return max(int(p.Nodes), 1), nil
}

// distributed reports whether so many nodes run StarPU-MPI's programs: several do,
// and one that has a network.
func (s *Spec) distributed(nodes int) bool { return nodes > 1 || s.Platform.Network.given() }
