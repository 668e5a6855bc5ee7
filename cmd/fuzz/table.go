package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"dagscope/internal/budget"
	"dagscope/internal/wholefile"
	"dagscope/internal/words"
)

// line says what became of a target.
func (r *result) line() string {
	s := fmt.Sprintf("%s in %.0f s, %.0f per second, %.0f per CPU second, %s", words.Plural(r.Executions, "execution"), r.Seconds, r.rate(), r.speed(), words.Plural(r.New, "new input"))
	if r.failed() {
		s += "; FAILED: " + r.Broken
	}
	if r.Repeat != "" {
		s += "; repeat: " + r.Repeat
	}
	return s
}

func (r *result) verdict() string {
	if r.failed() {
		return r.Broken
	}
	return "passed"
}

func printTable(w io.Writer, results []result) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "target\tclass\texecutions\tper second\tper CPU s\tmin\tnew inputs\tcorpus\tresult")
	for _, r := range results {
		fmt.Fprintf(t, "%s\t%s\t%s\t%.0f\t%.0f\t%g\t%d\t%d\t%s\n", r.Target, r.Class, words.Count(r.Executions), r.rate(), r.speed(), r.Minimum, r.New, r.Corpus, r.verdict())
	}
	t.Flush()
	for _, r := range results {
		if r.Repeat != "" {
			fmt.Fprintln(w, r.Repeat)
		}
	}
}

// Results are kept one file each, so that runs of some targets add up to a page
// of all.

func resultsFolder(build string) string { return filepath.Join(build, "results") }

func remember(build string, r result) error {
	path := filepath.Join(resultsFolder(build), filepath.FromSlash(r.Target)+".json")
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return wholefile.Write(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(r) })
}

// remembered returns the last result of each target that has one.
func remembered(build string) (map[string]result, error) {
	all := map[string]result{}
	err := filepath.WalkDir(resultsFolder(build), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var r result
		if err := json.Unmarshal(text, &r); err != nil {
			return fmt.Errorf("read %s: %w", path, err)
		}
		all[r.Target] = r
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return all, err
}

const pageHead = `# Fuzzing

Each target feeds a reader with inputs that the fuzzer of Go changes as long as
they reach new code. What a target checks is in its function; that an input takes
no more than %v and %s of allocations is checked for all (package
%sinternal/budget%s). A target fails where it executes fewer inputs per CPU
second than the minimum of its class, or per second fewer than a twentieth:

| class | min executions per CPU second | a target of it |
|--|--|--|
`

const pageResults = `
Last result of each target, from %smake fuzz%s ([CONTRIBUTING.md](../../CONTRIBUTING.md)
says how). New inputs are those of that run that reached new code, the corpus is
what is kept of all runs, with the seeds.

| target | class | seconds | executions | per second | per CPU second | new inputs | corpus | result | day |
|--|--|--:|--:|--:|--:|--:|--:|--|--|
`

// writePage writes what is known of all targets as a page of the documentation.
func writePage(path string, all []*target, known map[string]result) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return wholefile.Write(path, func(w io.Writer) error {
		fmt.Fprintf(w, pageHead, budget.Time, words.Bytes(budget.Bytes), "`", "`")
		for _, c := range classes {
			fmt.Fprintf(w, "| %s | %g | %s |\n", c.Name, c.Speed, c.What)
		}
		fmt.Fprintf(w, pageResults, "`", "`")
		total, targets := int64(0), 0
		setup := map[string]int{}
		for _, t := range all {
			r, ok := known[t.String()]
			if !ok {
				fmt.Fprintf(w, "| %s | %s | | | | | | | not run | |\n", t, t.Class.Name)
				continue
			}
			total += r.Executions
			targets++
			setup[fmt.Sprintf("%s, %s at a time", r.Go, words.Plural(r.Parallel, "input"))]++
			fmt.Fprintf(w, "| %s | %s | %.0f | %s | %.0f | %.0f | %d | %d | %s | %s |\n", t, t.Class.Name, r.Seconds,
				words.Count(r.Executions), r.rate(), r.speed(), r.New, r.Corpus, r.verdict(), r.Day)
		}
		fmt.Fprintf(w, "\n%s of %s run, %s.", words.Count(targets), words.Plural(len(all), "target"), words.Plural(total, "execution"))
		for _, s := range sorted(setup) {
			fmt.Fprintf(w, " %s: %s.", s, words.Plural(setup[s], "target"))
		}
		_, err := fmt.Fprintln(w)
		return err
	})
}

func sorted(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }
