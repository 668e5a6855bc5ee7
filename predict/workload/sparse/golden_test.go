package sparse

import (
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dagscope/internal/testenv"

	"github.com/klauspost/compress/gzip"
)

// golden is a file or folder of the golden data, compressed or not.
func golden(t testing.TB, elements ...string) string {
	t.Helper()
	return testenv.Reference(t, append([]string{"data/sparse"}, elements...)...)
}

// readText reads a file, gzip or not.
func readText(t *testing.T, file string) string {
	t.Helper()
	if _, err := os.Stat(file); err != nil {
		file += ".gz"
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var src io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		if src, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	text, err := io.ReadAll(src)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// readTable reads a CSV file, gzip or not, as rows of fields by name.
func readTable(t *testing.T, file string) []map[string]string {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(readText(t, file))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]map[string]string, 0, len(records)-1)
	for _, r := range records[1:] {
		row := map[string]string{}
		for k, name := range records[0] {
			row[name] = r[k]
		}
		rows = append(rows, row)
	}
	return rows
}

func number(t *testing.T, s string) int64 {
	t.Helper()
	v, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// goldenMatrix reads a matrix of the golden data.
func goldenMatrix(t testing.TB, name string) *Matrix {
	t.Helper()
	m, err := ReadMatrix(golden(t, "matrices", name+".mtx"))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestGolden compares with the real solver (qr_mumps 2.0) and with CSparse on
// every matrix, ordering, block size and number of threads there is.
func TestGolden(t *testing.T) {
	for _, symbolic := range testenv.References(t, "data/sparse/ref/*/*/symbolic.csv*") {
		dir := filepath.Dir(symbolic)
		name := filepath.Base(filepath.Dir(dir))
		t.Run(name+"/"+filepath.Base(dir), func(t *testing.T) {
			slowMatrix(t, name)
			compareGolden(t, goldenMatrix(t, name), dir)
		})
	}
}

// slowMatrix leaves matrices with more than some ten thousand rows to the slow
// tests.
func slowMatrix(t *testing.T, name string) {
	t.Helper()
	if slices.Contains([]string{"TF15", "TF16", "TF17", "kneser_8_3_1", "lap2d_200", "tf 15", "tf 16", "tf 17", "kneser 8 3"}, name) {
		testenv.Slow(t)
	}
}

func compareGolden(t *testing.T, m *Matrix, dir string) {
	tall, _ := m.Tall()
	perm, err := ReadPerm(filepath.Join(dir, "perm.csv"), tall.Cols)
	if err != nil {
		t.Fatal(err)
	}
	runs, _ := filepath.Glob(dir + "/qrm_nb*_nth*")
	if len(runs) == 0 {
		t.Fatal("no runs of the solver")
	}
	for k, run := range runs {
		nb, threads, _ := strings.Cut(strings.TrimPrefix(filepath.Base(run), "qrm_nb"), "_nth")
		a, err := Analyze(m, perm, Options{NB: int(number(t, nb)), IB: 32})
		if err != nil {
			t.Fatal(err)
		}
		if k == 0 {
			compareSymbolic(t, a, perm, readTable(t, filepath.Join(dir, "symbolic.csv")))
			compareOrder(t, a.Order, filepath.Join(dir, "cperm.txt"))
			compareOrder(t, a.RowOrder, filepath.Join(dir, "rperm.txt"))
		}
		compareFronts(t, a, a.Prune(int(number(t, threads))), readTable(t, filepath.Join(run, "fronts.csv")))
		compareSummary(t, a, a.Prune(int(number(t, threads))), readTable(t, filepath.Join(run, "summary.txt"))[0])
	}
}

func compareSymbolic(t *testing.T, a *Analysis, perm []int32, want []map[string]string) {
	t.Helper()
	if len(want) != a.Cols {
		t.Fatalf("%d columns, want %d", a.Cols, len(want))
	}
	at := positions(perm)
	for k, row := range want {
		parent := int64(none)
		if p := a.Parent[perm[k]]; p != none {
			parent = int64(at[p])
		}
		if parent != number(t, row["parent"]) || int64(a.Count[perm[k]]) != number(t, row["colcount"]) {
			t.Fatalf("column %d: parent %d, count %d, want %s, %s", k, parent, a.Count[perm[k]], row["parent"], row["colcount"])
		}
	}
}

// compareOrder compares with a list of numbers from 1.
func compareOrder(t *testing.T, got []int32, file string) {
	t.Helper()
	want := strings.Fields(readText(t, file))
	if len(want) != len(got) {
		t.Fatalf("%d in order, want %d as in %s", len(got), len(want), file)
	}
	for k := range got {
		if int64(got[k])+1 != number(t, want[k]) {
			t.Fatalf("%d at place %d, want %s as in %s", got[k]+1, k, want[k], file)
		}
	}
}

func compareFronts(t *testing.T, a *Analysis, p *Pruning, want []map[string]string) {
	t.Helper()
	if len(want) != len(a.Fronts) {
		t.Fatalf("%d fronts, want %d", len(a.Fronts), len(want))
	}
	got := a.FrontTable(p)
	for k, row := range want {
		for c, name := range FrontColumnNames {
			if got[k][c] != number(t, row[name]) {
				t.Fatalf("front %d: %s is %d, want %s", k+1, name, got[k][c], row[name])
			}
		}
	}
}

func compareSummary(t *testing.T, a *Analysis, p *Pruning, want map[string]string) {
	t.Helper()
	if got := strconv.FormatInt(a.Flops, 10); got != strings.TrimSpace(want["flops_est"]) {
		t.Errorf("%s flops, want %s", got, want["flops_est"])
	}
	if got := strconv.FormatInt(p.Peak, 10); got != strings.TrimSpace(want["mempeak_est_bytes"]) {
		t.Errorf("peak %s, want %s", got, want["mempeak_est_bytes"])
	}
}
