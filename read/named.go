package read

import (
	"fmt"
	"os"
	"path/filepath"

	"dagscope/internal/text"
	"dagscope/read/assemble"
	"dagscope/read/starpu"
	"dagscope/trace"
)

// readParts reads what the paths name: one directory, or files, among which a
// directory stands for the raw traces in it.
func readParts(paths []string, o Options) (*assemble.Parts, error) {
	if _, err := os.Stat(paths[0]); err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	if len(paths) == 1 && isDirectory(paths[0]) {
		return readDirectory(paths[0], o)
	}
	var files []string
	for _, path := range paths {
		if !isDirectory(path) {
			files = append(files, path)
			continue
		}
		raw := RawTraces(path)
		if len(raw) == 0 {
			return nil, fmt.Errorf("import: found directory %s among %d sources and no raw trace (prof_file_USER_RANK) in it, wanted one directory, several files, or directories of the ranks' raw traces", path, len(paths))
		}
		files = append(files, raw...)
	}
	return readFiles(files, o)
}

// namedFiles are what was named, by what it is.
type namedFiles struct {
	raw    rawTraces
	files  []starpu.File // known by name or content
	repeat []string      // of starpu_fxt_tool, but of no use
}

// readFiles reads the named files as one run. Naming all files of a directory is
// naming the directory: of raw traces and what starpu_fxt_tool made of them, the
// latter are read if a Pajé trace is among them.
func readFiles(paths []string, o Options) (*assemble.Parts, error) {
	n, err := sortNamed(paths, o)
	if err != nil {
		return nil, err
	}
	if o.As == FxT || o.As == "" && len(n.raw.paths) > 0 && !hasTrace(n.files) {
		return n.readRaw(paths, o)
	}
	if err := o.noVersion(paths); err != nil {
		return nil, err
	}
	return n.readConverted(paths, o)
}

// sortNamed finds out what the files are.
func sortNamed(paths []string, o Options) (n namedFiles, err error) {
	for _, path := range paths {
		if err := checkFile(path); err != nil {
			return n, err
		}
		switch f, known := starpu.Classify(path, nil); {
		case known:
			n.files = append(n.files, f)
		case isRaw(path):
			n.raw.paths = append(n.raw.paths, path)
		case starpu.Repeats(path):
			n.repeat = append(n.repeat, path)
		default:
			if err := n.addOther(path, o); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// checkFile makes sure that a file can be read more than once.
func checkFile(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("import %s: found %s, wanted files (one directory or several files; a pipe cannot be read twice)", path, info.Mode())
	}
	return nil
}

// addOther adds a file whose name tells nothing, and that does not begin as a
// raw trace does. If it must be one, reading says what is wrong.
func (n *namedFiles) addOther(path string, o Options) error {
	head, err := text.Head(path, starpu.HeadBytes)
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	f, known := starpu.Classify(path, head)
	switch {
	case known:
		n.files = append(n.files, f)
	case o.As == FxT:
		n.raw.paths = append(n.raw.paths, path)
	default:
		return fmt.Errorf("read %s: found a file that begins with %q, wanted a raw trace of StarPU (prof_file_*), a Pajé trace, a .rec or .dot file of StarPU, a CSV file with a line for each task (--as tasks says what its header lacks), or a directory", path, head[:min(len(head), 40)])
	}
	return nil
}

// readRaw reads the raw traces and what describes the machine.
func (n *namedFiles) readRaw(paths []string, o Options) (*assemble.Parts, error) {
	if len(n.raw.paths) == 0 {
		return nil, fmt.Errorf("read %s: wanted raw traces (prof_file_USER_RANK), and at most files beside them", paths[0])
	}
	for _, path := range n.repeat {
		n.raw.noteConverted(path)
	}
	return n.raw.readWith(n.files, o)
}

// readConverted reads the files of starpu_fxt_tool.
func (n *namedFiles) readConverted(paths []string, o Options) (*assemble.Parts, error) {
	if raw := n.raw.paths; len(n.files) == 0 && len(raw) > 0 {
		return nil, fmt.Errorf("read %s: found a raw trace of StarPU, wanted what starpu_fxt_tool makes of it, or not to be told that it is %s", raw[0], o.As)
	}
	if len(n.files) == 0 {
		return nil, fmt.Errorf("read %s: found a file that repeats what others of starpu_fxt_tool say, wanted these: paje.trace, tasks.rec or dag.dot", paths[0])
	}
	var log trace.Log
	for _, path := range n.repeat {
		log.Add(trace.Info, filepath.Base(path), 0, "file-not-read", "the file repeats what the others say")
	}
	p, err := starpu.Read(n.files, log, o.TimeUnit, o.progressOf(starpu.Size(n.files)))
	return n.raw.beside(p, n.files, err)
}
