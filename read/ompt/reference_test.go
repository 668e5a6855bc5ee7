package ompt_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/explain/breakdown"
	"dagscope/internal/testenv"
	"dagscope/read/ompt"
	"dagscope/trace"
)

// reference is what the independent reference implementation found in a file.
type reference struct {
	Events    int64 `json:"events"`
	Tasks     int64 `json:"tasks"`
	Edges     int   `json:"edges"`
	Work      int64 `json:"work_ns"`
	Implicit  int64 `json:"work_implicit_ns"`
	Idle      int64 `json:"idle_ns"`
	Overhead  int64 `json:"overhead_ns"`
	IdleTw    int64 `json:"idle_tw_ns"`
	OverTw    int64 `json:"overhead_tw_ns"`
	Wall      int64 `json:"wall_ns"`
	PerThread map[string]struct {
		Work     int64 `json:"work"`
		Idle     int64 `json:"idle_none"`
		IdleTw   int64 `json:"idle_tw"`
		Overhead int64 `json:"ovh_none"`
		OverTw   int64 `json:"ovh_tw"`
	} `json:"per_thread"`
}

func readReference(t *testing.T, path string) reference {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var r reference
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// region is from the first parallel_begin to the last parallel_end.
func region(run *trace.Run) (from, to int64) {
	for i, at := range run.Event.Time {
		switch run.Event.Kind.At(i) {
		case "parallel begin":
			if from == 0 {
				from = at
			}
		case "parallel end":
			to = at
		}
	}
	return from, to
}

func checkReference(t *testing.T, run *trace.Run, want reference, o breakdown.Options) {
	t.Helper()
	for _, mode := range []struct {
		name           string
		notReady       bool
		idle, overhead int64
	}{{"waiting not ready", true, want.Idle, want.Overhead}, {"waiting ready", false, want.IdleTw, want.OverTw}} {
		o.WaitingNotReady = mode.notReady
		res := breakdown.Compute(run, o)
		wanted := breakdown.Parts{Work: want.Work, Idleness: mode.idle, Overhead: mode.overhead, Implicit: want.Implicit}
		if got := res.Total(breakdown.Global); got != wanted {
			t.Errorf("%s: found %+v, wanted %+v", mode.name, got, wanted)
		}
		for i, w := range res.Workers {
			p, got := want.PerThread[run.Resource.Name.At(int(w))[1:]], res.Worker(breakdown.Global, i)
			idle, over := p.IdleTw, p.OverTw
			if mode.notReady {
				idle, over = p.Idle, p.Overhead
			}
			if got.Work != p.Work || got.Idleness != idle || got.Overhead != over {
				t.Errorf("%s, %s: found %+v, wanted %+v", mode.name, run.Resource.Name.At(int(w)), got, p)
			}
		}
	}
}

// both checks a file against the reference of the whole of it and, if there is
// one, of its parallel region.
func both(t *testing.T, events, whole, roi string) *trace.Run {
	run, err := ompt.Read([]string{events}, ompt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := readReference(t, whole)
	checkReference(t, run, want, breakdown.Options{})
	if len(run.Dep.To) != want.Edges {
		t.Errorf("found %d edges, wanted %d", len(run.Dep.To), want.Edges)
	}
	tasks := int64(0)
	for i, kind := range run.Task.Kind.Index {
		if k := run.Task.Kind.Dict[kind]; !run.Task.Internal[i] || k == "taskwait" {
			tasks++
		}
	}
	if tasks != want.Tasks {
		t.Errorf("found %d tasks, wanted %d", tasks, want.Tasks)
	}
	for i, code := range run.Log.Code.Index {
		if run.Log.Severity.At(i) != string(trace.Info) {
			t.Errorf("log: %s: %s", run.Log.Code.Dict[code], run.Log.Message.At(i))
		}
	}
	if from, to := region(run); to > from {
		checkReference(t, run, readReference(t, roi), breakdown.Options{From: from, To: to})
	}
	return run
}

func TestTracesAgainstReference(t *testing.T) {
	testenv.Slow(t)
	for _, dir := range testenv.References(t, "data/ompt/traces/*") {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			both(t, dir+"/trace.csv.gz", dir+"/reference.json", dir+"/reference_roi.json")
		})
	}
}

func TestMicroAgainstReference(t *testing.T) {
	for _, file := range testenv.References(t, "data/ompt/micro/*.csv") {
		base := strings.TrimSuffix(file, ".csv")
		if _, err := os.Stat(base + ".ref.json"); err != nil {
			t.Logf("no reference for %s", file)
			continue
		}
		t.Run(filepath.Base(base), func(t *testing.T) {
			both(t, file, base+".ref.json", base+".ref_roi.json")
		})
	}
}
