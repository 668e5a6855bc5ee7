package read

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"dagscope/read/assemble"
	"dagscope/read/fxt"
	"dagscope/read/starpu"
	"dagscope/read/starvz"
	"dagscope/trace"
)

// readDirectory reads a directory as the runtime left it. Where several forms
// of a run lie there, the files of starpu_fxt_tool win over CSV files made of
// them, and both over the raw traces that they were made of: somebody has
// converted these on purpose, and may have changed the result. Without a Pajé
// trace nothing of theirs is more than the raw traces say.
func readDirectory(dir string, o Options) (*assemble.Parts, error) {
	var log trace.Log
	csv := starvz.Sniff(dir)
	files, err := starpu.FindFiles(dir, &log)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	raw := findRaw(dir)
	if len(raw.paths) == 0 && !csv && !hasRun(files) {
		raw = findRawBelow(dir)
	}
	if o.As == FxT || o.As == "" && len(raw.paths) > 0 && !csv && !hasTrace(files) {
		return readRawDirectory(dir, raw, files, o)
	}
	if err := o.noVersion([]string{dir}); err != nil {
		return nil, err
	}
	p, err := readConverted(dir, csv, files, log, o)
	return raw.beside(p, files, err)
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

// readConverted reads the files of starpu_fxt_tool in a directory, or the CSV
// files made of them.
func readConverted(dir string, csv bool, files []starpu.File, log trace.Log, o Options) (*assemble.Parts, error) {
	switch {
	case o.As == StarVZ && !csv:
		return nil, fmt.Errorf("read %s: found no paje.worker_state.csv, wanted the CSV files of StarVZ", dir)
	case o.As == StarVZ, csv && o.As == "" && !hasTrace(files):
		if o.TimeUnit != "" {
			return nil, fmt.Errorf("read %s: found time unit %q for CSV files of StarPU, wanted none: they are in milliseconds", dir, o.TimeUnit)
		}
		return starvz.Read(dir, o.progressOf(directorySize(dir)))
	case hasRun(files):
		return starpu.Read(files, log, o.TimeUnit, o.progressOf(starpu.Size(files)))
	}
	return nil, fmt.Errorf("read %s: found no trace: wanted prof_file_*, paje.trace, tasks.rec or dag.dot (plain, .gz or .zst), or paje.worker_state.csv", dir)
}

// readRawDirectory reads the raw traces of a directory and what describes the
// machine there.
func readRawDirectory(dir string, raw rawTraces, files []starpu.File, o Options) (*assemble.Parts, error) {
	if len(raw.paths) == 0 {
		return nil, fmt.Errorf("read %s: found no raw trace, wanted prof_file_USER_RANK (plain, .gz or .zst)", dir)
	}
	return raw.readWith(files, o)
}

// isRun tells whether a file of this role says something about a run (a
// machine model alone does not).
func isRun(role string) bool { return role != "platform" && role != "model" }

// hasRun tells whether files of a run are among these.
func hasRun(files []starpu.File) bool {
	return slices.ContainsFunc(files, func(f starpu.File) bool { return isRun(f.Role()) })
}

// hasTrace tells whether a Pajé trace of StarPU is among the files.
func hasTrace(files []starpu.File) bool {
	return slices.ContainsFunc(files, func(f starpu.File) bool { return f.Role() == "paje" && f.OfStarPU() })
}

func directorySize(dir string) (n int64) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0
	}
	for _, e := range entries {
		if info, err := os.Stat(filepath.Join(dir, e.Name())); err == nil && info.Mode()&fs.ModeType == 0 {
			n += info.Size()
		}
	}
	return n
}
