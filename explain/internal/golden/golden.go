// Package golden lets tests compare with reference values that are kept beside
// the repository. Tests are skipped where they are not at hand.
package golden

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// Path returns a path below the shared data folder, which lies beside the
// repository, and skips the test if there is nothing.
func Path(t testing.TB, elements ...string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("find the repository: no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
	path := filepath.Join(append([]string{dir, "..", "shared", "data"}, elements...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skip("no reference data: ", err)
	}
	return path
}

// Exists tells whether there is something at a path below the shared data
// folder, and skips the test if that folder is not at hand.
func Exists(t testing.TB, elements ...string) bool {
	t.Helper()
	_, err := os.Stat(filepath.Join(append([]string{Path(t)}, elements...)...))
	return err == nil
}

// Table is a CSV file by column name.
type Table struct {
	rows [][]string
	at   map[string]int
}

// CSV reads a table below the shared data folder, compressed if it ends in
// .zst.
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

// JSON reads a file below the shared data folder.
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
