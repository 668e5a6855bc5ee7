package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"dagscope/internal/wholefile"
	"dagscope/read"
	"dagscope/show/archive"
	"dagscope/trace/store"
	"dagscope/web"
	"github.com/spf13/cobra"
)

func newArchive() *cobra.Command {
	var out string
	var anonymous bool
	cmd := &cobra.Command{
		Use:   "archive RUN… -o DIR",
		Short: "Write the live view as static files, for any web server or a colleague",
		Long: `Write the live view of one or several runs as a folder of static files.

Put the folder on any web server, or send it to somebody who opens its
index.html: it needs no dagscope and no network. It is the live view of
"dagscope serve" but for the SQL box; the server works inside the page, compiled
to WebAssembly, so that all of the run is read into the browser's memory. Runs of
about a million tasks are the most that a browser carries well.

With --anonymous no host, user, path, command line or environment is in it, as
"dagscope strip" writes runs, and runs are called by their number.`,
		Example: `  dagscope archive cholesky.dsr -o cholesky-view
  dagscope archive before.dsr after.dsr -o compared`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("found no RUN, want one or several")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return usagef("found no directory to write, want -o DIR")
			}
			if err := apart(args); err != nil {
				return err
			}
			if err := archive.CheckTarget(out); err != nil { // before the runs are read
				return err
			}
			engine, err := archive.FindEngine(func(format string, args ...any) { fmt.Fprintf(cmd.ErrOrStderr(), format+"\n", args...) })
			if err != nil {
				return err
			}
			temp, err := wholefile.TempDir("dagscope-archive")
			if err != nil {
				return err
			}
			runs, err := archivedRuns(args, temp, anonymous)
			if err == nil {
				err = archive.Write(out, version, web.Files(), engine, runs)
			}
			if err != nil {
				return errors.Join(err, os.RemoveAll(temp))
			}
			if err := os.RemoveAll(temp); err != nil {
				return fmt.Errorf("remove temporary files (%s: the new one is in place): %w", out, err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: open %s\n", out, filepath.Join(out, "index.html"))
			return err
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "directory to write")
	cmd.Flags().BoolVar(&anonymous, "anonymous", false, "leave out hosts, users, paths, command lines and the environment")
	return cmd
}

// archivedRuns are the run directories of the arguments; traces are imported
// into temp first, and anonymous runs are copied there.
func archivedRuns(paths []string, temp string, anonymous bool) ([]archive.Run, error) {
	var runs []archive.Run
	for i, path := range paths {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("open %s: there is no such file or directory", path)
		}
		if anonymous {
			run, err := anonymousRun(i+1, path, temp)
			if err != nil {
				return nil, err
			}
			runs = append(runs, run)
			continue
		}
		dir := path
		if !isRunDirectory(path) {
			dir = filepath.Join(temp, fmt.Sprintf("%d.dsr", i))
			if err := importInto(dir, path); err != nil {
				return nil, err
			}
		}
		opened, err := store.Open(dir)
		if err != nil {
			return nil, err
		}
		runs = append(runs, archive.Run{Name: runName(path), Files: os.DirFS(dir), Steady: opened.Steady})
	}
	return runs, nil
}

// anonymousRun is the copy of a run, without its origin, which is called by its
// number.
func anonymousRun(number int, path, temp string) (archive.Run, error) {
	run, err := stripped(path)
	if err != nil {
		return archive.Run{}, err
	}
	dir := filepath.Join(temp, fmt.Sprintf("%d.dsr", number))
	if err := store.Write(dir, run, indexOf(run)); err != nil {
		return archive.Run{}, err
	}
	return archive.Run{Name: fmt.Sprintf("run %d", number), Files: os.DirFS(dir)}, nil
}

// importInto imports a trace with the defaults of import.
func importInto(dir, path string) error {
	tell, finish := progress(os.Stderr, "read "+filepath.Base(path))
	defer finish()
	run, err := read.Read(path, read.Options{Progress: tell})
	if err != nil {
		return err
	}
	warnOfLosses(os.Stderr, run)
	return store.Write(dir, run, indexOf(run))
}
