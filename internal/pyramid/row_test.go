package pyramid

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// spans makes n spans that do not overlap: mostly short, some long, some empty,
// some without a gap between them.
func spans(r *rand.Rand, n int) (start, end []int64, class []uint8) {
	at := r.Int64N(1000) - 500
	for range n {
		at += r.Int64N(3) * r.Int64N(20)
		d := r.Int64N(12)
		if r.IntN(50) == 0 {
			d = r.Int64N(3000)
		}
		start, end = append(start, at), append(end, at+d)
		class = append(class, uint8(r.IntN(4)*r.IntN(60)))
		at += d
	}
	return start, end, class
}

// busy is the time of each class inside a window, by plain sums.
func busy(start, end []int64, class []uint8, t0, t1 int64) (ns [256]int64) {
	for i := range start {
		ns[class[i]] += max(0, min(end[i], t1)-max(start[i], t0))
	}
	return ns
}

// eachRow calls f for rows of many lengths.
func eachRow(f func(r *rand.Rand, row *Row, name string)) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := r.IntN([]int{2, 20, 300, 6000}[seed%4])
		start, end, class := spans(r, n)
		f(r, NewRow(start, end, class), fmt.Sprintf("seed %d, %d spans", seed, n))
	}
}

// window is a random window about the spans of a row.
func window(r *rand.Rand, row *Row) (t0, t1 int64) {
	first, last := int64(0), int64(1)
	if n := row.Len(); n > 0 {
		first, last = row.Start[0]-20, row.End[n-1]+20
	}
	t0 = first + r.Int64N(last-first)
	return t0, t0 + 1 + r.Int64N(last-first)
}

func TestBusyEqualsPlainSums(t *testing.T) {
	eachRow(func(r *rand.Rand, row *Row, name string) {
		for range 30 {
			t0, t1 := window(r, row)
			want := busy(row.Start, row.End, row.Class, t0, t1)
			got := make([]int64, len(row.Classes()))
			row.Busy(t0, t1, got)
			for s, c := range row.Classes() {
				if got[s] != want[c] {
					t.Fatalf("%s: class %d is busy for %d ns of [%d, %d), want %d", name, c, got[s], t0, t1, want[c])
				}
				want[c] = 0
			}
			if want != [256]int64{} {
				t.Fatalf("%s: classes are left out", name)
			}
		}
	})
}

// The bins of a window add up to the window, however it is divided.
func TestBinsAddUp(t *testing.T) {
	eachRow(func(r *rand.Rand, row *Row, name string) {
		t0, t1 := window(r, row)
		edges := []int64{t0, t1}
		for range r.IntN(200) {
			edges = append(edges, t0+r.Int64N(t1-t0))
		}
		slices.Sort(edges)
		c, n := row.Cursor(), len(row.Classes())
		before, after, sum := make([]int64, n), make([]int64, n), make([]int64, n)
		c.Before(t0, before)
		for k := range len(edges) - 1 {
			c.Before(edges[k+1], after)
			want := busy(row.Start, row.End, row.Class, edges[k], edges[k+1])
			for s, class := range row.Classes() {
				if got := after[s] - before[s]; got != want[class] {
					t.Fatalf("%s: bin %d is %d, want %d", name, k, got, want[class])
				}
				sum[s] += after[s] - before[s]
			}
			copy(before, after)
		}
		whole := make([]int64, n)
		if row.Busy(t0, t1, whole); !slices.Equal(sum, whole) {
			t.Fatalf("%s: bins add up to %v, want %v", name, sum, whole)
		}
	})
}

func TestWithinAndSeek(t *testing.T) {
	eachRow(func(r *rand.Rand, row *Row, name string) {
		for range 50 {
			t0, t1 := window(r, row)
			lo, hi := row.Within(t0, t1)
			for i := range row.Start {
				if inside := row.End[i] > t0 && row.Start[i] < t1; inside != (i >= lo && i < hi) {
					t.Fatalf("%s: window [%d, %d) has spans %d to %d, but span %d is [%d, %d)", name, t0, t1, lo, hi, i, row.Start[i], row.End[i])
				}
			}
			i := r.IntN(row.Len() + 1)
			want := i
			for want < row.Len() && row.End[want] <= t0 {
				want++
			}
			if got := row.Seek(i, t0); got != want {
				t.Fatalf("%s: %d is the first from %d that ends after %d, want %d", name, got, i, t0, want)
			}
		}
	})
}

func TestNextAndLongest(t *testing.T) {
	eachRow(func(r *rand.Rand, row *Row, name string) {
		for range 200 {
			lo := r.IntN(row.Len() + 1)
			hi := lo + r.IntN(row.Len()-lo+1)
			w := 1 + r.Int64N(1+r.Int64N(3000))
			next, best := hi, hi
			for i := hi - 1; i >= lo; i-- {
				if row.End[i]-row.Start[i] >= w {
					next = i
				}
				if best == hi || row.End[i]-row.Start[i] >= row.End[best]-row.Start[best] {
					best = i
				}
			}
			if got := row.Next(lo, hi, w); got != next {
				t.Fatalf("%s: the first of [%d, %d) that is %d long is %d, want %d", name, lo, hi, w, got, next)
			}
			if got := row.Longest(lo, hi); got != best {
				t.Fatalf("%s: the longest of [%d, %d) is %d, want %d", name, lo, hi, got, best)
			}
		}
	})
}

func TestCount(t *testing.T) {
	eachRow(func(r *rand.Rand, row *Row, name string) {
		for range 30 {
			lo := r.IntN(row.Len() + 1)
			hi := lo + r.IntN(row.Len()-lo+1)
			var want [256]int
			for i := lo; i < hi; i++ {
				if row.End[i] > row.Start[i] {
					want[row.Class[i]]++
				}
			}
			got := make([]int, len(row.Classes()))
			row.Count(lo, hi, got)
			for s, c := range row.Classes() {
				if got[s] != want[c] {
					t.Fatalf("%s: [%d, %d) has %d spans of class %d, want %d", name, lo, hi, got[s], c, want[c])
				}
			}
		}
	})
}

// An index takes a small part of what it is over.
func TestRowIsSmall(t *testing.T) {
	start, end, class := spans(rand.New(rand.NewPCG(1, 2)), 100_000)
	row := NewRow(start, end, class)
	bytes := 8*(len(row.busy)+len(row.last)) + 4*len(row.count)
	for _, level := range row.longest {
		bytes += 8 * len(level)
	}
	per := float64(bytes) / float64(len(start))
	limit := 0.7 + 0.1*float64(len(row.Classes()))
	if per > limit {
		t.Errorf("%.2f bytes a span of %d classes, want at most %.2f", per, len(row.Classes()), limit)
	}
}

func BenchmarkNewRow(b *testing.B) {
	start, end, class := spans(rand.New(rand.NewPCG(1, 2)), 1_000_000)
	b.SetBytes(17 * 1_000_000)
	for b.Loop() {
		NewRow(start, end, class)
	}
}

// 1500 columns over 1e6 spans.
func BenchmarkColumns(b *testing.B) {
	start, end, class := spans(rand.New(rand.NewPCG(1, 2)), 1_000_000)
	row := NewRow(start, end, class)
	into := make([]int64, len(row.Classes()))
	for b.Loop() {
		c := row.Cursor()
		for k := range int64(1501) {
			c.Before(start[0]+(end[len(end)-1]-start[0])*k/1500, into)
		}
	}
}

func BenchmarkNext(b *testing.B) {
	start, end, class := spans(rand.New(rand.NewPCG(1, 2)), 1_000_000)
	row := NewRow(start, end, class)
	for b.Loop() {
		for i := 0; i < row.Len(); i++ {
			i = row.Next(i, row.Len(), 2900)
		}
	}
}
