package processor

import (
	"testing"

	"dagscope/internal/interval"
	"dagscope/trace"
)

// TestSamples: rates hold until the next sample of their thread, and after the last one
// nothing is known.
func TestSamples(t *testing.T) {
	run := &trace.Run{}
	run.Resource.Parent = make([]int32, 2)
	for _, s := range []struct {
		resource int32
		time     int64
		rate     float64
	}{{0, 100, 0.5}, {0, 200, 0}, {0, 300, 1}, {0, 400, 0}, {1, 0, 0.25}, {1, 400, 0}} {
		run.Sample.Metric.Append(trace.MetricQueued)
		run.Sample.Resource = append(run.Sample.Resource, s.resource)
		run.Sample.Time = append(run.Sample.Time, s.time)
		run.Sample.Value = append(run.Sample.Value, s.rate)
	}
	l := Find(run)
	for _, c := range []struct {
		resource int32
		from, to int64
		want     float64
	}{{0, 0, 1000, 150}, {0, 150, 200, 25}, {0, 200, 300, 0}, {0, 350, 360, 10}, {0, 500, 900, 0}, {1, 100, 300, 50}, {0, 50, 50, 0}} {
		if got := l.Within(c.resource, c.from, c.to); got != c.want {
			t.Errorf("lost %v in [%d, %d) of %d, want %v", got, c.from, c.to, c.resource, c.want)
		}
	}
	run.Sample.Value[2], run.Sample.Value[1] = 1.5, 0.25 // 50 ns of a wait that was over at 400 were before 300
	if l := Find(run); l.Within(0, 200, 300) != 75 || l.Within(0, 300, 400) != 100 {
		t.Errorf("lost %v and %v, want 75 and 100", l.Within(0, 200, 300), l.Within(0, 300, 400))
	}
	if got := l.Over(0, interval.Spans{Start: []int64{100, 300}, End: []int64{120, 310}}); got != 20 {
		t.Errorf("lost %v in two spans, want 20", got)
	}
	run.State.Resource, run.State.Start, run.State.End = []int32{1}, []int64{10}, []int64{30} // switches are exact
	run.State.Kind.Append(trace.StateOffCPU)
	if l = Find(run); l.Within(1, 0, 20) != 10 || l.Within(0, 0, 1000) != 0 {
		t.Errorf("lost %v and %v by switches, want 10 and 0", l.Within(1, 0, 20), l.Within(0, 0, 1000))
	}
	if Find(&trace.Run{}) != nil {
		t.Error("found lost time in a run that records none")
	}
}
