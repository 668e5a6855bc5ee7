package panel

import (
	"testing"

	"dagscope/trace/tracetest"
)

// The axes of the node summaries of several runs end alike.
func TestNodeSummariesShareAnAxis(t *testing.T) {
	short := tracetest.Cholesky(tracetest.Options{Tiles: 4, Nodes: 2, CPUs: 1})
	long := tracetest.Cholesky(tracetest.Options{Tiles: 12, Nodes: 2, CPUs: 1})
	var views []View
	for _, run := range []*Options{{}, {}} {
		r := short
		if len(views) == 1 {
			r = long
		}
		v, err := openNodes(r, run)
		if err != nil {
			t.Fatal(err)
		}
		views = append(views, v)
	}
	before := views[0].Draw(Query{Width: 300}).X.Max
	for _, v := range views {
		v.(aligned).align(views)
	}
	a, b := views[0].Draw(Query{Width: 300}).X.Max, views[1].Draw(Query{Width: 300}).X.Max
	if a != b || a <= before {
		t.Errorf("axes end at %g and %g, the shorter at %g by itself", a, b, before)
	}
}
