package platform

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"dagscope/internal/yamlform"
)

// yamlBuilder makes a machine of its form.
type yamlBuilder struct {
	y      *yamlNode
	lines  yamlform.Lines
	m      *Machine
	memory map[string]int32
	link   map[string]int32
}

func (b *yamlBuilder) build() error {
	for _, step := range []func() error{b.memories, b.workers, b.links, b.routes, b.believed} {
		if err := step(); err != nil {
			return err
		}
	}
	b.m.setTypes()
	return nil
}

// memories adds the memories in StarPU's order: RAM first, the disk last.
func (b *yamlBuilder) memories() error {
	if !slices.ContainsFunc(b.y.Memories, func(m yamlMemory) bool { return m.Kind == RAM }) {
		b.m.Memories = []Memory{{Name: "RAM", Kind: RAM}}
	}
	b.memory = map[string]int32{}
	for i := range b.y.Memories {
		mem, err := b.y.Memories[i].memory()
		if err == nil && len(b.m.Memories) == mostNodes {
			err = fmt.Errorf("found more than %d memories", mostNodes)
		}
		if err != nil {
			return b.lines.Error(err, "memories", i)
		}
		b.m.Memories = append(b.m.Memories, mem)
	}
	rank := map[string]int{RAM: 0, GPU: 1, Disk: 2}
	slices.SortStableFunc(b.m.Memories, func(a, c Memory) int { return rank[a.Kind] - rank[c.Kind] })
	for i, mem := range b.m.Memories {
		if _, twice := b.memory[mem.Name]; twice {
			return b.lines.Error(fmt.Errorf("found memory %s twice", mem.Name), "memories")
		}
		b.memory[mem.Name] = int32(i)
	}
	b.m.allocate()
	return nil
}

func (y *yamlMemory) memory() (Memory, error) {
	switch {
	case y.Name == "":
		return Memory{}, errors.New("found a memory without name, want one")
	case y.Kind != RAM && y.Kind != GPU && y.Kind != Disk:
		return Memory{}, fmt.Errorf("found kind %q of memory %s, want ram, gpu or disk", y.Kind, y.Name)
	case y.Kind == GPU && y.Arch == "":
		return Memory{}, fmt.Errorf("found GPU %s without arch, want cuda, opencl, …", y.Name)
	case y.Device < 0:
		return Memory{}, fmt.Errorf("found device %d of memory %s, want a number from 0", y.Device, y.Name)
	}
	return Memory{Name: y.Name, Kind: y.Kind, Arch: y.Arch, Device: y.Device, Capacity: int64(y.Capacity), Peer: y.Peer}, nil
}

// named is a memory by its name, RAM for none.
func (b *yamlBuilder) named(name string) (int32, error) {
	if name == "" {
		return b.m.home(0), nil
	}
	if i, ok := b.memory[name]; ok {
		return i, nil
	}
	return 0, fmt.Errorf("found memory %q, want one of %s", name, strings.Join(b.names(), ", "))
}

func (b *yamlBuilder) names() (names []string) {
	for _, m := range b.m.Memories {
		names = append(names, m.Name)
	}
	return names
}

// workers adds the workers, those of devices first.
func (b *yamlBuilder) workers() error {
	for i := range b.y.Workers {
		if err := b.worker(&b.y.Workers[i]); err != nil {
			return b.lines.Error(err, "workers", i)
		}
	}
	slices.SortStableFunc(b.m.Workers, func(a, c Worker) int { return b.place(a) - b.place(c) })
	cores := int32(0)
	seen := map[string]int{}
	for i := range b.m.Workers {
		w := &b.m.Workers[i]
		if w.Arch == CPU {
			w.Device = cores
			cores++
		}
		if w.Name == "" {
			w.Name = w.usualName(seen)
		}
	}
	return nil
}

// place puts workers of devices before CPUs, in the order of memories.
func (b *yamlBuilder) place(w Worker) int {
	if w.Arch == CPU {
		return len(b.m.Memories)
	}
	return int(w.Memory)
}

// usualName is the name that StarPU gives a worker.
func (w *Worker) usualName(seen map[string]int) string {
	upper := map[string]string{CPU: "CPU", CUDA: "CUDA", HIP: "HIP", OpenCL: "OpenCL"}[w.Arch]
	if upper == "" {
		upper = strings.ToUpper(w.Arch)
	}
	name := upper + strconv.Itoa(int(w.Device))
	if w.Arch != CUDA {
		return name
	}
	seen[name]++
	return fmt.Sprintf("%s_%d", name, seen[name]-1)
}

func (b *yamlBuilder) worker(y *yamlWorker) error {
	memory, err := b.named(y.Memory)
	switch {
	case err != nil:
		return err
	case y.Arch == "":
		return errors.New("found a worker without arch, want cpu, cuda, …")
	case y.Count < 0 || y.Count > mostHosts || len(b.m.Workers)+y.Count > mostHosts:
		return fmt.Errorf("found %d workers, want %d at most", y.Count, mostHosts)
	case y.Count > 1 && y.Name != "":
		return fmt.Errorf("found a name for %d workers, want one worker", y.Count)
	case !(y.Speed >= 0) || math.IsInf(y.Speed, 0):
		return fmt.Errorf("found speed %g, want a number above 0", y.Speed)
	case !(y.Pace >= 0) || math.IsInf(y.Pace, 0):
		return fmt.Errorf("found pace %g, want a number above 0", y.Pace)
	}
	w := Worker{Pace: y.Pace, Name: y.Name, Arch: y.Arch, Memory: memory, Device: b.m.Memories[memory].Device, Speed: y.Speed}
	if w.Speed == 0 {
		w.Speed = max(relativeSpeed[y.Arch], relativeSpeed[CPU])
	}
	if y.Like != nil {
		if *y.Like < 0 || *y.Like >= mostHosts {
			return fmt.Errorf("found workers like those of device %d, want a number from 0", *y.Like)
		}
		w.Like = *y.Like + 1
	}
	for range max(y.Count, 1) {
		b.m.Workers = append(b.m.Workers, w)
	}
	return nil
}

// links adds the links, and those that memories have to RAM.
func (b *yamlBuilder) links() error {
	b.link = map[string]int32{}
	for i, l := range b.y.Links {
		if l.Name == "" || l.Bandwidth == 0 {
			return b.lines.Error(errors.New("found a link without name or bandwidth, want both"), "links", i)
		}
		if err := b.addLink(Link{Name: l.Name, Bandwidth: float64(l.Bandwidth), Latency: float64(l.Latency), Fat: l.Fat}); err != nil {
			return b.lines.Error(err, "links", i)
		}
	}
	for i, mem := range b.y.Memories {
		if mem.Link == nil {
			continue
		}
		if err := b.addPath(mem.Name, mem.Link); err != nil {
			return b.lines.Error(err, "memories", i, "link")
		}
	}
	return nil
}

func (b *yamlBuilder) addLink(l Link) error {
	if _, twice := b.link[l.Name]; twice {
		return fmt.Errorf("found link %s twice", l.Name)
	}
	if len(b.m.Links) == mostRoutes {
		return fmt.Errorf("found more than %d links", mostRoutes)
	}
	b.link[l.Name] = int32(len(b.m.Links))
	b.m.Links = append(b.m.Links, l)
	return nil
}

// addPath adds a link each way between RAM and a memory, with its routes.
func (b *yamlBuilder) addPath(name string, path *yamlPath) error {
	if path.Bandwidth == 0 {
		return errors.New("found a link without bandwidth, want one")
	}
	ram := b.m.Memories[b.m.home(0)].Name
	for _, ends := range [][2]string{{ram, name}, {name, ram}} {
		l := Link{Name: ends[0] + "-" + ends[1], Bandwidth: float64(path.Bandwidth), Latency: float64(path.Latency)}
		if err := b.addLink(l); err != nil {
			return err
		}
		b.m.Routes[b.m.Pair(b.memory[ends[0]], b.memory[ends[1]])] = []int32{b.link[l.Name]}
	}
	return nil
}

func (b *yamlBuilder) routes() error {
	hops := 0
	for i, r := range b.y.Routes {
		if hops += len(r.Links); hops > mostHops {
			return b.lines.Error(fmt.Errorf("found more than %d links in routes", mostHops), "routes", i)
		}
		if err := b.route(&r); err != nil {
			return b.lines.Error(err, "routes", i)
		}
	}
	return nil
}

func (b *yamlBuilder) route(r *yamlRoute) error {
	from, err := b.named(r.From)
	to, err2 := b.named(r.To)
	if err = errors.Join(err, err2); err != nil {
		return err
	}
	if from == to || len(r.Links) == 0 {
		return fmt.Errorf("found a route of %d links from %q to %q, want one link at least between two memories", len(r.Links), r.From, r.To)
	}
	links := make([]int32, len(r.Links))
	for i, name := range r.Links {
		l, ok := b.link[name]
		if !ok {
			return fmt.Errorf("found link %q, want one of links", name)
		}
		links[i] = l
	}
	b.m.Routes[b.m.Pair(from, to)] = links
	if r.Both {
		back := slices.Clone(links)
		slices.Reverse(back)
		b.m.Routes[b.m.Pair(to, from)] = back
	}
	return nil
}

// believed fills in what schedulers predict with: what a transfer alone has,
// unless the file says otherwise.
func (b *yamlBuilder) believed() error {
	for p, route := range b.m.Routes {
		if len(route) > 0 {
			b.m.Bandwidth[p], b.m.Latency[p] = b.m.alone(route)
		}
	}
	for i, y := range b.y.Believed {
		from, err := b.named(y.From)
		to, err2 := b.named(y.To)
		if err = errors.Join(err, err2); err != nil {
			return b.lines.Error(err, "believed", i)
		}
		p := b.m.Pair(from, to)
		b.m.Bandwidth[p], b.m.Latency[p] = float64(y.Bandwidth), float64(y.Latency)
	}
	return nil
}
