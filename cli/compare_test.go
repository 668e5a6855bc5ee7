package cli

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"dagscope/explain/compare"
)

// Long names, many rows and missing values keep lines readable.
func TestComparisonFitsTheTerminal(t *testing.T) {
	busy, idle := int64(123_456_789_012), 0.5
	r := &compare.Result{
		A: compare.Summary{Name: strings.Repeat("run-", 30), Makespan: 1_000_000_000_000}, B: compare.Summary{Name: "b", Makespan: 2_000_000_000_000},
		Words: []string{strings.Repeat("word ", 60)}, Bounds: []compare.Bound{{Name: "abe", Delta: compare.Delta{A: &busy}}},
	}
	for i := range 30 {
		name := fmt.Sprintf("starpu_slu_lu_model_kernel_with_a_long_name_%d_openblas", i)
		r.Kinds = append(r.Kinds, compare.Kind{Kind: name, Arch: "opencl", ACount: 1_000_000, BCount: int64(i), ATotal: busy, BTotal: busy / 2, AMedian: busy / 9})
		r.Parts = append(r.Parts, compare.Part{Of: "work", Name: name + " on opencl", A: busy, B: busy})
		r.Workers = append(r.Workers, compare.Worker{Name: name, Arch: "opencl", ABusy: &busy, AIdle: &idle, ATasks: 1_000_000})
		r.Phases = append(r.Phases, compare.Phase{Name: fmt.Sprint("iteration ", i), AT1: busy, BT1: 2 * busy, ANS: busy, BNS: busy + int64(i)})
	}
	var b strings.Builder
	if err := writeComparison(&b, &comparison{Result: r}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(line) - 1; n > 120 {
			t.Errorf("line of %d columns: %s", n, line)
		}
	}
	for _, want := range []string{"and 6 kinds that changed less", "and 14 workers that changed less", "and 10 phases that changed less", "iteration 29", "  area (ABE)"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("found no %q in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "iteration 9 ") {
		t.Error("the phase that changed least of those shown is not among the 20 that changed most")
	}
}

func TestMostChanged(t *testing.T) {
	change := []int64{3, -9, 0, 4, 4}
	at := func(i int) int64 { return change[i] }
	if got := mostChanged(5, 3, at); !reflect.DeepEqual(got, []int{1, 3, 4}) {
		t.Errorf("found %v", got)
	}
	if got := mostChanged(5, 5, at); !reflect.DeepEqual(got, []int{0, 1, 2, 3, 4}) {
		t.Errorf("found %v", got)
	}
}
