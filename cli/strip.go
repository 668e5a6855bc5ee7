package cli

import (
	"fmt"
	"os"
	"os/user"

	"dagscope/internal/words"
	"dagscope/trace"
	"dagscope/trace/anonymous"
	"dagscope/trace/store"

	"github.com/spf13/cobra"
)

func newStrip() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "strip RUN -o OUT.dsr",
		Short: "Copy a run without hosts, users, paths, command line and environment",
		Long: `Copy a run without what says who made it and where: command lines, environment,
names and checksums of the files it was read from, the platform's host. In all
texts, paths become the name of the file at their end, and the hosts and users that
the run names become host1 and user1. All numbers and figures are those of the run.

What stays belongs to the program: names of kernels, of data and of source files,
marks, sizes, times. "dagscope query" shows them. "dagscope archive --anonymous"
does the same on the way to a page; "dagscope fxt strip" copies raw traces.`,
		Example: `  dagscope strip run.dsr -o to-share.dsr`,
		Args:    arguments("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := store.CheckTarget(out); err != nil {
				return err
			}
			run, err := stripped(args[0])
			if err != nil {
				return err
			}
			if err := store.Write(out, run, indexOf(run)); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", out, words.Plural(len(run.Task.Start), "task"))
			return err
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "run directory to write")
	cobra.CheckErr(cmd.MarkFlagRequired("output"))
	return cmd
}

// stripped is a run without its origin. Who strips is likely who recorded: the
// names of this user and host are taken out too.
func stripped(path string) (*trace.Run, error) {
	opened, err := openRun(path)
	if err != nil {
		return nil, err
	}
	run, err := opened.Load()
	if err != nil {
		return nil, err
	}
	var names []string
	if host, err := os.Hostname(); err == nil {
		names = append(names, host)
	}
	if me, err := user.Current(); err == nil {
		names = append(names, me.Username)
	}
	return run, anonymous.Strip(run, names...)
}
