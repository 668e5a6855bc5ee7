package finding

import (
	"strings"
	"testing"

	"dagscope/explain/bound"
)

// A distribution of data that costs a fiftieth of the makespan or more is a
// finding, whatever is above the bound with it.
func TestDistribution(t *testing.T) {
	for _, c := range []struct {
		cost float64
		gain int64
	}{{0, 0}, {19, 0}, {20, 20}, {300, 300}} {
		b := &bound.Result{Best: bound.Best{Name: "mixed", Time: 500}, Distribution: &bound.Distribution{Best: bound.Best{Name: "head_tail", Time: 500 + c.cost}, Node: 3}}
		found := Find(Input{Makespan: 1000, Bounds: b})
		if c.gain == 0 {
			if len(found) > 0 {
				t.Errorf("cost %g: found %v", c.cost, found)
			}
			continue
		}
		if len(found) != 1 || found[0].ID != "distribution" || found[0].Gain != c.gain || !strings.Contains(found[0].Advice, "node 3") {
			t.Errorf("cost %g: found %+v", c.cost, found)
		}
	}
}
