package pyramid

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestTracksDoNotOverlapAndAreFew(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		n := r.IntN(60)
		start, end := make([]int64, n), make([]int64, n)
		for i := range start {
			start[i] = r.Int64N(100)
		}
		slices.Sort(start)
		most := 0
		for i := range start {
			end[i] = start[i] + r.Int64N(30)
		}
		for i := range start { // the most at one instant begin with some span
			at := 0
			for k := range start {
				if start[k] <= start[i] && (end[k] > start[i] || k == i) {
					at++
				}
			}
			most = max(most, at)
		}
		track, tracks, ok := Tracks(start, end, n)
		if !ok || tracks > most {
			t.Fatalf("seed %d: %d tracks, want at most %d", seed, tracks, most)
		}
		for own := range tracks {
			var s, e []int64
			for i, k := range track {
				if int(k) == own {
					s, e = append(s, start[i]), append(e, end[i])
				}
			}
			if len(s) == 0 || Overlap(s, e) {
				t.Fatalf("seed %d: track %d has spans %v to %v", seed, own, s, e)
			}
		}
		if tracks > 1 {
			if _, _, ok := Tracks(start, end, tracks-1); ok {
				t.Fatalf("seed %d: %d tracks hold what takes %d", seed, tracks-1, tracks)
			}
		}
	}
}

func TestOverlap(t *testing.T) {
	for _, c := range []struct {
		start, end []int64
		want       bool
	}{
		{nil, nil, false},
		{[]int64{0, 5}, []int64{5, 6}, false},
		{[]int64{0, 4}, []int64{5, 6}, true},
		{[]int64{0, 5, 5}, []int64{5, 5, 6}, false},
		{[]int64{3}, []int64{2}, true},
	} {
		if got := Overlap(c.start, c.end); got != c.want {
			t.Errorf("spans %v to %v: %t, want %t", c.start, c.end, got, c.want)
		}
	}
}
