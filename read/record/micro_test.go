package record_test

import (
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

// chance names events of whose number chance has a part: which tasks a cancellation
// still meets, say.
var chance = map[string][]string{
	"m09_cancel":     {"end 1", "end 3", "cancel"},
	"m12_nested_par": {"thread of type 2"},          // an inner team that is over may leave its thread to another one
	"m15_target":     {"wait, event 13, of kind 9"}, // of hidden helpers, which the end of the process may overtake
}

// attempts is how many recordings of a program must all differ from the dump before the
// recorder is blamed: a busy machine alone can shift what threads meet.
const attempts = 3

// The micro programs yield what another tool recorded of them, for each libomp.
func TestMicro(t *testing.T) {
	runtimes := needRuntimes(t)
	for _, runtime := range runtimes {
		pattern := "data/ompt/micro/*.csv"
		if runtime.version != 19 {
			pattern = fmt.Sprintf("data/ompt/micro/libomp%d/*.csv", runtime.version)
		}
		for _, dump := range testenv.References(t, pattern) {
			name := strings.TrimSuffix(filepath.Base(dump), ".csv")
			t.Run(fmt.Sprintf("libomp%d/%s", runtime.version, name), func(t *testing.T) { compareMicro(t, runtime, name, dump) })
		}
	}
}

func compareMicro(t *testing.T, runtime libomp, name, dump string) {
	buildMicro(t, name)
	want := signature(readCSV(t, dump), chance[name])
	var differences []string
	for range attempts {
		recorded := recordProgram(t, session{program: name, runtime: runtime, env: []string{"OMP_CANCELLATION=true"}})
		differences = differ(signature(recorded.events(), chance[name]), want)
		if len(differences) == 0 {
			return
		}
	}
	for _, d := range differences {
		t.Error(d)
	}
}

// differ tells the keys of which got and want count differently.
func differ(got, want map[string]int) (told []string) {
	keys := map[string]bool{}
	for _, m := range []map[string]int{got, want} {
		for key := range m {
			keys[key] = true
		}
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if got[key] != want[key] {
			told = append(told, fmt.Sprintf("%s: found %d, want %d", key, got[key], want[key]))
		}
	}
	return told
}

func buildMicro(t *testing.T, name string) {
	t.Helper()
	path := filepath.Join(tools.dir, name)
	if _, err := os.Stat(path); err == nil {
		return
	}
	if err := compile(clang, "-O1", "-g", "-w", "-fopenmp", "-pthread", "-o", path, testenv.Reference(t, "data/ompt/micro", name+".c")); err != nil {
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
