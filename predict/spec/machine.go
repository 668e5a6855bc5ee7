package spec

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"dagscope/predict/platform"
)

// machine makes the machine. A recorded graph runs on that of its run unless
// the spec says otherwise.
func (s *Spec) machine(b *Simulation, load Loader) (*platform.Machine, error) {
	if s.Options.Disk != nil && s.Options.Disk.Size == 0 {
		return nil, s.errorf(at("options", "disk"), "found a disk of no size, want one such as {size: 20GiB}")
	}
	m, guess, err := s.node(load)
	if err != nil {
		var k keyed
		if errors.As(err, &k) {
			return nil, s.wrap(err, "platform", k.key)
		}
		return nil, s.wrap(err, "platform")
	}
	if guess != "" {
		b.Warnings = append(b.Warnings, guess)
	}
	if gpus := s.alsoGPUs(m); gpus != "" {
		b.Warnings = append(b.Warnings, gpus)
	}
	if err := s.memories(m); err != nil {
		return nil, err
	}
	if m, err = s.cluster(m, load); err != nil {
		return nil, err
	}
	b.Warnings = append(b.Warnings, copies(m)...)
	return m, s.links(m)
}

// copies says which devices are copies of others.
func copies(m *platform.Machine) []string {
	count := 0
	var first *platform.Worker
	for i := range m.Workers {
		if w := &m.Workers[i]; w.Like > 0 {
			first = cmp.Or(first, w)
			count++
		}
	}
	if count == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d GPUs that the machine does not have, %s for one, are copies of device %d", count, first.Name, first.Like-1)}
}

// node makes one node, and says what of it is a guess.
func (s *Spec) node(load Loader) (m *platform.Machine, guess string, err error) {
	p := &s.Platform
	named := 0
	for _, name := range []string{p.StarPU, p.File, p.Run} {
		if name != "" {
			named++
		}
	}
	switch {
	case named > 1:
		return nil, "", errorf("found several of starpu, file and run, want one")
	case !plausible(p.CPUs):
		return nil, "", keyed{"cpus", errorf("found %d CPUs, want 0 to %d", *p.CPUs, mostWorkers)}
	case !plausible(p.GPUs):
		return nil, "", keyed{"gpus", errorf("found %d GPUs, want 0 to %d", *p.GPUs, mostWorkers)}
	case p.StarPU != "":
		m, err = platform.ReadStarPU(s.path(p.StarPU), p.Host, s.starPU())
		return m, "", err
	case p.File != "":
		m, err = platform.ReadYAML(s.path(p.File))
	case p.Run != "":
		m, guess, err = ofRun(load(s.path(p.Run)))
	case s.Workload.Graph != "":
		m, guess, err = ofRun(load(s.path(s.Workload.Graph)))
		if errors.Is(err, errSeveral) && count(p.CPUs) > 0 && count(p.GPUs) <= 0 {
			return platform.Plain(*p.CPUs), "", nil
		}
	case count(p.GPUs) > 0:
		return nil, "", errorf("found %d GPUs of no known machine, want starpu, file or run", count(p.GPUs))
	case count(p.CPUs) < 1:
		return nil, "", errorf("found no machine, want starpu and host, file, run, or cpus")
	default:
		return platform.Plain(*p.CPUs), "", nil
	}
	if err == nil && m.Nodes() == 1 {
		err = s.trimmed(m)
	}
	return m, guess, err
}

// alsoGPUs says that a machine taken from the run of the task graph has GPUs
// where the spec names CPUs only.
func (s *Spec) alsoGPUs(m *platform.Machine) string {
	p := &s.Platform
	if s.again || p.CPUs == nil || p.GPUs != nil || p.StarPU+p.File+p.Run != "" {
		return ""
	}
	gpus := 0
	for _, w := range m.Workers {
		if w.Arch != platform.CPU {
			gpus++
		}
	}
	if gpus == 0 {
		return ""
	}
	return fmt.Sprintf("the machine is that of the run, with %d CPUs and its %d GPUs; gpus: 0 leaves those out", *p.CPUs, gpus)
}

const mostWorkers = 1 << 16

// plausible tells whether a number of workers can be wanted.
func plausible(n *int) bool { return n == nil || *n >= 0 && *n <= mostWorkers }

// starPU are the options of a machine that StarPU measured.
func (s *Spec) starPU() platform.StarPUOptions {
	p, reserved := &s.Platform, 0
	if nodes, err := s.nodes(); err == nil && s.clustered(nodes) {
		reserved = 1 // for the thread that sends and receives messages
	}
	return platform.StarPUOptions{
		Reserved: reserved, CPUs: count(p.CPUs), GPUs: count(p.GPUs), NoOpenCL: p.OpenCL != nil && !*p.OpenCL,
		Disk: int64(s.Options.Disk.size()), GPUMemory: int64(s.Options.GPUMemory), RAMMemory: int64(s.Options.RAMMemory),
	}
}

// size is that of the disk, 0 without one.
func (d *Disk) size() Size {
	if d == nil {
		return 0
	}
	return d.Size
}

// keyed is an error of one key of the platform.
type keyed struct {
	key string
	error
}

// count is a number of workers, -1 for as many as there are.
func count(n *int) int {
	if n == nil {
		return -1
	}
	return *n
}

// memories limits the memories of a machine that StarPU did not measure, for
// which they are options of reading it.
func (s *Spec) memories(m *platform.Machine) error {
	o := &s.Options
	if s.Platform.StarPU != "" {
		return nil
	}
	disk := false
	for i := range m.Memories {
		mem := &m.Memories[i]
		limit := map[string]Size{platform.GPU: o.GPUMemory, platform.RAM: o.RAMMemory, platform.Disk: o.Disk.size()}[mem.Kind]
		if limit > 0 {
			mem.Capacity = int64(limit)
		}
		disk = disk || mem.Kind == platform.Disk
	}
	if o.Disk != nil && !disk {
		return s.errorf(at("options", "disk"), "found a disk for a machine that has none, want one in its file")
	}
	return nil
}

// trimmed leaves as many workers as are asked for, the first ones. CPUs being
// alike, there may be more of them than the machine has.
func (s *Spec) trimmed(m *platform.Machine) error {
	p := &s.Platform
	if err := addGPUs(m, count(p.GPUs)); err != nil {
		return keyed{"gpus", err}
	}
	addCPUs(m, count(p.CPUs))
	if err := trim(m, "CPUs", count(p.CPUs)); err != nil {
		return keyed{"cpus", err}
	}
	if err := trim(m, "GPUs", count(p.GPUs)); err != nil {
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
func trim(m *platform.Machine, which string, most int) error {
	seen := 0
	is := func(w platform.Worker) bool { return (w.Arch == platform.CPU) == (which == "CPUs") }
	for _, w := range m.Workers {
		if is(w) {
			seen++
		}
	}
	if most > seen {
		return errorf("found %d %s wanted of %d that the machine has", most, which, seen)
	}
	seen = 0
	m.Workers = slices.DeleteFunc(m.Workers, func(w platform.Worker) bool {
		if is(w) {
			seen++
		}
		return most >= 0 && is(w) && seen > most
	})
	return nil
}
