package read_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dagscope/diagnose/report"
	"dagscope/internal/budget"
	"dagscope/internal/testenv"
	"dagscope/internal/text"
	"dagscope/read"
	"dagscope/trace"
)

// What this file checks: whatever is done to the files of a run, an import
// ends soon and either says which file is wrong or gives a run that holds what
// trace.Validate and the account of lines promise.

// files are the files of a run by name, decompressed.
type files map[string][]byte

// timeLimit is for one import with its report, on a busy machine. The whole
// sound runs take a hundredth of it.
const timeLimit = 60 * time.Second

// TestMutations damages real runs at random. DAGSCOPE_MUTATIONS multiplies the
// number of damaged runs; DAGSCOPE_SEED begins
// somewhere else.
func TestMutations(t *testing.T) {
	factor := fromEnvironment(t, "DAGSCOPE_MUTATIONS", 1)
	seed := fromEnvironment(t, "DAGSCOPE_SEED", 1)
	runs := sampleRuns(t)
	for _, name := range slices.Sorted(maps.Keys(runs)) {
		t.Run(name, func(t *testing.T) {
			count := 25
			if size(runs[name]) < 200_000 {
				count = 400
			}
			someThenAll(t, count*factor, func(t *testing.T, i int) { damageAndImport(t, runs, name, uint64(seed)<<32+uint64(i)) })
		})
	}
}

// TestMutationsOfFormats damages real runs of other runtimes, which are no part of
// the repository.
func TestMutationsOfFormats(t *testing.T) {
	factor := fromEnvironment(t, "DAGSCOPE_MUTATIONS", 1)
	runs := map[string]files{}
	for _, path := range testenv.References(t, "data/formats/paraver/*/facts.json") {
		all := readFiles(t, filepath.Dir(path))
		delete(all, "facts.json")
		runs[filepath.Base(filepath.Dir(path))] = all
	}
	for _, name := range slices.Sorted(maps.Keys(runs)) {
		t.Run(name, func(t *testing.T) {
			someThenAll(t, 200*factor, func(t *testing.T, i int) { damageAndImport(t, runs, name, uint64(i)) })
		})
	}
}

// someThenAll tries the first tenth of some seeds, and the others with the slow
// tests, until one fails.
func someThenAll(t *testing.T, count int, try func(t *testing.T, i int)) {
	t.Helper()
	some := max(2, count/10)
	for i := 0; i < some && !t.Failed(); i++ {
		try(t, i)
	}
	t.Run("all", func(t *testing.T) {
		testenv.Slow(t)
		for i := some; i < count && !t.Failed(); i++ {
			try(t, i)
		}
	})
}

// FuzzMutations lets the fuzzer choose the seeds: go test -fuzz FuzzMutations.
//
//fuzz:class run
func FuzzMutations(f *testing.F) {
	runs := sampleRuns(f)
	maps.DeleteFunc(runs, func(_ string, all files) bool { return size(all) > 100_000 }) // of which 20 a second are tried
	names := slices.Sorted(maps.Keys(runs))
	for i := range names {
		f.Add(uint64(i), uint8(i))
	}
	f.Fuzz(func(t *testing.T, seed uint64, run uint8) {
		budget.Watch(t)
		damageAndImport(t, runs, names[int(run)%len(names)], seed)
	})
}

func fromEnvironment(t *testing.T, name string, otherwise int) int {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return otherwise
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// damageAndImport applies one to three mutations to a run and imports it.
func damageAndImport(t *testing.T, runs map[string]files, name string, seed uint64) {
	t.Helper()
	m := &mutant{
		Rand: rand.New(rand.NewPCG(seed, uint64(len(name)))), runs: runs,
		files: maps.Clone(runs[name]), stored: files{},
	}
	for range 1 + m.IntN(3) {
		m.mutate()
	}
	dir := m.write(t)
	if why := importAndCheck(dir); why != "" {
		t.Errorf("seed %d, after %s:\n%s", seed, strings.Join(m.done, ", "), why)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
}

// importAndCheck imports a directory and returns what is wrong with the
// outcome, "" if nothing.
func importAndCheck(dir string) string {
	outcome := make(chan string, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				outcome <- fmt.Sprintf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		outcome <- judge(dir)
	}()
	select {
	case why := <-outcome:
		return why
	case <-time.After(timeLimit):
		debug.SetTraceback("all")
		panic(fmt.Sprintf("import of %s did not end within %s", dir, timeLimit))
	}
}

func judge(dir string) string {
	run, err := read.Read(dir, read.Options{})
	if err != nil {
		if _, ok := errors.AsType[*trace.Invalid](err); ok {
			return "a reader must repair, not leave it to Validate: " + err.Error()
		}
		return judgeError(dir, err)
	}
	if err := run.Validate(); err != nil {
		return err.Error()
	}
	if why := unbalanced(run); why != "" {
		return why
	}
	r := report.Compute("mutant", run, report.Options{})
	if _, err := json.Marshal(r); err != nil {
		return "the report is no JSON: " + err.Error()
	}
	if err := r.WriteText(io.Discard, report.TextOptions{Full: true}); err != nil {
		return "the report cannot be written: " + err.Error()
	}
	return ""
}

// judgeError wants an error of one line that names a file, or the directory
// when it holds nothing to read, and says what was found and wanted.
func judgeError(dir string, err error) string {
	message := err.Error()
	entries, listing := os.ReadDir(dir)
	if listing != nil {
		return listing.Error()
	}
	named := strings.Contains(message, dir+":") && (strings.Contains(message, "found no trace") || strings.Contains(message, "wanted at least one that ran"))
	for _, e := range entries {
		named = named || strings.Contains(message, e.Name())
	}
	switch {
	case !named:
		return "the error names no file: " + message
	case !strings.Contains(message, "found") && !strings.Contains(message, "decompress"):
		return "the error does not say what was found: " + message
	case strings.Contains(message, "found") && !strings.Contains(message, "want"):
		return "the error does not say what was wanted: " + message
	}
	return ""
}

// unbalanced says where the account of lines does not add up.
func unbalanced(run *trace.Run) string {
	lines, logged := map[string]int64{}, map[string]int64{}
	a := &run.Account
	for i, n := range a.Lines {
		lines[a.Source.At(i)] += n
		if a.Table.At(i) == "log" {
			logged[a.Source.At(i)] += n
		} else if _, isTable := run.Table(a.Table.At(i)); !isTable && a.Table.At(i) != "definition" && a.Table.At(i) != "blank" && a.Table.At(i) != "comment" {
			return fmt.Sprintf("lines of %s went to %q, which is no table", a.Source.At(i), a.Table.At(i))
		}
	}
	for _, s := range run.Meta.Sources {
		name := filepath.Base(s.Path)
		if _, ok := lines[name]; !ok {
			name = s.Path
		}
		if lines[name] != s.Lines && s.Lines > 0 && s.Role != "unused" && s.Role != "fxt" { // raw traces have events
			return fmt.Sprintf("the account of %s has %d lines, the file %d", name, lines[name], s.Lines)
		}
		if logged[name] > 0 && !slices.ContainsFunc(texts(&run.Log.Source), func(s string) bool { return s == name || s == "" }) {
			return fmt.Sprintf("%d lines of %s went to the log, which says nothing of it", logged[name], name)
		}
	}
	return ""
}

func texts(c *trace.Strings) (all []string) {
	for i := range c.Index {
		all = append(all, c.At(i))
	}
	return all
}

// TestMissingFiles imports what is left of runs when files are missing: every
// subset of the files of the smallest run; of the others, each file alone and
// each one missing.
func TestMissingFiles(t *testing.T) {
	for name, all := range sampleRuns(t) {
		names := slices.Sorted(maps.Keys(all))
		try := func(t *testing.T, set int) {
			t.Helper()
			left := files{}
			for i, file := range names {
				if set>>i&1 == 1 {
					left[file] = all[file]
				}
			}
			dir := writeFiles(t, left)
			if why := importAndCheck(dir); why != "" {
				t.Errorf("%s with %v: %s", name, slices.Sorted(maps.Keys(left)), why)
			}
		}
		var others []int
		for set := range 1 << len(names) {
			if alone, missing := set&(set-1) == 0, (1<<len(names)-1-set)&(1<<len(names)-2-set) == 0; alone || missing {
				try(t, set)
			} else {
				others = append(others, set)
			}
		}
		if name == "native-chol-tiny" {
			t.Run("every subset", func(t *testing.T) {
				testenv.Slow(t)
				for _, set := range others {
					try(t, set)
				}
			})
		}
	}
}

// TestMixedRuns imports directories in which one file is another run's, or two
// runs' one after the other.
func TestMixedRuns(t *testing.T) {
	runs := sampleRuns(t)
	for name, all := range runs {
		for other, theirs := range runs {
			try := func(t *testing.T, file string) {
				t.Helper()
				for _, content := range [][]byte{theirs[file], slices.Concat(all[file], theirs[file])} {
					mixed := maps.Clone(all)
					mixed[file] = content
					dir := writeFiles(t, mixed)
					if why := importAndCheck(dir); why != "" {
						t.Errorf("%s with %s of %s: %s", name, file, other, why)
					}
					os.RemoveAll(dir)
				}
			}
			if size(all)+size(theirs) <= 500_000 {
				for file := range all {
					if theirs[file] != nil {
						try(t, file)
					}
				}
				continue
			}
			t.Run("large/"+name+"/"+other, func(t *testing.T) {
				testenv.Slow(t)
				for _, file := range []string{"paje.trace", "tasks.rec"} {
					if all[file] != nil && theirs[file] != nil {
						try(t, file)
					}
				}
			})
		}
	}
}

// sampleRuns are the runs of testdata, and one that has every kind of file.
func sampleRuns(t testing.TB) map[string]files {
	t.Helper()
	runs := map[string]files{}
	dirs, err := filepath.Glob("../testdata/starpu/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("found no runs in testdata: %v", err)
	}
	for _, dir := range append(dirs, "testdata/pair/csv", "paraver/testdata/nosv", "paraver/testdata/extrae") {
		runs[filepath.Base(dir)] = readFiles(t, dir)
	}
	full := maps.Clone(runs["native-chol-tiny"])
	full["papi.rec"] = []byte("JobId: 11\nEvent: PAPI_TOT_INS\nValue: 123456\n\nJobId: 12\nEvent: PAPI_TOT_INS\nValue: 99\n\n")
	full["box.config"] = []byte("# config\n2 # cpus\n0 # cuda\n0\n")
	full["box.bandwidth"] = []byte("# to\n0.0 1200.5\n1100.25 nan\n")
	full["box.latency"] = []byte("# to\n0.0 1.5\n2.5 nan\n")
	full["platform.xml"] = []byte("<?xml version='1.0'?>\n<platform version=\"4\">\n</platform>\n")
	full["codelets/45/potrf.box"] = []byte("45\n1\n1\n0\n0\n1\n1\n2\n0 0 0 0 nan nan 0 0 0\n0 0 0\n0\n" +
		"617e5fe6 1024 0.0 18850.5 1.5 37701.0 7.1e8 2\nff82dda0 2048 0.0 9.5 0.5 19.0 180.5 2\n")
	runs["full"] = full
	return runs
}

// readFiles reads the files of a directory that are part of a run.
func readFiles(t testing.TB, dir string) files {
	t.Helper()
	all := files{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		switch e.Name() {
		case "README.md", "number_events.data", "worker_stats.txt", "fxt":
			continue
		}
		all[strings.TrimSuffix(e.Name(), ".zst")] = decompressed(t, filepath.Join(dir, e.Name()))
	}
	return all
}

// decompressed is the text of a file, every line with its end.
func decompressed(t testing.TB, path string) []byte {
	t.Helper()
	r, err := text.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var all []byte
	if err := r.Blocks(func(block []byte, _ int64) error { all = append(all, block...); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

func writeFiles(t testing.TB, all files) string {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "run")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range all {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func size(all files) (n int) {
	for _, content := range all {
		n += len(content)
	}
	return n
}
