package cli

import (
	"strconv"
	"strings"
	"testing"

	"dagscope/explain/compare"
)

// The cells of an estimate add up from left to right; transfers that happen
// while the worker is busy are named behind what they add.
func TestEstimateCellsAddUp(t *testing.T) {
	for want, x := range map[string]*compare.Estimate{
		"0.000 of 3.716": {Available: 618e3, Queued: 7.5e6, Transfer: 3.716e6, Duration: 7e5, End: 8.818e6},
		"1.239":          {Available: -2e6, Queued: 1e6, Transfer: 1.239e6, Exposed: 1.239e6, Duration: 17e6, End: 18.239e6},
	} {
		cells := estimateCells(x)
		if cells[2] != want {
			t.Errorf("transfers %q, want %q", cells[2], want)
		}
		sum := 0.0
		for _, c := range cells[:4] {
			first, _, _ := strings.Cut(c, " ")
			v, err := strconv.ParseFloat(first, 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += v
		}
		if got := estimateCell(1e6 * sum); got != cells[4] {
			t.Errorf("%v add up to %s, want %s", cells[:4], got, cells[4])
		}
	}
}
