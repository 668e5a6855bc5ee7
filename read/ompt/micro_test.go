package ompt_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/internal/text"
	"dagscope/read/ompt/csv"
	"dagscope/read/ompt/event"
	"dagscope/trace"
)

var update = flag.Bool("update", false, "rewrite testdata/micro.txt")

// base is the name of a file of events without its endings.
func base(file string) string {
	name, _, _ := strings.Cut(filepath.Base(file), ".csv")
	return name
}

// Small recordings against the reference, as all others of the reference data.
func TestBundledAgainstReference(t *testing.T) {
	for _, file := range bundled(t) {
		name := filepath.Join("testdata", base(file))
		t.Run(base(file), func(t *testing.T) { both(t, file, name+".ref.json", name+".ref_roi.json") })
	}
}

// What each test program's tables hold, one line each: see the programs' names.
func TestMicroPrograms(t *testing.T) {
	var got strings.Builder
	for _, file := range bundled(t) {
		fmt.Fprintf(&got, "%s: %s\n", base(file), summary(read(t, file)))
	}
	if *update {
		if err := os.WriteFile("testdata/micro.txt", []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/micro.txt")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(want), "\n") {
		if found := strings.Split(got.String(), "\n"); i >= len(found) || found[i] != line {
			t.Errorf("line %d: found\n%s\nwanted\n%s", i+1, found[min(i, len(found)-1)], line)
		}
	}
}

func summary(run *trace.Run) string {
	levels := counts(&run.Resource.Level, nil)
	explicit := counts(&run.Task.Kind, func(i int) bool { return !run.Task.Internal[i] })
	total := 0
	for _, n := range explicit {
		total += n
	}
	children := 0
	for _, p := range run.Task.Parent {
		if p >= 0 {
			children++
		}
	}
	return fmt.Sprintf("%d workers, %d helpers, %d other threads; %d explicit tasks of %d places, %d with a parent; internal%s; %d edges; pieces of %d tasks; phases%s; states%s; events%s; constructs%s, %d shares, %d chunks; mutexes%s",
		levels[trace.LevelWorker], levels[trace.LevelThread], levels[trace.LevelUserThread], total, len(explicit), children,
		list(counts(&run.Task.Kind, func(i int) bool { return run.Task.Internal[i] })), len(run.Dep.To),
		len(slices.Compact(slices.Clone(run.Segment.Task))), list(counts(&run.Phase.Kind, nil)), list(counts(&run.State.Kind, nil)), list(counts(&run.Event.Kind, nil)),
		list(counts(&run.Construct.Kind, nil)), len(run.Share.Start), len(run.Chunk.Start), list(counts(&run.Mutex.Kind, nil)))
}

func counts(s *trace.Strings, of func(i int) bool) map[string]int {
	n := map[string]int{}
	for i := range s.Index {
		if of == nil || of(i) {
			n[s.At(i)]++
		}
	}
	return n
}

func list(n map[string]int) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(n)) {
		fmt.Fprintf(&b, " %s %d", strings.ReplaceAll(k, " ", "-"), n[k])
	}
	if b.Len() == 0 {
		return " none"
	}
	return b.String()
}

// All edges that the runtime reported are in the graph, whatever its version.
func TestEdgesHoldThoseOfTheRuntime(t *testing.T) {
	edgesHoldThoseOfTheRuntime(t, bundled(t))
	t.Run("references", func(t *testing.T) {
		for _, pattern := range []string{"micro/*.csv", "micro/*/*.csv"} {
			edgesHoldThoseOfTheRuntime(t, testenv.References(t, "data/ompt", pattern))
		}
	})
	t.Run("large", func(t *testing.T) {
		testenv.Slow(t)
		edgesHoldThoseOfTheRuntime(t, testenv.References(t, "data/ompt/traces/*/trace.csv.gz"))
	})
}

func edgesHoldThoseOfTheRuntime(t *testing.T, files []string) {
	t.Helper()
	reported := 0
	for _, file := range files {
		run := read(t, file)
		edges := map[string]bool{}
		for e, to := range run.Dep.To {
			edges[run.Task.Key.At(int(run.Dep.From[e]))+">"+run.Task.Key.At(int(to))] = true
		}
		eachEvent(t, file, func(e *event.Event) {
			if e.Name != "task_dependence" {
				return
			}
			reported++
			name := fmt.Sprintf("%d.%d>%d.%d", e.Task.Thread(), e.Task.Counter(), e.Task2.Thread(), e.Task2.Counter())
			if !edges[name] {
				t.Errorf("%s: no edge %s, which the runtime reported", file, name)
			}
		})
	}
	if reported == 0 {
		t.Error("found no edge of the runtime, wanted some to compare with")
	}
}

func eachEvent(t *testing.T, file string, f func(*event.Event)) {
	t.Helper()
	r, err := text.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := csv.Read(r, &trace.Log{}, &trace.Account{}, f); err != nil {
		t.Fatal(err)
	}
}

// The pieces of a thread's tasks do not overlap, and its states are nested.
func TestThreadsDoOneThingAtATime(t *testing.T) {
	for _, file := range bundled(t) {
		run := read(t, file)
		type span struct{ start, end int64 }
		on := map[int32][]span{}
		cut := map[int32]bool{}
		for i, task := range run.Segment.Task {
			cut[task] = true
			on[run.Segment.Worker[i]] = append(on[run.Segment.Worker[i]], span{run.Segment.Start[i], run.Segment.End[i]})
		}
		for i, w := range run.Task.Worker {
			if w >= 0 && !cut[int32(i)] {
				on[w] = append(on[w], span{run.Task.Start[i], run.Task.End[i]})
			}
		}
		for w, spans := range on {
			slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
			for i := 1; i < len(spans); i++ {
				if spans[i].start < spans[i-1].end {
					t.Errorf("%s: %s runs two tasks at %d", file, run.Resource.Name.At(int(w)), spans[i].start)
				}
			}
		}
	}
}
