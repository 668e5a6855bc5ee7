package ingest

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dagscope/ingest/assemble"
	"dagscope/ingest/fxt"
	"dagscope/ingest/fxt/decode"
	"dagscope/ingest/ompt"
	"dagscope/ingest/starpu"
	"dagscope/ingest/text"
	"dagscope/trace"
)

// rawTraces are the binary traces that FxT writes for StarPU, a file for each
// process.
type rawTraces struct {
	paths []string // by rank
	log   trace.Log
}

// rawName is how StarPU calls its traces: prof_file_USER_RANK; the user may have
// no name.
var rawName = regexp.MustCompile(`^(prof_file_.*)_([0-9]+)$`)

// RawRun is what the names of the raw traces of one run have in common, and the
// rank that the name of one ends in: "prof_file_root" and 3 of
// "prof_file_root_3.zst". ok is false for other names.
func RawRun(path string) (run string, rank int, ok bool) {
	m := rawName.FindStringSubmatch(unpacked(path))
	if m == nil {
		return "", 0, false
	}
	rank, err := strconv.Atoi(m[2])
	return m[1], rank, err == nil
}

// unpacked is the name of a file without the suffix of its compression.
func unpacked(path string) string {
	name := filepath.Base(path)
	for _, suffix := range []string{".gz", ".zst", ".zstd"} {
		if s, ok := strings.CutSuffix(name, suffix); ok {
			return s
		}
	}
	return name
}

// isRaw tells whether a file is a raw trace, by its name or its beginning.
func isRaw(path string) bool {
	_, _, named := RawRun(path)
	return isRegular(path) && (named || beginsRaw(path))
}

func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// beginsRaw tells whether a file that no name tells of is a raw trace.
func beginsRaw(path string) bool {
	if _, known := starpu.Classify(path, nil); known {
		return false
	}
	head, err := text.Head(path, rawHead)
	return err == nil && fxt.Is(head, path)
}

// rawHead is how many bytes of a file tell whether it is a raw trace.
const rawHead = 64

// findRaw lists the raw traces in a directory, or in its folder fxt if none lie
// in it itself; by their names, by their beginnings if none has such a name.
func findRaw(dir string) (found rawTraces) {
	for _, in := range []string{dir, filepath.Join(dir, "fxt")} {
		all := regularFiles(in)
		found.paths = selected(all, func(path string) bool { _, _, named := RawRun(path); return named })
		if len(found.paths) == 0 {
			found.paths = selected(all, beginsRaw)
		}
		if len(found.paths) > 0 {
			break
		}
	}
	return found
}

// regularFiles are those of a directory; none if it cannot be read, which is
// said by whoever reads it.
func regularFiles(dir string) (paths []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); isRegular(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

func selected(paths []string, are func(path string) bool) (these []string) {
	for _, path := range paths {
		if are(path) {
			these = append(these, path)
		}
	}
	return these
}

// tidy keeps each trace once, in the order of ranks, and refuses traces of
// several runs.
func (r *rawTraces) tidy() error {
	slices.SortFunc(r.paths, byRank)
	r.paths = slices.Compact(r.paths)
	kept := r.paths[:0]
	for i, path := range r.paths {
		if i > 0 && unpacked(path) == unpacked(r.paths[i-1]) {
			r.log.Add(trace.Info, filepath.Base(path), 0, "second-form", "the file lies here plain and compressed: the first was read")
			continue
		}
		kept = append(kept, path)
	}
	r.paths = kept
	first, last := kept[0], kept[len(kept)-1]
	if runOf(first) != runOf(last) {
		return fmt.Errorf("read %s: found raw traces of several runs, %s and %s, wanted those of one", filepath.Dir(first), filepath.Base(first), filepath.Base(last))
	}
	return nil
}

// runOf is what the names of the files of a run have in common; the whole name
// where it is none of StarPU's.
func runOf(path string) string {
	if run, _, ok := RawRun(path); ok {
		return run
	}
	return unpacked(path)
}

// byRank orders the files of runs by run, then rank, then name.
func byRank(a, b string) int {
	_, first, _ := RawRun(a)
	_, second, _ := RawRun(b)
	return cmp.Or(cmp.Compare(runOf(a), runOf(b)), cmp.Compare(first, second), cmp.Compare(a, b))
}

// noteOthers logs traces of the same run that lie beside those that were named.
func (r *rawTraces) noteOthers() {
	run, _, named := RawRun(r.paths[0])
	if !named {
		return
	}
	beside := selected(regularFiles(filepath.Dir(r.paths[0])), func(path string) bool {
		other, _, ok := RawRun(path)
		return ok && other == run && !slices.ContainsFunc(r.paths, func(p string) bool { return unpacked(p) == unpacked(path) })
	})
	for _, path := range beside {
		r.log.Add(trace.Info, filepath.Base(path), 0, "rank-not-named", "the file lies beside the raw traces and was not named: not read")
	}
}

// read reads the traces and the files beside them that no trace replaces:
// descriptions of the machine, kernel models, an elimination tree.
func (r *rawTraces) read(beside []starpu.File, o Options) (*assemble.Parts, error) {
	if o.TimeUnit != "" {
		return nil, fmt.Errorf("read %s: found time unit %q for raw traces, wanted none: they are in nanoseconds", r.paths[0], o.TimeUnit)
	}
	if err := r.tidy(); err != nil {
		return nil, err
	}
	r.noteOthers()
	size := ompt.Size(r.paths)
	tell := o.progressOf(size + starpu.Size(beside))
	p, err := decode.Read(r.paths, decode.Options{Version: o.StarPUVersion, Progress: tell})
	if err != nil {
		return nil, err
	}
	p.Log.Join(&r.log)
	after := tell
	if tell != nil {
		after = func(done int64) { tell(size + done) }
	}
	return p, starpu.Add(p, beside, after)
}

// splitRaw parts the files of one run into raw traces and what may lie beside
// them; both are empty where no file is a raw trace. If they must be raw traces
// those are all that are nothing else by name.
func splitRaw(paths []string, must bool) (raw rawTraces, beside []starpu.File, err error) {
	var others []string
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			return raw, nil, fmt.Errorf("read: %w", err)
		}
		if _, known := starpu.Classify(path, nil); isRaw(path) || must && !known {
			raw.paths = append(raw.paths, path)
		} else {
			others = append(others, path)
		}
	}
	if len(raw.paths) == 0 && !must {
		return raw, nil, nil
	}
	for _, path := range others {
		f, ok := starpu.Classify(path, nil)
		if !ok || !besideRaw(f) {
			return raw, nil, fmt.Errorf("read %s: wanted raw traces (prof_file_USER_RANK), and at most files beside them that describe the machine, its kernels or an elimination tree", path)
		}
		beside = append(beside, f)
	}
	if len(raw.paths) == 0 {
		return raw, nil, fmt.Errorf("read %s: found no raw trace, wanted prof_file_USER_RANK", paths[0])
	}
	return raw, beside, nil
}

// besideRaw tells whether a file says what raw traces do not.
func besideRaw(f starpu.File) bool { return !isRun(f.Role()) || f.Role() == "tree" }
