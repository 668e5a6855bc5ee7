package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"dagscope/internal/testenv"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestRecord records programs: each script in testdata/record runs them under
// the built program. Besides the commands of TestScript there are, in the folder
// $BIN, program (built by clang) and, where gcc is installed, program-gcc; both
// are testdata/record/program.c.
func TestRecord(t *testing.T) {
	bin := t.TempDir()
	compile(t, filepath.Join(bin, "program"), "clang", "clang-22", "clang-19", "clang-16", "clang-15", "clang-14")
	gcc := compiles(filepath.Join(bin, "program-gcc"), "gcc") == nil
	cache := t.TempDir() // the recorder is built once
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/record",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("BIN", bin)
			env.Setenv("XDG_CACHE_HOME", cache)
			env.Setenv("OMP_NUM_THREADS", "2")
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exits},
		Condition: func(name string) (bool, error) {
			return name == "program-gcc" && gcc, nil
		},
	})
}

// compile builds the program with the first compiler that can.
func compile(t *testing.T, out string, compilers ...string) {
	t.Helper()
	for _, cc := range compilers {
		if compiles(out, cc) == nil {
			return
		}
	}
	testenv.Missing(t, "clang with libomp", "", "apt-get install clang-19 libomp-19-dev")
}

func compiles(out, cc string) error {
	return exec.Command(cc, "-O1", "-g", "-fopenmp", "-o", out, "testdata/record/program.c").Run()
}
