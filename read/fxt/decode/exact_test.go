package decode_test

import (
	"math"
	"testing"

	"dagscope/read"
	"dagscope/trace"
)

// TestRatesAreExact wants what rates add up to over time to be the work of the
// tasks of each worker, and the bytes that each memory and node received and
// sent: nothing is smoothed, nothing lost.
func TestRatesAreExact(t *testing.T) {
	eachCase(t, func(t *testing.T, dir string) {
		run := readAs(t, dir, read.FxT)
		got := integrals(&run.Sample)
		for what, want := range moved(run) {
			if math.Abs(got[what]-want) > 1e-6*want {
				t.Errorf("%s of %s: found %v, wanted %v", what.metric, run.Resource.Name.At(int(what.resource)), got[what], want)
			}
			delete(got, what)
		}
		for what, amount := range got {
			if isRate(what.metric) && amount != 0 {
				t.Errorf("%s of %s: found %v, wanted nothing", what.metric, run.Resource.Name.At(int(what.resource)), amount)
			}
		}
	})
}

// quantity is a metric of a place.
type quantity struct {
	metric   string
	resource int32
}

// integrals are the sums of samples over time, times a second.
func integrals(s *trace.Samples) map[quantity]float64 {
	sum := map[quantity]float64{}
	for i := range s.Time {
		of := quantity{s.Metric.At(i), s.Resource[i]}
		if i+1 < len(s.Time) && s.Resource[i+1] == of.resource && s.Metric.Index[i+1] == s.Metric.Index[i] {
			sum[of] += s.Value[i] * float64(s.Time[i+1]-s.Time[i]) * 1e-9
		}
	}
	return sum
}

// moved is what was worked off and moved, in the units of the rates.
func moved(run *trace.Run) map[quantity]float64 {
	sum := map[quantity]float64{}
	for worker, tasks := range tasksOfWorkers(run) {
		for _, i := range tasks {
			sum[quantity{gflops, worker}] += gflopOf(run, i)
			sum[quantity{totalGFlops, schedulerOf(run, worker)}] += gflopOf(run, i)
		}
	}
	tr := &run.Transfer
	for i := range tr.Start {
		if tr.Kind.At(i) != trace.TransferSteal {
			sum[quantity{bandwidth, tr.From[i]}] += float64(tr.Bytes[i]) / 1e6
			sum[quantity{bandwidthIn, tr.To[i]}] += float64(tr.Bytes[i]) / 1e6
		}
	}
	return sum
}
