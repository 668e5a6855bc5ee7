// Score answers how good the diagnosis is: it reports on runs of which it is known
// what is wrong with them, and on healthy ones, and compares.
//
// The approach: each case is a folder with a truth.json, a run with one fault put
// in and its healthy twin (truth.go). Traces are imported once and kept in a work
// directory (runs.go). Of what `dagscope report --json` finds, the first two
// findings decide whether the fault was found, findings with a simulated gain are
// compared with the twin's real difference, and what is found in healthy runs with
// severity medium or high is a false alarm (judge.go). The page (page.go) has a
// line for each case and shares with 95 % intervals.
//
// It does not follow the advice: whether it does harm takes simulations.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"dagscope/internal/testenv"
)

// options are those of the command line.
type options struct {
	cases, work string
	call        func(arguments ...string) ([]byte, error) // runs dagscope
	detectors   bool
	only        *regexp.Regexp
	page, json  string
}

func main() {
	var o options
	var only, path string
	flag.StringVar(&o.cases, "cases", filepath.Join(os.Getenv(testenv.ReferencesVariable), "data", "faults"), "directory of the cases")
	flag.StringVar(&o.work, "work", filepath.Join("build", "score"), "directory that keeps the imported runs")
	flag.StringVar(&path, "program", filepath.Join("bin", "dagscope"), "dagscope to try")
	flag.BoolVar(&o.detectors, "detectors", false, "run the detectors (diagnose/symptom) instead of the program's report")
	flag.StringVar(&only, "only", "", "regular expression of the cases to try (default all)")
	flag.StringVar(&o.page, "o", "", "write the table to this page instead of standard output")
	flag.StringVar(&o.json, "json", "", "also write the results to this JSON file")
	flag.Parse()
	o.call = program(path)
	var err error
	if o.only, err = regexp.Compile(only); err != nil {
		err = fmt.Errorf("read -only: %w", err)
	} else {
		err = run(o)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "score: %v\n", err)
		os.Exit(1)
	}
}

func run(o options) error {
	cases, err := readCases(o.cases, o.only)
	if err != nil {
		return err
	}
	find := o.report
	if o.detectors {
		find = o.detect
	}
	s, err := scoreAll(cases, find, func(c *verdict) { fmt.Fprintf(os.Stderr, "%s: %s\n", c.Case, c.word()) })
	if err != nil {
		return err
	}
	return s.write(o)
}
