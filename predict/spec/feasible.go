package spec

import (
	"fmt"
	"slices"

	"dagscope/internal/words"
	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/workload"
)

// feasible reports programs that would never end on the machine: tasks that no
// worker can run, or whose data does not fit.
func (s *Spec) feasible(e engine, m *platform.Machine, p program, g *workload.Graph, t *timing) error {
	if err := s.able(g, m, t); err != nil || e.plain || p.factorization != nil { // which know no data
		return err
	}
	return s.fits(g, m, t)
}

// able reports constraints, or nodes, that leave a kind no worker.
func (s *Spec) able(g *workload.Graph, m *platform.Machine, t *timing) error {
	if g.Node == nil {
		return s.ableHere(g, m, t)
	}
	able := make(map[runner]bool)
	for c := range t.byClass {
		for _, w := range m.Workers {
			if t.runs(c, w.Type, w.Arch) {
				able[runner{int32(c), w.Node}] = true
			}
		}
	}
	for i, c := range g.Class {
		node := g.Node[i]
		if able[runner{c, node}] || !g.HasWork(i) {
			continue
		}
		return s.errorf(at("platform"), "found %s on node %d, none of whose workers can run it, want one, or its data on another node (workload.distribution)", g.Classes[c].Kind, node)
	}
	return nil
}

// ableHere is able of a graph that runs on one node.
func (s *Spec) ableHere(g *workload.Graph, m *platform.Machine, t *timing) error {
	able := make([]bool, len(t.byClass))
	for c := range able {
		able[c] = slices.ContainsFunc(m.Workers, func(w platform.Worker) bool { return w.Node == 0 && t.runs(c, w.Type, w.Arch) })
	}
	for i, c := range g.Class {
		if !able[c] && g.HasWork(i) {
			return s.errorf(at("options"), "found no worker that can run %s as only_cpu and only_gpu say, want one", g.Classes[c].Kind)
		}
	}
	return nil
}

// runner is a class that has to run on a node.
type runner struct{ class, node int32 }

// fits reports tasks whose data a memory cannot hold that they may have to run
// in: a scheduler that puts one there waits forever.
func (s *Spec) fits(g *workload.Graph, m *platform.Machine, t *timing) error {
	largest := demands(g)
	for _, w := range m.Workers {
		mem := &m.Memories[w.Memory]
		for c := range g.Classes {
			if mem.Capacity == 0 || !t.runs(c, w.Type, w.Arch) {
				continue
			}
			if need := largest[c].in(m, w.Memory); need > mem.Capacity {
				return s.errorf(s.limitOf(mem), "found %s, which needs %s at once, and %s, which may have to run it and has %s MB; want more memory, or the kind elsewhere (only_cpu, only_gpu)",
					g.Classes[c].Kind, largest[c].text(need), mem.Name, words.MB(mem.Capacity))
			}
		}
	}
	return nil
}

// limitOf is the key that says how large a memory is.
func (s *Spec) limitOf(mem *platform.Memory) []any {
	switch {
	case mem.Kind == platform.GPU && s.Options.GPUMemory > 0:
		return at("options", "gpu_memory")
	case mem.Kind == platform.RAM && s.Options.RAMMemory > 0:
		return at("options", "ram_memory")
	}
	return at("platform")
}

// demand is how much data a task uses, in bytes.
type demand struct {
	home, away part // in RAM at the start, and all else
}

// part of the data: small pieces, which may share blocks of memory, and larger
// ones.
type part struct{ small, large int64 }

func (p *part) add(bytes int64) {
	if bytes <= starpu.MaxSuballocation {
		p.small += bytes
	} else {
		p.large += bytes
	}
}

func (d *demand) sum() int64 { return d.home.small + d.home.large + d.away.small + d.away.large }

// in is how much of a memory a task needs. What is at home in RAM the program
// has allocated itself.
func (d *demand) in(m *platform.Machine, memory int32) int64 {
	need := d.away
	if m.Memories[memory].Kind != platform.RAM {
		need.small += d.home.small
		need.large += d.home.large
	}
	return starpu.AllocatedBytes(m, memory, need.small, need.large)
}

func (d *demand) text(need int64) string {
	if need == d.sum() {
		return fmt.Sprintf("%s MB of data", words.MB(need))
	}
	return fmt.Sprintf("%s MB of data (%s MB as memory is taken in blocks)", words.MB(d.sum()), words.MB(need))
}

// demands is that of the task of each class that uses most.
func demands(g *workload.Graph) []demand {
	largest := make([]demand, len(g.Classes))
	seen := make([]int32, len(g.Bytes)) // task that used it last, from 1
	for i, c := range g.Class {
		var d demand
		for x := g.AccessAt[i]; x < g.AccessAt[i+1]; x++ {
			h := g.Handle[x]
			if seen[h] == int32(i)+1 {
				continue
			}
			seen[h] = int32(i) + 1
			if g.Home == nil || g.Home[h] == 0 {
				d.home.add(g.Bytes[h])
			} else {
				d.away.add(g.Bytes[h])
			}
		}
		if d.sum() > largest[c].sum() {
			largest[c] = d
		}
	}
	return largest
}
