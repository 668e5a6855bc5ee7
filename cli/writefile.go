package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"dagscope/internal/wholefile"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// writeFile writes a file beside its final name and renames it when complete,
// so that a failure leaves what was there. Where a link leads, that is written;
// pipes and devices, which no file must replace, are written in place. New files
// have the permissions that the umask leaves.
func writeFile(path string, write func(io.Writer) error) error {
	err := func() error {
		info, err := os.Stat(path)
		switch {
		case err != nil && isLink(path):
			return writeInPlace(path, write)
		case err != nil:
			return wholefile.Write(path, write)
		case isOpen(info, os.Stdout):
			return write(os.Stdout)
		case isOpen(info, os.Stderr):
			return write(os.Stderr)
		case info.IsDir():
			return errors.New("found a directory, want a file")
		case !info.Mode().IsRegular():
			return writeInPlace(path, write)
		}
		target, err := filepath.EvalSymlinks(path)
		if err != nil { // a file that is open, but has no name any more
			return writeInPlace(path, write)
		}
		return wholefile.Write(target, write)
	}()
	if err != nil {
		return fmt.Errorf("write %s: %w", path, cause(err))
	}
	return nil
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// isOpen tells whether a file is what the program writes to: replaced, it would
// miss what else is written.
func isOpen(file fs.FileInfo, stream *os.File) bool {
	info, err := stream.Stat()
	return err == nil && os.SameFile(file, info)
}

func writeInPlace(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// cause is what went wrong, without the name of the temporary file.
func cause(err error) error {
	if of := (*fs.PathError)(nil); errors.As(err, &of) {
		return of.Err
	}
	if of := (*os.LinkError)(nil); errors.As(err, &of) {
		return of.Err
	}
	return err
}

// packed has something written, compressed if the name says so.
func packed(w io.Writer, path string, write func(io.Writer) error) error {
	var z io.WriteCloser
	switch filepath.Ext(path) {
	case ".gz":
		z = gzip.NewWriter(w)
	case ".zst":
		var err error
		if z, err = zstd.NewWriter(w); err != nil {
			return err
		}
	default:
		return write(w)
	}
	return errors.Join(write(z), z.Close())
}
