package breakdown

import (
	"testing"

	"dagscope/trace"
)

func TestPaused(t *testing.T) {
	run := &trace.Run{}
	run.Resource.Node = []int32{0, 1}
	for _, e := range []struct {
		time     int64
		resource int32
		value    string
	}{{10, 0, "start"}, {20, 0, "pause"}, {30, 1, "pause"}, {35, 1, "pause"}, {40, 0, "start"}, {50, 1, "start"}, {70, 0, "pause"}} {
		run.Event.Kind.Append("control")
		run.Event.Value.Append(e.value)
		run.Event.Time, run.Event.Resource = append(run.Event.Time, e.time), append(run.Event.Resource, e.resource)
	}
	for _, w := range [][3]int64{{0, 100, 60}, {0, 20, 0}, {25, 45, 20}, {55, 65, 0}, {80, 90, 10}} {
		if got := Paused(run, w[0], w[1]); got != w[2] {
			t.Errorf("[%d, %d): found %d paused, wanted %d", w[0], w[1], got, w[2])
		}
	}
	run.Meta.Environment = map[string]string{"DAGSCOPE_OMPT_START": "paused"}
	run.Resource.Level.Append(trace.LevelWorker)
	run.Resource.Level.Append("node")
	if got := Paused(run, 0, 100); got != 70 {
		t.Errorf("found %d of a recording that began paused, wanted 70", got)
	}
	if got := Paused(&trace.Run{}, 0, 100); got != 0 {
		t.Errorf("found %d without events", got)
	}
}
