package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// lines makes events of lines "PACKAGE TEST ACTION OUTPUT", with - for nothing.
func lines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		f := strings.SplitN(strings.TrimSpace(line), " ", 4)
		if len(f) < 3 {
			continue
		}
		test, output := f[1], ""
		if test == "-" {
			test = ""
		}
		if len(f) > 3 {
			output = f[3] + "\n"
		}
		fmt.Fprintf(&b, "{\"Action\":%q,\"Package\":%q,\"Test\":%q,\"Output\":%q,\"Elapsed\":0.25}\n", f[2], f[0], test, output)
	}
	return b.String()
}

// summarise is what events come to, and what is printed of them.
func summarise(events string) (*summary, string) {
	var out strings.Builder
	s := newSummary(&out)
	s.read(strings.NewReader(events))
	s.print(1500 * time.Millisecond)
	return s, out.String()
}

func lastLine(text string) string {
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return all[len(all)-1]
}

func want(t *testing.T, printed, last string, parts ...string) {
	t.Helper()
	if got := lastLine(printed); got != last || !strings.HasSuffix(printed, "\n"+last+"\n") {
		t.Errorf("the last line is %q, want %q", got, last)
	}
	for _, part := range parts {
		if !strings.Contains(printed, part) {
			t.Errorf("found no %q in:\n%s", part, printed)
		}
	}
}

const good = `
a TestX run
a TestX output === RUN TestX
a TestX pass
a TestY run
a TestY/one run
a TestY/one output     y_test.go:3: a thing that matters
a TestY/one output     y_test.go:4: clang is missing (cc: not (found)): apt-get install clang
a TestY/one output --- SKIP: TestY/one
a TestY/one skip
a TestY/three run
a TestY/three output     cmd.go:4: slow: make test-references runs it
a TestY/three output     testscript.go:9: WORK=x
a TestY/three skip
a TestY/two run
a TestY/two output     y_test.go:4: clang is missing: apt-get install clang
a TestY/two skip
a TestY pass
a - output ok a 0.2s
a - pass
b - output ? b [no test files]
b - skip
c TestZ run
c TestZ output     z_test.go:9: slow: make test-references runs it
c TestZ skip
c - output ok c	(cached)
c - pass
`

func TestPassed(t *testing.T) {
	s, printed := summarise(lines(good))
	want(t, printed, "2 passed, 0 failed, 4 skipped",
		"ok   a ", "5 tests, 3 skipped\n", "2 packages with tests, 1 without; 1.500 s wall",
		"     2  clang is missing: apt-get install clang\n     2  slow: make test-references runs it\n")
	if s.failed != 0 || strings.Contains(printed, "matters") || strings.Contains(printed, "ok   b") {
		t.Errorf("found %d failures, want none, and what passes printed in one line:\n%s", s.failed, printed)
	}
}

// A failure is printed in full, before the package ends, with those of its
// subtests.
func TestFailed(t *testing.T) {
	_, printed := summarise(lines(`
a TestX run
a TestX/sub run
a TestX/sub output     x_test.go:7: found 1,
a TestX/sub output         want 2
a TestX/sub fail
a TestX fail
a TestY run
a TestY pass
a - output FAIL
a - fail
`))
	want(t, printed, "1 passed, 2 failed, 0 skipped", "x_test.go:7: found 1,\n", "want 2\n", "FAIL a: 2 failed, 1 passed", "        a TestX/sub\n")
	if strings.Index(printed, "found 1") > strings.Index(printed, "FAIL a") {
		t.Errorf("the failure comes after its package's end:\n%s", printed)
	}
}

// A test that takes the process with it has no end of its own.
func TestPanic(t *testing.T) {
	_, printed := summarise(lines(`
a TestX run
a TestX/deep run
a TestX/deep output panic: runtime error: index out of range [recovered]
a TestX/deep output goroutine 7 [running]:
a - output FAIL a 0.01s
a - fail
`) + lines(good[strings.Index(good, "c TestZ"):]))
	want(t, printed, "0 passed, 2 failed, 1 skipped", "panic: runtime error", "goroutine 7", "a TestX/deep (it did not end)", "FAIL a: 2 failed")
}

// A package that does not compile fails once; so does one whose TestMain does.
func TestNoTest(t *testing.T) {
	build := `{"ImportPath":"a [a.test]","Action":"build-output","Output":"a/x_test.go:1:1: undefined: nothing\n"}
{"ImportPath":"a [a.test]","Action":"build-fail"}
{"Action":"start","Package":"a"}
{"Action":"output","Package":"a","Output":"FAIL\ta [build failed]\n"}
{"Action":"fail","Package":"a","Elapsed":0,"FailedBuild":"a [a.test]"}
`
	_, printed := summarise(build + lines("b - output build dagscope: no space left\nb - fail"))
	want(t, printed, "0 passed, 2 failed, 0 skipped", "undefined: nothing", "a (it does not compile)", "no space left")
}

// What is cut off has failed, and what is no event is printed.
func TestCutOff(t *testing.T) {
	_, printed := summarise("go: something odd\n" + lines("a TestX run\na TestX output     x.go:1: hello"))
	want(t, printed, "0 passed, 1 failed, 0 skipped", "go: something odd\n", "hello", "a TestX (it did not end)")
}

// Slow tests are found through functions that they call, in folders of this
// module only.
func TestSlowTests(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":               "module made\n",
		"a/x_test.go":          "package a\n\nfunc TestA(t *testing.T) { t.Run(\"b\", helper) }\n\nfunc TestB(t *testing.T) { TestB(t) }\n\nfunc TestC(t *testing.T) { testenv.Slow(t) }\n",
		"a/y_test.go":          "package a_test\n\nfunc helper(t *testing.T) { large(t) }\n\nfunc large(t *testing.T) { testenv.Slow(t) }\n",
		"b/x_test.go":          "package b\n\nfunc TestD(t *testing.T) { helper(t) }\n\nfunc Slow() {}\n",
		"a/testdata/x_test.go": "no Go",
		"other/go.mod":         "module other\n",
		"other/x_test.go":      "package other\n\nfunc TestE(t *testing.T) { testenv.Slow(t) }\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	folders, tests, err := slowTests(dir)
	if got := fmt.Sprint(folders, tests, err); got != "[./a] [TestA TestC] <nil>" {
		t.Errorf("found %s", got)
	}
}

// TestRealRuns runs go test on modules that are made here: one whose tests
// fail, panic, are skipped and do not compile, and one that cannot be loaded.
func TestRealRuns(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":               "module made\n\ngo 1.26\n",
		"fails/x_test.go":      "package fails\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { t.Run(\"b\", func(t *testing.T) { t.Error(\"as wanted\") }) }\n\nfunc TestC(t *testing.T) {}\n",
		"panics/x_test.go":     "package panics\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { panic(\"as wanted\") }\n",
		"exits/x_test.go":      "package exits\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestA(t *testing.T) { os.Exit(3) }\n",
		"skips/x_test.go":      "package skips\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { t.Skip(\"gcc is missing (no): get it\") }\n",
		"broken/x_test.go":     "package broken\n\nfunc TestA() { nothing }\n",
		"none/x.go":            "package none\n",
		"../unloadable/go.mod": "modul\n",
	} {
		path := filepath.Join(dir, "made", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "testsummary")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.Command(program, "-in", "made", "-in", "unloadable", "--", "-count=1", "-vet=off", "./...")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("found %v, want exit code 1", err)
	}
	want(t, string(out), "1 passed, 6 failed, 1 skipped", "x_test.go:5: as wanted", "panic: as wanted", "made/exits TestA (it did not end)",
		"made/broken (it does not compile)", "     1  gcc is missing: get it\n", "go test -count=1 -vet=off ./... in unloadable: exit status 1", "5 packages with tests, 1 without")
}
