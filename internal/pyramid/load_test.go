package pyramid

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestLoadEqualsPlainSums(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 8))
		n := r.IntN([]int{3, 128, 700}[seed%3] + 1)
		offset := []int64{0, -300, math.MaxInt64 / 2}[seed/3%3] // sums wrap around
		start, end := make([]int64, n), make([]int64, n)
		for i := range start {
			start[i] = offset + r.Int64N(1000)
			if seed%4 == 3 && r.IntN(3) == 0 { // distances of more than 32 and 40 bits
				start[i] -= []int64{1 << 33, 1 << 45}[seed/4%2]
			}
			end[i] = start[i] + r.Int64N(60)
		}
		l := NewLoad(slices.Clone(start), slices.Clone(end))
		if t0, t1, ok := l.Extent(); ok != (n > 0) || ok && (t0 != slices.Min(start) || t1 != slices.Max(end)) {
			t.Fatalf("seed %d: extent is %d to %d, %t", seed, t0, t1, ok)
		}
		c := l.Cursor()
		for at := offset - 10; at < offset+1100; at += 1 + r.Int64N(1+r.Int64N(400)) {
			want := int64(0)
			for i := range start {
				want += max(0, min(end[i], at)-start[i])
			}
			if got := c.Before(at); got != want {
				t.Fatalf("seed %d, %d spans: %d ns before %d, want %d", seed, n, got, at, want)
			}
		}
	}
}
