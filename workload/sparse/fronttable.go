package sparse

// FrontColumnNames are the columns of a table of fronts.
var FrontColumnNames = [...]string{"front", "parent", "npiv_cols", "n", "m", "arows_end", "small", "subtree_flops", "asize", "csize", "torder_pos"}

// FrontTable is the table of fronts as qr_mumps numbers them, from 1, the
// artificial root last: parent, pivots, columns and rows; rows of the matrix
// assembled so far; 0, or the first front of the subtree that is one task
// (positive for its root, negative inside); flops of the subtree; bytes
// allocated and released; and its place in the order of submission.
func (a *Analysis) FrontTable(p *Pruning) [][len(FrontColumnNames)]int64 {
	table := make([][len(FrontColumnNames)]int64, len(a.Fronts))
	rows := int64(0)
	for f := range a.Fronts {
		front := &a.Fronts[f]
		rows += int64(front.RowsOfA)
		table[f] = [...]int64{
			int64(f + 1), int64(front.Parent + 1), int64(front.Pivots), int64(front.Cols), int64(front.Rows), rows,
			int64(p.Small[f]), front.Subtree, p.Allocated[f], p.Freed[f], int64(f + 1),
		}
	}
	return table
}
