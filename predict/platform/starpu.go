package platform

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// StarPUOptions say which part of a machine is used. Capacities and sizes are
// in bytes.
type StarPUOptions struct {
	// CPUs and GPUs are numbers of workers, -1 for what StarPU takes: all CUDA
	// devices (4 at most, as it is built by default), and a CPU worker for each
	// core that no device's driver needs. GPUs that the host does not have are
	// copies of the first (AddDevices).
	CPUs, GPUs int
	// NoOpenCL leaves devices alone that CUDA does not use. By default StarPU
	// starts OpenCL workers on them, which hold a core each and run what has
	// OpenCL models.
	NoOpenCL bool
	// Reserved cores run no CPU worker: StarPU-MPI's thread for messages has one.
	// It counts where CPUs is -1.
	Reserved             int
	Disk                 int64 // size of a disk to swap to; 0 for none, -1 for unlimited
	GPUMemory, RAMMemory int64 // 0 for the device's own less a tenth, and for unlimited
}

// Limits that StarPU is built with by default.
const (
	mostCUDA = 4
	mostCPUs = 64
)

// ReadStarPU reads what StarPU measured of a host: bus/HOST.platform.v4.xml (or
// platform.xml of old versions), .bandwidth and .latency in its sampling
// directory, and .config where the platform names no hosts of a kind. Memories
// and workers are numbered as StarPU does: RAM, CUDA devices, OpenCL devices,
// disk; workers of CUDA, OpenCL, CPUs.
func ReadStarPU(dir, host string, o StarPUOptions) (*Machine, error) {
	if host == "" || host != filepath.Base(host) {
		return nil, fmt.Errorf("read platform: found host %q, want the name of one of %s", host, strings.Join(hosts(dir), ", "))
	}
	bus := filepath.Join(dir, "bus")
	return readHost(os.DirFS(bus), bus, host, o)
}

// readHost reads the files of a host; dir is the name of the directory in
// messages.
func readHost(files fs.FS, dir, host string, o StarPUOptions) (*Machine, error) {
	r := &starpuReader{files: files, dir: dir, host: host, o: o, m: &Machine{Name: host}}
	err := r.read()
	if err == nil && o.GPUs > r.cuda {
		err = r.extend(o.GPUs - r.cuda)
	}
	if err != nil {
		return nil, fmt.Errorf("read platform of %s: %w", host, err)
	}
	return r.m, nil
}

// extend adds devices that the host does not have; each takes a core for its
// driver.
func (r *starpuReader) extend(more int) (err error) {
	if r.o.CPUs < 0 {
		cpus := min(max(r.cores-r.o.Reserved-len(r.m.Workers)+r.cpus()-more, 0), mostCPUs)
		r.m.Workers = r.m.Workers[:len(r.m.Workers)-r.cpus()+min(cpus, r.cpus())]
	}
	r.m, err = r.m.AddDevices(CUDA, more)
	return err
}

// cpus counts CPU workers, which come last.
func (r *starpuReader) cpus() (n int) {
	for _, w := range r.m.Workers {
		if w.Arch == CPU {
			n++
		}
	}
	return n
}

// hosts lists the hosts of a sampling directory.
func hosts(dir string) []string {
	files, _ := filepath.Glob(filepath.Join(dir, "bus", "*.bandwidth"))
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), ".bandwidth")
	}
	return files
}

type starpuReader struct {
	files     fs.FS
	dir, host string
	o         StarPUOptions
	m         *Machine
	xml       *simgrid
	file      string         // the platform file
	hosts     map[string]int // by name
	raw       []int32        // of each memory its row in the matrices, -1 for a disk
	cores     int
	cuda      int // devices that exist
	opencl    int
}

func (r *starpuReader) read() error {
	if err := r.readXML(); err != nil {
		return err
	}
	if err := r.readConfig(); err != nil {
		return err
	}
	if err := r.addDevices(); err != nil {
		return err
	}
	if err := r.addDisk(); err != nil {
		return err
	}
	r.m.allocate()
	r.m.setTypes()
	if err := r.addLinks(); err != nil {
		return err
	}
	if err := r.readMatrices(); err != nil {
		return err
	}
	return r.m.Validate()
}

// readXML reads the newest platform file that there is.
func (r *starpuReader) readXML() error {
	var text []byte
	err := fs.ErrNotExist
	for _, ending := range []string{".platform.v4.xml", ".platform.xml"} {
		if r.file, text, err = r.open(ending); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		found := hosts(filepath.Dir(r.dir))
		return fmt.Errorf("found no %s, want the file of one of these hosts: %s", r.file, cmp.Or(strings.Join(found, ", "), "none in this directory"))
	}
	if err != nil {
		return err
	}
	if r.xml, err = readSimGrid(r.file, text); err != nil {
		return err
	}
	return r.countHosts()
}

// countHosts counts cores and devices: hosts CPU0, CPU1, …
func (r *starpuReader) countHosts() error {
	r.hosts = map[string]int{}
	for i, h := range r.xml.hosts {
		if _, twice := r.hosts[h.name]; twice {
			return fmt.Errorf("read %s: found host %s twice", r.file, h.name)
		}
		r.hosts[h.name] = i
	}
	if _, ok := r.hosts["RAM"]; !ok {
		return fmt.Errorf("read %s: found no host RAM, want one", r.file)
	}
	count := func(prefix string) (n int) {
		for ; ; n++ {
			if _, ok := r.hosts[prefix+strconv.Itoa(n)]; !ok {
				return n
			}
		}
	}
	r.cores, r.cuda, r.opencl = count("CPU"), count("CUDA"), count("OpenCL")
	return nil
}

// readConfig takes the number of cores from the configuration where the
// platform has none.
func (r *starpuReader) readConfig() error {
	if r.cores > 0 {
		return nil
	}
	file, text, err := r.open(".config")
	if err != nil {
		return err
	}
	for i, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		n, err := strconv.Atoi(line)
		if err != nil || n < 1 || n > mostHosts {
			return fmt.Errorf("read %s:%d: found %q, want the number of CPUs", file, i+1, line)
		}
		r.cores = n
		return nil
	}
	return fmt.Errorf("read %s: found no number, want the number of CPUs", file)
}

// addDevices adds memories and workers in StarPU's order.
func (r *starpuReader) addDevices() error {
	r.m.Memories = []Memory{{Name: "RAM", Kind: RAM, Capacity: max(r.o.RAMMemory, 0)}}
	r.raw = []int32{0}
	gpus := r.o.GPUs
	switch {
	case gpus < 0:
		gpus = min(r.cuda, mostCUDA)
	case gpus > r.cuda && r.cuda == 0:
		return fmt.Errorf("found no CUDA device in %s, want %d", r.file, gpus)
	}
	gpus = min(gpus, r.cuda)
	for d := range gpus {
		if err := r.addDevice("CUDA", CUDA, d, fmt.Sprintf("CUDA%d_0", d)); err != nil {
			return err
		}
	}
	for d := gpus; d < r.opencl && !r.o.NoOpenCL; d++ {
		if err := r.addDevice("OpenCL", OpenCL, d, fmt.Sprintf("OpenCL%d", d)); err != nil {
			return err
		}
	}
	cpus := r.o.CPUs
	if cpus < 0 {
		cpus = min(max(r.cores-r.o.Reserved-len(r.m.Workers), 0), mostCPUs)
	}
	if cpus > mostHosts {
		return fmt.Errorf("found %d CPUs asked for, want %d at most", cpus, mostHosts)
	}
	r.m.addCPUs(0, cpus)
	return nil
}

// addDevice adds the memory and the worker of a device.
func (r *starpuReader) addDevice(prefix, arch string, device int, worker string) error {
	name := prefix + strconv.Itoa(device)
	props := r.xml.hosts[r.hosts[name]].props
	capacity, err := r.capacity(name, props["memsize"])
	if err != nil {
		return err
	}
	peer, _ := strconv.Atoi(props["memcpy_peer"])
	row := 1 + device // RAM, CUDA devices, OpenCL devices
	if arch == OpenCL {
		row += r.cuda
	}
	memory := int32(len(r.m.Memories))
	r.m.Memories = append(r.m.Memories, Memory{Name: name, Kind: GPU, Device: int32(device), Arch: arch, Capacity: capacity, Peer: peer != 0})
	r.raw = append(r.raw, int32(row))
	r.m.Workers = append(r.m.Workers, Worker{Name: worker, Arch: arch, Device: int32(device), Memory: memory, Speed: relativeSpeed[arch]})
	return nil
}

// capacity is what StarPU uses of a device: nine tenths of its MiB.
func (r *starpuReader) capacity(name, size string) (int64, error) {
	if r.o.GPUMemory > 0 || size == "" {
		return max(r.o.GPUMemory, 0), nil
	}
	bytes, err := strconv.ParseInt(strings.TrimSpace(size), 10, 64)
	if err != nil || bytes < 0 {
		return 0, fmt.Errorf("read %s: found memsize %q of %s, want bytes", r.file, size, name)
	}
	return int64(float64(bytes>>20)*0.9) << 20, nil
}

// addDisk adds the disk that StarPU swaps to.
func (r *starpuReader) addDisk() error {
	if r.o.Disk == 0 {
		return nil
	}
	if _, ok := r.hosts["DISK0"]; !ok {
		return fmt.Errorf("read %s: found no host DISK0, want one for a disk", r.file)
	}
	r.m.Memories = append(r.m.Memories, Memory{Name: "DISK0", Kind: Disk, Capacity: max(r.o.Disk, 0)})
	r.raw = append(r.raw, -1)
	return nil
}
