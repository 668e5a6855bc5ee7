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
// Cases of three sorts: recorded ones, OpenMP programs that are compiled and recorded
// (openmp.go), and such as the simulator makes of the specs in
// testdata/simulated (simulated.go), of which half were held out for a
// first measurement. Advice on the latter is followed, where the spec has a key for it, and does harm
// if the run becomes longer.
//
// It does not follow advice on recorded runs.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"dagscope/internal/testenv"
)

// options are those of the command line.
type options struct {
	cases, work string
	simulated   string
	openMP      string                                    // directory of programs
	clang       string                                    // compiles them
	call        func(arguments ...string) ([]byte, error) // runs dagscope
	detectors   bool
	only        *regexp.Regexp
	page, json  string
	note        string        // for the page
	budget      time.Duration // of the simulations of each report
}

func main() {
	var o options
	var only, path string
	recorded := ""
	if references := os.Getenv(testenv.ReferencesVariable); references != "" {
		recorded = filepath.Join(references, "data", "faults")
	}
	flag.StringVar(&o.cases, "cases", recorded, "directory of the recorded cases; empty for none")
	flag.StringVar(&o.simulated, "simulated", filepath.Join("cmd", "score", "testdata", "simulated", "cases.yaml"), "cases that are simulated; empty for none")
	programs := ""
	if recorded != "" {
		programs = filepath.Join(recorded, "..", "ompt", "advice")
	}
	flag.StringVar(&o.openMP, "openmp", programs, "directory of OpenMP programs with one problem each; empty for none")
	flag.StringVar(&o.clang, "clang", "clang-19", "compiler of the OpenMP programs")
	flag.StringVar(&o.work, "work", filepath.Join("build", "score"), "directory that keeps the imported runs")
	flag.StringVar(&path, "program", filepath.Join("bin", "dagscope"), "dagscope to try")
	flag.BoolVar(&o.detectors, "detectors", false, "run the detectors (diagnose/symptom) instead of the program's report")
	flag.StringVar(&only, "only", "", "regular expression of the cases to try (default all)")
	flag.DurationVar(&o.budget, "budget", 10*time.Second, "time for the simulations of each report, of the wall clock; 0 until all is tried, which gives the same table on any machine")
	flag.StringVar(&o.note, "note", "", "sentence for the page: what the table was made under")
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
	find := o.report
	if o.detectors {
		find = o.detect
	}
	var all []*score
	judge := func(name string, cases []*truth, follow func(*truth, *findings) ([]followed, error)) error {
		if len(cases) == 0 {
			return nil
		}
		s, err := scoreAll(cases, find, follow, func(c *verdict) { fmt.Fprintf(os.Stderr, "%s: %s\n", c.Case, c.word()) })
		if err != nil {
			return err
		}
		s.Name = name
		all = append(all, s)
		return nil
	}
	if o.cases != "" {
		cases, err := readCases(o.cases, o.only)
		if err != nil {
			return err
		}
		if err := judge("recorded", cases, nil); err != nil {
			return err
		}
	}
	if o.simulated != "" {
		specs, err := readSimulated(o.simulated, o.only)
		if err != nil {
			return err
		}
		cases, err := o.makeSimulated(o.simulated, specs)
		if err != nil {
			return err
		}
		aside := func(t *truth) bool { return t.HeldOut }
		used := slices.DeleteFunc(slices.Clone(cases), aside)
		if err := judge("simulated, looked at", used, o.follow); err != nil {
			return err
		}
		if err := judge("simulated, held out", slices.DeleteFunc(cases, func(t *truth) bool { return !aside(t) }), o.follow); err != nil {
			return err
		}
	}
	if _, err := exec.LookPath(o.clang); err != nil {
		fmt.Fprintf(os.Stderr, "score: skip the OpenMP programs: %v\n", err)
	} else if o.openMP != "" {
		cases, err := o.makeOpenMP(o.openMP, o.only)
		if err != nil {
			return err
		}
		if err := judge("OpenMP", cases, nil); err != nil {
			return err
		}
	}
	if len(all) == 0 {
		return fmt.Errorf("read cases: found none that match %q", o.only)
	}
	return write(all, o)
}
