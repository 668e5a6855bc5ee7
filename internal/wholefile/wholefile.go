// Package wholefile writes files, and puts directories in place, that are there as a
// whole or not at all, whenever the writer fails or is killed: next to their name,
// renamed when complete.
//
// What a killed writer leaves has its process number in its name; the next writer
// of the same file removes it.
//
// New files have the permissions that the umask leaves, as those of any program;
// os.CreateTemp, followed by a chmod to what is usual, would show to others what a
// user with umask 077 wants to keep. Files that are replaced keep theirs.
//
// It follows no links, and syncs no contents to the disk; of several writers of one
// file the last one wins.
package wholefile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write has a file written beside path and renames it. After an error path holds
// what it held before.
func Write(path string, write func(io.Writer) error) (err error) {
	clearBeside(path)
	f, err := create(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	err = write(f)
	if old, e := os.Stat(path); e == nil && old.Mode().IsRegular() {
		err = errors.Join(err, f.Chmod(old.Mode().Perm()))
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// hidden is what the names next to that of a file begin with.
func hidden(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path))
}

// clearBeside removes what dead writers of a file left. That it cannot is no reason
// to write nothing.
func clearBeside(path string) {
	names, err := leftovers(hidden(path), temporary)
	if err != nil {
		return
	}
	for _, name := range names {
		os.Remove(name)
	}
}

// create makes a file of a new name in the directory of path.
func create(path string) (*os.File, error) {
	for try := 0; ; try++ {
		f, err := os.OpenFile(Beside(hidden(path)), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) || try == 1000 {
			return f, err
		}
	}
}
