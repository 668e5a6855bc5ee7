package kind

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// Groups partition the tasks that have the counter; sums and extremes are what
// a loop over the table gives. No real run with counters is at hand: these are
// of a generator.
func TestCounterGroupsPartition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := tracetest.Sparse(tracetest.SparseOptions{Seed: rapid.Uint64().Draw(t, "seed"), Depth: 3})
		for _, event := range Counters(run) {
			want, got := 0.0, 0.0
			e := run.Counter.Event.Find(event)
			for i, v := range run.Counter.Value {
				if run.Counter.Event.Index[i] == e {
					want += float64(v)
				}
			}
			seen := map[int32]bool{}
			for _, g := range CounterGroups(run, event, Options{}) {
				s := g.Statistics()
				got += s.Total
				if s.Min != float64(slices.Min(g.Value)) || s.Max != float64(slices.Max(g.Value)) || s.Q25 > s.Median || s.Median > s.Q75 {
					t.Fatalf("statistics %+v", s)
				}
				for _, task := range g.Task {
					if seen[task] || run.Task.Kind.Index[task] != g.Kind {
						t.Fatalf("task %d is in the wrong group", task)
					}
					seen[task] = true
				}
			}
			if got != want {
				t.Fatalf("%s: groups count %g, the table %g", event, got, want)
			}
		}
	})
}

func TestCorrelationIsOfRanks(t *testing.T) {
	g := CounterGroup{Value: []int64{1, 8, 27, 1000}, Duration: []int64{10, 20, 30, 40}}
	if c := g.Statistics().Correlation; c != 1 {
		t.Errorf("what rises together has correlation %g", c)
	}
	g.Duration = []int64{4, 3, 2, 1}
	if c := g.Statistics().Correlation; c != -1 {
		t.Errorf("what falls has %g", c)
	}
	g.Duration = []int64{5, 5, 5, 5}
	if c := g.Statistics().Correlation; !math.IsNaN(c) {
		t.Errorf("what does not vary has %g", c)
	}
}

func TestRunsWithoutCounters(t *testing.T) {
	if e := Counters(tracetest.Tiny()); len(e) != 0 {
		t.Errorf("counters %v", e)
	}
	if g := CounterGroups(&trace.Run{}, "x", Options{}); len(g) != 0 {
		t.Errorf("groups %v", g)
	}
}
