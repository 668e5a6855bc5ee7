package pyramid

import (
	"math"
	"math/rand/v2"
	"testing"
)

// steps makes a step function with some values that last no time.
func steps(r *rand.Rand, n int) *Steps {
	var time []int64
	var value []float64
	at := r.Int64N(50)
	for range n {
		time, value = append(time, at), append(value, float64(r.IntN(40)-10))
		at += r.Int64N(9)
	}
	return NewSteps(time, value)
}

func TestWindowOfSteps(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		s := steps(r, r.IntN([]int{3, 40, 900}[seed%3]))
		for range 40 {
			t0 := r.Int64N(4000) - 100
			t1 := t0 + r.Int64N(4000)
			got, ok := s.Window(t0, t1)
			want, wanted := plainWindow(s, t0, t1)
			if ok != wanted || got.Min != want.Min || got.Max != want.Max || got.NS != want.NS ||
				math.Abs(got.Mean-want.Mean) > 1e-12*max(1, math.Abs(want.Mean)) {
				t.Fatalf("seed %d, %d steps, [%d, %d): %+v %t, want %+v %t", seed, len(s.Time), t0, t1, got, ok, want, wanted)
			}
		}
	}
}

func plainWindow(s *Steps, t0, t1 int64) (w Summary, ok bool) {
	w = Summary{Min: math.Inf(1), Max: math.Inf(-1)}
	integral := 0.0
	if len(s.Time) > 0 {
		t0 = max(t0, s.Time[0])
	}
	for i, at := range s.Time {
		until := int64(math.MaxInt64)
		if i+1 < len(s.Time) {
			until = s.Time[i+1]
		}
		if at >= t1 || until <= t0 && at <= t0 {
			continue
		}
		d := min(until, t1) - max(at, t0)
		if d > 0 || at > t0 {
			w.Min, w.Max = min(w.Min, s.Value[i]), max(w.Max, s.Value[i])
			integral += s.Value[i] * float64(d)
			w.NS += d
		}
	}
	if w.NS == 0 {
		return Summary{}, false
	}
	w.Mean = integral / float64(w.NS)
	return w, true
}

// A short window far into a long function keeps its digits.
func TestStepsLoseNoDigits(t *testing.T) {
	n := 1 << 18
	time, value := make([]int64, n), make([]float64, n)
	for i := range time {
		time[i], value[i] = int64(i)*1_000_000_000, 1e12
	}
	value[n-2] = 0.1
	if w, ok := NewSteps(time, value).Window(time[n-2], time[n-1]); !ok || w.Mean != 0.1 {
		t.Errorf("mean is %v, want 0.1", w.Mean)
	}
}

func BenchmarkStepsWindow(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	s := steps(r, 1_000_000)
	last := s.Time[len(s.Time)-1]
	for b.Loop() {
		t0 := r.Int64N(last)
		s.Window(t0, t0+last/10)
	}
}
