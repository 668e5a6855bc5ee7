package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"dagscope/internal/regular"
	"dagscope/internal/words"
	"dagscope/predict/campaign"
	"dagscope/predict/platform"
	"dagscope/predict/spec"
	"dagscope/predict/starpu"

	"github.com/spf13/cobra"
)

// sweep is what the flags say.
type sweep struct {
	source           string // spec, or the directory of a campaign
	from, out        string
	over, zip, set   []string
	points           string
	jobs             int
	memory           string
	keep             bool
	resume           bool
	retry, fresh     bool
	asJSON, asCSV    bool
	chart            chartFlags
	slurm            slurmFlags
	engine           string
	simulated, there int // runs, for the answer
}

func newSweep() *cobra.Command {
	var s sweep
	cmd := &cobra.Command{
		Use:   "sweep SPEC.yaml --over KEY=VALUES… -o DIR",
		Short: "Predict a campaign: one run for each combination of parameters",
		Long: `Simulate SPEC.yaml once for each combination of parameters, many runs at a time,
and keep in DIR a table of what came out (results.csv), a summary over seeds and
a figure (sweep.svg). Keys are those of the spec; VALUES are separated by commas,
and ranges: 1..10, 10..60/10 (step), 1..512*2 (factor).

The table grows as runs end. The same command goes on with a campaign that was
interrupted or killed, and adds points to one that is finished; a run that cannot
be simulated is a line that says why. With a directory instead of SPEC.yaml the
campaign that is there is shown, and continued with --resume.

--engine slurm submits the runs to Slurm as an array of jobs, and a job that
merges their tables. docs/sweep.md has examples and all columns.`,
		Example: `  dagscope sweep docs/examples/cholesky.yaml --over workload.tiles=10..60/10 --over scheduler=dmdas,lws -o sizes
  dagscope sweep docs/examples/cholesky.yaml --over platform.gpus=0,1,2 --over seed=1..10 --set scheduler=lws -o gpus
  dagscope sweep sizes --plot sizes.pdf --color scheduler
  dagscope sweep --from run.dsr --over platform.cpus=1..512*2 -o scaling
  dagscope sweep docs/examples/cholesky.yaml --points points.csv -o some --engine slurm --sbatch-args '-p short'`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 0 && s.from == "" {
				return fmt.Errorf("found %d arguments, want SPEC.yaml, or --from RUN, or the directory of a campaign", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				s.source = args[0]
			}
			return s.run(cmd)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&s.out, "output", "o", "", "`DIR`ectory of the campaign (default: name of the spec with .sweep, here)")
	f.StringArrayVar(&s.over, "over", nil, "`KEY=VALUES` that a parameter takes; repeated, all combinations are run")
	f.StringArrayVar(&s.zip, "zip", nil, "`KEY=VALUES` that go along with those of all other --zip: first with first, …")
	f.StringVar(&s.points, "points", "", "`FILE.csv` of points: keys in the first line, a point in each other")
	f.StringArrayVar(&s.set, "set", nil, "`KEY=VALUE` to change in the spec for all runs; may be repeated")
	f.StringVar(&s.from, "from", "", "simulate the task graph of `RUN` instead of the spec's")
	f.IntVar(&s.jobs, "jobs", 0, "runs at a time (default: processors)")
	f.StringVar(&s.memory, "memory", "", "memory that runs may take together, such as 8GiB (default: half of what is free)")
	f.BoolVar(&s.keep, "keep-runs", false, "keep each run as a run directory in DIR/runs")
	f.BoolVar(&s.resume, "resume", false, "go on with the campaign in the directory that is given")
	f.BoolVar(&s.retry, "retry", false, "simulate failed runs again")
	f.BoolVar(&s.fresh, "fresh", false, "forget what is in DIR and begin again")
	f.BoolVar(&s.asJSON, "json", false, "print JSON")
	f.BoolVar(&s.asCSV, "csv", false, "print the table as comma-separated values"+apostrophes+"results.csv")
	f.StringVar(&s.engine, "engine", "local", "who simulates: `local` or slurm")
	s.chart.add(f)
	s.slurm.add(f)
	return cmd
}

func (s *sweep) run(cmd *cobra.Command) error {
	if s.slurm.part != "" {
		return s.share(cmd)
	}
	if s.slurm.merge {
		return s.merge(cmd)
	}
	if err := s.check(); err != nil {
		return err
	}
	c, err := s.open()
	if err != nil {
		return err
	}
	defer c.Close()
	if s.working() {
		pending := len(c.Pending(s.retry))
		s.there, s.simulated = len(c.Plan.Points)-pending, pending
		if s.engine == "slurm" && pending > 0 {
			return s.submit(cmd, c)
		}
		if err := s.simulate(cmd, c); err != nil {
			return err
		}
	}
	return s.show(cmd, c)
}

// show draws and prints what is there.
func (s *sweep) show(cmd *cobra.Command, c *campaign.Campaign) error {
	if failed, first := c.Table.Failures(); failed > 0 && failed == len(c.Table.Rows) {
		return fmt.Errorf("found no point that can be simulated, of %d: %s", failed, first)
	}
	if err := s.draw(cmd, c); err != nil {
		return err
	}
	return s.answer(cmd, c)
}

// working tells whether there is anything to simulate, rather than to look at.
func (s *sweep) working() bool { return !s.shown() || s.resume }

// shown tells whether the argument is a campaign.
func (s *sweep) shown() bool { return s.source != "" && campaign.Exists(s.source) }

// check refuses flags that do not go together.
func (s *sweep) check() error {
	given := len(s.over)+len(s.zip) > 0 || s.points != ""
	switch {
	case s.asJSON && s.asCSV:
		return usagef("found --json and --csv, want one of them")
	case s.engine != "local" && s.engine != "slurm":
		return usagef("found --engine %s, want local or slurm", s.engine)
	case s.shown() && s.fresh && !given:
		return usagef("found --fresh and the campaign %s, want SPEC.yaml and -o %s to begin it again", s.source, s.source)
	case s.shown() && (given || s.out != "" || s.fresh || s.from != "" || s.set != nil):
		return usagef("found the campaign %s and what to simulate, want SPEC.yaml and -o %s to change it", s.source, s.source)
	case !s.shown() && s.resume:
		return usagef("found --resume and no campaign in %s, want its directory", s.source)
	case !s.shown() && !given:
		return usagef("found no --over KEY=VALUES, want one, or --zip or --points")
	}
	return nil
}

// open plans the campaign, or opens the one that is there.
func (s *sweep) open() (*campaign.Campaign, error) {
	if s.shown() {
		s.out = s.source
		c, err := campaign.Open(s.source)
		if err != nil {
			return nil, err
		}
		if err := s.chart.check(c.Plan.Keys); err != nil || !s.resume {
			return c, err
		}
		return s.again(c)
	}
	axes, err := s.axes()
	if err != nil {
		return nil, err
	}
	build, err := simulatedBy()
	if err != nil {
		return nil, err
	}
	p, err := campaign.NewPlan(build, s.source, s.from, s.set, axes)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(s.chart.check(p.Keys), s.contradiction(p.Keys)); err != nil {
		return nil, err
	}
	p.Keep = s.keep
	if s.out == "" {
		s.out = campaignName(s.source, s.from)
	}
	return campaign.Start(s.out, p, s.fresh)
}

// contradiction refuses a --set that every point would overwrite.
func (s *sweep) contradiction(keys []string) error {
	for _, assignment := range s.set {
		key, _, _ := strings.Cut(assignment, "=")
		for _, over := range keys {
			if key == over || strings.HasPrefix(key, over+".") {
				return usagef("found --set %s and the parameter %s, want one of them", assignment, over)
			}
		}
	}
	return nil
}

// again plans what an earlier campaign planned, with the spec as it is now.
func (s *sweep) again(old *campaign.Campaign) (*campaign.Campaign, error) {
	build, err := simulatedBy()
	if err != nil {
		return nil, err
	}
	p, err := old.Plan.Again(build)
	if err != nil {
		return nil, err
	}
	p.Keep = p.Keep || s.keep
	return campaign.Start(s.source, p, false)
}

// campaignName is the directory for which no name was given.
func campaignName(planned, from string) string {
	name := planned
	if name == "" {
		name = from
	}
	base := filepath.Base(filepath.Clean(name))
	return strings.TrimSuffix(base, filepath.Ext(base)) + ".sweep"
}

func (s *sweep) axes() (*campaign.Axes, error) {
	a := new(campaign.Axes)
	for _, group := range []struct {
		flag  string
		texts []string
		to    *[]campaign.Axis
	}{{"--over", s.over, &a.Over}, {"--zip", s.zip, &a.Zip}} {
		for _, text := range group.texts {
			axis, err := campaign.ParseAxis(text)
			if err != nil {
				return nil, usagef("read %s: %w", group.flag, err)
			}
			*group.to = append(*group.to, axis)
		}
	}
	if s.points == "" {
		return a, nil
	}
	f, err := regular.Open(s.points, regular.Text)
	if err != nil {
		return nil, fmt.Errorf("read points: %w", err)
	}
	defer f.Close()
	a.Table, err = campaign.ReadTable(f)
	if err != nil {
		err = fmt.Errorf("%s: %w", s.points, err)
	}
	return a, err
}

// simulate runs what the campaign lacks.
func (s *sweep) simulate(cmd *cobra.Command, c *campaign.Campaign) error {
	o, err := s.options(c)
	if err != nil {
		return err
	}
	done, finish := countProgress(cmd.ErrOrStderr(), "simulating")
	defer finish()
	o.Done = done
	err = c.Run(cmd.Context(), o)
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("interrupted: %d of %d runs are in %s, the same command goes on", len(c.Table.Rows), len(c.Plan.Points), c.Dir)
	}
	return err
}

func (s *sweep) options(c *campaign.Campaign) (campaign.Options, error) {
	o := campaign.Options{Jobs: s.jobs, Retry: s.retry, Load: loadRecorded}
	if s.jobs < 0 {
		return o, usagef("found --jobs %d, want 1 at least", s.jobs)
	}
	if s.memory != "" {
		var err error
		if o.Memory, err = platform.ParseSize(s.memory); err != nil {
			return o, usagef("read --memory: %w", err)
		}
	}
	if s.keep || c.Plan.Keep {
		planned := c.Plan.Spec
		o.Keep = func(dir string, b *spec.Simulation, r *starpu.Result) error {
			run, err := r.Trace()
			if err != nil {
				return err
			}
			return (&simulation{spec: planned, out: dir}).write(b, run)
		}
	}
	return o, nil
}

// answer prints the table.
func (s *sweep) answer(cmd *cobra.Command, c *campaign.Campaign) error {
	failed, first := c.Table.Failures()
	if failed > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "beware: %s of %d failed, the first: %s\n", words.Plural(failed, "run"), len(c.Table.Rows), first)
	}
	w := cmd.OutOrStdout()
	switch {
	case s.asJSON:
		return writeJSON(w, sweepJSON(s, c))
	case s.asCSV:
		return c.Table.WriteCSV(rawUnlessSeen(w))
	}
	return s.text(w, c)
}

// text prints what people look at.
func (s *sweep) text(w io.Writer, c *campaign.Campaign) error {
	if _, err := fmt.Fprintln(w, s.headline(c)); err != nil {
		return err
	}
	if len(c.Table.Rows) == 0 {
		return nil
	}
	if sum := c.Table.Summary(); sum != nil {
		return writeSummary(w, sum)
	}
	return writeTable(w, c.Table)
}

func (s *sweep) headline(c *campaign.Campaign) string {
	line := fmt.Sprintf("%s: %s of %d", c.Dir, words.Plural(len(c.Table.Rows), "run"), len(c.Plan.Points))
	if s.working() && s.there > 0 {
		line += fmt.Sprintf(", %d of them were there already", s.there)
	}
	return line
}
