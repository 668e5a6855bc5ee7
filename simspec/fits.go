package simspec

import (
	"dagscope/platform"
	"dagscope/sim"
	"dagscope/workload"
)

// fits reports tasks whose data a memory cannot hold that they may have to run
// in: a scheduler that puts one there waits forever.
func (s *Spec) fits(g *workload.Graph, m *platform.Machine, d sim.Durations, onlyDevices []bool) error {
	home, away := neediest(g)
	types := m.Types()
	for _, w := range m.Workers {
		mem := &m.Memories[w.Memory]
		if mem.Capacity == 0 {
			continue
		}
		for c := range g.Classes {
			if d[c][w.Type] == 0 || onlyDevices != nil && onlyDevices[c] && types[w.Type].Arch == platform.CPU {
				continue
			}
			need := away[c] // what is at home in RAM the program has allocated itself
			if mem.Kind != platform.RAM {
				need += home[c]
			}
			if need > mem.Capacity {
				return s.errorf(s.limitOf(mem), "found %s, which needs %.1f MB of data at once, and %s, which may have to run it and has %.1f MB (sizes of GPUs are nine tenths of what they have); want more memory, or the kind elsewhere (only_cpu, only_gpu)",
					g.Classes[c].Kind, megabytes(need), mem.Name, megabytes(mem.Capacity))
			}
		}
	}
	return nil
}

func megabytes(bytes int64) float64 { return float64(bytes) / 1e6 }

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

// neediest is the most data that a task of each class uses, in bytes: what of
// it is in RAM at the start, and all else. Both are of the task that uses most.
func neediest(g *workload.Graph) (home, away []int64) {
	home, away = make([]int64, len(g.Classes)), make([]int64, len(g.Classes))
	seen := make([]int32, len(g.Bytes)) // task that used it last, from 1
	for i, c := range g.Class {
		var atHome, elsewhere int64
		for x := g.AccessAt[i]; x < g.AccessAt[i+1]; x++ {
			h := g.Handle[x]
			if seen[h] == int32(i)+1 {
				continue
			}
			seen[h] = int32(i) + 1
			if g.Home == nil || g.Home[h] == 0 {
				atHome += g.Bytes[h]
			} else {
				elsewhere += g.Bytes[h]
			}
		}
		if atHome+elsewhere > home[c]+away[c] {
			home[c], away[c] = atHome, elsewhere
		}
	}
	return home, away
}
