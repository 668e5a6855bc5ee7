// Package format is what the table of formats and the readers of trace files
// agree on: what a row of the table says, what a reader is given, and what it
// gives back.
//
// A reader is a package below read/ that declares a Format; the table in package
// read lists them all, in one line each. The table finds out which row is meant,
// refuses what the row does not take, and calls its Read. How a reader makes its
// run is its own affair: with a trace.Builder, by package assemble where the
// pieces of a run lie in several files, or by itself.
//
// The package knows no format, and does not keep the table.
package format

import (
	"fmt"
	"os"

	"dagscope/internal/text"
	"dagscope/trace"
)

// Format is a row of the table.
type Format struct {
	// Name is what users call the format: import --as NAME. Rows may share a
	// name: the same format, found elsewhere.
	Name string
	// Holds says what files of the format hold, for messages: "raw traces".
	Holds string
	// File and Directory are what users may name, for the message about sources
	// of no known format: "a Pajé trace"; "paje.trace". Both may be "".
	File, Directory string

	// Begins reports whether a named file that begins with head is of the
	// format. head is decompressed, without a byte order mark, and has HeadBytes
	// or the whole file. Content counts before names and directories: no row's
	// Finds is asked about a file that some row's Begins accepts.
	Begins func(head []byte) bool
	// Finds reports whether the sources are of the format by other signs: a
	// directory by the files in it, a file by its name.
	Finds func(in *Input) bool

	// Read reads the run. Its errors name the file. Either Read or Refuses is
	// set.
	Read func(in *Input, o Options) (*trace.Run, error)
	// Refuses is set for what is known and not read: what to do instead.
	Refuses string

	// TimesIn is the unit of the files' times, "nanoseconds"; an import that
	// sets a unit is refused. "" where users may say it (Options.TimeUnit).
	TimesIn string
	// StarPUVersions is set where Options.StarPUVersion means something.
	StarPUVersions bool
}

// HeadBytes is how much of a file Begins sees: comments may come first, and a
// header or the first record has to be whole.
const HeadBytes = 64 << 10

// Options are what a reader is given besides the sources.
type Options struct {
	// Generation is the regular expression of the kinds that prepare the input,
	// as trace.Builder.Finish and trace.Run.SetGeneration take it.
	Generation string
	// TimeUnit is that of times whose files do not say it: "ns", "us", "ms" or
	// "s" (text.UnitOf); "" is the format's usual one.
	TimeUnit string
	// StarPUVersion is the version of StarPU that wrote raw traces, "" if it is
	// to be found out.
	StarPUVersion string
	// Forced is set where the user named the format: nothing was recognised, and
	// the reader says what the sources lack.
	Forced bool
	// Progress, if set, is called with stored bytes read and to be read.
	Progress func(done, total int64)
}

// ProgressOf is what a reader of total stored bytes calls with those read so
// far, nil if nobody asks.
func (o *Options) ProgressOf(total int64) func(done int64) {
	if o.Progress == nil {
		return nil
	}
	return func(done int64) { o.Progress(done, total) }
}

// Input is what an import names: one directory, or one or more files. Files
// that cannot be read, and directories among several paths, are possible: Read
// says what is wrong.
type Input struct {
	Paths []string // at least one

	headRead bool
	head     []byte
	headErr  error
}

// Directory is the directory that is named, if one is and nothing else.
func (in *Input) Directory() (dir string, ok bool) {
	if len(in.Paths) > 1 {
		return "", false
	}
	info, err := os.Stat(in.Paths[0])
	return in.Paths[0], err == nil && info.IsDir()
}

// File is the file that is named; it is an error if several are. holds says what
// the file should hold.
func (in *Input) File(holds string) (path string, err error) {
	if len(in.Paths) > 1 {
		return "", fmt.Errorf("read %s: found %d sources, wanted one: %s", in.Paths[0], len(in.Paths), holds)
	}
	return in.Paths[0], nil
}

// Head is the beginning of the first file, as Format.Begins sees it; nil for
// what is not a regular file, for which reading might never end.
func (in *Input) Head() ([]byte, error) {
	if !in.headRead {
		in.headRead = true
		if info, err := os.Stat(in.Paths[0]); err == nil && info.Mode().IsRegular() {
			in.head, in.headErr = text.Head(in.Paths[0], HeadBytes)
		}
	}
	return in.head, in.headErr
}

// Size is how many stored bytes files have; those that are absent count for
// nothing.
func Size(paths []string) (n int64) {
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			n += info.Size()
		}
	}
	return n
}
