// Conform answers whether a promise of docs/import.md holds: whatever is done to
// an input, nothing is lost without a word, and nothing is taken without bound.
// `make conformance` runs it and writes docs/reference/robustness.md, a table with
// a line for each reader.
//
// The approach: of small sound inputs of each reader (samples.go), damaged ones
// are derived (damage.go), by a seed, so that a number names an input for ever.
// Each is given to the command line as a user would (subject.go), in a child
// process with limits, many inputs one after the other: a panic, a hang or a lack
// of memory ends the child and is the input's that it had begun (parent.go). What
// the verb answered, and the run that it wrote, are compared with those of the sound
// input (judge.go). Inputs that broke a rule are kept as files.
//
// It does not know what a reader should make of damage: a number that became
// another number is a sound input, and counted as such. It measures the limits of
// memory and time on Linux only.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"

	"dagscope/cli"
	"dagscope/internal/testenv"
)

func main() {
	var c campaign
	var pick, out, child string
	flag.IntVar(&c.count, "n", 600, "damaged inputs of each reader")
	flag.Uint64Var(&c.seed, "seed", 1, "seed of the damage")
	flag.StringVar(&pick, "readers", "", "regular expression of the readers to try (default all)")
	flag.StringVar(&out, "o", "", "write the table to this page instead of standard output")
	flag.StringVar(&c.keep, "keep", filepath.Join(os.TempDir(), "conform"), "directory for inputs that broke a rule")
	flag.IntVar(&c.jobs, "jobs", runtime.GOMAXPROCS(0), "readers at a time")
	flag.IntVar(&c.only, "case", -1, "try this input only, and keep it")
	flag.StringVar(&child, "child", "", "be the child process that tries the inputs of this reader (internal)")
	flag.IntVar(&c.from, "from", 0, "of the child: the first input (internal)")
	flag.Parse()
	if err := run(c, pick, out, child); err != nil {
		fmt.Fprintf(os.Stderr, "conform: %v\n", err)
		os.Exit(1)
	}
}

func run(c campaign, pick, out, child string) error {
	chosen, err := regexp.Compile(pick)
	if err != nil {
		return fmt.Errorf("read -readers: %w", err)
	}
	repository, err := findRepository()
	if err != nil {
		return err
	}
	c.references = os.Getenv(testenv.ReferencesVariable)
	readers, err := samples(repository, c.references)
	if err != nil {
		return err
	}
	if child != "" {
		for i := range readers {
			if readers[i].name == child {
				return c.try(&readers[i], cli.Main, os.Stdout)
			}
		}
		return fmt.Errorf("found reader %q, want one of the table", child)
	}
	var some []reader
	for _, r := range readers {
		if chosen.MatchString(r.name) {
			some = append(some, r)
		}
	}
	c.revision = revision() // as they are now
	lines, err := c.all(some)
	if err != nil {
		return err
	}
	page := cmp.Or(out, os.DevNull)
	if err := os.WriteFile(page, []byte(c.page(lines)), 0o666); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	summary(os.Stdout, lines)
	for _, l := range lines {
		if l.violations > 0 {
			return fmt.Errorf("found inputs that broke a rule, want none: see %s", c.keep)
		}
	}
	return nil
}

// findRepository is where the samples are: this program runs in its repository.
func findRepository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "cmd", "conform")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("find the samples: found no repository of dagscope above the working directory, want one")
		}
	}
}
