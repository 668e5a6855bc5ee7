package bound

import (
	"strconv"
	"strings"

	"dagscope/explain/kind"
	"dagscope/internal/words"
	"dagscope/trace"
)

// Names are how the greatest lower bound is called in sentences.
var Names = map[string]string{"abe": "area bound", "cpe": "critical path", "head_tail": "head–tail", "mixed": "mixed", "span": "span"}

// mostKinds is how many kinds a sentence names.
const mostKinds = 4

// NeverRan says what never ran where: "TRSM, SYRK, GEMM never ran on a CPU".
func NeverRan(run *trace.Run, pairs []Placement) string {
	return byArch(run, pairs, func(kinds, arch string) string { return kinds + " never ran on " + arch })
}

// On names placements: "TRSM, SYRK, GEMM on a CPU".
func On(run *trace.Run, pairs []Placement) string {
	return byArch(run, pairs, func(kinds, arch string) string { return kinds + " on " + arch })
}

// byArch makes a clause for each architecture of the pairs, which come by it.
func byArch(run *trace.Run, pairs []Placement, clause func(kinds, arch string) string) string {
	var clauses []string
	for len(pairs) > 0 {
		n := 1
		for n < len(pairs) && pairs[n].Arch == pairs[0].Arch {
			n++
		}
		var names []string
		for _, p := range pairs[:n] {
			names = append(names, run.Task.Kind.Dict[p.Kind])
		}
		if n > mostKinds {
			names = append(names[:mostKinds-1:mostKinds-1], strconv.Itoa(n-mostKinds+1)+" other kinds")
		}
		clauses = append(clauses, clause(words.OneLine(strings.Join(names, ", ")), archWord(kind.ArchName(run, pairs[0].Arch))))
		pairs = pairs[n:]
	}
	return strings.Join(clauses, "; ")
}

// archWord is an architecture in a sentence.
func archWord(arch string) string {
	switch arch {
	case "cpu":
		return "a CPU"
	case "cuda", "hip":
		return "a GPU"
	case "opencl":
		return "an OpenCL device"
	case "":
		return "workers of unknown architecture"
	}
	return words.OneLine(arch)
}
