// Package platform describes machines for the simulator: where data can lie,
// what runs tasks, and through which links data moves. It reads what StarPU
// measured of a machine (its sampling directory) and an own small YAML form.
package platform

// Architectures of workers, as resource.arch has them.
const (
	CPU    = "cpu"
	CUDA   = "cuda"
	OpenCL = "opencl"
	HIP    = "hip"
)

// Kinds of memory nodes.
const (
	RAM  = "ram"
	GPU  = "gpu"
	Disk = "disk"
)

// Machine is one or several nodes with all that simulation needs to know of
// them. Memories and workers are in the runtime's order, node by node: RAM
// first, then devices, then the disk; device workers before CPU workers.
type Machine struct {
	Name     string
	Memories []Memory
	Workers  []Worker
	Links    []Link
	// Routes lists for each source and destination memory (source*len(Memories)+
	// destination) the links that data crosses, in order; a link that is named
	// twice is crossed twice. nil where no direct route exists.
	Routes [][]int32
	// Bandwidth (bytes per second) and Latency (seconds) are what the runtime
	// believes of each pair (index as in Routes; 0 where unknown, bandwidth +Inf
	// for what takes no time): schedulers
	// predict with them, they do not decide how long a transfer takes.
	Bandwidth, Latency []float64
}

// Memory is a memory node.
type Memory struct {
	Name     string // "RAM", "CUDA0", "DISK0"
	Kind     string // RAM, GPU or Disk
	Node     int32  // node of the cluster, 0 on one machine
	Device   int32  // number of the device on its node, 0 for RAM
	Arch     string // of a GPU: CUDA, OpenCL, …
	Capacity int64  // usable bytes, 0 for unlimited
	Peer     bool   // a GPU that copies to other GPUs directly
}

// Worker runs tasks.
type Worker struct {
	Name   string // as StarPU names it: "CUDA0_0", "CPU3"
	Arch   string
	Device int32 // number of its device on its node, that of its core for a CPU
	Memory int32 // memory that its tasks need their data in
	Node   int32
	Speed  float64 // relative speed that schedulers assume where they know no better: 0.5 for a CPU, as StarPU
	Type   int32   // workers of equal Type have equal durations: index into Types()
	// Like is 1 more than the number of the device whose durations a worker has
	// that runs on a copy of it; 0 for its own.
	Like int32
	// Pace divides the durations that models tell: 2 for a core that is twice as
	// fast as those that were measured. 0: 1.
	Pace float64
}

// Link carries data.
type Link struct {
	Name      string
	Bandwidth float64 // bytes per second
	Latency   float64 // seconds
	Fat       bool    // not shared: every transfer has the bandwidth to itself
}

// Type is what the duration of a task depends on.
type Type struct {
	Arch   string
	Device int32 // of a GPU; 0 for CPUs, which are all alike
	Node   int32
	Pace   float64 // as of the worker
}
