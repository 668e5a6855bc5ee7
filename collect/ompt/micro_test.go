package ompt_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/ingest/ompt/csv"
	"dagscope/ingest/ompt/event"
	"dagscope/ingest/text"
	"dagscope/trace"
)

const micro = "../../../shared/data/ompt/micro"

// chance names events of whose number chance has a part: which tasks a cancellation
// still meets, say.
var chance = map[string][]string{
	"m09_cancel": {"end 1", "end 3", "cancel"},
	"m15_target": {"wait, event 13, of kind 9"}, // of hidden helpers, which the end of the process may overtake
}

// The micro programs yield what another tool recorded of them, for each libomp.
func TestMicro(t *testing.T) {
	runtimes := needRuntimes(t)
	if _, err := os.Stat(micro); err != nil {
		t.Skip("needs the reference dumps in ../shared")
	}
	for _, runtime := range runtimes {
		dir := micro
		if runtime.version != 19 {
			dir = filepath.Join(micro, fmt.Sprintf("libomp%d", runtime.version))
		}
		dumps, _ := filepath.Glob(filepath.Join(dir, "*.csv"))
		if len(dumps) == 0 {
			t.Errorf("found no dumps in %s", dir)
		}
		for _, dump := range dumps {
			name := strings.TrimSuffix(filepath.Base(dump), ".csv")
			t.Run(fmt.Sprintf("libomp%d/%s", runtime.version, name), func(t *testing.T) { compareMicro(t, runtime, name, dump) })
		}
	}
}

func compareMicro(t *testing.T, runtime libomp, name, dump string) {
	buildMicro(t, name)
	want := signature(readCSV(t, dump), chance[name])
	got := signature(record(t, session{program: name, runtime: runtime, env: []string{"OMP_CANCELLATION=true"}}).events(), chance[name])
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if got[key] != want[key] {
			t.Errorf("%s: found %d, want %d", key, got[key], want[key])
		}
		delete(got, key)
	}
	for key, n := range got {
		t.Errorf("%s: found %d, want none", key, n)
	}
}

func buildMicro(t *testing.T, name string) {
	t.Helper()
	path := filepath.Join(tools.dir, name)
	if _, err := os.Stat(path); err == nil {
		return
	}
	if err := compile(clang, "-O1", "-g", "-w", "-fopenmp", "-pthread", "-o", path, filepath.Join(micro, name+".c")); err != nil {
		t.Fatal(err)
	}
	tools.programs.Store(name, func() (string, error) { return path, nil })
}

func readCSV(t *testing.T, path string) (all []event.Event) {
	t.Helper()
	r, err := text.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	err = csv.Read(r, &trace.Log{}, &trace.Account{}, func(e *event.Event) {
		kept := *e
		kept.Deps = slices.Clone(e.Deps)
		all = append(all, kept)
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// signature counts events by what does not depend on time and place.
func signature(events []event.Event, leave []string) map[string]int {
	s := map[string]int{}
	for _, e := range events {
		if key := describe(e); key != "" && !slices.ContainsFunc(leave, func(l string) bool { return strings.HasPrefix(key, l) }) {
			s[key]++
		}
	}
	return s
}

func describe(e event.Event) string {
	switch e.Type {
	case event.ThreadBegin:
		return fmt.Sprintf("thread of type %d", e.Kind)
	case event.ParallelBegin, event.ParallelEnd:
		const invoker = 3 // all that the dumps have of the flags
		return fmt.Sprintf("region, event %d, flags %#x", e.Type, e.Flags&invoker)
	case event.ImplicitBegin:
		return fmt.Sprintf("implicit task of type %d, %d of %d", e.Kind, e.Index, e.Value)
	case event.TaskCreate:
		return fmt.Sprintf("task, flags %#x, dependences %d", e.Flags, e.Value)
	case event.Dependences:
		return fmt.Sprintf("dependences %v", types(e.Deps))
	case event.TaskSchedule:
		if e.Kind != event.StatusSwitch && e.Kind != event.StatusYield {
			return fmt.Sprintf("end %d", e.Kind)
		}
	case event.SyncBegin, event.SyncEnd:
		if e.Kind == event.SyncTaskgroup {
			return fmt.Sprintf("taskgroup, event %d", e.Type)
		}
	case event.WaitBegin, event.WaitEnd:
		return fmt.Sprintf("wait, event %d, of kind %d", e.Type, e.Kind)
	case event.Cancel:
		return fmt.Sprintf("cancel, flags %#x", e.Flags)
	case event.Work:
		return fmt.Sprintf("work %d of type %d", e.Value, e.Kind)
	}
	return ""
}
