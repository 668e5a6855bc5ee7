package kit

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/interval"

	"pgregory.net/rapid"
)

// drawSteps draws a step function with short times, some of them repeated.
func drawSteps(t *rapid.T) interval.Steps {
	var f interval.Steps
	at := rapid.Int64Range(-50, 50).Draw(t, "first")
	for range rapid.IntRange(0, 25).Draw(t, "changes") {
		f.Time = append(f.Time, at)
		f.Value = append(f.Value, float64(rapid.IntRange(-3, 9).Draw(t, "value")))
		at += rapid.Int64Range(0, 20).Draw(t, "gap")
	}
	return f
}

// valueAt is the naive value of a step function.
func valueAt(f interval.Steps, t int64) (v float64) {
	for i, at := range f.Time {
		if at <= t {
			v = f.Value[i]
		}
	}
	return v
}

// drawLongSteps draws a step function of several blocks.
func drawLongSteps(t *rapid.T) interval.Steps {
	var f interval.Steps
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	at, fraction := int64(random.IntN(100)-50), rapid.SampledFrom([]float64{1, 0.5, 0.1}).Draw(t, "fraction")
	for range rapid.IntRange(0, 5*blockChanges).Draw(t, "changes") {
		f.Time = append(f.Time, at)
		f.Value = append(f.Value, fraction*float64(random.IntN(12)-3))
		at += int64(random.IntN(9))
		if random.IntN(100) == 0 {
			at += 1 << 40
		}
	}
	return f
}

// Blocks give the columns of a sweep over all changes.
func TestCompactAgainstSweep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawLongSteps(t)
		c := NewCompact(f)
		t0 := rapid.Int64Range(-100, 3000).Draw(t, "t0")
		g := NewGrid(t0, t0+rapid.SampledFrom([]int64{1, 50, 700, 5000, 1 << 43}).Draw(t, "span"), rapid.IntRange(1, 90).Draw(t, "width"))
		got, want := c.Reduce(g), reduceSteps(f, g)
		for k := range g.Columns() {
			if math.Abs(got.Mean[k]-want.Mean[k]) > 1e-9 || got.low[k] != want.low[k] || got.high[k] != want.high[k] {
				t.Fatalf("column %d: %g in [%g, %g], want %g in [%g, %g]", k, got.Mean[k], got.low[k], got.high[k], want.Mean[k], want.low[k], want.high[k])
			}
		}
		p := Period{t0, g.T1}
		mean, most := p.MeanMost(c)
		if wantMean, wantMost := p.meanMostSteps(f); math.Abs(mean-wantMean) > 1e-9 || most != wantMost {
			t.Fatalf("mean %g, most %g, want %g and %g", mean, most, wantMean, wantMost)
		}
		inside := c.Within(t0, g.T1)
		for _, at := range []int64{t0, t0 + 3, (t0 + g.T1) / 2, g.T1 - 1} {
			if want := valueAt(f, at); c.At(at) != want || at < g.T1 && valueAt(inside, at) != want {
				t.Fatalf("at %d %g and %g, want %g", at, c.At(at), valueAt(inside, at), want)
			}
		}
		if n := len(inside.Time) - 1; !c.fewChanges(t0, g.T1, n) || n > 0 && c.fewChanges(t0, g.T1, n-1) {
			t.Fatalf("there are %d changes, which is not what was counted", n)
		}
	})
}

// Every column has the mean, the least and the greatest of the values at all
// its instants.
func TestReduceOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawSteps(t)
		t0 := rapid.Int64Range(-100, 300).Draw(t, "t0")
		g := NewGrid(t0, t0+rapid.Int64Range(1, 400).Draw(t, "span"), rapid.IntRange(1, 50).Draw(t, "width"))
		r := NewCompact(f).Reduce(g)
		for k := range g.Columns() {
			sum, low, high := 0.0, math.Inf(1), math.Inf(-1)
			for at := g.Edges[k]; at < g.Edges[k+1]; at++ {
				v := valueAt(f, at)
				sum, low, high = sum+v, min(low, v), max(high, v)
			}
			mean := sum / float64(g.Edges[k+1]-g.Edges[k])
			if math.Abs(r.Mean[k]-mean) > 1e-9 || r.low[k] != low || r.high[k] != high {
				t.Fatalf("column %d: %g in [%g, %g], want %g in [%g, %g]", k, r.Mean[k], r.low[k], r.high[k], mean, low, high)
			}
		}
	})
}

// Slices are counted from zero, whatever the window, and have the mean of their
// instants.
func TestSlicedOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawSteps(t)
		step := rapid.Int64Range(1, 60).Draw(t, "step")
		t0 := rapid.Int64Range(-100, 300).Draw(t, "t0")
		t1 := t0 + rapid.Int64Range(1, 200).Draw(t, "span")
		got := NewCompact(f).Sliced(step, t0, t1).Within(t0, t1)
		for at := t0; at < t1; at++ {
			start := int64(math.Floor(float64(at)/float64(step))) * step
			want := 0.0
			for i := range step {
				want += valueAt(f, start+i) / float64(step)
			}
			if v := valueAt(got, at); math.Abs(v-want) > 1e-9 {
				t.Fatalf("at %d %g, want the mean %g of [%d, %d)", at, v, want, start, start+step)
			}
		}
	})
}

// The curve through the means keeps, at the middle of every column, the
// column's mean to a twentieth of a pixel.
func TestLineMeetsEveryMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := NewGrid(0, 10_000, rapid.IntRange(2, 300).Draw(t, "width"))
		s := Shown{Reduced: newReduced(g.Columns())}
		for k := range s.Mean {
			s.Mean[k] = float64(rapid.IntRange(0, 3).Draw(t, "mean"))
		}
		axis := NewAxis(0, 3, 100, "")
		l := s.Line(g, &axis)
		if !slices.IsSorted(l.X) || l.X[0] != 0 || l.X[len(l.X)-1] != 10_000 {
			t.Fatalf("the line runs over %v", l.X)
		}
		for k := 1; k+1 < g.Columns(); k++ {
			at := float64(g.Edges[k]+g.Edges[k+1]) / 2
			i, _ := slices.BinarySearch(l.X, at)
			y := float64(l.Y[i])
			if l.X[i] > at {
				share := (at - l.X[i-1]) / (l.X[i] - l.X[i-1])
				y = float64(l.Y[i-1]) + share*float64(l.Y[i]-l.Y[i-1])
			}
			if want := float64(axis.Y(s.Mean[k])); math.Abs(y-want) > Flat+1e-3 {
				t.Fatalf("column %d at %g, want %g: %v", k, y, want, l)
			}
		}
	})
}

// At each instant the piece that started last remains, of those that started
// together the one added last; nothing overlaps.
func TestFlattenOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type piece struct{ lane, start, end int64 }
		var pieces []piece
		var b SpanBuilder
		for i := range rapid.IntRange(0, 30).Draw(t, "pieces") {
			p := piece{rapid.Int64Range(0, 2).Draw(t, "lane"), rapid.Int64Range(0, 40).Draw(t, "start"), 0}
			p.end = p.start + rapid.Int64Range(1, 30).Draw(t, "length")
			pieces = append(pieces, p)
			b.Add(int32(p.lane), p.start, p.end, 0, int32(i))
		}
		s := Flatten(b.Build(3))
		for lane := range int64(3) {
			if s.Overlap[lane] {
				t.Fatalf("pieces of lane %d overlap", lane)
			}
			for at := range int64(75) {
				want := int32(-1)
				for i, p := range pieces {
					if p.lane == lane && p.start <= at && at < p.end && (want < 0 || p.start >= pieces[want].start) {
						want = int32(i)
					}
				}
				got := int32(-1)
				for i := s.From[lane]; i < s.To[lane]; i++ {
					if s.Start[i] <= at && at < s.End[i] {
						got = s.Row[i]
					}
				}
				if got != want {
					t.Fatalf("lane %d at %d has piece %d, want %d", lane, at, got, want)
				}
			}
		}
	})
}

func TestNumbersAreWrittenShortly(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 12: "12", 1276: "1\u2009276", 666.64: "666.6", 0.17481: "0.1748", 2.0041: "2.004", 0.00001: "0.00001"} {
		if got := Number(v); got != want {
			t.Errorf("%g is written %q, want %q", v, got, want)
		}
	}
	if got := Amount(2063, "GFlop/s"); got != "2.063 TFlop/s" {
		t.Errorf("2063 GFlop/s is written %q", got)
	}
}

func TestShortNamesKeepWhatTellsApart(t *testing.T) {
	rows := []BarRow{{Block: "chol_model_gemm"}, {Block: "chol_model_potrf"}}
	if got := shortNames(rows, false); got["chol_model_gemm"] != "chol_model_gemm" {
		t.Errorf("names that fit became %v", got)
	}
	if got := shortNames(rows, true); got["chol_model_gemm"] != "gemm" || got["chol_model_potrf"] != "potrf" {
		t.Errorf("on little room names are %v", got)
	}
	long := strings.Repeat("x", 60)
	if got := shortNames([]BarRow{{Block: long}}, false)[long]; got == long || !strings.HasSuffix(got, "…") {
		t.Errorf("a long name became %q", got)
	}
}

// reduceSteps computes the columns of a step function by a sweep over its changes. A value that lasted no time does not count.
func reduceSteps(f interval.Steps, g *Grid) Reduced {
	r := newReduced(g.Columns())
	next, value := stepAt(f, g.T0)
	for k := range r.Mean {
		from, to := g.Edges[k], g.Edges[k+1]
		sum, low, high := 0.0, value, value
		for at, first := from, true; at < to; {
			for ; next < len(f.Time) && f.Time[next] <= at; next++ {
				value = f.Value[next]
			}
			if first {
				low, high, first = value, value, false
			}
			until := to
			if next < len(f.Time) {
				until = min(to, f.Time[next])
			}
			sum += value * float64(until-at)
			low, high = min(low, value), max(high, value)
			at = until
		}
		r.Mean[k], r.low[k], r.high[k] = sum/float64(to-from), low, high
	}
	return r
}

// stepAt is the first change after t and the value at t.
func stepAt(f interval.Steps, t int64) (next int, value float64) {
	if next = interval.FirstAfter(f.Time, t); next > 0 {
		value = f.Value[next-1]
	}
	return next, value
}

// meanMostSteps is the time average of a step function over a period, and its
// greatest value there. A value that lasted no time does not count.
func (p Period) meanMostSteps(f interval.Steps) (mean, most float64) {
	next, value := stepAt(f, p.From)
	most = math.Inf(-1)
	for at := p.From; at < p.To; {
		until := p.To
		if next < len(f.Time) {
			until = min(until, f.Time[next])
		}
		if until > at {
			mean += value * (float64(until-at) / float64(p.To-p.From))
			most = max(most, value)
		}
		if next < len(f.Time) {
			value = f.Value[next]
			next++
		}
		at = until
	}
	return mean, most
}
