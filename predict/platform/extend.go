package platform

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// AddDevices is a machine of one node with more devices of an architecture, each
// a copy of the first of them: its memory, its worker, and the links that only
// its transfers cross. Links that it shares with others carry those of its
// copies, too. To each other, copies have the links that the first has to the
// second, if there is a second one that copies directly. Workers on copies have
// the durations of those on the first.
func (m *Machine) AddDevices(arch string, count int) (*Machine, error) {
	first := slices.IndexFunc(m.Memories, func(mem Memory) bool { return mem.Kind == GPU && mem.Arch == arch })
	switch {
	case m.Nodes() != 1:
		return nil, fmt.Errorf("add devices: found a machine of %d nodes, want one", m.Nodes())
	case first < 0:
		return nil, fmt.Errorf("add devices: found no device of %s, want one to copy", arch)
	case count < 0 || len(m.Memories)+count > mostNodes:
		return nil, fmt.Errorf("add devices: found %d more, want 0 to %d", count, mostNodes-len(m.Memories))
	}
	x := newExtension(m, int32(first), arch, count)
	x.workers()
	x.pairs()
	x.out.setTypes()
	return x.out, x.out.Validate()
}

// extension is a machine that gets copies of a device.
type extension struct {
	m, out   *Machine
	first    int32   // the device that is copied
	peer     int32   // a device that it copies to directly, -1 for none
	like     []int32 // memory that each memory of out is, or is a copy of
	original []int32 // memory of out that each memory is
	name     string  // of devices, without number
	devices  int32
	alone    [][]bool        // by memory of m: links that only its transfers cross
	same     map[int32]int32 // links of first for those that are the peer's alone
	copies   map[[3]int32]int32
}

func newExtension(m *Machine, first int32, arch string, count int) *extension {
	x := &extension{m: m, out: &Machine{Name: m.Name, Links: slices.Clone(m.Links)}, first: first, peer: -1, copies: make(map[[3]int32]int32)}
	last := first
	for i, mem := range m.Memories {
		if mem.Kind == GPU && mem.Arch == arch {
			last, x.devices = int32(i), max(x.devices, mem.Device+1)
			if x.peer < 0 && len(m.Routes[m.Pair(first, int32(i))]) > 0 {
				x.peer = int32(i)
			}
		}
	}
	x.name = strings.TrimSuffix(m.Memories[first].Name, strconv.Itoa(int(m.Memories[first].Device)))
	x.original = make([]int32, len(m.Memories))
	for i := range int32(len(m.Memories)) {
		x.original[i] = int32(len(x.like))
		x.add(m.Memories[i], i)
		for n := range count {
			if i == last {
				copied := m.Memories[first]
				copied.Device = x.devices + int32(n)
				copied.Name = x.name + strconv.Itoa(int(copied.Device))
				x.add(copied, first)
			}
		}
	}
	x.out.allocate()
	x.findAlone()
	return x
}

func (x *extension) add(mem Memory, like int32) {
	x.out.Memories = append(x.out.Memories, mem)
	x.like = append(x.like, like)
}

// findAlone finds the links that only transfers of a memory cross, and which
// links of the first device are what the peer's are to the peer.
func (x *extension) findAlone() {
	x.alone = make([][]bool, len(x.m.Memories))
	for i := range x.alone {
		x.alone[i] = make([]bool, len(x.m.Links))
		for l := range x.alone[i] {
			x.alone[i][l] = true
		}
	}
	for p, route := range x.m.Routes {
		for _, l := range route {
			for i := range x.alone {
				if i != p/len(x.m.Memories) && i != p%len(x.m.Memories) {
					x.alone[i][l] = false
				}
			}
		}
	}
	x.same = make(map[int32]int32)
	if x.peer < 0 {
		return
	}
	ram := x.m.home(0)
	for _, ends := range [][4]int32{{ram, x.peer, ram, x.first}, {x.peer, ram, x.first, ram}} {
		its, mine := x.m.Routes[x.m.Pair(ends[0], ends[1])], x.m.Routes[x.m.Pair(ends[2], ends[3])]
		for i := 0; i < len(its) && len(its) == len(mine); i++ {
			if x.alone[x.peer][its[i]] && x.alone[x.first][mine[i]] {
				x.same[its[i]] = mine[i]
			}
		}
	}
}

// workers puts workers of copies behind those of their architecture.
func (x *extension) workers() {
	last := -1
	for i, w := range x.m.Workers {
		if w.Memory == x.first || x.m.Memories[w.Memory].Kind == GPU && x.m.Memories[w.Memory].Arch == x.m.Memories[x.first].Arch {
			last = i
		}
	}
	for i, w := range x.m.Workers {
		w.Memory = x.original[w.Memory]
		x.out.Workers = append(x.out.Workers, w)
		if i == last {
			x.workersOfCopies()
		}
	}
}

func (x *extension) workersOfCopies() {
	for i, mem := range x.out.Memories {
		if x.like[i] != x.first || int(x.original[x.first]) == i {
			continue
		}
		for _, w := range x.m.Workers {
			if w.Memory != x.first {
				continue
			}
			old := x.m.Memories[x.first].Name
			w.Name = mem.Name + strings.TrimPrefix(w.Name, old)
			w.Device, w.Memory, w.Like = mem.Device, int32(i), x.m.Memories[x.first].Device+1
			x.out.Workers = append(x.out.Workers, w)
		}
	}
}

// pairs makes routes, and what is believed of them.
func (x *extension) pairs() {
	for i := range int32(len(x.like)) {
		for j := range int32(len(x.like)) {
			from, to := x.like[i], x.like[j]
			switch {
			case i == j:
			case from == to && x.peer >= 0 && i < j:
				x.pair(i, j, x.first, x.peer)
			case from == to && x.peer >= 0:
				x.pair(i, j, x.peer, x.first)
			case from != to:
				x.pair(i, j, from, to)
			}
		}
	}
}

// pair copies what a pair of memories has to another.
func (x *extension) pair(i, j, from, to int32) {
	old, p := x.m.Pair(from, to), x.out.Pair(i, j)
	x.out.Bandwidth[p], x.out.Latency[p] = x.m.Bandwidth[old], x.m.Latency[old]
	for _, l := range x.m.Routes[old] {
		x.out.Routes[p] = append(x.out.Routes[p], x.link(l, i, j))
	}
}

// link is what a link is between i and j, of which both, one or none are the
// first device or a copy of it. Of two such, the one that comes first has the
// links that the first device has, the other those of the peer.
func (x *extension) link(l, i, j int32) int32 {
	mine := x.alone[x.first][l]
	if x.like[i] == x.first && x.like[j] == x.first {
		i, j = min(i, j), max(i, j)
		its, known := x.same[l]
		switch {
		case mine && x.alone[x.peer][l]:
			return x.copyOf(l, i, j)
		case known:
			return x.copyOf(its, j, j)
		}
		j = i
	}
	switch {
	case mine && x.like[i] == x.first:
		return x.copyOf(l, i, i)
	case mine && x.like[j] == x.first:
		return x.copyOf(l, j, j)
	}
	return l
}

// copyOf is a link of a device, or between two, the same for all their
// transfers. The first device has its own.
func (x *extension) copyOf(l, i, j int32) int32 {
	if i == j && i == x.original[x.first] {
		return l
	}
	key := [3]int32{l, i, j}
	if found, ok := x.copies[key]; ok {
		return found
	}
	c := x.out.Links[l]
	c.Name = x.linkName(c.Name, i, j)
	x.copies[key] = int32(len(x.out.Links))
	x.out.Links = append(x.out.Links, c)
	return x.copies[key]
}

// linkName names a copy after the devices, where the link is named after them.
func (x *extension) linkName(name string, i, j int32) string {
	a, b := x.out.Memories[i].Name, x.out.Memories[j].Name
	first := x.m.Memories[x.first].Name
	if i != j && x.peer >= 0 {
		peer := x.m.Memories[x.peer].Name
		if strings.Contains(name, first) && strings.Contains(name, peer) {
			return strings.NewReplacer(first, a, peer, b).Replace(name)
		}
		return name + " " + a + "-" + b
	}
	if strings.Contains(name, first) {
		return strings.ReplaceAll(name, first, a)
	}
	return name + " " + a
}
