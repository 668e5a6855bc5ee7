// Package ompt reads runs of OpenMP programs: the recorder's files, or events in
// the plain form that any other tool can write, one file per process.
package ompt

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"dagscope/internal/text"
	"dagscope/read/format"
	"dagscope/read/ompt/csv"
	"dagscope/read/ompt/dsom"
	"dagscope/read/ompt/event"
	"dagscope/read/ompt/internal/replay"
	"dagscope/trace"
)

// Options of [Read].
type Options struct {
	// Generation is as for [trace.Run.SetGeneration].
	Generation string
	// Progress, if set, is called with stored bytes read.
	Progress func(done int64)
}

// Format is the row of the table of formats.
func Format() format.Format {
	return format.Format{
		Name: "ompt", Holds: "events of OpenMP", File: "events of OpenMP (docs/ompt-events.md)", Directory: "*.dsom",
		Begins: Is, Finds: findsEvents, Read: read, TimesIn: "nanoseconds",
	}
}

// Is reports whether a file that begins so holds OpenMP events.
func Is(head []byte) bool { return dsom.IsRecording(head) || csv.IsEvents(head) }

// headBytes are enough for [Is].
const headBytes = 4096

// findsEvents reports whether a directory holds events. One that cannot be read
// counts: reading says what is wrong.
func findsEvents(in *format.Input) bool {
	dir, ok := in.Directory()
	if !ok {
		return false
	}
	paths, err := Find(dir)
	return err != nil || len(paths) > 0
}

// read reads the events that an import names.
func read(in *format.Input, o format.Options) (*trace.Run, error) {
	paths, err := eventFiles(in)
	if err != nil {
		return nil, err
	}
	return Read(paths, Options{Generation: o.Generation, Progress: o.ProgressOf(format.Size(paths))})
}

// eventFiles are the files of events in a directory, or the named files, all of
// which must be such.
func eventFiles(in *format.Input) ([]string, error) {
	if dir, ok := in.Directory(); ok {
		paths, err := Find(dir)
		if err == nil && len(paths) == 0 {
			err = noEvents(dir)
		}
		return paths, err
	}
	for i, path := range in.Paths {
		head, err := headOf(path)
		switch {
		case err != nil:
			return nil, err
		case Is(head):
		case i == 0:
			return nil, noEvents(path)
		default:
			return nil, fmt.Errorf("read %s: found another file beside events of OpenMP, wanted events only", path)
		}
	}
	return in.Paths, nil
}

func noEvents(path string) error {
	return fmt.Errorf("read %s: found no events, wanted the files of the recorder or events in the plain form", path)
}

// headOf is the beginning of a file, nil for what is none.
func headOf(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, nil
	}
	head, err := text.Head(path, headBytes)
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	return head, nil
}

// Find lists the files of a directory that hold OpenMP events: the recorder's,
// else those in the plain form.
func Find(dir string) (paths []string, err error) {
	if paths, err = dsom.Files(dir); len(paths) > 0 || err != nil {
		return paths, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read directory: %w", err)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !e.Type().IsRegular() {
			continue
		}
		if head, err := text.Head(path, headBytes); err == nil && csv.IsEvents(head) {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// Read reads one run from files that are all of one form.
func Read(paths []string, o Options) (*trace.Run, error) {
	r := &reader{o: o, tables: replay.NewTables()}
	recorded, err := areRecordings(paths)
	if err != nil {
		return nil, err
	}
	if recorded {
		err = r.recordings(paths)
	} else {
		err = r.texts(paths)
	}
	if err != nil {
		return nil, err
	}
	return r.finish()
}

func areRecordings(paths []string) (yes bool, err error) {
	for i, path := range paths {
		head, err := text.Head(path, headBytes)
		if err != nil {
			return false, fmt.Errorf("read: %w", err)
		}
		is := dsom.IsRecording(head)
		if i > 0 && is != yes {
			return false, fmt.Errorf("read %s: found files of the recorder beside others, wanted files of one form", path)
		}
		yes = is
	}
	return yes, nil
}

// reader reads the files of a run.
type reader struct {
	o           Options
	tables      *replay.Tables
	log         trace.Log
	account     trace.Account
	sources     []trace.Source
	done        int64 // stored bytes of the files before
	environment map[string]string
}

// texts reads files in the plain form, each one process.
func (r *reader) texts(paths []string) error {
	for i, path := range paths {
		if err := r.text(path, int32(i)); err != nil {
			return err
		}
	}
	if len(paths) > 1 {
		r.log.Add(trace.Warning, paths[0], 0, "clocks-not-compared",
			fmt.Sprintf("found %d files of events, wanted their times on one clock: taken as they are", len(paths)))
	}
	return nil
}

func (r *reader) text(path string, rank int32) error {
	in, err := text.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	if r.o.Progress != nil {
		in.Progress = func(n int64) { r.o.Progress(r.done + n) }
	}
	process := r.tables.Begin(replay.Process{Source: path, Rank: rank, Name: fmt.Sprintf("process %d", rank)})
	if err := csv.Read(in, &r.log, &r.account, process.Event); err != nil {
		return err
	}
	if line, message, missing := in.MissingEnd(); missing {
		r.log.Add(trace.Warning, path, line, "no-line-end", message)
	}
	process.End()
	source := trace.Source(in.Source("events"))
	r.done += source.Bytes
	r.sources = append(r.sources, source)
	return nil
}

// finish makes the run.
func (r *reader) finish() (*trace.Run, error) {
	run := r.tables.Run()
	r.log.Join(&run.Log)
	run.Log, run.Account = r.log, r.account
	run.Meta.Sources, run.Meta.Environment = r.sources, r.environment
	noteBinding(run)
	if err := run.SetGeneration(r.o.Generation); err != nil {
		return nil, err
	}
	if err := run.Validate(); err != nil {
		return nil, err
	}
	return run, nil
}

// accountEvents says what became of the events of a recording.
func (r *reader) accountEvents(source string, counts map[event.Type]int64) {
	var types []event.Type
	for t := range counts {
		types = append(types, t)
	}
	slices.SortFunc(types, func(a, b event.Type) int { return cmp.Compare(a, b) })
	for _, t := range types {
		r.account.Add(source, t.String(), csv.TableOf(t), counts[t])
	}
}
