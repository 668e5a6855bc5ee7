// Package cli is the command line: one file per verb, which parses flags,
// calls the packages that do the work and prints what they return. Root.go has
// the list of verbs.
//
// Standard output is only the answer; progress and errors go to standard
// error. The exit code is 0 when done, 1 when it could not be done (with one
// line that says why), 2 for wrong usage.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// Exit codes.
const (
	exitDone  = 0
	exitError = 1
	exitUsage = 2
)

// jobs group the verbs in the help by what people come for; a verb is a
// constructor named in one of these lines.
var jobs = []struct {
	id, title string
	verbs     []func() *cobra.Command
}{
	{"read", "Read it:", []func() *cobra.Command{newImport, newRecord, newOmpt, newFxt, newStrip}},
	{"report", "Understand it:", []func() *cobra.Command{newReport, newCompare}},
	{"look", "Look into a run:", []func() *cobra.Command{newInfo, newInspect, newData, newQuery}},
	{"draw", "Draw it:", []func() *cobra.Command{newPlot, newHeatmap, newServe, newArchive}},
	{"predict", "Predict:", []func() *cobra.Command{newSimulate, newWhatIf, newScale, newSweep, newCalibrate, newSparse}},
	{"program", "Know the program:", []func() *cobra.Command{newLicenses}},
}

// Main runs the command line and returns the exit code.
func Main(args []string, in io.Reader, stdout, stderr io.Writer) int {
	out, errs := &terminal{w: stdout}, &terminal{w: stderr}
	defer out.end()
	defer errs.end()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := newRoot()
	root.SetArgs(args)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		// The flags of an unknown verb are not what is wrong.
		if cmd == root && len(args) > 0 && !strings.HasPrefix(args[0], "-") {
			return unknownVerb(root, args[0])
		}
		return err
	})
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errs)
	code := make(chan int, 1)
	go func() {
		verb, err := root.ExecuteContextC(ctx)
		code <- reportError(errs, verb, err)
	}()
	select {
	case c := <-code:
		return c
	case <-ctx.Done():
	}
	select {
	case c := <-code:
		return c
	case <-time.After(patience):
		return reportError(errs, root, failure{errors.New("interrupted")})
	}
}

// patience is how long an interrupted verb may take to come to an end, which
// leaves less behind than ending it.
const patience = 2 * time.Second

// Command is the whole command line, for programs that describe it.
func Command() *cobra.Command { return newRoot() }

// Version is that of the program.
func Version() string { return version }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "dagscope VERB",
		Short: "See where the time of a task-based program went",
		Long: `dagscope reads traces of task-based programs (StarPU and other Pajé traces),
keeps them as run directories (NAME.dsr) and says where their time went.

RUN is a run directory, or a trace as the runtime left it.`,
		Version:       versionLine(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return unknownVerb(cmd, args[0])
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SuggestionsMinimumDistance = 2
	// The usage line of the root names the verb already.
	root.SetUsageTemplate(strings.NewReplacer("\n  {{.CommandPath}} [command]", "", "[command]", "VERB", "Additional Commands", "Else").Replace(root.UsageTemplate()))
	root.SetVersionTemplate("{{.Version}}\n")
	for _, j := range jobs {
		root.AddGroup(&cobra.Group{ID: j.id, Title: j.title})
		for _, newVerb := range j.verbs {
			addVerb(root, j.id, newVerb())
		}
	}
	return root
}

func addVerb(root *cobra.Command, group string, verb *cobra.Command) {
	verb.GroupID = group
	asVerb(verb)
	root.AddCommand(verb)
}

// asVerb marks errors that come out of a verb's work as failures; all others
// (flags, arguments) are wrong usage.
func asVerb(verb *cobra.Command) {
	work := verb.RunE
	verb.RunE = func(cmd *cobra.Command, args []string) error {
		err := work(cmd, args)
		if wrong := (usageError{}); err == nil || errors.As(err, &wrong) {
			return err
		}
		return failure{err}
	}
}

// failure is an error of a verb that was called rightly.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// usageError is wrong usage that only the verb can see, such as flags that
// exclude each other.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// reportError prints an error as one line and says what to exit with.
func reportError(w io.Writer, verb *cobra.Command, err error) int {
	if err == nil {
		return exitDone
	}
	program := programFailed{}
	if errors.As(err, &program) && program.err == nil {
		return program.code // it has said itself what was wrong
	}
	line := strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
	fmt.Fprintf(w, "%s: %s\n", verb.CommandPath(), line)
	if program.err != nil {
		return program.code
	}
	if failed := (failure{}); errors.As(err, &failed) {
		return exitError
	}
	fmt.Fprintf(w, "usage: %s\nmore: %s --help\n", verb.UseLine(), verb.CommandPath())
	return exitUsage
}

func unknownVerb(root *cobra.Command, name string) error {
	hint := ""
	if near := root.SuggestionsFor(name); len(near) > 0 {
		hint = ", did you mean " + strings.Join(near, " or ") + "?"
	}
	return fmt.Errorf("found unknown verb %q%s", name, hint)
}

// arguments checks the number of arguments against their names in the usage
// line: "RUN SQL" wants two.
func arguments(names string) cobra.PositionalArgs {
	want := len(strings.Fields(names))
	return func(_ *cobra.Command, args []string) error {
		if len(args) != want {
			return fmt.Errorf("found %d arguments, want %s%s", len(args), names, ofRanks(args))
		}
		return nil
	}
}

// argumentsFrom wants the named arguments and takes more of the last kind.
func argumentsFrom(names, more string) cobra.PositionalArgs {
	want := len(strings.Fields(names))
	return func(_ *cobra.Command, args []string) error {
		if len(args) < want {
			return fmt.Errorf("found %d arguments, want %s, and %s for more", len(args), names, more)
		}
		return nil
	}
}

// Set by the linker where make knows them (Makefile), which builds without the
// stamp of the version-control state.
var commit, date string

// versionLine names the version, the commit that it was built from with its
// date, and the Go release that built it.
func versionLine() string {
	commit, date := commit, date
	if info, ok := debug.ReadBuildInfo(); ok && commit == "" {
		commit, date = stamped(info.Settings)
	}
	return fmt.Sprintf("dagscope %s (commit %s, %s, %s %s/%s)", version, cmp.Or(commit, "unknown"), cmp.Or(date, "date unknown"),
		runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// stamped is the commit that the go tool recorded, and the day of it.
func stamped(settings []debug.BuildSetting) (commit, date string) {
	value := map[string]string{}
	for _, s := range settings {
		value[s.Key] = s.Value
	}
	commit = value["vcs.revision"]
	commit = commit[:min(12, len(commit))]
	if value["vcs.modified"] == "true" {
		commit += "-dirty"
	}
	date, _, _ = strings.Cut(value["vcs.time"], "T")
	return commit, date
}

// buildIdentity tells this program from others of its version: by the file that
// it is run from, since builds of changed sources have the revision of the
// unchanged ones.
func buildIdentity() string {
	path, err := os.Executable()
	if err != nil {
		return versionLine()
	}
	file, err := os.Stat(path)
	if err != nil {
		return versionLine()
	}
	return fmt.Sprintf("%s, %d bytes of %d", versionLine(), file.Size(), file.ModTime().UnixNano())
}
