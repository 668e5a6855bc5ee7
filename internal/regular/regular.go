// Package regular opens files that end: what a user names, or what lies in a
// directory, may be a pipe that nobody writes to, a device without end, or larger
// than anything that its reader wants.
//
// A file is looked at before it is opened, since opening some devices has
// effects, and again after, since it may be another by then; it is opened without
// waiting for a writer. Standard input is not this package's affair: callers that
// take it have it open already.
package regular

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Sizes that callers share.
const (
	Any  = int64(1<<63 - 1) // for what is read piece by piece
	Text = int64(64 << 20)  // what people write: specs, tables, configurations
)

// Open opens a regular file of at most limit bytes. Errors are of type
// *fs.PathError, as those of os.Open.
func Open(path string, limit int64) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := check(path, info, limit); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, err
	}
	if err := checkOpen(path, f, limit); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Read reads a whole regular file of at most limit bytes, also if it grows
// meanwhile.
func Read(path string, limit int64) ([]byte, error) {
	f, err := Open(path, limit)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(path, f, limit)
}

// ReadFS is Read in a file system, which may be a directory of the disk (os.DirFS).
func ReadFS(files fs.FS, name string, limit int64) ([]byte, error) {
	info, err := fs.Stat(files, name)
	if err != nil {
		return nil, err
	}
	if err := check(name, info, limit); err != nil {
		return nil, err
	}
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := checkOpen(name, f, limit); err != nil {
		return nil, err
	}
	return readAll(name, f, limit)
}

func readAll(path string, f io.Reader, limit int64) ([]byte, error) {
	if limit == Any {
		limit--
	}
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = tooLarge(path, limit)
	}
	return text, err
}

// Check reports why a file is not one to read, nil if it is.
func Check(info fs.FileInfo, limit int64) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("found %s, wanted a regular file", kind(info.Mode()))
	}
	if info.Size() > limit {
		return fmt.Errorf("found %d bytes, wanted %d at most", info.Size(), limit)
	}
	return nil
}

func check(path string, info fs.FileInfo, limit int64) error {
	if err := Check(info, limit); err != nil {
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return nil
}

// checkOpen looks at what was opened, which may be another file than was looked at
// before, and at the file system that it is of.
func checkOpen(path string, f fs.File, limit int64) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := check(path, info, limit); err != nil {
		return err
	}
	if onDisk, ok := f.(*os.File); ok {
		if err := checkKernel(onDisk); err != nil {
			return &fs.PathError{Op: "open", Path: path, Err: err}
		}
	}
	return nil
}

func tooLarge(path string, limit int64) error {
	return &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("found more than %d bytes, wanted that many at most", limit)}
}

// kind names what is no regular file.
func kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "no file (" + m.String() + ")"
}
