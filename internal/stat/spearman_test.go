package stat

import (
	"math"
	"slices"
	"testing"
)

func TestSpearman(t *testing.T) {
	for _, c := range []struct {
		y    []int64
		want float64
	}{
		{[]int64{10, 20, 30, 40}, 1}, {[]int64{4, 3, 2, 1}, -1}, {[]int64{5, 5, 5, 5}, math.NaN()},
		{[]int64{2, 1, 4, 3}, 0.6}, // 1 − 6·Σd²/(n·(n²−1)) without ties
		{[]int64{1, 1, 2, 2}, 4 / math.Sqrt(20)},
	} {
		got := Spearman([]int64{1, 8, 27, 1000}, c.y)
		if math.Abs(got-c.want) > 1e-12 || math.IsNaN(got) != math.IsNaN(c.want) {
			t.Errorf("rank correlation with %v is %g, want %g", c.y, got, c.want)
		}
	}
	if r := ranks([]int64{7, 3, 7, 1}); !slices.Equal(r, []float64{2.5, 1, 2.5, 0}) {
		t.Errorf("ranks %v", r)
	}
}
