package symptom

import (
	"strings"
	"testing"

	"dagscope/explain/breakdown"
	"dagscope/explain/lock"
	"dagscope/explain/region"
	"dagscope/trace"
)

// loopProgram is a recording of a second on two threads, without tasks.
func loopProgram(schedule string, longest, mean int64) *Input {
	run := &trace.Run{}
	for _, name := range []string{"T0", "T1"} {
		run.Resource.Name.Append(name)
	}
	run.Meta.Environment = map[string]string{trace.ProcessorsAllowed: "0-1", trace.LoadEnd: "9.5"}
	run.State.Type.Append("OpenMP")
	f := &region.Facts{From: 0, To: 1e9, Places: []region.Place{
		{Kind: trace.ConstructParallel, Function: "main", File: "/src/a.c", Line: 4, Parent: -1, Calls: 10, Team: 2, Wall: 99e7, Time: 198e7, Work: 2 * mean, Longest: longest, Mean: mean, Slowest: 1, SlowestShare: 1},
		{Kind: trace.ConstructLoop, Function: "main", File: "/src/a.c", Line: 5, Schedule: schedule, Parent: 0, Calls: 10, Team: 2, Wall: 99e7, Time: 198e7, Work: 2 * mean, Longest: longest, Mean: mean, Slowest: 1, SlowestShare: 1},
	}}
	return &Input{Run: run, workers: []int32{0, 1}, regionFacts: f}
}

// Each fault is found where it is, once, and is not where it was left out.
func TestConstructs(t *testing.T) {
	for _, c := range []struct {
		name, id, source, says string
		in                     *Input
		change                 func(in *Input)
	}{
		{"even", "", "", "", loopProgram("static", 9e8, 9e8), nil},
		{"static triangle", "load-imbalance", "a.c:5", "schedule(dynamic)", loopProgram("static", 9e8, 6e8), nil},
		{"dynamic chunks", "load-imbalance", "a.c:5", "smaller chunks", loopProgram("dynamic", 9e8, 6e8), nil},
		{"one thread's section", "", "", "", loopProgram("", 9e8, 6e8), func(in *Input) {
			in.regionFacts.Places[1].Kind, in.regionFacts.Places[0].Longest = trace.ConstructSingle, 6e8
		}},
		{"lock", "lock", "a.c:9", "critical section", loopProgram("static", 9e8, 9e8), func(in *Input) {
			u := lock.Use{Kind: trace.MutexCritical, Lock: "0x1", File: "/src/a.c", Line: 9, Requests: 10, Contended: 9, Waiting: 8e8, Holding: 9e8}
			in.lockFacts = &lock.Facts{Locks: []lock.Use{u}, Lines: []lock.Use{u}}
		}},
		{"few waits", "", "", "", loopProgram("static", 9e8, 9e8), func(in *Input) {
			in.lockFacts = &lock.Facts{Locks: []lock.Use{{Kind: trace.MutexCritical, Waiting: 1e7}}}
		}},
		{"no processor", "oversubscription", "", "load of the machine was 9.5", loopProgram("static", 9e8, 9e8), func(in *Input) {
			in.lost = &breakdown.Lost{Time: 2e9, OffCPU: &breakdown.Parts{Work: 6e8}}
		}},
		{"processors idle threads lack", "", "", "", loopProgram("static", 9e8, 9e8), func(in *Input) {
			in.lost = &breakdown.Lost{Time: 2e9, OffCPU: &breakdown.Parts{Idleness: 6e8}}
		}},
		{"processor time of the process", "oversubscription", "", "2 threads on 2 processors", loopProgram("static", 9e8, 9e8), func(in *Input) {
			in.lost = &breakdown.Lost{Unaccounted: 6e8, Recorded: 2e9}
		}},
		{"short regions", "synchronisation", "a.c:5", "nowait", loopProgram("static", 5e8, 5e8), func(in *Input) {
			in.regionFacts.Places[0].Barrier, in.regionFacts.Places[1].Barrier = 9e8, 9e8
		}},
		{"serial", "little-parallelism", "", "outside of parallel regions", loopProgram("static", 4e8, 4e8), func(in *Input) {
			in.regionFacts.Serial = region.Place{Wall: 5e8, Work: 5e8}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.change != nil {
				c.change(c.in)
			}
			found := loops(c.in)
			if c.id == "" {
				if len(found) > 0 {
					t.Errorf("found %+v, want nothing", found)
				}
				return
			}
			if len(found) != 1 || found[0].ID != c.id || found[0].Where.Source != c.source || found[0].Weak {
				t.Fatalf("found %+v, want %s at %q", found, c.id, c.source)
			}
			title, advice, panel := found[0].Words()
			if !strings.Contains(title+" "+advice, c.says) || panel == "" || strings.Contains(title+advice, "%!") || strings.Contains(advice, "starpu") || strings.Contains(advice, "STARPU") {
				t.Errorf("found %q, %q, want %q in it", title, advice, c.says)
			}
		})
	}
}

// Lists of processors as the recorder writes them.
func TestProcessors(t *testing.T) {
	for list, want := range map[string]int{"0-3;8": 5, "0-1": 2, "7": 1, "": 0, "x": 0, "3-1": 0, "0-3,8": 5} {
		if got := processors(list); got != want {
			t.Errorf("%q has %d processors, want %d", list, got, want)
		}
	}
}
