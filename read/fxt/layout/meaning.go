package layout

// Meaning is what values mean that changed between versions.
type Meaning struct {
	kinds map[uint64]string // of workers, by the key of parameter kind
	fetch []string          // types of Pajé links, by parameter prefetch

	// SetCallback: a worker's thread that calls a callback (or the hypervisor)
	// leaves its state and is in Overhead afterwards; else it returns to the
	// state that it had, as all other threads do.
	SetCallback bool
	// OneBarrier: clocks of several ranks are aligned on the first MPI_BARRIER
	// only; else on the first and on the last, with the drift in between.
	OneBarrier bool
	// PlainRanks: prefixes of names have as many digits as the rank ("9_"); else
	// as many as the greatest rank ("09_").
	PlainRanks bool
	// CommAtStart: the container of the communication thread begins when the
	// thread says so; else with the run.
	CommAtStart bool
	// NumaTold: there is an event that says where a task's data lies.
	NumaTold bool
}

// old is what StarPU 1.3 means, recent what 1.4 means.
var (
	old = Meaning{
		kinds: map[uint64]string{
			0x100: "APPS", 0x101: "CPU", 0x102: "CUDA", 0x103: "OPENCL", 0x104: "mic", 0x106: "mpi_ms"},
		fetch:       []string{"F", "PF", "IF"},
		SetCallback: true, OneBarrier: true, PlainRanks: true, CommAtStart: true,
	}
	recent = Meaning{
		kinds: map[uint64]string{
			0x100: "CPU", 0x101: "CUDA", 0x102: "OpenCL", 0x104: "FPGA", 0x105: "MPI_MS", 0x106: "TCPIP_MS", 0x107: "HIP"},
		fetch:    []string{"F", "TF", "PF", "IF"},
		NumaTold: true,
	}
)

// Kind names a kind of worker, as the names of Pajé containers begin ("CPU",
// "CUDA"), by the key that parameter kind has: 0x100 and more. It is false for
// keys that the version has not.
func (m *Meaning) Kind(key uint64) (string, bool) {
	name, ok := m.kinds[key]
	return name, ok
}

// Fetch names the Pajé type of a transfer's link by parameter prefetch: F
// (a task waits for it), TF (a task will need it, since 1.4), PF (prefetch), IF
// (when the bus is idle). It is false for values that the version has not.
func (m *Meaning) Fetch(prefetch uint64) (string, bool) {
	if prefetch >= uint64(len(m.fetch)) {
		return "", false
	}
	return m.fetch[prefetch], true
}
