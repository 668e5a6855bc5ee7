package spec

import (
	"cmp"
	"fmt"
	"slices"

	"dagscope/predict/platform"
	"dagscope/trace"
)

// nodeRequest is what the spec asks of one node: whose machine it is, and what
// of it is taken.
type nodeRequest struct {
	starPU, host string // sampling directory
	file         string
	run          *trace.Run
	ofGraph      bool // the run is that of the task graph, since no machine is named

	cpus, gpus           *int // nil: as many as there are
	noOpenCL             bool
	gpuMemory, ramMemory Size
	disk                 *Disk
	reserved             int // cores that run no tasks

	files machineFiles
}

// machineFiles are the files of machines that were read; each is read once.
type machineFiles map[string]*platform.Machine

// read is a copy of the machine of a file.
func (f machineFiles) read(file string) (*platform.Machine, error) {
	if f[file] == nil {
		m, err := platform.ReadYAML(file)
		if err != nil {
			return nil, err
		}
		f[file] = m
	}
	return f[file].Clone(), nil
}

// nodeRequest is what the spec asks of every node.
func (s *Spec) nodeRequest(runs recordedRuns) nodeRequest {
	p, o := &s.Platform, &s.Options
	r := nodeRequest{
		starPU: s.path(p.StarPU), host: p.Host, file: s.path(p.File), run: runs.machine, ofGraph: p.Run == "",
		cpus: p.CPUs, gpus: p.GPUs, noOpenCL: p.OpenCL != nil && !*p.OpenCL,
		gpuMemory: o.GPUMemory, ramMemory: o.RAMMemory, disk: o.Disk,
		files: make(machineFiles),
	}
	if nodes, err := s.nodeCount(); err == nil && s.distributed(nodes) {
		r.reserved = 1 // for the thread that sends and receives messages
	}
	return r
}

// differing is what the spec asks of a node with overrides.
func (s *Spec) differing(base nodeRequest, o NodeOverride) nodeRequest {
	r := base
	if o.StarPU+o.File != "" {
		r.starPU, r.host, r.file, r.run, r.cpus, r.gpus, r.noOpenCL = s.path(o.StarPU), "", s.path(o.File), nil, nil, nil, false
	}
	r.host = cmp.Or(o.Host, r.host)
	r.cpus, r.gpus = cmp.Or(o.CPUs, r.cpus), cmp.Or(o.GPUs, r.gpus)
	if o.OpenCL != nil {
		r.noOpenCL = !*o.OpenCL
	}
	r.gpuMemory, r.ramMemory = cmp.Or(o.GPUMemory, r.gpuMemory), cmp.Or(o.RAMMemory, r.ramMemory)
	return r
}

// machine makes one node, and says what of it is a guess.
func (r nodeRequest) machine() (m *platform.Machine, guess string, err error) {
	cpus, gpus := count(r.cpus), count(r.gpus)
	if err := oneOf(r.starPU, r.file, ""); err != nil {
		return nil, "", err
	}
	switch {
	case !plausible(r.cpus):
		return nil, "", keyed{"cpus", errorf("found %d CPUs, want 0 to %d", cpus, maxWorkers)}
	case !plausible(r.gpus):
		return nil, "", keyed{"gpus", errorf("found %d GPUs, want 0 to %d", gpus, maxWorkers)}
	case r.starPU != "":
		m, err = platform.ReadStarPU(r.starPU, r.host, platform.StarPUOptions{
			Reserved: r.reserved, CPUs: cpus, GPUs: gpus, NoOpenCL: r.noOpenCL,
			Disk: int64(r.disk.size()), GPUMemory: int64(r.gpuMemory), RAMMemory: int64(r.ramMemory),
		})
		return m, "", err
	case r.file != "":
		m, err = r.files.read(r.file)
	case r.run != nil:
		m, guess, err = machineOfRun(r.run)
	case gpus > 0:
		return nil, "", errorf("found %d GPUs of no known machine, want starpu, file or run", gpus)
	case cpus < 1:
		return nil, "", errorf("found no machine, want starpu and host, file, run, or cpus")
	default:
		return platform.Plain(cpus), "", nil
	}
	if err == nil && m.Nodes() == 1 {
		err = r.chooseWorkers(m)
	}
	return m, guess, err
}

// plausible reports whether a number of workers can be wanted.
func plausible(n *int) bool { return n == nil || *n >= 0 && *n <= maxWorkers }

// count is a number of workers, -1 for as many as there are.
func count(n *int) int {
	if n == nil {
		return -1
	}
	return *n
}

// size is that of the disk, 0 without one.
func (d *Disk) size() Size {
	if d == nil {
		return 0
	}
	return d.Size
}

// limitMemories limits the memories of a machine that StarPU did not measure,
// for which they are options of reading it.
func (r nodeRequest) limitMemories(m *platform.Machine) error {
	if r.starPU != "" {
		return nil
	}
	disk := false
	for i := range m.Memories {
		mem := &m.Memories[i]
		limit := map[string]Size{platform.GPU: r.gpuMemory, platform.RAM: r.ramMemory, platform.Disk: r.disk.size()}[mem.Kind]
		if limit > 0 {
			mem.Capacity = int64(limit)
		}
		disk = disk || mem.Kind == platform.Disk
	}
	if r.disk != nil && !disk {
		return errorf("found a disk for a machine that has none, want one in its file")
	}
	return nil
}

// chooseWorkers leaves as many workers as are asked for, the first ones, or adds
// some: CPUs are identical, and GPUs are copies of the first one.
func (r nodeRequest) chooseWorkers(m *platform.Machine) error {
	if err := addGPUs(m, count(r.gpus)); err != nil {
		return keyed{"gpus", err}
	}
	addCPUs(m, count(r.cpus))
	if err := trim(m, "CPUs", count(r.cpus)); err != nil {
		return keyed{"cpus", err}
	}
	if err := trim(m, "GPUs", count(r.gpus)); err != nil {
		return keyed{"gpus", err}
	}
	if len(m.Workers) == 0 {
		return errorf("found no worker, want one")
	}
	m.NumberTypes()
	return nil
}

// addGPUs adds copies of the first GPU until there are as many.
func addGPUs(m *platform.Machine, want int) error {
	arch, have := "", 0
	for _, w := range m.Workers {
		if w.Arch != platform.CPU {
			arch = cmp.Or(arch, w.Arch)
			have++
		}
	}
	if have == 0 || have >= want {
		return nil
	}
	more, err := m.AddDevices(arch, want-have)
	if err == nil {
		*m = *more
	}
	return err
}

// addCPUs adds CPUs like the last one until there are as many.
func addCPUs(m *platform.Machine, want int) {
	last, have := -1, 0
	for i, w := range m.Workers {
		if w.Arch == platform.CPU {
			last = i
			have++
		}
	}
	for ; last >= 0 && have < want; have++ {
		w := m.Workers[last]
		w.Device++
		w.Name = fmt.Sprintf("CPU%d", w.Device)
		last++
		m.Workers = slices.Insert(m.Workers, last, w)
	}
}

// trim leaves some CPUs, or some devices; -1 leaves all.
func trim(m *platform.Machine, which string, limit int) error {
	seen := 0
	is := func(w platform.Worker) bool { return (w.Arch == platform.CPU) == (which == "CPUs") }
	for _, w := range m.Workers {
		if is(w) {
			seen++
		}
	}
	if limit > seen {
		return errorf("found %d %s wanted of %d that the machine has", limit, which, seen)
	}
	seen = 0
	m.Workers = slices.DeleteFunc(m.Workers, func(w platform.Worker) bool {
		if is(w) {
			seen++
		}
		return limit >= 0 && is(w) && seen > limit
	})
	return nil
}
