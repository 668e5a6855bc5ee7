package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"dagscope/cli"
	"dagscope/internal/testenv"
	"dagscope/trace/store"
	"dagscope/trace/tracetest"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite what the commands print into the scripts")

func TestMain(m *testing.M) {
	// The scripts run this test binary under the name dagscope.
	testscript.Main(m, map[string]func(){
		"dagscope": func() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestScript runs the whole program on small runs: each script in
// testdata/script holds input, commands and what they must print.
//
// Besides testscript's own commands there are
//
//	mkrun RUN.dsr FILE   make a run directory from the text form of package
//	                     tracetest; FILE "tiny" is tracetest.Tiny
//	exits N COMMAND…     the command must leave with exit code N; it must print
//	                     nothing to standard output unless N is 0
//
// $STARPU is the folder of the bundled runs, and $CONTROL a pattern of what a
// terminal obeys.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("STARPU", testenv.Repo("testdata/starpu"))
			env.Setenv("CONTROL", `[\x00-\x08\x0b-\x1f\x7f-\x{9f}\x{61c}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}]`)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"mkrun": makeRun,
			"exits": exits,
		},
	})
}

func makeRun(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mkrun RUN.dsr FILE")
	}
	run := tracetest.Tiny()
	if args[1] != "tiny" {
		var err error
		if run, err = tracetest.Parse([]byte(ts.ReadFile(args[1]))); err != nil {
			ts.Fatalf("%s: %v", args[1], err)
		}
	}
	ts.Check(store.Write(ts.MkAbs(args[0]), run))
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N COMMAND…")
	}
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var failed *exec.ExitError
		if !errors.As(err, &failed) {
			ts.Fatalf("%s: %v", args[1], err)
		}
		code = failed.ExitCode()
	}
	if want := args[0]; strconv.Itoa(code) != want {
		ts.Fatalf("exit code is %d, want %s", code, want)
	}
	if out := ts.ReadFile("stdout"); code != 0 && out != "" {
		ts.Fatalf("standard output is only for the answer, found %q", out)
	}
}
