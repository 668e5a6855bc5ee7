package goldentest

import (
	"strconv"
	"strings"
	"testing"

	"dagscope/explain/internal/golden"
)

func itoa(n int) string { return strconv.Itoa(n) }

func upper(s string) string { return strings.ToUpper(s) }

// kindOf is the name that StarVZ gives to a kind: it strips the prefixes of
// qr_mumps and LAPACK.
func kindOf(kind string) string {
	return strings.TrimPrefix(strings.TrimPrefix(kind, "lapack_"), "qrm_")
}

// compare checks that a table has the values, keyed by columns joined with
// blanks. Values that are missing are 0; none may be missing from the table.
func compare(t *testing.T, want golden.Table, value map[string]float64, column string, key ...string) {
	t.Helper()
	compareWith(t, want, value, func(row int) float64 { return want.Number(row, column) }, key...)
}

func compareWith(t *testing.T, want golden.Table, value map[string]float64, cell func(row int) float64, key ...string) {
	t.Helper()
	bad, seen := 0, 0
	for i := range want.Len() {
		var k []string
		for _, column := range key {
			k = append(k, want.Text(i, column))
		}
		name := strings.Join(k, " ")
		got, ok := value[name]
		if ok {
			seen++
		}
		if !near(got, cell(i)) && bad < 10 {
			bad++
			t.Errorf("%s: %.12g, want %.12g", name, got, cell(i))
		}
	}
	if seen != len(value) {
		t.Errorf("%d of %d values are in the reference", seen, len(value))
	}
}
