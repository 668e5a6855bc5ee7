package testenv

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// fake records how a test ends.
type fake struct {
	testing.TB
	skipped, failed string
}

func (*fake) Helper() {}

func (f *fake) Skip(args ...any) { f.skipped = fmt.Sprint(args...); runtime.Goexit() }

func (f *fake) Skipf(format string, args ...any) { f.Skip(fmt.Sprintf(format, args...)) }

func (f *fake) Fatal(args ...any) { f.failed = fmt.Sprint(args...); runtime.Goexit() }

func (f *fake) Fatalf(format string, args ...any) { f.Fatal(fmt.Sprintf(format, args...)) }

// end runs a test to its end.
func end(test func(testing.TB)) fake {
	f, done := &fake{}, make(chan bool)
	go func() {
		defer close(done)
		test(f)
	}()
	<-done
	return *f
}

func TestRepo(t *testing.T) {
	for _, name := range []string{"internal/testenv/testenv_test.go", "go.mod"} {
		if _, err := os.Stat(Repo(name)); err != nil {
			t.Error(err)
		}
	}
	before := Repo()
	t.Chdir(t.TempDir())
	if after := Repo(); after != before {
		t.Errorf("found the repository at %s after a change of directory, want %s", after, before)
	}
}

func TestReference(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(ReferencesVariable, dir)
	t.Setenv(RequireVariable, "")
	for _, name := range []string{"plain.csv", "packed.csv.zst", "gz.csv.gz"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"plain.csv": "plain.csv", "packed.csv": "packed.csv.zst", "gz.csv": "gz.csv.gz"} {
		if got := Reference(t, name); got != filepath.Join(dir, want) {
			t.Errorf("found %s, want %s", got, want)
		}
	}
	if got := References(t, "*.csv*"); len(got) != 3 {
		t.Errorf("found %q, want three files", got)
	}
	const line = "reference data are missing (data/none.csv): ask the maintainers for them and set DAGSCOPE_REFERENCES to their folder"
	for name, ask := range map[string]func(testing.TB){
		"file":    func(t testing.TB) { Reference(t, "data", "none.csv") },
		"pattern": func(t testing.TB) { match(t, "data/none.csv") },
	} {
		t.Setenv(RequireVariable, "chromium")
		if got := end(ask); got.skipped != line || got.failed != "" {
			t.Errorf("%s: found %+v, want it skipped because %s", name, got, line)
		}
		t.Setenv(RequireVariable, "chromium,reference data")
		if got := end(ask); got.skipped != "" || !strings.HasPrefix(got.failed, line) {
			t.Errorf("%s: found %+v, want it failed because %s", name, got, line)
		}
	}
}

// What the repository has of the reference data is found without the whole.
func TestBundledReference(t *testing.T) {
	whole := t.TempDir()
	t.Setenv(ReferencesVariable, whole)
	t.Setenv(RequireVariable, "")
	for name, want := range map[string]string{
		"data/sparse/matrices/TF14.mtx":   "testdata/reference/sparse/matrices/TF14.mtx.gz",
		"data/starpu/sg-mirage-n12-dmdas": "testdata/starpu/sg-mirage-n12-dmdas",
	} {
		if got := Reference(t, name); got != Repo(want) {
			t.Errorf("found %s, want %s", got, want)
		}
	}
	const pattern = "data/sparse/matrices/*"
	if got, whole := match(t, pattern); len(got) != 2 || whole {
		t.Errorf("found %q, want those of the repository", got)
	}
	dir := filepath.Join(whole, "data/sparse/matrices")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.mtx"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := References(t, pattern); len(got) != 1 || filepath.Base(got[0]) != "a.mtx" {
		t.Errorf("found %q, want that of the whole", got)
	}
}

func TestNeed(t *testing.T) {
	t.Setenv(RequireVariable, "")
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if err := os.WriteFile(filepath.Join(dir, "second"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := Need(t, "", "first", "second"); got != filepath.Join(dir, "second") {
		t.Errorf("found %s", got)
	}
	need := func(t testing.TB) { Need(t, "apt-get install first", "first", "third") }
	if got := end(need); got.skipped != "first is missing: apt-get install first" {
		t.Errorf("found %+v", got)
	}
	t.Setenv(RequireVariable, "first")
	if got := end(need); got.failed == "" {
		t.Errorf("found %+v, want a failure", got)
	}
}

func TestSlow(t *testing.T) {
	t.Setenv(SlowVariable, "")
	if got := end(Slow); got.skipped == "" {
		t.Errorf("found %+v, want it skipped", got)
	}
	t.Setenv(SlowVariable, "1")
	if got := end(Slow); got != (fake{}) {
		t.Errorf("found %+v, want it to go on", got)
	}
}

func TestSetting(t *testing.T) {
	t.Setenv("DAGSCOPE_TRIAL", "")
	ask := func(t testing.TB) { Setting(t, "DAGSCOPE_TRIAL", "a folder") }
	if got := end(ask); got.skipped != "DAGSCOPE_TRIAL is not set: it names a folder" {
		t.Errorf("found %+v", got)
	}
	t.Setenv("DAGSCOPE_TRIAL", "x")
	if got := Setting(t, "DAGSCOPE_TRIAL", "a folder"); got != "x" {
		t.Errorf("found %q", got)
	}
}
