package sparse

import "dagscope/predict/workload"

// Kinds of tasks, as numbers of the classes of a program's graph.
const (
	DoSubtree  int32 = iota // "Do_subtree": factorizes a whole subtree of small fronts, one after another
	Activate                // allocates a front, sets it to zero, assembles rows of the matrix and small children
	Assemble                // adds a block column of a child's contribution to its parent
	Panel                   // factorizes a block column (GEQRT)
	Update                  // applies a panel to a block column on its right (GEMQRT)
	Deactivate              // keeps the factors of a front and releases the rest
)

// KindNames are the names of kinds, by their number.
var KindNames = [...]string{"Do_subtree", "Activate", "Assemble", "Panel", "Update", "Deactivate"}

// Program is a factorization as qr_mumps submits it for a number of workers.
// The graph has one class for each kind, see KindNames; what differs from task
// to task within a class is here. Duration of the graph is left nil.
//
// The graph's memory (StartBytes, EndBytes) is that of the fronts; the peak of
// a sequential run, with the matrix, is Pruning.Peak.
//
// Handles are a symbolic one for each front, then the block columns of all
// fronts that are cut into them, then the copies of their reflectors.
type Program struct {
	*Analysis
	*Pruning
	Graph *workload.Graph

	// By task.
	Front []int32 // of Analysis.Fronts; of Assemble the child
	I     []int32 // Panel, Update: the panel, from 1; Assemble: 1; else 0
	J     []int32 // Update, Assemble: the block column, from 1 (Assemble: of the child); Panel: 1; else 0

	blocks blockTable
	inside []contents // by front: what its Do_subtree or Activate does
}

// Kind is the kind of a task.
func (p *Program) Kind(task int32) int32 { return p.Graph.Class[task] }

// Parameters appends the variables by which models tell how long a task takes,
// to be called p1, p2, p3. Panel, Update: MB, rows of the panel's block column
// down to the staircase; NB, columns of the block column that is written; BK,
// the number of the panel, from 1. Do_subtree: fronts, zeros, coefficients.
// Activate: zeros, coefficients. Assemble: coefficients. Deactivate: bytes
// released. Zeros are entries of fronts set to zero, coefficients those added
// into them.
func (p *Program) Parameters(task int32, to []float64) []float64 {
	f := p.Front[task]
	switch p.Kind(task) {
	case Panel:
		return append(to, float64(p.blocks.height(f, p.I[task])), float64(p.blockWidth(f, p.I[task])), float64(p.I[task]))
	case Update:
		return append(to, float64(p.blocks.height(f, p.I[task])), float64(p.blockWidth(f, p.J[task])), float64(p.I[task]))
	case DoSubtree:
		c := &p.inside[f]
		return append(to, float64(c.fronts), float64(c.zeros), float64(c.coefficients))
	case Activate:
		c := &p.inside[f]
		return append(to, float64(c.zeros), float64(c.coefficients))
	case Assemble:
		return append(to, float64(p.coefficients(f, p.J[task])))
	}
	return append(to, float64(-p.Graph.EndBytes[task]))
}

// Flops is the number of operations of a task, rows below the staircase left
// out: 0 for kinds that only move data.
func (p *Program) Flops(task int32) int64 {
	f := p.Front[task]
	switch p.Kind(task) {
	case DoSubtree:
		return p.Fronts[f].Subtree
	case Panel:
		return p.blocks.of(f, p.I[task]).panel
	case Update:
		return p.blocks.of(f, p.I[task]).update * int64(p.blockWidth(f, p.J[task]))
	}
	return 0
}

// KindCounts is how many tasks of each kind there are.
func (p *Program) KindCounts() (count [len(KindNames)]int) {
	for _, kind := range p.Graph.Class {
		count[kind]++
	}
	return count
}

// contents is what tasks do that touch whole fronts.
type contents struct{ fronts, zeros, coefficients int64 }

// blockWidth is the number of columns of block column j of a front, from 1.
func (p *Program) blockWidth(f, j int32) int32 {
	cols := p.Fronts[f].Cols
	nb := min(int32(p.NB), cols)
	return min(nb, cols-(j-1)*nb)
}

// triangle is the number of entries of the columns from … to−1 of a front's
// contribution, from and to counted in the front.
func (f *Front) triangle(from, to int32) int64 {
	from, to = max(from, f.Pivots), max(to, f.Pivots)
	return f.above(to) - f.above(from)
}

// above is the number of entries of the contribution in columns before to.
func (f *Front) above(to int32) int64 {
	rows := int64(max(f.Steps()-f.Pivots, 0))
	columns := int64(to - f.Pivots)
	full := max(columns-rows, 0)
	rising := columns - full
	return rising*(rising+1)/2 + full*rows
}

// coefficients is those of block column j of a front's contribution.
func (p *Program) coefficients(f, j int32) int64 {
	nb := min(int32(p.NB), p.Fronts[f].Cols)
	return p.Fronts[f].triangle((j-1)*nb, (j-1)*nb+p.blockWidth(f, j))
}
