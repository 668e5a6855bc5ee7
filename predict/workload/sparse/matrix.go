package sparse

// Matrix is the pattern of a sparse matrix: where its entries are, not what
// they are. Rows of column j are Row[ColAt[j]:ColAt[j+1]], ascending, each once.
type Matrix struct {
	Name       string // what the matrix is called, as a rule its file without extensions
	Rows, Cols int
	ColAt      []int64
	Row        []int32
}

// Entries is the number of entries.
func (m *Matrix) Entries() int64 { return int64(len(m.Row)) }

// Column is the rows of column j, not to be changed.
func (m *Matrix) Column(j int32) []int32 { return m.Row[m.ColAt[j]:m.ColAt[j+1]] }

// Transpose is the matrix with rows and columns exchanged.
func (m *Matrix) Transpose() *Matrix {
	t := &Matrix{Name: m.Name, Rows: m.Cols, Cols: m.Rows, ColAt: make([]int64, m.Rows+1), Row: make([]int32, len(m.Row))}
	for _, i := range m.Row {
		t.ColAt[i+1]++
	}
	for i := range m.Rows {
		t.ColAt[i+1] += t.ColAt[i]
	}
	next := append([]int64(nil), t.ColAt[:m.Rows]...)
	for j := range int32(m.Cols) {
		for _, i := range m.Column(j) {
			t.Row[next[i]] = j
			next[i]++
		}
	}
	return t
}

// Tall is the matrix itself if it has at least as many rows as columns, else
// its transpose: a QR factorization works on that one.
func (m *Matrix) Tall() (tall *Matrix, transposed bool) {
	if m.Rows < m.Cols {
		return m.Transpose(), true
	}
	return m, false
}
