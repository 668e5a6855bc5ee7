// Package memory answers where the pieces of data of a run were, what the
// managers of its memories did to bring them there, and what that cost
// (docs/design/methods.md, Memory; Nesi 2019, section IV).
//
// A place is a memory as its manager names it: a resource of level
// [trace.LevelMemoryManager]. What this package reads is in StarPU's raw traces,
// and in what `starpu_fxt_tool -memory-states` makes of them.
package memory

import (
	"slices"

	"dagscope/trace"
)

// Needs names the columns that the functions of this package read.
var Needs = []string{
	"resource.parent", "resource.level", "resource.node", "resource.index",
	"handle.key", "handle.node", "handle.name", "handle.bytes", "handle.x", "handle.y", "handle.coordinates", "handle.home",
	"event.kind", "event.resource", "event.time", "event.handle", "event.info", "event.bytes", "event.peer",
	"state.resource", "state.kind", "state.start", "state.end",
	"task.worker", "task.start", "task.end", "task.internal", "task.generation",
	"access.task", "access.handle", "access.mode",
	"transfer.kind", "transfer.from", "transfer.to", "transfer.start", "transfer.end", "transfer.bytes", "transfer.handle",
}

// Events of StarPU's Pajé traces.
const (
	eventOwner        = "data state owner"
	eventShared       = "data state shared"
	eventInvalid      = "data state invalid"
	eventRegistration = "data registration"
	eventEnd          = "data unregistration"
	eventRequest      = "Request Created"
)

// kindsOf finds names in a dictionary; -2 for what it lacks, which no row has.
func kindsOf(s *trace.Strings, names ...string) []int32 {
	out := make([]int32, len(names))
	for i, name := range names {
		if out[i] = int32(slices.Index(s.Dict, name)); out[i] < 0 {
			out[i] = -2
		}
	}
	return out
}

// Places are the memory managers, in the order of their nodes and numbers.
func Places(run *trace.Run) (places []int32) {
	re := &run.Resource
	for r := range re.Parent {
		if re.Level.At(r) == trace.LevelMemoryManager {
			places = append(places, int32(r))
		}
	}
	return places
}

// PlaceOf returns for each resource the manager of the memory that it works on,
// [trace.None] where there is none: for a worker that of its memory node.
func PlaceOf(run *trace.Run) []int32 {
	re := &run.Resource
	of := slices.Repeat([]int32{trace.None}, len(re.Parent))
	for _, p := range Places(run) {
		of[p] = p
		if m := re.Parent[p]; m >= 0 && re.Level.At(int(m)) == trace.LevelMemory {
			of[m] = p
		}
	}
	for r, parent := range re.Parent { // parents come first
		if of[r] == trace.None && parent >= 0 {
			of[r] = of[parent]
		}
	}
	return of
}

// home returns the manager of each memory node of each rank.
func home(run *trace.Run) map[[2]int32]int32 {
	re := &run.Resource
	of := map[[2]int32]int32{}
	for _, p := range Places(run) {
		of[[2]int32{re.Node[p], re.Index[p]}] = p
	}
	return of
}
