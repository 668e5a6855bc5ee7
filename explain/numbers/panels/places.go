package panels

import (
	"dagscope/explain/memory"
	"dagscope/trace"
)

// MemoryName names a memory manager for readers, as [memory.Name] does.
func MemoryName(run *trace.Run, manager int32) string { return memory.Name(run, manager) }

// SeveralNodes reports whether a run has several nodes.
func SeveralNodes(run *trace.Run) bool {
	for _, n := range run.Resource.Node {
		if n > 0 {
			return true
		}
	}
	return false
}
