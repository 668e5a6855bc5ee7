package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"dagscope/internal/words"
	"dagscope/read/fxt"

	"github.com/spf13/cobra"
)

func newFxtStrip() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "strip FILE…|DIR -o OUT",
		Short: "Copy raw traces without what they tell of the machine and of other people's processes",
		Long: `Copy raw traces without what they tell of the machine and of others: FxT writes
into every file the names and ids of all processes that ran on the machine, the
system's name with that of the host, and more. All events stay as they are, so that
the copy is imported, and converted by starpu_fxt_tool, as the file is.

What stays, for it belongs to the run: names of kernels, of data and of the
program's own events, paths of source files that the program gave to its tasks
(TASK_LINE), ids of its own threads, addresses, and the date. "dagscope fxt dump"
shows them.

OUT is a file, compressed if it ends in .gz or .zst, - for standard output, or, with
several FILEs or where it is one or ends in /, a directory: there files keep their
names, but for the user's (prof_file_user_0). Nothing is overwritten. Of a directory
instead of FILEs all raw traces are copied.`,
		Example: `  dagscope fxt strip prof_file_me_0 -o prof_file_0.zst
  dagscope fxt strip prof_file_me_* -o to-share/`,
		Args: someArguments("FILE…"),
		RunE: func(cmd *cobra.Command, args []string) error {
			paths, err := rawFiles(args)
			if err != nil {
				return err
			}
			targets, err := stripTargets(paths, out)
			if err != nil {
				return err
			}
			for i, path := range paths {
				if err := stripFile(cmd.OutOrStdout(), cmd.ErrOrStderr(), path, targets[i]); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "`OUT`, file or directory to write")
	cobra.CheckErr(cmd.MarkFlagRequired("output"))
	return cmd
}

// stripTargets says where the copy of each file goes, before any is written.
func stripTargets(paths []string, out string) ([]string, error) {
	if out == "-" && len(paths) != 1 {
		return nil, fmt.Errorf("write to standard output: found %s, want one", words.Plural(len(paths), "file"))
	} else if out == "-" {
		return []string{out}, nil
	}
	info, err := os.Stat(out)
	if isDir := err == nil && info.IsDir(); len(paths) == 1 && !isDir && !strings.HasSuffix(out, "/") {
		return []string{out}, refuseToOverwrite(out)
	} else if err == nil && !isDir {
		return nil, fmt.Errorf("write %s: found a file, want a directory for %s", out, words.Plural(len(paths), "file"))
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return nil, fmt.Errorf("write %s: %w", out, cause(err))
	}
	taken, targets := map[string]string{}, make([]string, len(paths))
	for i, path := range paths {
		t := filepath.Join(out, sharedName(path))
		if taken[t] != "" {
			return nil, fmt.Errorf("write %s: found it twice, for %s and %s", t, taken[t], path)
		}
		if err := refuseToOverwrite(t); err != nil {
			return nil, err
		}
		taken[t], targets[i] = path, t
	}
	return targets, nil
}

// refuseToOverwrite is an error where a file is; devices and pipes are none.
func refuseToOverwrite(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.Mode().IsRegular() {
		return fmt.Errorf("write %s: found a file, want a new name", path)
	}
	return nil
}

// profFile is StarPU's name of a trace: prof_file_<user>_<rank>, compressed or
// not.
var profFile = regexp.MustCompile(`^prof_file_.*_(\d+(\.[a-z]+)?)$`)

// sharedName is the name of a trace without that of the user.
func sharedName(path string) string {
	return profFile.ReplaceAllString(filepath.Base(path), "prof_file_user_$1")
}

func stripFile(w, errs io.Writer, path, out string) error {
	var s fxt.Stripped
	err := eachTrace(errs, path, func(f *fxt.File) (err error) {
		damage := (*fxt.Truncated)(nil)
		e := writeStripped(w, out, func(w io.Writer) error {
			if s, err = f.Strip(w); errors.As(err, &damage) {
				return nil // the file is good as far as it goes
			}
			return err
		})
		if e != nil {
			return e
		}
		return err
	})
	if err != nil {
		return err
	}
	if s.Size != nil {
		fmt.Fprintf(errs, "dagscope: %s: states another size than it has, so that StarPU's own tools may not read all of it: %v\n", out, s.Size)
	}
	if out == "-" {
		w = errs
	}
	_, err = fmt.Fprintf(w, "%s: %s; %s of processes left out\n", out, words.Plural(s.Events, "event"), words.Plural(s.Names, "name"))
	return err
}

// writeStripped has a copy written to a file, or to standard output, in which
// nothing can be corrected afterwards.
func writeStripped(stdout io.Writer, out string, write func(io.Writer) error) error {
	if out == "-" {
		return write(struct{ io.Writer }{raw(stdout)})
	}
	return writeFile(out, func(w io.Writer) error { return packed(w, out, write) })
}
