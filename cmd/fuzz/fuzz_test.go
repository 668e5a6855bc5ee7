package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dagscope/internal/testenv"
)

// All targets are found: those that a search for their first line finds.
func TestTargets(t *testing.T) {
	t.Chdir(testenv.Repo())
	found, err := targets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	declared := regexp.MustCompile(`(?m)^func (Fuzz\w*)\(f \*testing\.F\)`)
	err = filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") || path == "cmd/fuzz/fuzz_test.go" { // which has some as text
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(text, -1) {
			want = append(want, filepath.ToSlash(filepath.Dir(path))+"."+string(m[1]))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		got = append(got, f.String())
	}
	slices.Sort(want)
	if slices.Sort(got); !slices.Equal(got, want) || len(want) < 30 {
		t.Errorf("found %q, want %q", got, want)
	}
}

func TestClass(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a_test.go") // Fuzzy is no target
	for doc, want := range map[string]string{"": "memory", "// FuzzA is.\n//\n//fuzz:class file\n": "file", "//fuzz:class run\n": "run", "//fuzz:class other\n": ""} {
		text := "package a\n\nimport \"testing\"\n\n" + doc + "func FuzzA(f *testing.F) {}\n\nfunc Fuzzy() {}\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		found, err := targetsIn(file)
		switch {
		case want == "":
			if err == nil || !strings.Contains(err.Error(), `a_test.go:5:1: read //fuzz:class: found "other"`) {
				t.Errorf("error is %v", err)
			}
		case err != nil:
			t.Error(err)
		case len(found) != 1 || found[0].Name != "FuzzA" || found[0].Class.Name != want:
			t.Errorf("%q: found %+v, want FuzzA of class %s", doc, found, want)
		}
	}
}

// Rounds that follow each other take every target, as evenly as can be.
func TestTurn(t *testing.T) {
	all := make([]*target, 31)
	for i := range all {
		all[i] = &target{Name: string(rune('A' + i))}
	}
	times := map[string]int{}
	for round := 400; round < 400+31; round++ {
		for _, t := range turn(all, round, 12) {
			times[t.Name]++
		}
	}
	for _, one := range all {
		if times[one.Name] != 12 {
			t.Errorf("%s has %d turns, want 12", one.Name, times[one.Name])
		}
	}
	if got := turn(all, 7, 99); len(got) != len(all) {
		t.Errorf("found %d targets, want each once", len(got))
	}
}

func TestReadOutput(t *testing.T) {
	for out, want := range map[string]result{
		"fuzz: elapsed: 0s, gathering baseline coverage: 0/2 completed\n" +
			"fuzz: elapsed: 3s, execs: 9516 (3172/sec), new interesting: 104 (total: 112)\n" +
			"fuzz: elapsed: 1m0s, execs: 435310 (6820/sec), new interesting: 183 (total: 413)\nPASS\n": {Executions: 435310, Seconds: 60, New: 183, Corpus: 413},
		"fuzz: elapsed: 3s, gathering baseline coverage: 1/200 completed\nPASS\n": {},
		"fuzz: elapsed: 1s, execs: 12 (12/sec)\n--- FAIL: FuzzA (1.02s)\n    --- FAIL: FuzzA (0.00s)\n        a_test.go:9: no\n    \n" +
			"    Failing input written to testdata/fuzz/FuzzA/0a1b2c\n    To re-run:\n    go test -run=FuzzA/0a1b2c\nFAIL\n": {Executions: 12, Seconds: 1, Repeat: "FuzzA/0a1b2c"},
		"failure while testing seed corpus entry: FuzzA/seed#2\nfuzz: elapsed: 0s, gathering baseline coverage: 2/3 completed\n": {Repeat: "FuzzA/seed#2"},
	} {
		var got result
		if got.read(out); got != want {
			t.Errorf("%s: found %+v, want %+v", out, got, want)
		}
	}
}

const code = `package a

func Begins(s string) bool {
	if len(s) > 0 && s[0] == 'a' {
		return true
	}
	return false
}
`

const tests = `package a

import (
	"testing"
	"time"
)

func FuzzQuick(f *testing.F) {
	f.Add("seed")
	f.Fuzz(func(t *testing.T, s string) { Begins(s) })
}

func FuzzSlow(f *testing.F) {
	f.Add("seed")
	f.Fuzz(func(t *testing.T, s string) { time.Sleep(900 * time.Millisecond) })
}

func FuzzWrong(f *testing.F) {
	f.Add("seed")
	f.Fuzz(func(t *testing.T, s string) {
		if s != "seed" {
			t.Error("other")
		}
	})
}
`

// A target that finds something fails, with the command that repeats it; one that
// is slow fails; results are kept, and so is what was found.
func TestFuzz(t *testing.T) {
	testenv.Slow(t)
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.MkdirAll("a", 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"go.mod": "module dagscope\n\ngo 1.26\n", "a/a.go": code, "a/a_test.go": tests} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := &options{each: 3 * time.Second, only: regexp.MustCompile(""), corpus: filepath.Join(dir, "corpus"), build: "build", parallel: 2, page: "fuzzing.md"}
	failed, err := run(t.Context(), o)
	if err != nil || failed != 2 {
		t.Fatalf("found %d failures, %v, want 2", failed, err)
	}
	results, err := remembered("build")
	if err != nil {
		t.Fatal(err)
	}
	if r := results["a.FuzzQuick"]; r.failed() || r.Executions < 300 {
		t.Errorf("found %+v, want that it passes", r)
	}
	if r := results["a.FuzzSlow"]; !strings.Contains(r.Broken, "executions per second, want at least 5 (class memory): it waits") {
		t.Errorf("found %+v, want that it is too slow", r)
	}
	repeat := results["a.FuzzWrong"].Repeat
	if !strings.HasPrefix(repeat, "go test ./a -run '^FuzzWrong$/^") {
		t.Fatalf("found %q, want a command", repeat)
	}
	if out, err := exec.Command("sh", "-c", repeat).CombinedOutput(); err == nil || !strings.Contains(string(out), "other") {
		t.Errorf("%s: %v, %s, want that it fails", repeat, err, out)
	}
	page, err := os.ReadFile("fuzzing.md")
	if err != nil || strings.Count(string(page), "| a.Fuzz") != 3 {
		t.Errorf("found %s, %v, want three targets", page, err)
	}
	if kept, err := filepath.Glob("corpus/dagscope/a/FuzzQuick/*"); err != nil || len(kept) == 0 {
		t.Errorf("found %q, %v, want inputs that reached new code", kept, err)
	}
	o.seeds, o.only = 1000, regexp.MustCompile("FuzzQuick")
	if _, err := run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if seeds, err := filepath.Glob("a/testdata/fuzz/FuzzQuick/*"); err != nil || len(seeds) != 1 {
		t.Errorf("found seeds %q, %v, want the one that begins with a", seeds, err)
	}
}

// Of a history that is cut, every count of commits is the same: days count there.
func TestRound(t *testing.T) {
	whole, cut := t.TempDir(), filepath.Join(t.TempDir(), "cut")
	git := func(dir string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v, %s", args, err, out)
		}
	}
	testenv.Need(t, "install git", "git")
	git(whole, "init", "-q")
	for range 3 {
		git(whole, "commit", "-q", "--allow-empty", "-m", "x")
	}
	git(whole, "clone", "-q", "--depth", "1", "file://"+whole, cut)
	t.Chdir(whole)
	if n := round(t.Context()); n != 3 {
		t.Errorf("found round %d, want 3 commits", n)
	}
	for _, dir := range []string{cut, t.TempDir()} {
		t.Chdir(dir)
		if n := round(t.Context()); n < 20_000 {
			t.Errorf("%s: found round %d, want days", dir, n)
		}
	}
}
