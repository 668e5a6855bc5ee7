package task

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// Rows of blocks are those that overlap, whatever their order.
func TestBlocksAgainstLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 1000 {
		n := rng.IntN(3 * blockSize)
		start, end := make([]int64, n), make([]int64, n)
		for i := range start {
			start[i] = int64(i/blockSize)*20 + rng.Int64N(20)
			end[i] = start[i] + rng.Int64N(8) - 2
			if rng.IntN(9) == 0 {
				end[i] = trace.NoTime
			}
			if rng.IntN(9) == 0 {
				start[i] = trace.NoTime
			}
		}
		b := newBlocks(start, end)
		first := rng.IntN(n + 1)
		last := first + rng.IntN(n-first+1)
		from := rng.Int64N(70) - 5
		to := from + rng.Int64N(4)
		var got, want [][3]int64
		b.each(first, last, from, to, func(i int, s, e int64) { got = append(got, [3]int64{int64(i), s, e}) })
		for i := first; i < last; i++ {
			if s, e := max(start[i], from), min(end[i], to); start[i] != trace.NoTime && s < e {
				want = append(want, [3]int64{int64(i), s, e})
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("rows [%d, %d) in [%d, %d): %v, want %v", first, last, from, to, got, want)
		}
	}
}

// Many may ask at once.
func TestTasksAtOnce(t *testing.T) {
	x := explained(t, tracetest.Random(1, 300), Options{})
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for v := range int32(300) {
				if _, err := x.Task(v, -1, 9); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
}
