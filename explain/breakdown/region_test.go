package breakdown

import (
	"strings"
	"testing"

	"dagscope/trace"
)

func TestRegion(t *testing.T) {
	run := &trace.Run{}
	for i, e := range [][2]string{{"mark", "a"}, {"parallel begin", "2"}, {"mark", "b"}, {"parallel end", ""}, {"parallel begin", "2"},
		{"mark", "a"}, {"mark", "b"}, {"parallel end", ""}} {
		run.Event.Kind.Append(e[0])
		run.Event.Value.Append(e[1])
		run.Event.Time = append(run.Event.Time, int64(10*i-5))
	}
	for name, want := range map[string][2]int64{"parallel": {5, 65}, "a..b": {-5, 55}, "b..a": {15, 45}} {
		from, to, err := Region(run, name)
		if err != nil || from != want[0] || to != want[1] {
			t.Errorf("%s: found %d to %d, error %v; wanted %v", name, from, to, err, want)
		}
	}
	for name, want := range map[string]string{
		"a": "wanted parallel or two marks", "..b": "wanted parallel", "a..c": `found no mark "c", wanted one of a, b`,
	} {
		if _, _, err := Region(run, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: found error %v, wanted %q", name, err, want)
		}
	}
	// One end only: the other is that of the recording.
	for _, kind := range []string{"parallel begin", "parallel end"} {
		one := &trace.Run{Meta: trace.Meta{Lifetimes: true, Horizon: 20}}
		for i, k := range []string{"mark", kind, "mark"} {
			one.Event.Kind.Append(k)
			one.Event.Value.Append("")
			one.Event.Time = append(one.Event.Time, int64(10*i))
		}
		first, last := Recording(one)
		want := map[string][2]int64{"parallel begin": {10, last}, "parallel end": {first, 10}}[kind]
		if from, to, err := Region(one, "parallel"); err != nil || from != want[0] || to != want[1] || Cut(one, "parallel") == "" {
			t.Errorf("only a %s: found %d to %d (%s), error %v; wanted %v", kind, from, to, Cut(one, "parallel"), err, want)
		}
	}
	if _, _, err := Region(&trace.Run{Meta: trace.Meta{Lifetimes: true}}, "parallel"); err == nil || !strings.Contains(err.Error(), "the program began none") {
		t.Errorf("found error %v", err)
	}
	if Cut(run, "parallel") != "" {
		t.Errorf("found %q of a whole region", Cut(run, "parallel"))
	}
	if _, _, err := Region(&trace.Run{}, "parallel"); err == nil || !strings.Contains(err.Error(), "found no parallel region") {
		t.Errorf("found error %v", err)
	}
}

// A ring's recording begins where the last thread's does.
func TestRingRegion(t *testing.T) {
	run := &trace.Run{Meta: trace.Meta{Lifetimes: true, Horizon: 90}}
	for i, kind := range []string{"records begin", "parallel begin", "records begin", "parallel end"} {
		run.Event.Kind.Append(kind)
		run.Event.Value.Append("")
		run.Event.Time = append(run.Event.Time, int64(10*i-20))
	}
	if from, to := Recording(run); from != 0 || to != 90 {
		t.Errorf("found %d to %d, wanted 0 to 90", from, to)
	}
	if from, to, err := Region(run, "parallel"); err != nil || from != 0 || to != 10 {
		t.Errorf("found a region from %d to %d, error %v; wanted 0 to 10", from, to, err)
	}
	if Complete(run) != 0 || Complete(&trace.Run{}) != trace.NoTime {
		t.Errorf("complete from %d, without a ring %d", Complete(run), Complete(&trace.Run{}))
	}
}

// Marks of several processes: that the region is over all is said.
func TestRegionOfProcesses(t *testing.T) {
	run := &trace.Run{}
	run.Resource.Node = []int32{0, 1}
	for i, mark := range []string{"a", "b", "a", "b"} {
		run.Event.Kind.Append("mark")
		run.Event.Value.Append(mark)
		run.Event.Time = append(run.Event.Time, int64(i))
		run.Event.Resource = append(run.Event.Resource, int32(i/2))
	}
	if got := Cut(run, "a..b"); !strings.Contains(got, "over 2 processes") {
		t.Errorf("found %q, wanted both processes", got)
	}
	run.Event.Resource = make([]int32, 4)
	if got := Cut(run, "a..b"); got != "" {
		t.Errorf("found %q of one process", got)
	}
}
