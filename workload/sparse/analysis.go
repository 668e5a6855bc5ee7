package sparse

import "errors"

// Options say how fronts are cut. Zero values are the defaults.
type Options struct {
	NB int // columns of a block column; 0: 128
	IB int // inner block size of the kernels; 0: 32
	MB int // rows of a block; only 0 (whole block columns, 1D partitioning) is built
}

// Analysis is what is known of a factorization before it starts, for any
// number of workers. Columns and rows are numbered from 0 as in the matrix that
// is factorized, which is the transpose of the given one if that has fewer rows
// than columns.
type Analysis struct {
	Name       string
	Rows, Cols int // of the matrix that is factorized
	Entries    int64
	Transposed bool
	NB, IB     int

	// By column.
	Parent []int32 // in the elimination tree of AᵀA; -1: a root
	Count  []int32 // entries of the row of R that the column is the pivot of, diagonal included

	// Order is the order in which columns are eliminated: given permutation,
	// postorder of the elimination tree and amalgamation. RowOrder is that of
	// the rows: those of the first front first, those without entries last.
	Order, RowOrder []int32

	// Fronts are the nodes of the assembly tree, children before their parents;
	// the last one is artificial, parent of all roots, and has no columns.
	Fronts []Front

	// The columns of front f are Columns[f.ColumnAt:f.ColumnAt+f.Cols] as
	// positions in Order, ascending, pivots first; Stair, at the same places,
	// is the number of rows whose leftmost column is that one or one before.
	Columns []int32
	Stair   []int32

	EntriesR int64 // of R, sum of Count
	Flops    int64 // of the whole factorization
}

// Front is a dense matrix to be factorized: a node of the assembly tree.
type Front struct {
	Parent     int32 // front that takes its contribution; -1: none, the artificial root
	Pivots     int32 // columns eliminated here
	Cols, Rows int32 // of the dense matrix
	RowsOfA    int32 // rows of the matrix assembled here, after those of earlier fronts in RowOrder
	Children   int32 // number of children
	ColumnAt   int64 // first column in Analysis.Columns
	Flops      int64 // of this front
	Subtree    int64 // flops of this front and all below it
	Allocated  int64 // bytes allocated when it is activated
	Freed      int64 // bytes of them released when it is deactivated; the rest are factors
	Entries    int64 // entries of the matrix assembled here
}

// Analyze finds the fronts of the QR factorization of a matrix and what they
// cost. A matrix with fewer rows than columns is transposed first. Perm is the
// order of the columns of the (transposed) matrix: perm[k] is the column that
// comes at place k; nil is their natural order. Missing rank, empty rows and
// empty columns are no errors: fronts then have fewer rows than columns.
func Analyze(m *Matrix, perm []int32, o Options) (*Analysis, error) {
	return nil, errors.New("analyze: not built yet")
}
