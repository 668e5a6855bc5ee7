// Package testenv answers what a test asks of the machine it runs on: where the
// repository is, whether the reference data and the programs it compares with
// are there, and whether slow tests are wanted.
//
// A test that cannot run is skipped with one line,
//
//	WHAT is missing (detail): how to get it
//
// that `make test` counts by what is missing. What DAGSCOPE_REQUIRE lists,
// separated by commas, must be there: its absence fails the test. Slow tests run
// where DAGSCOPE_SLOW is set, as `make test-references` does.
//
// It installs nothing and knows no test data by name.
package testenv

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Environment variables.
const (
	// ReferencesVariable names the folder of the reference data; without it they
	// are looked for beside the repository.
	ReferencesVariable = "DAGSCOPE_REFERENCES"
	// RequireVariable lists what must not be missing, as [Missing] names it.
	RequireVariable = "DAGSCOPE_REQUIRE"
	// SlowVariable is set where slow tests run.
	SlowVariable = "DAGSCOPE_SLOW"
)

// What is missing where several tests need it.
const (
	ReferenceData = "reference data" // what [Reference] looks for
	Mounting      = "the right to mount a file system"
)

var root = findRoot() // before any test changes the directory

func findRoot() string {
	dir, err := os.Getwd()
	for ; err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && slices.Contains(strings.Split(string(text), "\n"), "module dagscope") {
			return dir
		}
	}
	return ""
}

// Repo returns the absolute path of a file of the repository, given relative to
// its root. It panics outside the repository.
func Repo(elements ...string) string {
	if root == "" {
		panic("testenv: find the repository: no go.mod of dagscope above the working directory")
	}
	return filepath.Join(append([]string{root}, elements...)...)
}

// Reference returns the path of a file or folder of the reference data, given
// relative to their root, as in Reference(t, "data/starpu", name). A file may be
// compressed: its name then ends in .zst or .gz in addition. Where the data are
// not at hand, what the repository has of them is found: some runs, whole or
// with the files that tests need. Otherwise it skips the test. A folder should be
// that of one run, since the repository has parts of those above.
func Reference(t testing.TB, elements ...string) string {
	t.Helper()
	for _, path := range places(elements...) {
		for _, ending := range []string{"", ".zst", ".gz"} {
			if _, err := os.Stat(path + ending); err == nil {
				return path + ending
			}
		}
	}
	missingReference(t, filepath.Join(elements...))
	return ""
}

// References returns the paths of the reference data that match a pattern of
// [filepath.Glob], one at least. Where the data are not at hand, those that the
// repository has are found, and a skipped subtest says that there are more. It
// skips the test where there is none at all.
func References(t *testing.T, pattern ...string) []string {
	t.Helper()
	name := filepath.Join(pattern...)
	paths, whole := match(t, name)
	if !whole {
		t.Run("more", func(t *testing.T) { missingReference(t, name+", but for some") })
	}
	return paths
}

// match returns the paths that match a pattern, and whether they are of the
// whole of the reference data.
func match(t testing.TB, pattern string) (paths []string, whole bool) {
	t.Helper()
	for i, place := range places(pattern) {
		paths, err := filepath.Glob(place)
		if err != nil {
			t.Fatal(err)
		}
		if len(paths) > 0 {
			return paths, i == 0
		}
	}
	missingReference(t, pattern)
	return nil, false
}

// places are where reference data may be, the whole first.
func places(elements ...string) []string {
	name := filepath.Join(elements...)
	whole := os.Getenv(ReferencesVariable)
	if whole == "" {
		whole = Repo("..", "shared")
	}
	own := strings.TrimPrefix(filepath.ToSlash(name), "data/")
	return []string{filepath.Join(whole, name), Repo("testdata/reference", own), Repo("testdata", own)}
}

func missingReference(t testing.TB, name string) {
	t.Helper()
	Missing(t, ReferenceData, name, "ask the maintainers for them and set "+ReferencesVariable+" to their folder")
}

// Need returns the path of the first of the programs that is on PATH. Where none
// is, the first is [Missing].
func Need(t testing.TB, how string, programs ...string) string {
	t.Helper()
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	Missing(t, programs[0], "", how)
	return ""
}

// Missing skips the test because something that it needs is not there, or fails
// it where that is required. What is missing and how to get it are the same
// words in all tests; the detail may differ.
func Missing(t testing.TB, what, detail, how string) {
	t.Helper()
	line := what + " is missing"
	if what == ReferenceData {
		line = what + " are missing"
	}
	if detail != "" {
		line += " (" + strings.Join(strings.Fields(detail), " ") + ")"
	}
	line += ": " + how
	if Required(what) {
		t.Fatalf("%s; %s requires it", line, RequireVariable)
	}
	t.Skip(line)
}

// Required reports whether DAGSCOPE_REQUIRE lists something.
func Required(what string) bool {
	return slices.Contains(strings.Split(os.Getenv(RequireVariable), ","), what)
}

// Setting returns the value of an environment variable, and skips a test that
// only runs where it is set: one that measures, or makes pictures.
func Setting(t testing.TB, variable, what string) string {
	t.Helper()
	value := os.Getenv(variable)
	if value == "" {
		t.Skipf("%s is not set: it names %s", variable, what)
	}
	return value
}

// Slow skips a test, or the part of it that takes seconds, unless slow tests are
// wanted.
func Slow(t testing.TB) {
	t.Helper()
	if os.Getenv(SlowVariable) == "" {
		t.Skip("slow: make test-references runs it")
	}
}
