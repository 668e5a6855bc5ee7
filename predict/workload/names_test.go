package workload

import "testing"

func TestGenerationPattern(t *testing.T) {
	g := &Graph{Classes: []Class{{Kind: "init(a)", Generation: true}, {Kind: "gemm"}, {Kind: "init(a)", Generation: true}, {Kind: "fill", Generation: true}}}
	if got, want := g.GenerationPattern(), `init\(a\)|fill`; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
}

func TestHandleKeys(t *testing.T) {
	g := &Graph{Bytes: make([]int64, 18)}
	keys := g.HandleKeys()
	if got := keys.At(17); got != "00000011" {
		t.Errorf("found key %q of handle 17, want 00000011", got)
	}
	g.Names = []string{"b", "a", "b"}
	keys = g.HandleKeys()
	for i, want := range g.Names {
		if got := keys.At(i); got != want {
			t.Errorf("found key %q of handle %d, want %q", got, i, want)
		}
	}
}
