// Replay answers how well recorded runs are simulated again, which what-if rests
// on: it imports the runs of a directory, simulates each freely, by every
// scheduler that it may have had, and with its recorded schedule, and writes a
// page with a line for each.
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dagscope/internal/stat"
	"dagscope/internal/testenv"
	"dagscope/internal/words"
	"dagscope/predict/whatif"
	"dagscope/read"
)

func main() {
	runs := flag.String("runs", filepath.Join(os.Getenv(testenv.ReferencesVariable), "data", "starpu"), "directory of runs, each a directory that can be imported")
	page := flag.String("o", "", "write the table to this page instead of standard output")
	flag.Parse()
	if err := write(*runs, *page); err != nil {
		fmt.Fprintf(os.Stderr, "replay: %v\n", err)
		os.Exit(1)
	}
}

// line is a run with its replays.
type line struct {
	name string
	base *whatif.Base
	err  error
}

func write(dir, page string) error {
	lines, err := replay(dir, os.Stderr)
	if err != nil {
		return err
	}
	text := table(lines)
	if page == "" {
		_, err = os.Stdout.WriteString(text)
		return err
	}
	return os.WriteFile(page, []byte(text), 0o644)
}

// replay simulates the runs of a directory again; what is no run is left out.
func replay(dir string, progress io.Writer) (lines []line, _ error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		run, err := read.Read(filepath.Join(dir, e.Name()), read.Options{})
		if err != nil {
			fmt.Fprintf(progress, "%s is no run: %v\n", e.Name(), err)
			continue
		}
		l := line{name: e.Name()}
		l.base, l.err = whatif.NewBase(run, whatif.Options{Pinned: true})
		lines = append(lines, l)
		fmt.Fprintln(progress, e.Name())
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("found no run in %s, want directories of traces", dir)
	}
	return lines, nil
}

func table(lines []line) string {
	var b strings.Builder
	b.WriteString(`# Replays: recorded runs simulated again

Written by ` + "`make replays`" + `. Each run is simulated under every scheduler that it may have had, on
the machine that follows from its trace; the line has the one that repeats it best
([how](../whatif.md)), and the replay with the recorded schedule. Errors are of the makespan.
Placement is the share of the work of equal tasks on the same node and architecture, order
the rank correlation of starts. A free replay is valid within 3 % and from 90 % of the work;
a pinned one within 3 %.

| run | scheduler found | free | placement | order | valid | pinned | valid |
|--|--|--|--|--|--|--|--|
`)
	free, pinned := map[bool][]float64{}, map[bool][]float64{}
	yes := map[bool]string{true: "yes", false: "no"}
	for _, l := range lines {
		if l.err != nil {
			fmt.Fprintf(&b, "| %s | – | %s |\n", l.name, words.OneLine(l.err.Error()))
			continue
		}
		native := strings.HasPrefix(l.name, "native")
		free[native] = append(free[native], math.Abs(l.base.Error))
		pin, ok := "– ("+words.OneLine(l.base.Pinned.Failed)+")", "no"
		if l.base.Pinned.Failed == "" {
			pinned[native] = append(pinned[native], math.Abs(l.base.Pinned.Error))
			pin, ok = percent(l.base.Pinned.Error), yes[l.base.CanPin()]
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %.3f | %s | %s | %s |\n", l.name, l.base.Scheduler, percent(l.base.Error), words.Percent(l.base.Placement), l.base.Order, yes[l.base.Valid()], pin, ok)
	}
	b.WriteString("\n| median of the absolute errors | runs | free | pinned |\n|--|--|--|--|\n")
	for _, native := range []bool{false, true} {
		what := map[bool]string{false: "simulated by StarPU", true: "native"}[native]
		fmt.Fprintf(&b, "| %s | %d | %s | %s |\n", what, len(free[native]), median(free[native]), median(pinned[native]))
	}
	return b.String()
}

func percent(share float64) string { return fmt.Sprintf("%+.2f %%", 100*share) }

func median(errors []float64) string {
	if len(errors) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f %%", 100*stat.Quantile(slices.Clone(errors), 0.5))
}
