package read

import (
	"fmt"
	"os"
	"slices"

	"dagscope/internal/text"
	"dagscope/internal/words"
	"dagscope/read/format"
	"dagscope/read/ompt"
	"dagscope/read/ovni"
	"dagscope/read/paraver"
	"dagscope/read/taskcsv"
	"dagscope/trace/store"
)

// formats is the table of formats. The first row that recognises the sources
// reads them: rows that know a named file by its content before all others.
// Another format is one more line here: docs/design/adding-a-format.md.
func formats() []format.Format {
	s := new(starpuSources) // what StarPU left is looked up once for its rows
	return []format.Format{
		// Several forms of a run of StarPU may lie side by side: rows say which
		// of them is read.
		s.raw(),
		s.converted(),
		s.tables(),
		ompt.Format(),
		taskcsv.Format(),
		ovni.Format(), // before what ovniemu makes of it
		paraver.Format(),
		s.rawBelow(),
		// Known, not read.
		{
			Holds: "a run directory", Finds: isRunDirectory,
			Refuses: "it needs no import: name it where commands want a RUN",
		},
	}
}

func isRunDirectory(in *format.Input) bool {
	dir, ok := in.Directory()
	return ok && isRegular(dir+"/"+store.ManifestName)
}

// Formats lists the names that Options.As may have: "fxt, starpu or tasks".
func Formats() string {
	return words.Or(wordsOf(formats(), func(f *format.Format) string { return f.Name }))
}

// named finds the format that the user asks for.
func named(rows []format.Format, name string) (*format.Format, error) {
	if i := slices.IndexFunc(rows, func(f format.Format) bool { return f.Name == name && name != "" }); i >= 0 {
		return &rows[i], nil
	}
	return nil, fmt.Errorf("found format %q, wanted %s", name, Formats())
}

// recognise finds the first row that knows the sources.
func recognise(rows []format.Format, in *format.Input) (*format.Format, error) {
	head, _ := in.Head() // what is wrong with the file is said by whoever reads it
	for i, f := range rows {
		if f.Begins != nil && len(head) > 0 && f.Begins(head) {
			return &rows[i], nil
		}
	}
	for i, f := range rows {
		if f.Finds != nil && f.Finds(in) {
			return &rows[i], nil
		}
	}
	if dir, ok := in.Directory(); ok {
		return nil, noTrace(rows, dir)
	}
	return nil, unknown(rows, in.Paths)
}

// noTrace is the error of a directory that holds nothing known.
func noTrace(rows []format.Format, dir string) error {
	known := wordsOf(rows, func(f *format.Format) string { return f.Directory })
	return fmt.Errorf("read %s: found no trace: wanted %s (plain, .gz or .zst)", dir, words.Or(known))
}

// unknown is the error of sources none of which is of a known format.
func unknown(rows []format.Format, paths []string) error {
	if isDirectory(paths[0]) {
		return directoryAmong(paths[0], len(paths))
	}
	if err := checkFile(paths[0]); err != nil {
		return err
	}
	head, err := text.Head(paths[0], format.HeadBytes)
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	return unknownFile(rows, paths[0], head)
}

// unknownFile is the error of a file of no known format.
func unknownFile(rows []format.Format, path string, head []byte) error {
	known := wordsOf(rows, func(f *format.Format) string { return f.File })
	return fmt.Errorf("read %s: found a file that begins with %q, wanted %s", path, head[:min(len(head), 40)], words.Or(append(known, "a directory")))
}

// wordsOf collects what the rows say, each once.
func wordsOf(rows []format.Format, of func(*format.Format) string) (all []string) {
	for i := range rows {
		if w := of(&rows[i]); w != "" && !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	return all
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

// directoryAmong is the error of a directory among several sources in which no
// raw trace lies.
func directoryAmong(dir string, sources int) error {
	return fmt.Errorf("import: found directory %s among %d sources and no raw trace (prof_file_USER_RANK) in it, wanted one directory, several files, or directories of the ranks' raw traces", dir, sources)
}
