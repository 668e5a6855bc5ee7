package read

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dagscope/internal/text"
	"dagscope/read/assemble"
	"dagscope/read/format"
	"dagscope/read/fxt"
	"dagscope/read/starpu"
	"dagscope/read/starvz"
	"dagscope/trace"
)

// A run of StarPU comes in three formats, which may lie side by side: the raw
// traces that it writes, the files that starpu_fxt_tool makes of them, and CSV
// files that pj_dump and rec2csv make of these. In a directory, the files of
// starpu_fxt_tool win over the CSV files, and both over the raw traces: somebody
// has converted these on purpose, and may have changed the result. Without a
// Pajé trace nothing of theirs is more than the raw traces say. What describes
// the machine is read with each.
//
// That is why their rows of the table are here and not with their readers, which
// do not know each other.

// Formats of a run of StarPU.
const (
	FxT    = "fxt"    // binary traces, prof_file_*
	StarPU = "starpu" // files of starpu_fxt_tool; generic Pajé traces too
	StarVZ = "starvz" // CSV files of pj_dump and rec2csv
)

// raw is the row of raw traces that nothing was made of.
func (s *starpuSources) raw() format.Format {
	return format.Format{
		Name: FxT, Holds: "raw traces", File: "a raw trace of StarPU (prof_file_*)", Directory: "prof_file_*",
		Finds: func(in *format.Input) bool {
			s.look(in)
			return len(s.traces.paths) > 0 && !s.below && !s.csv && !hasTrace(s.files)
		},
		Read: s.readRaw, TimesIn: "nanoseconds", StarPUVersions: true,
	}
}

// rawBelow is the row of raw traces in the folders of a directory that holds
// nothing else.
func (s *starpuSources) rawBelow() format.Format {
	f := s.raw()
	f.Finds = func(in *format.Input) bool {
		s.look(in)
		return s.below
	}
	return f
}

// converted is the row of the files of starpu_fxt_tool, and of Pajé traces.
func (s *starpuSources) converted() format.Format {
	return format.Format{
		Name: StarPU, Holds: "files of starpu_fxt_tool", File: "a Pajé trace, a .rec or .dot file of StarPU", Directory: "paje.trace, tasks.rec, dag.dot",
		Finds: func(in *format.Input) bool {
			s.look(in)
			if s.dir == "" {
				return s.known()
			}
			return hasTrace(s.files) || hasRun(s.files) && !s.csv
		},
		Read: s.readConverted,
	}
}

// tables is the row of the CSV files of StarVZ.
func (s *starpuSources) tables() format.Format {
	return format.Format{
		Name: StarVZ, Holds: "CSV files of StarPU", Directory: "paje.worker_state.csv",
		Finds: func(in *format.Input) bool {
			s.look(in)
			return s.csv
		},
		Read: s.readTables, TimesIn: "milliseconds",
	}
}

// starpuSources is what StarPU, and tools that convert its traces, left in the
// sources of an import.
type starpuSources struct {
	looked bool
	dir    string // "" if files are named
	csv    bool   // the directory has CSV files of StarVZ
	files  []starpu.File
	log    trace.Log // about the files of the directory
	traces rawTraces
	below  bool // the raw traces lie in folders of the directory, which has nothing else

	// Of named files:
	repeat  []string // of starpu_fxt_tool, but of no use
	unknown []string // of no known format
	err     error    // the first that cannot be read
}

// look finds out, once, what the sources hold.
func (s *starpuSources) look(in *format.Input) {
	if s.looked {
		return
	}
	s.looked = true
	dir, ok := in.Directory()
	if !ok {
		s.lookAtNamed(in.Paths)
		return
	}
	s.dir, s.csv = dir, starvz.Sniff(dir)
	if s.files, s.err = starpu.FindFiles(dir, &s.log); s.err != nil {
		s.err = fmt.Errorf("read %s: %w", dir, s.err)
	}
	if s.traces = findRaw(dir); len(s.traces.paths) == 0 && !s.csv && !hasRun(s.files) {
		s.traces = findRawBelow(dir)
		s.below = len(s.traces.paths) > 0
	}
}

// known reports whether any of the named files is StarPU's.
func (s *starpuSources) known() bool { return len(s.files)+len(s.traces.paths)+len(s.repeat) > 0 }

// lookAtNamed finds out what the named files are. A directory among them stands
// for the raw traces in it.
func (s *starpuSources) lookAtNamed(paths []string) {
	for _, path := range paths {
		found := []string{path}
		if isDirectory(path) {
			if found = RawTraces(path); len(found) == 0 {
				s.fail(directoryAmong(path, len(paths)))
			}
		}
		for _, file := range found {
			s.lookAt(file)
		}
	}
}

func (s *starpuSources) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// lookAt finds out what a named file is: by its name, otherwise by its content.
func (s *starpuSources) lookAt(path string) {
	if err := checkFile(path); err != nil {
		s.fail(err)
		return
	}
	f, known := starpu.Classify(path, nil)
	switch {
	case known:
		s.files = append(s.files, f)
		return
	case isRaw(path):
		s.traces.paths = append(s.traces.paths, path)
		return
	case starpu.Repeats(path):
		s.repeat = append(s.repeat, path)
		return
	}
	head, err := text.Head(path, starpu.HeadBytes)
	if err != nil {
		s.fail(fmt.Errorf("read: %w", err))
	} else if f, known = starpu.Classify(path, head); known {
		s.files = append(s.files, f)
	} else {
		s.unknown = append(s.unknown, path)
	}
}

// checkNamed makes sure that all named files can be read and are known.
func (s *starpuSources) checkNamed() error {
	if s.err != nil || len(s.unknown) == 0 {
		return s.err
	}
	return unknown(formats(), s.unknown)
}

// readRaw reads the raw traces and what describes the machine. Where the user
// says that there are raw traces, files of no known format are taken for such:
// reading says what is wrong with them.
func (s *starpuSources) readRaw(in *format.Input, o format.Options) (*trace.Run, error) {
	s.look(in)
	if s.dir == "" && o.Forced {
		s.traces.paths, s.unknown = append(s.traces.paths, s.unknown...), nil
	}
	switch err := s.checkNamed(); {
	case err != nil:
		return nil, err
	case len(s.traces.paths) > 0:
	case s.dir != "":
		return nil, fmt.Errorf("read %s: found no raw trace, wanted prof_file_USER_RANK (plain, .gz or .zst)", s.dir)
	default:
		return nil, fmt.Errorf("read %s: wanted raw traces (prof_file_USER_RANK), and at most files beside them", in.Paths[0])
	}
	for _, path := range s.repeat {
		s.traces.noteConverted(path)
	}
	p, err := s.traces.readWith(s.files, o)
	return assembled(p, err, in, o)
}

// readConverted reads the files of starpu_fxt_tool.
func (s *starpuSources) readConverted(in *format.Input, o format.Options) (*trace.Run, error) {
	s.look(in)
	if err := s.checkNamed(); err != nil {
		return nil, err
	}
	if s.dir == "" {
		if err := s.checkConverted(); err != nil {
			return nil, err
		}
		for _, path := range s.repeat {
			s.log.Add(trace.Info, filepath.Base(path), 0, "file-not-read", "the file repeats what the others say")
		}
	} else if !hasRun(s.files) {
		_, err := s.traces.beside(nil, nil, noTrace(formats(), s.dir))
		return nil, err
	}
	p, err := starpu.Read(s.files, s.log, o.TimeUnit, o.ProgressOf(sizeOf(s.files)))
	p, err = s.traces.beside(p, s.files, err)
	return assembled(p, err, in, o)
}

// checkConverted refuses named files none of which starpu_fxt_tool made, or none
// of any use.
func (s *starpuSources) checkConverted() error {
	switch {
	case len(s.files) > 0:
		return nil
	case len(s.traces.paths) > 0:
		return fmt.Errorf("read %s: found a raw trace of StarPU, wanted what starpu_fxt_tool makes of it (--as %s reads raw traces)", s.traces.paths[0], FxT)
	}
	return fmt.Errorf("read %s: found a file that repeats what others of starpu_fxt_tool say, wanted these: paje.trace, tasks.rec or dag.dot", s.repeat[0])
}

// readTables reads the CSV files of StarVZ.
func (s *starpuSources) readTables(in *format.Input, o format.Options) (*trace.Run, error) {
	s.look(in)
	if s.dir == "" {
		return nil, fmt.Errorf("read %s: found no directory, wanted one with the CSV files of StarVZ", in.Paths[0])
	}
	p, err := (*assemble.Parts)(nil), s.err
	switch {
	case err != nil:
		return nil, err
	case !s.csv:
		err = fmt.Errorf("read %s: found no paje.worker_state.csv, wanted the CSV files of StarVZ", s.dir)
	default:
		p, err = starvz.Read(s.dir, o.ProgressOf(format.Size(regularFiles(s.dir))))
	}
	p, err = s.traces.beside(p, s.files, err)
	return assembled(p, err, in, o)
}

// assembled makes a run of its pieces.
func assembled(p *assemble.Parts, err error, in *format.Input, o format.Options) (*trace.Run, error) {
	if err != nil {
		return nil, err
	}
	run, err := assemble.Assemble(p, assemble.Options{Generation: o.Generation})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", strings.Join(in.Paths, " "), err)
	}
	return run, nil
}

// sizeOf is how many stored bytes the files have.
func sizeOf(files []starpu.File) int64 {
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	return format.Size(paths)
}

// beside completes what reading the converted files gave by what is to be said
// of raw traces that lie beside them.
func (r *rawTraces) beside(p *assemble.Parts, files []starpu.File, err error) (*assemble.Parts, error) {
	switch {
	case len(r.paths) == 0:
	case err != nil:
		err = fmt.Errorf("%w (raw traces lie here too: --as fxt reads them)", err)
	default:
		name, n := filepath.Base(r.paths[0]), int64(len(r.paths))
		p.Log.AddN(trace.Info, name, 0, "raw-trace-beside", "the raw trace lies here too: the files made of it were read (--as fxt reads raw traces)", n)
		if path, ok := r.newerThan(files); ok {
			p.Log.Add(trace.Warning, filepath.Base(path), 0, "raw-trace-newer", "the raw trace was recorded after the Pajé trace here was written, which is another run's then: --as fxt reads the raw traces")
		}
	}
	return p, err
}

// newerThan finds a raw trace whose recording began after a Pajé trace was
// written, by the clock that the raw trace holds: copying makes files newer, not
// older.
func (r *rawTraces) newerThan(files []starpu.File) (path string, newer bool) {
	at := slices.IndexFunc(files, func(f starpu.File) bool { return f.Role() == "paje" })
	if at < 0 {
		return "", false
	}
	written, err := os.Stat(files[at].Path)
	if err != nil {
		return "", false
	}
	for _, path := range r.paths {
		if recorded(path).After(written.ModTime()) {
			return path, true
		}
	}
	return "", false
}

// recorded is when the recording of a raw trace began, the zero time if that is
// not known.
func recorded(path string) time.Time {
	f, err := fxt.Open(path)
	if err != nil {
		return time.Time{}
	}
	defer f.Close()
	stop := errors.New("the header is read")
	if err := f.Each(func(*fxt.Event) error { return stop }); err == nil || errors.Is(err, stop) {
		return f.Header().Start
	}
	return time.Time{} // what is wrong is nothing to those who read the converted files
}

// isRun reports whether a file of this role says something about a run (a
// machine model alone does not).
func isRun(role string) bool { return role != "platform" && role != "model" }

// hasRun reports whether files of a run are among these.
func hasRun(files []starpu.File) bool {
	return slices.ContainsFunc(files, func(f starpu.File) bool { return isRun(f.Role()) })
}

// hasTrace reports whether a Pajé trace of StarPU is among the files.
func hasTrace(files []starpu.File) bool {
	return slices.ContainsFunc(files, func(f starpu.File) bool { return f.Role() == "paje" && f.OfStarPU() })
}
