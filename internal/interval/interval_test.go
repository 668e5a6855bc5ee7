package interval

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

const horizon = 30 // tiny times, so that instants can be counted one by one

func drawSpans(t *rapid.T, label string) Spans {
	var s Spans
	for range rapid.IntRange(0, 8).Draw(t, label) {
		s.Start = append(s.Start, rapid.Int64Range(0, horizon).Draw(t, "start"))
		s.End = append(s.End, rapid.Int64Range(0, horizon).Draw(t, "end"))
	}
	return s
}

// open counts the intervals that hold the instant.
func (s Spans) open(at int64) (n int) {
	for i := range s.Start {
		if s.Start[i] <= at && at < s.End[i] {
			n++
		}
	}
	return n
}

func sameTime(t *rapid.T, what string, got Spans, want func(at int64) bool) {
	last := int64(-1)
	for i := range got.Start {
		if got.Start[i] <= last && what == "union" || got.Start[i] >= got.End[i] || got.Start[i] < last {
			t.Fatalf("%s %v is not disjoint and in order", what, got)
		}
		last = got.End[i]
	}
	for at := int64(-1); at <= horizon; at++ {
		if got.open(at) == 1 != want(at) {
			t.Fatalf("%s %v: wrong at %d", what, got, at)
		}
	}
}

func TestSpansAgainstInstants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawSpans(t, "a"), drawSpans(t, "b")
		ua, ub := Union(a), Union(b)
		sameTime(t, "union", ua, func(at int64) bool { return a.open(at) > 0 })
		inPlace := Spans{slices.Clone(a.Start), slices.Clone(a.End)}
		inPlace.Unite()
		sameTime(t, "union", inPlace, func(at int64) bool { return a.open(at) > 0 })
		sameTime(t, "intersection", Intersect(ua, ub), func(at int64) bool { return a.open(at) > 0 && b.open(at) > 0 })
		sameTime(t, "difference", Subtract(ua, ub), func(at int64) bool { return a.open(at) > 0 && b.open(at) == 0 })
		sameTime(t, "clip", Clip(ua, 5, 17), func(at int64) bool { return a.open(at) > 0 && at >= 5 && at < 17 })
		if Intersect(ua, ub).Length()+Subtract(ua, ub).Length() != ua.Length() {
			t.Fatal("lengths do not add up")
		}
	})
}

func TestCoverAgainstInstants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSpans(t, "spans")
		c := NewCover(Union(s))
		probe := c.Probe()
		for range 5 {
			a, b := rapid.Int64Range(-2, horizon+2).Draw(t, "a"), rapid.Int64Range(-2, horizon+2).Draw(t, "b")
			if got, want := probe.Within(a, b), c.Within(a, b); got != want {
				t.Fatalf("probe within [%d,%d): %d, want %d", a, b, got, want)
			}
		}
		from := rapid.Int64Range(-2, horizon+2).Draw(t, "from")
		to := rapid.Int64Range(-2, horizon+2).Draw(t, "to")
		var within int64
		for at := from; at < to; at++ {
			if s.open(at) > 0 {
				within++
			}
		}
		if got := c.Within(from, to); got != within {
			t.Fatalf("within [%d,%d): %d, want %d", from, to, got, within)
		}
		cursor := c.Cursor()
		for at := int64(-2); at <= horizon+2; at += rapid.Int64Range(0, 9).Draw(t, "advance") + 1 {
			covered := c.Within(-9, at)
			if got := cursor.Until(at); got != covered {
				t.Fatalf("cursor until %d: %d, want %d", at, got, covered)
			}
		}
	})
}

func (f Steps) at(t int64) float64 {
	v := 0.0
	for i, s := range f.Time {
		if s <= t {
			v = f.Value[i]
		}
	}
	return v
}

func TestConcurrencyAgainstInstants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, other := drawSpans(t, "spans"), drawSpans(t, "other")
		f := Concurrency(s)
		weight := make([]float64, s.Len())
		for i := range weight {
			weight[i] = float64(1 + i%3)
		}
		weighted := WeightedConcurrency(s, weight)
		for i := 1; i < len(f.Time); i++ {
			if f.Time[i] <= f.Time[i-1] || f.Value[i] == f.Value[i-1] {
				t.Fatalf("steps %v do not step", f)
			}
		}
		sum := Sum(f, Concurrency(other), f)
		for at := int64(-1); at <= horizon; at++ {
			if f.at(at) != float64(s.open(at)) {
				t.Fatalf("%v at %d: %v, want %d", f, at, f.at(at), s.open(at))
			}
			want := 0.0
			for i, w := range weight {
				if s.Start[i] <= at && at < s.End[i] {
					want += w
				}
			}
			if weighted.at(at) != want {
				t.Fatalf("weighted %v at %d, want %v", weighted, at, want)
			}
			if want := float64(2*s.open(at) + other.open(at)); sum.at(at) != want {
				t.Fatalf("sum at %d: %v, want %v", at, sum.at(at), want)
			}
		}
	})
}

func drawSlices(t *rapid.T) Slices {
	return Slices{
		From: rapid.Int64Range(-3, 8).Draw(t, "from"),
		To:   rapid.Int64Range(0, horizon).Draw(t, "to"),
		Step: rapid.Int64Range(1, 9).Draw(t, "step"),
	}
}

func TestAverageAgainstInstants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, f := drawSlices(t), Concurrency(drawSpans(t, "spans"))
		existing, full := Average(f, s, ExistingPart), Average(f, s, FullStep)
		want := s.From
		for i := range s.Len() {
			from, to := s.Bounds(i)
			if from != want || to <= from || to-from > s.Step {
				t.Fatalf("slice %d of %+v is [%d,%d)", i, s, from, to)
			}
			want = to
			sum := 0.0
			for at := from; at < to; at++ {
				sum += f.at(at)
			}
			if math.Abs(existing[i]-sum/float64(to-from)) > 1e-12 || math.Abs(full[i]-sum/float64(s.Step)) > 1e-12 {
				t.Fatalf("slice [%d,%d): %v and %v, integral %v", from, to, existing[i], full[i], sum)
			}
		}
		if s.To > s.From && want != s.To {
			t.Fatalf("slices of %+v end at %d", s, want)
		}
	})
}

func TestBusyAgainstInstants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, spans := drawSlices(t), drawSpans(t, "spans")
		busy, cells := make([]int64, s.Len()), NewCells(s, 2, 2)
		for i := range spans.Start {
			s.AddBusy(busy, spans.Start[i], spans.End[i])
			cells.Add(i%2, i/2%2, spans.Start[i], spans.End[i])
		}
		for i := range s.Len() {
			from, to := s.Bounds(i)
			var want int64
			for at := from; at < to; at++ {
				want += int64(spans.open(at))
			}
			var sum int64
			for group := range 2 {
				sum += cells.At(group, i, 0) + cells.At(group, i, 1)
			}
			if busy[i] != want || sum != want {
				t.Fatalf("slice %d: %d and %d, want %d", i, busy[i], sum, want)
			}
		}
	})
}

func TestOrderIsStableSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SliceOf(rapid.OneOf(rapid.Int64Range(-3, 3), rapid.Int64())).Draw(t, "key")
		want := make([]int32, len(key))
		for i := range want {
			want[i] = int32(i)
		}
		slices.SortStableFunc(want, func(a, b int32) int {
			if key[a] < key[b] {
				return -1
			}
			if key[a] > key[b] {
				return 1
			}
			return 0
		})
		byOrder := make([]int64, len(key))
		for i, row := range want {
			byOrder[i] = key[row]
		}
		if got := Sorted(key); !slices.Equal(got, byOrder) {
			t.Fatalf("sorted %v, want %v", got, byOrder)
		}
		if got := Order(key); !slices.Equal(got, want) {
			t.Fatalf("order %v, want %v", got, want)
		}
	})
}

func TestOrderOfManyUsesWideDigits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	key := make([]int64, 1<<16+5)
	for i := range key {
		key[i] = r.Int64N(1<<40) - 1<<39
	}
	order := Order(key)
	for i := 1; i < len(order); i++ {
		a, b := order[i-1], order[i]
		if key[a] > key[b] || key[a] == key[b] && a > b {
			t.Fatalf("positions %d and %d are out of order", a, b)
		}
	}
}

func TestGroupKeepsOrderWithinGroups(t *testing.T) {
	group := []int32{2, 0, -1, 2, 0}
	at, rows := Group(group, 3, nil)
	if !slices.Equal(at, []int32{0, 2, 2, 4}) || !slices.Equal(rows, []int32{1, 4, 0, 3}) {
		t.Fatalf("all rows: %v %v", at, rows)
	}
	at, rows = Group(group, 3, []int32{4, 3, 2, 1})
	if !slices.Equal(at, []int32{0, 2, 2, 3}) || !slices.Equal(rows, []int32{4, 1, 3}) {
		t.Fatalf("some rows: %v %v", at, rows)
	}
}

func BenchmarkConcurrencyOfTenMillion(b *testing.B) {
	const n = 10_000_000
	r := rand.New(rand.NewPCG(1, 2))
	s := Spans{make([]int64, n), make([]int64, n)}
	for i := range n {
		s.Start[i] = r.Int64N(1e12)
		s.End[i] = s.Start[i] + r.Int64N(1e7)
	}
	b.ResetTimer()
	for range b.N {
		Average(Concurrency(s), Slices{0, 1e12, 1e9}, ExistingPart)
	}
}

// Windows of any length are cut: damaged traces have times beyond 2^62 ns.
func TestSlicesOfAnyLength(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		far := rapid.SampledFrom([]int64{0, 1, 1 << 61, 1 << 62, math.MaxInt64 - 1, math.MaxInt64, math.MinInt64 + 1, -1 << 62})
		s := Slices{From: far.Draw(t, "from"), To: far.Draw(t, "to")}
		if s.From >= s.To {
			return
		}
		length := new(big.Int).Sub(big.NewInt(s.To), big.NewInt(s.From))
		s.Step = math.MaxInt64
		if length.IsInt64() {
			s.Step = max(1, length.Int64()/rapid.Int64Range(1, 5).Draw(t, "slices"))
		}
		step := big.NewInt(s.Step)
		want := new(big.Int).Add(length, new(big.Int).Sub(step, big.NewInt(1)))
		if want.Div(want, step); want.Int64() != int64(s.Len()) {
			t.Fatalf("%v: found %d slices, want %v", s, s.Len(), want)
		}
		at := s.From
		for i := range s.Len() {
			from, to := s.Bounds(i)
			if from != at || to <= from || s.At(from) != i || s.At(to-1) != i {
				t.Fatalf("%v: slice %d is from %d to %d, and those are in slices %d and %d", s, i, from, to, s.At(from), s.At(to-1))
			}
			at = to
		}
		if at != s.To {
			t.Fatalf("%v: slices end at %d", s, at)
		}
	})
}

// At returns the busy time of a group in a slice with a kind.
func (c Cells) At(group, slice, kind int) int64 {
	return c.Busy[(group*c.Slices.Len()+slice)*c.Kinds+kind]
}
