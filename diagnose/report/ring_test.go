package report

import (
	"strings"
	"testing"
)

// A window that a ring does not hold is said to be one.
func TestRingCut(t *testing.T) {
	for _, c := range []struct {
		complete, from int64
		want           string
	}{{5e6, 0, "before 5.000 ms the ring does not hold"}, {5e6, 5e6, "from where the ring holds"}} {
		if got := ringCut(c.complete, c.from); !strings.Contains(got, c.want) {
			t.Errorf("complete from %d, window from %d: found %q, wanted %q", c.complete, c.from, got, c.want)
		}
	}
	if got := ringCut(5e6, 6e6); got != "" {
		t.Errorf("found %q of a window that is held", got)
	}
}
