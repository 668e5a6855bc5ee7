package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"dagscope/read"
	"dagscope/read/ompt/dsom"
	"dagscope/read/record"
	"dagscope/trace"
	"dagscope/trace/store"
	"github.com/spf13/cobra"
)

func newRecord() *cobra.Command {
	var r recording
	cmd := &cobra.Command{
		Use:   "record -o RUN.dsr [flags] -- COMMAND…",
		Short: "Run an OpenMP program and keep what it did as a run",
		Long: `Run a command, record what its OpenMP runtime does (OMPT), and import that as a
run directory. Nothing in the program is changed; a call of omp_control_tool in
it starts, pauses and marks (docs/record.md).

A program built with gcc needs libgomp, which reports nothing: it is run on
LLVM's libomp instead, which has libgomp's entry points too, and dagscope says
so. Under mpirun each process writes its own file; they are merged on one clock.

Of the environment a run keeps variables of OpenMP, StarPU, MPI and Slurm that say how
the program ran, and none that look like secrets (tokens, keys, passwords); --env
adds others. The command line is kept as it is: "dagscope strip" removes it.

The exit code is the command's own, also when it fails: what was recorded until
then is imported all the same. Its output stays its own; what dagscope says goes
to standard error.`,
		Example: `  dagscope record -o lulesh.dsr -- ./lulesh -s 24
  OMP_NUM_THREADS=8 dagscope record --ring 256 -o tail.dsr -- ./server
  dagscope record -o run.dsr -- mpirun -n 4 ./program`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("found no COMMAND, want the program to record and its arguments")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			r.options.Command, r.errs = args, cmd.ErrOrStderr()
			return r.run(cmd)
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false) // flags behind the command are the command's
	f.StringVarP(&r.out, "output", "o", "", "run directory to write (default: name of the program with .dsr, here)")
	f.IntVar(&r.options.Ring, "ring", 0, "keep only the last `MIB` of events")
	f.IntVar(&r.options.Limit, "limit", 0, "let no process record more than `MIB`; what does not fit is lost, and the run says so")
	f.BoolVar(&r.options.NoLocks, "no-locks", false, "do not record locks, critical and ordered sections and atomic updates")
	f.BoolVar(&r.options.NoChunks, "no-chunks", false, "do not record which iterations of loops threads took, only the loops")
	f.BoolVar(&r.keep, "keep", false, "keep the recorder's files beside the run, in a folder NAME.dsom (replaces those kept before)")
	f.StringVar(&r.options.Clock, "clock", "", "`CLOCK` tsc or monotonic (default: the processor's counter if it is steady)")
	f.StringVar(&r.options.Preload, "libomp", "", "run the program on this OpenMP runtime (`FILE` libomp.so)")
	f.StringVar(&r.options.Tool, "tool", "", "recorder's library to use (`FILE`; default: the installed one, or one built now)")
	f.StringArrayVar(&r.options.Env, "env", nil, "keep the environment's variable `NAME` too, even one that looks like a secret (repeatable)")
	f.BoolVar(&r.options.Paused, "paused", false, "record nothing until the program calls omp_control_tool(omp_control_tool_start)")
	return cmd
}

// recording is one run of the verb.
type recording struct {
	options record.Options
	out     string
	keep    bool
	errs    io.Writer
	program record.Program
	tool    record.Tool
}

func (r *recording) say(format string, args ...any) {
	fmt.Fprintf(r.errs, "dagscope: "+format+"\n", args...)
}

func (r *recording) run(cmd *cobra.Command) (err error) {
	defer func() { err = errors.Join(err, r.tool.Close()) }()
	if err := r.prepare(cmd); err != nil {
		return err
	}
	outcome, err := record.Run(r.options.Command, r.options.Environment(os.Environ()), r.options.Dir, cmd.InOrStdin(), raw(cmd.OutOrStdout()), raw(r.errs))
	if err != nil {
		return errors.Join(err, os.RemoveAll(r.options.Dir))
	}
	if outcome.Signal != 0 {
		r.say("the program was ended by a signal: %v%s", outcome.Signal, r.exchanged())
	}
	err = r.read(cmd)
	if outcome.Code != 0 {
		return programFailed{code: outcome.Code, err: err}
	}
	return err
}

// exchanged says of a program that crashed that it did not run on the runtime that
// it was built for.
func (r *recording) exchanged() string {
	if !r.program.GNU || r.options.Preload == "" {
		return ""
	}
	return fmt.Sprintf(". It was built for libgomp and ran on %s, with which programs that use detach crash; see whether it works when built with clang", r.options.Preload)
}

// prepare finds out all that can go wrong before the program has run.
func (r *recording) prepare(cmd *cobra.Command) (err error) {
	if c := r.options.Clock; c != "" && c != "tsc" && c != "monotonic" {
		return usagef("found clock %q, want tsc or monotonic", c)
	}
	if r.options.Limit < 0 || r.options.Limit == 0 && cmd.Flags().Changed("limit") {
		return usagef("found a limit of %d MiB, want more than 0", r.options.Limit)
	}
	if r.options.Limit > 0 && r.options.Limit <= r.options.Ring {
		return usagef("found a limit of %d MiB and a ring of %d MiB, want a limit that has room for the ring", r.options.Limit, r.options.Ring)
	}
	if r.options.Ring < 0 || r.options.Ring == 0 && cmd.Flags().Changed("ring") {
		return usagef("found a ring of %d MiB, want more than 0", r.options.Ring)
	}
	for _, name := range r.options.Env {
		if name == "" || strings.ContainsAny(name, "=,\x00") {
			return usagef("found --env %q, want the name of a variable", name)
		}
	}
	if r.out == "" {
		r.out = filepath.Base(r.options.Command[0]) + ".dsr"
	}
	if err := store.CheckTarget(r.out); err != nil {
		return err
	}
	if r.options.Tool == "" {
		r.tool, err = record.FindTool(r.say)
	} else {
		r.tool, err = record.CheckTool(r.options.Tool)
	}
	if err != nil {
		return err
	}
	r.options.Tool = r.tool.Path
	if err := r.chooseRuntime(); err != nil {
		return err
	}
	return r.makeFolder()
}

// chooseRuntime sees to it that the program runs on a runtime that reports
// what it does.
func (r *recording) chooseRuntime() (err error) {
	r.program = record.Inspect(r.options.Command)
	p := r.program
	switch {
	case p.Static && p.GNU:
		return fmt.Errorf("%s is linked with libgomp statically, which reports nothing to tools and cannot be exchanged: link it without -static", p.Path)
	case r.options.Preload != "":
		if r.options.Preload, err = filepath.Abs(r.options.Preload); err != nil {
			return err
		}
		if _, err := os.Stat(r.options.Preload); err != nil {
			return fmt.Errorf("find the OpenMP runtime: %w", err)
		}
	case p.GNU && !p.LLVM:
		if r.options.Preload, err = record.FindLibomp(); err != nil {
			return fmt.Errorf("%s needs libgomp, which reports nothing to tools: %w", p.Path, err)
		}
		r.say("%s was built for gcc's OpenMP runtime, which reports nothing to tools: running it on %s", p.Path, r.options.Preload)
	}
	if missing := record.Missing(p, r.options.Preload); r.options.Preload != "" && len(missing) > 0 {
		r.say("%s has no %s, which the program calls: it may fail", r.options.Preload, strings.Join(missing, ", "))
	}
	return nil
}

// makeFolder makes the folder of the recorder's files, beside the run: there
// all processes of the program can write, and there is room for the run.
func (r *recording) makeFolder() error {
	dir, err := filepath.Abs(strings.TrimSuffix(filepath.Clean(r.out), ".dsr") + dsom.Suffix)
	if err != nil {
		return err
	}
	r.options.Dir = dir
	if r.keep && holdsRecordings(dir) { // of the last time
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	err = os.Mkdir(dir, 0o777)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("found %s of an earlier recording: import it (dagscope import %[1]s) or remove it", r.folder())
	}
	return err
}

// holdsRecordings tells whether a folder holds recorder's files and nothing
// else.
func holdsRecordings(dir string) bool {
	files, err := dsom.Files(dir)
	if err != nil {
		return false
	}
	all, err := os.ReadDir(dir)
	return err == nil && len(all) == len(files)
}

// folder is the folder of the recorder's files as users would call it.
func (r *recording) folder() string {
	if dir, err := os.Getwd(); err == nil {
		if short, err := filepath.Rel(dir, r.options.Dir); err == nil && !strings.HasPrefix(short, "..") {
			return short
		}
	}
	return r.options.Dir
}

// read imports what was recorded. The files stay if that fails.
func (r *recording) read(cmd *cobra.Command) error {
	files, err := dsom.Files(r.options.Dir)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return errors.Join(r.nothing(), os.RemoveAll(r.options.Dir))
	}
	if err := r.importFiles(cmd); err != nil {
		return fmt.Errorf("import what was recorded: %w; it is kept in %s", err, r.folder())
	}
	if r.keep {
		return nil
	}
	if err := os.RemoveAll(r.options.Dir); err != nil {
		return fmt.Errorf("remove the recorder's files (%s: the new one is in place): %w", r.out, err)
	}
	return nil
}

func (r *recording) importFiles(cmd *cobra.Command) error {
	o := read.Options{Generation: trace.DefaultGeneration, Command: append([]string{"dagscope"}, os.Args[1:]...)}
	run, err := importRun(cmd, []string{r.options.Dir}, o)
	if err != nil {
		return err
	}
	if err := store.Write(r.out, run, indexOf(run)); err != nil {
		return err
	}
	warnOfLosses(r.errs, run)
	return importAnswerOf(r.out, run).write(r.errs)
}

// nothing says why nothing was recorded, as far as can be seen.
func (r *recording) nothing() error {
	p := r.program
	why := ""
	switch {
	case os.Getenv("DAGSCOPE_OMPT") != "":
		why = "DAGSCOPE_OMPT=" + os.Getenv("DAGSCOPE_OMPT") + " is set"
	case p.LLVM || r.options.Preload != "":
		runtime := p.Runtime
		if r.options.Preload != "" {
			runtime = r.options.Preload
		}
		why = fmt.Sprintf("the program did nothing with OpenMP, %s was built without OMPT, or the recorder could not begin its file and says so above", runtime)
	default:
		why = fmt.Sprintf("%s names no OpenMP runtime among its libraries; where a script or a module loads gcc's, name LLVM's with --libomp", p.Path)
	}
	return fmt.Errorf("nothing was recorded: no OpenMP runtime with OMPT was loaded (%s)", why)
}

// programFailed is that a command which dagscope ran failed: its exit code
// becomes dagscope's own. Err is what went wrong besides, nil for nothing.
type programFailed struct {
	code int
	err  error
}

func (p programFailed) Error() string {
	if p.err == nil {
		return fmt.Sprintf("the program failed with code %d", p.code)
	}
	return p.err.Error()
}
