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
	// Progress, if set, is told stored bytes read.
	Progress func(done int64)
}

// Is tells whether a file with this name and beginning holds OpenMP events.
func Is(head []byte) bool { return dsom.IsRecording(head) || csv.IsEvents(head) }

// HeadBytes are enough for [Is].
const HeadBytes = 4096

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
		if head, err := text.Head(path, HeadBytes); err == nil && csv.IsEvents(head) {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// Size is how many stored bytes files have.
func Size(paths []string) (n int64) {
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			n += info.Size()
		}
	}
	return n
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
		head, err := text.Head(path, HeadBytes)
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
