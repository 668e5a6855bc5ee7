package cli

import (
	"fmt"
	"io"

	"dagscope/internal/words"
	"dagscope/predict/campaign"
	"dagscope/predict/spec"

	"github.com/spf13/cobra"
)

// seedsAnswer says what was predicted with several seeds.
type seedsAnswer struct {
	Run       string  `json:"run,omitempty"` // that of the median
	Scheduler string  `json:"scheduler"`
	Noise     float64 `json:"noise"`
	First     int64   `json:"first_seed"`
	Makespans []int64 `json:"makespans_ns"` // by seed
	Median    int64   `json:"median_ns"`
	Low       int64   `json:"p10_ns"`
	High      int64   `json:"p90_ns"`
	Min       int64   `json:"min_ns"`
	Max       int64   `json:"max_ns"`
	Workers   string  `json:"workers"`
	Tasks     int     `json:"tasks"`

	effort   simulationAnswer
	Seconds  float64  `json:"seconds"`
	CPU      float64  `json:"cpu_seconds,omitempty"`
	Peak     int64    `json:"peak_rss_bytes"`
	Warnings []string `json:"warnings,omitempty"`
}

// runSeeds simulates with several seeds, and keeps the run of the median if one
// is wanted.
func (s *simulation) runSeeds(cmd *cobra.Command, b *spec.Simulation, start func() (seconds, cpu float64)) error {
	done, finish := countProgress(cmd.ErrOrStderr(), "simulating")
	defer finish()
	seeds, err := campaign.RunSeeds(cmd.Context(), b, b.Options.Seed, s.seeds, campaign.Options{Done: done})
	if err != nil {
		return err
	}
	a := &seedsAnswer{
		Scheduler: b.Scheduler, Noise: b.Noise(), First: seeds.First, Makespans: seeds.Makespans,
		Median: seeds.Quantile(0.5), Low: seeds.Quantile(0.1), High: seeds.Quantile(0.9), Min: seeds.Quantile(0), Max: seeds.Quantile(1),
		Workers: workersOf(b.Machine), Warnings: b.Warnings,
	}
	a.Tasks, _ = b.Graph.Work()
	a.Seconds, a.CPU = start()
	if s.out != "" {
		middle := b.Seeded(seeds.Middle())
		r, err := middle.RunContext(cmd.Context(), true)
		if err != nil {
			return err
		}
		run, err := r.Trace()
		if err != nil {
			return err
		}
		if err := s.write(middle, run); err != nil {
			return err
		}
		a.Run = s.out
	}
	a.Peak = peakMemory()
	a.effort = simulationAnswer{Seconds: a.Seconds, CPU: a.CPU, Peak: a.Peak, Events: seeds.Events}
	finish()
	if s.asJSON {
		return writeJSON(cmd.OutOrStdout(), a)
	}
	return a.write(cmd.OutOrStdout())
}

func (a *seedsAnswer) write(w io.Writer) error {
	name := a.Scheduler
	if a.Run != "" {
		name = a.Run + " (the median): " + name
	}
	what := "without noise"
	if a.Noise > 0 {
		what = "noise " + words.Percent(a.Noise)
	}
	n := len(a.Makespans)
	_, err := fmt.Fprintf(w, "%s: %s on %s, makespan %s in the median of %d seeds (%d to %d, %s), 10–90 %%: %s to %s, min %s, max %s\n%s\n",
		name, words.Plural(a.Tasks, "task"), a.Workers, words.Precise(a.Median), n, a.First, a.First+int64(n)-1, what,
		words.Precise(a.Low), words.Precise(a.High), words.Precise(a.Min), words.Precise(a.Max), a.effort.effort())
	if err == nil && a.Min == a.Max {
		_, err = fmt.Fprintf(w, "the seed makes no difference: nothing of it is drawn (--noise 0.05 perturbs durations by 5 %%)\n")
	}
	return err
}
