package spec

import (
	"fmt"

	"dagscope/internal/words"
	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/workload"
)

// fits reports tasks whose data a memory cannot hold that they may have to run
// in: a scheduler that puts one there waits forever.
func (s *Spec) fits(g *workload.Graph, m *platform.Machine, d starpu.Durations, onlyDevices []bool) error {
	most := demands(g)
	types := m.Types()
	for _, w := range m.Workers {
		mem := &m.Memories[w.Memory]
		for c := range g.Classes {
			if mem.Capacity == 0 || d[c][w.Type] == 0 || onlyDevices != nil && onlyDevices[c] && types[w.Type].Arch == platform.CPU {
				continue
			}
			if need := most[c].in(m, w.Memory); need > mem.Capacity {
				return s.errorf(s.limitOf(mem), "found %s, which needs %s at once, and %s, which may have to run it and has %s MB; want more memory, or the kind elsewhere (only_cpu, only_gpu)",
					g.Classes[c].Kind, most[c].text(need), mem.Name, words.MB(mem.Capacity))
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
	if bytes <= starpu.Largest {
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
	return starpu.Room(m, memory, need.small, need.large)
}

func (d *demand) text(need int64) string {
	if need == d.sum() {
		return fmt.Sprintf("%s MB of data", words.MB(need))
	}
	return fmt.Sprintf("%s MB of data (%s MB as memory is taken in blocks)", words.MB(d.sum()), words.MB(need))
}

// demands is that of the task of each class that uses most.
func demands(g *workload.Graph) []demand {
	most := make([]demand, len(g.Classes))
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
		if d.sum() > most[c].sum() {
			most[c] = d
		}
	}
	return most
}
