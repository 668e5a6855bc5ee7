package memory

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"dagscope/trace"
)

// Name names a memory manager for readers: "RAM", or the device whose
// memory it is ("CUDA0"), or "disk"; as traced where the run does not tell.
func Name(run *trace.Run, manager int32) string {
	re := &run.Resource
	if manager < 0 {
		return "memory"
	}
	memory := re.Parent[manager]
	if memory < 0 || re.Level.At(int(memory)) != trace.LevelMemory {
		return re.Name.At(int(manager))
	}
	name := ""
	for r, level := range re.Level.Index {
		if re.Level.Dict[level] != trace.LevelWorker || !within(re, int32(r), memory) {
			continue
		}
		if slices.Contains([]string{"cpu", ""}, re.Arch.At(r)) {
			return "RAM"
		}
		if name == "" {
			name = DeviceOf(re, int32(r))
		}
	}
	switch {
	case name != "" || int(memory) >= len(re.Index):
		return cmp.Or(name, re.Name.At(int(manager)))
	case re.Index[memory] == 0:
		return "RAM"
	case re.Index[memory] > 0:
		return "disk" // StarPU has no other memories that nobody works on
	}
	return re.Name.At(int(manager))
}

// within tells whether a resource lies inside another.
func within(re *trace.Resources, r, outer int32) bool {
	for r >= 0 && r != outer {
		r = re.Parent[r]
	}
	return r == outer
}

// DeviceOf is the name of the device of a worker: without its node ("3_") and
// its stream ("_0").
func DeviceOf(re *trace.Resources, worker int32) string {
	name := re.Name.At(int(worker))
	if node := re.Node[worker]; node >= 0 {
		name = TrimNode(name, node)
	}
	if at := strings.LastIndex(name, "_"); at > 0 {
		name = name[:at]
	}
	return name
}

// TrimNode cuts the node's number off a name: "3_" of node 3, which may be
// written with zeros before it ("03_").
func TrimNode(name string, node int32) string {
	digits, rest, ok := strings.Cut(name, "_")
	if n, err := strconv.Atoi(digits); !ok || err != nil || n != int(node) {
		return name
	}
	return rest
}
