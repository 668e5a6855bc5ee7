package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"dagscope/read"
)

// rawFiles are the raw traces that arguments name: files, and those that import
// finds in directories.
func rawFiles(args []string) (paths []string, err error) {
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil || !info.IsDir() {
			paths = append(paths, arg) // that there is none is said when it is opened
			continue
		}
		found := read.RawTraces(arg)
		if len(found) == 0 {
			return nil, fmt.Errorf("read %s: found no raw trace in this directory, want prof_file_USER_RANK", arg)
		}
		paths = append(paths, found...)
	}
	return paths, nil
}

// refuseInput is an error if a file to write is one that is read: what is
// written would be all that is left of it.
func refuseInput(out string, inputs []string) error {
	to, err := os.Stat(out)
	if err != nil || !to.Mode().IsRegular() {
		return nil // nothing is lost
	}
	same := slices.IndexFunc(inputs, func(path string) bool {
		from, err := os.Stat(path)
		return err == nil && os.SameFile(from, to)
	})
	if same < 0 {
		return nil
	}
	return fmt.Errorf("write %s: found the file that is read (%s), want another", out, filepath.Clean(inputs[same]))
}
