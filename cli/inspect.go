package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dagscope/explain/decision"
	"dagscope/explain/search"
	"dagscope/trace"
	"github.com/spf13/cobra"
)

// inspection is what the flags of inspect say.
type inspection struct {
	asJSON, list bool
	at           float64 // ms
	worker, by   string
	most         int
}

func newInspect() *cobra.Command {
	var f inspection
	cmd := &cobra.Command{
		Use:   "inspect RUN [TASK]",
		Short: "What the scheduler had in mind when it placed a task, and what came of it",
		Long: `Show how the scheduler placed a task: for each worker what it had taken, what
lay in its queue with which priorities, how long the scheduler expected that, the
transfers of data and the task itself to take, and the fitness that follows; its
choice; next to it what really happened; and why the task did not begin earlier,
in ms that add up, by class and mark of the critical chain, with the messages,
transfers, memories and tasks that it waited for.

Estimates are in runs that dagscope simulate --decisions wrote. Recorded runs show
queues and causes only, from when tasks were pushed and popped.

TASK is a job id. --at shows all queues at an instant instead, --list the placings
that went wrong most.`,
		Example: `  dagscope simulate docs/examples/cholesky.yaml --decisions -o cholesky.dsr
  dagscope inspect cholesky.dsr 365
  dagscope inspect cholesky.dsr --list --by regret
  dagscope inspect cholesky.dsr --at 100 --worker CUDA0_0`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 {
				return fmt.Errorf("found %d arguments, want RUN and a TASK, --at or --list", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	fl := cmd.Flags()
	fl.Float64Var(&f.at, "at", 0, "show queues at an instant in `ms`")
	fl.StringVar(&f.worker, "worker", "", "only the `WORKER` of this name")
	fl.BoolVar(&f.list, "list", false, "list the placings that went wrong most")
	fl.StringVar(&f.by, "by", "", "what --list goes by: "+strings.Join(decision.Orders, ", ")+" (default regret, where nothing was estimated delay)")
	fl.IntVar(&f.most, "most", 20, "how many --list shows")
	fl.BoolVar(&f.asJSON, "json", false, "print JSON, times and lengths in ns")
	cmd.MarkFlagsMutuallyExclusive("at", "list")
	return cmd
}

func (f *inspection) run(cmd *cobra.Command, args []string) error {
	atFlag := cmd.Flags().Changed("at")
	if (len(args) == 2) == (f.list || atFlag) {
		return usagef("found %s, want one of a TASK, --at and --list", strings.Join(args, " "))
	}
	if !(math.Abs(f.at) <= maxMS) {
		return usagef("found --at %v, want milliseconds", f.at)
	}
	for name, needs := range map[string]bool{"by": f.list, "most": f.list, "worker": !f.list} {
		if cmd.Flags().Changed(name) && !needs {
			return usagef("found --%s, which says nothing here", name)
		}
	}
	run, x, err := loadDecisions(args[0])
	if err != nil {
		return err
	}
	switch {
	case f.list:
		return f.printList(cmd, x)
	case atFlag:
		return f.printMoment(cmd, run, x)
	}
	return f.printTask(cmd, run, x, args[1])
}

// loadDecisions opens a run for questions about decisions.
func loadDecisions(path string) (*trace.Run, *decision.Index, error) {
	r, err := openRun(path)
	if err != nil {
		return nil, nil, err
	}
	run, err := r.Load(decision.Needs...)
	if err != nil {
		return nil, nil, err
	}
	return run, decision.New(run, decision.Options{}), nil
}

func (f *inspection) printTask(cmd *cobra.Command, run *trace.Run, x *decision.Index, key string) error {
	row, ok := search.Lookup(run, key)
	if !ok {
		return fmt.Errorf("inspect %s: found no such task in this run, want a job id such as %s", key, someKey(run))
	}
	in, err := x.Inspect(row)
	if err != nil {
		return err
	}
	if in.Moment != nil {
		if err := f.only(in.Moment, run); err != nil {
			return err
		}
	}
	if f.asJSON {
		return writeJSON(cmd.OutOrStdout(), in)
	}
	return writeInspection(cmd.OutOrStdout(), in)
}

// someKey is the name of a task that ran.
func someKey(run *trace.Run) string {
	for v := range run.Task.Start {
		if run.Task.Counted(v) {
			return run.Task.Key.At(v)
		}
	}
	return "1"
}

// only leaves one worker, if one is asked for.
func (f *inspection) only(m *decision.Moment, run *trace.Run) error {
	if f.worker == "" {
		return nil
	}
	var names []string
	for _, w := range m.Workers {
		names = append(names, w.Name)
	}
	i := slices.Index(names, f.worker)
	if i < 0 {
		return fmt.Errorf("inspect: found no worker %q, want one of %s", f.worker, strings.Join(names, ", "))
	}
	m.Workers = m.Workers[i : i+1]
	return nil
}

func (f *inspection) printMoment(cmd *cobra.Command, run *trace.Run, x *decision.Index) error {
	m := x.At(nanoseconds(f.at))
	if err := f.only(m, run); err != nil {
		return err
	}
	if f.asJSON {
		return writeJSON(cmd.OutOrStdout(), m)
	}
	return writeMoment(cmd.OutOrStdout(), m)
}

func (f *inspection) printList(cmd *cobra.Command, x *decision.Index) error {
	if f.by == "" {
		f.by = decision.ByRegret
		if !x.Estimated() {
			f.by = decision.ByDelay
		}
	}
	if f.most < 1 {
		return usagef("found --most %d, want 1 or more", f.most)
	}
	entries, err := x.List(f.by, f.most)
	if err != nil {
		return err
	}
	if f.asJSON {
		return writeJSON(cmd.OutOrStdout(), entries)
	}
	return writePlacings(cmd.OutOrStdout(), entries, x.Estimated())
}
