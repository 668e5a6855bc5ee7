package read

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"dagscope/internal/text"
	"dagscope/read/assemble"
	"dagscope/read/format"
	"dagscope/read/fxt"
	"dagscope/read/fxt/decode"
	"dagscope/read/starpu"
	"dagscope/trace"
)

// rawTraces are the binary traces that FxT writes for StarPU, a file for each
// process.
type rawTraces struct {
	paths []string // by rank
	log   trace.Log
}

// rawName is how StarPU calls its traces: prof_file_USER_RANK; the user may have
// no name. numbered is how it calls them if it is given another word for what
// comes before the rank (STARPU_FXT_SUFFIX).
var (
	rawName  = regexp.MustCompile(`^(prof_file_.*)_([0-9]+)$`)
	numbered = regexp.MustCompile(`^(.+)_([0-9]+)$`)
)

// RawRun is what the names of the raw traces of one run have in common, and the
// rank that the name of one ends in: "prof_file_root" and 3 of
// "prof_file_root_3.zst", "lu" and 3 of "lu_3" if that is a raw trace. ok is
// false for other files.
func RawRun(path string) (run string, rank int, ok bool) {
	if run, rank, ok = rankOf(path, rawName); ok {
		return run, rank, true
	}
	if run, rank, ok = rankOf(path, numbered); ok && isRegular(path) && beginsRaw(path) {
		return run, rank, true
	}
	return "", 0, false
}

// rankOf parts a name into that of the run and the rank.
func rankOf(path string, name *regexp.Regexp) (run string, rank int, ok bool) {
	m := name.FindStringSubmatch(unpacked(path))
	if m == nil {
		return "", 0, false
	}
	rank, err := strconv.Atoi(m[2])
	return m[1], rank, err == nil
}

// rawNamed reports whether a file has the name of a raw trace.
func rawNamed(path string) bool { return rawName.MatchString(unpacked(path)) }

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

// isRaw reports whether a file is a raw trace, by its name or its beginning.
func isRaw(path string) bool {
	return isRegular(path) && (rawNamed(path) || beginsRaw(path))
}

func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// beginsRaw reports whether a file that no name tells of is a raw trace.
func beginsRaw(path string) bool {
	if _, known := starpu.Classify(path, nil); known {
		return false
	}
	head, err := text.Head(path, rawHead)
	return err == nil && fxt.Is(head)
}

// rawHead is how many bytes of a file tell whether it is a raw trace.
const rawHead = 64

// findRaw lists the raw traces in a directory, or in its folder fxt if none lie
// in it itself; by their names, by their beginnings if none has such a name.
func findRaw(dir string) (found rawTraces) {
	for _, in := range []string{dir, filepath.Join(dir, "fxt")} {
		all := regularFiles(in)
		found.paths = selected(all, rawNamed)
		if len(found.paths) == 0 {
			found.paths = selected(all, beginsRaw)
		}
		if len(found.paths) > 0 {
			break
		}
	}
	return found
}

// findRawBelow lists the raw traces in the directories in a directory, one for
// each node of a machine, say. Names alone count: there may be many others.
func findRawBelow(dir string) (found rawTraces) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return found // said by whoever reads it
	}
	for _, e := range entries {
		if below := filepath.Join(dir, e.Name()); isDirectory(below) {
			found.paths = append(found.paths, selected(regularFiles(below), rawNamed)...)
		}
	}
	return found
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
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

// read reads the traces and the files beside them that no trace replaces:
// descriptions of the machine, kernel models, an elimination tree.
func (r *rawTraces) read(beside []starpu.File, o format.Options) (*assemble.Parts, error) {
	if err := r.tidy(); err != nil {
		return nil, err
	}
	r.noteOthers()
	size := format.Size(r.paths)
	tell := o.ProgressOf(size + sizeOf(beside))
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

// readWith reads the traces, of the files beside them those that no trace
// replaces.
func (r *rawTraces) readWith(files []starpu.File, o format.Options) (*assemble.Parts, error) {
	var beside []starpu.File
	for _, f := range files {
		switch {
		case besideRaw(f):
			beside = append(beside, f)
		case f.Role() == "paje" && !f.OfStarPU():
			r.log.Add(trace.Info, filepath.Base(f.Path), 0, "file-not-read", "the trace is another program's: the raw traces were read")
		default:
			r.noteConverted(f.Path)
		}
	}
	return r.read(beside, o)
}

// noteConverted logs a file that was not read because raw traces were.
func (r *rawTraces) noteConverted(path string) {
	r.log.Add(trace.Info, filepath.Base(path), 0, "converted-not-read", "the file was made of the raw traces, which were read")
}

// besideRaw reports whether a file says what raw traces do not.
func besideRaw(f starpu.File) bool { return !isRun(f.Role()) || f.Role() == "tree" }

// RawTraces lists the raw traces of StarPU that Read finds in a directory.
func RawTraces(dir string) []string {
	if found := findRaw(dir); len(found.paths) > 0 {
		return found.paths
	}
	return findRawBelow(dir).paths
}
