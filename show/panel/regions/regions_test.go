package regions

import (
	"testing"

	"dagscope/explain/breakdown"
	"dagscope/explain/lock"
	"dagscope/explain/region"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/read"
	"dagscope/show/panel/core"
	"dagscope/trace"
)

func open(t *testing.T) (*trace.Run, *view) {
	t.Helper()
	run, err := read.Read("../../../explain/region/testdata/loops.csv", read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := core.Find("regions")
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.View(run, &core.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return run, v.(*view)
}

// All that threads worked is drawn once: in a construct or outside of all, or as waiting for
// a lock. Work of loops and of what is in no construct is what explain/region counts.
func TestPiecesAddUp(t *testing.T) {
	run, v := open(t)
	from, to := breakdown.Recording(run)
	busy := v.gantt.BusyIn(core.Query{T0: from, T1: to})
	var work, barriers, want, wantBarriers int64
	for c, ns := range busy {
		switch {
		case c < int(v.barrier()):
			work += ns
		case c < int(v.lock()):
			barriers += ns
		}
	}
	lanes, at := schedule.Build(run, nil), region.Barriers(run)
	for r, lane := range v.gantt.Lanes.Of {
		if lane >= 0 {
			want += lanes.Work(int32(r)).Length()
			wantBarriers += interval.Subtract(at[r], lanes.Work(int32(r))).Length()
		}
	}
	waits := lock.Find(run, 0, 0).Waiting()
	if waits == 0 || busy[v.lock()] != waits || work+waits != want || barriers != wantBarriers || barriers == 0 {
		t.Errorf("drawn are work %d, barriers %d and waits for locks %d, want %d, %d and %d", work, barriers, busy[v.lock()], want-waits, wantBarriers, waits)
	}
	f, loops := region.Find(run, from, to, nil), 0
	for i := range f.Places {
		p := &f.Places[i]
		for c, name := range v.names {
			if p.Kind != trace.ConstructLoop || name != f.Name(i) {
				continue
			}
			loops++
			if busy[c] != p.Work-p.Lock {
				t.Errorf("drawn is work %d of %s, want %d", busy[c], name, p.Work-p.Lock)
			}
		}
	}
	if loops == 0 {
		t.Errorf("found no loop among %q", v.names)
	}
	// Between the begin of a region and that of the thread's part in it lie microseconds.
	if out, want := busy[len(v.names)-1], f.Serial.Work-f.Serial.Lock; out < want || out > want+want/1000 {
		t.Errorf("drawn is work %d outside of regions, want %d", out, want)
	}
}

// The numbers behind a window are those of that window.
func TestNumbersOfTheWindow(t *testing.T) {
	run, v := open(t)
	from, to := breakdown.Recording(run)
	half := core.Query{T0: from, T1: (from + to) / 2}
	f := region.Find(run, half.T0, half.T1, nil)
	got := v.Data(half)
	if got.Rows() != len(f.Places)+1 {
		t.Fatalf("found %d rows, want %d places and the time outside of them", got.Rows(), len(f.Places))
	}
	for i, c := range got.Columns {
		if c.Name != "work" {
			continue
		}
		for k := range f.Places {
			if n := got.Data[i].([]int64)[k]; n != f.Places[k].Work {
				t.Errorf("row %d: found work %d, want %d", k, n, f.Places[k].Work)
			}
		}
	}
	if none, err := core.Find("regions"); err != nil {
		t.Error(err)
	} else if _, err := none.View(&trace.Run{}, &core.Options{}); err == nil {
		t.Error("a run without regions is drawn")
	}
}
