package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"dagscope/explain/index"
	"dagscope/internal/text"
	"dagscope/internal/words"
	"dagscope/predict/platform"
	"dagscope/read"
	"dagscope/trace"
	"dagscope/trace/store"

	"github.com/spf13/cobra"
)

func newImport() *cobra.Command {
	var o read.Options
	var out string
	var asJSON bool
	var unpacked string
	cmd := &cobra.Command{
		Use:   "import SOURCE…",
		Short: "Read a run as the runtime left it and write a run directory",
		Long: `Read a run and write a run directory (NAME.dsr).

SOURCE is the traces that StarPU itself writes, prof_file_USER_RANK of all ranks
or the directories where they lie, no conversion needed; a directory as starpu_fxt_tool leaves
it (paje.trace, tasks.rec, data.rec, dag.dot, comms.rec, sched_tasks.rec,
papi.rec), one or several of these files, a Pajé trace of any other program, the
directory of CSV files that pj_dump and rec2csv leave for StarVZ, the events of
an OpenMP program (what "dagscope record" wrote, or the plain form of
docs/ompt-events.md, one file per process), a CSV file with a line for each
task (docs/taskcsv.md), a Paraver trace (docs/formats/paraver.md), or the folder
of raw streams that ovni writes (docs/formats/ovni.md). Files may be plain, .gz
or .zst, each may be missing; machine and kernel models beside them are read too.
What it is is found out by content. Where several of these forms lie in a directory, files of
starpu_fxt_tool are read rather than CSV files, and both rather than the raw
traces that they were made of (--as fxt reads these).

Whatever is repaired or cannot be used is counted in the run's import log: see
"dagscope info RUN" or the table importlog in "dagscope query".`,
		Example: `  dagscope import /tmp/prof_file_* -o cholesky.dsr
  dagscope import traces/cholesky
  dagscope import paje.trace.gz tasks.rec -o run.dsr --strict
  dagscope import simgrid.trace --time-unit s`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("found no SOURCE, want a directory or files")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				out = defaultOutput(args[0])
			}
			if err := store.CheckTarget(out); err != nil { // before the sources are read
				return err
			}
			if unpacked != "" {
				bytes, err := platform.ParseSize(unpacked)
				if err != nil {
					return usagef("read --max-unpacked: %w", err)
				}
				defer text.AllowUnpacked(bytes)()
			}
			o.Command = append([]string{"dagscope"}, os.Args[1:]...)
			run, err := importRun(cmd, args, o)
			if err != nil {
				return err
			}
			if err := store.Write(out, run, indexOf(run)); err != nil {
				return err
			}
			warnOfLosses(cmd.ErrOrStderr(), run)
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), importAnswerOf(out, run))
			}
			return importAnswerOf(out, run).write(cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVarP(&out, "output", "o", "", "run directory to write (default: name of the source with .dsr, here)")
	f.BoolVar(&o.Strict, "strict", false, "fail on any warning or error of the import log")
	f.StringVar(&o.As, "as", "", "read as `FORMAT` "+read.Formats()+" instead of finding it out")
	f.StringVar(&o.StarPUVersion, "starpu-version", "", "`VERSION` of StarPU that wrote the raw traces, such as 1.3 (default: found out; see dagscope fxt layouts)")
	f.StringVar(&o.TimeUnit, "time-unit", "", "`UNIT` ns, us, ms or s of a Pajé trace's times (default ms, as StarPU writes them), or of a task CSV's (default s)")
	f.StringVar(&o.Generation, "generation", trace.DefaultGeneration,
		"`REGEX` of the kinds of tasks that prepare the input, not counted; none for none")
	f.StringVar(&unpacked, "max-unpacked", "", "`SIZE` that a compressed file may have when decompressed, such as 20GiB (default 256MiB, or 200 times its size if that is more)")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// importRun reads sources with a progress bar until it is interrupted.
func importRun(cmd *cobra.Command, sources []string, o read.Options) (*trace.Run, error) {
	tell, finish := progress(cmd.ErrOrStderr(), "import")
	defer finish()
	if os.Getenv("GOGC") == "" {
		defer saveMemory()()
	}
	o.Progress = tell
	type outcome struct {
		run *trace.Run
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		run, err := read.ReadSet(sources, o)
		done <- outcome{run, err}
	}()
	select {
	case r := <-done:
		return r.run, r.err
	case <-cmd.Context().Done(): // the process ends, and the reading with it
		return nil, errors.New("interrupted: nothing was written")
	}
}

// maxLosses are said one by one; the import log has the rest.
const maxLosses = 5

// warnOfLosses says what was repaired or could not be used, errors first.
func warnOfLosses(w io.Writer, run *trace.Run) {
	l, said, more := &run.Log, 0, 0
	for _, severity := range []trace.Severity{trace.Error, trace.Warning} {
		for i, n := range l.Count {
			if l.Severity.At(i) != string(severity) {
				continue
			}
			if said == maxLosses {
				more++
				continue
			}
			said++
			times := ""
			if n > 1 {
				times = fmt.Sprintf(" (%d times)", n)
			}
			at := l.Code.At(i)
			if source := l.Source.At(i); source != "" {
				at = filepath.Base(source)
			}
			if p := l.Position[i]; p > 0 {
				at += fmt.Sprintf(":%d", p)
			}
			fmt.Fprintf(w, "%s: %s: %s%s\n", severity, at, cmp.Or(l.Message.At(i), l.Code.At(i)), times)
		}
	}
	if more > 0 {
		fmt.Fprintf(w, "further kinds of warnings and errors, in the import log: %d\n", more)
	}
}

// warnOfCut says of a small file that it may be cut off in its last line.
func warnOfCut(w io.Writer, path string) {
	fmt.Fprintf(w, "warning: %s: found a last line without a line end, want one: the file may be cut off in it\n", path)
}

// indexOf makes what is kept with a run so that its drawings open quickly.
func indexOf(run *trace.Run) store.Attachment {
	return store.Attachment{Name: index.Name, Data: index.Encode(run)}
}

// defaultOutput is the source's name with .dsr, in the current directory. Raw
// traces of all ranks are one run: the rank is no part of its name.
func defaultOutput(source string) string {
	if run, _, ok := read.RawRun(source); ok {
		return strings.TrimRight(run, "_") + ".dsr" // the user may have no name
	}
	abs, err := filepath.Abs(source)
	if err != nil {
		abs = source
	}
	name := filepath.Base(abs)
	for _, suffix := range []string{".gz", ".zst", ".trace", ".rec", ".dot", ".csv", ".dsom", ".fxt"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name + ".dsr"
}

// importAnswer says what an import wrote.
type importAnswer struct {
	Run      string         `json:"run"`
	Makespan int64          `json:"makespan_ns"`
	Tasks    int            `json:"tasks"` // counted ones
	Rows     map[string]int `json:"rows"`  // of each table that has any
	Warnings int64          `json:"warnings"`
	Errors   int64          `json:"errors"`
}

func importAnswerOf(out string, run *trace.Run) importAnswer {
	a := importAnswer{
		Run: out, Rows: map[string]int{},
		Warnings: run.Log.Total(trace.Warning), Errors: run.Log.Total(trace.Error),
	}
	for i, end := range run.Task.End {
		if run.Task.Counted(i) {
			a.Tasks++
			a.Makespan = max(a.Makespan, end)
		}
	}
	for _, t := range run.Tables() {
		if n := t.Rows(); n > 0 {
			a.Rows[t.Name] = n
		}
	}
	return a
}

func (a importAnswer) write(w io.Writer) error {
	line := fmt.Sprintf("%s: %s", a.Run, words.Plural(a.Tasks, "task"))
	if n := a.Rows["construct"]; n > 0 {
		line += ", " + words.Plurals(n, "parallel region or construct", "parallel regions and constructs")
	}
	if a.Tasks > 0 {
		line += ", makespan " + words.Precise(a.Makespan)
	}
	if a.Warnings+a.Errors > 0 {
		line += fmt.Sprintf("; import log: %s, %s (dagscope info %s)", words.Plural(a.Errors, "error"), words.Plural(a.Warnings, "warning"), a.Run)
	}
	_, err := fmt.Fprintln(w, line)
	return err
}
