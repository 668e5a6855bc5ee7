// Package order finds orderings of the columns of a sparse matrix A that keep
// the factor R of A = QR sparse. R has the pattern of the Cholesky factor of
// AᵀA, but for rank deficiency and cancellation, so that these are orderings
// of the graph of AᵀA, in which each row of A is a clique: minimum degree
// orderings ([Colamd], [AMD]) and nested dissection ([NestedDissection]).
//
// The package takes plain slices and gives permutations: perm[k] is the column
// of A that comes at place k. It is deterministic: the same pattern gives the
// same permutation on every machine.
package order

// Pattern is where a matrix has entries, by columns: those of column j are in
// the rows Row[ColAt[j]:ColAt[j+1]], ascending and each once.
type Pattern struct {
	Rows, Cols int
	ColAt      []int64 // Cols+1 offsets in Row
	Row        []int32
}

// Entries returns the number of entries.
func (p Pattern) Entries() int {
	if p.Cols == 0 {
		return 0
	}
	return int(p.ColAt[p.Cols])
}

// Col returns the rows of column j.
func (p Pattern) Col(j int) []int32 { return p.Row[p.ColAt[j]:p.ColAt[j+1]] }

// Natural keeps the columns where they are.
func Natural(p Pattern) []int32 { return ascending(p.Cols) }
