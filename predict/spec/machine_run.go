package spec

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"dagscope/predict/platform"
	"dagscope/trace"
)

// errSeveral says that what each node of a run is cannot be known from it.
var errSeveral = errors.New("found workers of several nodes, want one, or platform: what a node is, nodes, network")

// machineOfRun makes the machine that a run of one node was recorded on. A
// simulated run has it; of others it has the workers and memories that the run
// shows, and links and sizes that follow from the run's transfers and copies. It
// also says what of this is a guess, "" if nothing is.
func machineOfRun(run *trace.Run) (m *platform.Machine, guess string, _ error) {
	if p := run.Meta.Platform; p != nil && p.Machine != "" {
		m, err := platform.ParseYAML("machine of the run", []byte(p.Machine))
		return m, "", err
	}
	r := &runMachine{run: run, m: &platform.Machine{Name: "machine of the run"}, memory: make(map[int32]int32)}
	if err := r.memories(); err != nil {
		return nil, "", fmt.Errorf("find machine of run: %w", err)
	}
	r.workers()
	r.links()
	r.capacities()
	r.m.NumberTypes()
	if err := r.m.Validate(); err != nil {
		return nil, "", fmt.Errorf("find machine of run: %w", err)
	}
	return r.m, r.guess(), nil
}

// runMachine is the machine of a run while its memories, workers, links and
// capacities are found, in this order.
type runMachine struct {
	run    *trace.Run
	m      *platform.Machine
	memory map[int32]int32 // by resource of a memory node or its manager
	number []int32         // of the runtime, by memory

	isCalibrated  bool    // some links are as the runtime had measured them
	hostBandwidth float64 // what all transfers from and to RAM share, bytes per second
}

// memories takes the memory nodes in the runtime's order.
func (r *runMachine) memories() error {
	re := &r.run.Resource
	var rows []int32
	for i := range re.Parent {
		if re.Node[i] > 0 && re.Level.At(i) == trace.LevelWorker {
			return errSeveral
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
