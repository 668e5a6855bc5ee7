package sparse

import "errors"

// Orderings are the names that Order knows.
var Orderings = []string{"natural", "colamd", "amd", "nd"}

// Order finds an order of the columns of the matrix that is factorized (the
// transpose of m, if m has fewer rows than columns) that keeps R sparse.
func Order(m *Matrix, name string) (perm []int32, err error) {
	return nil, errors.New("order: not built yet")
}

// ReadPerm reads an order of n columns from a file: a header "col", then the
// number of a column, from 0, on each line.
func ReadPerm(file string, n int) (perm []int32, err error) {
	return nil, errors.New("read permutation: not built yet")
}
