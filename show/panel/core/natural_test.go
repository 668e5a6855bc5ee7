package core

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestCompareNatural(t *testing.T) {
	want := []string{"", "CPU0", "CPU1", "CPU2", "CPU09", "CPU010", "CPU10", "CPU11", "CPU100", "CUDA0_0", "CUDA0_1", "CUDA10_0", "a1b2", "a1b10", "a2"}
	got := slices.Clone(want)
	for range 5 {
		slices.Reverse(got)
		slices.SortFunc(got, CompareNatural)
		if !slices.Equal(got, want) {
			t.Fatalf("sorted to %q, want %q", got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[ab]?[0-9]{0,3}[_b]?[0-9]{0,2}`)
		a, b, c := name.Draw(t, "a"), name.Draw(t, "b"), name.Draw(t, "c")
		if CompareNatural(a, b) != -CompareNatural(b, a) || (CompareNatural(a, b) == 0) != (a == b) {
			t.Fatalf("%q and %q have no order", a, b)
		}
		if CompareNatural(a, b) < 0 && CompareNatural(b, c) < 0 && CompareNatural(a, c) >= 0 {
			t.Fatalf("%q < %q < %q, but not the first before the last", a, b, c)
		}
	})
}
