package cli

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"dagscope/internal/regular"
	"dagscope/internal/words"
	"dagscope/predict/campaign"
	"dagscope/predict/plain"
	"dagscope/predict/platform"
	"dagscope/predict/spec"
	"dagscope/predict/starpu"
	"dagscope/predict/starpu/policy"
	"dagscope/predict/workload"
	"dagscope/read"
	"dagscope/trace"
	"dagscope/trace/store"

	"github.com/spf13/cobra"
)

// simulation is what the flags of simulate say.
type simulation struct {
	spec, from, out, scheduler string
	seed                       int64
	set                        []string
	pinned                     bool
	noise                      float64
	seeds                      int
	noRun, asJSON              bool
	decisions                  string
	command                    []string // that made the run; nil: this one
}

func newSimulate() *cobra.Command {
	var s simulation
	cmd := &cobra.Command{
		Use:   "simulate [SPEC.yaml]",
		Short: "Predict what a task graph does on a machine under a scheduler",
		Long: `Predict what a task graph does on a machine under a scheduler, as StarPU would
run it, and write the run directory that an import of its trace would give:
report, plot, compare and all other verbs work on it.

SPEC.yaml names the task graph (a generated one, or that of a run), the machine,
how long tasks take, and the scheduler. --from simulates a recorded run again:
on its own machine and with the durations that its tasks had, unless SPEC.yaml
or --set say otherwise. docs/simulate.md has all keys.`,
		Example: `  dagscope simulate docs/examples/cholesky.yaml -o predicted.dsr
  dagscope simulate docs/examples/cholesky.yaml --scheduler dmdas --set platform.gpus=2 --no-run
  dagscope simulate docs/examples/sparse-qr.yaml --set platform.cpus=40 --set options.memory_limit=1.2 --no-run
  dagscope simulate --from run.dsr --scheduler lws --set workload.priorities=none -o without.dsr
  dagscope compare run.dsr without.dsr
  dagscope simulate --from run.dsr --pinned --set 'platform.links={Host: {scale: 2}}' --no-run
  dagscope simulate --from run.dsr --noise 0.05 --seeds 31 --no-run`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 0 && s.from == "" {
				return fmt.Errorf("found %d arguments, want SPEC.yaml, or --from RUN", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				s.spec = args[0]
			}
			return s.run(cmd)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&s.out, "output", "o", "", "run directory to write (default: name of the spec with .dsr, here)")
	f.StringVar(&s.from, "from", "", "simulate `RUN` again: its task graph instead of the spec's")
	f.StringVar(&s.scheduler, "scheduler", "", "`NAME` of the scheduler instead of the spec's: "+strings.Join(policy.Names(), ", ")+"; of the plain engine: "+strings.Join(plain.Policies, ", "))
	f.Int64Var(&s.seed, "seed", 0, "seed instead of the spec's, or of that of the run")
	f.BoolVar(&s.pinned, "pinned", false, "repeat the schedule of the run of --from: its workers, in its order; all else is simulated")
	f.Float64Var(&s.noise, "noise", 0, "perturb durations at random by this coefficient of variation, such as 0.05: each task by the same factor wherever and whenever it runs (key noise)")
	f.IntVar(&s.seeds, "seeds", 1, "simulate with so many seeds, from the seed on, and print median and 10–90 % interval; -o keeps the run of the median")
	f.StringArrayVar(&s.set, "set", nil, "`KEY=VALUE` to change in the spec, such as platform.gpus=1; may be repeated")
	f.StringVar(&s.decisions, "decisions", "", "record what the scheduler decides, for inspect: all, or estimates of some tasks only, such as kind=gemm,from=10ms,to=20ms or task=12")
	f.Lookup("decisions").NoOptDefVal = "all"
	f.BoolVar(&s.noRun, "no-run", false, "write no run: only the figures are wanted")
	f.BoolVar(&s.asJSON, "json", false, "print JSON")
	return cmd
}

func (s *simulation) run(cmd *cobra.Command) error {
	if err := s.target(); err != nil {
		return err
	}
	s0, err := s.read(cmd)
	if err != nil {
		return err
	}
	s0.Within(campaign.FreeMemory(), !s.noRun)
	start := stopwatch()
	b, err := s0.Build(loadRecorded)
	if err != nil {
		return err
	}
	for _, w := range b.Warnings {
		fmt.Fprintf(cmd.ErrOrStderr(), "beware: %s\n", w)
	}
	if s.seeds > 1 {
		return s.runSeeds(cmd, b, start)
	}
	r, err := s.simulate(cmd, b)
	if err != nil {
		return err
	}
	a := answerOf(b, r)
	a.Seconds, a.CPU = start()
	for _, doubt := range b.Doubts(r) {
		fmt.Fprintf(cmd.ErrOrStderr(), "beware: %s\n", doubt)
		a.Warnings = append(a.Warnings, doubt)
	}
	if !s.noRun {
		a.Run = s.out
		run, err := r.Trace()
		if err != nil {
			return err
		}
		if err := s.write(b, run); err != nil {
			return err
		}
	}
	a.Peak = peakMemory()
	if s.asJSON {
		return writeJSON(cmd.OutOrStdout(), a)
	}
	return a.write(cmd.OutOrStdout())
}

// simulate runs one simulation, with progress on a terminal.
func (s *simulation) simulate(cmd *cobra.Command, b *spec.Simulation) (*starpu.Result, error) {
	tell, finish := countProgress(cmd.ErrOrStderr(), "simulating")
	defer finish()
	const often = 1 << 10 // tasks
	tasks, _ := b.Graph.Work()
	ended := 0
	b.OnTaskEnd(func() {
		if ended++; ended%often == 0 {
			tell(ended, tasks)
		}
	})
	return b.Run(!s.noRun)
}

// target says where the run goes, before anything is simulated.
func (s *simulation) target() error {
	switch {
	case s.noRun && s.out != "":
		return usagef("found --no-run and -o %s, want one of them", s.out)
	case s.seeds < 1:
		return usagef("found --seeds %d, want 1 at least", s.seeds)
	case s.noRun:
		return nil
	case s.seeds > 1 && s.out == "": // of so many runs, which?
		s.noRun = true
		return nil
	case s.out == "" && s.spec == "":
		return usagef("found no -o RUN.dsr, want where to write the run, or --no-run")
	case s.out == "":
		s.out = defaultOutput(strings.TrimSuffix(strings.TrimSuffix(s.spec, ".yaml"), ".yml"))
	}
	return store.CheckTarget(s.out)
}

// read reads the spec and what the flags change of it.
func (s *simulation) read(cmd *cobra.Command) (*spec.Spec, error) {
	s0 := spec.OfRun(s.from)
	if s.spec != "" {
		var err error
		if s0, err = spec.Read(s.spec); err != nil {
			return nil, err
		}
		if s0.Cut() {
			warnOfCut(cmd.ErrOrStderr(), s.spec)
		}
		if s.from != "" {
			s0.Replay(s.from)
		}
	}
	for _, assignment := range s.set {
		if err := s0.Set(assignment); err != nil {
			return nil, err
		}
	}
	if s.scheduler != "" {
		s0.SetScheduler(s.scheduler)
	}
	if s.decisions != "" {
		d, err := spec.ParseDecisions(s.decisions)
		if err != nil {
			return nil, usagef("read --decisions: %w", err)
		}
		s0.SetDecisions(d, "--decisions="+s.decisions)
	}
	if cmd.Flags().Changed("seed") {
		s0.SetSeed(s.seed)
	}
	if s.pinned {
		s0.SetPinned()
	}
	if cmd.Flags().Changed("noise") {
		if err := spec.Noise(s.noise).Check(); err != nil {
			return nil, usagef("read --noise: %w", err)
		}
		s0.SetNoise(s.noise)
	}
	return s0, nil
}

// loadRecorded opens a run that a spec names, less what no simulation looks at.
func loadRecorded(path string) (*trace.Run, error) {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && read.IsGraph(path) {
		r, err := read.Graph(path)
		if err != nil {
			return nil, err
		}
		warnOfLosses(os.Stderr, r)
		return r, nil
	}
	r, err := openRun(path)
	if err != nil {
		return nil, err
	}
	return r.Load(recordedColumns()...)
}

// recordedColumns are the tables of a run that it takes to simulate it again.
func recordedColumns() (want []string) {
	want = []string{"state.resource", "state.kind", "state.start", "state.end"} // where the program waited
	for _, t := range trace.Schema() {
		if !slices.Contains([]string{"state", "phase", "model", "importlog", "account", "decision", "estimate"}, t.Name) {
			want = append(want, t.Name)
		}
	}
	return want
}

// write writes the run, with what it takes to make it again.
func (s *simulation) write(b *spec.Simulation, run *trace.Run) error {
	run.Meta.ToolVersion = version
	if run.Meta.Command = s.command; s.command == nil {
		run.Meta.Command = append([]string{"dagscope"}, os.Args[1:]...)
	}
	if err := b.Keep(run); err != nil {
		return err
	}
	run.Meta.Environment["machine"] = b.Machine.Name
	run.Meta.Environment["workload"] = b.Graph.Name
	if s.spec != "" {
		source, err := specSource(s.spec)
		if err != nil {
			return err
		}
		run.Meta.Sources = append(run.Meta.Sources, source)
	}
	return store.Write(s.out, run, indexOf(run))
}

// specSource describes the spec among the sources of a run.
func specSource(path string) (trace.Source, error) {
	text, err := regular.Read(path, regular.Text)
	if err != nil {
		return trace.Source{}, fmt.Errorf("read %s: %w", path, err)
	}
	sum := sha256.Sum256(text)
	return trace.Source{
		Path: path, Bytes: int64(len(text)), SHA256: hex.EncodeToString(sum[:]),
		Lines: int64(strings.Count(string(text), "\n")), Role: "spec",
	}, nil
}

// simulationAnswer says what was predicted.
type simulationAnswer struct {
	Run       string  `json:"run,omitempty"`
	Scheduler string  `json:"scheduler"`
	Seed      int64   `json:"seed"`
	Noise     float64 `json:"noise,omitempty"`
	Makespan  int64   `json:"makespan_ns"` // from the first submission to the end of the last task
	// Started is the makespan as report has it: from the first start of a counted
	// task to the last end of one; 0 where no starts are kept.
	Started int64   `json:"makespan_from_first_start_ns,omitempty"`
	GFlops  float64 `json:"gflops,omitempty"`
	// Recorded is the makespan of the run that is repeated (pinned), which Started
	// compares with.
	Recorded  int64   `json:"recorded_makespan_ns,omitempty"`
	Workers   string  `json:"workers"` // "9 cpu, 3 cuda"
	Tasks     int     `json:"tasks"`
	Transfers int64   `json:"transfers"`
	Bytes     int64   `json:"bytes_transferred"`
	Events    int64   `json:"events"`
	Seconds   float64 `json:"seconds"`               // of simulating, without writing
	CPU       float64 `json:"cpu_seconds,omitempty"` // of all threads, where the system reports it
	Peak      int64   `json:"peak_rss_bytes"`

	Memory     int64   `json:"memory_peak_bytes,omitempty"`            // that tasks allocate
	Sequential int64   `json:"memory_sequential_peak_bytes,omitempty"` // if they ran one after another
	Limit      int64   `json:"memory_limit_bytes,omitempty"`
	Idle       float64 `json:"idle,omitempty"`             // share of the workers' time, where the engine tells
	Analysis   float64 `json:"analysis_seconds,omitempty"` // of Seconds: matrix read, ordered, analyzed

	Warnings []string `json:"warnings,omitempty"` // durations that are not to be trusted

	makesInput bool // some tasks do, which Started does not count
}

func answerOf(b *spec.Simulation, r *starpu.Result) simulationAnswer {
	a := simulationAnswer{Scheduler: b.Scheduler, Seed: b.Options.Seed, Noise: b.Noise(), Makespan: r.Makespan, Started: b.MakespanFromStart(r), Recorded: b.Recorded(), Events: r.Events, Warnings: b.Warnings, Workers: workersOf(b.Machine)}
	tasks, gflop := b.Graph.Work()
	a.Tasks = tasks
	a.makesInput = slices.ContainsFunc(b.Graph.Classes, func(c workload.Class) bool { return c.Generation })
	if r.Makespan > 0 {
		a.GFlops = gflop / (float64(r.Makespan) / 1e9)
	}
	for _, p := range r.Pairs {
		a.Transfers += p.Count
		a.Bytes += p.Bytes
	}
	if b.Plain != nil {
		a.plain(b, r)
	}
	return a
}

// plain says what the plain engine knows beyond.
func (a *simulationAnswer) plain(b *spec.Simulation, r *starpu.Result) {
	a.Memory, a.Limit = slices.Max(append(r.Peak, 0)), b.Plain.Options.MemoryLimit
	a.Analysis = b.Plain.Analysis.Seconds()
	if b.Graph.StartBytes != nil {
		a.Sequential = b.Plain.SequentialPeak
	}
	busy := int64(0)
	for _, ns := range r.Busy {
		busy += ns
	}
	if r.Makespan > 0 {
		a.Idle = 1 - float64(busy)/float64(r.Makespan)/float64(len(r.Busy))
	}
}

// analysis says how much of the time went into the matrix.
func (a *simulationAnswer) analysis() string {
	if a.Analysis < 0.01 {
		return ""
	}
	return fmt.Sprintf("%.2f s for the matrix, ", a.Analysis)
}

// memory is a line on what tasks allocate.
func (a *simulationAnswer) memory() string {
	if a.Memory == 0 {
		return ""
	}
	limit := ""
	if a.Limit > 0 {
		limit = fmt.Sprintf(", limit %s MB", words.MB(a.Limit))
	}
	return fmt.Sprintf("memory peak %s MB (%.1f MiB), %.2f of a sequential run's%s\n", words.MB(a.Memory), float64(a.Memory)/(1<<20), float64(a.Memory)/float64(max(a.Sequential, 1)), limit)
}

// workersOf counts workers by architecture.
func workersOf(m *platform.Machine) string {
	count := make(map[string]int)
	for i := range m.Workers {
		count[m.Workers[i].Arch]++
	}
	var parts []string
	for _, arch := range slices.Sorted(maps.Keys(count)) {
		parts = append(parts, fmt.Sprintf("%d %s", count[arch], arch))
	}
	return strings.Join(parts, ", ")
}

func (a simulationAnswer) write(w io.Writer) error {
	name := a.Scheduler
	if a.Run != "" {
		name = a.Run + ": " + name
	}
	line := fmt.Sprintf("%s: %s on %s, makespan %s", name, words.Plural(a.Tasks, "task"), a.Workers, words.Precise(a.Makespan))
	if a.Started > 0 && a.Started != a.Makespan {
		but := ""
		if a.makesInput {
			but = " that does not make the input"
		}
		line += fmt.Sprintf(" (%s from the first start of a task%s, as in report)", words.Precise(a.Started), but)
	}
	if a.GFlops > 0 {
		line += fmt.Sprintf(", %.1f GFlop/s", a.GFlops)
	}
	if a.Transfers > 0 {
		line += fmt.Sprintf(", %s of %s MB", words.Plural(a.Transfers, "transfer"), words.MB(a.Bytes))
	}
	_, err := fmt.Fprintf(w, "%s\n%s%s%s\n", line, a.replayed(), a.memory(), a.effort())
	return err
}

// replayed is a line on how well a run was repeated.
func (a *simulationAnswer) replayed() string {
	if a.Recorded == 0 {
		return ""
	}
	return fmt.Sprintf("recorded makespan %s; the replay differs by %+.2f %%\n", words.Precise(a.Recorded), 100*(float64(a.Started)/float64(a.Recorded)-1))
}

// effort is a line on what simulating took.
func (a *simulationAnswer) effort() string {
	cpu := ""
	if a.CPU > 0 {
		cpu = fmt.Sprintf("%.2f CPU-s, ", a.CPU)
	}
	return fmt.Sprintf("simulated in %.2f s (%s%s%s, %.0f MB of memory)", a.Seconds, cpu, a.analysis(), words.Plural(a.Events, "event"), float64(a.Peak)/1e6)
}

// peakMemory is the most memory that the process had resident, in bytes; where
// the system does not tell, what the Go runtime took from it.
func peakMemory() int64 {
	if f, err := os.Open("/proc/self/status"); err == nil {
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var kib int64
			if _, err := fmt.Sscanf(lines.Text(), "VmHWM: %d kB", &kib); err == nil {
				return kib << 10
			}
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys)
}
