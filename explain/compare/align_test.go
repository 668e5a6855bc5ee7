package compare

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"dagscope/trace"
	"dagscope/trace/tracetest"
	"pgregory.net/rapid"
)

func TestAlignIsMonotoneAndInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawTasks(t, "a"), drawTasks(t, "b")
		mode := rapid.SampledFrom(Modes).Draw(t, "mode")
		m, err := Align(a, b, mode)
		if err != nil {
			if mode != Iteration && Match(a, a, Options{}).A != nil && Match(b, b, Options{}).A != nil {
				t.Fatal(err)
			}
			return
		}
		requireMap(t, m)
	})
}

func requireMap(t *rapid.T, m *Map) {
	if len(m.Own) == 0 || len(m.Own) != len(m.Axis) || m.Words == "" {
		t.Fatalf("found %d knots against %d, words %q", len(m.Own), len(m.Axis), m.Words)
	}
	for i := range m.Own {
		if i > 0 && (m.Own[i] <= m.Own[i-1] || m.Axis[i] <= m.Axis[i-1]) {
			t.Fatalf("knots do not increase: %v %v", m.Own, m.Axis)
		}
		if m.ToAxis(m.Own[i]) != m.Axis[i] || m.ToOwn(m.Axis[i]) != m.Own[i] {
			t.Fatalf("knot %d is not exact", i)
		}
	}
	last := len(m.Own) - 1
	time := rapid.Int64Range(m.Own[0]-1000, m.Own[last]+1000)
	s, u := time.Draw(t, "s"), time.Draw(t, "u")
	if s <= u != (m.ToAxis(s) <= m.ToAxis(u)) && m.ToAxis(s) != m.ToAxis(u) {
		t.Fatalf("%d and %d change their order", s, u)
	}
	if got, want := m.ToAxis(s), naiveMap(m.Own, m.Axis, s); got != want {
		t.Fatalf("%d is at %d on the axis, want %d", s, got, want)
	}
	requireInverse(t, m, s)
}

// requireInverse: rounding on the axis costs half a ns there, which is more in
// the run's own time where the axis is compressed.
func requireInverse(t *rapid.T, m *Map, own int64) {
	allowed := 1.0
	for i := 1; i < len(m.Own); i++ {
		allowed = max(allowed, float64(m.Own[i]-m.Own[i-1])/float64(m.Axis[i]-m.Axis[i-1]))
	}
	if back := m.ToOwn(m.ToAxis(own)); math.Abs(float64(back-own)) > allowed {
		t.Fatalf("%d comes back as %d, want within %v", own, back, allowed)
	}
}

// naiveMap interpolates with fractions and rounds half up.
func naiveMap(from, to []int64, t int64) int64 {
	last := len(from) - 1
	switch {
	case t <= from[0]:
		return to[0] + t - from[0]
	case t >= from[last]:
		return to[last] + t - from[last]
	}
	i := 1
	for t > from[i] {
		i++
	}
	exact := big.NewRat(t-from[i-1], from[i]-from[i-1])
	exact.Mul(exact, new(big.Rat).SetInt64(to[i]-to[i-1]))
	exact.Add(exact, big.NewRat(2*to[i-1]+1, 2))
	return new(big.Int).Div(exact.Num(), exact.Denom()).Int64()
}

func TestMapFarAway(t *testing.T) {
	m := &Map{Own: []int64{-5, 10, math.MaxInt64/2 - 1}, Axis: []int64{0, 1 << 60, 1<<60 + 1}}
	for _, own := range []int64{math.MinInt64 + 1, -6, -5, 0, 10, 11, 1 << 61, math.MaxInt64} {
		if before, at := m.ToAxis(max(own, math.MinInt64+2)-1), m.ToAxis(own); before > at {
			t.Errorf("%d is at %d, and one ns before at %d", own, at, before)
		}
	}
	if m.ToAxis(trace.NoTime) != trace.NoTime {
		t.Error("no time became a time")
	}
}

// Works takes 10 ns on each of two workers from 0, then 20 ns on one; Slow takes
// twice as long.
func TestAlignByHand(t *testing.T) {
	work := tracetest.MustParse(head + `
table task
key kind worker start end order iteration
1   K    1      0     10  0     0
2   K    2      0     10  1     1
3   K    1      20    40  2     2
`)
	slow := tracetest.MustParse(head + `
table task
key kind worker start end order iteration
1   K    1      0     20  0     0
2   K    1      20    40  1     2
3   K    1      40    80  2     1
`)
	for _, c := range []struct {
		mode      Mode
		own, axis []int64
	}{
		{Start, []int64{0}, []int64{0}},
		{End, []int64{80}, []int64{40}},
		{Iteration, []int64{0, 20}, []int64{0, 20}},
	} {
		m, err := Align(work, slow, c.mode)
		if err != nil || !slices.Equal(m.Own, c.own) || !slices.Equal(m.Axis, c.axis) {
			t.Errorf("%s: found %+v, %v; want %v at %v", c.mode, m, err, c.own, c.axis)
		}
	}
	m, err := Align(work, slow, Progress)
	if err != nil {
		t.Fatal(err)
	}
	// 5 % of 40 ns of work is 2 ns, done after 1 ns on two workers and after 4 ns
	// of 80. Half is done at 10 here, and at 40 there.
	for _, c := range [][2]int64{{0, 0}, {4, 1}, {40, 10}, {44, 22}, {80, 40}, {81, 41}} {
		if at := m.ToAxis(c[0]); at != c[1] {
			t.Errorf("%d is at %d, want %d", c[0], at, c[1])
		}
	}
}

func TestAlignErrors(t *testing.T) {
	none := tracetest.MustParse(head)
	for _, mode := range Modes {
		if m, err := Align(tracetest.Tiny(), none, mode); err == nil {
			t.Errorf("%s: found %+v for a run without tasks", mode, m)
		}
	}
	if _, err := Align(tracetest.Tiny(), tracetest.Tiny(), "middle"); err == nil {
		t.Error("an unknown mode was taken")
	}
}

// naiveWhen asks at every nanosecond how much of the work is done.
func naiveWhen(run *trace.Run, parts int) []int64 {
	from, to := int64(math.MaxInt64), int64(math.MinInt64)
	total := int64(0)
	each := func(f func(start, end int64)) {
		for i := range run.Task.Start {
			if run.Task.Counted(i) {
				f(run.Task.Start[i], run.Task.End[i])
			}
		}
	}
	each(func(s, e int64) { from, to, total = min(from, s), max(to, e), total+e-s })
	times := []int64{from}
	for at := from; len(times) < parts; at++ {
		done := int64(0)
		each(func(s, e int64) { done += min(max(at-s, 0), e-s) })
		for len(times) < parts && done >= total*int64(len(times))/int64(parts) {
			times = append(times, at)
		}
	}
	return append(times, to)
}

func TestWorkIsTheNaiveOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := tracetest.Random(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 12).Draw(t, "tasks"))
		parts := rapid.IntRange(1, 25).Draw(t, "parts")
		if got, want := newWork(run, false).when(parts), naiveWhen(run, parts); !slices.Equal(got, want) {
			t.Fatalf("got  %v\nwant %v", got, want)
		}
	})
}
