package sparse

// triplets are the entries of a matrix in any order.
type triplets struct {
	rows, cols int
	row, col   []int32
	declared   int64 // entries seen, before mirror images
}

func (t *triplets) expect(n int64) {
	t.row, t.col = make([]int32, 0, n), make([]int32, 0, n)
}

func (t *triplets) add(row, col int32) {
	t.row, t.col = append(t.row, row), append(t.col, col)
}

// matrix sorts entries by column and row, and keeps one of each: by rows first,
// so that each column meets its rows in order.
func (t *triplets) matrix() *Matrix {
	byRow := &Matrix{Rows: t.cols, Cols: t.rows, ColAt: offsets(t.row, t.rows), Row: make([]int32, len(t.row))}
	next := append([]int64(nil), byRow.ColAt...)
	for e, i := range t.row {
		byRow.Row[next[i]] = t.col[e]
		next[i]++
	}
	m := byRow.Transpose()
	m.unique()
	return m
}

// offsets is where the elements of each of n buckets begin, once sorted by bucket.
func offsets(bucket []int32, n int) []int64 {
	at := make([]int64, n+1)
	for _, b := range bucket {
		at[b+1]++
	}
	for b := range n {
		at[b+1] += at[b]
	}
	return at
}

// unique drops rows that repeat the one before in their column.
func (m *Matrix) unique() {
	kept := int64(0)
	for j := range int32(m.Cols) {
		column := m.Column(j)
		m.ColAt[j] = kept
		for k, i := range column {
			if k == 0 || i != column[k-1] {
				m.Row[kept] = i
				kept++
			}
		}
	}
	m.ColAt[m.Cols] = kept
	m.Row = m.Row[:kept]
}
