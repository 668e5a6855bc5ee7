package spacetime

import (
	"testing"

	"dagscope/explain/breakdown"
	"dagscope/explain/region"
	"dagscope/read"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/trace"
)

// Tasks have the colour of the construct with the latest begin that their thread is in when they begin.
func TestTasksByRegion(t *testing.T) {
	run, err := read.Read("../../../read/ompt/testdata/m20_crit_for.csv.gz", read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	view, err := openSpaceTime(run, &core.Options{SpaceTime: core.SpaceTime{Color: core.ShadeRegion}})
	if err != nil {
		t.Fatal(err)
	}
	v := view.(*spaceTime)
	from, to := breakdown.Recording(run)
	places := kit.NewPlaces(region.Find(run, from, to, nil))
	spans, inside := v.gantt.Sorted(), 0
	for i, row := range spans.Row {
		want, latest := places.Outside(), int64(trace.NoTime)
		for k, r := range run.Share.Resource {
			if s := &run.Share; r == run.Task.Worker[row] && s.Start[k] <= spans.Start[i] && spans.Start[i] < s.Leave[k] && (latest == trace.NoTime || s.Start[k] >= latest) {
				want, latest = places.Class[places.Facts.Of[s.Construct[k]]], s.Start[k]
			}
		}
		if want != places.Outside() {
			inside++
		}
		if spans.Class[i] != want {
			t.Errorf("task %d at %d: found %s, want %s", row, spans.Start[i], places.Names[spans.Class[i]], places.Names[want])
		}
	}
	if inside == 0 {
		t.Errorf("found no task in a construct, of %d", len(spans.Row))
	}
	if _, err := openSpaceTime(&trace.Run{}, &core.Options{SpaceTime: core.SpaceTime{Color: core.ShadeRegion}}); err == nil {
		t.Error("a run without regions is coloured by them")
	}
}
