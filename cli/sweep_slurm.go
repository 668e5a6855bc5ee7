package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"dagscope/internal/words"
	"dagscope/predict/campaign"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// slurmFlags say how a campaign is submitted.
type slurmFlags struct {
	args   []string
	bundle int
	last   time.Duration
	wait   bool
	part   string // of a job of the array: its share
	merge  bool   // of the job that merges
}

func (f *slurmFlags) add(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.args, "sbatch-args", nil, "arguments for sbatch, such as '-p short -t 1:00:00'; may be repeated")
	flags.IntVar(&f.bundle, "bundle", 0, "runs of a job (default: as many as last --bundle-time)")
	flags.DurationVar(&f.last, "bundle-time", 10*time.Minute, "how long a job should last")
	flags.BoolVar(&f.wait, "wait", false, "with --engine slurm: return when all runs are done")
	flags.StringVar(&f.part, "part", "", "simulate a share of a submitted campaign")
	flags.BoolVar(&f.merge, "merge", false, "merge what the jobs of a submitted campaign have written")
	cobra.CheckErr(flags.MarkHidden("part")) // what jobs run
}

// submit hands the campaign to Slurm.
func (s *sweep) submit(cmd *cobra.Command, c *campaign.Campaign) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	o := campaign.SlurmOptions{Program: program, Bundle: s.slurm.bundle, Last: s.slurm.last, CPUs: s.jobs, Wait: s.slurm.wait}
	for _, text := range s.slurm.args {
		o.Args = append(o.Args, strings.Fields(text)...)
	}
	if o.Probe, err = s.options(c); err != nil {
		return err
	}
	submitted, err := c.Submit(cmd.Context(), o)
	if err != nil {
		return err
	}
	if s.slurm.wait || submitted.Points == 0 {
		if c, err = campaign.Open(c.Dir); err != nil {
			return err
		}
		if err := missing(c); err != nil {
			return err
		}
		return s.show(cmd, c)
	}
	if s.asJSON {
		return writeJSON(cmd.OutOrStdout(), submissionJSON{c.Dir, submitted.Points, submitted.Jobs, submitted.Bundle, submitted.Array, submitted.Merge})
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s as array %s of %s (up to %s each), merged by job %s\nlater: dagscope sweep %s\n",
		c.Dir, words.Plural(submitted.Points, "run"), submitted.Array, words.Plural(submitted.Jobs, "job"), words.Plural(submitted.Bundle, "run"), submitted.Merge, argument(c.Dir))
	return err
}

// argument is a path that no command takes for an option.
func argument(path string) string {
	if strings.HasPrefix(path, "-") {
		return "." + string(os.PathSeparator) + path
	}
	return path
}

// submissionJSON says what Slurm was given.
type submissionJSON struct {
	Directory string `json:"directory"`
	Points    int    `json:"points"` // submitted
	Jobs      int    `json:"jobs"`
	Bundle    int    `json:"bundle"`
	Array     string `json:"array_job"`
	Merge     string `json:"merge_job"`
}

// share is what a job of the array does.
func (s *sweep) share(cmd *cobra.Command) error {
	build, err := simulatedBy()
	if err != nil {
		return err
	}
	var wrong error
	err = campaign.Share(cmd.Context(), s.source, build, s.slurm.part, func(p *campaign.Plan) campaign.Options {
		o, err := s.options(&campaign.Campaign{Dir: s.source, Plan: p})
		wrong = err
		return o
	})
	return errors.Join(wrong, err)
}

// merge is what the last job does, or the user when it did not come to that.
func (s *sweep) merge(cmd *cobra.Command) error {
	c, err := campaign.Merge(s.source)
	if err != nil {
		return err
	}
	s.resume = true // draw it anew
	if err := missing(c); err != nil {
		return err
	}
	return s.show(cmd, c)
}

// missing says that jobs did not come to their end.
func missing(c *campaign.Campaign) error {
	if n := len(c.Pending(false)); n > 0 {
		return fmt.Errorf("found no result of %s: their jobs were ended or failed (%s/slurm/*.out says why); dagscope sweep %s --resume goes on", words.Plural(n, "point"), c.Dir, argument(c.Dir))
	}
	return nil
}
