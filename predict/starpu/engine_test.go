package starpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"dagscope/predict/platform"
	"dagscope/predict/workload"
)

// inTurn is a policy that assigns tasks to workers in turn, and checks that their
// data is there when they begin.
type inTurn struct {
	t     *testing.T
	e     *engine
	tasks [][]int32
	next  int32
}

func (p *inTurn) Start(r Runtime) {
	p.e = r.(*engine)
	p.tasks = make([][]int32, r.Workers())
}

func (p *inTurn) Push(task int32) {
	for range p.tasks {
		p.next = (p.next + 1) % int32(len(p.tasks))
		if p.e.Can(task, p.next) {
			break
		}
	}
	w := p.next
	p.e.Prefetch(task, w)
	p.tasks[w] = append(p.tasks[w], task)
	p.e.Wake(w)
}

func (p *inTurn) Pop(worker int32) int32 {
	if len(p.tasks[worker]) == 0 {
		return none
	}
	t := p.tasks[worker][0]
	p.tasks[worker] = p.tasks[worker][1:]
	return t
}

func (p *inTurn) Started(task, worker int32) {
	g, at := p.e.g, p.e.workers[worker].memory
	for x := g.AccessAt[task]; x < g.AccessAt[task+1]; x++ {
		if r := p.e.replicaOf(g.Handle[x], at); r.state == invalid || !r.allocated {
			p.t.Errorf("task %d begins without its data %d", task, g.Handle[x])
		}
	}
	for i, m := range p.e.memories {
		if m.capacity > 0 && m.used > m.capacity {
			p.t.Errorf("memory %d has %d bytes in use, of %d", i, m.used, m.capacity)
		}
	}
}

// devices is a machine of some GPUs with a link each to RAM, one CPU, and so
// much memory on every GPU.
func devices(gpus int, capacity int64) *platform.Machine {
	m := &platform.Machine{Name: "small", Memories: []platform.Memory{{Name: "RAM", Kind: platform.RAM}}}
	for i := range int32(gpus) {
		m.Memories = append(m.Memories, platform.Memory{Name: fmt.Sprint("CUDA", i), Kind: platform.GPU, Device: i, Arch: platform.CUDA, Capacity: capacity})
		m.Workers = append(m.Workers, platform.Worker{Name: fmt.Sprint("CUDA", i, "_0"), Arch: platform.CUDA, Device: i, Memory: i + 1, Speed: 1, Type: 0})
		m.Links = append(m.Links, platform.Link{Name: fmt.Sprint("PCI", i), Bandwidth: 6e9, Latency: 1e-5})
	}
	m.Workers = append(m.Workers, platform.Worker{Name: "CPU0", Arch: platform.CPU, Speed: 0.5, Type: 1})
	n := len(m.Memories)
	m.Routes, m.Bandwidth, m.Latency = make([][]int32, n*n), make([]float64, n*n), make([]float64, n*n)
	for i := range int32(gpus) {
		for _, p := range []int{m.Pair(0, i+1), m.Pair(i+1, 0)} {
			m.Routes[p], m.Bandwidth[p], m.Latency[p] = []int32{i}, 6e9, 1e-5
		}
	}
	return m
}

func TestDataIsThereAndFits(t *testing.T) {
	const mib = 1 << 20
	for seed := range uint64(20) {
		draw := rand.New(rand.NewPCG(seed, 3))
		g := &workload.Graph{AccessAt: []int32{0}, Classes: []workload.Class{{Kind: "A"}, {Kind: "B", Blocking: true}}}
		for range 30 {
			g.Bytes = append(g.Bytes, int64(8+8*draw.IntN(2))*mib)
		}
		for range 200 {
			g.Class = append(g.Class, int32(draw.IntN(2)))
			for _, h := range draw.Perm(30)[:1+draw.IntN(3)] {
				g.Handle = append(g.Handle, int32(h))
				g.Mode = append(g.Mode, []workload.Mode{workload.Read, workload.Write, workload.ReadWrite}[draw.IntN(3)])
			}
			g.AccessAt = append(g.AccessAt, int32(len(g.Handle)))
		}
		for _, capacity := range []int64{0, 320 * mib, 160 * mib} {
			m := devices(1+draw.IntN(3), capacity)
			r, err := Run(g, m, Durations{{1e6, 5e6}, {2e6, 7e6}}, &inTurn{t: t}, DefaultOptions())
			if err != nil {
				t.Fatalf("seed %d, capacity %d: %v", seed, capacity, err)
			}
			for i, peak := range r.Peak {
				if c := m.Memories[i].Capacity; c > 0 && peak > c {
					t.Errorf("seed %d: memory %d has had %d bytes, of %d", seed, i, peak, c)
				}
			}
		}
	}
}

// Every flow crosses a link that is full and gives no other flow more, in
// proportion to its weight: this is what max-min fair means.
func TestWaterFillIsMaxMinFair(t *testing.T) {
	for seed := range uint64(200) {
		draw := rand.New(rand.NewPCG(seed, 4))
		n := &network{links: make([]link, 1+draw.IntN(6))}
		var links []int32
		for i := range n.links {
			n.links[i].bandwidth = float64(1 + draw.IntN(10))
			links = append(links, int32(i))
		}
		var flows []*flow
		for range 1 + draw.IntN(8) {
			f := &flow{latency: float64(1+draw.IntN(3)) / 2}
			for _, l := range draw.Perm(len(links))[:1+draw.IntN(len(links))] {
				f.links, f.times = append(f.links, int32(l)), append(f.times, float64(1+draw.IntN(2)))
				n.links[l].flows = append(n.links[l].flows, f)
			}
			flows = append(flows, f)
		}
		n.waterFill(links, flows)
		for i, f := range flows {
			if !n.fair(t, f) {
				t.Errorf("seed %d: flow %d could have more than %g", seed, i, f.rate)
			}
		}
	}
}

func (n *network) fair(t *testing.T, f *flow) (bottleneck bool) {
	for _, l := range f.links {
		sum, largest := 0.0, 0.0
		for _, other := range n.links[l].flows {
			sum += other.rate * other.crossings(l)
			largest = max(largest, other.rate/other.weight())
		}
		full := n.links[l].bandwidth
		if sum > full*(1+1e-9) {
			t.Errorf("link %d carries %g, of %g", l, sum, full)
		}
		bottleneck = bottleneck || sum > full*(1-1e-9) && f.rate/f.weight() > largest*(1-1e-9)
	}
	return bottleneck
}

// Transfers alone on a machine take its latency and bandwidth, the costs of
// queueing, and two looks by the worker.
func TestTransferAlone(t *testing.T) {
	g := &workload.Graph{
		Classes: []workload.Class{{Kind: "A"}}, Class: []int32{0}, Bytes: []int64{6e6},
		AccessAt: []int32{0, 1}, Handle: []int32{0}, Mode: []workload.Mode{workload.Read},
	}
	o := DefaultOptions()
	o.Record = true
	r, err := Run(g, devices(1, 0), Durations{{1e6, 0}}, &inTurn{t: t}, o)
	if err != nil {
		t.Fatal(err)
	}
	copies := r.e.log.detail.copies
	if len(copies) != 1 {
		t.Fatalf("found %d transfers, want 1", len(copies))
	}
	if got, want := (copies[0].end-copies[0].begin)*1e6, 1000+10+10+2.0; math.Abs(got-want) > 1 {
		t.Errorf("6 MB at 6 GB/s take %.3f µs, want %g", got, want)
	}
}
