package platform

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"dagscope/internal/regular"
)

// open reads a file of the host; name is what messages call it.
func (r *starpuReader) open(ending string) (name string, text []byte, err error) {
	name = filepath.Join(r.dir, r.host+ending)
	text, err = readBounded(r.files, r.host+ending)
	if err != nil {
		err = fmt.Errorf("read %s: %w", name, err)
	}
	return name, text, err
}

// readBounded reads a file that is not too large to be a description of a
// machine.
func readBounded(files fs.FS, name string) ([]byte, error) {
	text, err := regular.ReadFS(files, name, mostBytes)
	return text, plainError(err)
}

// plainError leaves the naming of the file to the caller.
func plainError(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	return err
}

// readNamed reads a file by its path.
func readNamed(file string) ([]byte, error) {
	text, err := readBounded(os.DirFS(filepath.Dir(file)), filepath.Base(file))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	return text, nil
}
