package cli

import (
	"errors"
	"fmt"
	"io"
	"math"

	"dagscope/internal/words"
	"dagscope/read/fxt"
	"dagscope/read/fxt/show"

	"github.com/spf13/cobra"
)

func newFxt() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fxt",
		Short: "Look into StarPU's raw traces (prof_file_…), or make them fit to be shared",
		Long: `Look into the binary traces that StarPU leaves (prof_file_<user>_<rank>; plain,
.gz or .zst): their events as text, and a copy without what they tell of other
processes. docs/fxt-format.md describes the files. "dagscope import" makes a run
of them.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("found no job, want dump, strip or layouts")
			}
			return fmt.Errorf("found unknown job %q, want dump, strip or layouts", args[0])
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, job := range []*cobra.Command{newFxtDump(), newFxtStrip(), newFxtLayouts()} {
		asVerb(job)
		cmd.AddCommand(job)
	}
	return cmd
}

// fxtDump is what "fxt dump" was asked for.
type fxtDump struct {
	show.Options
	out      string
	from, to float64 // ms
	count    bool
}

func newFxtDump() *cobra.Command {
	var d fxtDump
	cmd := &cobra.Command{
		Use:   "dump FILE…|DIR",
		Short: "Write the events of raw traces as text, one per line",
		Long: `Write the events of raw traces as text, one per line in the order of the file:
milliseconds since the file's first event, the event's name, its parameters by
name, texts in quotes:

  29.771409 TASK_SUBMIT job=5 iteration=-1 subiteration=-1 order=1 prio=0 …

Events without a name are shown as their codes and words in hexadecimal. What
parameters mean depends on StarPU's version, which the files do not tell: it is
taken from the numbers of parameters of the first 65 536 events, or from
--starpu-version. Of a directory all raw traces are read.

With --count, a line per code instead: the code, how many events there are in all
files, its name. The first two are what starpu_fxt_tool -number-events writes.`,
		Example: `  dagscope fxt dump prof_file_me_0 | less
  dagscope fxt dump prof_file_me_0 --codes '*_CODELET_BODY,JOB_POP' --from 100 --to 120
  dagscope fxt dump prof_file_me_* --count`,
		Args: someArguments("FILE…"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := d.check(); err != nil {
				return err
			}
			paths, err := rawFiles(args)
			if err != nil {
				return err
			}
			if d.out == "" || d.out == "-" {
				w := cmd.OutOrStdout()
				if d.JSON {
					w = raw(w)
				}
				return d.write(w, cmd.ErrOrStderr(), paths)
			}
			if err := refuseInput(d.out, paths); err != nil {
				return err
			}
			return writeFile(d.out, func(w io.Writer) error { return d.write(w, cmd.ErrOrStderr(), paths) })
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&d.count, "count", false, "count events per code instead")
	flags.StringSliceVar(&d.Codes, "codes", nil, "only these events: `NAMES` such as JOB_POP or DATA_*, or codes such as 0x5105")
	flags.Float64Var(&d.from, "from", 0, "first time, in `MS` after the file's first event (default: all, earlier ones too)")
	flags.Float64Var(&d.to, "to", 0, "last time, in `MS` after the file's first event (default: the end)")
	flags.BoolVar(&d.JSON, "json", false, "an object per line")
	flags.StringVar(&d.Version, "starpu-version", "", "`VERSION` of StarPU that wrote the files, such as 1.3 or 1.4 (default: found out)")
	flags.StringVarP(&d.out, "output", "o", "", "`FILE` to write instead of standard output")
	return cmd
}

// check refuses flags that say nothing together.
func (d *fxtDump) check() error {
	if d.count && (d.JSON || d.from != 0 || d.to != 0) {
		return usagef("found --count with --json, --from or --to, want it alone or with --codes")
	}
	for _, ms := range []float64{d.from, d.to} {
		if math.Abs(ms) > maxMS || math.IsNaN(ms) {
			return usagef("found time %v, want milliseconds", ms)
		}
	}
	if d.to != 0 && d.to < d.from {
		return usagef("found --to %g before --from %g", d.to, d.from)
	}
	d.From, d.To = nanoseconds(d.from), nanoseconds(d.to)
	return nil
}

func (d *fxtDump) write(w, errs io.Writer, paths []string) error {
	if d.count {
		return d.writeCounts(w, errs, paths)
	}
	for _, path := range paths {
		if len(paths) > 1 {
			if _, err := fmt.Fprintf(w, "# %s\n", path); err != nil {
				return err
			}
		}
		err := eachTrace(errs, path, func(f *fxt.File) error {
			_, err := show.Write(w, f, d.Options)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *fxtDump) writeCounts(w, errs io.Writer, paths []string) error {
	var counts show.Counts
	for _, path := range paths {
		if err := eachTrace(errs, path, counts.Add); err != nil {
			return err
		}
	}
	_, err := counts.Write(w, d.Options)
	return err
}

// eachTrace opens a raw trace and has it read; that it ends early, or has gaps, is
// said, but no error.
func eachTrace(errs io.Writer, path string, read func(*fxt.File) error) error {
	f, err := fxt.Open(path)
	if err != nil {
		return err
	}
	err = read(f)
	if damage := (*fxt.Truncated)(nil); errors.As(err, &damage) {
		fmt.Fprintf(errs, "dagscope: %v\n", damage)
		err = nil
	}
	if n, bytes := f.Gaps(); n > 0 {
		fmt.Fprintf(errs, "dagscope: read %s: %s in %s are no events and were left out\n", path, words.Plural(bytes, "byte"), words.Plural(n, "place"))
	}
	return errors.Join(err, f.Close())
}
