package ingest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"dagscope/ingest/assemble"
	"dagscope/ingest/starpu"
	"dagscope/ingest/starvz"
	"dagscope/trace"
)

// readDirectory reads a directory as the runtime left it. Where several forms
// of a run lie there, the files of starpu_fxt_tool win over CSV files made of
// them, and both over the raw traces that they were made of: somebody has
// converted these on purpose, and may have changed the result. Without a Pajé
// trace nothing of theirs is more than the raw traces say.
func readDirectory(dir string, o Options) (*assemble.Parts, error) {
	var log trace.Log
	csv, raw := starvz.Sniff(dir), findRaw(dir)
	files, err := starpu.FindFiles(dir, &log)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	if o.As == FxT || o.As == "" && len(raw.paths) > 0 && !csv && !hasTrace(files) {
		return readRawDirectory(dir, raw, files, o)
	}
	if err := o.noVersion([]string{dir}); err != nil {
		return nil, err
	}
	p, err := readConverted(dir, csv, files, log, o)
	switch {
	case len(raw.paths) == 0:
	case err != nil:
		err = fmt.Errorf("%w (raw traces lie here too: --as fxt reads them)", err)
	default:
		p.Log.AddN(trace.Info, filepath.Base(raw.paths[0]), 0, "raw-trace-beside", "the raw trace lies here too: the files made of it were read (--as fxt reads raw traces)", int64(len(raw.paths)))
	}
	return p, err
}

// readConverted reads the files of starpu_fxt_tool in a directory, or the CSV
// files made of them.
func readConverted(dir string, csv bool, files []starpu.File, log trace.Log, o Options) (*assemble.Parts, error) {
	native := slices.ContainsFunc(files, func(f starpu.File) bool { return isRun(f.Role()) })
	switch {
	case o.As == StarVZ && !csv:
		return nil, fmt.Errorf("read %s: found no paje.worker_state.csv, wanted the CSV files of StarVZ", dir)
	case o.As == StarVZ, csv && o.As == "" && !hasTrace(files):
		if o.TimeUnit != "" {
			return nil, fmt.Errorf("read %s: found time unit %q for CSV files of StarPU, wanted none: they are in milliseconds", dir, o.TimeUnit)
		}
		return starvz.Read(dir, o.progressOf(directorySize(dir)))
	case native:
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
	var beside []starpu.File
	for _, f := range files {
		if besideRaw(f) {
			beside = append(beside, f)
			continue
		}
		raw.log.Add(trace.Info, filepath.Base(f.Path), 0, "converted-not-read", "the file was made of the raw traces, which were read")
	}
	return raw.read(beside, o)
}

// isRun tells whether a file of this role says something about a run (a
// machine model alone does not).
func isRun(role string) bool { return role != "platform" && role != "model" }

func hasTrace(files []starpu.File) bool {
	return slices.ContainsFunc(files, func(f starpu.File) bool { return f.Role() == "paje" })
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
