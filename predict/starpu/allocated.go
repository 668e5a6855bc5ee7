package starpu

import "dagscope/predict/platform"

// Largest is the size of the largest piece of data, in bytes, that shares a
// block with others where memory is taken in blocks.
const MaxSuballocation = maxSuballocation

// Room is how much of a memory has to be allocated for data at once, in bytes:
// for so much in pieces up to the largest that share blocks, and so much in
// larger ones.
func AllocatedBytes(m *platform.Machine, memory int32, pieces, larger int64) int64 {
	if pieces > 0 && inBlocks(m, memory) {
		pieces = (pieces + blockBytes - 1) / blockBytes * blockBytes
	}
	return pieces + larger
}

// inBlocks says that a memory is taken in blocks: those of GPUs, and RAM that
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
