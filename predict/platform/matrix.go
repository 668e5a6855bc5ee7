package platform

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// matrix is what StarPU writes of pairs of memories, by row the source.
type matrix [][]float64

// mostNodes is the number of memories that a machine may have: matrices of
// pairs stay within memory.
const mostNodes = 4096

// at is an entry, NaN where there is none.
func (m matrix) at(i, j int32) float64 {
	if int(i) >= len(m) || int(j) >= len(m[i]) {
		return math.NaN()
	}
	return m[i][j]
}

// parseMatrix reads the text of a file: a comment, then lines of columns.
func parseMatrix(file, text string) (matrix, error) {
	var m matrix
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(m) == mostNodes || len(fields) > mostNodes {
			return nil, fmt.Errorf("read %s:%d: found more than %d rows or columns", file, i+1, mostNodes)
		}
		row := make([]float64, len(fields))
		for j, f := range fields {
			v, err := strconv.ParseFloat(f, 64)
			if err != nil || v < 0 {
				return nil, fmt.Errorf("read %s:%d: found %q, want a number from 0 or nan", file, i+1, f)
			}
			row[j] = v
		}
		m = append(m, row)
	}
	if len(m) == 0 {
		return nil, fmt.Errorf("read %s: found no number, want a matrix", file)
	}
	return m, nil
}
