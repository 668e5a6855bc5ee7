// Package e2e drives the live view as users do: the built program serves real
// runs, a real browser opens them. It is a module of its own, because what
// drives the browser is large and no part of dagscope.
//
// Without a browser the tests are skipped, unless DAGSCOPE_REQUIRE lists
// "chromium" (package testenv). DAGSCOPE_SHOTS names a directory that keeps a
// picture of the page at the end of each test; DAGSCOPE_BIN names a program to
// test in place of the one that is built.
package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"dagscope/internal/testenv"
)

var (
	program string // the built program
	work    string // directory of files that the tests share
)

// Runs of the project's test data.
const (
	n12  = "sg-mirage-n12-dmdas"
	n10  = "native-chol-n10-dmdas"
	mpi  = "nativempi-np2-n8-lws"
	tiny = "native-chol-tiny"
)

func TestMain(m *testing.M) {
	err := build()
	if err != nil {
		fmt.Fprintln(os.Stderr, "build dagscope:", err)
		os.Exit(1)
	}
	code := m.Run()
	stopShared()
	os.RemoveAll(work)
	os.Exit(code)
}

func build() (err error) {
	if work, err = os.MkdirTemp("", "dagscope-e2e-"); err != nil {
		return err
	}
	if program = os.Getenv("DAGSCOPE_BIN"); program != "" {
		return nil
	}
	program = filepath.Join(work, "dagscope")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", program, "./cmd/dagscope")
	build.Dir, build.Stderr = testenv.Repo(), os.Stderr
	return build.Run()
}

// bundled is a trace of the project's test data.
func bundled(name string) string {
	return testenv.Repo("testdata/starpu", name)
}

// stored is the run directory of a bundled trace, imported once.
func stored(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(work, name+".dsr")
	if _, err := os.Stat(path); err != nil {
		run(t, "import", bundled(name), "-o", path)
	}
	return path
}

// run runs the program to its end and returns what it printed.
func run(t *testing.T, args ...string) []byte {
	t.Helper()
	out, err := command(args...).Output()
	if err != nil {
		t.Fatalf("dagscope %v: %v", args, errorText(err))
	}
	return out
}

func command(args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = work
	return cmd
}

func errorText(err error) string {
	if exit, ok := err.(*exec.ExitError); ok {
		return fmt.Sprintf("%v: %s", err, exit.Stderr)
	}
	return err.Error()
}
