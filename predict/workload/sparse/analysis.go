package sparse

import (
	"fmt"
	"math"
)

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
	Entries    int64 // entries of the matrix assembled here
	Zeros      int64 // entries of the block columns, set to zero before assembly
	Flops      int64 // of this front
	Subtree    int64 // flops of this front and all below it
	Allocated  int64 // bytes allocated when it is activated
	Freed      int64 // bytes released when it is deactivated; the rest are factors
}

// Steps is how many columns of the front get a reflector.
func (f *Front) Steps() int32 { return min(f.Rows, f.Cols) }

// FrontColumns is the columns of a front as positions in Order, not to be changed.
func (a *Analysis) FrontColumns(f int32) []int32 {
	at := a.Fronts[f].ColumnAt
	return a.Columns[at : at+int64(a.Fronts[f].Cols)]
}

// FrontStair is the staircase of a front, not to be changed.
func (a *Analysis) FrontStair(f int32) []int32 {
	at := a.Fronts[f].ColumnAt
	return a.Stair[at : at+int64(a.Fronts[f].Cols)]
}

// contribution is the columns that a front leaves to its parent, as positions
// in Order: row i of the contribution begins in the i-th of them.
func (a *Analysis) contribution(f int32) []int32 { return a.FrontColumns(f)[a.Fronts[f].Pivots:] }

// Limits of an analysis, so that a matrix that would fill is refused rather
// than tried.
const maxFrontColumns = int64(1) << 31 // of all fronts together: 16 GiB of lists

// Analyze finds the fronts of the QR factorization of a matrix and what they
// cost. A matrix with fewer rows than columns is transposed first. Perm is the
// order of the columns of the (transposed) matrix: perm[k] is the column that
// comes at place k; nil is their natural order. Missing rank, empty rows and
// empty columns are no errors: fronts then have fewer rows than columns.
func Analyze(m *Matrix, perm []int32, o Options) (*Analysis, error) {
	o, err := o.checked()
	if err != nil {
		return nil, err
	}
	m, transposed := m.Tall()
	if perm == nil {
		perm = byWeight(nil, m.Cols)
	}
	if err := checkPerm(perm, m.Cols); err != nil {
		return nil, fmt.Errorf("analyze %s: %w", m.Name, err)
	}
	a := &Analysis{Name: m.Name, Rows: m.Rows, Cols: m.Cols, Entries: m.Entries(), Transposed: transposed, NB: o.NB, IB: o.IB}
	if err := a.symbolic(m, perm); err != nil {
		return nil, fmt.Errorf("analyze %s: %w", m.Name, err)
	}
	if err := a.costs(); err != nil {
		return nil, fmt.Errorf("analyze %s: %w", m.Name, err)
	}
	return a, nil
}

func (o Options) checked() (Options, error) {
	if o.MB > 0 {
		return o, fmt.Errorf("analyze: found blocks of %d rows, want none: fronts are cut into block columns only (1D), 2D blocks are not built yet", o.MB)
	}
	if o.NB < 0 || o.IB < 0 || max(o.NB, o.IB) > math.MaxInt32 {
		return o, fmt.Errorf("analyze: found block sizes nb %d and ib %d, want positive ones", o.NB, o.IB)
	}
	if o.NB == 0 {
		o.NB = 128
	}
	if o.IB == 0 {
		o.IB = 32
	}
	return o, nil
}

// checkPerm is an error unless perm has each of 0 … n−1 once.
func checkPerm(perm []int32, n int) error {
	if len(perm) != n {
		return fmt.Errorf("found a permutation of %d columns, want %d", len(perm), n)
	}
	seen := make([]bool, n)
	for k, j := range perm {
		if j < 0 || int(j) >= n {
			return fmt.Errorf("found column %d at place %d of the permutation, want 0 to %d", j, k, n-1)
		}
		if seen[j] {
			return fmt.Errorf("found column %d twice in the permutation, again at place %d", j, k)
		}
		seen[j] = true
	}
	return nil
}

// symbolic finds trees, counts and fronts of a matrix with no fewer rows than columns.
func (a *Analysis) symbolic(m *Matrix, perm []int32) error {
	a.Parent = eliminationTree(m, perm)
	a.Count = rowCounts(m, a.Parent, postorder(a.Parent, nil))
	for _, c := range a.Count {
		a.EntriesR += int64(c)
	}
	a.Order = postorder(a.Parent, a.Count)
	nodes := amalgamate(a.Parent, a.Count, a.Order)
	total := int64(0)
	for _, s := range nodes {
		total += int64(s.count)
	}
	if total > maxFrontColumns {
		return fmt.Errorf("found fronts of %d columns together, want at most %d: try another ordering", total, maxFrontColumns)
	}
	a.assemblyTree(m, nodes, total)
	return nil
}
