package core

import (
	"slices"
	"testing"
)

// A pattern of blocks may name one of their parts.
func TestPatternsOfBlocks(t *testing.T) {
	for pattern, want := range map[string][]string{
		"*":           {"node 0/cpu", "node 0/cuda", "node 1/cuda"},
		"*/*":         {"node 0/cpu", "node 0/cuda", "node 1/cuda"},
		"cuda":        {"node 0/cuda", "node 1/cuda"},
		"node 0":      {"node 0/cpu", "node 0/cuda"},
		"*/cpu":       {"node 0/cpu"},
		"node 1/cuda": {"node 1/cuda"},
		"cpu/*":       nil,
		"nothing":     nil,
	} {
		r := &Rows{Collapse: []string{pattern}}
		var got []string
		for _, block := range []string{"node 0/cpu", "node 0/cuda", "node 1/cuda"} {
			if r.Collapses(block) {
				got = append(got, block)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
}
