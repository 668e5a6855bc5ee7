package record_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/read/ompt/event"
	"dagscope/trace"
)

// Worksharing constructs on every libomp there is: how many there are, of how many
// iterations, where in the source, and what threads took of them.
func TestWorksharing(t *testing.T) {
	for _, runtime := range needRuntimes(t) {
		t.Run(fmt.Sprintf("libomp%d", runtime.version), func(t *testing.T) {
			r := recordProgram(t, session{program: "worksharing", runtime: runtime})
			r.events()
			run := r.run()
			c, s := &run.Construct, &run.Share
			got, iterations := map[string]int{}, map[string]int64{}
			for i := range c.Start {
				place := fmt.Sprintf("%s %d", c.Kind.At(i), c.Line[i])
				got[place]++
				iterations[place] = c.Iterations[i]
				if c.Function.At(i) != "main" || filepath.Base(c.File.At(i)) != "worksharing.c" {
					t.Errorf("found %s in %s of %s, want main of worksharing.c", place, c.Function.At(i), c.File.At(i))
				}
				if schedules := map[int32]string{11: "static", 13: "dynamic", 15: "guided"}; runtime.version >= 19 && c.Schedule.At(i) != schedules[c.Line[i]] && c.Line[i] < 16 && c.Line[i] > 10 {
					t.Errorf("found schedule %q of line %d, want %q", c.Schedule.At(i), c.Line[i], schedules[c.Line[i]])
				}
			}
			want := map[string]int{"parallel 9": 1, "loop 11": 2, "loop 13": 2, "loop 15": 2, "sections 17": 2, "single 26": 2, "masked 28": 2,
				"parallel 32": 1, "parallel 33": 2, "loop 33": 2}
			if !maps.Equal(got, want) {
				t.Errorf("found %v, want %v", got, want)
			}
			for place, n := range map[string]int64{"loop 11": 100, "loop 13": 60, "loop 15": 64, "sections 17": 3} {
				if iterations[place] != n {
					t.Errorf("found %d iterations of %s, want %d", iterations[place], place, n)
				}
			}
			took, teams := map[string]int64{}, map[string]int{}
			for i := range s.Start {
				place := fmt.Sprintf("%s %d", c.Kind.At(int(s.Construct[i])), c.Line[s.Construct[i]])
				took[place] += s.Iterations[i]
				teams[place]++
				if s.Leave[i] < s.End[i] || s.Processor[i] > float64(s.End[i]-s.Start[i])*1.2+1e5 {
					t.Errorf("found share %d of %s from %d to %d, left at %d, with %g ns of processor time", i, place, s.Start[i], s.End[i], s.Leave[i], s.Processor[i])
				}
			}
			for place, n := range map[string]int{"parallel 9": 2, "loop 11": 4, "loop 13": 4, "loop 15": 4, "sections 17": 4, "single 26": 4, "masked 28": 2, "parallel 33": 2} {
				if teams[place] != n {
					t.Errorf("found %d shares of %s, want %d", teams[place], place, n)
				}
			}
			if runtime.version >= 16 {
				for place, n := range map[string]int64{"loop 11": 200, "loop 13": 120, "loop 15": 128} {
					if took[place] != n {
						t.Errorf("found %d iterations of %s taken, want %d", took[place], place, n)
					}
				}
			}
			inner := slices.IndexFunc(c.Line, func(line int32) bool { return line == 33 })
			if parent := c.Parent[inner]; parent < 0 || c.Line[parent] != 32 {
				t.Errorf("found the inner region in construct %d, want the one of line 32", parent)
			}
		})
	}
}

// Mutual exclusion on every libomp there is: who asked for what, where, and got it.
func TestMutexes(t *testing.T) {
	for _, runtime := range needRuntimes(t) {
		t.Run(fmt.Sprintf("libomp%d", runtime.version), func(t *testing.T) {
			r := recordProgram(t, session{program: "mutexes", runtime: runtime})
			r.events()
			checkMutexes(t, runtime.version, r.run())
		})
	}
}

func checkMutexes(t *testing.T, version int, run *trace.Run) {
	t.Helper()
	x := &run.Mutex
	got, failed := map[string]int{}, 0
	type holding struct{ from, to int64 }
	held := map[string][]holding{}
	for i := range x.Request {
		got[x.Kind.At(i)]++
		switch {
		case x.Acquire[i] == trace.NoTime:
			failed++
		case x.Release[i] == trace.NoTime:
			t.Errorf("found %s %s that is never released", x.Kind.At(i), x.Lock.At(i))
		case x.Depth[i] == 0 && x.Kind.At(i) != trace.MutexOrdered:
			held[x.Lock.At(i)] = append(held[x.Lock.At(i)], holding{x.Acquire[i], x.Release[i]})
		}
		if x.Function.At(i) != "main" || x.Line[i] <= 0 || x.Task[i] < 0 {
			t.Errorf("found %s in %q, line %d, of task %d, want main and its lines", x.Kind.At(i), x.Function.At(i), x.Line[i], x.Task[i])
		}
	}
	want := map[string]int{trace.MutexCritical: 20, trace.MutexLock: 11, trace.MutexNestedLock: 4, trace.MutexTest: 2, trace.MutexOrdered: 8}
	if version <= 16 { // tests are requests like others
		delete(want, trace.MutexTest)
		want[trace.MutexLock] += 2
	}
	if !maps.Equal(got, want) || failed != 1 {
		t.Errorf("found %v, %d not got, want %v, 1 not got", got, failed, want)
	}
	for lock, all := range held { // never by two at once
		slices.SortFunc(all, func(a, b holding) int { return int(a.from - b.from) })
		for i := 1; i < len(all); i++ {
			const clocks = 10_000 // ns that two processors' counters may differ by
			if all[i].from < all[i-1].to-clocks {
				t.Errorf("found lock %s held from %d on and until %d", lock, all[i].from, all[i-1].to)
			}
		}
	}
}

// A program of gcc's through libomp: loops whose schedule gcc computes itself leave no
// trace but their region's, all else is there.
func TestGCCRegions(t *testing.T) {
	runtimes := needRuntimes(t)
	testenv.Need(t, "apt-get install gcc", "gcc")
	record := func(name string) *trace.Run {
		path := filepath.Join(tools.dir, "gcc-"+name)
		if err := compile("gcc", "-O1", "-g", "-fopenmp", "-o", path, filepath.Join("testdata", "conformance", name+".c")); err != nil {
			t.Fatal(err)
		}
		tools.programs.Store("gcc-"+name, func() (string, error) { return path, nil })
		return recordProgram(t, session{program: "gcc-" + name, runtime: runtimes[0],
			env: []string{"LD_PRELOAD=" + filepath.Join(runtimes[0].dir, "libomp.so.5")}}).run()
	}
	checkMutexes(t, runtimes[0].version, record("mutexes"))
	run := record("worksharing")
	got := map[string]int{}
	for i := range run.Construct.Start {
		got[run.Construct.Kind.At(i)]++
		if run.Construct.Function.At(i) != "main" {
			t.Errorf("found %s in %q, want main", run.Construct.Kind.At(i), run.Construct.Function.At(i))
		}
	}
	// static loops are not there, sections are a loop to libomp's entry points for gcc
	if want := map[string]int{"parallel": 4, "loop": 6, "single": 2}; !maps.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

// What is switched off is not recorded.
func TestSwitchedOff(t *testing.T) {
	runtimes := needRuntimes(t)
	for program, off := range map[string]string{"mutexes": "DAGSCOPE_OMPT_LOCKS=off", "worksharing": "DAGSCOPE_OMPT_CHUNKS=off"} {
		run := recordProgram(t, session{program: program, runtime: runtimes[0], env: []string{off, "DAGSCOPE_OMPT_PROCESSOR=off"}}).run()
		if len(run.Mutex.Request) > 0 || len(run.Chunk.Start) > 0 && program == "worksharing" || len(run.Sample.Time) > 0 {
			t.Errorf("%s: found %d mutexes, %d chunks, %d samples", off, len(run.Mutex.Request), len(run.Chunk.Start), len(run.Sample.Time))
		}
	}
}

// A ring that has overwritten the beginning knows what its threads' tasks are.
func TestRingKeepsImplicitTasks(t *testing.T) {
	runtimes := needRuntimes(t)
	r := recordProgram(t, session{program: "many", args: []string{"2", "1", "500000"}, runtime: runtimes[0], env: []string{"DAGSCOPE_OMPT_RING=1"}})
	events := r.events()
	if n := count(events, func(e event.Event) bool { return e.Type == event.Carry && e.Kind == event.TaskImplicit }); n != 2 {
		t.Errorf("found %d implicit tasks at the beginning of the ring, want those of two threads", n)
	}
}
