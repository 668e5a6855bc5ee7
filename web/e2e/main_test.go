// Package e2e drives the live view as users do: the built program serves real
// runs, a real browser opens them. It is a module of its own, because what
// drives the browser is large and no part of dagscope.
//
// Without a browser the tests are skipped, unless DAGSCOPE_BROWSER is set to
// "require", as `make test` does. DAGSCOPE_SHOTS names a directory that keeps a
// picture of the page at the end of each test.
package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const root = "../.."

// program is the built program; empty if it could not be built.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "dagscope-e2e-")
	if err == nil {
		program = filepath.Join(dir, "dagscope")
		build := exec.Command("go", "build", "-buildvcs=false", "-o", program, "./cmd/dagscope")
		build.Dir, build.Stderr = root, os.Stderr
		err = build.Run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "build dagscope:", err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// bundled is a run of the project's test data.
func bundled(name string) string {
	path, err := filepath.Abs(filepath.Join(root, "testdata/starpu", name))
	if err != nil {
		panic(err)
	}
	return path
}
