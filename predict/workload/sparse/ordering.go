package sparse

import (
	"fmt"
	"slices"
	"strings"

	"dagscope/internal/text"
	"dagscope/predict/workload/sparse/internal/order"
)

// Orderings are the names that Order knows: the natural order, approximate
// minimum degree without and with the graph of AᵀA, and nested dissection.
var Orderings = []string{"natural", "colamd", "amd", "nd"}

// Order finds an order of the columns of the matrix that is factorized (the
// transpose of m, if m has fewer rows than columns) that keeps R sparse.
func Order(m *Matrix, name string) (perm []int32, err error) {
	m, _ = m.Tall()
	pattern := order.Pattern{Rows: m.Rows, Cols: m.Cols, ColAt: m.ColAt, Row: m.Row}
	switch name {
	case "natural":
		return order.Natural(pattern), nil
	case "colamd":
		return order.Colamd(pattern), nil
	case "amd":
		return order.AMD(pattern), nil
	case "nd":
		return order.NestedDissection(pattern), nil
	}
	return nil, fmt.Errorf("order columns: found %q, want one of %s", name, strings.Join(Orderings, ", "))
}

// ReadPerm reads an order of n columns from a file, which may be compressed: a
// header "col", then on each line the number of a column, from 0.
func ReadPerm(file string, n int) (perm []int32, err error) {
	r, err := text.Open(file)
	if err != nil {
		return nil, err
	}
	err = r.Blocks(func(block []byte, line int64) error {
		for ; len(block) > 0; line++ {
			var l []byte
			l, block = text.Line(block)
			if perm, err = appendPerm(perm, l, line, n); err != nil {
				return fmt.Errorf("%s:%d: %w", file, line, err)
			}
		}
		return nil
	})
	if err == nil {
		if err = checkPerm(perm, n); err != nil {
			err = fmt.Errorf("%s: %w", file, err)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read permutation: %w", err)
	}
	return slices.Clip(perm), nil
}

// appendPerm reads one line of a permutation.
func appendPerm(perm []int32, l []byte, line int64, n int) ([]int32, error) {
	word := strings.TrimSpace(shown(l))
	if word == "" || line == 1 && word == "col" {
		return perm, nil
	}
	v, rest, ok := mtxInt(l)
	if !ok || len(mtxSpace(rest)) > 0 {
		return nil, fmt.Errorf("found %q, want the number of a column", word)
	}
	if v >= int64(n) {
		return nil, fmt.Errorf("found column %d, want 0 to %d", v, n-1)
	}
	if len(perm) == n {
		return nil, fmt.Errorf("found more than %d columns", n)
	}
	return append(perm, int32(v)), nil
}
