package symptom

import (
	"strings"
	"testing"
)

// What only one of two runs has is named first, whichever comes first; equal runs differ
// in nothing.
func TestContrast(t *testing.T) {
	for name, c := range map[string]struct {
		make func(fault bool) *sketch
		id   string
		says string
	}{
		"a link": {func(fault bool) *sketch {
			return relay(3, func(g int) int { return int(pick(fault && g == 1, 200, 10)) })
		}, "slow-link", "the link RAM–CUDA1"},
		"the links of a node": {func(fault bool) *sketch {
			return talking(4, func(a, b int) int { return int(pick(fault && (a == 2 || b == 2), 400, 40)) })
		}, "slow-link", "the links of node 2"},
		"all links": {func(fault bool) *sketch {
			return talking(4, func(a, b int) int { return int(pick(fault, 400, 40)) })
		}, "slow-network", "all links between nodes"},
		"a worker": {func(fault bool) *sketch {
			return cores(1, 4, 40, func(_, w, _ int) float64 { return pick(fault && w == 2, 1.6, 1) })
		}, "slow-worker", "CPU2 takes 1.6 times"},
		"priorities": {func(fault bool) *sketch { return ordered(int(pick(fault, -1, 1))) }, "bad-priorities", "inverted"},
		"the size of tasks": {func(fault bool) *sketch {
			return cores(1, 4, int(pick(fault, 8, 64)), func(_, _, _ int) float64 { return pick(fault, 16, 1) })
		}, "too-coarse", "256"},
		"where a kind runs": {func(fault bool) *sketch {
			return placed(func(kind string, i int) string { return word(kind == "GEMM" && fault, "cpu", "any") })
		}, "forbidden-placement", "GEMM never runs on cuda"},
	} {
		t.Run(name, func(t *testing.T) {
			good, bad := c.make(false).run(t), c.make(true).run(t)
			if list := Contrast(good, good, [2]string{"A", "B"}); len(list) > 0 {
				t.Errorf("of a run with itself: found %+v, want nothing", list)
			}
			for _, faulty := range []string{"A", "B"} {
				a, b := good, bad
				if faulty == "A" {
					a, b = bad, good
				}
				list := Contrast(a, b, [2]string{"A", "B"})
				if len(list) == 0 || list[0].ID != c.id || list[0].In != faulty || !strings.Contains(list[0].Text, c.says) {
					t.Errorf("%s has the fault: found %+v, want %s with %q first", faulty, list, c.id, c.says)
					continue
				}
				d := Prepare(b, Options{}).Makespan - Prepare(a, Options{}).Makespan
				if x := list[0].Explains; x*sgn(d) <= 0 || x*sgn(d) > d*sgn(d) {
					t.Errorf("%s has the fault: explains %d of %d ns", faulty, x, d)
				}
			}
		})
	}
}
