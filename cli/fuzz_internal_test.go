package cli

import (
	"testing"

	"dagscope/internal/budget"
)

// FuzzFlags reads the values of flags that have a grammar of their own.
func FuzzFlags(f *testing.F) {
	for _, s := range []string{usualRegion, "MB=3", "MB=9-1,BK=", "gemm=p1*p2+0", "p1^2", "=", "MB=99999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		budget.Watch(t)
		_, _ = readRegion(s)
		if formulas, err := readFormulas([]string{s}); err == nil && len(formulas) != 1 {
			t.Errorf("%q has %d formulas", s, len(formulas))
		}
	})
}
