package cli

import (
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/pflag"

	"dagscope/explain/bound"
	"dagscope/trace"
)

const durationsDoc = "durations that bounds use: mean, median or model (models of the run's host); or a `RUN`, from which what never ran here takes its durations; several times for several"

// durationFlag is --durations: what stands for a kind, and runs.
type durationFlag struct{ values []string }

func (f *durationFlag) register(fl *pflag.FlagSet, doc string) {
	fl.StringArrayVar(&f.values, "durations", []string{"mean"}, doc)
}

// read returns what stands for a kind, and the runs with their names. The last
// word counts.
func (f *durationFlag) read() (d bound.Duration, sources []*trace.Run, names []string, err error) {
	for _, value := range f.values {
		if known, ok := durationNames[value]; ok {
			d = known
			continue
		}
		if _, err := os.Stat(value); err != nil {
			if os.IsNotExist(err) {
				return d, nil, nil, usagef("found --durations %q, want mean, median, model or a run", value)
			}
			return d, nil, nil, fmt.Errorf("open run for durations: %w", err.(*fs.PathError))
		}
		r, err := openRun(value)
		if err != nil {
			return d, nil, nil, err
		}
		run, err := r.Load(bound.SourceNeeds...)
		if err != nil {
			return d, nil, nil, err
		}
		sources, names = append(sources, run), append(names, runName(value))
	}
	return d, sources, names, nil
}

var durationNames = map[string]bound.Duration{"mean": bound.Mean, "median": bound.Median, "model": bound.Model}
