// Makespans answers how far simulations of the exact engine are from StarPU's own
// simulation of the same programs on the same machines under the same schedulers:
// it simulates every row of a table of reference makespans and writes a page of the
// errors, by scheduler, machine, size and options.
//
// It judges makespans only: where tasks ran is for the tests of the engine.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"dagscope/internal/testenv"
)

func main() {
	data := flag.String("data", filepath.Join(os.Getenv(testenv.ReferencesVariable), "data", "starpu"), "directory with reference/makespans.tsv and perfmodels/sampling")
	page := flag.String("o", "", "write the tables to this page instead of standard output")
	flag.Parse()
	if err := write(*data, *page); err != nil {
		fmt.Fprintf(os.Stderr, "makespans: %v\n", err)
		os.Exit(1)
	}
}

func write(data, page string) error {
	rows, err := readRows(filepath.Join(data, "reference", "makespans.tsv"))
	if err != nil {
		return err
	}
	got, err := simulateAll(rows, filepath.Join(data, "perfmodels", "sampling"))
	if err != nil {
		return err
	}
	if err := perturb(got, filepath.Join(data, "perfmodels", "sampling")); err != nil {
		return err
	}
	text := table(got)
	if page == "" {
		_, err = os.Stdout.WriteString(text)
		return err
	}
	return os.WriteFile(page, []byte(text), 0o644)
}
