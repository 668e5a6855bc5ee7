package nodes

import (
	"testing"

	"dagscope/show/panel/core"
	"dagscope/trace/tracetest"
)

// The axes of the node summaries of several runs end alike.
func TestNodeSummariesShareAnAxis(t *testing.T) {
	short := tracetest.Cholesky(tracetest.Options{Tiles: 4, Nodes: 2, CPUs: 1})
	long := tracetest.Cholesky(tracetest.Options{Tiles: 12, Nodes: 2, CPUs: 1})
	var views []core.View
	for _, run := range []*core.Options{{}, {}} {
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
	before := views[0].Draw(core.Query{Width: 300}).X.Max
	for _, v := range views {
		v.(core.Aligned).Align(views)
	}
	a, b := views[0].Draw(core.Query{Width: 300}).X.Max, views[1].Draw(core.Query{Width: 300}).X.Max
	if a != b || a <= before {
		t.Errorf("axes end at %g and %g, the shorter at %g by itself", a, b, before)
	}
}
