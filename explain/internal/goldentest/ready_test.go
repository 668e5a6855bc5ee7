package goldentest

import (
	"math"
	"testing"

	"dagscope/explain/kind"
	"dagscope/explain/progress"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/trace"
)

// The counters of the runtime and their reconstruction from the times of tasks
// must tell the same story.
func TestReconstructionFollowsTheCounters(t *testing.T) {
	each(t, func(t *testing.T, name string, run *trace.Run) {
		window := interval.Slices{From: 0, To: schedule.Makespan(run), Step: schedule.Makespan(run) / 50}
		for _, curve := range []struct {
			counted, rebuilt []progress.Series
		}{
			{progress.Counters(run, progress.ReadyMetric), progress.Ready(run)},
			{progress.Counters(run, progress.SubmittedMetric), progress.Submitted(run)},
		} {
			counted := progress.Slice(progress.ByNode(curve.counted), window, interval.ExistingPart)
			rebuilt := progress.Slice(curve.rebuilt, window, interval.ExistingPart)
			if len(counted.Value) != len(rebuilt.Value) {
				t.Fatalf("%d slices counted, %d rebuilt", len(counted.Value), len(rebuilt.Value))
			}
			var off, most, sum float64
			for i := range counted.Value {
				off += math.Abs(counted.Value[i] - rebuilt.Value[i])
				sum += counted.Value[i]
				most = max(most, math.Abs(counted.Value[i]-rebuilt.Value[i]))
			}
			// The runtime takes a task for running when a worker fetches it, up
			// to two before it starts, and for uncompleted until its callbacks
			// are done: so much may each worker be off.
			if workers := float64(len(kind.Workers(run))); most > 2*workers {
				t.Errorf("%s is off by up to %.3f with %.0f workers", curve.rebuilt[0].Metric, most, workers)
			}
			t.Logf("%s: mean %.3f, off by %.3f, at most %.3f", curve.rebuilt[0].Metric, sum/float64(len(counted.Value)), off/float64(len(counted.Value)), most)
		}
	})
}
