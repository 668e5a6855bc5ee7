package spec

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dagscope/explain/bound"
	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/trace"
)

// machineOfRun makes the machine that a run was recorded on. A simulated run has
// it; of others it has the workers and memories that the run shows, and links and
// sizes that follow from the run's transfers and copies; of several nodes the
// network that follows from their messages. It also says what of this is a guess,
// "" if nothing is.
func machineOfRun(run *trace.Run) (m *platform.Machine, guess string, _ error) {
	if p := run.Meta.Platform; p != nil && p.Machine != "" {
		m, err := platform.ParseYAML("machine of the run", []byte(p.Machine))
		return m, "", err
	}
	nodes := nodesOf(run)
	machines := make([]*platform.Machine, nodes)
	for k := range nodes {
		r := &runMachine{run: run, m: &platform.Machine{Name: "machine of the run"}, memory: make(map[int32]int32), node: int32(k), several: nodes > 1}
		if err := r.find(); err != nil {
			return nil, "", fmt.Errorf("find machine of run: %w", err)
		}
		machines[k] = r.m
		guess = cmp.Or(guess, r.guess())
	}
	if nodes == 1 {
		return machines[0], guess, nil
	}
	net, said, err := networkOfRun(run)
	if err != nil {
		return nil, "", fmt.Errorf("find machine of run: %w", err)
	}
	m, err = platform.Join(machines, net)
	if err != nil {
		return nil, "", fmt.Errorf("find machine of run: %w", err)
	}
	m.Name = "machine of the run"
	return m, strings.TrimPrefix(guess+"; "+said, "; "), nil
}

// nodesOf is how many nodes have workers.
func nodesOf(run *trace.Run) int {
	re, last := &run.Resource, int32(0)
	for i := range re.Parent {
		if re.Level.At(i) == trace.LevelWorker {
			last = max(last, re.Node[i])
		}
	}
	return int(last) + 1
}

// networkOfRun is the network of a run of several nodes: that of its platform,
// else one whose links take as long as the messages that had them to themselves.
func networkOfRun(run *trace.Run) (net platform.Network, said string, _ error) {
	found := bound.FindNetwork(run)
	switch {
	case found.Source == bound.NetworkUnknown:
		return net, "", errors.New("found no message between its nodes that had the network to itself, want some to know the network by, or platform: network: {bandwidth: …, latency: …}")
	case math.IsInf(found.Bandwidth, 1):
		return net, "", errors.New("found messages that take as long whatever their size, want platform: network: {bandwidth: …, latency: …}")
	}
	net = platform.Network{Bandwidth: found.Bandwidth, Latency: found.Latency / 2 * 1e-9} // a message takes two links
	if found.Source == bound.NetworkPlatform {
		return net, "", nil
	}
	mpi := starpu.DefaultMPI()
	took := found.Latency*1e-9 + float64(found.Bytes)/found.Bandwidth // s
	if net.Latency == 0 {
		net.Latency = unknownHop // of one size, messages do not say what of it is latency
	}
	net.Bandwidth = mpi.Fitting(found.Bytes, took, 2*net.Latency)
	slow := slowNodes(run, found.Bandwidth)
	for k, share := range slow {
		if net.Node == nil {
			net.Node = make(map[int]platform.Path)
		}
		net.Node[k] = platform.Path{Bandwidth: mpi.Fitting(found.Bytes, took/share, 2*net.Latency), Latency: net.Latency}
	}
	said = fmt.Sprintf("the network has %.2f GB/s and %.1f µs, as %d messages show that had it to themselves", net.Bandwidth/1e9, 2e6*net.Latency, found.Messages)
	if len(slow) > 0 {
		said += fmt.Sprintf("; less at %d nodes", len(slow))
	}
	return net, said, nil
}

// runMachine is the machine of a run while its memories, workers, links and
// capacities are found, in this order.
type runMachine struct {
	run    *trace.Run
	m      *platform.Machine
	memory map[int32]int32 // by resource of a memory node or its manager

	node    int32 // that it is, of several
	several bool
	number  []int32 // of the runtime, by memory

	hasAgreed     bool    // some links are as fast as several transfers were to the nanosecond
	isCalibrated  bool    // some links are as the runtime had measured them
	hostBandwidth float64 // what all transfers from and to RAM share, bytes per second
}

func (r *runMachine) find() error {
	r.memories()
	r.workers()
	r.nameMemories()
	if len(r.m.Workers) == 0 {
		return fmt.Errorf("found no worker on node %d, want one", r.node)
	}
	r.links()
	r.capacities()
	r.m.NumberTypes()
	return r.m.Validate()
}

// has reports whether a resource is on the node.
func (r *runMachine) has(row int32) bool { return !r.several || r.run.Resource.Node[row] == r.node }

// name is that of a resource without the number of its node, which joined
// machines have.
func (r *runMachine) name(row int32) string {
	name := r.run.Resource.Name.At(int(row))
	if r.several {
		name = strings.TrimPrefix(name, strconv.Itoa(int(r.node))+"_")
	}
	return name
}

// memories takes the memory nodes in the runtime's order.
func (r *runMachine) memories() {
	re := &r.run.Resource
	var rows []int32
	for i := range re.Parent {
		if re.Level.At(i) == trace.LevelMemory && r.has(int32(i)) {
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
		r.m.Memories = append(r.m.Memories, platform.Memory{Name: r.name(row), Kind: kind, Device: int32(max(i-1, 0))})
	}
	if len(rows) == 0 {
		r.m.Memories, r.number = []platform.Memory{{Name: "RAM", Kind: platform.RAM}}, []int32{0}
	}
}

// numbered are names of memories that only count them.
var numbered = regexp.MustCompile(`^MEMNODE\d+$`)

// nameMemories names memories for what they are: RAM, the device whose memory it is,
// or a disk.
func (r *runMachine) nameMemories() {
	for i := range r.m.Memories {
		mem := &r.m.Memories[i]
		if !numbered.MatchString(mem.Name) {
			continue
		}
		switch mem.Kind {
		case platform.RAM:
			mem.Name = "RAM"
		case platform.GPU:
			mem.Name = fmt.Sprintf("%s%d", strings.ToUpper(mem.Arch), mem.Device)
		default:
			mem.Name = fmt.Sprintf("DISK%d", mem.Device)
		}
	}
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
		if re.Level.At(i) == trace.LevelWorker && r.has(int32(i)) {
			rows = append(rows, int32(i))
		}
	}
	slices.SortStableFunc(rows, func(a, b int32) int { return cmp.Compare(re.Index[a], re.Index[b]) })
	cpus := int32(0)
	for _, row := range rows {
		w := platform.Worker{Name: r.name(row), Memory: r.memoryOf(row), Speed: 0.5}
		w.Arch, w.Device = typeOf(re, row)
		if w.Arch == platform.CPU {
			w.Device = cpus
			cpus++
		} else {
			mem := &r.m.Memories[w.Memory]
			if w.Memory > 0 {
				mem.Kind, mem.Arch, mem.Device = platform.GPU, w.Arch, w.Device
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
		if err == nil && n < maxWorkers {
			dev = int32(n)
		}
	}
	return arch, dev
}
