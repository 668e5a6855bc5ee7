package panel_test

import (
	"math"
	"testing"

	"dagscope/explain/numbers/panels"
	"dagscope/show/panel/core"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// Both curves hold all the work of the run, averaged or not.
func TestParallelismHoldsTheWork(t *testing.T) {
	n, err := panels.Find("parallelism")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(20) {
		run := tracetest.Random(seed, 400)
		want := 0.0
		for v := range run.Task.Start {
			want += float64(run.Task.End[v] - run.Task.Start[v])
		}
		for _, raw := range []bool{false, true} {
			table, err := n.Table(run, &panels.Settings{Raw: raw})
			if err != nil {
				t.Fatal(err)
			}
			sum := map[string]float64{}
			name, start, end, tasks := table.Data[0].(*trace.Strings), table.Data[1].([]int64), table.Data[2].([]int64), table.Data[3].([]float64)
			for i := range start {
				sum[name.At(i)] += float64(end[i]-start[i]) * tasks[i]
			}
			for curve, got := range sum {
				if math.Abs(got-want) > 1e-6*want || len(sum) != 2 {
					t.Fatalf("seed %d, raw %v: curve %s holds %v, want %v", seed, raw, curve, got, want)
				}
			}
		}
	}
}

// What lacks is drawn only where the profile is below the workers: a chain
// lacks all along on two workers, a wide fork hardly.
func TestParallelismFillsWhatLacks(t *testing.T) {
	for _, c := range []struct {
		run   *trace.Run
		share string
	}{
		{tracetest.Fork(0, 2), "100 %"},
		{tracetest.Fork(98, 2), "66.67 %"}, // fork and join, 10 of 30 ns each
	} {
		p := open(t, "parallelism", c.run, core.Options{}).Draw(core.Query{T0: 0, T1: 10, Width: 300})
		if got := p.Legend[len(p.Legend)-1].Detail; got != c.share {
			t.Errorf("too few tasks for %s of the span, want %s", got, c.share)
		}
		if p.X == nil || p.X.Max != 100 {
			t.Errorf("axis %+v", p.X)
		}
	}
}
