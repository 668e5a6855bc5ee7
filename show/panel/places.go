package panel

import (
	"dagscope/explain/memory"
	"dagscope/trace"
)

// memoryName names a memory manager for readers, as [memory.Name] does.
func memoryName(run *trace.Run, manager int32) string { return memory.Name(run, manager) }

// severalNodes tells whether a run has several nodes.
func severalNodes(run *trace.Run) bool {
	for _, n := range run.Resource.Node {
		if n > 0 {
			return true
		}
	}
	return false
}
