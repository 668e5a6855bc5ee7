// Testsummary answers what a run of the tests came to: `make test` runs it. It
// runs go test in each of the modules named by -in, prints failures in full when
// they happen and one line for every package, and at the end how many tests
// passed, failed and were skipped, why, and what they took. Its last line is
//
//	N passed, N failed, N skipped
//
// and its exit code 1 if anything failed. What follows -- is passed to
// go test: flags and packages, ./... by default.
//
// With -slow it runs the tests that call testenv.Slow, and no others; what is
// passed to go test are flags only.
//
// It judges nothing: whether something that is missing skips a test or fails it
// is package testenv's business.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"dagscope/internal/testenv"
)

type folders []string

func (f *folders) String() string { return strings.Join(*f, " ") }

func (f *folders) Set(dir string) error { *f = append(*f, dir); return nil }

func main() {
	var modules folders
	flag.Var(&modules, "in", "folder of a module to test, may be repeated (default .)")
	slow := flag.Bool("slow", false, "run the slow tests, and no others")
	flag.Parse()
	args := flag.Args()
	if len(args) == 0 && !*slow {
		args = []string{"./..."}
	}
	if len(modules) == 0 {
		modules = folders{"."}
	}
	begin := time.Now()
	s := newSummary(os.Stdout)
	s.slow = *slow
	for _, dir := range modules {
		if !*slow {
			s.test(dir, args)
			continue
		}
		folders, tests, err := slowTests(dir)
		if err != nil {
			s.fail(fmt.Sprintf("find the slow tests in %s: %v", dir, err))
		} else if len(tests) > 0 {
			s.test(dir, slices.Concat(args, []string{"-run=^(" + strings.Join(tests, "|") + ")$"}, folders))
		}
	}
	s.print(time.Since(begin))
	if s.failed > 0 {
		os.Exit(1)
	}
}

// test runs the tests of a module.
func (s *summary) test(dir string, args []string) {
	cmd := exec.Command("go", append([]string{"test", "-json", "-timeout=30m"}, args...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	if s.slow {
		cmd.Env = append(os.Environ(), testenv.SlowVariable+"=1")
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		s.fail(fmt.Sprintf("go test in %s: %v", dir, err))
		return
	}
	before := s.failed
	s.read(out)
	err = cmd.Wait()
	s.cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if err != nil && s.failed == before {
		s.fail(fmt.Sprintf("go test %s in %s: %v", strings.Join(args, " "), dir, err))
	}
}
