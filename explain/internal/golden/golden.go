// Package golden reads tables and documents of reference values that are no part
// of the repository. Tests are skipped where they are missing.
package golden

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"dagscope/internal/testenv"

	"github.com/klauspost/compress/zstd"
)

// Path returns the path of a file or folder of the reference data, compressed or
// not, and skips the test if there is none.
func Path(t testing.TB, elements ...string) string {
	t.Helper()
	return testenv.Reference(t, append([]string{"data"}, elements...)...)
}

// Table is a CSV file by column name.
type Table struct {
	rows [][]string
	at   map[string]int
}

// CSV reads a table of the reference data, compressed or not.
func CSV(t testing.TB, elements ...string) Table {
	t.Helper()
	f, err := os.Open(Path(t, elements...))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(f.Name(), ".zst") {
		z, err := zstd.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		r = z
	}
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	table := Table{rows: rows[1:], at: map[string]int{}}
	for i, name := range rows[0] {
		table.at[name] = i
	}
	return table
}

// Len is the number of rows.
func (t Table) Len() int { return len(t.rows) }

// Text returns one cell; it panics on a column that does not exist.
func (t Table) Text(row int, column string) string {
	i, ok := t.at[column]
	if !ok {
		panic("golden: no column " + column)
	}
	return t.rows[row][i]
}

// Number returns one cell as a number, 0 where it is empty.
func (t Table) Number(row int, column string) float64 {
	s := t.Text(row, column)
	if s == "" || s == "NA" {
		return 0
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic(err)
	}
	return v
}

// JSON reads a file of the reference data.
func JSON(t testing.TB, into any, elements ...string) {
	t.Helper()
	b, err := os.ReadFile(Path(t, elements...))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatal(err)
	}
}
