package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"dagscope/internal/words"
	"dagscope/read/ompt"
	"dagscope/read/ompt/dsom"

	"github.com/spf13/cobra"
)

func newOmpt() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ompt",
		Short: "Look into the files of the OpenMP recorder",
		Long: `Look into the files that "dagscope record" or its recorder write (.dsom): as
text, from text, and whether they are what docs/ompt-format.md says.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("found no job, want dump, pack or check")
			}
			return fmt.Errorf("found unknown job %q, want dump, pack or check", args[0])
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, job := range []*cobra.Command{newOmptDump(), newOmptPack(), newOmptCheck()} {
		asVerb(job)
		cmd.AddCommand(job)
	}
	return cmd
}

func newOmptDump() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "dump FILE…",
		Short: "Write recorded events as text, one per line",
		Long: `Write the events of recorder's files in the plain event form
(docs/ompt-events.md), in order of time; time 0 is the first event. The files of
several processes, or a directory of them, are merged on one clock.`,
		Args: someArguments("FILE…"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return dump(raw(cmd.OutOrStdout()), cmd.ErrOrStderr(), args)
			}
			if err := refuseInput(out, args); err != nil {
				return err
			}
			return writeFile(out, func(w io.Writer) error { return dump(w, cmd.ErrOrStderr(), args) })
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "`FILE` to write instead of standard output")
	return cmd
}

// someArguments wants one argument or more.
func someArguments(name string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("found no argument, want %s", name)
		}
		return nil
	}
}

func dump(w, errs io.Writer, paths []string) error {
	problems, more, err := ompt.Dump(w, paths)
	if err != nil {
		return err
	}
	warn(errs, problems, more)
	return nil
}

// warn says what of a recording could not be used.
func warn(errs io.Writer, problems []dsom.Problem, more int) {
	for _, p := range problems {
		fmt.Fprintf(errs, "dagscope: %s\n", problemLine(p))
	}
	if more > 0 {
		fmt.Fprintf(errs, "dagscope: and %s more\n", words.Plural(more, "problem"))
	}
}

func problemLine(p dsom.Problem) string {
	if p.Path == "" {
		return p.Text
	}
	return fmt.Sprintf("%s: byte %d: %s", p.Path, p.Offset, p.Text)
}

func newOmptPack() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "pack FILE -o FILE.dsom",
		Short: "Write events given as text as a recorder's file",
		Long: `Write a file in the plain event form (docs/ompt-events.md; plain, .gz or .zst)
as a recorder's file (.dsom). Events that the recorder does not know (locks,
the runtime's own edges) are left out.`,
		Args: arguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				out = packName(args[0])
			}
			packed, left, err := packFile(args[0], out)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, %s left out, %s bytes\n",
				out, words.Plural(packed.Events, "event"), words.Count(left), words.Count(packed.Bytes))
			return err
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "`FILE` to write (default: name of the events with .dsom, here)")
	return cmd
}

func packName(events string) string {
	name := filepath.Base(events)
	for _, suffix := range []string{".gz", ".zst", ".csv"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name + dsom.Suffix
}

// packFile packs a text; left counts lines and events without a place in the
// file.
func packFile(in, out string) (packed dsom.Packed, left int64, err error) {
	err = writeFile(out, func(w io.Writer) error {
		file, ok := w.(io.WriterAt)
		if !ok {
			return errors.New("found no file to write into")
		}
		packed, left, err = ompt.Pack(in, file)
		return err
	})
	return packed, left, err
}

func newOmptCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE…",
		Short: "Hold recorder's files against their format",
		Long: `Read recorder's files (.dsom) from end to end and say, with the byte where it
stands, what docs/ompt-format.md does not allow. The exit code is 1 if there is
anything. A program that was killed is no fault: its file just ends.`,
		Args: someArguments("FILE…"),
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := dsom.Expand(args)
			if err != nil {
				return err
			}
			faults := 0
			for _, path := range files {
				c, err := dsom.Check(path)
				if err != nil {
					return err
				}
				faults += len(c.Problems) + c.More
				if err := writeChecked(cmd.OutOrStdout(), path, c); err != nil {
					return err
				}
			}
			if faults > 0 {
				return fmt.Errorf("found %s", words.Plural(faults, "fault"))
			}
			return nil
		},
	}
}

// endings say how a recording ended.
var endings = map[dsom.State]string{
	dsom.Broken: "killed or still running", dsom.Finalized: "finalised by the runtime",
	dsom.Exited: "the process exited", dsom.Ended: "ended by the program",
}

func writeChecked(w io.Writer, path string, c dsom.Checked) error {
	for _, p := range c.Problems {
		fmt.Fprintln(w, problemLine(p))
	}
	if c.More > 0 {
		fmt.Fprintf(w, "%s: and %s more\n", path, words.Plural(c.More, "fault"))
	}
	line := fmt.Sprintf("%s: %s of %s in %s; %s", path,
		words.Plural(c.Events, "event"), words.Plural(c.Threads, "thread"), words.Plural(c.Chunks, "chunk"), endings[c.Process.State])
	if c.Process.Ring {
		line += "; a ring"
	}
	if c.Process.Lost > 0 {
		line += fmt.Sprintf("; %s lost", words.Plural(c.Process.Lost, "event"))
	}
	_, err := fmt.Fprintln(w, line)
	return err
}
