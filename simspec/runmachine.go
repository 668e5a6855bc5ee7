package simspec

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"

	"dagscope/platform"
	"dagscope/trace"
)

// ofRun makes the machine that a run of one node was recorded on: its workers
// and memories. Links are as fast as the runtime believed, where that was
// found beside the trace, or as the fastest tenth of the recorded transfers of
// each pair of memories; each pair has its own. Capacities are not known.
func ofRun(run *trace.Run, err error) (*platform.Machine, error) {
	if err != nil {
		return nil, err
	}
	r := &runMachine{run: run, m: &platform.Machine{Name: "machine of the run"}, memory: make(map[int32]int32)}
	if err := r.memories(); err != nil {
		return nil, fmt.Errorf("find machine of run: %w", err)
	}
	r.workers()
	r.links()
	number(r.m)
	if err := r.m.Validate(); err != nil {
		return nil, fmt.Errorf("find machine of run: %w", err)
	}
	return r.m, nil
}

type runMachine struct {
	run    *trace.Run
	m      *platform.Machine
	memory map[int32]int32 // by resource of a memory node or its manager
	number []int32         // of the runtime, by memory
}

// memories takes the memory nodes in the runtime's order.
func (r *runMachine) memories() error {
	re := &r.run.Resource
	var rows []int32
	for i := range re.Parent {
		if re.Node[i] > 0 && re.Level.At(i) == trace.LevelWorker {
			return errorf("found workers of several nodes, want one")
		}
		if re.Level.At(i) == trace.LevelMemory {
			rows = append(rows, int32(i))
		}
	}
	slices.SortStableFunc(rows, func(a, b int32) int { return cmp.Compare(re.Index[a], re.Index[b]) })
	for i, row := range rows {
		r.memory[row] = int32(i)
		r.number = append(r.number, re.Index[row])
		kind := platform.Disk // unless a worker computes on it
		if i == 0 {
			kind = platform.RAM
		}
		r.m.Memories = append(r.m.Memories, platform.Memory{Name: re.Name.At(int(row)), Kind: kind, Device: int32(max(i-1, 0))})
	}
	if len(rows) == 0 {
		r.m.Memories, r.number = []platform.Memory{{Name: "RAM", Kind: platform.RAM}}, []int32{0}
	}
	return nil
}

// memoryOf is the memory above a resource, RAM if there is none.
func (r *runMachine) memoryOf(row int32) int32 {
	for ; row != trace.None; row = r.run.Resource.Parent[row] {
		if m, ok := r.memory[row]; ok {
			return m
		}
	}
	return 0
}

// device finds the number of a device in a worker's name, such as CUDA2_0.
var device = regexp.MustCompile(`^(?:\d+_)?[A-Za-z]+(\d+)`)

// workers takes the workers in the runtime's order.
func (r *runMachine) workers() {
	re := &r.run.Resource
	var rows []int32
	for i := range re.Parent {
		if re.Level.At(i) == trace.LevelWorker {
			rows = append(rows, int32(i))
		}
	}
	slices.SortStableFunc(rows, func(a, b int32) int { return cmp.Compare(re.Index[a], re.Index[b]) })
	cpus := int32(0)
	for _, row := range rows {
		w := platform.Worker{Name: re.Name.At(int(row)), Memory: r.memoryOf(row), Speed: 0.5}
		w.Arch, w.Device = typeOf(re, row)
		if w.Arch == platform.CPU {
			w.Device = cpus
			cpus++
		} else {
			mem := &r.m.Memories[w.Memory]
			if w.Memory > 0 {
				mem.Kind, mem.Arch, mem.Device, mem.Peer = platform.GPU, w.Arch, w.Device, true
			}
			w.Speed = deviceSpeed[w.Arch]
		}
		r.m.Workers = append(r.m.Workers, w)
	}
}

// deviceSpeed is what greedy schedulers of StarPU assume.
var deviceSpeed = map[string]float64{platform.CUDA: 13.33, platform.HIP: 13.33, platform.OpenCL: 12.22}

// typeOf is the architecture and the device of a worker of a run.
func typeOf(re *trace.Resources, row int32) (arch string, dev int32) {
	arch = cmp.Or(re.Arch.At(int(row)), platform.CPU)
	if arch == platform.CPU {
		return arch, 0
	}
	if found := device.FindStringSubmatch(re.Name.At(int(row))); found != nil {
		n, err := strconv.Atoi(found[1])
		if err == nil && n < mostWorkers {
			dev = int32(n)
		}
	}
	return arch, dev
}

// links gives each pair of memories a link of its own.
func (r *runMachine) links() {
	n := len(r.m.Memories)
	r.m.Routes = make([][]int32, n*n)
	r.m.Bandwidth, r.m.Latency = make([]float64, n*n), make([]float64, n*n)
	speeds := r.measured()
	for p := range r.m.Routes {
		from, to := p/n, p%n
		if from == to || r.m.Memories[from].Kind == platform.Disk && to != 0 || r.m.Memories[to].Kind == platform.Disk && from != 0 {
			continue
		}
		speed, latency := r.believed(from, to)
		if speed == 0 {
			speed = speeds[p]
		}
		r.m.Links = append(r.m.Links, platform.Link{Name: r.m.Memories[from].Name + "-" + r.m.Memories[to].Name, Bandwidth: speed, Latency: latency})
		r.m.Routes[p] = []int32{int32(len(r.m.Links) - 1)}
		r.m.Bandwidth[p], r.m.Latency[p] = speed, latency
	}
}

// believed is what was found beside the trace, in bytes per second and seconds.
func (r *runMachine) believed(from, to int) (speed, latency float64) {
	at := func(m [][]float64) float64 {
		i, j := int(r.number[from]), int(r.number[to])
		if i < 0 || j < 0 || i >= len(m) || j >= len(m[i]) || !(m[i][j] > 0) || math.IsInf(m[i][j], 0) {
			return 0
		}
		return m[i][j]
	}
	if p := r.run.Meta.Platform; p != nil {
		return at(p.Bandwidth) * 1e6, at(p.Latency) * 1e-6
	}
	return 0, 0
}

// measured is the speed of the fastest tenth of transfers by pair of memories;
// where there are none, that of all.
func (r *runMachine) measured() []float64 {
	n := len(r.m.Memories)
	speeds := make([][]float64, n*n)
	var all []float64
	t := &r.run.Transfer
	for i, bytes := range t.Bytes {
		if bytes <= 0 || t.Start[i] == trace.NoTime || t.End[i] == trace.NoTime || t.End[i] <= t.Start[i] || t.From[i] == trace.None || t.To[i] == trace.None {
			continue
		}
		speed := float64(bytes) / (float64(t.End[i]-t.Start[i]) * 1e-9)
		pair := int(r.memoryOf(t.From[i]))*n + int(r.memoryOf(t.To[i]))
		speeds[pair], all = append(speeds[pair], speed), append(all, speed)
	}
	const unknown = 10e9 // bytes per second
	usual := fastest(all, unknown)
	out := make([]float64, n*n)
	for p := range out {
		out[p] = fastest(speeds[p], usual)
	}
	return out
}

// fastest is the 90th percentile.
func fastest(speeds []float64, none float64) float64 {
	if len(speeds) == 0 {
		return none
	}
	slices.Sort(speeds)
	return speeds[len(speeds)*9/10]
}
