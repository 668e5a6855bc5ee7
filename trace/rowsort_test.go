package trace

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// naiveSort compares rows column by column.
func naiveSort(n int, columns [][]int64) []int32 {
	perm := identity(n)
	slices.SortStableFunc(perm, func(i, j int32) int {
		for _, c := range columns {
			if order := cmp.Compare(c[i], c[j]); order != 0 {
				return order
			}
		}
		return 0
	})
	return perm
}

// randomColumn has n values, few or many different ones, near each other or as
// far apart as can be, or ascends.
func randomColumn(r *rand.Rand, n int) []int64 {
	c := make([]int64, n)
	width, low := []uint64{1, 2, 3, 2000, 1 << 31, 1 << 45, math.MaxUint64}[r.IntN(7)], []int64{0, -1, 1 << 40, NoTime}[r.IntN(4)]
	for i := range c {
		c[i] = low + int64(r.Uint64N(width))
	}
	if r.IntN(3) == 0 {
		slices.Sort(c)
	}
	return c
}

func TestRowsAreSortedColumnByColumn(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	var s rowSorter
	for range 3000 {
		n := []int{0, 1, 2, 3, 50, sortBlock - 1, sortBlock, sortBlock + 1, 3 * sortBlock}[r.IntN(9)]
		wide := make([][]int64, 1+r.IntN(4))
		columns := make([]sortColumn, len(wide))
		for i := range wide {
			wide[i] = randomColumn(r, n)
			columns[i] = by(wide[i])
			if r.IntN(2) == 0 {
				narrow := make([]int32, n)
				for k, v := range wide[i] {
					narrow[k] = int32(v)
					wide[i][k] = int64(narrow[k])
				}
				columns[i] = by(narrow)
			}
		}
		if r.IntN(3) == 0 { // sorted, but for some rows
			perm := naiveSort(n, wide)
			for i := range wide {
				wide[i] = gathered(wide[i], perm, nil)
				columns[i] = by(wide[i])
			}
			for range r.IntN(1 + n/4) {
				i, k, c := r.IntN(n), r.IntN(n), wide[r.IntN(len(wide))]
				c[i], c[k] = c[k], c[i]
			}
		}
		want := naiveSort(n, wide)
		got := s.sort(n, columns...)
		if sorted := slices.Equal(want, identity(n)); sorted != (got == nil) {
			t.Fatalf("%d rows: got %v for rows that are sorted: %v", n, got, sorted)
		}
		if got != nil && !slices.Equal(got, want) {
			t.Fatalf("%d rows by %v: got %v, want %v", n, wide, got, want)
		}
	}
}

func TestOrdinalsCompareAsKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	var k Keys
	for _, name := range []string{"", "com_9", "com_10", "", "a", "mpicom_3", "com_", "7", "007", "1_5", "10_5", "9_5", "0", "mpicom_3"} {
		k.AppendString(name)
	}
	r.Shuffle(len(k.Code), func(i, j int) { k.Code[i], k.Code[j] = k.Code[j], k.Code[i] })
	ordinals := k.ordinals()
	for i, x := range k.Code {
		for j, y := range k.Code {
			if got, want := cmp.Compare(ordinals[i], ordinals[j]), k.Compare(x, y); got != want {
				t.Errorf("%q and %q: got %d, want %d", k.At(i), k.At(j), got, want)
			}
		}
	}
}

// BenchmarkSortedRows: a million rows of a few resources, in order of time, as
// states and samples come.
func BenchmarkSortedRows(b *testing.B) {
	const n = 1 << 20
	r := rand.New(rand.NewPCG(3, 3))
	metric, resource, time := make([]int32, n), make([]int32, n), make([]int64, n)
	for i := range metric {
		metric[i], resource[i], time[i] = r.Int32N(5), r.Int32N(40), int64(i)*100
	}
	for b.Loop() {
		if new(rowSorter).sort(n, by(metric), by(resource), by(time)) == nil {
			b.Fatal("random rows are sorted")
		}
	}
	b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds()/1e6, "Mrow/s")
}
