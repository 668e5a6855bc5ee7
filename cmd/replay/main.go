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
	"dagscope/trace"
)

func main() {
	references := os.Getenv(testenv.ReferencesVariable)
	page := flag.String("o", "", "write the table to this page instead of standard output")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "replay [-o PAGE] [DIRECTORY…]: directories of runs, or of cases that have runs (default data/starpu and data/faults of the reference data)")
		flag.PrintDefaults()
	}
	flag.Parse()
	dirs := flag.Args()
	if len(dirs) == 0 {
		dirs = []string{filepath.Join(references, "data", "starpu"), filepath.Join(references, "data", "faults")}
	}
	if err := write(dirs, *page); err != nil {
		fmt.Fprintf(os.Stderr, "replay: %v\n", err)
		os.Exit(1)
	}
}

// line is a run with its replays.
type line struct {
	name  string
	nodes int
	base  *whatif.Base
	err   error
}

func write(dirs []string, page string) error {
	var lines []line
	for _, dir := range dirs {
		more, err := replay(dir, os.Stderr)
		if err != nil {
			return err
		}
		lines = append(lines, more...)
	}
	text := table(lines)
	if page == "" {
		_, err := os.Stdout.WriteString(text)
		return err
	}
	return os.WriteFile(page, []byte(text), 0o644)
}

// replay simulates the runs of a directory again; what is no run is left out.
func replay(dir string, progress io.Writer) (lines []line, _ error) {
	runs, err := find(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range runs {
		run, err := read.Read(filepath.Join(dir, name), read.Options{})
		if err != nil {
			fmt.Fprintf(progress, "%s is no run: %v\n", name, err)
			continue
		}
		l := line{name: name, nodes: nodes(run)}
		l.base, l.err = whatif.NewBase(run, whatif.Options{Pinned: true})
		lines = append(lines, l)
		fmt.Fprintln(progress, name)
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("found no run in %s, want directories of traces", dir)
	}
	return lines, nil
}

// find lists the directories that may be runs: those in a directory, but of cases those
// in the case.
func find(dir string) (names []string, _ error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		isCase := false
		for _, twin := range []string{"healthy", "faulty"} {
			if info, err := os.Stat(filepath.Join(dir, e.Name(), twin)); err == nil && info.IsDir() {
				names, isCase = append(names, filepath.Join(e.Name(), twin)), true
			}
		}
		if !isCase {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// nodes is how many nodes have workers.
func nodes(run *trace.Run) int {
	last := int32(0)
	for _, w := range run.Task.Worker {
		if w != trace.None {
			last = max(last, run.Resource.Node[w])
		}
	}
	return int(last) + 1
}

// Groups of runs that are summed up.
const (
	oneNode = "simulated by StarPU, one node"
	several = "simulated by StarPU, several nodes"
	native  = "native"
)

func (l *line) group() string {
	switch {
	case strings.HasPrefix(l.name, "nat"):
		return native
	case l.nodes > 1:
		return several
	}
	return oneNode
}

func table(lines []line) string {
	var b strings.Builder
	b.WriteString(`# Replays: recorded runs simulated again

Written by ` + "`make replays`" + `. Each run is simulated under every scheduler that it may have had, on
the machine that follows from its trace; the line has the one that repeats it best
([how](../whatif.md)), and the replay with the recorded schedule. Errors are of the makespan, of free replays
that of the median of up to 11 attempts with durations that differ by a thousandth, unless the first is nearly exact.
Placement is the share of the work of equal tasks on the same node and architecture, order
the rank correlation of starts. A free replay is valid within 3 % and from 90 % of the work;
a pinned one within 3 %.

| run | scheduler found | free | placement | order | valid | pinned | valid |
|--|--|--|--|--|--|--|--|
`)
	free, pinned := map[string][]float64{}, map[string][]float64{}
	valid, kept, runs := map[string]int{}, map[string]int{}, map[string]int{}
	yes := map[bool]string{true: "yes", false: "no"}
	for _, l := range lines {
		group := l.group()
		runs[group]++
		if l.err != nil {
			fmt.Fprintf(&b, "| %s | – (%s) | – | – | – | no | – | no |\n", l.name, words.OneLine(l.err.Error()))
			continue
		}
		freely := percent(l.base.Error)
		if l.base.Failed != "" {
			freely = "– (" + words.OneLine(l.base.Failed) + ")"
		} else {
			free[group] = append(free[group], math.Abs(l.base.Error))
		}
		if l.base.Valid() {
			valid[group]++
		}
		pin, ok := "– ("+words.OneLine(l.base.Pinned.Failed)+")", "no"
		if l.base.Pinned.Failed == "" {
			pinned[group] = append(pinned[group], math.Abs(l.base.Pinned.Error))
			pin, ok = percent(l.base.Pinned.Error), yes[l.base.CanPin()]
			if l.base.CanPin() {
				kept[group]++
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %.3f | %s | %s | %s |\n", l.name, l.base.Scheduler, freely, words.Percent(l.base.Placement), l.base.Order, yes[l.base.Valid()], pin, ok)
	}
	b.WriteString("\n| median of the absolute errors | runs | free | valid | pinned | valid |\n|--|--|--|--|--|--|\n")
	for _, group := range []string{oneNode, several, native} {
		fmt.Fprintf(&b, "| %s | %d | %s | %d | %s | %d |\n", group, runs[group], median(free[group]), valid[group], median(pinned[group]), kept[group])
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
