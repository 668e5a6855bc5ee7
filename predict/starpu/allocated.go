package starpu

import "dagscope/predict/platform"

// MaxSuballocation is the size of the largest data, in bytes, that shares a
// block with others where memory is allocated in blocks.
const MaxSuballocation = maxSuballocation

// AllocatedBytes is how much of a memory node has to be allocated for data that
// is there at once, in bytes: small bytes in data of at most MaxSuballocation
// each, and large bytes in larger data.
func AllocatedBytes(m *platform.Machine, memory int32, small, large int64) int64 {
	if small > 0 && inBlocks(m, memory) {
		small = (small + blockBytes - 1) / blockBytes * blockBytes
	}
	return small + large
}

// inBlocks says that memory is allocated in blocks: on GPUs, and in RAM that
// CUDA copies from.
func inBlocks(m *platform.Machine, memory int32) bool {
	mem := &m.Memories[memory]
	if mem.Kind == platform.GPU {
		return mem.Arch != platform.OpenCL
	}
	cuda := false
	for i := range m.Workers {
		cuda = cuda || m.Workers[i].Arch == platform.CUDA
	}
	return cuda && mem.Kind == platform.RAM
}
