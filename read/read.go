// Package read reads a run in whatever form the runtime left it: it finds out
// by content what the files are and hands them to the reader for that format.
package read

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"dagscope/internal/text"
	"dagscope/read/assemble"
	"dagscope/read/ompt"
	"dagscope/read/starpu"
	"dagscope/read/starvz"
	"dagscope/read/taskcsv"
	"dagscope/trace"
)

// Version is written into every run.
const Version = "0.1.0"

// Formats that Options.As may name.
const (
	FxT    = "fxt"    // binary traces of StarPU, prof_file_*
	StarPU = "starpu" // files of starpu_fxt_tool; generic Pajé traces too
	StarVZ = "starvz" // CSV files of pj_dump and rec2csv
	OMPT   = "ompt"   // events of an OpenMP program, recorded or in the plain form
	Tasks  = "tasks"  // a CSV file with a line for each task, docs/taskcsv.md
)

var formats = []string{FxT, StarPU, StarVZ, OMPT, Tasks}

// Options of an import. The zero value does what most users want.
type Options struct {
	// As forces a format instead of finding it out.
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
	// Progress, if set, is told stored bytes read and to be read.
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
	return run, nil
}

func readRun(paths []string, o Options) (*trace.Run, error) {
	if err := o.check(paths); err != nil {
		return nil, err
	}
	events, err := findEvents(paths, o)
	if err != nil {
		return nil, err
	}
	if len(events) > 0 {
		if err := o.noVersion(paths); err != nil {
			return nil, err
		}
		return ompt.Read(events, ompt.Options{Generation: generation(o.Generation), Progress: o.progressOf(ompt.Size(events))})
	}
	if isTasks(paths, o) {
		if err := o.noVersion(paths); err != nil {
			return nil, err
		}
		return taskcsv.Read(paths[0], taskcsv.Options{TimeUnit: o.TimeUnit, Generation: generation(o.Generation), Progress: o.progressOf(ompt.Size(paths))})
	}
	parts, err := readParts(paths, o)
	if err != nil {
		return nil, err
	}
	run, err := assemble.Assemble(parts, assemble.Options{Generation: generation(o.Generation)})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", strings.Join(paths, " "), err)
	}
	return run, nil
}

func (o *Options) check(paths []string) error {
	if len(paths) == 0 {
		return errors.New("found no source, wanted a file or a directory")
	}
	if o.As != "" && !slices.Contains(formats, o.As) {
		return fmt.Errorf("found format %q, wanted %s or %s", o.As, strings.Join(formats[:len(formats)-1], ", "), formats[len(formats)-1])
	}
	if o.As == Tasks && len(paths) > 1 {
		return fmt.Errorf("found %d files, wanted one CSV file of tasks", len(paths))
	}
	if _, ok := text.UnitOf(o.TimeUnit); !ok && o.TimeUnit != "" {
		return fmt.Errorf("found time unit %q, wanted ns, us, ms or s", o.TimeUnit)
	}
	return nil
}

// noVersion refuses a version of StarPU for what it never wrote.
func (o *Options) noVersion(paths []string) error {
	if o.StarPUVersion == "" {
		return nil
	}
	return fmt.Errorf("read %s: found version %q of StarPU, wanted none: it is for raw traces (prof_file_*) only", paths[0], o.StarPUVersion)
}

// findEvents lists the files of OpenMP events, none if the paths are another
// runtime's. In a directory where StarPU's files lie these win.
func findEvents(paths []string, o Options) (events []string, err error) {
	if o.As != "" && o.As != OMPT {
		return nil, nil
	}
	info, err := os.Stat(paths[0])
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	switch {
	case info.IsDir() && len(paths) == 1:
		if o.As == OMPT || !hasStarPU(paths[0]) {
			events, err = ompt.Find(paths[0])
		}
	default:
		events, err = eventFiles(paths)
	}
	if err == nil && o.As == OMPT && len(events) == 0 {
		err = fmt.Errorf("read %s: found no events, wanted the files of the recorder or events in the plain form", paths[0])
	}
	if err == nil && len(events) > 0 && o.TimeUnit != "" {
		err = fmt.Errorf("read %s: found time unit %q for events of OpenMP, wanted none: they are in nanoseconds", paths[0], o.TimeUnit)
	}
	return events, err
}

func hasStarPU(dir string) bool {
	files, err := starpu.FindFiles(dir, &trace.Log{})
	return starvz.Sniff(dir) || len(findRaw(dir).paths) > 0 || err == nil && hasRun(files)
}

// eventFiles are the paths if all are files of events.
func eventFiles(paths []string) ([]string, error) {
	for i, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			return nil, nil // what is wrong is said when it is read
		}
		head, err := text.Head(path, ompt.HeadBytes)
		if err != nil || !ompt.Is(head) {
			if i > 0 {
				return nil, fmt.Errorf("read %s: found another file beside events of OpenMP, wanted events only", path)
			}
			return nil, nil
		}
	}
	return paths, nil
}

// isTasks tells whether the source is a CSV file of tasks.
func isTasks(paths []string, o Options) bool {
	if o.As != "" || len(paths) != 1 {
		return o.As == Tasks
	}
	if info, err := os.Stat(paths[0]); err != nil || !info.Mode().IsRegular() {
		return false
	}
	head, err := text.Head(paths[0], taskcsv.HeadBytes)
	return err == nil && taskcsv.Is(head)
}

func generation(pattern string) string {
	switch pattern {
	case "":
		return trace.DefaultGeneration
	case "none":
		return ""
	}
	return pattern
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

func (o Options) progressOf(total int64) func(int64) {
	if o.Progress == nil {
		return nil
	}
	return func(done int64) { o.Progress(done, total) }
}
