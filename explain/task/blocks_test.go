package task

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"dagscope/internal/interval"
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

// A cursor that goes back and forth, and the join of unions, against package
// interval.
func TestUnionsAgainstInterval(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	draw := func() interval.Spans {
		var s interval.Spans
		for range rng.IntN(6) {
			at := rng.Int64N(40)
			s.Add(at, at+rng.Int64N(9))
		}
		return interval.Union(s)
	}
	for range 2000 {
		a, b := draw(), draw()
		all := interval.Union(interval.Spans{Start: slices.Concat(a.Start, b.Start), End: slices.Concat(a.End, b.End)})
		if got := join(a, b); !slices.Equal(got.Start, all.Start) || !slices.Equal(got.End, all.End) {
			t.Fatalf("%v and %v join to %v, want %v", a, b, got, all)
		}
		c := cursor{a, 0}
		for range 6 {
			start := rng.Int64N(45)
			end := start + 1 + rng.Int64N(20)
			var got interval.Spans
			c.outside(start, end, got.Add)
			want := interval.Subtract(interval.Spans{Start: []int64{start}, End: []int64{end}}, a)
			if !slices.Equal(got.Start, want.Start) || !slices.Equal(got.End, want.End) {
				t.Fatalf("[%d, %d) outside %v is %v, want %v", start, end, a, got, want)
			}
			if ns := outside(start, end, a); ns != want.Length() {
				t.Fatalf("[%d, %d) outside %v is %d long, want %d", start, end, a, ns, want.Length())
			}
		}
	}
}

// Time in nested states counts for the innermost.
func TestNestedStates(t *testing.T) {
	run := tracetest.Tiny()
	run.State.Kind.Append("Callback")
	run.State.Resource = append(run.State.Resource, 10)
	run.State.Type.Append("Worker State")
	run.State.Start, run.State.End = append(run.State.Start, 103), append(run.State.End, 107)
	run.State.Depth = append(run.State.Depth, 1)
	w := explained(t, run, Options{}).wait(5)
	dict := run.State.Kind.Dict
	if len(w.states) != 2 || dict[w.states[0].of] != "Scheduling" || w.states[0].ns != 6 || dict[w.states[1].of] != "Callback" || w.states[1].ns != 4 {
		t.Fatalf("states %+v of %q", w.states, dict)
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
