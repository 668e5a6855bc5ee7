package sparse

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/budget"
	"dagscope/internal/text"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const banner = "%%MatrixMarket matrix coordinate real general\n"

func parse(file string) (*Matrix, error) {
	r, err := text.New(strings.NewReader(file), "m.mtx")
	if err != nil {
		return nil, err
	}
	return readMatrix(r, "m.mtx")
}

// show writes a matrix as its size and the rows of each column, from 1.
func show(m *Matrix) string {
	s := fmt.Sprintf("%d×%d", m.Rows, m.Cols)
	for j := range int32(m.Cols) {
		s += " |"
		for _, i := range m.Column(j) {
			s += fmt.Sprint(" ", i+1)
		}
	}
	return s
}

func TestReadMatrix(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"real", banner + "3 2 3\n3 1 1.5\n1 1 -2e-3\n2 2 nan\n", "3×2 | 1 3 | 2"},
		{"integer", "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 -7\n", "2×2 | | 1"},
		{"pattern", "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n", "2×2 | 2 | 1"},
		{"complex", "%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 1 -1\n", "2×2 | | 1"},
		{"symmetric", "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n3 1 1\n3 2 1\n", "3×3 | 1 3 | 3 | 1 2"},
		{"skew", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 1\n", "2×2 | 2 | 1"},
		{"hermitian", "%%MatrixMarket matrix coordinate complex Hermitian\n2 2 1\n2 1 1 0\n", "2×2 | 2 | 1"},
		{"both halves", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 1\n1 2 1\n", "2×2 | 2 | 1"},
		{"duplicates", banner + "2 2 4\n1 2 1\n1 2 1\n2 2 1\n1 2 1\n", "2×2 | | 1 2"},
		{"capitals", "%%MATRIXMARKET MATRIX COORDINATE REAL GENERAL\n1 1 1\n1 1 0\n", "1×1 | 1"},
		{"comments and blanks", banner + "% one\n\n  %two\n2 1 2\n% three\n1 1 1\n\n \t\n2 1 1\n%\n", "2×1 | 1 2"},
		{"crlf", strings.ReplaceAll(banner+"2 1 1\n2 1 1\n", "\n", "\r\n"), "2×1 | 2"},
		{"no newline at the end", banner + "2 1 1\n2 1 1", "2×1 | 2"},
		{"spaces", banner + "  2\t 1  1 \n\t2  1\t 1 \n", "2×1 | 2"},
		{"zero stays", banner + "1 1 1\n1 1 0.0\n", "1×1 | 1"},
		{"no entries", banner + "3 0 0\n", "3×0"},
		{"long comment", banner + "%" + strings.Repeat("x", 1<<20) + "\n1 1 1\n1 1 1\n", "1×1 | 1"},
		{"many empty columns", banner + "1 16777216 1\n1 1 1\n", ""},
	} {
		m, err := parse(c.file)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got := "" + c.want; c.want != "" && show(m) != got {
			t.Errorf("%s: %s, want %s", c.name, show(m), got)
		}
	}
}

func TestReadMatrixErrors(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"nothing", "", "unexpected EOF"},
		{"no size", banner + "% only\n", "unexpected EOF"},
		{"no banner", "3 3 1\n1 1 1\n", `m.mtx:1: found "3 3 1", want "%%MatrixMarket matrix`},
		{"array", "%%MatrixMarket matrix array real general\n1 1\n1\n", "m.mtx:1: found a dense matrix (array), want a sparse one (coordinate)"},
		{"format", "%%MatrixMarket matrix coord real general\n", `found format "coord"`},
		{"field", "%%MatrixMarket matrix coordinate quaternion general\n", `found field "quaternion", want real, integer`},
		{"symmetry", "%%MatrixMarket matrix coordinate real lower\n", `found symmetry "lower", want general`},
		{"vector", "%%MatrixMarket vector coordinate real general\n", `want "%%MatrixMarket matrix`},
		{"two numbers", banner + "3 3\n", `m.mtx:2: found "3 3", want the numbers of rows`},
		{"four numbers", banner + "3 3 1 1\n", "want three numbers"},
		{"negative", banner + "3 -3 1\n", `found "3 -3 1"`},
		{"huge", banner + "3 2147483647 1\n", "want at most 2147483646"},
		{"overflow", banner + "3 99999999999999999999 1\n", "want the numbers of rows"},
		{"square", "%%MatrixMarket matrix coordinate real symmetric\n3 2 0\n", "as many rows as columns"},
		{"outside", banner + "3 2 1\n3 3 1\n", "m.mtx:3: found an entry in row 3, column 3, want rows 1 to 3 and columns 1 to 2"},
		{"row 0", banner + "3 2 1\n0 1 1\n", "found an entry in row 0, column 1"},
		{"words", banner + "3 2 1\none two 1\n", `m.mtx:3: found "one two 1", want a row and a column`},
		{"one index", banner + "3 2 1\n1\n", `found "1", want a row and a column`},
		{"fraction", banner + "3 2 1\n1.5 1 1\n", `found "1.5 1 1"`},
		{"no value", banner + "3 2 1\n1 1\n", `found "1 1", want a row, a column and 1 numbers`},
		{"no number", banner + "3 2 1\n1 1 x\n", `found "1 1 x"`},
		{"value of a pattern", "%%MatrixMarket matrix coordinate pattern general\n3 2 1\n1 1 1\n", "and 0 numbers"},
		{"half complex", "%%MatrixMarket matrix coordinate complex general\n3 2 1\n1 1 1\n", "and 2 numbers"},
		{"too few", banner + "3 2 2\n1 1 1\n", "read matrix m.mtx: found 1 entries, want 2 as declared"},
		{"too many", banner + "3 2 1\n1 1 1\n2 1 1\n", "m.mtx:4: found entry 2, want 1 as declared"},
		{"empty and huge", banner + "2000000000 2000000000 1\n1 1 1\n", "found 2000000000 rows and 2000000000 columns for 1 entries"},
		{"declared only", banner + "3 2 999999999999999999\n1 1 1\n", "found 1 entries, want 999999999999999999"},
		{"zero bytes", banner + "3 2 1\n1 1 \x00\n", "m.mtx"},
	} {
		if _, err := parse(c.file); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

func TestReadCompressed(t *testing.T) {
	var plain, zipped, zst bytes.Buffer
	if err := generated(t, "tf", "9").Write(&plain); err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(&zipped)
	z.Write(plain.Bytes())
	z.Close()
	s, _ := zstd.NewWriter(&zst)
	s.Write(plain.Bytes())
	s.Close()
	want := generated(t, "tf", "9").Matrix()
	for name, data := range map[string][]byte{"TF9.mtx": plain.Bytes(), "TF9.mtx.gz": zipped.Bytes(), "TF9.mtx.zst": zst.Bytes()} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		m, err := ReadMatrix(file)
		if err != nil {
			t.Fatal(err)
		}
		if m.Name != "TF9" || !slices.Equal(m.Row, want.Row) {
			t.Errorf("%s is read as %s, differently", name, m.Name)
		}
	}
	if _, err := ReadMatrix("none.mtx"); err == nil || !strings.Contains(err.Error(), "none.mtx") {
		t.Errorf("error %v of a file that is not there", err)
	}
	damaged := filepath.Join(t.TempDir(), "d.mtx.gz")
	os.WriteFile(damaged, zipped.Bytes()[:zipped.Len()/2], 0o644)
	if _, err := ReadMatrix(damaged); err == nil || !strings.Contains(err.Error(), "d.mtx.gz") {
		t.Errorf("error %v of a damaged file", err)
	}
}

func TestReadPermErrors(t *testing.T) {
	for file, want := range map[string]string{
		"col\n0\n":          "permutation of 1 columns, want 3",
		"col\n0\n1\n1\n":    "found column 1 twice",
		"col\n0\n1\n3\n":    ":4: found column 3, want 0 to 2",
		"col\n0\n1\n2\n0\n": "found more than 3 columns",
		"col\n0,1\n":        `:2: found "0,1", want the number of a column`,
		"perm\n0\n":         `:1: found "perm"`,
	} {
		path := filepath.Join(t.TempDir(), "p.csv")
		if err := os.WriteFile(path, []byte(file), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadPerm(path, 3); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", file, err, want)
		}
	}
}

// FuzzReadMatrix wants a matrix as promised or an error, and an analysis of it.
func FuzzReadMatrix(f *testing.F) {
	f.Add(banner + "3 2 3\n3 1 1.5\n1 1 -2e-3\n2 2 0\n")
	f.Add("%%MatrixMarket matrix coordinate pattern symmetric\n% c\n3 3 2\n3 1\n2 2\n")
	f.Add("%%MatrixMarket matrix coordinate complex hermitian\r\n2 2 1\r\n2 1 1 0\r\n")
	f.Add(banner + "0 0 0\n")
	f.Fuzz(func(t *testing.T, file string) {
		budget.Watch(t)
		m, err := parse(file)
		if err != nil || max(m.Rows, m.Cols) > 1<<12 {
			return
		}
		for j := range int32(m.Cols) {
			last := none
			for _, i := range m.Column(j) {
				if i <= last || int(i) >= m.Rows {
					t.Fatalf("column %d has rows %v of %d", j, m.Column(j), m.Rows)
				}
				last = i
			}
		}
		a, err := Analyze(m, nil, Options{NB: 4, IB: 2})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Program(3); err != nil {
			t.Fatal(err)
		}
	})
}
