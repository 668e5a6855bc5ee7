// Predictions answers how true what-if is, beyond our own simulator: from a run of
// StarPU under one scheduler it predicts the makespans that StarPU itself has under
// others and with other settings, and from a run with a known fault that of the run
// without it. It writes a page with a line for each prediction.
//
// What it does not do: choose. Predictions that cannot be made stay in the tables,
// with the reason.
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
	"time"

	"dagscope/internal/stat"
	"dagscope/internal/testenv"
	"dagscope/internal/words"
)

// options are the flags.
type options struct {
	starpu, faults string        // directories
	budget         time.Duration // for a fault
	only           string
	log            io.Writer
}

func main() {
	data := filepath.Join(os.Getenv(testenv.ReferencesVariable), "data")
	o := options{log: os.Stderr}
	flag.StringVar(&o.starpu, "starpu", filepath.Join(data, "starpu"), "directory of runs with reference/makespans.tsv and perfmodels/sampling")
	flag.StringVar(&o.faults, "faults", filepath.Join(data, "faults"), "directory of runs with known faults and healthy twins")
	flag.DurationVar(&o.budget, "budget", 30*time.Second, "time for the experiments of a fault")
	flag.StringVar(&o.only, "only", "", "only runs and faults whose name contains this")
	page := flag.String("o", "", "write the tables to this page instead of standard output")
	flag.Parse()
	if err := o.write(*page); err != nil {
		fmt.Fprintf(os.Stderr, "predictions: %v\n", err)
		os.Exit(1)
	}
}

func (o options) write(page string) error {
	makespans, err := o.predictMakespans()
	if err != nil {
		return err
	}
	twins, err := o.predictTwins()
	if err != nil {
		return err
	}
	text := header + makespanTable(makespans) + twinTable(twins)
	if page == "" {
		_, err = os.Stdout.WriteString(text)
		return err
	}
	return os.WriteFile(page, []byte(text), 0o644)
}

const header = `# Predictions: what-if against StarPU itself

Written by ` + "`make predictions`" + `. [What if](../whatif.md) says how a run is simulated again and changed.
Errors are of the makespan.

`

// median of absolute errors, "–" for none.
func median(errors []float64) string {
	if len(errors) == 0 {
		return "–"
	}
	all := make([]float64, len(errors))
	for i, e := range errors {
		all[i] = math.Abs(e)
	}
	return fmt.Sprintf("%.2f %%", 100*stat.Quantile(all, 0.5))
}

// within is how many of some errors are at most a share.
func within(errors []float64, share float64) int {
	n := 0
	for _, e := range errors {
		if math.Abs(e) <= share {
			n++
		}
	}
	return n
}

func percent(share float64) string { return fmt.Sprintf("%+.1f %%", 100*share) }

// cell is a text in a table.
func cell(s string) string {
	const longest = 140
	s = strings.ReplaceAll(words.OneLine(s), "|", "/")
	if r := []rune(s); len(r) > longest {
		s = string(r[:longest]) + "…"
	}
	return s
}

// sorted are the keys of a map in order.
func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
