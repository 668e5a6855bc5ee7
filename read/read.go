// Package read reads a run in whatever format the runtime left it.
//
// The problem: traces come as one file, as a file for each rank, or as a
// directory where several formats of one run may lie side by side, under usual
// or unusual names, plain or compressed.
//
// The approach: a table has a row for each format (formats.go). The first row
// that recognises the sources, by content, otherwise by names, reads them; a
// user may name the format instead. Each reader is a package below this one and
// declares its row (package read/format says what that holds); only the three
// formats of StarPU's runs (fxt, starpu and starvz), which lie side by side, have
// theirs here (starpurun.go). Every reader gives a trace.Run with an import log
// and an account of its lines.
//
// It does not analyse runs, and writes nothing: package trace/store does.
package read

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dagscope/internal/text"
	"dagscope/internal/words"
	"dagscope/read/format"
	"dagscope/trace"
)

// Version is written into every run. Releases set it by the linker (Makefile).
var Version = "0.1.0"

// Options of an import. The zero value does what most users want.
type Options struct {
	// As names the format (Formats lists them) instead of finding it out.
	As string
	// Generation is the regular expression of kinds that prepare the input;
	// "" means trace.DefaultGeneration, "none" none.
	Generation string
	// TimeUnit is that of a Pajé trace, "ns", "us", "ms" or "s"; "" means
	// milliseconds, as StarPU writes them, and a note in the log for traces of
	// other programs. Of a CSV file of tasks it is that of times whose columns
	// do not name theirs; "" means seconds.
	TimeUnit string
	// StarPUVersion is the version of StarPU that wrote raw traces, "1.3"; ""
	// finds it out.
	StarPUVersion string
	// Strict makes warnings and errors of the import log fail the import.
	Strict bool
	// Command is the command line to record.
	Command []string
	// Progress, if set, is called with stored bytes read and to be read.
	Progress func(done, total int64)
}

// Read reads one run from a file or a directory.
func Read(path string, o Options) (*trace.Run, error) { return ReadSet([]string{path}, o) }

// ReadSet reads one run from several files, or one directory.
func ReadSet(paths []string, o Options) (*trace.Run, error) {
	run, err := readRun(paths, o)
	if err != nil {
		return nil, err
	}
	run.Meta.ToolVersion, run.Meta.Command = Version, o.Command
	if o.Strict {
		if err := strict(run); err != nil {
			return nil, fmt.Errorf("read %s: %w", strings.Join(paths, " "), err)
		}
	}
	if err := checkTasks(run, paths); err != nil {
		return nil, err
	}
	return run, nil
}

func readRun(paths []string, o Options) (*trace.Run, error) {
	if err := o.check(paths); err != nil {
		return nil, err
	}
	in := &format.Input{Paths: paths}
	f, err := o.formatOf(in)
	if err != nil {
		return nil, err
	}
	if err := o.refused(f, paths[0]); err != nil {
		return nil, err
	}
	run, err := f.Read(in, format.Options{
		Generation: o.generation(), TimeUnit: o.TimeUnit, StarPUVersion: o.StarPUVersion, Forced: o.As != "", Progress: o.Progress,
	})
	if err != nil {
		return nil, err
	}
	noteEmpty(run)
	return run, nil
}

// noteEmpty logs files of which nothing but blank lines and comments went into the
// account. Where one node or no data took part, StarPU leaves such files itself.
func noteEmpty(run *trace.Run) {
	known := map[string]bool{}
	for i := range run.Account.Lines {
		if what := run.Account.Record.At(i); what != "blank" && what != "comment" {
			known[filepath.Base(run.Account.Source.At(i))] = true
		}
	}
	for i := range run.Log.Count {
		known[filepath.Base(run.Log.Source.At(i))] = true
	}
	for _, s := range run.Meta.Sources {
		name := filepath.Base(s.Path)
		if known[name] || s.Role == "unused" {
			continue
		}
		severity := trace.Warning
		if s.Role == "comms" && nodes(run) < 2 || s.Role == "data" && rows(run, "handle") == 0 {
			severity = trace.Info
		}
		run.Log.Add(severity, name, 0, "empty-file", fmt.Sprintf("found nothing in a file of %d bytes: it may be cut off", s.Bytes))
	}
}

// rows is how many rows a table has.
func rows(run *trace.Run, name string) int {
	t, _ := run.Table(name)
	return t.Rows()
}

// generic reports whether containers of some other program were traced, not the
// workers of a runtime.
func generic(run *trace.Run) bool {
	for i := range run.Resource.Level.Index {
		switch run.Resource.Level.At(i) {
		case trace.LevelCluster, trace.LevelNode, trace.LevelOther:
		default:
			return false
		}
	}
	return true
}

// nodes is how many nodes took part.
func nodes(run *trace.Run) (n int) {
	for i := range run.Resource.Level.Index {
		if run.Resource.Level.At(i) == trace.LevelNode {
			n++
		}
	}
	return n
}

// cutShort are what the import log has of recordings that are sound and do not go to
// the program's end: what they hold is so.
var cutShort = []string{"recording-not-ended", "recording-is-a-ring", "events-lost"}

// checkTasks is an error for a run without a counted task: every number and every
// figure would be of nothing. Pajé traces of other programs have states instead, and
// OpenMP programs without explicit tasks the threads of their teams, if nothing of
// their recording is damaged.
func checkTasks(run *trace.Run, paths []string) error {
	if rows(run, "state") > 0 && generic(run) {
		return nil
	}
	left, teams := 0, false
	for i, start := range run.Task.Start {
		if run.Task.Counted(i) {
			return nil
		}
		left++
		teams = teams || run.Meta.Lifetimes && start != trace.NoTime
	}
	damaged := -1
	for i := range run.Log.Count {
		if run.Log.Severity.At(i) != string(trace.Info) && !slices.Contains(cutShort, run.Log.Code.At(i)) {
			damaged = i
			break
		}
	}
	if teams && damaged < 0 {
		return nil
	}
	found := "no task"
	if left > 0 {
		found = fmt.Sprintf("%s, none of which counts: they prepare the input (--generation none counts them), are internal or never ran", words.Plural(left, "task"))
	}
	why := ""
	if l := &run.Log; damaged >= 0 {
		why = fmt.Sprintf("; %s: %s", cmp.Or(l.Source.At(damaged), l.Code.At(damaged)), cmp.Or(l.Message.At(damaged), l.Code.At(damaged)))
	}
	return fmt.Errorf("read %s: found %s, wanted at least one that ran%s", strings.Join(paths, " "), found, why)
}

// check refuses options that mean nothing whatever the sources are.
func (o *Options) check(paths []string) error {
	if len(paths) == 0 {
		return errors.New("found no source, wanted a file or a directory")
	}
	if _, ok := text.UnitOf(o.TimeUnit); !ok && o.TimeUnit != "" {
		return fmt.Errorf("found time unit %q, wanted ns, us, ms or s", o.TimeUnit)
	}
	return nil
}

// formatOf is the format that the user named, or that is recognised.
func (o *Options) formatOf(in *format.Input) (*format.Format, error) {
	rows := formats()
	var f *format.Format
	if o.As != "" {
		var err error
		if f, err = named(rows, o.As); err != nil {
			return nil, err
		}
	}
	if _, err := os.Stat(in.Paths[0]); err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	if f != nil {
		return f, nil
	}
	return recognise(rows, in)
}

// refused is the error of sources that are not read, or not with these options.
func (o *Options) refused(f *format.Format, path string) error {
	switch {
	case f.Refuses != "":
		return fmt.Errorf("read %s: found %s, wanted a trace: %s", path, f.Holds, f.Refuses)
	case o.StarPUVersion != "" && !f.StarPUVersions:
		return fmt.Errorf("read %s: found version %q of StarPU, wanted none: it is for raw traces (prof_file_*) only", path, o.StarPUVersion)
	case o.TimeUnit != "" && f.TimesIn != "":
		return fmt.Errorf("read %s: found time unit %q for %s, wanted none: they are in %s", path, o.TimeUnit, f.Holds, f.TimesIn)
	}
	return nil
}

// generation is the pattern of the kinds that prepare the input.
func (o *Options) generation() string {
	if o.Generation == "" {
		return trace.DefaultGeneration
	}
	return o.Generation
}

// strict turns the first warning or error of the log into an error.
func strict(run *trace.Run) error {
	l := &run.Log
	for i, n := range l.Count {
		if s := trace.Severity(l.Severity.At(i)); s != trace.Info {
			return fmt.Errorf("strict: %s %s (%d times), first in %s line %d: %s",
				s, l.Code.At(i), n, l.Source.At(i), l.Position[i], l.Message.At(i))
		}
	}
	return nil
}
