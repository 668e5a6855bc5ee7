package sparse

import (
	"bufio"
	"io"
	"slices"
	"strconv"
)

// Entries is a matrix with its values, as generators make it.
type Entries struct {
	Name    string
	Comment string // what it is
	triplets
	value []float64
}

// put adds an entry. Each place gets at most one.
func (e *Entries) put(row, col int, value float64) {
	e.add(int32(row), int32(col))
	e.value = append(e.value, value)
}

// Matrix is the pattern.
func (e *Entries) Matrix() *Matrix {
	m := e.matrix()
	m.Name = e.Name
	return m
}

// Write writes a Matrix Market file, by columns: integers if all values are.
func (e *Entries) Write(w io.Writer) error {
	field := "integer"
	if slices.ContainsFunc(e.value, func(v float64) bool { return v != float64(int64(v)) }) {
		field = "real"
	}
	out := bufio.NewWriterSize(w, 1<<16)
	line := append([]byte("%%MatrixMarket matrix coordinate "), field+" general\n% "+e.Comment+"\n"...)
	line = appendNumbers(line, int64(e.rows), int64(e.cols), int64(len(e.row)))
	for _, k := range e.sorted() {
		out.Write(append(line, '\n')) // errors stay until Flush
		line = appendNumbers(line[:0], int64(e.row[k])+1, int64(e.col[k])+1)
		line = strconv.AppendFloat(append(line, ' '), e.value[k], 'g', -1, 64)
	}
	out.Write(append(line, '\n'))
	return out.Flush()
}

// sorted lists the entries by column and row.
func (e *Entries) sorted() []int32 {
	order := byWeight(nil, len(e.row))
	slices.SortFunc(order, func(a, b int32) int {
		if d := e.col[a] - e.col[b]; d != 0 {
			return int(d)
		}
		return int(e.row[a] - e.row[b])
	})
	return order
}

// appendNumbers appends numbers with spaces between them.
func appendNumbers(line []byte, numbers ...int64) []byte {
	for k, v := range numbers {
		if k > 0 {
			line = append(line, ' ')
		}
		line = strconv.AppendInt(line, v, 10)
	}
	return line
}
