package panel_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"dagscope/explain/numbers/panels"
	"dagscope/show/panel/core"
	"dagscope/show/panel/paneltest"
	"dagscope/trace"
)

// The values that are read at an instant add up to those of the raw numbers
// there.
func TestReadingsAddUpToTheData(t *testing.T) {
	run := readBundled(t, "sg-mirage-n12-dmdas")
	for id, last := range map[string]string{"gflops": "rate", "usedmemory": "used", "bandwidth": "rate", "breakdown": ""} {
		v, err := paneltest.Open(id, run, []*trace.Run{run}, core.Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, end, _ := panels.Extent(run)
		for _, at := range []int64{0, end / 5, end / 3, end / 2, end * 4 / 5} {
			got := 0.0
			readings := v.(core.Reader).At(at)
			for _, r := range readings {
				x, err := strconv.ParseFloat(strings.ReplaceAll(r.Value, "\u2009", ""), 64)
				if err != nil {
					t.Fatalf("%s: value %q", id, r.Value)
				}
				if r.Label != "all" {
					got += x
				}
			}
			want := 12.0 // workers
			if last != "" {
				want = rawAt(t, run, id, last, at)
			}
			if math.Abs(got-want) > 1e-4*math.Abs(want)+1e-3 {
				t.Errorf("%s at %d ns: readings %v add up to %g, want %g", id, at, readings, got, want)
			}
		}
	}
}

// rawAt sums a column of the raw numbers over the pieces that hold an instant.
func rawAt(t *testing.T, run *trace.Run, id, column string, at int64) (sum float64) {
	t.Helper()
	n, err := panels.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	table, err := n.Table(run, &panels.Settings{From: trace.NoTime, To: trace.NoTime, Raw: true})
	if err != nil {
		t.Fatal(err)
	}
	var start, end []int64
	var value []float64
	for i, c := range table.Columns {
		switch c.Name {
		case "start":
			start = table.Data[i].([]int64)
		case "end":
			end = table.Data[i].([]int64)
		case column:
			value = table.Data[i].([]float64)
		}
	}
	for i := range start {
		if start[i] <= at && at < end[i] {
			sum += value[i]
		}
	}
	return sum
}
