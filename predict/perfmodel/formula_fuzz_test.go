package perfmodel

import (
	"strings"
	"testing"

	"dagscope/internal/budget"
)

// FuzzFormula reads the terms of linear models.
func FuzzFormula(f *testing.F) {
	for _, s := range []string{"p1^3 + p1^2*p2", "0 + MB*NB^2", "m + 1", "p1^1e3", "+*^", "p99999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		budget.Watch(t)
		for _, names := range [][]string{nil, {"MB", "NB", "m"}} {
			products, err := ParseNamedFormula(s, names)
			if err != nil {
				if !strings.HasPrefix(err.Error(), "read formula") {
					t.Errorf("error %q", err)
				}
				continue
			}
			if len(products) == 0 || len(products) > mostParameters {
				t.Errorf("%q has %d terms", s, len(products))
			}
		}
	})
}
