package sparse

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"dagscope/internal/budget"
)

// FuzzReadPerm reads orders of columns: each column once, or an error.
//
//fuzz:class file
func FuzzReadPerm(f *testing.F) {
	f.Add("col\n2\n0\n1\n", 3)
	f.Add("0\r\n1\r\n", 2)
	f.Add("", 0)
	path := filepath.Join(f.TempDir(), "perm")
	f.Fuzz(func(t *testing.T, text string, n int) {
		budget.Watch(t)
		n = int(uint(n) % 1000)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		perm, err := ReadPerm(path, n)
		if err != nil {
			return
		}
		slices.Sort(perm)
		for i, p := range perm {
			if int(p) != i || len(perm) != n {
				t.Fatalf("found %v, want each of %d columns once", perm, n)
			}
		}
	})
}
