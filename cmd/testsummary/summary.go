package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"dagscope/internal/words"
)

// event is a line of go test -json (go doc test2json, and go help buildjson for
// those of packages that do not compile).
type event struct {
	Action, Package, Test, Output string
	ImportPath                    string  // of build-output
	FailedBuild                   string  // of a package's fail
	Elapsed                       float64 // s
}

// summary counts tests and their subtests alike, as go test does.
type summary struct {
	out                     io.Writer
	passed, failed, skipped int
	packages, empty         int            // with tests, without
	reasons                 map[string]int // of skips
	failures                []string       // what failed, in order
	cpu                     time.Duration
	slow                    bool                // the slow tests are run, and no others
	open                    map[string]*pack    // packages that are running
	built                   map[string][]string // what compilers said, by import path
}

// pack is a package that is being tested.
type pack struct {
	output          map[string][]string // by running test; "" is the package's own
	passed, skipped int
	failures        int
}

func newSummary(out io.Writer) *summary {
	return &summary{out: out, reasons: map[string]int{}, open: map[string]*pack{}, built: map[string][]string{}}
}

// read reads the events of go test -json to their end. Lines that are no events
// are printed.
func (s *summary) read(in io.Reader) {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) == nil && e.Action != "" {
				s.event(&e)
			} else {
				fmt.Fprintf(s.out, "%s\n", strings.TrimRight(string(line), "\n"))
			}
		}
		if err != nil {
			break
		}
	}
	for name, p := range s.open { // go test itself ended
		s.failPackage(name, p, "")
	}
	clear(s.open)
}

func (s *summary) event(e *event) {
	if e.Action == "build-output" {
		s.built[e.ImportPath] = append(s.built[e.ImportPath], e.Output)
		return
	}
	if e.Package == "" {
		return
	}
	p := s.open[e.Package]
	if p == nil {
		p = &pack{output: map[string][]string{}}
		s.open[e.Package] = p
	}
	switch {
	case e.Action == "output":
		p.output[e.Test] = append(p.output[e.Test], e.Output)
	case e.Test == "":
		s.endPackage(e, p)
	default:
		s.endTest(e, p)
	}
}

func (s *summary) endTest(e *event, p *pack) {
	switch e.Action {
	case "run":
		p.output[e.Test] = append(p.output[e.Test], "") // it runs, whether it prints or not
		return
	case "pass":
		s.passed++
		p.passed++
	case "skip":
		s.skipped++
		p.skipped++
		s.reasons[reason(p.output[e.Test])]++
	case "fail":
		p.failures++
		s.fail(e.Package + " " + e.Test)
		s.show(e.Package, p.output[e.Test])
	default: // pause, cont, bench, start
		return
	}
	delete(p.output, e.Test)
}

func (s *summary) endPackage(e *event, p *pack) {
	switch e.Action {
	case "pass":
		s.packages++
		if p.passed+p.skipped == 0 {
			s.packages--
			s.empty++
			break
		}
		text := fmt.Sprintf("%4d tests", p.passed+p.skipped)
		if p.skipped > 0 {
			text += fmt.Sprintf(", %d skipped", p.skipped)
		}
		took := words.Duration(e.Elapsed * 1e9)
		if slices.ContainsFunc(p.output[""], func(line string) bool { return strings.Contains(line, "\t(cached)") }) {
			took = "cached"
		}
		fmt.Fprintf(s.out, "ok   %-36s %9s  %s\n", e.Package, took, text)
	case "skip": // no test files
		s.empty++
	case "fail":
		s.failPackage(e.Package, p, e.FailedBuild)
	default: // start
		return
	}
	delete(s.open, e.Package)
}

// failPackage ends a package that failed. Tests that had not ended failed with
// it; where there are none, and no test failed before, it is the package itself
// that did: it did not compile, say.
func (s *summary) failPackage(name string, p *pack, build string) {
	s.packages++
	own := p.output[""]
	delete(p.output, "")
	for _, test := range slices.Sorted(maps.Keys(p.output)) {
		p.failures++
		s.fail(name + " " + test + " (it did not end)")
		s.show(name, p.output[test])
	}
	if p.failures == 0 {
		what := name
		if build != "" {
			what += " (it does not compile)"
			own = append(s.built[build], own...)
		}
		p.failures++
		s.fail(what)
	}
	s.show(name, own)
	fmt.Fprintf(s.out, "FAIL %s: %d failed, %d passed, %d skipped\n", name, p.failures, p.passed, p.skipped)
}

// fail counts a failure.
func (s *summary) fail(what string) {
	s.failed++
	s.failures = append(s.failures, what)
}

// show prints what a test printed.
func (s *summary) show(name string, output []string) {
	text := strings.TrimSpace(strings.Join(output, ""))
	if text == "" || text == "FAIL" {
		return
	}
	fmt.Fprintf(s.out, "\n---- %s\n%s\n\n", name, text)
}

var (
	// said is a line that a test logged, as its skip does.
	said = regexp.MustCompile(`^\s*(\S+\.go):\d+: (.*)$`)
	// detail is what differs between skips for the same reason (package testenv).
	detail = regexp.MustCompile(`^(.* (?:is|are) missing) \(.*\)(: .*)$`)
)

// reason is why a test was skipped: what it logged last, but for the log that
// package testscript writes at the end of each script.
func reason(output []string) string {
	why := "no reason given"
	for line := range strings.SplitSeq(strings.Join(output, ""), "\n") {
		if m := said.FindStringSubmatch(line); m != nil && m[1] != "testscript.go" {
			why = m[2]
		}
	}
	return detail.ReplaceAllString(why, "$1$2")
}

// print prints what all came to.
func (s *summary) print(wall time.Duration) {
	fmt.Fprintf(s.out, "\n%s with tests, %d without; %s wall, %s CPU\n", words.Plural(s.packages, "package"), s.empty,
		words.Duration(wall.Nanoseconds()), words.Duration(s.cpu.Nanoseconds()))
	if s.skipped > 0 {
		fmt.Fprintln(s.out, "skipped:")
		byCount := slices.Sorted(maps.Keys(s.reasons))
		slices.SortStableFunc(byCount, func(a, b string) int { return cmp.Compare(s.reasons[b], s.reasons[a]) })
		for _, why := range byCount {
			fmt.Fprintf(s.out, "%6d  %s\n", s.reasons[why], why)
		}
	}
	if len(s.failures) > 0 {
		fmt.Fprintln(s.out, "failed:")
		for _, what := range s.failures {
			fmt.Fprintln(s.out, "       ", what)
		}
	}
	fmt.Fprintf(s.out, "%d passed, %d failed, %d skipped\n", s.passed, s.failed, s.skipped)
}
