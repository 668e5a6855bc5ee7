package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"dagscope/explain/breakdown"
	"dagscope/internal/words"
	"dagscope/predict/openmp"
	"dagscope/trace"

	"github.com/spf13/cobra"
)

type scaling struct {
	threads []int
	change  []string
	runtime string
	costs   string
	seed    uint64
	list    bool
	asJSON  bool
}

func newScale() *cobra.Command {
	var f scaling
	cmd := &cobra.Command{
		Use:   "scale RUN",
		Short: "How an OpenMP program would scale with threads, and what limits it",
		Long: `How a recorded OpenMP program would scale: it is simulated on other numbers of
threads under the rules of its runtime, with the costs that the recording shows, and
what limits each number is found by simulating it without.

The replay on the recorded number of threads says how far to trust this: beyond 3 %
off the recording the table is not valid. Contention for memory is not simulated: tasks
take as long as they were recorded. A run on one thread shows no cost of sharing:
give --costs a run on several, of any program on the same machine.`,
		Example: `  OMP_NUM_THREADS=1 dagscope record -o run.dsr -- ./program
  dagscope scale run.dsr
  dagscope scale run.dsr --threads 48,96,192 --json
  dagscope scale run.dsr --change grain=20000
  dagscope scale run.dsr --change 'faster=solve:30' --change creation=free`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 || f.list && len(args) == 0 {
				return nil
			}
			return fmt.Errorf("found %d arguments, want one run", len(args))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.list {
				g := grid{}
				for _, k := range openmp.Keys() {
					g.add(k[0], k[1])
				}
				return g.write(cmd.OutOrStdout())
			}
			return f.run(cmd, args[0])
		},
	}
	g := cmd.Flags()
	g.IntSliceVar(&f.threads, "threads", openmp.DefaultThreads, "`NUMBERS` of threads, separated by commas")
	g.StringArrayVar(&f.change, "change", nil, "the same with `KEY=VALUE` of --list different; repeated: all of them together")
	g.StringVar(&f.runtime, "runtime", openmp.LLVM, "rules of this `RUNTIME`: libomp or libgomp")
	g.StringVar(&f.costs, "costs", "", "take the runtime's costs from this `RUN`")
	g.Uint64Var(&f.seed, "seed", 1, "of the random choice of whom to steal from")
	g.BoolVar(&f.list, "list", false, "print the keys of --change")
	g.BoolVar(&f.asJSON, "json", false, "print JSON")
	return cmd
}

func (f *scaling) run(cmd *cobra.Command, path string) error {
	ask := openmp.Ask{Threads: f.threads, Runtime: f.runtime, Seed: f.seed}
	if f.runtime != openmp.LLVM && f.runtime != openmp.GCC {
		return usagef("found --runtime %q, want %s or %s", f.runtime, openmp.LLVM, openmp.GCC)
	}
	for _, n := range f.threads {
		if n < 1 || n > openmp.MaxThreads {
			return usagef("found --threads %d, want 1 to %d", n, openmp.MaxThreads)
		}
	}
	for _, text := range f.change {
		c, err := openmp.ParseChange(text)
		if err != nil {
			return usagef("%w", err)
		}
		ask.Changes = append(ask.Changes, c)
	}
	var notes []string
	if f.costs != "" {
		costs, lost, err := costsOf(f.costs)
		if err != nil {
			return err
		}
		if ask.Costs = costs; lost != "" {
			notes = append(notes, "run of the costs: "+lost)
		}
	}
	run, err := loadWhole(path)
	if err != nil {
		return err
	}
	s, err := openmp.Scale(run, ask)
	if err != nil {
		return err
	}
	if lost := processorsLost(run); lost != "" {
		notes = append(notes, lost+"; simulated threads always have one, and take less")
	}
	s.Warnings = append(s.Warnings, notes...)
	if f.asJSON {
		e := json.NewEncoder(cmd.OutOrStdout())
		e.SetIndent("", "  ")
		return e.Encode(s)
	}
	return f.text(cmd.OutOrStdout(), s)
}

// loadWhole reads a run with all that an OpenMP recording has.
func loadWhole(path string) (*trace.Run, error) {
	r, err := openRun(path)
	if err != nil {
		return nil, err
	}
	return r.Load()
}

// costsOf fits the costs of the runtime on a run, and says where it lost processors.
func costsOf(path string) (costs *openmp.Costs, lost string, err error) {
	run, err := loadWhole(path)
	if err != nil {
		return nil, "", err
	}
	p, err := openmp.Read(run)
	if err != nil {
		return nil, "", err
	}
	c := openmp.Fit(run, p)
	return &c, processorsLost(run), nil
}

// processorsLost says how long the threads of a run could have run and had no processor, ""
// where that is so little that the report judges the run.
func processorsLost(run *trace.Run) string {
	o := breakdown.Options{Lifetimes: true}
	b := breakdown.Compute(run, o)
	l, total := breakdown.FindLost(run, o, b), b.Total(breakdown.Global)
	if _, processors := l.Forbids(total); !processors {
		return ""
	}
	if l.OffCPU == nil {
		return "threads had no processor for a tenth of their time or more: record where nothing else runs"
	}
	return fmt.Sprintf("threads had no processor for %s of their time: record where nothing else runs", words.PercentOf(l.OffCPU.Work+l.OffCPU.Overhead, total.Sum()))
}

// limits in words of the table.
var limits = map[string]string{
	openmp.LimitWork: "work", openmp.LimitSpan: "longest chain", openmp.LimitLocks: "locks", openmp.LimitCreation: "creating tasks",
	openmp.LimitRuntime: "cost of the runtime", openmp.LimitImbalance: "imbalance",
}

func (f *scaling) text(w io.Writer, s *openmp.Scaling) error {
	valid := "valid"
	if !s.Valid {
		valid = fmt.Sprintf("not valid: more than %s off", words.Percent(openmp.MaxError))
	}
	fmt.Fprintf(w, "%d tasks, work %s, longest chain %s, recorded with OMP_NUM_THREADS=%d in %s\n", s.Tasks, words.Duration(s.Work), words.Duration(s.Span), s.Threads, words.Duration(s.Recorded))
	fmt.Fprintf(w, "simulated again with %d under %s: %s (%+.1f %%; %s)\n\n", s.Threads, s.Runtime, words.Duration(s.Replay), 100*s.Error, valid)
	g := grid{}
	g.add("threads", "time", "speed-up", "efficiency", "runtime", "lock waits", "idle", "limited by", "costs")
	for _, r := range s.Rows {
		all := r.Makespan * int64(r.Threads)
		costs := "–"
		if r.Loss > 0 {
			costs = words.Duration(r.Loss)
		}
		g.add(strconv.Itoa(r.Threads), words.Duration(r.Makespan), fmt.Sprintf("%.2f", r.SpeedUp), words.Percent(r.SpeedUp/float64(r.Threads)),
			words.PercentOf(r.Runtime, all), words.PercentOf(r.Locked, all), words.PercentOf(r.Idle, all), limits[r.Limit], costs)
	}
	if err := g.write(w); err != nil {
		return err
	}
	for _, text := range s.Warnings {
		fmt.Fprintln(w, "note:", text)
	}
	_, err := fmt.Fprintln(w, "\nContention for memory is not simulated: tasks take as long as they were recorded.")
	return err
}
