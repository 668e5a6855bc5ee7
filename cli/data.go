package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"dagscope/explain/numbers/panels"
	"dagscope/explain/outlier"
	"dagscope/trace"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// dataFlags are the flags of the verb as given.
type dataFlags struct {
	csv, json  bool
	generation string
	from, to   float64 // ms
	step       float64 // ms
	source     string
	durations  durationFlag
	method     string
	weights    string
	waiting    string
	at         []float64       // ms
	settings   panels.Settings // those that need no conversion
}

// flagsOfAllPanels are not settings of panels.
var flagsOfAllPanels = []string{"csv", "json", "generation"}

func newData() *cobra.Command {
	var f dataFlags
	cmd := &cobra.Command{
		Use:   "data RUN PANEL",
		Short: "The numbers behind a panel",
		Long: `Print the numbers behind a panel as an aligned table, CSV or JSON (an object for
each row). CSV and JSON have exact numbers, columns that end in their unit, times
in ns since the run's zero; the table has times in ms, other numbers rounded.
docs/panels.md has the columns of every panel.

Panels, and what can be set:
` + numbersList(),
		Example: `  dagscope data run.dsr ready --from 100 --to 200 --step 5
  dagscope data run.dsr kinds --json
  dagscope data run.dsr bandwidth --raw --csv > bandwidth.csv`,
		Args: arguments("RUN PANEL"),
		RunE: func(cmd *cobra.Command, args []string) error { return runData(cmd, &f, args) },
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.csv, "csv", false, "print CSV"+apostrophes)
	fl.BoolVar(&f.json, "json", false, "print JSON")
	fl.StringVar(&f.generation, "generation", "", "`REGEX` of the kinds that prepare the input, instead of that of the import; none for none")
	f.register(fl)
	cmd.MarkFlagsMutuallyExclusive("csv", "json")
	cmd.MarkFlagsMutuallyExclusive("raw", "step")
	cmd.MarkFlagsMutuallyExclusive("raw", "full-step")
	cmd.MarkFlagsMutuallyExclusive("by-node", "total")
	return cmd
}

// register declares the settings of panels, which are documented there.
func (f *dataFlags) register(fl *pflag.FlagSet) {
	doc := map[string]string{}
	for _, known := range panels.Flags {
		doc[known.Name] = known.Doc
	}
	fl.Float64Var(&f.from, "from", 0, doc["from"])
	fl.Float64Var(&f.to, "to", 0, doc["to"])
	fl.Float64Var(&f.step, "step", 0, doc["step"])
	fl.StringVar(&f.source, "source", "", doc["source"])
	f.durations.register(fl, doc["durations"])
	fl.StringVar(&f.method, "outliers", "auto", doc["outliers"])
	s := &f.settings
	fl.StringVar(&s.Handle, "handle", "", doc["handle"])
	fl.StringVar((*string)(&s.Fit), "fit", "regression", doc["fit"])
	fl.StringVar(&s.Formula, "formula", "", doc["formula"])
	fl.Float64SliceVar(&f.at, "at", nil, doc["at"])
	fl.StringVar(&s.Task, "task", "", doc["task"])
	fl.Float64Var(&s.Threshold, "threshold", 0, doc["threshold"])
	fl.Float64Var(&s.Bandwidth, "bandwidth", 0, doc["bandwidth"])
	fl.StringVar(&f.weights, "weights", "arch", doc["weights"])
	fl.StringVar(&f.waiting, "waiting-ready", "on", doc["waiting-ready"])
	fl.StringVar(&s.Kind, "kind", "", doc["kind"])
	for name, to := range map[string]*bool{
		"raw": &s.Raw, "full-step": &s.FullStep, "by-node": &s.ByNode, "total": &s.Total,
		"count-generation": &s.Generation, "used-workers": &s.UsedWorkers, "sheather-jones": &s.SheatherJones, "outliers-by-node": &s.OutliersByNode,
		"starvz": &s.StarVZ, "by-bytes": &s.ByBytes,
	} {
		fl.BoolVar(to, name, false, doc[name])
	}
}

// numbersList names the panels with what applies to them.
func numbersList() string {
	g := grid{indent: "  "}
	for _, n := range panels.All() {
		g.add(n.ID, n.Title, flagNames(n.Takes))
	}
	for _, n := range tableless {
		g.add(n.id, n.title, "")
	}
	var b strings.Builder
	if err := g.write(&b); err != nil {
		panic(err) // a Builder does not fail
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func flagNames(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "--" + strings.Join(names, " --")
}

func runData(cmd *cobra.Command, f *dataFlags, args []string) error {
	for _, n := range tableless {
		if n.id == args[1] {
			if err := applicable(cmd.Flags(), &panels.Numbers{ID: n.id}); err != nil {
				return err
			}
			run, err := f.load(args[0], n.needs, cmd.Flags().Changed("generation"))
			if err != nil {
				return err
			}
			table, err := n.table(run)
			if err != nil {
				return err
			}
			return printTable(cmd.OutOrStdout(), &table, f.csv, f.json)
		}
	}
	numbers, err := panels.Find(args[1])
	if err != nil {
		return usageError{err}
	}
	if err := applicable(cmd.Flags(), &numbers); err != nil {
		return err
	}
	settings, err := f.convert(cmd.Flags())
	if err != nil {
		return err
	}
	run, err := f.load(args[0], numbers.Reads, cmd.Flags().Changed("generation"))
	if err != nil {
		return err
	}
	table, err := numbers.Table(run, settings)
	if missing := (*panels.Missing)(nil); errors.As(err, &missing) {
		return fmt.Errorf("no numbers for panel %s: %s", numbers.ID, missing.Why)
	} else if err != nil {
		return fmt.Errorf("panel %s: %w", numbers.ID, err)
	}
	return printTable(cmd.OutOrStdout(), &table, f.csv, f.json)
}

// applicable finds flags that would make no difference: their user expects one.
func applicable(fl *pflag.FlagSet, n *panels.Numbers) (err error) {
	fl.Visit(func(flag *pflag.Flag) {
		if slices.Contains(flagsOfAllPanels, flag.Name) || slices.Contains(n.Takes, flag.Name) || err != nil {
			return
		}
		takes := flagNames(n.Takes)
		if takes == "" {
			takes = "nothing"
		}
		err = usagef("--%s means nothing for panel %s, which takes %s", flag.Name, n.ID, takes)
	})
	return err
}

// convert turns the flags into settings.
func (f *dataFlags) convert(fl *pflag.FlagSet) (*panels.Settings, error) {
	s := f.settings
	s.From, s.To = trace.NoTime, trace.NoTime
	for _, edge := range []struct {
		name string
		ms   float64
		to   *int64
	}{{"from", f.from, &s.From}, {"to", f.to, &s.To}, {"step", f.step, &s.Step}} {
		if !fl.Changed(edge.name) {
			continue
		}
		if math.Abs(edge.ms) > maxMS || math.IsNaN(edge.ms) {
			return nil, usagef("found --%s %v, want milliseconds", edge.name, edge.ms)
		}
		*edge.to = nanoseconds(edge.ms)
	}
	for _, ms := range f.at {
		if math.Abs(ms) > maxMS || math.IsNaN(ms) {
			return nil, usagef("found --at %v, want milliseconds", ms)
		}
		s.At = append(s.At, nanoseconds(ms))
	}
	if fl.Changed("step") && s.Step <= 0 {
		return nil, usagef("found --step %v, want at least 0.000001 ms", f.step)
	}
	if fl.Changed("from") && fl.Changed("to") && s.From >= s.To {
		return nil, usagef("found --from %v and --to %v, want a window of positive length", f.from, f.to)
	}
	if fl.Changed("bandwidth") && !(s.Bandwidth > 0) {
		return nil, usagef("found --bandwidth %v, want a number above 0", s.Bandwidth)
	}
	if fl.Changed("threshold") && !(s.Threshold > 0) {
		return nil, usagef("found --threshold %v, want a number above 0", s.Threshold)
	}
	return &s, f.choose(&s)
}

// maxMS keeps times in ns inside an int64: some hundred years.
const maxMS = 4e12

// choose reads the flags that are one of a few words.
func (f *dataFlags) choose(s *panels.Settings) error {
	switch o := panels.Origin(f.source); o {
	case panels.Best, panels.FromCounters, panels.Reconstructed:
		s.Source = o
	default:
		return usagef("found --source %q, want counters or reconstructed", f.source)
	}
	var ok bool
	if s.Weights, ok = panels.ProgressionWeights(f.weights); !ok {
		return usagef("found --weights %q, want arch, worker or count", f.weights)
	}
	if s.Waiting, ok = panels.WaitingOf(f.waiting); !ok {
		return usagef("found --waiting-ready %q, want on or off", f.waiting)
	}
	var err error
	if s.Durations, s.Sources, _, err = f.durations.read(); err != nil {
		return err
	}
	if s.OutlierMethod, s.OutlierFactor, err = outlier.Parse(f.method); err != nil {
		return usagef("found --outliers %q: %v", f.method, err)
	}
	return nil
}

// load reads the columns that the numbers need, no more, and sets what counts
// as generation.
func (f *dataFlags) load(path string, columns []string, generation bool) (*trace.Run, error) {
	r, err := openRun(path)
	if err != nil {
		return nil, err
	}
	if generation {
		columns = append(slices.Clip(columns), "task.kind", "task.start", "task.generation", "task.internal")
	}
	run, err := r.Load(columns...)
	if err != nil || !generation {
		return run, err
	}
	if err := run.SetGeneration(f.generation); err != nil {
		return nil, usageError{err}
	}
	return run, nil
}
