package region_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"dagscope/explain/breakdown"
	"dagscope/explain/lock"
	"dagscope/explain/region"
	"dagscope/read"
	"dagscope/trace"
)

func recording(t *testing.T) *trace.Run {
	t.Helper()
	run, err := read.Read("testdata/loops.csv", read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestOracle: loops and locks of a recording on an overloaded machine are what
// testdata/oracle.py makes of its events.
func TestOracle(t *testing.T) {
	run := recording(t)
	f, locks := region.Find(run, 0, 0, nil), lock.Find(run, 0, 0)
	data, err := os.ReadFile("testdata/loops.expected")
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, got, want int64) {
		if math.Abs(float64(got-want)) > 2000+0.001*float64(want) { // between the end of the work and the wait
			t.Errorf("%s: found %d ns, want %d", what, got, want)
		}
	}
	seen := 0
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		var what, address string
		var v [4]int64
		n, _ := fmt.Sscan(line, &what, &address, &v[0], &v[1], &v[2], &v[3])
		switch {
		case what == "loop" && n == 5:
			for i := range f.Places {
				if p := &f.Places[i]; p.Kind == trace.ConstructLoop && p.Calls == v[0] {
					near("longest of "+address, p.Longest, v[1])
					near("mean of "+address, p.Mean, v[2])
					seen++
				}
			}
		case what == "lock" && n == 6:
			for _, u := range locks.Locks {
				if u.Waiting == v[2] {
					if u.Requests != v[0] || u.Contended != v[1] || u.Holding != v[3] {
						t.Errorf("found lock %+v, want %s", u, line)
					}
					seen++
				}
			}
		default:
			t.Fatalf("found %q", line)
		}
	}
	if seen != 4 {
		t.Errorf("found %d of 4 loops and locks", seen)
	}
}

// TestPartsAddUp: work, idleness and overhead of each place are the time of its shares, and
// the regions that are in no other and the time outside of them are the run's.
func TestPartsAddUp(t *testing.T) {
	run := recording(t)
	f := region.Find(run, 0, 0, nil)
	top := f.Serial.Work
	for i := range f.Places {
		p := &f.Places[i]
		if p.Work+p.Idle+p.Over != p.Time || p.Barrier > p.Idle+p.Over || p.Lock+p.Queued > p.Work || p.Longest < p.Mean {
			t.Errorf("place %+v does not add up", *p)
		}
		if p.Parent < 0 {
			top += p.Work
		}
	}
	b := breakdown.Compute(run, breakdown.Options{Lifetimes: true})
	if total := b.Total(breakdown.Global); math.Abs(float64(top-total.Work)) > 0.002*float64(total.Work) {
		t.Errorf("regions and what is outside of them work %d ns, want %d", top, total.Work)
	}
}

// TestLost: of work, idleness and overhead, waits for locks and time without a processor
// are parts.
func TestLost(t *testing.T) {
	run := recording(t)
	o := breakdown.Options{Lifetimes: true}
	b := breakdown.Compute(run, o)
	l, total := breakdown.FindLost(run, o, b), b.Total(breakdown.Global)
	if l.Lock == nil || l.OffCPU == nil {
		t.Fatalf("found %+v, want locks and processors", l)
	}
	for _, x := range [][3]int64{{l.Lock.Work, l.OffCPU.Work, total.Work}, {l.Lock.Idleness, l.OffCPU.Idleness, total.Idleness}, {l.Lock.Overhead, l.OffCPU.Overhead, total.Overhead}} {
		if x[0] < 0 || x[1] < 0 || x[0]+x[1] > x[2] {
			t.Errorf("of %d ns %d are locks and %d are without a processor", x[2], x[0], x[1])
		}
	}
	if want := lock.Find(run, 0, 0).Waiting(); l.Lock.Sum() != want {
		t.Errorf("waits for locks are %d ns, want %d", l.Lock.Sum(), want)
	}
	if _, processors := l.Forbids(total); !processors {
		t.Error("three threads that shared two busy processors are judged")
	}
	l.OffCPU.Work, l.OffCPU.Overhead = 0, 0
	if locks, processors := l.Forbids(total); locks || processors {
		t.Errorf("locks %v and processors %v forbid to judge a run that lost little", locks, processors)
	}
}
