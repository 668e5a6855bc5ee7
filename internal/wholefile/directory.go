package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// The steps of a replacement of a directory D, and what a kill leaves behind:
//
//	mkdir D.tmp-PID-X, fill      the old one, and a leftover
//	exchange D.tmp-PID-X and D   the new one, and the old one as a leftover
//	remove D.tmp-PID-X           the new one
//
// Where the file system cannot exchange two names, the second step is two renames
// with the old one as D.old-PID-X in between. A kill just there leaves no D;
// Clear renames the old one back, and Interrupted says where it is.

// Install gives the complete directory dir, whose name is from Beside, the name
// path, where a directory may be; that is removed. After an error path is what it
// was, unless the error says that the new one is in place; what is left at dir is
// for the caller to remove.
func Install(dir, path string) error {
	mine, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	var old string
	// A rename onto an empty directory replaces it; anything else is exchanged.
	err = os.Rename(dir, path)
	if errors.Is(err, fs.ErrExist) { // which ENOTEMPTY is, too
		old, err = swap(dir, path)
	}
	if err != nil {
		return fmt.Errorf("put the new one in place: %w", err)
	}
	if err := SyncDir(filepath.Dir(path)); err != nil {
		if undo := takeBack(mine, old, dir, path); undo != nil {
			return fmt.Errorf("%w; the new one is in place: %w", err, undo)
		}
		return err
	}
	if old == "" {
		return nil
	}
	if err := os.RemoveAll(old); err != nil {
		return fmt.Errorf("remove what was there (the new one is in place): %w", err)
	}
	return nil
}

// takeBack undoes a replacement, unless another writer has replaced path since.
func takeBack(mine fs.FileInfo, old, dir, path string) error {
	switch old {
	case "":
		return os.Rename(path, dir)
	case dir:
		if err := exchange(dir, path); err != nil {
			return err
		}
		if now, err := os.Lstat(dir); err == nil && !os.SameFile(now, mine) {
			return errors.Join(errors.New("another was put there meanwhile"), exchange(dir, path))
		}
		return nil
	}
	return errors.Join(os.Rename(path, dir), os.Rename(old, path))
}

// SyncDir makes the names in a directory survive a power cut.
func SyncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrInvalid) {
		err = nil // some file systems cannot sync a directory
	}
	return errors.Join(err, f.Close())
}

// swap replaces path by dir in one step where the system can, and says where
// the old directory is.
func swap(dir, path string) (old string, err error) {
	switch err := exchange(dir, path); {
	case err == nil:
		return dir, nil
	case !errors.Is(err, errors.ErrUnsupported):
		return "", err
	}
	return swapByRenames(dir, path)
}

func swapByRenames(dir, path string) (old string, err error) {
	old = side(path, replaced)
	if err := os.Rename(path, old); err != nil {
		return "", err
	}
	if err := os.Rename(dir, path); err != nil {
		return "", errors.Join(err, os.Rename(old, path))
	}
	return old, nil
}
