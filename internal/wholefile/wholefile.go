// Package wholefile writes files that are there as a whole or not at all: beside
// their name, renamed when complete.
//
// New files have the permissions that the umask leaves, as those of any program;
// os.CreateTemp, followed by a chmod to what is usual, would show to others what a
// user with umask 077 wants to keep. Files that are replaced keep theirs.
//
// It follows no links and syncs nothing to the disk.
package wholefile

import (
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// Write has a file written beside path and renames it. After an error path holds
// what it held before.
func Write(path string, write func(io.Writer) error) (err error) {
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

// create makes a file of a new name in the directory of path.
func create(path string) (*os.File, error) {
	for try := 0; ; try++ {
		name := "." + filepath.Base(path) + "." + strconv.FormatUint(uint64(rand.Uint32()), 10)
		f, err := os.OpenFile(filepath.Join(filepath.Dir(path), name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) || try == 1000 {
			return f, err
		}
	}
}
