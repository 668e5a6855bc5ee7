package selection

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dagscope/internal/interval"

	"pgregory.net/rapid"
)

func TestTimelineAgainstInstants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.Int64Range(-5, 5).Draw(t, "from")
		var ready interval.Spans
		for at := from - 3; len(ready.Start) < rapid.IntRange(0, 40).Draw(t, "ready"); at = ready.End[len(ready.End)-1] + 1 {
			start := at + rapid.Int64Range(0, 9).Draw(t, "start")
			ready.Add(start, start+rapid.Int64Range(1, 9).Draw(t, "length"))
		}
		var inputs interval.Spans
		for at := from - 3; len(inputs.Start) < rapid.IntRange(0, 9).Draw(t, "inputs"); at = inputs.End[len(inputs.End)-1] + 1 {
			start := at + rapid.Int64Range(0, 30).Draw(t, "start")
			inputs.Add(start, start+rapid.Int64Range(1, 9).Draw(t, "length"))
		}
		var implicits interval.Spans
		for at := from - 3; len(implicits.Start) < rapid.IntRange(0, 9).Draw(t, "implicit"); at = implicits.End[len(implicits.End)-1] + 1 {
			start := at + rapid.Int64Range(0, 30).Draw(t, "start")
			implicits.Add(start, start+rapid.Int64Range(1, 9).Draw(t, "length"))
		}
		var gone interval.Spans
		birth := from + rapid.Int64Range(-9, 30).Draw(t, "birth")
		gone.Add(-1<<62, birth)
		gone.Add(birth+rapid.Int64Range(0, 300).Draw(t, "life"), 1<<62)
		w := newWriter(from, ready, others{gone, implicits, inputs})
		var of []sums // by instant from from on
		for range rapid.IntRange(0, 400).Draw(t, "parts") {
			c := cause(rapid.IntRange(0, int(causes)-1).Draw(t, "cause"))
			to := from + int64(len(of)) + rapid.Int64Range(-1, 4).Draw(t, "part")
			w.add(to, c)
			for at := from + int64(len(of)); at < to; at++ {
				var s sums
				switch {
				case c == work:
					s.add(1, work, false)
				case holds(gone, at):
					s.add(1, absent, false)
				case holds(implicits, at):
					s.add(1, implicit, false)
				case holds(inputs, at):
					s.add(1, input, false)
				default:
					s.add(1, c, holds(ready, at))
				}
				of = append(of, s)
			}
		}
		line := w.finish()
		end := from + int64(len(of))
		a := rapid.Int64Range(from-5, end+5).Draw(t, "a")
		b := rapid.Int64Range(a, end+5).Draw(t, "b")
		var want sums
		for at := a; at < b; at++ {
			switch {
			case at < from:
				want[before]++
			case at >= end:
				want[after]++
			default:
				want.plus(1, of[at-from])
			}
		}
		if got := line.within(a, b); got != want {
			t.Fatalf("[%d, %d) has %v, want %v", a, b, got, want)
		}
	})
}

func holds(spans interval.Spans, at int64) bool {
	return slices.ContainsFunc(spans.Start, func(start int64) bool {
		return start <= at && at < spans.End[slices.Index(spans.Start, start)]
	})
}

func TestSkipsMissNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	start, end := make([]int64, 5000), make([]int64, 5000)
	for i := range start {
		start[i] = int64(i*10) + rng.Int64N(200)
		end[i] = start[i] + rng.Int64N(30)
		if rng.IntN(500) == 0 {
			end[i] += 20_000
		}
	}
	s := newSkips(start, end)
	for range 300 {
		from, t0 := int32(rng.IntN(5000)), rng.Int64N(60_000)
		to, t1 := from+rng.Int32N(5000-from+1), t0+rng.Int64N(3000)
		var got, want []int
		visited := 0
		s.visit(from, to, t0, t1, func(from, to int) {
			for i := from; i < to; i++ {
				if visited++; touches(start[i], end[i], t0, t1) {
					got = append(got, i)
				}
			}
		})
		for i := int(from); i < int(to); i++ {
			if start[i] < t1 && (end[i] > t0 || start[i] >= t0) {
				want = append(want, i)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("rows [%d, %d) in [%d, %d): %v, want %v", from, to, t0, t1, got, want)
		}
	}
}

func TestBinsAgainstEdges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shortest := rapid.Int64Range(0, 1<<50).Draw(t, "shortest")
		longest := rapid.Int64Range(shortest, 1<<52).Draw(t, "longest")
		b := newBins(shortest, longest, true)
		if n := b.len(); n < 1 || n > 200 || len(b.edges) != n+1 {
			t.Fatalf("%d bins, %d edges", n, len(b.edges))
		}
		for _, d := range []int64{shortest, longest, rapid.Int64Range(shortest, longest).Draw(t, "d")} {
			bin := b.of(d)
			if bin > 0 && float64(d) < b.edges[bin] || float64(d) >= b.edges[bin+1] {
				t.Fatalf("%d is in bin %d, [%v, %v)", d, bin, b.edges[bin], b.edges[bin+1])
			}
		}
	})
}

// What takes no time is in the window that begins with it.
func TestInstantsAreInTheWindowTheyBegin(t *testing.T) {
	visited := false
	s := newSkips([]int64{5}, []int64{5})
	s.visit(0, 1, 5, 9, func(int, int) { visited = true })
	if !visited || !touches(5, 5, 5, 9) || touches(5, 5, 1, 5) || touches(5, 5, 6, 9) || touches(2, 5, 5, 9) {
		t.Error("an instant is in a window that it does not begin, or not in the one that it does")
	}
}
