package workload

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"dagscope/trace"
)

// What a run of a graph is called in its trace, whichever engine writes it.

// GenerationPattern is a regular expression of the kinds of tasks that prepare the
// input, "" without any.
func (g *Graph) GenerationPattern() string {
	var kinds []string
	for _, c := range g.Classes {
		if kind := regexp.QuoteMeta(c.Kind); c.Generation && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return strings.Join(kinds, "|")
}

// HandleKeys names the data: as the program did, or by hexadecimal numbers of
// equal length, whose order is that of the graph.
func (g *Graph) HandleKeys() (keys trace.Strings) {
	n := len(g.Bytes)
	if g.Names != nil {
		for _, name := range g.Names {
			keys.Append(name)
		}
		return keys
	}
	const digits = 8
	text := make([]byte, 0, digits*n)
	for i := range n {
		text = fmt.Appendf(text, "%0*x", digits, i)
	}
	all := string(text) // the keys are substrings: one allocation
	keys.Dict, keys.Index = make([]string, n), make([]int32, n)
	for i := range n {
		keys.Dict[i], keys.Index[i] = all[digits*i:digits*(i+1)], int32(i)
	}
	return keys
}
