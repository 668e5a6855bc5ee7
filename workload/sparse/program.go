package sparse

import "dagscope/workload"

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
// a sequential run is Pruning.Peak.
type Program struct {
	*Analysis
	*Pruning
	Graph *workload.Graph

	// By task.
	Front []int32 // of Analysis.Fronts
	I     []int32 // Panel, Update: the panel, from 1; Assemble: 1
	J     []int32 // Update, Assemble: the block column, from 1 (of the child, for Assemble: Front is the child)
}

// Program prunes the tree for a number of workers and submits the tasks. It is
// an error when there are more tasks than can be counted.
func (a *Analysis) Program(workers int) (*Program, error) { return nil, nil }

// Kind is the kind of a task.
func (p *Program) Kind(task int32) int32 { return p.Graph.Class[task] }

// Parameters appends the variables by which models tell how long a task takes,
// to be called p1, p2, p3. Panel, Update: MB, rows of the block column; NB, its
// columns; BK, the number of the panel, from 1. Do_subtree: fronts, zeros,
// coefficients. Activate: zeros, coefficients. Assemble: coefficients.
// Deactivate: bytes released. Zeros are entries of fronts set to zero,
// coefficients those added into them.
func (p *Program) Parameters(task int32, to []float64) []float64 { return to }

// Flops is the number of operations of a task, zeros above the staircase left
// out: 0 for kinds that only move data.
func (p *Program) Flops(task int32) int64 { return 0 }
