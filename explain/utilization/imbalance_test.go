package utilization_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"dagscope/explain/kind"
	"dagscope/explain/utilization"
	"dagscope/internal/interval"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b)) }

// naiveUse counts the ns of a slice in which a worker ran a task, one by one.
func naiveUse(run *trace.Run, worker int32, from, to int64) float64 {
	covered := make([]bool, to-from)
	pieces := func(start, end int64) {
		for at := max(start, from); at < min(end, to); at++ {
			covered[at-from] = true
		}
	}
	for i, w := range run.Task.Worker {
		if !(kind.Options{}).Counts(&run.Task, i) || run.Task.Kind.Index[i] < 0 {
			continue
		}
		split := false
		for k, task := range run.Segment.Task {
			if int(task) == i {
				split = true
				if run.Segment.Worker[k] == worker {
					pieces(run.Segment.Start[k], run.Segment.End[k])
				}
			}
		}
		if !split && w == worker {
			pieces(run.Task.Start[i], run.Task.End[i])
		}
	}
	sum := 0.0
	for _, c := range covered {
		if c {
			sum++
		}
	}
	return sum / float64(to-from)
}

func TestUtilizationIsWhatTasksCover(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := tracetest.Random(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, 60).Draw(t, "tasks"))
		s := interval.Slices{From: rapid.Int64Range(-50, 100).Draw(t, "from"), Step: rapid.Int64Range(1, 90).Draw(t, "step")}
		s.To = s.From + rapid.Int64Range(1, 600).Draw(t, "span")
		u := utilization.BySlice(run, s, utilization.SliceOptions{})
		if !slices.Equal(u.Worker, kind.Workers(run)) {
			t.Fatalf("workers %v, want %v", u.Worker, kind.Workers(run))
		}
		for i, w := range u.Worker {
			for k, got := range u.Share[i] {
				from, to := s.Bounds(k)
				if want := naiveUse(run, w, from, to); !near(got, want) {
					t.Fatalf("worker %d in slice %d: %g, want %g", w, k, got, want)
				}
			}
		}
	})
}

func of(shares ...float64) *utilization.Shares {
	u := &utilization.Shares{Slices: interval.Slices{To: 1, Step: 1}}
	for i, s := range shares {
		u.Worker, u.Share = append(u.Worker, int32(i)), append(u.Share, []float64{s})
	}
	return u
}

func TestMetricsOfKnownUtilisations(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name                    string
		share, power            []float64
		percent, time, sd, mean float64
	}{
		{"even", []float64{0.5, 0.5, 0.5}, []float64{1, 1, 1}, 0, 0, 0, 0.5},
		{"one does everything", []float64{0, 0.8, 0, 0}, []float64{1, 1, 1, 1}, 1, 0.6, 0.4, 0.2},
		{"one of unequal power does everything", []float64{0, 0.8}, []float64{1, 3}, 1, 0.2, 0.8 / math.Sqrt2, 0.6},
		{"nothing", []float64{0, 0}, []float64{1, 1}, nan, 0, 0, 0},
		{"one worker", []float64{0.7}, []float64{2}, 0, 0, 0, 0.7},
		{"no worker counts", []float64{0.7, 0.1}, []float64{0, 0}, 0, 0.7, 0.6 / math.Sqrt2, 0},
		{"ties: the strongest counts", []float64{0.5, 0.5, 0}, []float64{1, 2, 1}, 0.25 * 4 / 2, 0.125, math.Sqrt(1.0 / 12), 0.375},
	} {
		m := of(c.share...).Weighted(c.power)
		for what, v := range map[string][2]float64{"percent": {m.Percent[0], c.percent}, "time": {m.Time[0], c.time},
			"deviation": {m.SD[0], c.sd}, "mean": {m.Mean[0], c.mean}} {
			if !near(v[0], v[1]) && !(math.IsNaN(v[0]) && math.IsNaN(v[1])) {
				t.Errorf("%s: %s is %g, want %g", c.name, what, v[0], v[1])
			}
		}
	}
}

// The bound of a slice is at most what the most used worker did, and at least
// the mean use where there is one architecture; one worker less needs longer.
func TestAreaBoundsOfSlices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := tracetest.Options{Tiles: rapid.IntRange(1, 8).Draw(t, "tiles"), CPUs: rapid.IntRange(1, 4).Draw(t, "cpus"),
			GPUs: rapid.IntRange(0, 2).Draw(t, "gpus"), Nodes: rapid.IntRange(1, 2).Draw(t, "nodes"), Seed: rapid.Uint64().Draw(t, "seed")}
		run := tracetest.Cholesky(o)
		end := slices.Max(run.Task.End)
		s := interval.Slices{To: end, Step: end/int64(rapid.IntRange(1, 12).Draw(t, "slices")) + 1}
		u := utilization.BySlice(run, s, utilization.SliceOptions{})
		a, err := u.Areas(run, utilization.SliceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		plain, m := u.Plain(), u.Area(a, utilization.SliceOptions{})
		for k := range a.All {
			length := s.Over(k, interval.ExistingPart)
			most := plain.Mean[k] + plain.Time[k]
			if math.IsNaN(a.All[k]) {
				if most > 0 {
					t.Fatalf("slice %d has no bound, and utilisation %g", k, most)
				}
				continue
			}
			if a.All[k] > most*length*(1+1e-6) || a.Without[k] < a.All[k]*(1-1e-6) || a.Without[k] > length {
				t.Fatalf("slice %d of %g ns: bound %g, one worker less %g, most used %g", k, length, a.All[k], a.Without[k], most*length)
			}
			if o.GPUs == 0 && math.Abs(a.All[k]-plain.Mean[k]*length) > 1e-6*length {
				t.Fatalf("slice %d: bound %g of alike workers, want %g", k, a.All[k], plain.Mean[k]*length)
			}
			if math.Abs(m.Time[k]-max(0, most-a.All[k]/length)) > 1e-6 {
				t.Fatalf("slice %d: time %g", k, m.Time[k])
			}
		}
	})
}

// What StarVZ loses: the task that begins at zero, workers that ran nothing, and
// part of the last slice.
func TestCorrectedValuesDifferFromStarVZ(t *testing.T) {
	run := tracetest.Tiny() // CPU0 runs [0, 40), [40, 100), [110, 150)
	s := interval.Slices{To: 150, Step: 100}
	ours, theirs := utilization.BySliceForAreas(run, s, utilization.SliceOptions{}), utilization.BySliceForAreas(run, s, utilization.SliceOptions{StarVZ: true})
	cpu := slices.Index(ours.Worker, 10)
	if !near(ours.Share[cpu][0], 1) || !near(theirs.Share[cpu][0], 0.6) {
		t.Errorf("first slice: %g and %g, want 1 and 0.6", ours.Share[cpu][0], theirs.Share[cpu][0])
	}
	if !near(ours.Share[cpu][1], 0.8) || !near(theirs.Share[cpu][1], 0.4) {
		t.Errorf("last slice: %g and %g, want 0.8 and 0.4", ours.Share[cpu][1], theirs.Share[cpu][1])
	}
	wide := tracetest.Cholesky(tracetest.Options{Tiles: 2, CPUs: 30})
	if a, b := utilization.BySlice(wide, s, utilization.SliceOptions{}), utilization.BySlice(wide, s, utilization.SliceOptions{StarVZ: true}); len(a.Worker) != 30 || len(b.Worker) >= 30 {
		t.Errorf("%d and %d workers, want 30 and fewer", len(a.Worker), len(b.Worker))
	}
}

func TestPowersAreSpeeds(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 8, CPUs: 3, GPUs: 2, Exact: true})
	o := utilization.SliceOptions{}
	k := utilization.PowerKind(run, o)
	workers := kind.Workers(run)
	power := utilization.Powers(run, workers, k, o)
	for i, w := range workers {
		if !(power[i] > 0) {
			t.Errorf("worker %s has power %g on %s", run.Resource.Name.At(int(w)), power[i], run.Task.Kind.Dict[k])
		}
	}
	if k := utilization.PowerKind(&trace.Run{}, o); k != trace.None {
		t.Errorf("kind %d of nothing", k)
	}
}

func BenchmarkAreas(b *testing.B) {
	run := tracetest.CholeskyTasks(100_000, tracetest.Options{Nodes: 8, Without: tracetest.Bare})
	end := slices.Max(run.Task.End)
	s := interval.Slices{To: end, Step: end/100 + 1}
	for b.Loop() {
		u := utilization.BySlice(run, s, utilization.SliceOptions{})
		if _, err := u.Areas(run, utilization.SliceOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
