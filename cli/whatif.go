package cli

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"dagscope/internal/words"
	"dagscope/predict/whatif"
	"dagscope/trace"
	"dagscope/trace/store"

	"github.com/spf13/cobra"
)

type whatIf struct {
	scheduler, only, out string
	set, change          []string
	budget               time.Duration
	jobs, pairs          int
	all, anyway, asJSON  bool
	list, best, keepThem bool
}

func newWhatIf() *cobra.Command {
	var f whatIf
	cmd := &cobra.Command{
		Use:   "whatif RUN",
		Short: "What the run would gain if one thing were different",
		Long: `What the run would gain if one thing were different: another scheduler, a faster
kernel or link, more memory, other priorities, a GPU more.

The run is simulated again, by the scheduler that it had or, where its trace does
not say, the one that repeats it best, and once more for each change. A gain is the
difference of the two, both simulated; what makes a difference is simulated in pairs
with the same random perturbations of durations, whose 10–90 % interval is printed.
Gains do not add up. If no simulation repeats the run (within 3 % of the makespan,
90 % of the work on the same node and architecture), there is no answer.`,
		Example: `  dagscope whatif run.dsr
  dagscope whatif run.dsr --only 'link|memory' --budget 1m
  dagscope whatif run.dsr --only causal --json
  dagscope whatif run.dsr --best --budget 2m
  dagscope whatif run.dsr --change platform.gpus=4 --change options.pipeline=4 -o changed.dsr
  dagscope compare run.dsr changed.dsr
  dagscope whatif run.dsr --set 'platform={starpu: sampling, host: mirage}' --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 || f.list && len(args) == 0 {
				return nil
			}
			return fmt.Errorf("found %d arguments, want one run", len(args))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.list {
				return listChanges(cmd.OutOrStdout())
			}
			return f.run(cmd, args[0])
		},
	}
	g := cmd.Flags()
	g.StringVar(&f.scheduler, "scheduler", "", "`NAME` of the scheduler that the run had (default: as it says, else the one that repeats it best)")
	g.StringArrayVar(&f.set, "set", nil, "`KEY=VALUE` of simulate that holds for the run and for all changes, such as platform={starpu: DIR, host: NAME}; may be repeated")
	g.StringArrayVar(&f.change, "change", nil, "try this `KEY=VALUE`, of simulate or of --list, instead of the experiments; repeated: all of them together")
	g.StringVar(&f.only, "only", "", "try only changes whose experiment or title matches this `REGEXP`; causal: the causal profile")
	g.BoolVar(&f.best, "best", false, "search combinations of settings, or of what --only names: the best one, the best one on top of it, and so on")
	g.DurationVar(&f.budget, "budget", 20*time.Second, "time for simulating changes, and as much for finding the scheduler; 0 until all intervals are narrow")
	g.IntVar(&f.pairs, "pairs", 0, "pairs of simulations of each change (default: as many as make its interval narrow, 11 to 31)")
	g.IntVar(&f.jobs, "jobs", 0, "simulations at a time (default: as many as there are processors)")
	g.BoolVar(&f.all, "all", false, "print changes too that gain less than 1 %")
	g.BoolVar(&f.anyway, "anyway", false, "try changes although the simulation does not repeat the run")
	g.BoolVar(&f.list, "list", false, "print the experiments, and the keys of --change that simulate does not have")
	g.StringVarP(&f.out, "output", "o", "", "write the run with --change, without noise, to this run `DIRECTORY`")
	g.BoolVar(&f.keepThem, "keep", false, "store the gains with the run, in its table gain: the panel causal draws them, query has them")
	g.BoolVar(&f.asJSON, "json", false, "print JSON")
	return cmd
}

// listChanges prints the registry.
func listChanges(w io.Writer) error {
	g := grid{}
	g.add("experiment", "what is different", "scheduler knows", "replay")
	for _, e := range whatif.Registry {
		knows, replay := "no", "free or pinned"
		if e.Believed {
			knows = "yes"
		}
		if e.Free {
			replay = "free"
		}
		g.add(e.ID, e.What, knows, replay)
	}
	if err := g.write(w); err != nil {
		return err
	}
	fmt.Fprint(w, "\n--change takes the keys of simulate --set, and\n")
	g = grid{}
	for _, k := range whatif.Keys() {
		g.add(k.Name+"="+k.Value, k.What)
	}
	return g.write(w)
}

// whatIfAnswer is the JSON of whatif.
type whatIfAnswer struct {
	Run      string           `json:"run"`
	Makespan int64            `json:"makespan_ns"` // as recorded
	Base     whatif.Fit       `json:"base"`
	Valid    bool             `json:"valid"`
	Pinned   *whatif.Fit      `json:"pinned,omitempty"` // with the recorded schedule
	Known    bool             `json:"scheduler_known"`
	Fits     []whatif.Fit     `json:"schedulers,omitempty"` // that were tried, the best first
	Noise    float64          `json:"noise"`
	Changes  []whatif.Outcome `json:"changes"`
	Best     []whatif.Step    `json:"best,omitempty"`
	Stopped  bool             `json:"interrupted,omitempty"`
	Kept     string           `json:"kept,omitempty"`
	Seconds  float64          `json:"seconds"`
	Warnings []string         `json:"warnings,omitempty"`
	Lacks    []whatif.Lack    `json:"lacks,omitempty"`   // what the run does not say of what a replay takes
	Missing  []whatif.Missing `json:"missing,omitempty"` // experiments that cannot be made
	shownAll bool
	chosen   bool   // the user has named what to try
	command  string // that repeats a change, but for its keys
}

func (f *whatIf) run(cmd *cobra.Command, path string) error {
	only, err := regexp.Compile("(?i)" + f.only)
	switch {
	case err != nil:
		return usagef("read --only: %w", err)
	case f.out != "" && len(f.change) == 0 && !f.best:
		return usagef("found -o %s without --change or --best, want what is different in that run", f.out)
	case len(f.change) > 0 && (f.only != "" || f.best):
		return usagef("found --change and --only or --best, want one of them")
	case f.keepThem && !isRunDirectory(path):
		return usagef("found --keep with %s, want a run directory to store gains with (dagscope import)", path)
	case f.budget < 0 || f.jobs < 0 || f.pairs < 0:
		return usagef("found --budget %v, --jobs %d and --pairs %d, want none below 0", f.budget, f.jobs, f.pairs)
	}
	if f.out != "" {
		if err := store.CheckTarget(f.out); err != nil {
			return err
		}
	}
	run, err := loadRecorded(path)
	if err != nil {
		return err
	}
	start := stopwatch()
	b, err := whatif.NewBase(run, whatif.Options{Scheduler: f.scheduler, Set: f.set, Load: loadRecorded, Budget: f.budget})
	if err != nil {
		return err
	}
	for _, w := range b.Warnings {
		fmt.Fprintf(cmd.ErrOrStderr(), "beware: %s\n", w)
	}
	if !b.Valid() && !b.CanPin() && !f.anyway {
		return f.invalid(b)
	}
	changes, err := f.changes(b, only)
	if err != nil {
		return err
	}
	tell, finish := countProgress(cmd.ErrOrStderr(), "simulating changes")
	defer finish()
	var missing []whatif.Missing
	if len(f.change) == 0 {
		_, missing = b.Remaining()
	}
	a := whatIfAnswer{Missing: missing, Run: path, Makespan: b.Recorded, Base: b.Fit, Valid: b.Valid(), Known: b.Known, Noise: b.Noise, Warnings: b.Warnings, Lacks: b.Lacks, shownAll: f.all || len(f.change) > 0, chosen: len(f.change) > 0 || f.only != ""}
	trial := whatif.Trial{Budget: f.budget, Pairs: f.pairs, Jobs: f.jobs, Anyway: f.anyway, Done: tell}
	var kept *whatif.Change
	if f.best {
		trial.Pairs = whatif.LeastPairs
		if a.Best, err = b.Best(cmd.Context(), changes, trial); err != nil {
			return err
		}
		for _, s := range a.Best {
			if s.Taken != nil {
				a.Changes, kept = []whatif.Outcome{*s.Taken}, &s.Taken.Change
			}
		}
	} else if a.Changes, err = b.Try(cmd.Context(), changes, trial); err != nil {
		return err
	}
	finish()
	a.Stopped = cmd.Context().Err() != nil
	a.command = fmt.Sprintf("dagscope whatif %s", words.Shell(path))
	if f.scheduler != "" {
		a.command += " --scheduler " + words.Shell(f.scheduler)
	}
	a.command += setFlags("--set", f.set)
	if b.CanPin() {
		a.Pinned = &b.Pinned
	}
	if len(b.Fits) > 1 {
		a.Fits = b.Fits
	}
	if len(f.change) > 0 {
		kept = &changes[0]
		if a.Changes[0].Failed != "" {
			return errors.New(a.Changes[0].Failed)
		}
	}
	if f.out != "" && kept == nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "beware: %s is not written: no change gains\n", f.out)
	}
	if f.out != "" && kept != nil {
		if err := f.keep(b, *kept); err != nil {
			return err
		}
		a.Kept = f.out
	}
	if f.keepThem {
		if err := storeGains(path, b, a.Changes); err != nil {
			return err
		}
	}
	a.Seconds, _ = start()
	if f.asJSON {
		return writeJSON(cmd.OutOrStdout(), a)
	}
	return a.write(cmd.OutOrStdout())
}

// storeGains keeps outcomes with a run directory.
func storeGains(path string, b *whatif.Base, outcomes []whatif.Outcome) error {
	opened, err := openRun(path)
	if err != nil {
		return err
	}
	run, err := opened.Load()
	if err != nil {
		return err
	}
	b.Store(run, outcomes)
	return store.Write(path, run, indexOf(run))
}

// changes are those that are tried.
func (f *whatIf) changes(b *whatif.Base, only *regexp.Regexp) ([]whatif.Change, error) {
	if len(f.change) > 0 {
		return []whatif.Change{whatif.Own(f.change)}, nil
	}
	all := b.Changes()
	if only.MatchString(whatif.Causal) && f.only != "" && f.only != "." {
		profile, err := b.Find(whatif.Causal, whatif.Where{})
		if err != nil {
			return nil, err
		}
		all = append(profile, all...)
	}
	var changes []whatif.Change
	for _, c := range all {
		if only.MatchString(c.ID) || only.MatchString(c.Title) {
			changes = append(changes, c)
		}
	}
	if f.best && f.only == "" {
		changes = whatif.Settings(changes)
	}
	if len(changes) > 0 {
		return changes, nil
	}
	for _, e := range whatif.Registry { // why what was asked for is not there
		if f.only != "" && only.MatchString(e.ID) {
			if _, err := b.Find(e.ID, whatif.Where{}); err != nil {
				return nil, fmt.Errorf("try changes: %w", err)
			}
		}
	}
	return nil, fmt.Errorf("try changes: found none that matches %q, want one of those of dagscope whatif --list", f.only)
}

// invalid says why there is no answer.
func (f *whatIf) invalid(b *whatif.Base) error {
	known := "the best of " + words.Plural(len(b.Fits), "scheduler") + " that were tried"
	if b.Known {
		known = "its scheduler"
	}
	lacks := ""
	for _, l := range b.Lacks {
		lacks += fmt.Sprintf("; the run lacks %s: %s", l.What, l.Found)
	}
	return fmt.Errorf("simulate %s again: found a simulation under %s, %s, that does not repeat the run: makespan %+.1f %%, %s of the work on the same node and architecture, want at most %.0f %% and at least %s%s; no experiment remains; --scheduler NAME and --set platform=… say what the trace does not, --anyway tries changes of the simulation as it is",
		"the run", b.Scheduler, known, 100*b.Error, words.Percent(b.Placement), 100*whatif.MaxError, words.Percent(whatif.MinPlacement), lacks)
}

// keep writes the run with a change.
func (f *whatIf) keep(b *whatif.Base, c whatif.Change) error {
	sim, err := b.Simulation(c)
	if err != nil {
		return err
	}
	r, err := sim.Run(true)
	if err != nil {
		return err
	}
	var run *trace.Run
	if run, err = r.Trace(); err != nil {
		return err
	}
	b.Describe(run, c)
	s := simulation{out: f.out}
	return s.write(sim, run)
}

// setFlags are assignments as a command line has them.
func setFlags(flag string, set []string) string {
	var out strings.Builder
	for _, s := range set {
		out.WriteString(" " + flag + " " + words.Shell(s))
	}
	return out.String()
}

// leastGain is the share of the makespan from which changes are printed.
const leastGain = 0.01

func (a *whatIfAnswer) write(w io.Writer) error {
	how := "as the run says"
	if !a.Known {
		how = fmt.Sprintf("the run does not say; of %d it repeats it best", len(a.Fits))
	}
	fmt.Fprintf(w, "%s: makespan %s\nsimulated again under %s (%s): %+.1f %%, %s of the work on the same node and architecture; noise %s\n",
		a.Run, words.InMS(a.Makespan), a.Base.Scheduler, how, 100*a.Base.Error, words.Percent(a.Base.Placement), words.PercentFine(a.Noise))
	switch {
	case !a.Valid && a.Pinned != nil:
		fmt.Fprintf(w, "this does not repeat the run, the recorded schedule does (%+.1f %%): only changes that leave decisions alone are tried, on that schedule\n", 100*a.Pinned.Error)
	case !a.Valid:
		fmt.Fprintln(w, "this does not repeat the run: what follows is true of the simulation only")
	}
	for _, l := range a.Lacks {
		fmt.Fprintf(w, "the run lacks %s: %s\n", l.What, l.Found)
	}
	if a.Best != nil {
		a.search(w)
	}
	g := grid{indent: "  ", right: map[int]bool{0: true, 1: true, 2: true, 3: true}}
	g.add("gain", "", "10–90 %", "pairs", "if", "keys")
	hidden, failed := 0, 0
	for _, o := range a.Changes {
		switch {
		case o.Failed != "":
			failed++
			continue
		case !a.shownAll && o.Share < leastGain:
			hidden++
			continue
		}
		interval := "–"
		if o.Pairs > 1 {
			interval = words.MS(o.Low) + " to " + words.MS(o.High)
		}
		title := o.Title
		switch {
		case o.Pairs < 2:
			title += " (simulated once: a larger --budget says whether it is chance)"
		case !o.Distinct():
			title += " (not distinguishable from chance)"
		}
		if o.Pinned && a.Valid {
			title += " (recorded schedule)"
		}
		g.add(words.InMS(o.Gain), fmt.Sprintf("%.1f %%", 100*o.Share), interval, fmt.Sprint(o.Pairs), title, strings.TrimSpace(setFlags("--change", o.Set)))
	}
	if len(g.rows) > 1 {
		if err := g.write(w); err != nil {
			return err
		}
	}
	if hidden > 0 {
		fmt.Fprintf(w, "%s less than 1 %%, or lose: --all\n", words.Plurals(hidden, "change gains", "changes gain"))
	}
	if failed > 0 {
		fmt.Fprintf(w, "%s not be tried, %s first: %s\n", words.Plurals(failed, "change could", "changes could"), a.Changes[len(a.Changes)-failed].Title, a.Changes[len(a.Changes)-failed].Failed)
	}
	if len(a.Missing) > 0 && !a.chosen {
		var ids []string
		for _, m := range a.Missing {
			ids = append(ids, m.ID)
		}
		fmt.Fprintf(w, "not available: %s (--json has the reasons)\n", strings.Join(ids, ", "))
	}
	if a.Kept != "" {
		fmt.Fprintf(w, "%s: the run with this change; dagscope compare %s %s\n", a.Kept, words.Shell(a.Run), words.Shell(a.Kept))
	}
	if a.Stopped {
		fmt.Fprintln(w, "interrupted: this is what had been simulated by then")
	}
	_, err := fmt.Fprintf(w, "gains do not add up; simulated in %.1f s; a change by itself: %s KEYS (-o CHANGED.dsr keeps it)\n", a.Seconds, a.command)
	return err
}

// search says what was tried in the search of a combination.
func (a *whatIfAnswer) search(w io.Writer) {
	tried := 0
	for i, s := range a.Best {
		failed := 0
		for _, o := range s.Tried {
			if o.Failed != "" {
				failed++
			}
		}
		tried += len(s.Tried) - failed
		what := "no change gains"
		switch {
		case s.Taken != nil:
			what = fmt.Sprintf("%s gains %.1f %%", s.Taken.Title, 100*s.Taken.Share)
		case i > 0:
			what = "nothing gains another half percent on top"
		}
		fmt.Fprintf(w, "round %d: %s tried (%d could not be): %s\n", i+1, words.Plural(len(s.Tried)-failed, "combination"), failed, what)
	}
	fmt.Fprintf(w, "%s simulated of those that the search leads to; others may gain more\n", words.Plurals(tried, "combination was", "combinations were"))
}
