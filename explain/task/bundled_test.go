package task

import (
	"testing"

	"dagscope/internal/testenv"
	"dagscope/read"
	"dagscope/trace"
)

var bundledNames = []string{"sg-mirage-n12-dmdas", "native-chol-tiny", "native-chol-n10-dmdas", "nativempi-np2-n8-lws"}

// bundled reads a run of the project.
func bundled(t *testing.T, name string) *trace.Run {
	t.Helper()
	run, err := read.Read(testenv.Repo("testdata/starpu", name), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}
