package order

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const shared = "../../../../shared/data/sparse"

func open(t testing.TB, file string) io.Reader {
	t.Helper()
	f, err := os.Open(file)
	if os.IsNotExist(err) {
		f, err = os.Open(file + ".gz")
		file += ".gz"
	}
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { f.Close() })
	if !strings.HasSuffix(file, ".gz") {
		return f
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// readPattern reads a MatrixMarket file, transposed if it has fewer rows than columns.
func readPattern(t testing.TB, file string) Pattern {
	t.Helper()
	in := bufio.NewScanner(open(t, file))
	in.Scan()
	symmetric := strings.Contains(in.Text(), "symmetric")
	for in.Scan() && strings.HasPrefix(in.Text(), "%") {
	}
	var m, n, entries int
	fmt.Sscan(in.Text(), &m, &n, &entries)
	var at [][2]int32
	for in.Scan() {
		i, j := twoInts(in.Bytes())
		at = append(at, [2]int32{i - 1, j - 1})
		if symmetric && i != j {
			at = append(at, [2]int32{j - 1, i - 1})
		}
	}
	if m < n {
		m, n = n, m
		for k, e := range at {
			at[k] = [2]int32{e[1], e[0]}
		}
	}
	return patternOf(m, n, at)
}

func twoInts(line []byte) (int32, int32) {
	var v [2]int32
	k := 0
	for i, c := range line {
		if c >= '0' && c <= '9' {
			v[k] = v[k]*10 + int32(c-'0')
		} else if i > 0 && line[i-1] != ' ' {
			if k++; k == 2 {
				break
			}
		}
	}
	return v[0], v[1]
}

// patternOf makes a pattern of entries (row, column), in any order.
func patternOf(m, n int, at [][2]int32) Pattern {
	slices.SortFunc(at, func(a, b [2]int32) int {
		if a[1] != b[1] {
			return int(a[1] - b[1])
		}
		return int(a[0] - b[0])
	})
	at = slices.Compact(at)
	p := Pattern{Rows: m, Cols: n, ColAt: make([]int64, n+1), Row: make([]int32, len(at))}
	for k, e := range at {
		p.ColAt[e[1]+1]++
		p.Row[k] = e[0]
	}
	for j := range n {
		p.ColAt[j+1] += p.ColAt[j]
	}
	return p
}

func readPerm(t testing.TB, file string) []int32 {
	t.Helper()
	in := bufio.NewScanner(open(t, file))
	in.Scan()
	var perm []int32
	for in.Scan() {
		v := int32(0)
		for _, c := range in.Bytes() {
			v = v*10 + int32(c-'0')
		}
		perm = append(perm, v)
	}
	return perm
}

var matrices = []string{"lp_afiro", "west0067", "ash219", "kneser_6_2_1", "lp_d2q06c", "TF14", "lp_dfl001", "bcsstk16",
	"ch7-6-b3", "Franz6_id1959_aug", "TF15", "kneser_8_3_1", "lap2d_200", "TF16", "TF17"}

func TestCountsEqualReference(t *testing.T) {
	for _, name := range matrices[:10] {
		p := readPattern(t, filepath.Join(shared, "matrices", name+".mtx"))
		perm := readPerm(t, filepath.Join(shared, "ref", name, "colamd", "perm.csv"))
		var want struct {
			NNZ int64 `json:"nnzR_structural"`
			Sum int64 `json:"sum_colcount_sq"`
		}
		if err := json.NewDecoder(open(t, filepath.Join(shared, "ref", name, "colamd", "summary.json"))).Decode(&want); err != nil {
			t.Fatal(err)
		}
		if n, s := cost(p, perm); n != want.NNZ || s != want.Sum {
			t.Errorf("%s: %d entries of R, squares %d, want %+v", name, n, s, want)
		}
	}
}

func TestTable(t *testing.T) {
	which := matrices
	if s := os.Getenv("MATRICES"); s != "" {
		which = strings.Split(s, ",")
	}
	methods := []struct {
		name, ref string
		f         func(Pattern) []int32
	}{{"colamd", "colamd", Colamd}, {"amd", "amd", AMD}, {"nd", "metis", NestedDissection}}
	for _, name := range which {
		p := readPattern(t, filepath.Join(shared, "matrices", name+".mtx"))
		for _, m := range methods {
			ref := m.ref
			if _, err := os.Stat(filepath.Join(shared, "ref", name, ref)); err != nil {
				ref = "colamd"
			}
			rn, rs := cost(p, readPerm(t, filepath.Join(shared, "ref", name, ref, "perm.csv")))
			start := time.Now()
			perm := m.f(p)
			took := time.Since(start)
			n, s := cost(p, perm)
			t.Logf("%-18s %-7s vs %-7s nnzR %10d %+6.1f %%  squares %+6.1f %%  %v", name, m.name, ref, n,
				100*(float64(n)/float64(rn)-1), 100*(float64(s)/float64(rs)-1), took.Round(time.Millisecond))
		}
	}
}
