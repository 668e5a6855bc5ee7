package sparse

import "fmt"

// maxFlops bounds the work of a factorization, so that sums do not overflow:
// a million TFlop.
const maxFlops = 1e18

// costs finds the operations and the memory of each front.
func (a *Analysis) costs() error {
	for f := range a.Fronts {
		front := &a.Fronts[f]
		front.Flops = frontFlops(front, a.FrontStair(int32(f)), a.IB)
		front.Subtree = min(front.Subtree+front.Flops, maxFlops)
		a.memory(int32(f))
		if front.Parent != none {
			a.Fronts[front.Parent].Subtree = min(a.Fronts[front.Parent].Subtree+front.Subtree, maxFlops)
		}
	}
	if a.Flops = a.Fronts[len(a.Fronts)-1].Subtree; a.Flops >= maxFlops {
		return fmt.Errorf("found more than %.0e flops, want fewer: try another ordering", maxFlops)
	}
	return nil
}

// frontFlops is the operations of factorizing a front panel by panel of ib
// columns, rows below the staircase left out. Sums are cut to integers as
// qr_mumps cuts them, after each addition; they stop at maxFlops.
func frontFlops(front *Front, stair []int32, ib int) int64 {
	flops, steps := int64(0), int(front.Steps())
	for j := 0; j < steps; j += ib {
		k := min(ib, steps-j)
		rows := int(stair[j+k-1]) - j
		flops = int64(float64(flops) + panelFlops(rows, k))
		if right := int(front.Cols) - j - k; right > 0 {
			flops = int64(float64(flops) + updateFlops(rows, right, k))
		}
		if flops >= maxFlops {
			return maxFlops
		}
	}
	return flops
}

// panelFlops is the operations of the QR factorization of an m × k matrix, m ≥
// k (Householder; Blackford 1992 without lower terms). The staircase never
// leaves a panel with fewer rows than columns.
func panelFlops(rows, columns int) float64 {
	m, k := float64(rows), float64(columns)
	return 2 * k * k * (m - k/3)
}

// updateFlops is those of applying k reflectors of some rows to n columns.
func updateFlops(rows, n, k int) float64 {
	return float64(k) * float64(n) * (float64(4*float64(rows)) - float64(k))
}

const (
	realBytes  = 8 // of an element: double precision
	indexBytes = 4 // of a row or column number
)

// memory is what qr_mumps allocates for a front and releases when it is done:
// block columns down to the staircase, copies of the reflectors with their
// triangular factors, work space, and lists of rows and columns. What stays
// is the front's rows of R and its reflectors.
func (a *Analysis) memory(f int32) {
	front := &a.Fronts[f]
	rows, cols, pivots, steps := int64(front.Rows), int64(front.Cols), int64(front.Pivots), int64(front.Steps())
	if steps <= 0 {
		return
	}
	nb, ib := min(int64(a.NB), cols), min(int64(a.IB), steps)
	var data, kept int64
	stair := a.FrontStair(f)
	for from := int64(0); from < cols; from += nb {
		b := blockMemory{from: from, width: min(nb, cols-from), ib: ib, steps: steps, rows: rows}
		b.height = int64(stair[from+b.width-1])
		data += b.allocated()
		front.Zeros += b.height * b.width
		kept += b.reflectors() + b.width*min(pivots, from+b.width)
	}
	work := 2 * nb * rows
	front.Allocated = realBytes*(data+work) + indexBytes*(cols+rows+cols+1+(cols-pivots)+(steps-pivots))
	front.Freed = realBytes * (data - kept + work)
	if front.Freed < 0 { // what is kept is more than what there was: allocated at once
		front.Allocated -= front.Freed
		front.Freed = 0
	}
}

// blockMemory is one block column: width columns beginning with one (from 0),
// height rows down to the staircase. Sizes are in elements.
type blockMemory struct{ from, width, height, ib, steps, rows int64 }

// reaches is whether the block column has reflectors.
func (b *blockMemory) reaches() bool { return b.height > b.from }

func (b *blockMemory) allocated() int64 {
	if !b.reaches() {
		return max(b.height, 0) * b.width
	}
	return b.height*b.width + (b.height-b.from+b.ib)*b.width + b.ib*b.width
}

func (b *blockMemory) reflectors() int64 {
	kept := int64(0)
	if b.from < b.steps {
		kept = b.width * (b.height - b.from)
	}
	if b.reaches() {
		kept += 2 * b.ib * b.width
	}
	return kept
}
