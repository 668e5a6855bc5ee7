package chart

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"dagscope/internal/csvhead"
)

// Table is a table of texts with a name for each column.
type Table struct {
	Columns []string
	Rows    [][]string
}

// ReadTable reads values separated by commas, semicolons or tabs, whose first
// line names the columns ([csvhead.ReadRows]).
func ReadTable(r io.Reader) (*Table, error) {
	rows, err := csvhead.ReadRows(r)
	if err != nil {
		return nil, fmt.Errorf("read table: %w", err)
	}
	return &Table{Columns: rows[0], Rows: rows[1:]}, nil
}

// column finds a column by name.
func (t *Table) column(name string) (int, error) {
	i := slices.Index(t.Columns, name)
	if i < 0 {
		return 0, fmt.Errorf("find column: found no %q, want one of %s", name, strings.Join(t.Columns, ", "))
	}
	return i, nil
}

// maxCells is how many cells are drawn at most.
const maxCells = 1 << 18

// Grid is a value over two parameters.
type Grid struct {
	X, Y, Value string      // names of the columns
	XS, YS      []string    // what the parameters are, ascending
	Cell        [][]float64 // [y][x], NaN where there is no value
	Repeated    int         // max number of rows that a cell is the median of
}

// Grid arranges a column of values by two columns of parameters. Where several
// rows have the same parameters, as of repeated measurements, their median
// counts; empty values are left out.
func (t *Table) Grid(x, y, value string) (*Grid, error) {
	g := &Grid{X: x, Y: y, Value: value}
	var at [3]int
	for i, name := range []string{x, y, value} {
		var err error
		if at[i], err = t.column(name); err != nil {
			return nil, err
		}
	}
	g.XS, g.YS = t.distinct(at[0]), t.distinct(at[1])
	if n := len(g.XS) * len(g.YS); n > maxCells {
		return nil, fmt.Errorf("arrange table: found %d values of %s and %d of %s, want at most %d cells", len(g.XS), x, len(g.YS), y, maxCells)
	}
	column, line := places(g.XS), places(g.YS)
	cells := make([][][]float64, len(g.YS))
	for i := range cells {
		cells[i] = make([][]float64, len(g.XS))
	}
	for i, row := range t.Rows {
		text := strings.TrimSpace(row[at[2]])
		if text == "" {
			continue
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, fmt.Errorf("read row %d of the table: found %q in column %s, want a number", i+1, text, value)
		}
		c := &cells[line[row[at[1]]]][column[row[at[0]]]]
		*c = append(*c, v)
	}
	return g, g.fill(cells)
}

// places are where texts are in a list.
func places(all []string) map[string]int {
	at := make(map[string]int, len(all))
	for i, s := range all {
		at[s] = i
	}
	return at
}

// fill takes the median of each cell.
func (g *Grid) fill(cells [][][]float64) error {
	found := false
	for _, row := range cells {
		line := make([]float64, len(row))
		for x, all := range row {
			line[x] = median(all)
			g.Repeated = max(g.Repeated, len(all))
			found = found || len(all) > 0
		}
		g.Cell = append(g.Cell, line)
	}
	if !found {
		return fmt.Errorf("arrange table: found no value in column %s", g.Value)
	}
	return nil
}

// distinct are the texts of a column: by number if all are numbers, else in the
// order of the rows.
func (t *Table) distinct(column int) (all []string) {
	seen := map[string]bool{}
	number := map[string]float64{}
	for _, row := range t.Rows {
		s := row[column]
		if seen[s] {
			continue
		}
		seen[s] = true
		all = append(all, s)
		if v, err := strconv.ParseFloat(strings.TrimSpace(s), 64); err == nil {
			number[s] = v
		}
	}
	if len(number) == len(all) {
		slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(number[a], number[b]) })
	}
	return all
}

// extremes are the min and the max value and where they are.
type extremes struct {
	low, high        float64
	lowX, lowY       int
	highX, highY     int
	cells, withValue int
}

func (g *Grid) extremes() extremes {
	e := extremes{low: math.Inf(1), high: math.Inf(-1)}
	for y, row := range g.Cell {
		for x, v := range row {
			e.cells++
			if math.IsNaN(v) {
				continue
			}
			e.withValue++
			if v < e.low {
				e.low, e.lowX, e.lowY = v, x, y
			}
			if v > e.high {
				e.high, e.highX, e.highY = v, x, y
			}
		}
	}
	return e
}
